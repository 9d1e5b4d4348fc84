"""What an Explorer must show, computed independently: a reference for the browser tests."""

from math import prod

import numpy as np

from helpers.pictures.text import rounded


def shape_of(panel):
    """(heads, rows, columns) of a panel at its largest."""
    return max(1, panel["heads"]), panel["tall"], panel["wide"]


def decoded(spec, frames, index):
    """([(panel, array), …], numbers) at one setting, from what was sent to the browser."""
    sizes = [int(np.prod(shape_of(panel))) for panel in spec["panels"]]
    width = sum(sizes) + len(spec["numbers"])
    frame = np.frombuffer(frames, "<f4")[index * width : (index + 1) * width]
    *parts, numbers = np.split(frame, np.cumsum(sizes))
    arrays = [part.reshape(shape_of(panel)) for part, panel in zip(parts, spec["panels"])]
    return list(zip(spec["panels"], arrays)), dict(zip(spec["numbers"], numbers))


def labels_at(panel, index):
    """(rows, columns) of a panel at one setting; there may be fewer than it has room for."""
    sides = panel["rows"], panel["columns"]
    return [labels[index] if len(labels) > 1 else labels[0] for labels in sides]


def cells_at(panel, index):
    """True where a panel has a cell at one setting, in the shape of its largest."""
    rows, columns = map(len, labels_at(panel, index))
    there = np.zeros(shape_of(panel), bool)
    there[:, :rows, :columns] = True
    return there


def text_of(x, decimals):
    """A number as a cell shows it."""
    if abs(x) >= 1e7:
        return f"{x:.3e}".replace("e+", "e").replace("-", "−")
    return "" if np.isnan(x) else rounded(x, decimals).replace("-", "−")


def colours_of(x, low, high, limit):
    """The colours of an array, as (…, 4) bytes: white at 0, 512 steps to either end of the scale.

    Masked cells (NaN) have none, so that the hatching below them is visible.
    """
    ends = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in (low, high)])
    # In double precision, as in the browser; JavaScript rounds halves up.
    share = np.clip(np.nan_to_num(x.astype(np.float64)) / limit, -1, 1)
    level = np.floor(share * 512 + 0.5)
    end = ends[(level > 0).astype(int)]
    colours = np.floor(255 + (end - 255) * (np.abs(level) / 512)[..., None] + 0.5)
    seen = ~np.isnan(x)[..., None]
    return (seen * np.insert(colours, 3, 255, axis=-1)).astype(np.uint8)


def shapes_in(spec, frames, moves, scenes, index):
    """[[(shape, its numbers, its word) of each shape that is there] of each drawing]."""
    settings = prod(map(len, spec["stops"]))
    frame, moved = (
        np.frombuffer(data, "<f4").reshape(settings, -1)[index] for data in (frames, moves)
    )

    def value(number):
        if not isinstance(number, list):
            return number
        return moved[number[0]] if len(number) == 1 else number[1] * frame[number[0]] + number[2]

    found = []
    for scene in scenes:
        found.append([])
        for shape in scene["shapes"]:
            numbers = [float(value(number)) for number in shape["numbers"]]
            if not np.isnan(numbers).any():
                word = shape["words"][int(numbers.pop())] if "words" in shape else ""
                found[-1].append((shape, numbers, word))
    return found
