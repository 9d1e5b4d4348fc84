"""A matrix as a table of coloured cells with numbers; a large one as a picture without them."""

import functools
import math

import numpy as np
from matplotlib.collections import PatchCollection
from matplotlib.colors import LinearSegmentedColormap, ListedColormap
from matplotlib.patches import Rectangle

from .picture import inches
from .roles import INK, MASKED, MASKED_LINES, ROLES
from .text import rounded, shortened

NUMBERED = 16  # rows and columns: up to here, cells have numbers
LARGE, LARGE_OF_MANY = 4.6, 2.6  # inches: the longer side of a matrix without numbers


def draw_table(panel, array, decimals, ax, small=False):
    """A matrix (rows, columns), NaN where masked, with its labels; `small` if it is one of many.

    Returns (width, height, width of the labels on its left, on its right) in inches.
    """
    rows, columns = array.shape
    dense, numbered = columns > 8, max(rows, columns) <= NUMBERED
    down = [shortened(label, 12) for label in panel.rows]
    across = [shortened(label, 7 if dense else 9) for label in panel.columns]
    label = max(inches(text, 9) for text in across) + 0.1
    low, high = -panel.limit if ROLES[panel.role].span[0] else 0, panel.limit
    image = ax.imshow(array, cmap=_colours(panel.role), vmin=low, vmax=high, aspect="auto")
    hidden = np.isnan(array)
    step = 1
    if numbered:
        number = _write_numbers(ax, image, decimals, 6.5 if dense else 9)
        width = max(0.4 if dense else 0.62, label, number + 0.1)
        height = 0.29 if dense else 0.45
        _hatch(ax, hidden)
        ax.hlines(np.arange(1, rows) - 0.5, -0.5, columns - 0.5, colors="white")
        ax.vlines(np.arange(1, columns) - 0.5, -0.5, rows - 0.5, colors="white")
    else:
        width = height = (LARGE_OF_MANY if small else LARGE) / max(rows, columns)
        step = max(math.ceil(label / width), math.ceil(columns / NUMBERED))
        _stripe(ax, hidden)
    ax.xaxis.tick_top()
    ax.set_xticks(range(0, columns, step), across[::step], parse_math=False)
    step = math.ceil(rows / NUMBERED)
    ax.set_yticks(range(0, rows, step), down[::step], parse_math=False)
    return columns * width, rows * height, 0.15 + max(inches(text, 9) for text in down), 0


def _write_numbers(ax, image, decimals, size):
    """Numbers in the cells; returns the length of the longest, in inches."""
    array, longest = image.get_array(), 0
    for (i, j), x in np.ndenumerate(array.filled(np.nan)):
        if not np.isnan(x):
            text, colour = rounded(x, decimals), _ink_on(image.to_rgba(x))
            look = {"ha": "center", "va": "center", "size": size, "gid": "number"}
            number = ax.text(j, i, text, color=colour, **look)
            number.set_in_layout(False)  # it lies within its cell
            longest = max(longest, inches(text, size))
    return min(longest, 1)


def _hatch(ax, hidden):
    cells = [Rectangle((j - 0.5, i - 0.5), 1, 1) for i, j in np.argwhere(hidden)]
    look = {"hatch": "////", "edgecolor": MASKED_LINES, "facecolor": "none", "linewidth": 0}
    ax.add_collection(PatchCollection(cells, **look), autolim=False)


def _stripe(ax, hidden):
    """In place of hatching where it takes too many cells: stripes, one cell to a pixel."""
    if hidden.any():
        stripes = np.where(hidden, np.indices(hidden.shape).sum(0) % 4 < 2, np.nan)
        greys = ListedColormap([MASKED_LINES, MASKED])
        ax.imshow(stripes, cmap=greys, vmin=0, vmax=1, aspect="auto")


@functools.cache
def _colours(role):
    low = [ROLES[role].low] if ROLES[role].span[0] else []
    return LinearSegmentedColormap.from_list(role, [*low, "#FFFFFF", ROLES[role].high], bad=MASKED)


def _ink_on(colour):
    """The colour of text that can be read on this one."""
    return INK if np.dot(colour[:3], [0.299, 0.587, 0.114]) > 0.5 else "white"
