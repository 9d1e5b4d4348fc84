"""A cell that is run again: the Explorers that it showed in the run before are closed.

ipywidgets hold every widget until the kernel ends, in the kernel and in the browser. As a learner
runs a cell again and again, sweeps of many megabytes would pile up. So an Explorer lives only as
long as the output that shows it.
"""

from dataclasses import dataclass

from IPython import get_ipython


@dataclass(frozen=True)
class Here:
    """The ids of the cell that runs, and of this execution of it; None outside a notebook."""

    cell: str | None
    execution: str | None


_made = {}  # id of a cell → {Explorer: the execution that made it}


def here():
    """The place of the code that runs."""
    parent = getattr(get_ipython(), "get_parent", dict)() or {}
    return Here(parent.get("metadata", {}).get("cellId"), parent.get("header", {}).get("msg_id"))


def replace_with(explorer):
    """Close what other runs of this cell have made, unless another cell shows it, too."""
    at = here()
    if at.cell is None:
        return
    made = _made.get(at.cell, {})
    for old, execution in made.items():
        if execution != at.execution and not old.shown_in - {at.cell}:
            old.close()
    now = {old: execution for old, execution in made.items() if execution == at.execution}
    _made[at.cell] = now | {explorer: at.execution}
