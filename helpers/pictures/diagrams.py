"""Words as boxes and lines: how two sentences, or inputs and outputs, hang together."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from .picture import Picture, clean, style
from .roles import INK, KEY, QUERY, VALUE


def word_order(source, target, pairs):
    """Two sentences, one above the other, a line between words that translate each other.

    pairs    (position in source, position in target), from 0
    """
    if not source or not target:
        raise ValueError("word_order: a sentence is empty; give at least one word.")
    for i, j in pairs:
        if not (0 <= i < len(source) and 0 <= j < len(target)):
            raise ValueError(
                f"word_order: the pair ({i}, {j}) lies outside {len(source)} and {len(target)} words."
            )
    with style():
        figure = Figure(figsize=(1.05 * max(len(source), len(target)), 2.1), layout="constrained")
        ax = figure.subplots()
        for i, j in pairs:
            crosses = any((i - k) * (j - m) < 0 for k, m in pairs)
            ax.plot(
                [i, j],
                [0.82, 0.18],
                color=KEY if crosses else "#8A8A8A",
                lw=2.4 if crosses else 1.4,
            )
        for words, height in ((source, 1), (target, 0)):
            for k, word in enumerate(words):
                ax.text(k, height, clean(word), ha="center", va="center", size=11, parse_math=False)
        ax.set(xlim=(-0.6, max(len(source), len(target)) - 0.4), ylim=(-0.2, 1.2))
        ax.set_axis_off()
    words = ", ".join(f"{source[i]} – {target[j]}" for i, j in pairs)
    return Picture(figure, f"Word order: {' '.join(source)} / {' '.join(target)}. Pairs: {words}.")


def bottleneck(words, outputs):
    """Left: all words squeezed into one vector. Right: every output looks at every word."""
    if not words or not outputs:
        raise ValueError("bottleneck: a sentence is empty; give at least one word.")
    with style():
        figure = Figure(figsize=(11, 2.9), layout="constrained")
        left, right = figure.subplots(1, 2)
        left.set_title("one vector for the whole sentence")
        right.set_title("attention: every output looks at every word")
        for ax in (left, right):
            _row_of_boxes(ax, words, 1.0, QUERY)
            _row_of_boxes(ax, outputs, 0.0, VALUE)
            ax.set(xlim=(-0.05, 1.05), ylim=(-0.2, 1.2))
            ax.set_axis_off()
        link = {"color": "#8A8A8A", "lw": 0.8, "zorder": 0}
        for x, _ in _spread(words):
            left.plot([x, 0.5], [0.87, 0.6], **link)
            for y, _ in _spread(outputs):
                right.plot([x, y], [0.87, 0.13], **link)
        for y, _ in _spread(outputs):
            left.plot([0.5, y], [0.4, 0.13], **link)
        _box(left, "one vector", 0.5, 0.5, 0.26, KEY)
    return Picture(
        figure,
        f"Left: {len(words)} words lead into one vector, and that into {len(outputs)} outputs. "
        f"Right: each of the {len(outputs)} outputs is joined to each of the {len(words)} words.",
    )


def flow(boxes, arrows, *, title=""):
    """Boxes in columns, and arrows between them that say what flows along them: a map of a model.

    boxes    name → (column, row): column 0 at the left, row 0 at the bottom
    arrows   (from, to, what flows): names of boxes, and a text such as "(2, 6, 8)"
    Raises ValueError if there is no box, two share a place, or an arrow leads to none.
    """
    if not boxes:
        raise ValueError("flow: there is no box; give at least one, such as {'x': (0, 0)}.")
    if len(set(boxes.values())) < len(boxes):
        raise ValueError("flow: two boxes stand in one place; give each its own (column, row).")
    for start, end, _ in arrows:
        if missing := {start, end} - boxes.keys():
            known = ", ".join(map(repr, boxes))
            raise ValueError(f"flow: an arrow names {missing.pop()!r}, which is none of: {known}.")
    columns, rows = (1 + max(place[i] for place in boxes.values()) for i in (0, 1))
    with style():
        figure = Figure(figsize=(3.1 * columns, 0.62 * rows + 0.2), layout="constrained")
        ax = figure.subplots()
        for start, end, label in arrows:
            (a, b), (c, d) = boxes[start], boxes[end]
            sideways = (a < c) - (a > c)  # 1: leaves a box at its right; 0: at its top
            tail = (a + 0.36 * sideways, b + (0.19 if not sideways else 0))
            head = (c - 0.36 * sideways, d - (0.19 if not sideways else 0))
            arrow = {"arrowstyle": "->", "color": KEY if sideways else INK, "lw": 1.4}
            ax.annotate("", head, tail, arrowprops=arrow)
            middle = ((tail[0] + head[0]) / 2, (tail[1] + head[1]) / 2)
            ax.annotate(
                clean(label, 24), middle, xytext=(0, 6) if sideways else (4, 0),
                textcoords="offset points", va="center", size=8, parse_math=False,
                ha="center" if sideways else "left", color=KEY if sideways else INK,
            )  # fmt: skip
        for name, (column, row) in boxes.items():
            _box(ax, name, column, row, 0.68, (QUERY, VALUE)[column % 2], 0.36, 28)
        ax.set(xlim=(-0.42, columns - 0.58), ylim=(-0.25, rows - 0.75), title=title)
        ax.set_axis_off()
    says = "; ".join(f"{start} → {end}: {label}" for start, end, label in arrows)
    return Picture(figure, f"{title or 'Map'}. {says}.")


def _spread(words):
    """(centre, width) of a box for each word, in a row from 0 to 1; long words get wide boxes."""
    widths = np.array([len(clean(word)) + 2.5 for word in words])
    widths = widths / widths.sum()
    return list(zip(np.cumsum(widths) - widths / 2, widths))


def _row_of_boxes(ax, words, height, colour):
    for (x, width), word in zip(_spread(words), words):
        _box(ax, word, x, height, width - 0.03, colour)


def _box(ax, word, x, y, width, colour, height=0.18, longest=14):
    shape = FancyBboxPatch(
        (x - width / 2, y - height / 2),
        width,
        height,
        boxstyle="round,pad=0.01",
        fc="white",
        ec=colour,
        lw=1.6,
    )
    ax.add_patch(shape)
    ax.text(x, y, clean(word, longest), ha="center", va="center", size=8, parse_math=False)
