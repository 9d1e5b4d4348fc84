"""Matrices side by side, as an Explorer shows them: what is drawn of each panel, and where it stands."""

from matplotlib.figure import Figure

from .chances import check_chances
from .frames import check_decimals, hide_masked, saying, to_array, to_panels
from .labels import Labels
from .offers import says_pale
from .picture import Picture, inches, style
from .tables import Table
from .text import as_text, head, rounded
from .word_panels import Bars, Lines

ACROSS = 4  # panels in a line, at most
WIDEST = 15  # inches; pages shrink what is wider until nobody can read it


def matrices(
    result,
    tokens,
    *,
    rows=None,
    columns=None,
    masked=None,
    limits=None,
    roles=None,
    bars=None,
    view=None,
    decimals=2,
):
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
    with style():
        parts = [part for panel, array in pairs for part in _parts(panel, array, decimals)]
        figure = _side_by_side(parts, "     ".join([*numbers, *pale, *([note] if note else [])]))
    return Picture(figure, "\n".join([as_text(p, a, decimals) for p, a in pairs] + numbers))


def _parts(panel, array, decimals):
    """What is drawn of a panel: one thing, or a table for each head."""
    if panel.role == "chances":
        return [Bars(panel, array, decimals)]
    if panel.view == "lines":
        return [Lines(panel, array)]
    if array.ndim == 2:
        return [Table(panel, array, decimals, panel.name)]
    small = len(array) >= ACROSS
    titles = [f"{panel.name}, {head(h)}" for h in range(len(array))]
    return [Table(panel, a, decimals, title, small) for a, title in zip(array, titles)]


def _side_by_side(parts, below):
    """The figure of the parts, in lines of at most four that are no wider than a page; words below.

    Each part has .title, .width and .height (inches, without its labels), .beside (inches that
    its labels take) and .draw(axes).
    """
    rooms = [max(part.width, inches(part.title, 12)) for part in parts]
    spaces = [part.beside + room for part, room in zip(parts, rooms)]
    for across in range(min(len(parts), ACROSS), 0, -1):
        if sum(max(spaces[k::across]) for k in range(across)) <= WIDEST:
            break
    widths = [max(rooms[k::across]) for k in range(across)]
    lines = [parts[i : i + across] for i in range(0, len(parts), across)]
    heights = [max(part.height for part in line) for line in lines]
    figure = Figure(figsize=(sum(spaces) + 1, sum(heights) + 2), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.06, wspace=0, hspace=0)
    ratios = {"width_ratios": widths, "height_ratios": heights}
    axes = figure.subplots(len(lines), across, squeeze=False, gridspec_kw=ratios)
    for part, ax in zip(parts, axes.flat):
        ax.set_title(part.title, loc="left", parse_math=False)
        ax.set_box_aspect(part.height / part.width)
        ax.set_anchor("NW")
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0, labelsize=9)
        part.draw(ax)
    for ax in axes.flat[len(parts) :]:
        ax.remove()
    if below:
        figure.supxlabel(below, x=0.01, ha="left", fontsize=9, parse_math=False)
    _fit_page(figure, axes, sum(widths), sum(heights))
    return figure


def _fit_page(figure, axes, width, height):
    """Make the page so large that all axes together have this width and height.

    What labels and titles take is known once they have been laid out; it does not grow with the page.
    """
    figure.draw_without_rendering()
    page = figure.get_size_inches()
    across = sum(ax.get_position(original=True).width for ax in axes[0]) * page[0]
    down = sum(ax.get_position(original=True).height for ax in axes[:, 0]) * page[1]
    figure.set_size_inches(page[0] + width - across, page[1] + height - down)
