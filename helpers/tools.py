"""What notebooks use in passing: a progress bar, a stopwatch, tracebacks of the learner's own lines.

What only a notebook needs is imported where it is used: `import helpers` stays quick without one.
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
REDRAWS = 50  # a bar need not move more often
REFUSALS = (TypeError, ValueError, KeyError)  # the kinds that helpers raises at a learner


def steps(n):
    """0, 1, … n - 1, with a bar above that moves along, and is gone at the end or at an error.

    It clears the cell's output when it goes: print after the loop, not in it. Outside a notebook
    there is no bar.
    """
    return over(range(n), n, _("training"))


def over(items, n, doing, after=0.0):
    """The n items; a bar that says what it is doing, if they take more than `after` seconds."""
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
                # The view alone, with no text beside it that a saved notebook could keep.
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
    """The milliseconds that act() takes: the fastest of several runs, for what else runs only adds."""
    return 1000 * min(timeit.repeat(act, number=1, repeat=repeat))


def megabytes(form, x):
    """The megabytes (10^6 bytes) that form(x) keeps for gradients: PyTorch names each tensor kept."""
    import torch

    kept = {}  # where in memory → how many bytes: what two tensors share counts once

    def note(tensor):
        memory = tensor.untyped_storage()
        kept[memory.data_ptr()] = memory.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        result = form(x)  # held, or its memory might be given to another
    del result
    return sum(kept.values()) / 1e6


def shorten_tracebacks():
    """From now on, what helpers refuses is shown below the learner's own lines alone.

    IPython's `__tracebackhide__` would leave the last line, ours, and a note for each gap. `%tb`
    shows all lines. Nothing happens outside IPython, or where errors are handled already.
    """
    shell = _shell()
    if shell and not shell.custom_exceptions:
        shell.set_custom_exc(REFUSALS, _show_own_lines)


def _show_own_lines(shell, kind, error, tb, tb_offset=None):
    """IPython's handler of errors; those that helpers did not raise on purpose are shown whole."""
    shown, short = error, tb
    *_others, (last, number) = traceback.walk_tb(tb)
    line = linecache.getline(last.f_code.co_filename, number).strip()
    if last.f_globals.get("__name__", "").startswith("helpers.") and line.startswith("raise "):
        inner = error.__cause__.__traceback__ if error.__cause__ else None
        own = [*_own_lines(tb.tb_next), *_own_lines(inner)]
        shown, short = copy.copy(error), None  # a copy has no cause that would be shown, too
        for entry in reversed([tb, *own]):  # the first is IPython's, which leaves it out itself
            short = TracebackType(short, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    shell.showtraceback((kind, shown, short), tb_offset=tb_offset, running_compiled_code=True)
    sys.last_type, sys.last_value, sys.last_traceback = kind, error, tb  # what %tb shows
    sys.last_exc = error


def _own_lines(tb):
    """The entries of a traceback that stand in the notebook."""
    while tb:
        if tb.tb_frame.f_globals.get("__name__") == "__main__":
            yield tb
        tb = tb.tb_next


def _shell():
    """IPython's shell, if there is one."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
