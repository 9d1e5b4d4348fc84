"""Sentences on an answer that stops: at an error, too late, with nothing, or only at a tensor."""

import contextlib
import inspect
import re
import textwrap

import torch

from .. import _
from . import cells
from .comparing import same
from .exercise import fresh
from .running import LIMIT, Run

SLIPS = [  # (a pattern found in an error's message, what the error means)
    (r"shapes cannot be multiplied|size mismatch, got|of batch2 tensor to be",
     _("In A @ B, the last axis of A must be as long as the last but one of B. Print both shapes:"
       " which matrix must be transposed?")),
    (r"must match the size of tensor|must match the existing size",
     _("Shapes are aligned from the right: sizes in the same place must be equal, or one must be"
       " 1. Print both shapes.")),
    (r"return_types",
     _("max(dim=…) returns the values and their indices. Which do you need? (.values, or amax)")),
    (r"Boolean value of Tensor with more than one",
     _("A condition needs one True or False, and a tensor holds many. (Between tensors, 'and' is"
       " written &; for Python's max there is torch.maximum.)")),
    (r"bitwise_(and|or)|operand type\(s\) for [&|]:",
     _("Python does & and | before < and ==, so each comparison needs brackets: (a < b) & (c == d).")),
    (r"index k out of range", _("topk(k) takes k entries. How many are there along its axis?")),
    (r"ind(ex|ices) .*out of (bounds|range)|index out of range",
     _("An axis of n entries has the indices 0 to n - 1. Print the shape, and the index.")),
    (r"'(Linear|Dropout|LayerNorm)'|must be Tensor, not (Linear|Dropout)",
     _("A layer is called, as in layer(x). The matrix of an nn.Linear is layer.weight.")),
    (r"'(int|float)' object is not (iter|sub)|0-d tensor|0-dim tensor",
     _("A single number has no entries. Where does your code need a list or a vector?")),
    (r"of type float|got float|'float' object cannot be interpreted",
     _("Sizes are whole numbers. / gives a float, 3.0 for 6 / 2; // gives a whole number.")),
]  # fmt: skip


def stopped(seen, exercise):
    """Sentences that say on which input there was no result, and what the error means."""
    trouble, where = seen.trouble, seen.trouble.where
    came = {"given": seen.given or seen.case.says, "says": seen.case.says, "where": where}
    if trouble.kind == "unfinished" and where:
        return [_("Something is left to write in {where}", **came)]
    if trouble.kind == "unfinished":
        return [_("For {says}, it returns None or ...: does it end in a return?", **came)]
    if trouble.kind == "wrong kind":
        return [_("With {given}: {what}", **came, what=trouble.text)]
    if trouble.kind == "slow":
        place = _(", in {where}", **came) if where else ""
        text = _("With {given}, it was still running after {seconds} seconds{place}")
        return [text.format(**came, seconds=trouble.text, place=place)]
    place = _(" in {where}", **came) if where else ""
    lines = [_("With {given}, it stops{place}", **came, place=place), trouble.text]
    if trouble.inside in cells.verdicts:
        text = _("By itself, {name} is not right yet.")
        if cells.verdicts[trouble.inside]:
            text = _("By itself, {name} is right.")
        lines.append(text.format(name=trouble.inside.co_qualname))
    if not where and "argument" in trouble.text:
        lines.append(_("The check calls it with ({names}).", names=", ".join(exercise.arguments)))
    return lines + [meaning for error, meaning in SLIPS if re.search(error, trouble.text)][:1]


def needs_arrays(exercise, answer):
    """[sentences] on a right answer that is written for NumPy arrays, and stops at tensors; or [].

    The check passes arrays, too, but the notebook goes on with tensors.
    """
    cases = [case for case in exercise.all_cases if not case.how]
    if exercise.how or exercise.asks_for != "function" or not cases:
        return []

    def stops(code):
        return Run(LIMIT)(code, *fresh(cases[0].arguments))[1]

    if not (trouble := stops(answer)):
        return []
    text = _("It needs NumPy arrays, though: with a torch tensor it stops in {where}")
    lines = [text.format(where=trouble.where)]
    for name, changed in _with_torch(answer):
        codes = changed, exercise.right
        seen = [[exercise.observe(code, case, Run(LIMIT)) for case in cases] for code in codes]
        if not stops(changed) and all(map(same, *seen)):
            return [*lines, _("{name} would do.", name=f"torch.{name}")]
    return lines


def _with_torch(answer):
    """(name, the answer with torch.name in place of np.name) for each function that both have."""
    with contextlib.suppress(Exception):  # its source may not be known, or not stand alone
        source = textwrap.dedent(inspect.getsource(answer))
        for name in dict.fromkeys(re.findall(r"\bnp\.(\w+)", source)):
            space = answer.__globals__ | {"torch": torch}
            exec(re.sub(rf"\bnp\.{name}\b", f"torch.{name}", source), space)
            yield name, space[answer.__name__]
