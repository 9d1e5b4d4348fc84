"""What a learner's code did with one input, and how far that is from what was expected."""

from dataclasses import dataclass, field

import numpy as np
import torch

from .frames import to_array
from .running import Trouble

CLOSE = {"rtol": 1e-4, "atol": 1e-5}  # float32, and a sum in another order
HALF = {"rtol": 1e-2, "atol": 5e-3}  # float16


@dataclass
class Outcome:
    """The arrays that came back for one input, the facts beside them, or what went wrong."""

    says: str  # the input in words: "a batch of scores"
    given: str = ""  # with shapes: "scores (2, 3, 4)"
    values: dict = field(default_factory=dict)
    facts: dict = field(default_factory=dict)
    trouble: Trouble | None = None
    close: dict = field(default_factory=lambda: CLOSE)
    skipped: bool = False  # the question does not arise: NumPy has no gradient
    shown: dict = field(default_factory=dict)  # what to draw where `values` cannot be compared


def same(a, b):
    """Whether two outcomes of the same input are the same, up to rounding."""
    return a.skipped or b.skipped or (alike(a, b) and a.facts == b.facts)


def alike(a, b):
    """Whether trouble and values are the same, whatever the facts."""
    if a.trouble or b.trouble:
        return a.trouble == b.trouble
    return a.values.keys() == b.values.keys() and all(
        close(a.values[name], b.values[name], a.close) for name in a.values
    )


def close(a, b, tolerance=CLOSE):
    return a.shape == b.shape and np.allclose(a, b, **tolerance, equal_nan=True)


# ---------------------------------------------------------------- reading what came back


def read(result, names, wanted="float"):
    """(values, facts, trouble) of what a function returned: an array for each name."""
    parts = [result] if len(names) == 1 else _parts(result, len(names))
    if isinstance(parts, Trouble):
        return {}, {}, parts
    if missing := not_there(*parts):
        return {}, {}, missing
    values, facts = {}, {}
    for name, part in zip(names, parts, strict=True):
        if isinstance(part, (dict, set, str, bytes)) or callable(part):
            return {}, {}, Trouble("result", f"{name} is {kind(part)}, not numbers")
        try:
            values[name] = to_array(name, part)
        except (TypeError, ValueError):
            if isinstance(part, tuple):
                text = f"it returns {len(part)} things, and one was asked for: the {name}"
            else:
                text = f"{name} is {kind(part)}, not an array of numbers"
            return {}, {}, Trouble("result", text)
        if not _fits(part, wanted):
            facts["dtype"] = _dtype(part)
    return values, facts, None


def not_there(*parts):
    """The Trouble if any of these is `...`, or None, which a function without a return gives."""
    if any(part is ... for part in parts):
        return Trouble("not attempted", "...")
    return Trouble("not attempted", "") if any(part is None for part in parts) else None


def _parts(result, count):
    if result is None or result is ...:
        return [None]
    if isinstance(result, (tuple, list)) and len(result) == count:
        return result
    several = isinstance(result, (tuple, list))
    came = f"{len(result)} things" if several else f"one thing ({kind(result)})"
    return Trouble("result", f"it returns {came}, and {count} were asked for")


def _dtype(part):
    """The type of number, such as float32; of a list, that of its first number."""
    while isinstance(part, (list, tuple)) and part:
        part = part[0]
    return str(getattr(part, "dtype", type(part).__name__)).replace("torch.", "")


def _fits(part, wanted):
    """Whether the type of number is one that was asked for."""
    if wanted == "any" or (wanted == "float" and isinstance(part, (list, tuple))):
        return True
    return _dtype(part) in {"float": ("float32", "float64"), "bool": ("bool",)}[wanted]


def kind(value):
    """A value in a few words: "a str 'abc'", "a tensor of shape (2, 3)"."""
    if isinstance(value, (torch.Tensor, np.ndarray)):
        what = "a tensor" if isinstance(value, torch.Tensor) else "an array"
        return f"{what} of shape {tuple(value.shape)}"
    text = repr(value) if isinstance(value, (str, int, float, bool, bytes)) else ""
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}" + (
        f" {text}" if 0 < len(text) <= 40 else ""
    )


def described(names, arguments):
    """Arguments in words: "scores (3, 4), tokens 4"."""
    words = []
    for name, value in zip(names, arguments):
        if isinstance(value, (torch.Tensor, np.ndarray)):
            words.append(f"{name} {tuple(value.shape)}")
        elif isinstance(value, (int, float)):
            words.append(f"{name}={value}")
    return ", ".join(words)


# ---------------------------------------------------------------- saying how it differs


def difference(got, expected):
    """Lines on how an Outcome differs from the expected one, what is right first."""
    for name, wanted in expected.values.items():
        if name not in got.values:  # it could not be compared; the facts say why
            continue
        array = got.values[name]
        if array.shape != wanted.shape:
            return [f"{name} has shape {array.shape}; expected {wanted.shape}."]
        if not close(array, wanted, got.close):
            return [_first_cell(name, array, wanted, got.close), *_remarks(name, array, wanted)]
    return []


def _first_cell(name, got, wanted, tolerance):
    if wanted.ndim == 0:  # a number to work out, and not to be given away
        return f"{got:,.10g} is too {'small' if got < wanted else 'large'}."
    wrong = ~np.isclose(got, wanted, **tolerance, equal_nan=True)
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    at = f"{name}{list(place)}"
    a, b = float(got[place]), float(wanted[place])
    count = f"{int(wrong.sum())} of {wrong.size} differ"
    return f"The shape is right. {at} is {_number(a, b)}; expected {_number(b, a)} ({count})."


def _number(x, beside):
    """Four decimals, or as many as it takes to tell a number from the one beside it."""
    for form in (".4f", ".6f", ".4e"):
        if f"{x:{form}}" != f"{beside:{form}}":
            return f"{x:{form}}"
    return repr(x)


def _remarks(name, got, wanted):
    if np.isnan(got).any():
        return [f"{int(np.isnan(got).sum())} of {got.size} cells are nan: not a number."]
    if "weights" not in name or wanted.ndim == 0 or not np.allclose(wanted.sum(-1), 1, atol=1e-3):
        return []
    sums = got.sum(axis=-1)
    if np.allclose(sums, 1, atol=1e-3):
        lines = ["Every row sums to 1, as it should."]
    else:
        first = ", ".join(f"{x:.2f}" for x in np.atleast_1d(sums).ravel()[:4])
        lines = [f"Rows sum to {first}{', …' if np.size(sums) > 4 else ''}; expected 1 each."]
    if (got[wanted == 0] > 1e-4).any():
        lines.append("Some cells have weight where it must be 0.")
    elif (got < -1e-6).any():
        lines.append("Some weights are below 0.")
    return lines
