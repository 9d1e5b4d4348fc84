"""The figure of matrices side by side, each with its labels and numbers, laid out to the inch.

Every Explorer draws one when its cell runs, for pages that show no widgets. Laid out by hand, it takes
about a third of the time that it takes with matplotlib's ticks and layout engine.
"""

import functools
import math

import numpy as np
from matplotlib import rcParams
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.colors import LinearSegmentedColormap, ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .measures import GAP, LABEL, length, longest
from .roles import INK, MASKED, MASKED_LINES, ROLES
from .text import rounded, shortened
from .words import Bars, Lines

ACROSS = 4  # grids in a line, at most
WIDEST = 15  # inches; pages shrink what is wider until nobody can read it
NUMBERED = 16  # rows and columns: up to here, cells have numbers
NOTE = 9  # points
OVER, UNDER = 0.55, 0.12  # inches: for the title and the columns' labels, and below
TITLE_AT, COLUMNS_AT = 0.29, 0.05  # inches: above the cells
LARGE, LARGE_OF_MANY = 4.6, 2.6  # inches: the longer side of a matrix without numbers


class Grid:
    """A matrix and its labels, measured in inches.

    panel     a Panel: its labels, role and limit
    array     (rows, columns), NaN where masked
    """

    def __init__(self, panel, array, title, decimals, large):
        self.panel, self.array, self.title, self.decimals = panel, array, title, decimals
        rows, columns = array.shape
        self.numbered = max(rows, columns) <= NUMBERED
        self.dense = columns > 8
        self.number_size = 6.5 if self.dense else 9
        letters = 7 if self.dense else 9
        self.rows, self.columns = _some(panel.rows, 12), _some(panel.columns, letters)
        if self.numbered:
            self.cell = self._cell()
        else:
            side = large / max(rows, columns)
            self.cell = side, side
            apart = longest(self.columns.values(), LABEL) + GAP / 2
            self.columns = _some(panel.columns, letters, math.ceil(apart / side))
        self.width, self.height = columns * self.cell[0], rows * self.cell[1]
        font = rcParams["axes.titlesize"], rcParams["axes.titleweight"]
        beyond = (length(self.title, *font) - self.width) / 2
        self.left = GAP + max(longest(self.rows.values(), LABEL) + GAP, beyond)
        self.right = GAP + max(0, beyond)
        self.space = self.left + self.width + self.right

    def _cell(self):
        """(width, height) of a cell that its number, and the label above it, fit into."""
        finite = self.array[np.isfinite(self.array)]
        ends = [finite.min(), finite.max()] if len(finite) else []
        number = longest([rounded(x, self.decimals) for x in ends], self.number_size)
        needed = GAP + max(longest(self.columns.values(), LABEL), min(number, 1))
        return (max(0.4, needed), 0.29) if self.dense else (max(0.62, needed), 0.45)

    def draw(self, figure, left, bottom):
        _draw(figure, self, left, bottom)


def heatmaps(matrices, decimals, note):
    """The figure of [(panel, array, title), …], in lines of at most four; `note` stands below.

    Of lines, an array has all heads.

    Its texts are measured in the style at hand: draw it in the same one.
    """
    large = LARGE if len(matrices) < ACROSS else LARGE_OF_MANY
    grids = [_part_of(*matrix, decimals, large) for matrix in matrices]
    columns = _columns([grid.space for grid in grids])
    lines = [grids[i : i + len(columns)] for i in range(0, len(grids), len(columns))]
    heights = [OVER + max(grid.height for grid in line) + UNDER for line in lines]
    under = length(note, NOTE) + 2 * GAP
    foot = NOTE / 72 + GAP if note else 0
    figure = Figure(figsize=(max(sum(columns), under), sum(heights) + foot))
    top = sum(heights) + foot
    for line, height in zip(lines, heights):
        left = 0
        for grid, width in zip(line, columns):
            grid.draw(figure, left + grid.left, top - OVER - grid.height)
            left += width
        top -= height
    if note:
        at = {"x": GAP / figure.get_figwidth(), "y": GAP / figure.get_figheight()}
        figure.supxlabel(note, **at, fontsize=NOTE, ha="left", va="bottom", parse_math=False)
    return figure


