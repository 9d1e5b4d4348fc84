"""Reads what an answer gave back into arrays, and says how it differs from what was expected."""

import itertools
import math

import numpy as np
import torch

from .. import _
from ..pictures.frames import to_array
from .running import Unfinished, WrongKind

CLOSE = {"rtol": 1e-4, "atol": 1e-5}  # float32, summed in another order
CLOSE_GRADIENTS = {"rtol": 1e-3, "atol": 1e-4}
LONGEST_TEXT = 40  # characters of what came, where it is quoted


def read(result, names):
    """{name: array} of what a function returned; raises Unfinished, or WrongKind with the reason."""
    if result is None or result is ...:
        raise Unfinished
    parts = [result] if len(names) == 1 else _parts(result, len(names))
    if any(part is ... for part in parts) or all(part is None for part in parts):
        raise Unfinished
    if missing := [name for name, part in zip(names, parts) if part is None]:
        raise WrongKind(_("the {name} is None.", name=missing[0]))
    return {name: _read_one(name, part) for name, part in zip(names, parts)}


def _parts(result, count):
    if isinstance(result, (tuple, list)):
        if len(result) == count:
            return result
        came = {"count": len(result), "wanted": count}
        raise WrongKind(_("it returns {count} things, and {wanted} were asked for.", **came))
    came = {"kind": kind(result), "wanted": count}
    raise WrongKind(_("it returns one thing ({kind}), and {wanted} were asked for.", **came))


def _read_one(name, part):
    try:
        if isinstance(part, (dict, set, str, bytes)) or callable(part):
            raise TypeError
        array = to_array(name, part)
        return array.astype(bool) if dtype_of(part) == "bool" else array
    except (TypeError, ValueError):
        if isinstance(part, tuple):
            text = _("it returns {count} things, and one was asked for: the {name}.",
                     count=len(part), name=name)  # fmt: skip
            raise WrongKind(text) from None
        raise WrongKind(_("{name} is {kind}, not numbers.", name=name, kind=kind(part))) from None


def dtype_of(part):
    """The type of number, such as float32; of a list, that of its first number."""
    while isinstance(part, (list, tuple)) and part:
        part = part[0]
    return str(getattr(part, "dtype", type(part).__name__)).replace("torch.", "")


def kind(value):
    """A value in a few words: "'abc' (of type str)", "a tensor of shape (2, 3)"."""
    if isinstance(value, torch.Tensor):
        return _("a tensor of shape {shape}", shape=tuple(value.shape))
    if isinstance(value, np.ndarray):
        return _("an array of shape {shape}", shape=tuple(value.shape))
    name = type(value).__name__
    text = repr(value) if isinstance(value, (str, int, float, bool, bytes)) else ""
    if 0 < len(text) <= LONGEST_TEXT:
        return _("{value} (of type {type})", value=text, type=name)
    return _("something of type {type}", type=name)


def close(a, b, tolerance=CLOSE):
    """Whether two arrays have the same shape and, up to rounding, the same numbers."""
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and np.allclose(a, b, **tolerance, equal_nan=True)


def same_values(mine, others, tolerance=CLOSE):
    """Whether the same names hold the same numbers."""
    return mine.keys() == others.keys() and all(close(mine[n], others[n], tolerance) for n in mine)


def same(a, b):
    """Whether two Seen are the same, up to rounding: numbers, remarks, or the trouble."""
    if a.skipped or b.skipped:
        return True
    if a.trouble or b.trouble:
        return a.trouble == b.trouble
    return same_values(a.values, b.values, a.close) and a.remarks.keys() == b.remarks.keys()


def differing(mine, expected):
    """The name of the first array that differs, if both are there; else None."""
    for name, wanted in expected.values.items():
        if name in mine.values and not close(mine.values[name], wanted, mine.close):
            return name
    return None


def difference(mine, expected):
    """Sentences on how one Seen differs from the expected one."""
    name = differing(mine, expected)
    lines = [] if name is None else _of_array(name, mine.values[name], expected)
    return lines + [text for key, text in mine.remarks.items() if key not in expected.remarks]


def _of_array(name, got, expected):
    wanted = expected.values[name]
    if got.shape != wanted.shape:
        came = {"name": name, "shape": got.shape, "wanted": wanted.shape}
        lines = [_("{name} has shape {shape}; expected {wanted}.", **came)]
        if _has_other_axes(got, wanted):
            lines.append(_("The numbers are the same, with the axes in another order."))
        others = [n for n, array in expected.values.items() if close(got, array)]
        return lines + [_("What came is the {other}.", other=other) for other in others]
    if wanted.ndim == 0:
        came = {"name": name, "got": _number(got, wanted), "wanted": _number(wanted, got)}
        return [_("The {name} is {got}; expected {wanted}.", **came)]
    wrong = ~np.isclose(got, wanted, **CLOSE, equal_nan=True)
    place = tuple(np.argwhere(wrong)[0].tolist()) if wrong.any() else (0,) * wanted.ndim
    came = {"cell": f"{name}{list(place)}", "count": int(wrong.sum()), "size": wrong.size}
    came |= {
        "got": _number(got[place], wanted[place]),
        "wanted": _number(wanted[place], got[place]),
    }
    text = _("The shape is right. {cell} is {got}; expected {wanted} ({count} of {size} differ).")
    return [text.format(**came), *_on_weights(name, got, wanted)]


def _has_other_axes(got, wanted):
    """Whether an array would be the wanted one, with its axes in another order."""
    if sorted(got.shape) != sorted(wanted.shape) or got.ndim > 4:
        return False
    orders = list(itertools.permutations(range(got.ndim)))[1:]
    return any(close(got.transpose(order), wanted) for order in orders)


def _number(x, beside):
    """Four decimals, or as many as it takes to tell a number from the one beside it."""
    if np.asarray(x).dtype == bool:
        return str(bool(x))
    x, beside = float(x), float(beside)
    if not math.isfinite(x) or x == int(x) and math.isfinite(beside) and beside == int(beside):
        return f"{x:,g}"
    forms = (f for f in (".4f", ".6f", ".4e") if f"{x:{f}}" != f"{beside:{f}}")
    return f"{x:{next(forms, '')}}"


def _on_weights(name, got, wanted):
    """What rows of attention weights show: whether they sum to 1, and what must be 0."""
    if np.isnan(got).any():
        came = {"count": int(np.isnan(got).sum()), "size": got.size}
        return [_("{count} of {size} cells are nan: not a number.", **came)]
    if "weights" not in name or not np.allclose(wanted.sum(-1), 1, atol=1e-3):
        return []
    sums = got.sum(axis=-1).ravel()
    lines = [_("Every row sums to 1, as it should.")]
    if not np.allclose(sums, 1, atol=1e-3):
        first = ", ".join([f"{x:.2f}" for x in sums[:4]] + ["…"] * (sums.size > 4))
        lines = [_("Rows sum to {sums}; expected 1 each.", sums=first)]
    if (got[wanted == 0] > 1e-4).any():
        lines.append(_("Some cells have weight where it must be 0."))
    return lines
