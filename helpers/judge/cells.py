"""What is known of a notebook's cells: functions from before, functions found right, and variables.

A cell that ends in an error leaves the functions that were there before it. IPython says when each
cell begins and ends, and whether it ended in an error; outside of a notebook, nothing is known.
"""

import dis
import inspect
import re
import sys

import numpy as np
import torch
from torch import nn

from .. import _

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
    """What a notebook calls the cell with this file name, such as "In[5]"; "" in Colab's IPython 7."""
    made = shell() and getattr(shell().compile, "format_code_name", lambda file: None)(file)
    return made[1] if made else ""


def borrowed(answer, exercise):
    """[a sentence on the notebook's variables that it uses instead of its arguments], or []."""
    functions = vars(answer).values() if inspect.isclass(answer) else [answer]
    names = {
        name
        for function in filter(inspect.isfunction, functions)
        for name in _globals_read(function.__code__)
        if _holds_numbers(function.__globals__.get(name))
    }
    text = _(
        "It uses {names} from the notebook instead of its own arguments, {arguments}. With other "
        "inputs it would still compute with the notebook's values."
    )
    arguments = "x, self" if inspect.isclass(answer) else ", ".join(exercise.arguments)
    told = text.format(names=", ".join(sorted(names)), arguments=arguments)
    return [told] if names else []


def _holds_numbers(value):
    is_layer = isinstance(value, nn.Module) and value.state_dict()
    return is_layer or isinstance(value, (torch.Tensor, np.ndarray))


def _globals_read(code):
    """The global names that a function's code reads, including those in its inner functions.

    Up to Python 3.13, inspect.getclosurevars also counts the names of attributes (gh-70764): with
    `self.mask`, a function would seem to read a notebook's `mask`.
    """
    names = {i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"}
    inner = (const for const in code.co_consts if inspect.iscode(const))
    return names.union(*map(_globals_read, inner))
