"""Matrices as coloured tables, side by side, as an Explorer shows them."""

from .chances import check_chances
from .frames import check_decimals, hide_masked, saying, to_array, to_panels
from .heatmaps import heatmaps
from .labels import Labels
from .offers import says_pale
from .picture import Picture, style
from .text import as_text, rounded


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
    numbers = numbers or {}
    grids = [part for pair in pairs for part in _parts(*pair)]
    below = [f"{name} = {rounded(x, decimals)}" for name, x in numbers.items()]
    pale = [f"{p.name}: {says}" for p, a in pairs if p.is_picture and (says := says_pale(p, a))]
    with style():
        figure = heatmaps(grids, decimals, "     ".join([*below, *pale, *([note] if note else [])]))
    return Picture(figure, "\n".join([as_text(p, a, decimals) for p, a in pairs] + below))


def _parts(panel, array):
    """(panel, array, title) of each head, or of all of them where these share a picture."""
    if array.ndim == 2 or panel.view == "lines":
        return [(panel, array, panel.name)]
    return [(panel, a, f"{panel.name}, head {h + 1}") for h, a in enumerate(array)]
