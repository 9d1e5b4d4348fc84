"""The views in which a panel can be shown: the one table for the page and for still pictures.

A new view is a row of this table, and a function from numbers to shapes (`shapes`) in drawings.py.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from .. import _
from .drawings import arcs, lines
from .shapes import drawn
from .tables import table_of
from .word_panels import bars_of


@dataclass(frozen=True)
class View:
    """A way to show a panel.

    name      on the button that chooses it
    axes      how queries and keys lie in it, each in its colour
    shapes    the function from the numbers of a panel to shapes; None if it is not drawn so
    still     otherwise, what returns the Drawing of (panel, matrix, decimals) for a picture
    stretch   how many times wider than its shapes it may become on the page. It then becomes as
              narrow as the page, too, while words and heights stay; 0 if it does not
    even      whether heights follow when it becomes wider or narrower, as in a plane
    heads     whether each head has a drawing of its own
    """

    name: str
    axes: tuple = ()
    shapes: Callable | None = None
    still: Callable | None = None
    stretch: float = 0
    even: bool = False
    heads: bool = False

    def sheets(self, panel):
        """The shapes of each drawing of a panel with `x`: of all heads together, or of each."""
        if not self.heads:
            return [drawn(self.shapes, panel)]
        return [
            _of_head(drawn(self.shapes, replace(panel, x=panel.x[h : h + 1])), h)
            for h in range(len(panel.x))
        ]


def _of_head(shapes, head):
    """The shapes that were drawn for the only head, as those of this one."""
    mine = [shape.cell[0] is not None for shape in shapes]
    cells = [(head, *shape.cell[1:]) if own else shape.cell for shape, own in zip(shapes, mine)]
    return [replace(shape, cell=cell) for shape, cell in zip(shapes, cells)]


VIEWS = {
    "table": View(_("table"), (_("query ↓"), _("key →")), still=table_of, heads=True),
    "bars": View(_("bars"), still=bars_of),
    "lines": View(_("lines"), (_("query ←"), _("→ key")), shapes=lines, stretch=2.4, heads=True),
    "arcs": View(_("arcs"), (_("from query"), _("to key")), shapes=arcs, stretch=1.4, heads=True),
}


def views_that_fit(panel):
    """The names of those of VIEWS that show a panel."""
    if panel.role == "probabilities":
        return ["bars"]
    if panel.role != "weights" or panel.is_picture:
        return ["table"]
    # Arcs write each word once, as a query and as a key.
    return ["table", "lines", "arcs"] if panel.rows == panel.columns else ["table", "lines"]


def own_view(function):
    """The View of a function that the notebook names, from the numbers of a panel to shapes."""
    return View(
        getattr(function, "title", function.__name__.replace("_", " ")),
        shapes=function,
        stretch=getattr(function, "stretch", 0),
        even=getattr(function, "even", False),
        heads=getattr(function, "heads", False),
    )
