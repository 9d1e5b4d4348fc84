"""The sum behind a cell: "X @ X.T", "softmax(scores / temperature)", "weights @ X".

There are also cell-by-cell sums, "X * size" (a number, or a matrix of the same size) and
"after - before", and "sum(weights)" adds up each row, "sum(weights.T)" each column. A masked cell
is NaN, and takes no part.

With Explorer(…, sums={"scores": "X @ X.T"}), the read-out shows the arithmetic behind each cell.
The claim is checked here against what compute returned, at every setting, so the read-out is
always true. An exercise says in the same way how its results are computed (judge/smallest.py).
"""

import re

import numpy as np

from .. import _
from .frames import if_batch

_NUMBER_OR_NAME = r"[0-9]+(?:\.[0-9]+)?|[^\W\d]\w*"
_DIVISOR = rf"(?: / (?:sqrt\((?P<rooted>{_NUMBER_OR_NAME})\)|(?P<plain>{_NUMBER_OR_NAME})))?"
_FORMS = {
    "dot": re.compile(r"(?P<a>\w+) @ (?P<b>\w+)(?P<t>\.T)?" + _DIVISOR),
    "softmax": re.compile(r"softmax\((?P<a>\w+)" + _DIVISOR + r"\)"),
    "sum": re.compile(r"sum\((?P<a>\w+)(?P<t>\.T)?\)"),
    "times": re.compile(r"(?P<a>\w+) \* (?P<b>\w+)" + _DIVISOR),
    "minus": re.compile(r"(?P<a>\w+) - (?P<b>\w+)"),
}
_HERE = ("row", "column")
# Which cell of each matrix a term of the sum behind (row, column) takes; k counts the terms.
_CELLS = {
    "dot": {"a": ("row", "k"), "b": ("k", "column")},
    "dot.T": {"a": ("row", "k"), "b": ("column", "k")},
    "softmax": {"a": ("row", "k")},
    "sum": {"a": ("row", "k")},
    "sum.T": {"a": ("k", "column")},
    "times": {"a": _HERE, "b": _HERE},
    "minus": {"a": _HERE, "b": _HERE},
}


def parse(name, text, matrices, scalars):
    """The parts {"kind", "a", "b", "cells", "transposed", "divisor", "root", "text"} of a sum.

    Its "cells" are those that its terms take: {"a": ("row", "k"), "b": ("k", "column")}.

    matrices   names that may appear beside @ or in a softmax: panels and operands
    scalars    names that may appear after / or *: numbers that compute returned, and numeric
               controls
    """
    if not isinstance(text, str):
        told = {"name": name, "text": text}
        raise TypeError(_("sums['{name}']={text!r} is not text, such as \"A @ B\".", **told))
    matches = {kind: form.fullmatch(text) for kind, form in _FORMS.items()}
    kind = next((kind for kind, match in matches.items() if match), None)
    if not kind:
        message = _(
            'sums[\'{name}\']={text!r} is not understood; write it as "A @ B", "A @ B.T", '
            '"softmax(A)", "A * B", "A - B" or "sum(A)", with " / number" or " / sqrt(number)" '
            "after a matrix if it is scaled."
        )
        raise ValueError(message.format(name=name, text=text))
    parts = dict.fromkeys(("b", "t", "rooted", "plain")) | matches[kind].groupdict()
    divisor = parts["rooted"] or parts["plain"]
    factors = [*matrices, *scalars] if kind == "times" else matrices
    for operand, known in ((parts["a"], matrices), (parts["b"], factors)):
        if operand and operand not in known:
            message = _("sums['{name}'] names '{operand}', but it may name: {known}.")
            known = ", ".join(matrices)
            raise ValueError(message.format(name=name, operand=operand, known=known))
    if divisor and not divisor[0].isdigit() and divisor not in scalars:
        message = _(
            "sums['{name}'] divides by '{divisor}', which is neither a number that the "
            "function returns nor a control with a number. Known numbers: {known}."
        )
        known = ", ".join(scalars) or _("none")
        raise ValueError(message.format(name=name, divisor=divisor, known=known))
    return {
        "kind": kind,
        "a": parts["a"],
        "b": parts["b"],
        "cells": _CELLS[kind + (parts["t"] or "")],
        "transposed": bool(parts["t"]),
        "divisor": divisor,
        "root": bool(parts["rooted"]),
        "text": text,
    }


def check(name, claim, matrices, values):
    """Raise ValueError unless `claim` gives matrices[name], NaN where masked.

    `values` are the controls and the numbers that compute returned, by name.
    """
    got = matrices[name]
    try:
        expected = evaluate(claim, matrices, values)
        alike = np.isclose(expected, got, rtol=1e-3, atol=1e-4) | np.isnan(got)
        if expected.shape == got.shape and alike.all():
            return
    except ValueError:  # sizes do not match
        expected = got
    message = _(
        "'{name}' is not {claim}, although sums says so: correct the function, or sums['{name}']."
    )
    message = message.format(name=name, claim=claim["text"])
    if expected.shape != got.shape:
        shapes = {"name": name, "sum": expected.shape, "shape": got.shape}
        message += _(" The sum has shape {sum}, '{name}' {shape}.", **shapes)
    raise ValueError(message + if_batch(expected.ndim > got.ndim))


def terms(claim, matrices, row, column):
    """[the number that each term takes from a, and from b if there is one] behind a cell.

    Terms with a masked number are left out.
    """
    cells, found = claim["cells"], []
    sizes = dict(zip(cells["a"], matrices[claim["a"]].shape))
    for k in range(sizes.get("k", 1)):
        index = {"row": row, "column": column, "k": k}
        term = [matrices[claim[name]][index[i], index[j]] for name, (i, j) in cells.items()]
        if not np.isnan(term).any():
            found.append(term)
    return found


def scale_of(claim, values):
    """The number by which a claim divides; 1 if it does not."""
    if not claim["divisor"]:
        return 1.0
    scale = np.asarray(values.get(claim["divisor"], claim["divisor"]), float)
    return np.sqrt(scale) if claim["root"] else scale


@np.errstate(all="ignore")  # division by 0 makes the claim false; it need not warn
def evaluate(claim, matrices, values):
    """The array that a claim gives; raises ValueError where sizes do not fit."""
    a, b = matrices[claim["a"]], matrices.get(claim["b"], values.get(claim["b"]))
    scale = scale_of(claim, values)
    if claim["kind"] in ("times", "minus"):  # cell by cell
        if claim["b"] in matrices and b.shape[-2:] != a.shape[-2:]:
            raise ValueError("sizes that do not fit")
        return a * b / scale if claim["kind"] == "times" else a - b
    if claim["kind"] == "softmax":
        a = np.where(np.isnan(a), -np.inf, a / scale)
        e = np.exp(a - a.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)
    a = np.where(np.isnan(a), 0, a)
    if claim["kind"] == "sum":
        return a.sum(axis=-2 if claim["transposed"] else -1, keepdims=True)
    return a @ (b.swapaxes(-1, -2) if claim["transposed"] else b) / scale
