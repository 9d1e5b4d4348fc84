"""Sentences on an answer that stopped, or gave nothing back."""

import re

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
    trouble, where = seen.trouble, seen.trouble.where
    came = {"given": seen.given or seen.says, "says": seen.says, "where": where}
    if trouble.kind == "unfinished" and where:
        return [_("There is something left to write in {where}", **came)]
    if trouble.kind == "unfinished":
        return [_("For {says}, it gives None or ... back: does it end in a return?", **came)]
    if trouble.kind == "wrong kind":
        text = _("With {given}: {what}") if came["given"] else "{what}"
        return [text.format(**came, what=trouble.text)]
    if trouble.kind == "slow":
        place = _(", in {where}", **came) if where else ""
        text = _("With {given}, it was still running after {seconds} seconds{place}")
        return [text.format(**came, seconds=trouble.text, place=place)]
    place = _(" in {where}", **came) if where else ""
    lines = [_("With {given}, it stops{place}", **came, place=place), trouble.text]
    if not where and "argument" in trouble.text:
        lines.append(_("The check calls it with ({names}).", names=", ".join(exercise.arguments)))
    return lines + [meaning for error, meaning in SLIPS if re.search(error, trouble.text)][:1]
