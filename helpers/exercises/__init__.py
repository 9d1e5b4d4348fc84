"""The exercises of each notebook, with inputs, right answers and mistakes, and its predictions.

Each notebook has its own file: `n07_name.py` for `notebooks/07_name.ipynb`. To add a notebook,
put `notebook = Notebook(__name__)` into such a file. Its exercises are then found automatically:
exercises.name is the right answer, and checks.name is the check. The name of a mistake stands
beside its id in described_*.py.
"""

import importlib
import pkgutil
import re


def _notebooks():
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    found = [importlib.import_module(f".{n}", __name__) for n in names if re.match(r"n\d\d_", n)]
    return {module.notebook.number: module.notebook for module in found}


NOTEBOOKS = dict(sorted(_notebooks().items()))
EXERCISES = {name: e for book in NOTEBOOKS.values() for name, e in book.exercises.items()}
PREDICTIONS = {name: p for book in NOTEBOOKS.values() for name, p in book.predictions.items()}
from . import n06_break_it as suspects  # noqa: E402, F401  layers with a mistake


def __getattr__(name):
    if name in EXERCISES:
        return EXERCISES[name].right
    raise AttributeError(f"there is no exercise {name!r}; there are: {', '.join(EXERCISES)}")


def __dir__():
    return list(EXERCISES)
