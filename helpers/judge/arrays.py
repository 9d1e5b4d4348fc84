"""What is said of a right answer that is written for NumPy arrays, and stops at a torch tensor."""

import inspect
import re
import textwrap

import torch

from .. import _
from .comparing import same
from .exercise import fresh
from .running import LIMIT, Run


def needs_arrays(exercise, answer, expected):
    """[a sentence] if a right answer stops at tensors, and which function of PyTorch would do; or [].

    expected   the Seen of the right answer, for each case
    """
    cases = [(case, seen) for case, seen in zip(exercise.all_cases, expected) if not case.how]
    if exercise.how or exercise.asks_for != "function" or not cases:
        return []
    if not (trouble := _trouble(answer, cases[0][0])):
        return []
    text = _("It needs NumPy arrays, though: with a torch tensor it stops in {where}")
    lines = [text.format(where=trouble.where)]
    for name, changed in _with_torch(answer):
        right = (same(exercise.observe(changed, case, Run(LIMIT)), seen) for case, seen in cases)
        if not any(_trouble(changed, case) for case, _seen in cases) and all(right):
            return [*lines, _("{name} would do.", name=f"torch.{name}")]
    return lines


def _trouble(answer, case):
    """The Trouble that an answer has with tensors alone, where a check would also pass arrays."""
    return Run(LIMIT)(answer, *fresh(case.arguments))[1]


def _with_torch(answer):
    """(name, the answer with torch.name in place of np.name) for each function that both have."""
    try:
        source = textwrap.dedent(inspect.getsource(answer))
    except (OSError, TypeError):
        return
    for name in dict.fromkeys(re.findall(r"\bnp\.(\w+)", source)):
        if hasattr(torch, name) and source.startswith("def "):
            space = answer.__globals__ | {"torch": torch}
            exec(re.sub(rf"\bnp\.{name}\b", f"torch.{name}", source), space)
            yield name, space[answer.__name__]
