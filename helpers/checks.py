"""One check for each exercise: `checks.softmax(my_softmax)` as a cell's last line.

A check tells what is right, what is not, which known mistake it looks like, and what to try. It
returns a Result (`.passed`, `.message`), shows it, and never raises, whatever your code does.

    checks.progress()          what is done in this notebook, and what is open
    checks.progress(1).done    the same as lists of names (.done, .open), of notebook 1
    checks.progress(1).says    what each check and each prediction tried said last, by its name
"""

from .exercises import EXERCISES
from .exercises.checking import check_of, predict, progress, yours

__all__ = [*EXERCISES, "predict", "progress", "yours"]


def __getattr__(name):
    return check_of(name)


def __dir__():
    return __all__
