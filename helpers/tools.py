"""What notebooks use in passing: a progress bar, a stopwatch, and what is kept in memory."""

import time
import timeit

import ipywidgets as widgets
from IPython import get_ipython
from IPython.display import clear_output, display

VIEW = "application/vnd.jupyter.widget-view+json"
REDRAWS = 50  # a bar need not move more often


def steps(n):
    """0, 1, … n - 1, with a bar above that moves along, and is gone at the end or at an error.

    It clears the cell's output when it goes: print after the loop, not in it. Outside a notebook
    there is no bar. Raises TypeError or ValueError if n is not a number of steps.
    """
    if not isinstance(n, int) or isinstance(n, bool):
        raise TypeError(f"steps: {n!r} is a {type(n).__name__}; pass a whole number, such as 200")
    if n < 0:
        raise ValueError(f"steps: {n} is below 0; pass the number of steps, such as 200")
    return over(range(n), n, "training")


def over(items, n, doing, after=0.0):
    """The n items; a bar that says what it is doing, if they take more than `after` seconds."""
    in_notebook = hasattr(get_ipython(), "kernel")
    return _with_bar(items, n, doing, after) if in_notebook else iter(items)


def _with_bar(items, n, doing, after):
    start, bar = time.monotonic(), None
    try:
        for step, item in enumerate(items):
            if bar is None and time.monotonic() - start >= after:
                bar = widgets.IntProgress(step, 0, max(1, n), description=doing)
                bar.style.description_width = "initial"
                # The view alone, with no text beside it that a saved notebook could keep.
                display({VIEW: bar._repr_mimebundle_()[VIEW]}, raw=True)
            if bar and step % max(1, n // REDRAWS) == 0:
                bar.value = step
            yield item
    finally:
        if bar:
            bar.close()
            clear_output()


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
