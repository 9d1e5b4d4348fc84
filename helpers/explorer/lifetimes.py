"""An Explorer lives as long as the output it is in: its cell, run again, closes the one before.

ipywidgets keep every widget until the kernel ends, in the kernel and in the browser; sweeps of many
megabytes would pile up as a learner runs a cell again and again. What goes on is where its controls
stood: who changes a line and runs the cell again wants to see the same place.
"""

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