def _part_of(panel, array, title, decimals, large):
    """A Grid, or where the panel is seen otherwise, its Bars or Lines."""
    if panel.role == "chances":
        return Bars(panel, array, title, decimals)
    if panel.view == "lines":
        return Lines(panel, array, title)
    return Grid(panel, array, title, decimals, large)


def _columns(widths):
    """The widths of the columns that the grids stand in: at most four, no wider than a page."""
    for across in range(min(len(widths), ACROSS), 0, -1):
        columns = [max(widths[k::across]) for k in range(across)]
        if sum(columns) <= WIDEST:
            break
    return columns


def _draw(figure, grid, left, bottom):
    """Axes whose lower left corner is there: inches from the figure's."""
    width, height = figure.get_size_inches()
    rows, columns = grid.array.shape
    place = [left / width, bottom / height, grid.width / width, grid.height / height]
    ax = figure.add_axes(place, xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5))
    ax.set_axis_off()
    ax.set_title(grid.title, y=1 + TITLE_AT / grid.height, pad=0, parse_math=False)
    role, limit = grid.panel.role, grid.panel.limit
    scale = {"cmap": _colours(role), "vmin": -limit if ROLES[role].span[0] else 0, "vmax": limit}
    whole = {"aspect": "auto", "extent": (-0.5, columns - 0.5, rows - 0.5, -0.5)}
    image = ax.imshow(grid.array, **scale, **whole)
    hidden = np.isnan(grid.array)
    if grid.numbered:
        _write_numbers(ax, grid, image)
        _hatch(ax, hidden)
        _part(ax, rows, columns)
    elif hidden.any():  # too many to hatch: stripes, one cell to a pixel
        stripes = np.where(hidden, np.indices(grid.array.shape).sum(0) % 4 < 2, np.nan)
        ax.imshow(stripes, cmap=ListedColormap([MASKED_LINES, MASKED]), vmin=0, vmax=1, **whole)
    label = {"size": LABEL, "parse_math": False}
    left, above = -0.5 - GAP / grid.cell[0], -0.5 - COLUMNS_AT / grid.cell[1]
    for j, text in grid.columns.items():
        ax.text(j, above, text, ha="center", va="bottom", gid="column", **label)
    for i, text in grid.rows.items():
        ax.text(left, i, text, ha="right", va="center", gid="row", **label)


def _write_numbers(ax, grid, image):
    shades = image.to_rgba(grid.array)
    centred = {"ha": "center", "va": "center", "size": grid.number_size, "gid": "number"}
    for (i, j), x in np.ndenumerate(grid.array):
        if not np.isnan(x):
            ax.text(j, i, rounded(x, grid.decimals), color=_ink_on(shades[i, j]), **centred)


def _hatch(ax, hidden):
    cells = [Rectangle((j - 0.5, i - 0.5), 1, 1) for i, j in np.argwhere(hidden)]
    if cells:
        lines = {"hatch": "////", "edgecolor": MASKED_LINES, "facecolor": "none", "linewidth": 0}
        ax.add_collection(PatchCollection(cells, **lines), autolim=False)


def _part(ax, rows, columns):
    """White lines between the cells."""
    down = [[(j - 0.5, -0.5), (j - 0.5, rows - 0.5)] for j in range(1, columns)]
    across = [[(-0.5, i - 0.5), (columns - 0.5, i - 0.5)] for i in range(1, rows)]
    ax.add_collection(LineCollection(down + across, colors="white", linewidths=2), autolim=False)


@functools.cache
def _colours(role):
    low = [ROLES[role].low] if ROLES[role].span[0] else []
    return LinearSegmentedColormap.from_list(role, [*low, "#FFFFFF", ROLES[role].high], bad=MASKED)


def _ink_on(colour):
    """The colour of text that can be read on this one."""
    red, green, blue, _ = colour
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"


def _some(labels, letters, step=1):
    """{index: label}, at most 16 of them and at least `step` apart, cut to so many letters."""
    step = max(step, math.ceil(len(labels) / 16))
    return {i: shortened(labels[i], letters) for i in range(0, len(labels), step)}
