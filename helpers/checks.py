"""One check for each exercise: `checks.softmax(my_softmax)` as a cell's last line.

A check tells what is right, what is not, which known mistake it looks like, and what to try. It
returns a Result (`.passed`, `.message`), shows it, and never raises, whatever your code does.

    checks.drill(7)            a mistake of the notebooks before 7: which is it?
    checks.progress()          how many exercises of each notebook are done
    checks.progress(1)         what is done in notebook 1, and what is open
    checks.progress(1).done    the same as lists of names (.done, .open)
    checks.progress(1).says    what each check and each prediction tried said last, by its name
"""

import functools
import linecache
import sys
from pathlib import Path

import numpy as np
import torch

from . import PROGRESS, _
from .exercises import EXERCISES, NOTEBOOKS, PREDICTIONS, drills
from .explorer.question import Question
from .judge.check import Result
from .judge.check import check as judge
from .judge.comparing import first, to_tensor
from .judge.exercise import on_tensors_or_arrays
from .judge.learner_progress import Progress, remembered

__all__ = [*EXERCISES, "drill", "predict", "progress", "yours"]
said = {}  # name → the last message of its check, as long as the kernel runs
done = set()  # the names of what has been right once
FILE = Path.cwd() / PROGRESS  # where they outlive the kernel, if `make lab` has made that file
right = []  # the functions and classes that a check found correct
told_in = {}  # where it was said that our version runs
slips = {}  # (name of an exercise, id of a mistake) → None: what was done wrong, in this order


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
        answer = _as_one(answer)
        result = _noted(judge(EXERCISES[name], answer))
        if result.passed:
            right.append(answer)
        return result

    check.__name__ = check.__qualname__ = name
    check.__doc__ = EXERCISES[name].asks
    return check


def predict(name=None, *answer):
    """predict("highest score") asks on the page; predict("highest score", "sun") is an answer in code.

    Several numbers may come as they are, or in brackets: predict("shape", 2, 3).
    """
    if name in PREDICTIONS and not answer:
        return _asked(name)
    if name in PREDICTIONS:
        return _noted(PREDICTIONS[name].check(_as_one(answer)))
    came = {"name": repr(name), "known": ", ".join(f'"{known}"' for known in PREDICTIONS)}
    return Result(str(name), _("There is no prediction {name}. There are: {known}.", **came))


@functools.cache
def _asked(name):
    """The question, made once: a cell that is run again shows the same one, with its answer."""
    return Question(PREDICTIONS[name], _noted)


def drill(notebook=None):
    """Which slip is this? Asks about a mistake in an exercise of the notebooks before this one.

    Yours come first, and what you have done. Run the cell again for another one.
    """
    return Question(drills.draw(NOTEBOOKS, notebook, remembered(FILE, done), slips), _noted)


def _as_one(answer):
    """None for nothing, and several as they are, as 2,362,368 comes as three."""
    return answer[0] if len(answer) == 1 else answer or None


def _noted(result):
    """The same Result, remembered for progress(): not where it is of the notebook's own solution."""
    frame = sys._getframe()
    while frame and not linecache.getline(frame.f_code.co_filename, 1).startswith("# Solution"):
        frame = frame.f_back
    if result.attempted and frame is None:
        said[result.name] = result.message
        if result.pitfall:
            slips[result.name, result.pitfall] = None
        if result.passed:
            done.add(result.name)
            so_far = progress()
            counts = [so_far.counts[n] for n, x in so_far.notebooks.items() if result.name in x]
            result.count = "".join(counts)
    return result


def progress(notebook=None):
    """What is done and what is open in one notebook; without a number, in each of the series."""
    names, files = {}, {}
    for number, book in NOTEBOOKS.items():
        if notebook is None or (book.exercises and notebook == number):
            files[number] = book.file
        if book.exercises and notebook in (None, number):
            titles = [_("prediction: {name}", name=name) for name in book.predictions]
            names[number] = [*book.exercises, *titles]
    return Progress(names, files, remembered(FILE, done), said)


def yours(function, otherwise):
    """Your function if a check has found it correct, `otherwise` the solution: for the pictures.

    As the check did, it hands NumPy arrays to a function that stops with tensors. What comes back
    as lists or NumPy arrays becomes tensors, with which the notebook goes on. `otherwise` also runs
    where its result is to be trained with, and yours has no gradient. A line says so, the first time
    that `otherwise` runs.
    """
    if not any(function is one for one in right):
        caller = sys._getframe(1)
        here = caller.f_code.co_filename, caller.f_lineno
        if (
            told_in.setdefault("place", here) == here
        ):  # once a kernel, also when its cell runs again
            print(_("Using our version until yours passes its check."))
        return otherwise
    if isinstance(function, type):
        return function
    told = []

    @functools.wraps(function)
    def called(*arguments, **named):
        result = on_tensors_or_arrays(functools.partial(function, **named), arguments)
        result = tuple(map(_tensor, result)) if isinstance(result, tuple) else _tensor(result)
        if not _lost_gradient(arguments, result):
            return result
        ours = otherwise(*arguments, **named)
        if not ours.requires_grad:  # there is none to keep
            return result
        if not told:
            told.append(True)
            print(_("Yours is right, but keeps no gradient to train with: our version runs here."))
        return ours

    return called


def _tensor(result):
    """A tensor of what came as a list, an array, a float or small whole numbers; all else stays."""
    if not isinstance(result, (list, float, np.ndarray, np.generic, torch.Tensor)):
        return result
    tensor = to_tensor(result)
    if not tensor.is_floating_point():
        return tensor if tensor.dtype == torch.bool else tensor.long()  # which cross_entropy takes
    made_of_tensors = isinstance(first(result), torch.Tensor)
    return tensor if made_of_tensors else tensor.to(torch.get_default_dtype())


def _lost_gradient(arguments, result):
    """Whether a tensor came back from what is trained, such as a loss, through which none can be."""
    trained = any(isinstance(a, torch.Tensor) and a.requires_grad for a in arguments)
    is_tensor = isinstance(result, torch.Tensor)
    return torch.is_grad_enabled() and trained and is_tensor and not result.requires_grad
