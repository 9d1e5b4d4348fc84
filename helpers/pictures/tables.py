"""A matrix as a table of coloured cells with numbers; a large matrix has cells without numbers."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, ListedColormap
from matplotlib.patches import Rectangle

from .picture import APART, SMALL, WIDEST, Drawing, digits, inches
from .roles import MASKED, MASKED_LINES, ROLES, WHITE
from .text import shortened

NUMBERED = 16  # cells have numbers up to this many rows and columns
DENSE = 8  # with more columns than this, cells are small
LETTERS = 8  # of the label of a small cell
SMALLER = 8.5  # points, where a matrix would otherwise be wider than a page
LARGE, LARGE_OF_MANY = 4.3, 2.1  # inches: the longer side of a matrix without numbers
SCALE, BAR, ROOM = 1.2, 0.1, 0.45  # inches: the colours below it, their height, and that of all
EDGE = (0.5, 0.5, 0.5, 0.35)  # of cells, as in the Explorer: weights near 0 are white on white


def table_of(panel, array, decimals, small=False):
    """The Drawing of a matrix (rows, columns) and its labels, NaN where masked.

    small    whether it is one of many matrices
    """
    rows, columns = array.shape
    numbered, dense = max(rows, columns) <= NUMBERED, columns > DENSE
    down = [shortened(label) for label in panel.rows]
    left = max(map(inches, down))
    written = [digits(x, decimals) for x in array.ravel()] if numbered else []
    least, height, most = (0.4, 0.29, LETTERS) if dense else (0.62, 0.45, LETTERS + 1)
    tries = [(SMALL, most)] + [(SMALLER, letters) for letters in range(most, 3, -1)]
    for points, letters in tries:
        across = [shortened(label, letters) for label in panel.columns]
        label = max(inches(text, points) for text in across) + 0.1
        width = max(least, label, *(inches(text, points) + 0.1 for text in written))
        wide = left + columns * width + APART
        if not numbered or wide * SMALL / points <= WIDEST:  # smaller letters, narrower picture
            break
    if not numbered:
        width = height = (LARGE_OF_MANY if small else LARGE) / max(rows, columns)
    colours = _scale(panel, array, numbered)
    # Neither cells with numbers nor weights that are all 0 or 1 need a scale.
    flat = ROLES[panel.role].one_sided and np.isin(array[~np.isnan(array)], (0, 1)).all()
    scaled = not (numbered or flat)
    wide, tall = columns * width, rows * height  # inches
    if scaled:
        wide, tall = max(wide, SCALE), tall + ROOM

    def draw(ax):
        outline = (-0.5, -0.5), columns, rows
        if np.isnan(array).any():  # a hatched background shows where there is no cell
            look = {"facecolor": MASKED, "edgecolor": MASKED_LINES, "linewidth": 0}
            ax.add_patch(Rectangle(*outline, hatch="/////", **look))
        edges = {"edgecolors": [EDGE], "linewidths": 0.8} if numbered else {}
        places = np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5
        draw_cells = ax.pcolor if numbered else ax.pcolormesh  # fast, but without edges
        cells = draw_cells(*places, np.ma.masked_invalid(array), **colours, **edges)
        if not numbered:
            ax.add_patch(Rectangle(*outline, fill=False, edgecolor=EDGE))
        for (i, j), x in np.ndenumerate(array) if numbered else ():
            if not np.isnan(x):
                look = {"ha": "center", "va": "center", "size": points, "gid": "number"}
                look["color"] = _shade(tuple(cells.to_rgba(x))).ink
                ax.text(j, i, digits(x, decimals), **look).set_in_layout(False)
        step = 1 if numbered else max(math.ceil(label / width), math.ceil(columns / NUMBERED))
        ax.set_xticks(range(0, columns, step), across[::step], size=points, parse_math=False)
        step = max(math.ceil(0.17 / height), math.ceil(rows / NUMBERED))  # a label is 0.17 high
        ax.set_yticks(range(0, rows, step), down[::step], parse_math=False)
        if scaled:
            _draw_scale(ax, rows - 0.5 + 0.15 / height, SCALE / width, BAR / height, colours)
        ax.set(xlim=(-0.5, wide / width - 0.5), ylim=(tall / height - 0.5, -0.5))

    return Drawing(left, wide, tall, draw)


def _draw_scale(ax, top, wide, tall, colours):
    """The colours of a table as a bar with its ends, and 0, below it; in cells of the table."""
    low, high = colours["vmin"], colours["vmax"]
    around = {"extent": (-0.5, wide - 0.5, top + tall, top), "aspect": "auto"}
    ax.imshow(np.linspace(low, high, 50)[None], **around, **colours)
    ax.add_patch(Rectangle((-0.5, top), wide, tall, fill=False, edgecolor=EDGE))
    for x in sorted({low, 0, high}):
        at = wide * (x - low) / (high - low) - 0.5, top + 1.4 * tall
        look = {"ha": {low: "left", high: "right"}.get(x, "center"), "va": "top", "gid": "scale"}
        ax.text(*at, f"{x:g}".replace("-", "−"), size=SMALL, **look)


def _scale(panel, array, numbered):
    """Colours from low through white (at 0) to high; for non-negative values, the upper half.

    numbered   whether a number stands in each cell, and must be legible on it
    """
    role = ROLES[panel.role]
    low = -panel.limit if np.nanmin(array, initial=0) < 0 and not role.one_sided else 0
    colours = [role.low, WHITE, role.high] if low else [WHITE, role.high]
    shades = 129 if numbered else 101  # an odd number, so that 0 is white
    cmap = LinearSegmentedColormap.from_list(panel.role, colours, shades)
    if numbered:
        cmap = ListedColormap([_shade(tuple(c)).ground for c in cmap(np.arange(shades))])
    return {"cmap": cmap, "vmin": low, "vmax": panel.limit}


LEGIBLE = 4.5  # the least contrast of small letters, by the Web Content Accessibility Guidelines
# What a dark page does to pictures: invert(0.93), then hue-rotate(180deg), from the standard
# "Filter Effects Module Level 1".
TURNED = np.array([[-0.574, 1.43, 0.144], [0.426, 0.43, 0.144], [0.426, 1.43, -0.856]])


@dataclass(frozen=True)
class Shade:
    """The colour of a cell, and the ink of the number in it: (red, green, blue) each."""

    ground: tuple
    ink: tuple


@lru_cache(4096)
def _shade(colour):
    """A colour with black or white to write on it: legible on a light page and on a dark one.

    On middle tones neither ink is, so these become a little lighter or darker. colour: RGB or RGBA,
    a tuple."""
    for more in np.arange(0, 1, 0.01):
        for ink, away in (((0, 0, 0), 1), ((1, 1, 1), 0)):
            ground = (1 - more) * np.array(colour[:3]) + more * away
            if min(_contrast(ground, ink), _contrast(*map(in_the_dark, (ground, ink)))) >= LEGIBLE:
                return Shade(tuple(ground), ink)


def in_the_dark(colour):
    """What a dark page makes of a colour (red, green, blue) of a still picture."""
    return np.clip(TURNED @ (0.93 - 0.86 * np.array(colour)), 0, 1)


def _contrast(one, other):
    light = [((np.array(x) + 0.055) / 1.055) ** 2.4 for x in (one, other)]
    less, more = sorted(0.05 + x @ [0.2126, 0.7152, 0.0722] for x in light)
    return more / less
