"""The sum behind a cell: "X @ X.T", "softmax(scores / temperature)", "weights @ X".

Explorer(…, sums={"scores": "X @ X.T"}) makes the read-out spell out a cell's arithmetic. What is
claimed is checked here against what compute returned, at every position: a read-out never lies.
"""

import re

import numpy as np

_NUMBER_OR_NAME = r"[0-9]+(?:\.[0-9]+)?|[^\W\d]\w*"
_DIVISOR = rf"(?: / (?:sqrt\((?P<rooted>{_NUMBER_OR_NAME})\)|(?P<plain>{_NUMBER_OR_NAME})))?"
_DOT = re.compile(r"(?P<a>\w+) @ (?P<b>\w+)(?P<t>\.T)?" + _DIVISOR)
_SOFTMAX = re.compile(r"softmax\((?P<a>\w+)" + _DIVISOR + r"\)")


def parse(name, text, matrices, scalars):
    """{"kind", "a", "b", "transposed", "divisor", "root"} of a sum; ValueError where it is not one.

    matrices   names that may stand beside @ or in a softmax: panels and operands
    scalars    names that may stand under a /: numbers returned, and controls that are numbers
    """
    if not isinstance(text, str):
        raise TypeError(f"sums['{name}']={text!r} is not text, such as \"A @ B\".")
    dot, softmax = _DOT.fullmatch(text), _SOFTMAX.fullmatch(text)
    match = dot or softmax
    if not match:
        raise ValueError(
            f'sums[\'{name}\']={text!r} is not understood; write it as "A @ B", "A @ B.T" or '
            '"softmax(A)", with " / number" or " / sqrt(number)" after a matrix if it is scaled.'
        )
    parts = {"b": None, "t": None} | match.groupdict()
    divisor = parts["rooted"] or parts["plain"]
    for operand in filter(None, (parts["a"], parts["b"])):
        if operand not in matrices:
            raise ValueError(
                f"sums['{name}'] names '{operand}', which is neither a matrix that compute returns nor "
                f"among the operands. Matrices: {', '.join(matrices)}."
            )
    if divisor and not divisor[0].isdigit() and divisor not in scalars:
        raise ValueError(
            f"sums['{name}'] divides by '{divisor}', which is neither a number that compute returns nor "
            f"a control that is one. Numbers: {', '.join(scalars) or 'none'}."
        )
    return {
        "kind": "dot" if dot else "softmax",
        "a": parts["a"],
        "b": parts["b"],
        "transposed": bool(parts["t"]),
        "divisor": divisor,
        "root": bool(parts["rooted"]),
    }


def check(name, claim, matrices, values):
    """Raise ValueError unless `claim` gives matrices[name], NaN where masked.

    `values` are the controls and the numbers that compute returned, by name.
    """
    got = matrices[name]
    visible = ~np.isnan(got)
    try:
        with np.errstate(all="ignore"):  # a division by 0 makes a false claim, not a warning
            expected = _evaluate(claim, matrices, values)
    except ValueError:  # sizes that do not fit
        expected = np.empty(0)
    if expected.shape != got.shape or not np.allclose(
        expected[visible], got[visible], rtol=1e-3, atol=1e-4
    ):
        raise ValueError(
            f"'{name}' is not {claim_text(claim)}, as sums says: mend the function, or sums['{name}']."
        )


def claim_text(claim):
    """The claim as written."""
    scale = f" / {claim['divisor']}" if claim["divisor"] else ""
    if claim["root"]:
        scale = f" / sqrt({claim['divisor']})"
    if claim["kind"] == "softmax":
        return f"softmax({claim['a']}{scale})"
    return f"{claim['a']} @ {claim['b']}{'.T' if claim['transposed'] else ''}{scale}"


def _evaluate(claim, matrices, values):
    scale = 1.0
    if claim["divisor"]:
        scale = float(values.get(claim["divisor"], claim["divisor"]))
        scale = np.sqrt(scale) if claim["root"] else scale
    a = matrices[claim["a"]]
    if claim["kind"] == "dot":
        b = matrices[claim["b"]]
        a = np.where(np.isnan(a), 0, a)
        return a @ (b.swapaxes(-1, -2) if claim["transposed"] else b) / scale
    a = np.where(np.isnan(a), -np.inf, a / scale)
    e = np.exp(a - a.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
