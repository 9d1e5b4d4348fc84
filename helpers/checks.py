"""One check for each exercise: `checks.softmax(my_softmax)` as a cell's last line.

A check tells what is right, what is not, which known mistake it looks like, and what to try. It
returns a Result (`.passed`, `.message`), shows it, and never raises, whatever your code does.

    checks.progress()          what is done in this notebook, and what is open
    checks.progress(1).done    the same as lists of names (.done, .open), of notebook 1
    checks.progress(1).says    what each check and each prediction tried said last, by its name
"""

import contextlib
import functools

import numpy as np
import torch

from . import _
from .exercises import EXERCISES, NOTEBOOKS, PREDICTIONS
from .judge.check import Result
from .judge.record import Record

__all__ = [*EXERCISES, "predict", "progress", "yours"]
SMALL = (torch.int8, torch.int16, torch.int32)  # whole numbers that cross_entropy does not take
record = Record({n: book for n, book in NOTEBOOKS.items() if book.exercises})


def __getattr__(name):
    return check_of(name)


def __dir__():
    return __all__


@functools.cache
def check_of(name):
    """The check of an exercise, with its help; AttributeError, with what there is, for another."""
    if name not in EXERCISES:
        came = {"name": repr(name), "known": ", ".join(EXERCISES)}
        raise AttributeError(_("there is no check {name}; there are: {known}", **came), name=name)

    def check(*answer):
        return record.check(EXERCISES[name], _as_one(answer))

    check.__name__ = check.__qualname__ = name
    check.__doc__ = EXERCISES[name].asks
    return check


def predict(name=None, *answer):
    """predict("highest score", "sun"): is the prediction right? With ... it is not made yet.

    Several numbers may come as they are, or in brackets: predict("shape", 2, 3).
    """
    if name in PREDICTIONS:
        return record.predict(PREDICTIONS[name], _as_one(answer))
    came = {"name": repr(name), "known": ", ".join(f'"{known}"' for known in PREDICTIONS)}
    return Result(str(name), _("There is no prediction {name}. There are: {known}.", **came))


def _as_one(answer):
    """None for nothing, and several as they are, as 2,362,368 comes as three."""
    return answer[0] if len(answer) == 1 else answer or None


def yours(function, otherwise):
    """Your function if a check has found it correct, `otherwise` the solution: for the pictures.

    As the check did, it hands NumPy arrays to a function that stops with tensors. What comes back
    as lists or NumPy arrays becomes tensors, and small whole numbers int64, with which the notebook
    goes on. `otherwise` also runs where a loss is to be trained with, and yours has no gradient.
    A line says so, wherever `otherwise` runs.
    """
    if not any(function is right for right in record.right):
        print(_("Our version runs here, until a check has found yours correct."))
        return otherwise
    return function if isinstance(function, type) else in_tensors(function, otherwise)


def in_tensors(function, otherwise):
    """The same function for tensors, though it may be written for NumPy arrays, or return lists."""

    said = []

    @functools.wraps(function)
    def called(*arguments, **named):
        try:
            result = function(*arguments, **named)
        except Exception as error:
            result = _on_arrays(function, arguments, error)
        if _lost_gradient(arguments, result):
            if not said:
                said.append(True)
                print(
                    _("Yours is right, but keeps no gradient to train with: our version runs here.")
                )
            return otherwise(*arguments, **named)
        return tuple(map(_tensor, result)) if isinstance(result, tuple) else _tensor(result)

    return called


def _lost_gradient(arguments, result):
    """Whether one number came back, a loss, from scores that are trained, and none can be."""
    trained = any(isinstance(a, torch.Tensor) and a.requires_grad for a in arguments)
    kept = isinstance(result, torch.Tensor) and result.requires_grad
    number = isinstance(result, (float, np.floating)) or (
        isinstance(result, (torch.Tensor, np.ndarray)) and result.ndim == 0
    )
    return torch.is_grad_enabled() and trained and number and not kept


def _on_arrays(function, arguments, error):
    """What it returns for bare numbers, as tensors or as arrays; else the error it stopped with."""
    for bare in (torch.Tensor.detach, lambda tensor: tensor.detach().numpy()):
        with contextlib.suppress(Exception):
            return function(*(bare(a) if isinstance(a, torch.Tensor) else a for a in arguments))
    raise error


def _tensor(result):
    if isinstance(result, list) and any(isinstance(part, torch.Tensor) for part in result):
        return torch.stack([torch.as_tensor(part) for part in result])
    if isinstance(result, torch.Tensor):
        return result.long() if result.dtype in SMALL else result
    if not isinstance(result, (list, np.ndarray)):
        return result
    made = torch.as_tensor(np.asarray(result))
    made = made.long() if made.dtype in SMALL else made
    return made.to(torch.get_default_dtype()) if made.is_floating_point() else made


def progress(notebook=None):
    """What is done and what is open: in the notebooks tried since the kernel started, or in one."""
    return record.progress(notebook)
