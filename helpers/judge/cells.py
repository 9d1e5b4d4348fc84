"""What is known of a notebook's cells: which functions are from before, and which were found right.

A cell that ends in an error leaves the functions that were there before it. IPython says when each
cell begins and ends, and whether it ended in an error; outside of a notebook, nothing is known.
"""

import inspect
import re
import sys

DEFINES = re.compile(r"^(?:async +)?(?:def|class) +(\w+)", re.MULTILINE)
before = {}  # name → the object of this name before the running cell, which is to define it anew
left = {}  # name → the same object, which a cell that ended in an error has left
verdicts = {}  # the code of a function that was checked → whether it was right


def shell():
    """IPython's shell; None in a plain Python process."""
    ipython = sys.modules.get("IPython")
    return ipython and ipython.get_ipython()


def listen():
    """From now on, know of each cell that ends in an error."""
    if shell():
        shell().events.register("pre_run_cell", begun)
        shell().events.register("post_run_cell", ended)


def begun(cell):
    space = shell().user_ns
    before.update({n: space[n] for n in DEFINES.findall(cell.raw_cell or "") if n in space})


def ended(result):
    for name, old in before.items():
        left.pop(name, None)
        if not result.success and shell().user_ns.get(name) is old:
            left[name] = old
    before.clear()


def is_from_before(answer):
    """Whether the last cell that defines this function or class ended in an error before it did so."""
    return any(answer is old for old in left.values())


def judged(answer, passed):
    """Remember the verdict on a function, or on all functions of a class."""
    functions = vars(answer).values() if inspect.isclass(answer) else [answer]
    verdicts.update({f.__code__: passed for f in functions if inspect.isfunction(f)})


def name_of(file):
    """What a notebook calls the cell whose code has this file name, such as "In[5]"; or ""."""
    made = shell() and shell().compile.format_code_name(file)
    return made[1] if made else ""
