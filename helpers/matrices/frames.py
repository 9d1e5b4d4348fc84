"""From what a learner's function returns to checked matrices with labels: no widgets, no pictures."""

import contextlib
import unicodedata
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from numbers import Real

import numpy as np

from .roles import ROLES, role_of

EXACT = Context(prec=400, rounding=ROUND_HALF_UP)  # as JavaScript's toFixed rounds in the browser


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


TEXT_LIMIT, TEXT_CORNER = 16, 4  # past 16 rows or columns, the text shows the first 4
TABLE_SIDE, TABLE_CELLS = 16, 600  # past this, a matrix is a picture without numbers in its cells


@dataclass(frozen=True)
class Panel:
    """One named matrix of the Explorer: (rows, columns), or (heads, rows, columns)."""

    name: str
    role: str
    shape: tuple
    rows: list
    columns: list
    limit: float
    reads: str  # what its caption says of rows and columns

    @property
    def size(self):
        return int(np.prod(self.shape))

    @property
    def is_picture(self):
        """Whether it has too many cells for a table in the browser."""
        return max(self.shape[-2:]) > TABLE_SIDE or self.size > TABLE_CELLS


@dataclass
class Labels:
    """What the notebook says about the panels; any part may be left to the default."""

    tokens: list
    rows: dict | str | None = None  # a word names the row of every matrix with a single one
    columns: dict | None = None
    roles: dict | None = None
    limits: dict | None = None

    def __post_init__(self):
        self.tokens = _list_of_labels("tokens", self.tokens)
        if not all(isinstance(token, str) for token in self.tokens):
            raise TypeError(
                f'tokens={self.tokens!r} is not a list of words; write tokens=["Hello", …].'
            )
        if not self.tokens:
            raise ValueError("tokens is empty; give at least one word to label the rows.")
        self.only_row = self.rows if isinstance(self.rows, str) else ""
        self.rows = None if isinstance(self.rows, str) else self.rows
        for what in ("rows", "columns", "roles", "limits"):
            setattr(self, what, dict_by_name(what, getattr(self, what), '{"weights": …}'))
        for what in ("rows", "columns"):
            given = getattr(self, what).items()
            setattr(self, what, {n: _list_of_labels(f"{what}['{n}']", v) for n, v in given})
        for name, role in self.roles.items():
            if role not in ROLES:
                raise ValueError(f"roles['{name}']={role!r}, expected one of: {', '.join(ROLES)}.")
        for name, limit in self.limits.items():
            if not isinstance(limit, Real) or not 0 < limit < np.inf:
                raise ValueError(f"limits['{name}']={limit!r} must be a number above 0.")

    def panels(self, matrices):
        """A Panel for each named matrix; ValueError where a label names none of them."""
        for what in ("rows", "columns", "roles", "limits"):
            for name in getattr(self, what):
                if name not in matrices:
                    raise ValueError(
                        f"{what} names '{name}', but the matrices are: {', '.join(matrices)}."
                    )
        return [self.panel(name, matrix.shape) for name, matrix in matrices.items()]

    def panel(self, name, shape):
        """The Panel for a matrix of this name and shape; ValueError where labels do not fit it."""
        role = self.roles.get(name, role_of(name))
        *_, n_rows, n_columns = shape
        tokens = self.tokens
        rows = self.rows.get(name, tokens if n_rows != 1 or len(tokens) == 1 else [self.only_row])
        across = tokens if role != "vectors" else [f"x{i + 1}" for i in range(n_columns)]
        columns = self.columns.get(name, across)
        for side, labels, count in (("rows", rows, n_rows), ("columns", columns, n_columns)):
            if len(labels) != count:
                advice = f'mend the matrix, or pass {side}={{"{name}": […]}}.'
                if labels is tokens:
                    advice = f"pass tokens=[…] with {count} words, {advice}"
                raise ValueError(
                    f"'{name}' has {count} {side}, but there are {len(labels)} labels for them "
                    f"({_some(labels)}). {advice[0].upper()}{advice[1:]}"
                )
        limit = float(self.limits.get(name, ROLES[role].limit))
        rows, columns = [readable(r) for r in rows], [readable(c) for c in columns]
        # Columns of its own, such as the words that might come next, are no keys.
        reads = ROLES[role].reads if role == "vectors" or name not in self.columns else ""
        return Panel(name, role, tuple(shape), rows, columns, limit, reads)


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


def readable(label):
    """A label as text that any page can show: a line break or control character as its escape."""
    unseen = ("Cc", "Cs", "Zl", "Zp")
    return "".join(repr(c)[1:-1] if unicodedata.category(c) in unseen else c for c in str(label))


def _list_of_labels(what, given):
    with contextlib.suppress(TypeError):
        if not isinstance(given, (str, bytes)):
            return list(given)
    raise TypeError(f'{what}={given!r} is not a list of words; write ["Hello", …].')


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
    if hidden is not None and panel.role != "vectors":
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
        may_be_masked = panel.role != "vectors" and not x > 0  # -inf or NaN
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


def as_text(panel, array, decimals):
    """The matrix as aligned lines of text; masked cells (NaN) as ·"""
    heads = array if array.ndim == 3 else array[None]
    large = max(array.shape[-2:]) > TEXT_LIMIT
    lines = []
    for h, matrix in enumerate(heads):
        title = panel.name + (f", head {h + 1}" if array.ndim == 3 else "")
        if large:
            title += f": {len(panel.rows)} rows × {len(panel.columns)} columns, the first of them"
            matrix = matrix[:TEXT_CORNER, :TEXT_CORNER]
        cells = [[""] + [shortened(c) for c in panel.columns[: matrix.shape[1]]]]
        cells += [
            [shortened(label)] + [rounded(x, decimals) for x in row]
            for label, row in zip(panel.rows, matrix)
        ]
        widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
        lines.append(f"{title} ({panel.reads})" if panel.reads else title)
        lines += ["  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in cells]
    return "\n".join(lines)


def rounded(x, decimals):
    """A number as every picture writes it: halves away from 0, as in the browser; no minus at a 0."""
    if np.isnan(x):
        return "·"
    number = EXACT.quantize(Decimal(float(x)), Decimal(1).scaleb(-decimals))
    return f"{number.copy_abs() if number == 0 else number:f}"


def shortened(label, longest=12):
    """A label cut to so many letters, the last of them then an ellipsis."""
    return label if len(label) <= longest else label[: longest - 1] + "…"


def _some(labels):
    shown = ", ".join(shortened(str(x)) for x in list(labels)[:4])
    return shown + (", …" if len(labels) > 4 else "")


def _kind(value):
    text = repr(value)
    return type(value).__name__ + (f" {text}" if len(text) <= 40 else "")
