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
LABEL = 9  # points
LARGE, LARGE_OF_MANY = 4.6, 2.6  # inches: the longer side of a matrix without numbers


class Table:
    """A matrix and its labels: part of a figure, its sizes in inches.

    array    (rows, columns), NaN where masked
    small    whether it is one of many
    """

    def __init__(self, panel, array, decimals, title, small=False):
        self.panel, self.array, self.decimals, self.title = panel, array, decimals, title
        rows, columns = array.shape
        self.dense = columns > 8
        self.row_labels = [shortened(label, 12) for label in panel.rows]
        self.column_labels = [shortened(label, 7 if self.dense else 9) for label in panel.columns]
        self.label_width = max(inches(label, LABEL) for label in self.column_labels) + 0.1
        self.numbered = max(rows, columns) <= NUMBERED
        if self.numbered:
            self.number_size = 6.5 if self.dense else 9
            cell = self._cell()
        else:
            cell = ((LARGE_OF_MANY if small else LARGE) / max(rows, columns),) * 2
        self.cell_width = cell[0]
        self.width, self.height = columns * cell[0], rows * cell[1]
        self.beside = 0.3 + max(inches(label, LABEL) for label in self.row_labels)

    def _cell(self):
        """(width, height) of a cell that its number, and the label above it, fit into."""
        finite = self.array[np.isfinite(self.array)]
        ends = [finite.min(), finite.max()] if len(finite) else []
        number = max((inches(rounded(x, self.decimals), self.number_size) for x in ends), default=0)
        needed = max(self.label_width, min(number, 1) + 0.1)
        return (max(0.4, needed), 0.29) if self.dense else (max(0.62, needed), 0.45)

    def draw(self, ax):
        role, limit = ROLES[self.panel.role], self.panel.limit
        low = -limit if role.span[0] else 0
        image = ax.imshow(
            self.array, cmap=_colours(self.panel.role), vmin=low, vmax=limit, aspect="auto"
        )
        hidden = np.isnan(self.array)
        if self.numbered:
            self._write_numbers(ax, image)
            _hatch(ax, hidden)
            _part_cells(ax, *self.array.shape)
        elif hidden.any():  # too many to hatch: stripes, one cell to a pixel
            stripes = np.where(hidden, np.indices(hidden.shape).sum(0) % 4 < 2, np.nan)
            greys = ListedColormap([MASKED_LINES, MASKED])
            ax.imshow(stripes, cmap=greys, vmin=0, vmax=1, aspect="auto")
        ax.xaxis.tick_top()
        rows, columns = self.array.shape
        _name(ax.set_yticks, self.row_labels, math.ceil(rows / NUMBERED))
        apart = 1 if self.numbered else math.ceil(self.label_width / self.cell_width)
        _name(ax.set_xticks, self.column_labels, max(apart, math.ceil(columns / NUMBERED)))

    def _write_numbers(self, ax, image):
        shades = image.to_rgba(self.array)
        look = {"ha": "center", "va": "center", "size": self.number_size, "gid": "number"}
        for (i, j), x in np.ndenumerate(self.array):
            if not np.isnan(x):
                text = rounded(x, self.decimals)
                number = ax.text(j, i, text, color=_ink_on(shades[i, j]), **look)
                number.set_in_layout(False)  # it lies within the cells


def _name(set_ticks, labels, step):
    """Labels, some of them where there are many."""
    set_ticks(range(0, len(labels), step), labels[::step], parse_math=False)


def _hatch(ax, hidden):
    cells = [Rectangle((j - 0.5, i - 0.5), 1, 1) for i, j in np.argwhere(hidden)]
    if cells:
        look = {"hatch": "////", "edgecolor": MASKED_LINES, "facecolor": "none", "linewidth": 0}
        ax.add_collection(PatchCollection(cells, **look), autolim=False)


def _part_cells(ax, rows, columns):
    """White lines between the cells."""
    ax.hlines(np.arange(1, rows) - 0.5, -0.5, columns - 0.5, colors="white")
    ax.vlines(np.arange(1, columns) - 0.5, -0.5, rows - 0.5, colors="white")


@functools.cache
def _colours(role):
    low = [ROLES[role].low] if ROLES[role].span[0] else []
    return LinearSegmentedColormap.from_list(role, [*low, "#FFFFFF", ROLES[role].high], bad=MASKED)


def _ink_on(colour):
    """The colour of text that can be read on this one."""
    red, green, blue, _ = colour
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"
