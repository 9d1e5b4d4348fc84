"""Reads the result of an answer into arrays, and says how it differs from the expected one."""

from collections.abc import Iterator, ValuesView

import numpy as np
import torch

from .. import _
from .running import Unfinished, WrongKind

CLOSE = {"rtol": 1e-4, "atol": 1e-5}  # float32 sums depend on their order
CLOSE_GRADIENTS = {"rtol": 1e-3, "atol": 1e-4}
LONGEST_TEXT = 40  # characters; a longer value is not quoted


class Remark(str):
    """A sentence among the values, on something that is wrong other than the numbers."""


def read(result, names):
    """{name: array} of a function's result; raises Unfinished, or WrongKind with the reason."""
    parts = parted(result, len(names))
    if all(part is None or part is ... for part in parts):
        raise Unfinished
    if len(parts) != len(names):
        came = {"wanted": len(names), "listed": ", ".join(names[:-1]), "last": names[-1]}
        text = _("{wanted} results are expected, {listed} and {last}; it returns {count}.")
        raise WrongKind(text.format(**came, count=len(parts)))
    return {name: _read_one(name, part) for name, part in zip(names, parts)}


def parted(result, count):
    """A list of the parts of a result, if Python would unpack it into several; else of itself."""
    stacked = isinstance(result, (torch.Tensor, np.ndarray)) and result.shape[:1] == (count,)
    if count > 1 and (stacked or isinstance(result, (tuple, list, Iterator, ValuesView))):
        return list(result)
    return [result]


def _read_one(name, part):
    try:
        return to_array(part)
    except Exception:  # any object may come back, and may raise anything
        raise WrongKind(_("{name} is {kind}, not numbers.", name=name, kind=kind(part))) from None


def to_array(value):
    """A new array, of float64 or bool, from a tensor, array or list; TypeError for others."""
    array = to_tensor(value).detach().numpy()
    return array.astype(bool if array.dtype == bool else np.float64)


def to_tensor(value):
    """A tensor from a tensor (keeping its gradient), array, number or list; else TypeError."""
    if isinstance(value, (list, tuple)) and len(value):
        return torch.stack([to_tensor(item) for item in value])
    tensor = value
    if not isinstance(value, torch.Tensor):
        if np.asarray(value).dtype.kind not in "bifu":
            raise TypeError(_("expected numbers; this is {kind}.", kind=kind(value)))
        tensor = torch.as_tensor(np.asarray(value))
    return tensor.float() if tensor.dtype == torch.bfloat16 else tensor


def first(part):
    """The first item of a list, however deeply nested; anything else is returned as it is."""
    return first(part[0]) if isinstance(part, (list, tuple)) and part else part


def dtype_of(part):
    """The type of the numbers, such as float32; for a list, that of its first number."""
    part = first(part)
    return str(getattr(part, "dtype", type(part).__name__)).replace("torch.", "")


def kind(value):
    """A value in a few words: "a tensor of shape (2, 3)", "something of type str"."""
    if isinstance(value, torch.Tensor):
        return _("a tensor of shape {shape}", shape=tuple(value.shape))
    return _("something of type {type}", type=type(value).__name__)


def same(mine, other):
    """Whether two Seen agree, up to rounding: in numbers and remarks, or in their trouble."""
    if mine.trouble or other.trouble:
        return mine.trouble == other.trouble
    if mine.values is None or other.values is None:
        return True  # an answer in NumPy has no gradient to compare
    return not differing(mine, other)


def differing(mine, other):
    """The names of arrays that differ by more than rounding, and of remarks on only one side."""
    a, b = mine.values, other.values
    return [n for n in a | b if not (n in a and n in b and alike(a[n], b[n], mine.case.close))]


def alike(a, b, close=CLOSE):
    """Whether two arrays agree in shape and, up to rounding, in numbers. Two remarks agree."""
    if isinstance(a, Remark) or isinstance(b, Remark):
        return type(a) is type(b)
    return a.shape == b.shape and np.allclose(a, b, **close, equal_nan=True)


def apart(a, b):
    """A mask of the cells in which two arrays differ; a single True if their shapes differ."""
    return ~np.isclose(a, b, **CLOSE, equal_nan=True) if a.shape == b.shape else np.array(True)


def pairs(mine, expected):
    """{name: (array, expected array)} of the arrays that differ; none if a Seen has no values."""
    a, b = mine.values, expected.values
    both = {n: (a.get(n), b.get(n)) for n in differing(mine, expected)} if a and b else {}
    return {n: two for n, two in both.items() if all(isinstance(x, np.ndarray) for x in two)}


def is_measured(name, array):
    """Whether it is a count or a measurement: these have names with spaces."""
    return " " in name and not array.ndim


def difference(mine, expected):
    """Sentences on what is measured, on the first array of the results, and all remarks."""
    found = pairs(mine, expected)
    results = [name for name, (got, _wanted) in found.items() if not is_measured(name, got)]
    told = [name for name in found if name not in results[1:]]
    lines = [line for name in told for line in _of_array(name, *found[name])]
    return lines + [value for value in mine.values.values() if isinstance(value, Remark)]


def _of_array(name, got, wanted):
    if all(a.ndim == 1 and len(a) <= 12 and (a == a.round()).all() for a in (got, wanted)):
        mine, right = (f"[{', '.join(f'{x:g}' for x in a)}]" for a in (got, wanted))  # ids, say
        return [_("{name}: {got}; expected {wanted}.", name=name, got=mine, wanted=right)]
    if got.shape != wanted.shape:
        came = {"name": name, "shape": got.shape, "wanted": wanted.shape}
        return [_("{name} has shape {shape}; expected {wanted}.", **came)]
    wrong = apart(got, wanted)
    place = tuple(np.argwhere(wrong)[0].tolist()) if wrong.any() else (0,) * wanted.ndim
    mine, right = got[place], wanted[place]
    if is_measured(name, got) and np.isnan(mine):
        return [_("{name}: not the same throughout; expected {right:g}", name=name, right=right)]
    came = {"name": name, "cell": f"{name}{list(place)}", "count": wrong.sum(), "size": wrong.size}
    came |= {"got": _number(mine, right), "wanted": _number(right, mine)}
    if wanted.ndim == 0:
        return [_("{name}: {got}; expected {wanted}.", **came)]
    text = _("The shape is right. {cell} is {got}; expected {wanted} ({count} of {size} differ).")
    return [text.format(**came)]


def _number(x, beside):
    """True, False, a whole number, or four decimals; more if both would look the same."""
    if np.asarray(x).dtype == bool:
        return str(bool(x))
    beside = float(beside)  # which may be True
    if all(np.isnan(n) or n == np.round(n) for n in (x, beside)):
        return f"{x + 0.0:,g}"
    mine, other = (f"{round(n, 4) + 0.0:.4f}" for n in (x, beside))  # + 0.0: -0 becomes 0
    return mine if mine != other else f"{x:.4e}"


def some(words, most=4):
    """The first few of many words, each once, in one line; of the others their number."""
    words = list(dict.fromkeys(words))
    shown = ", ".join(words[:most])
    more = len(words) - most
    return _("{some} and {count} more", some=shown, count=more) if more > 0 else shown
