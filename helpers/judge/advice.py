"""Sentences on an answer that stopped, gave nothing back, or read what is not its own."""

import inspect
import re

import numpy as np
import torch
from torch import nn

from .. import _

SLIPS = [  # (what is in an error's message, what it means)
    (r"shapes cannot be multiplied|size mismatch, got|of batch2 tensor to be",
     _("In A @ B, the last size of A must be the first of B; with a batch in front, the last but one"
       " of B. Print both shapes: which of them must be turned?")),
    (r"must match the size of tensor|must match the existing size",
     _("Shapes are lined up from the right, and must be equal there, or 1. Print both.")),
    (r"is invalid for input of size",
     _("view and reshape keep every number: the sizes, multiplied, must come to as many.")),
    (r"return_types",
     _("max(dim=…) gives two things back: the values, and their places. Which do you need?"
       " (.values, or amax)")),
    (r"(one element|length-1|0-dimensional).* can be converted to",
     _("math and float() take single numbers. For a whole tensor PyTorch has functions of its own,"
       " torch.exp say.")),
    (r"Boolean value of Tensor with more than one",
     _("A single yes or no was wanted there, and a tensor holds many. (Between tensors, 'and' is"
       " written &; Python's own max asks for one, too: PyTorch has its own.)")),
    (r"unsupported operand type\(s\) for [@*]: .*'Linear'|Tensor, not Linear",
     _("An nn.Linear is no matrix: it is called, as W(x). Its matrix is W.weight, and that is"
       " (out, in).")),
    (r"'(Parameter|Tensor)' object is not callable",
     _("A tensor is not called: x @ W multiplies. It is an nn.Linear that is called, W(x).")),
    (r"before Module\.__init__\(\) call", _("super().__init__() must be the first line of __init__.")),
    (r"of type float|got float|'float' object cannot be interpreted",
     _("Sizes are whole numbers. / gives a float, 3.0 for 6 / 2; // gives a whole number.")),
]  # fmt: skip


def stopped(seen, exercise):
    """Sentences on an input with which there was no result, and on what its error means."""
    trouble = seen.trouble
    given = seen.given or seen.says
    if trouble.kind == "wrong kind":
        return [_("With {given}: {what}", given=given, what=trouble.text)]
    place = _(", in {where}", where=trouble.where) if trouble.where else ""
    if trouble.kind == "slow":
        came = {"given": given, "seconds": trouble.text, "place": place}
        return [_("With {given}, it was still running after {seconds} seconds{place}", **came)]
    place = _(" in {where}", where=trouble.where) if trouble.where else ""
    lines = [_("With {given}, it stops{place}", given=given, place=place), trouble.text]
    if not trouble.where and "argument" in trouble.text:
        lines.append(_("The check calls it with ({names}).", names=", ".join(exercise.arguments)))
    return lines + on_error(trouble.text, exercise)


def unfinished(seen):
    """A sentence on what gave None or `...` back, or came to a `...`."""
    if seen.trouble.where:
        return _("There is something left to write in {where}", where=seen.trouble.where)
    return _("For {says}, it gives None or ... back: does it end in a return?", says=seen.says)


def on_error(error, exercise):
    """What the message of an error means, for the slips that people make; [] for all others."""
    lines = [meaning for pattern, meaning in SLIPS if re.search(pattern, error)]
    found = re.search(r"name '(\w+)' is not defined|object has no attribute '(\w+)'", error)
    if found and exercise.asks_for == "class":
        text = _("A layer keeps what __init__ gives to self.{name}, and forward reads self.{name}.")
        lines.append(text.format(name=found[1] or found[2]))
    return lines[:1]


def borrowed(answer, exercise):
    """A sentence on what it reads from the notebook in place of its arguments; [] if nothing."""
    functions = vars(answer).values() if inspect.isclass(answer) else [answer]
    found = {}
    for function in filter(inspect.isfunction, functions):
        found |= inspect.getclosurevars(function).globals
    names = sorted(name for name, value in found.items() if _holds_numbers(value))
    if not names:
        return []
    arguments = "x, self" if inspect.isclass(answer) else ", ".join(exercise.arguments)
    text = _("It reads {names} from the notebook, not from its arguments: it gets ({arguments}).")
    return [text.format(names=", ".join(names), arguments=arguments)]


def _holds_numbers(value):
    """Whether it is a matrix, or a layer with weights."""
    if isinstance(value, nn.Module):
        return any(True for _weight in value.parameters())
    return isinstance(value, (torch.Tensor, np.ndarray))
