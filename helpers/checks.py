"""One check for each exercise: `checks.softmax(my_softmax)` as a cell's last line.

A check says for which inputs the answer is right, which known mistake it looks like, and what to
try. It returns a Result (`.passed`, `.message`), shows it, and never raises, whatever your code does.

    checks.drill(7)            a mistake of the notebooks before 7: which is it?
    checks.progress()          how many exercises of each notebook are done
    checks.progress(1)         what is done in notebook 1, and what is open
    checks.progress(1).done    the names of what is done, as a list
"""

import functools
import linecache
import sys
import warnings
from pathlib import Path

import numpy as np
import torch

from . import PROGRESS, _
from .exercises import EXERCISES, NOTEBOOKS, PREDICTIONS, drills
from .explorer.question import Question
from .judge import cells
from .judge.check import Result
from .judge.check import check as judge
from .judge.comparing import first, to_tensor
from .judge.exercise import on_tensors_or_arrays
from .judge.learner_progress import Progress, remembered

__all__ = [*EXERCISES, "drill", "predict", "progress", "yours"]
tried = set()  # the names of all exercises and predictions that were answered in this kernel
done = set()  # of these, the names of those that have been right once
# What is done or tried is stored here, if `make lab` has made the file.
FILE = Path.cwd() / PROGRESS
right = []  # the functions and classes that a check has found correct
announced_in = {}  # "place" → the cell and line that announced that our version runs
slips = {}  # (name of an exercise, id of a mistake) → None, in the order in which they were made
cells.listen()
# What NumPy says of PyTorch's tensors is for the authors of PyTorch: a learner cannot change it.
warnings.filterwarnings("ignore", "__array", DeprecationWarning)


def __getattr__(name):
    return check_of(name)


def __dir__():
    return __all__


@functools.cache
def check_of(name):
    """The check of an exercise, with its docstring; an unknown name raises an AttributeError."""
    if name not in EXERCISES:
        names = {"name": repr(name), "known": ", ".join(EXERCISES)}
        raise AttributeError(_("there is no check {name}; there are: {known}", **names), name=name)

    def check(*answer, **named):
        answer = _as_one((*answer, *named.values()))
        result = judge(EXERCISES[name], answer)
        cells.judged(answer, result.passed)
        if cells.is_from_before(answer):
            text = _("{name} is from before: the cell that defines it ended in an error.")
            result.add(text.format(name=answer.__name__))
        if result.passed:
            right.append(answer)
        return _noted(result)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = EXERCISES[name].asks
    return check


def predict(name=None, *answer, **named):
    """predict("highest score") asks on the page; predict("highest score", "sun") is an answer in code.

    Several numbers may come as they are, or in brackets: predict("shape", 2, 3).
    """
    if name not in PREDICTIONS:
        names = {"name": repr(name), "known": ", ".join(f'"{known}"' for known in PREDICTIONS)}
        return Result(str(name), _("There is no prediction {name}. There are: {known}.", **names))
    answer = (*answer, *named.values())
    return _noted(PREDICTIONS[name].check(_as_one(answer)), name) if answer else _asked(name)


@functools.cache
def _asked(name):
    """The question, with its answer if that was found before, even in another kernel.

    It is made only once, so that a cell that runs again shows it with its answer.
    """
    prediction = PREDICTIONS[name]
    answer = str(prediction.answer) if prediction.title in _known()["done"] else ""
    return Question(prediction, _noted, answer)


def drill(notebook=None):
    """Asks which slip was made in an exercise of the notebooks before this one.

    Mistakes that you have made come first, then exercises that you have solved. Run the cell again
    for another question.
    """
    return Question(drills.draw(NOTEBOOKS, notebook, _known()["done"], slips), _noted)


def _as_one(answer):
    """One argument by itself, several as a tuple (2,362,368 arrives as three), none as None."""
    return answer[0] if len(answer) == 1 else answer or None


def _noted(result, asked=""):
    """The same Result. It is recorded for progress(), unless a solution cell of the notebook ran it."""
    frame = sys._getframe()
    while frame and not linecache.getline(frame.f_code.co_filename, 1).startswith("# Solution"):
        frame = frame.f_back
    result.asked, result.by_solution = asked, frame is not None
    if result.attempted and frame is None:
        tried.add(result.name)
        if result.pitfall:
            slips[result.name, result.pitfall] = None
        if result.passed:
            done.add(result.name)
        so_far = progress()  # which stores it, too
        if result.passed:
            counts = [so_far.counts[n] for n, x in so_far.notebooks.items() if result.name in x]
            result.count = "".join(counts)
    return result


def _known():
    """{"done": names, "tried": names}: those of this kernel, and those in the learner's folder."""
    return remembered(FILE, {"done": done, "tried": tried})


def progress(notebook=None):
    """What is done and what is open in one notebook; without a number, in each of the series."""
    books = {n: b for n, b in NOTEBOOKS.items() if b.exercises and notebook in (None, n)}
    return Progress(books, _known())


def yours(function, otherwise):
    """Your function if a check has found it correct, and otherwise the solution, for the pictures.

    Like the check, this passes NumPy arrays to a function that does not accept tensors. Lists and
    NumPy arrays that your function returns become tensors, because the notebook goes on with tensors.
    `otherwise` also runs where training needs a gradient and your result has none. The first time
    that `otherwise` runs, a line says so.
    """
    if not any(function is one for one in right):
        caller = sys._getframe(1)
        here = caller.f_code.co_filename, caller.f_lineno
        # Only one cell of a notebook announces it, and it does so again when it runs again.
        if announced_in.setdefault("place", here) == here:
            print(_("Using our version until yours passes its check."))
        return otherwise
    if isinstance(function, type):
        return function
    announced = []

    @functools.wraps(function)
    def called(*arguments, **named):
        result = on_tensors_or_arrays(functools.partial(function, **named), arguments)
        result = tuple(map(_tensor, result)) if isinstance(result, tuple) else _tensor(result)
        if not _lost_gradient(arguments, result):
            return result
        ours = otherwise(*arguments, **named)
        if not ours.requires_grad:  # the right answer has no gradient either
            return result
        if not announced:
            announced.append(True)
            print(_("Yours is right, but keeps no gradient to train with: our version runs here."))
        return ours

    return called


def _tensor(result):
    """Lists, arrays and numbers as a tensor; any other result as it is."""
    if not isinstance(result, (list, float, np.ndarray, np.generic, torch.Tensor)):
        return result
    tensor = to_tensor(result)
    if not tensor.is_floating_point():
        return tensor if tensor.dtype == torch.bool else tensor.long()  # which cross_entropy takes
    made_of_tensors = isinstance(first(result), torch.Tensor)
    return tensor if made_of_tensors else tensor.to(torch.get_default_dtype())


def _lost_gradient(arguments, result):
    """Whether an argument is trained, but the result, a tensor, passes no gradient back to it."""
    trained = any(isinstance(a, torch.Tensor) and a.requires_grad for a in arguments)
    is_tensor = isinstance(result, torch.Tensor)
    return torch.is_grad_enabled() and trained and is_tensor and not result.requires_grad
