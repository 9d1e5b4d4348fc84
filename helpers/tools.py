"""Small tools for notebooks: a progress bar, a stopwatch, tracebacks of the learner's own lines.

Modules that only a notebook needs are imported where they are used, so `import helpers` stays fast
outside notebooks.
"""

import copy
import linecache
import sys
import time
import timeit
import traceback
from types import TracebackType

from . import _

VIEW = "application/vnd.jupyter.widget-view+json"
REDRAWS = 50  # a bar need not move more often than this
REFUSALS = (TypeError, ValueError, KeyError)  # the errors that helpers raise for learners


def steps(n):
    """0, 1, … n - 1, with a progress bar, which disappears at the end or at an error.

    Its disappearance clears the cell's output, so print after the loop, not in it. Outside a
    notebook there is no bar.
    """
    return over(range(n), n, _("training"))


def over(items, n, doing, after=0.0):
    """The n items, with a bar labelled `doing` if they take more than `after` seconds."""
    return _with_bar(items, n, doing, after) if hasattr(_shell(), "kernel") else iter(items)


def _with_bar(items, n, doing, after):
    import ipywidgets as widgets
    from IPython.display import clear_output, display

    start, bar = time.monotonic(), None
    try:
        for step, item in enumerate(items):
            if bar is None and time.monotonic() - start >= after:
                bar = widgets.IntProgress(step, 0, max(1, n), description=doing)
                bar.style.description_width = "initial"
                # Only the view: a text beside it would be stored with the notebook.
                display(view_of(bar), raw=True)
            if bar and step % max(1, n // REDRAWS) == 0:
                bar.value = step
            yield item
    finally:
        if bar:
            bar.close()
            clear_output()


def view_of(widget):
    """What a notebook is sent to show a widget, with no text: ipywidgets 7 has no method that tells."""
    return {VIEW: {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}}


def milliseconds(act, repeat=7):
    """The milliseconds that act() takes: the fastest of several runs, as delays only add time."""
    return 1000 * min(timeit.repeat(act, number=1, repeat=repeat))


def shorten_tracebacks():
    """From now on, errors that helpers raise on purpose show only the learner's own lines.

    IPython's `__tracebackhide__` would still show our last line, and a note for each gap. `%tb`
    shows all lines. Nothing changes outside IPython, or where errors have a custom handler already.
    """
    shell = _shell()
    if shell and not shell.custom_exceptions:
        shell.set_custom_exc(REFUSALS, _show_own_lines)


def _show_own_lines(shell, kind, error, tb, tb_offset=None):
    """An IPython error handler; errors that helpers did not raise on purpose are shown in full."""
    shown, short = error, tb
    *_others, (last, number) = traceback.walk_tb(tb)
    line = linecache.getline(last.f_code.co_filename, number).strip()
    if last.f_globals.get("__name__", "").startswith("helpers.") and line.startswith("raise "):
        inner = error.__cause__.__traceback__ if error.__cause__ else None
        own = [*_own_lines(tb.tb_next), *_own_lines(inner)]
        shown, short = copy.copy(error), None  # a copy: the cause would be shown, too
        for entry in reversed([tb, *own]):  # IPython leaves out the first entry, its own
            short = TracebackType(short, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    shell.showtraceback((kind, shown, short), tb_offset=tb_offset, running_compiled_code=True)
    sys.last_type, sys.last_value, sys.last_traceback = kind, error, tb  # what %tb shows
    sys.last_exc = error


def _own_lines(tb):
    """The entries of a traceback that are in the notebook."""
    while tb:
        if tb.tb_frame.f_globals.get("__name__") == "__main__":
            yield tb
        tb = tb.tb_next


def _shell():
    """IPython's shell, or None."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
