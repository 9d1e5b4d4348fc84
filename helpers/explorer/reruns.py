"""A cell that is run again: its Explorers of the run before are closed, and hand on their values.

ipywidgets hold every widget until the kernel ends, in the kernel and in the browser. As a learner
runs a cell again and again, sweeps of many megabytes would pile up. So an Explorer lives only as
long as the output that shows it. The values of its controls are passed on to its successor, since
somebody who changes a line and runs the cell again wants to see the same frame.
"""

from dataclasses import dataclass

from IPython import get_ipython


@dataclass(frozen=True)
class Here:
    """The ids of the cell that runs, and of this execution of it; None outside a notebook."""

    cell: str | None
    execution: str | None


@dataclass
class Runs:
    """The Explorers that a cell made: in the run before, and in this one."""

    execution: str | None
    before: list
    now: list

    def controls_before(self):
        """The controls of what the run before made in place of the next Explorer."""
        place = len(self.now)
        return self.before[place].controls if place < len(self.before) else []


_runs = {}  # id of a cell → its Runs


def here():
    """The place of the code that runs."""
    parent = getattr(get_ipython(), "get_parent", dict)() or {}
    return Here(parent.get("metadata", {}).get("cellId"), parent.get("header", {}).get("msg_id"))


def of_this_cell():
    """The Runs of this cell; outside a notebook, nothing is remembered."""
    at = here()
    if at.cell is None:
        return Runs(None, [], [])
    last = _runs.get(at.cell, Runs(None, [], []))
    if last.execution != at.execution:
        shown = last.now or last.before  # a run that failed created none, so nothing is lost
        _runs[at.cell] = Runs(at.execution, shown, [])
    return _runs[at.cell]
