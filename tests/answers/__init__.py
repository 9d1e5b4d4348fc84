"""Answers to the exercises, as learners write them; a file for each notebook, which holds

RIGHT        exercise → right answers, in as many styles as there are
UNKNOWN      exercise → wrong answers of no kind that the catalogue foresees
OTHER_WORDS  (exercise, wrong answer, id): known mistakes in other words than the catalogue's
"""

import importlib
import pkgutil
import re

_names = sorted(m.name for m in pkgutil.iter_modules(__path__) if re.match(r"n\d\d_", m.name))
_files = [importlib.import_module(f".{name}", __name__) for name in _names]
RIGHT = {name: those for file in _files for name, those in file.RIGHT.items()}
UNKNOWN = {name: those for file in _files for name, those in file.UNKNOWN.items()}
OTHER_WORDS = [found for file in _files for found in file.OTHER_WORDS]
