"""The views in which a panel can be shown: the one table for the page and for still pictures.

A new view is a row of this table, a drawing for stills (`still`), and a file of its name in
explorer/js that draws it on the page (js/views.js lists these).
"""

from collections.abc import Callable
from dataclasses import dataclass

from .. import _
from .planes import arrows_of, chart_of
from .tables import table_of
from .trees import tree_of
from .word_panels import arcs_of, bars_of, lines_of


@dataclass(frozen=True)
class View:
    """A way to show a panel.

    name      on the button that chooses it
    icon      the path on that button, in a square of 16
    fits      whether a panel can be shown so
    needs     the same in words
    still     returns the Drawing of (panel, matrix, decimals) for a picture
    axes      how queries and keys lie in it, each in its colour
    point     what the read-out says while nothing is pointed at
    heads     whether the still of several heads has a drawing for each; else these are tables
    offered   whether the page offers it although the notebook has not asked for it
    """

    name: str
    icon: str
    fits: Callable
    needs: str
    still: Callable
    axes: tuple
    point: str
    heads: bool = False
    offered: bool = True


def _is_weights(panel):
    return panel.role == "weights" and not panel.is_picture


def _is_distribution(panel):
    return panel.role == "probabilities"


def _is_one_sentence(panel):
    """Whether the queries are among the keys, so that each word needs to be written only once."""
    rows, columns = panel.rows, panel.columns
    return rows == columns or all(columns.count(word) == 1 for word in rows)


def _is_plane(panel):
    return panel.role == "vectors" and panel.shape[-1] == 2 and not panel.is_picture


VIEWS = {
    "table": View(
        _("table"),
        "M2 3h12v10H2zM2 6.3h12M2 9.6h12M6 3v10M10 3v10",
        lambda panel: panel.role != "probabilities",
        _("numbers that are not probabilities"),
        table_of,
        (_("query ↓"), _("key →")),
        _("Point at a cell, tap it, or reach it with Tab and the arrow keys."),
        heads=True,
    ),
    "bars": View(
        _("bars"),
        "M3 2v12M3 4.5h10M3 8h6M3 11.5h3",
        _is_distribution,
        _("probabilities"),
        bars_of,
        (),
        _("Point at a bar, tap it, or reach it with Tab and the arrow keys."),
    ),
    "lines": View(
        _("lines"),
        "M3 2.5v11M13 2.5v11M3 4l10 8M3 8h10M3 12l10-8",
        _is_weights,
        _("weights, at most 16 × 16"),
        lines_of,
        (_("query ←"), _("→ key")),
        _("Point at a word, tap it, or reach it with Tab and the arrow keys."),
    ),
    "arcs": View(
        _("arcs"),
        "M2 13h12M3 11c0-9 9-9 9 0M3 11c0-4 4.5-4 4.5 0",
        lambda panel: _is_weights(panel) and _is_one_sentence(panel),
        _("weights, at most 16 × 16, whose queries are among the keys"),
        arcs_of,
        (_("from query"), _("to key")),
        _("Point at a word, tap it, or reach it with Tab and the arrow keys."),
    ),
    "arrows": View(
        _("arrows"),
        "M3 2v11h11M3 13l9-8M12 9V5H8",
        _is_plane,
        _("vectors with two components"),
        arrows_of,
        (),
        _("Point at an arrow, tap it, or reach it with Tab and the arrow keys."),
        heads=True,
        offered=False,
    ),
    "chart": View(
        _("chart"),
        "M3 2v11h11M4.5 11c3 0 3-7 8.5-7",
        lambda panel: panel.shape == (1, 1),
        _("a number"),
        chart_of,
        (),
        _("Point at a curve, tap it, or reach it with Tab and the arrow keys."),
        offered=False,
    ),
    "tree": View(
        _("tree"),
        "M2 8h4M6 8c3 0 2-5 5-5h3M6 8c3 0 2 5 5 5h3M6 8h8",
        _is_distribution,
        _("probabilities"),
        tree_of,
        (),
        _("Point at the end of a branch, tap it, or reach it with Tab and the arrow keys."),
        offered=False,
    ),
}
