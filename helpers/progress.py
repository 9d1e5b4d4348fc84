"""A progress bar for the trainings, which leaves nothing behind in the notebook."""

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
    in_notebook = hasattr(get_ipython(), "kernel")
    return _with_bar(n) if in_notebook else iter(range(n))


def _with_bar(n):
    bar = widgets.IntProgress(0, 0, max(1, n), description="training")
    # The view alone, with no text beside it that a saved notebook could keep.
    display({VIEW: bar._repr_mimebundle_()[VIEW]}, raw=True)
    try:
        for step in range(n):
            if step % max(1, n // REDRAWS) == 0:
                bar.value = step
            yield step
    finally:
        bar.close()
        clear_output()
