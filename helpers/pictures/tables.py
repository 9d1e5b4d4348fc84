"""A matrix as a table of coloured cells with numbers; a large matrix has cells without numbers."""

import math

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle

from .picture import digits, inches
from .roles import MASKED, MASKED_LINES, ROLES, WHITE
from .text import shortened

NUMBERED = 16  # cells have numbers up to this many rows and columns
DENSE = 8  # with more columns than this, cells are small
LARGE, LARGE_OF_MANY = 4.6, 2.1  # inches: the longer side of a matrix without numbers
EDGE = (0.5, 0.5, 0.5, 0.35)  # of cells, as in the Explorer: weights near 0 are white on white


def table_of(panel, array, decimals, small=False):
    """(size, function that draws it) for a matrix (rows, columns) and its labels, NaN where masked.

    small    whether it is one of many matrices
    """
    rows, columns = array.shape
    numbered, dense = max(rows, columns) <= NUMBERED, columns > DENSE
    points, letters = (6.5, 7) if dense else (9, 9)
    down = [shortened(label) for label in panel.rows]
    across = [shortened(label, letters) for label in panel.columns]
    label = max(inches(text, 9) for text in across) + 0.1
    if numbered:
        number = max(inches(digits(x, decimals), points) for x in array.ravel())
        width, height = max(0.4 if dense else 0.62, label, number + 0.1), 0.29 if dense else 0.45
    else:
        width = height = (LARGE_OF_MANY if small else LARGE) / max(rows, columns)

    def draw(ax):
        whole = (-0.5, -0.5), columns, rows
        if np.isnan(array).any():  # a hatched background shows where there is no cell
            look = {"facecolor": MASKED, "edgecolor": MASKED_LINES, "linewidth": 0}
            ax.add_patch(Rectangle(*whole, hatch="/////", **look))
        edges = {"edgecolors": [EDGE], "linewidths": 0.8} if numbered else {}
        places = np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5
        draw_cells = ax.pcolor if numbered else ax.pcolormesh  # fast, but without edges
        cells = draw_cells(*places, np.ma.masked_invalid(array), **_scale(panel, array), **edges)
        if not numbered:
            ax.add_patch(Rectangle(*whole, fill=False, edgecolor=EDGE))
        for (i, j), x in np.ndenumerate(array) if numbered else ():
            if not np.isnan(x):
                look = {"ha": "center", "va": "center", "size": points, "gid": "number"}
                look["color"] = _ink_on(cells.to_rgba(x))
                ax.text(j, i, digits(x, decimals), **look).set_in_layout(False)
        step = 1 if numbered else max(math.ceil(label / width), math.ceil(columns / NUMBERED))
        ax.set_xticks(range(0, columns, step), across[::step], parse_math=False)
        step = max(math.ceil(0.17 / height), math.ceil(rows / NUMBERED))  # a label is 0.17 high
        ax.set_yticks(range(0, rows, step), down[::step], parse_math=False)
        ax.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5))

    return (max(inches(text, 9) for text in down), columns * width, rows * height), draw


def _scale(panel, array):
    """Colours from low through white (at 0) to high; for non-negative values, the upper half."""
    role = ROLES[panel.role]
    low = -panel.limit if np.nanmin(array, initial=0) < 0 and not role.one_sided else 0
    colours = [role.low, WHITE, role.high] if low else [WHITE, role.high]
    cmap = LinearSegmentedColormap.from_list(panel.role, colours, 513)  # odd: 0 is white
    return {"cmap": cmap, "vmin": low, "vmax": panel.limit}


def _ink_on(colour):
    """Black or white, whichever contrasts more with this colour by WCAG's relative luminance."""
    linear = ((np.array(colour[:3]) + 0.055) / 1.055) ** 2.4
    return "black" if linear @ [0.2126, 0.7152, 0.0722] > 0.18 else "white"
