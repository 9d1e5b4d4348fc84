"""An Explorer lives as long as the output it is in: its cell, run again, closes the one before.

ipywidgets keep every widget until the kernel ends, in the kernel and in the browser; sweeps of many
megabytes would pile up as a learner runs a cell again and again. What goes on is where its controls
stood: who changes a line and runs the cell again wants to see the same place.
"""

import ipywidgets as widgets
from IPython import get_ipython

_made = {}  # by the id of a cell: (execution, Explorer) of what it made last
_before = {}  # by the id of a cell: (execution, controls of each Explorer that an earlier one made)


def here():
    """(id of the cell, id of this execution of it); (None, None) outside a notebook."""
    parent = getattr(get_ipython(), "get_parent", dict)() or {}
    return parent.get("metadata", {}).get("cellId"), parent.get("header", {}).get("msg_id")


def resume(controls):
    """Put controls where an earlier run of the same cell left those that are the same."""
    cell, execution = here()
    if cell is None:
        return
    made = _made.get(cell, [])
    if (
        _before.get(cell, (None,))[0] != execution
    ):  # its first Explorer: those of before still stand
        _before[cell] = execution, [old.controls for run, old in made if run != execution]
    earlier, place = _before[cell][1], sum(run == execution for run, _ in made)
    for old in earlier[place] if place < len(earlier) else []:
        for new in controls:
            if new.is_like(old):
                new.resume(old)


def made(explorer):
    """Note who made it, and close what an earlier run of the same cell made and showed only there."""
    cell, execution = here()
    if cell is None:
        return
    kept = []
    for run, old in _made.get(cell, []):
        if run == execution or old.shown_in - {cell}:
            kept.append((run, old))
        else:
            old.close()
    _made[cell] = [*kept, (execution, explorer)]


class LivingBox(widgets.VBox):
    """What lives as long as its output: an Explorer, or Inside.

    One that inherits has a `view` (MatrixView), the `_film` it shows, `controls`, and `_still()`: the
    Picture that stands in the output where there is no browser.
    """

    _parts = ()  # all widgets that were made for it

    def _begin(self, children, parts):
        """Show the children; parts are the widgets made for it that are not noted in _parts yet."""
        super().__init__(children)
        self.add_class("attention-explorer")
        self._parts = [*self._parts, *parts]
        self.shown_in = set()  # ids of cells
        made(self)

    def close(self):
        """Free what it holds, in the kernel and in the browser; widgets given as controls stay."""
        if self._parts:
            self.view.forget()
            self._film = None
        for widget in self._parts:
            for part in (getattr(widget, "layout", None), getattr(widget, "style", None), widget):
                if part is not None:
                    part.close()
        super().close()

    def _repr_mimebundle_(self, **kwargs):
        self.shown_in.add(here()[0])
        data = super()._repr_mimebundle_(**kwargs)
        picture = self._still()
        picture.text = repr(self)
        still, about = picture._repr_mimebundle_()
        _, for_colab = self.view._repr_mimebundle_()  # where Colab finds what runs our script
        return data | still, for_colab | about
