"""From what a learner's function returns to checked matrices with labels: no widgets, no pictures."""

import contextlib

import numpy as np


@contextlib.contextmanager
def saying(who):
    """Put `who` before the message of a TypeError or ValueError; its cause stays."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        told = kind(f"{who}: {error}").with_traceback(error.__traceback__)
        raise told from error.__cause__


def if_batch(left_in):
    """The end of a message on a shape: the advice, where a batch may have been left in."""
    return " If the first size is the batch, take [0]." if left_in else ""


def dict_by_name(what, given, example):
    """The dict given (an empty one for None); TypeError for anything else."""
    if given is not None and not isinstance(given, dict):
        raise TypeError(f"{what} is a dict by name, such as {what}={example}.")
    return given or {}


def check_decimals(decimals):
    """TypeError or ValueError where numbers cannot be written with so many decimals."""
    if type(decimals) is not int:
        raise TypeError(f"decimals={decimals!r} is not a whole number.")
    if not 0 <= decimals <= 10:
        raise ValueError(f"decimals={decimals} is not between 0 and 10.")


def to_panels(result):
    """(matrices, numbers): two dicts of float64 arrays and floats, from whatever compute returned.

    Takes a list, an ndarray or a torch tensor (of any float type, with or without gradient), or a
    dict of them; a vector counts as a matrix of one row. Raises TypeError or ValueError otherwise.
    """
    if result is None:
        raise TypeError("got None; does the function end in a return?")
    if isinstance(result, tuple) and any(getattr(item, "ndim", 0) > 1 for item in result):
        raise TypeError('got a tuple; name its matrices: return {"scores": …, "weights": …}.')
    given = result if isinstance(result, dict) else {"weights": result}
    matrices, numbers = {}, {}
    for name, value in given.items():
        a = to_array(name, value)
        if a.ndim == 0:
            numbers[str(name)] = float(a)
        else:
            matrices[str(name)] = a if a.ndim > 1 else a[None]
    for name, a in matrices.items():
        if a.ndim > 3 or a.size == 0:
            raise ValueError(
                f"'{name}' has shape {a.shape}; expected (rows, columns) or (heads, rows, columns), "
                f"none of them 0.{if_batch(a.ndim > 3)}"
            )
    if not matrices:
        raise TypeError(f"got {_kind(result)}; return a matrix, or a dict of named matrices.")
    return matrices, numbers


def to_array(name, value):
    """A new float64 ndarray of any list, array or tensor; TypeError for what holds no numbers."""
    try:
        array = np.asarray(_without_tensors(value))
        if array.dtype.kind in "bifu":
            return array.astype(np.float64)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"'{name}' is {_kind(value)}; expected a matrix of numbers.") from error
    if array.dtype.kind == "c":
        raise TypeError(f"'{name}' holds complex numbers; expected real ones.")
    raise TypeError(f"'{name}' is {_kind(value)}; expected a matrix of numbers.")


def _without_tensors(value):
    """The value with every torch tensor in it as an array."""
    if hasattr(value, "detach"):
        try:
            return value.numpy(force=True)
        except TypeError:  # bfloat16 has no NumPy twin
            return value.double().numpy(force=True)
    if isinstance(value, (list, tuple)):
        return [_without_tensors(item) for item in value]
    return value


def hide_masked(panel, array, hidden):
    """The array as float32 with NaN where `hidden`; ValueError for NaN or ±∞ anywhere else."""
    with np.errstate(over="ignore"):  # what is too large becomes ∞, and is reported below
        out = array.astype(np.float32)
    if hidden is not None and panel.has_keys:
        if hidden.shape != panel.shape[-2:]:
            raise ValueError(
                f"masked has shape {hidden.shape}, but '{panel.name}' is {panel.shape[-2:]}; "
                f"give True or False for each query and key.{if_batch(hidden.ndim > 2)}"
            )
        out = np.where(hidden, np.float32(np.nan), out)
        out_of_place = ~np.isfinite(out) & ~hidden
    else:
        out_of_place = ~np.isfinite(out)
    if out_of_place.any():
        *head, i, j = np.argwhere(out_of_place)[0]
        where = f"row '{panel.rows[i]}', column '{panel.columns[j]}'" + (
            f", head {head[0] + 1}" if head else ""
        )
        x = out[(*head, i, j)]
        may_be_masked = panel.has_keys and not x > 0  # -inf or NaN
        raise ValueError(
            f"{x} at {where} of '{panel.name}'. A picture needs finite numbers"
            f"{_if_masked(hidden) if may_be_masked else ': '}look for a division by 0, "
            "an exp that overflows, or a row that is masked throughout."
        )
    return out


def _if_masked(hidden):
    mend = "pass masked=…, True where hidden: it is then hatched"
    if hidden is not None:
        mend = "mend masked, which is False there"
    return f". If a mask hides this cell, {mend}. If not, "


def _kind(value):
    text = repr(value)
    return type(value).__name__ + (f" {text}" if len(text) <= 40 else "")
