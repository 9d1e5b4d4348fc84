"""Matrices side by side, as an Explorer shows them: what is drawn of each panel, and where it stands."""

from functools import partial

import numpy as np
from matplotlib.figure import Figure

from .chances import check_chances
from .frames import check_decimals, hide_masked, saying, to_array, to_panels
from .labels import Labels
from .offers import says_pale
from .picture import Picture, inches, style
from .tables import draw_table
from .text import as_text, head, rounded
from .word_panels import draw_bars, draw_lines

ACROSS = 4  # panels in a line, at most
ABOVE, BELOW, APART = (
    0.6,
    0.4,
    0.25,
)  # inches: room for titles and labels, for words, and for nothing
WIDEST = 15  # inches; pages shrink what is wider until nobody can read it


def matrices(
    result, tokens, *, rows=None, columns=None, masked=None, limits=None, roles=None, bars=None,
    view=None, decimals=2,
):  # fmt: skip
    """Named matrices side by side, as an Explorer shows them: {"scores": …, "weights": …}.

    result    a matrix (tokens, tokens), or a dict of matrices; (heads, rows, columns) for several heads
    masked    True where a cell is hatched: (queries, keys)
    bars, view   chances as bars beside their words, weights as lines between words
    The other arguments are those of Explorer. Raises ValueError or TypeError as it does.
    """
    with saying("matrices"):
        check_decimals(decimals)
        arrays, numbers = to_panels(result)
        hidden = None if masked is None else to_array("masked", masked).astype(bool)
        shown = Labels(tokens, rows, columns, roles, limits, bars, view).panels(arrays)
        pairs = [(panel, hide_masked(panel, arrays[panel.name], hidden)) for panel in shown]
        for panel, array in pairs:
            if panel.role == "chances":
                check_chances(panel, array)
    return panels(pairs, numbers, decimals)


def panels(pairs, numbers=None, decimals=2, note=""):
    """The picture of (Panel, array) pairs, NaN hatched; `numbers` and `note` stand underneath."""
    numbers = [f"{name} = {rounded(x, decimals)}" for name, x in (numbers or {}).items()]
    pale = [f"{p.name}: {says}" for p, a in pairs if p.is_picture and (says := says_pale(p, a))]
    drawings = [drawing for pair in pairs for drawing in _drawings(*pair, decimals)]
    with style():
        figure = _side_by_side(drawings, "     ".join([*numbers, *pale, note]).strip())
    return Picture(figure, "\n".join([as_text(p, a, decimals) for p, a in pairs] + numbers))


def _drawings(panel, array, decimals):
    """(title, function that draws on axes and returns its size) of each thing to draw of a panel."""
    if panel.role == "chances":
        yield panel.name, partial(draw_bars, panel, array, decimals)
    elif panel.view == "lines":
        yield panel.name, partial(draw_lines, panel, array)
    elif array.ndim == 2:
        yield panel.name, partial(draw_table, panel, array, decimals)
    else:
        for h, matrix in enumerate(array):
            draw = partial(draw_table, panel, matrix, decimals, small=len(array) >= ACROSS)
            yield f"{panel.name}, {head(h)}", draw


def _side_by_side(drawings, below):
    """The figure of these, in lines of at most four that are no wider than a page; words below.

    Each drawing knows its size in inches, so its place can be worked out: a layout engine, which
    measures every text several times, would take twice as long.
    """
    figure = Figure()
    widths, heights, lefts, rights = (
        [],
        [],
        [],
        [],
    )  # inches; lefts: labels, rights: axes and labels
    for title, draw in drawings:
        ax = figure.add_axes((0, 0, 1, 1))
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0, labelsize=9)
        width, height, left, right = draw(ax)
        ax.set_title(title, loc="left", parse_math=False)
        widths.append(width)
        heights.append(height)
        lefts.append(left)
        rights.append(max(width + right, inches(title, 12)) + APART)
    for across in range(min(len(drawings), ACROSS), 0, -1):
        columns = [max(lefts[k::across]) + max(rights[k::across]) for k in range(across)]
        if sum(columns) <= WIDEST:
            break
    lines = [ABOVE + max(heights[k : k + across]) for k in range(0, len(heights), across)]
    page = sum(columns), sum(lines) + (BELOW if below else 0)
    figure.set_size_inches(page)
    for k, ax in enumerate(figure.axes):
        line, column = divmod(k, across)
        left = sum(columns[:column]) + max(lefts[column::across])
        bottom = page[1] - sum(lines[:line]) - ABOVE - heights[k]
        ax.set_position(np.divide([left, bottom, widths[k], heights[k]], page * 2))
    if below:
        look = {"ha": "left", "va": "bottom", "fontsize": 9, "parse_math": False}
        figure.supxlabel(below, x=0.01, y=0, **look)
    return figure
