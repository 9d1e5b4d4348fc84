"""Matrices side by side, as in an Explorer: what is drawn of each panel, and where."""

from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure

from .frames import check_decimals, checked, saying, to_array, to_panels
from .labels import Labels
from .picture import APART, SMALL, WIDEST, Picture, inches, style
from .roles import with_scales
from .stills import drawing_of
from .text import as_text, rounded

ACROSS = 4  # panels in a row, at most
ABOVE, BELOW = 0.55, 0.25  # inches: for titles and labels, and for words


def matrices(
    result, tokens, *, rows=None, columns=None, masked=None, limits=None, roles=None, view=None,
    decimals=2,
):  # fmt: skip
    """Named matrices side by side, as an Explorer shows them: {"scores": …, "weights": …}.

    result    a matrix (tokens, tokens), or a dict of matrices; (heads, rows, columns) for several heads
    masked    (queries, keys), True where a cell is hatched
    The other arguments are those of Explorer. Raises ValueError or TypeError as Explorer does.
    """
    with saying("matrices"):
        check_decimals(decimals)
        arrays, numbers = to_panels(result)
        hidden = None if masked is None else to_array("masked", masked).astype(bool)
        named = Labels(tokens, rows, columns, roles, limits, view=view).panels(arrays)
        shown, drawn = zip(*(checked(panel, arrays[panel.name], hidden) for panel in named))
    return panels(list(zip(with_scales(shown, drawn), drawn)), numbers, decimals)


def panels(pairs, numbers=None, decimals=2, note=""):
    """The picture of (Panel, array) pairs, NaN hatched; `numbers` and `note` are written below."""
    numbers = [f"{name} = {rounded(x, decimals)}" for name, x in (numbers or {}).items()]
    below = [*numbers, note]
    with style():
        drawings = [drawing for pair in pairs for drawing in _drawings(*pair, decimals)]
        figure = side_by_side(drawings, "     ".join(filter(None, below)))
    return Picture(figure, "\n".join([as_text(p, a, decimals) for p, a in pairs] + numbers))


def _drawings(panel, array, decimals):
    """Everything to draw of a panel, as Drawings."""
    view = panel.looks()[panel.view]
    if view.shapes:
        x = array.reshape(-1, *array.shape[-2:], 1).astype(float)  # one setting
        moving, setting = panel.moving or (replace(panel, x=x), 0)
        sheets = view.sheets(replace(moving, decimals=decimals))
        stills = [drawing_of(shapes, setting) for shapes in sheets]
    else:
        few = {"small": True} if array.ndim == 3 and len(array) >= ACROSS else {}
        each = array if array.ndim == 3 else array[None]
        stills = [view.still(panel, matrix, decimals, **few) for matrix in each]
    names = panel.heads if len(stills) == len(panel.heads) else [""]
    for still, name in zip(stills, names, strict=True):
        yield replace(still, title=f"{panel.name}, {name}" if name else panel.name)


def side_by_side(drawings, below):
    """A figure of these Drawings, ACROSS in a row if the page is wide enough; `below` is text.

    All axes in a row, and in a column, have the same size; a smaller drawing is at their upper
    left.
    """
    lefts, heights = (np.array([getattr(d, x) for d in drawings]) for x in ("left", "height"))
    widths = np.array([max(d.width, inches(d.title, 12)) for d in drawings])
    for across in range(min(len(drawings), ACROSS), 0, -1):
        columns = [widths[k::across].max() for k in range(across)]
        page = sum(columns) + sum(lefts[k::across].max() + APART for k in range(across))
        if page <= WIDEST:
            break
    lines = [heights[k : k + across].max() for k in range(0, len(heights), across)]
    height = sum(lines) + ABOVE * len(lines) + (BELOW if below else 0)
    figure = Figure((page, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=APART / 4, h_pad=0.06)
    ratios = {"width_ratios": columns, "height_ratios": lines}
    axes = figure.subplots(len(lines), across, squeeze=False, gridspec_kw=ratios).ravel()
    for k, drawing in enumerate(drawings):
        ax = axes[k]
        ax.tick_params(length=0, labelsize=SMALL)
        drawing.draw(ax)
        ax.spines[:].set_visible(False)
        if not ax.get_xlabel():
            ax.xaxis.tick_top()
        ax.set_title(drawing.title, parse_math=False)
        (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
        ax.set_xlim(left, left + (right - left) * columns[k % across] / drawing.width)
        ax.set_ylim(top + (bottom - top) * lines[k // across] / drawing.height, top)
    for ax in axes[len(drawings) :]:
        ax.remove()
    if below:
        figure.supxlabel(below, x=0, ha="left", fontsize=SMALL, parse_math=False)
    return figure
