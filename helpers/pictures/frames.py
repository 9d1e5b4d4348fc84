"""Turns what a learner's function returns into checked matrices; no widgets, no pictures."""

import contextlib

import numpy as np

from .. import _
from .probabilities import as_bars, check_probabilities


@contextlib.contextmanager
def saying(who):
    """Begin the message of a TypeError or ValueError with `who`; its cause is preserved."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        named = kind(f"{who}: {error}").with_traceback(error.__traceback__)
        raise named from error.__cause__


def if_batch(left_in):
    """The end of a message about a shape: advice for the case that a batch was left in."""
    return (
        " " + _("If the first dimension is the batch, pass one item of it: [0].") if left_in else ""
    )


def dict_by_name(what, given, example):
    """`given` as a dict (empty for None); TypeError for anything else."""
    if given is not None and not isinstance(given, dict):
        told = {"what": what, "example": example}
        raise TypeError(
            _("{what} must be a dict with names as its keys, such as {what}={example}.", **told)
        )
    return given or {}


def check_decimals(decimals):
    """Raise ValueError if values cannot be written with this number of decimals."""
    if type(decimals) is not int or not 0 <= decimals <= 10:
        text = _("decimals={given!r} is not a whole number from 0 to 10.")
        raise ValueError(text.format(given=decimals))


def to_panels(result, drawn=()):
    """(matrices, numbers): two dicts, of float64 arrays and of floats, from the result of compute.

    The result may be a list, an ndarray or a torch tensor (of any float type, with or without
    gradient), or a dict of them; a vector counts as a matrix of one row, and a number that is named
    in `drawn` as one of a single cell. Raises TypeError or ValueError for anything else.
    """
    if result is None:
        raise TypeError(_("got None; does the function end in a return?"))
    if isinstance(result, tuple) and any(getattr(item, "ndim", 0) > 1 for item in result):
        raise TypeError(_('got a tuple; name its matrices: return {"scores": …, "weights": …}.'))
    given = result if isinstance(result, dict) else {"weights": result}
    arrays = {str(name): to_array(name, value) for name, value in given.items()}
    numbers = {n: float(a) for n, a in arrays.items() if a.ndim == 0 and n not in drawn}
    matrices = {n: np.atleast_2d(a) for n, a in arrays.items() if n not in numbers}
    for name, a in matrices.items():
        if a.ndim > 3 or a.size == 0:
            text = _(
                "'{name}' has shape {shape}; expected (rows, columns) or (heads, rows, "
                "columns), none of them 0."
            )
            raise ValueError(text.format(name=name, shape=a.shape) + if_batch(a.ndim > 3))
    if not matrices:
        came = _kind(result)
        raise TypeError(_("got {came}; return a matrix, or a dict of named matrices.", came=came))
    return matrices, numbers


def to_array(name, value):
    """A new float64 ndarray from a list, array or tensor; TypeError if it does not hold numbers."""
    try:
        array = np.asarray(_without_tensors(value))
    except (TypeError, ValueError, RuntimeError) as error:
        raise _no_numbers(name, value) from error
    if array.dtype.kind == "c":
        raise TypeError(_("'{name}' holds complex numbers; expected real ones.", name=name))
    if array.dtype.kind not in "bifu":
        raise _no_numbers(name, value)
    return array.astype(np.float64)


def _no_numbers(name, value):
    kind = _kind(value)
    return TypeError(_("'{name}' is {kind}; expected a matrix of numbers.", name=name, kind=kind))


def _kind(value):
    text = repr(value)
    return type(value).__name__ + (f" {text}" if len(text) <= 40 else "")


def _without_tensors(value):
    """The value with every torch tensor in it converted to an array."""
    if hasattr(value, "detach"):
        value = value.double() if value.is_floating_point() else value  # NumPy has no bfloat16
        return value.numpy(force=True)
    if isinstance(value, (list, tuple)):
        return [_without_tensors(item) for item in value]
    return value


def checked(panel, array, hidden):
    """(panel, array) as they are shown: float32, NaN where `hidden`, probabilities as bars.

    Raises ValueError if another entry cannot be drawn.
    """
    with np.errstate(over="ignore"):  # what overflows becomes ∞, which is reported below
        out = array.astype(np.float32)
    wrong = ~np.isfinite(out)
    if hidden is not None and panel.has_keys:
        if hidden.shape != panel.shape[-2:]:
            told = {"came": hidden.shape, "name": panel.name, "shape": panel.shape[-2:]}
            text = _("masked has shape {came}, but '{name}' is {shape}; expected (queries, keys).")
            raise ValueError(text.format(**told) + if_batch(hidden.ndim > 2))
        out, wrong = np.where(hidden, np.float32(np.nan), out), wrong & ~hidden
    if wrong.any():
        raise ValueError(_not_finite(panel, out, tuple(np.argwhere(wrong)[0])))
    if panel.role == "probabilities":
        check_probabilities(panel, out)
        return as_bars(panel, out)
    return panel, out


def _not_finite(panel, array, place):
    """The message about an entry that cannot be drawn: its position, and the likely cause."""
    *head, i, j = place
    where = _("row '{row}', column '{column}'", row=panel.rows[i], column=panel.columns[j])
    where += f", {panel.heads[head[0]]}" if head else ""
    told = {"x": array[place], "where": where, "name": panel.name}
    lines = [_("{x} at {where} of '{name}'. A picture needs finite numbers.", **told)]
    if panel.has_keys and not array[place] > 0:  # a mask never gives +∞
        lines.append(_("If a mask hides this cell, masked=… must be True there. If not:"))
    lines.append(
        _("Look for a division by 0, an exp that overflows, or a row that is masked throughout.")
    )
    return " ".join(lines)
