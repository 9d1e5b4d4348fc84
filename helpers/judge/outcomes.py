"""What a learner's code did with one input, and how far that is from what was expected."""

import itertools
from dataclasses import dataclass, field

import numpy as np
import torch

from ..pictures.frames import to_array
from .lines import Line
from .running import Trouble

CLOSE = {"rtol": 1e-4, "atol": 1e-5}  # float32, and a sum in another order
HALF = {"rtol": 1e-2, "atol": 5e-3}  # float16
LONGEST_TEXT = 40  # characters of what came, where it is quoted


@dataclass
class Outcome:
    """The arrays that came back for one input, what was noted beside them, or what went wrong.

    A note bears the id of the mistake that it proves, if it proves one: "in_place".
    """

    says: object  # the input in words: "a batch of scores", or a Line
    given: str = ""  # with shapes: "scores (2, 3, 4)"
    values: dict = field(default_factory=dict)
    notes: dict = field(default_factory=dict)
    trouble: Trouble | None = None
    close: dict = field(default_factory=lambda: CLOSE)
    skipped: bool = False  # the question does not arise: NumPy has no gradient
    shown: dict = field(default_factory=dict)  # what to draw where `values` cannot be compared
    listed: dict = field(default_factory=dict)  # name → (list or tuple, how many tensors in it)
    booleans: set = field(default_factory=set)  # names of what came as True and False
    ids: set = field(default_factory=set)  # names of what came as whole numbers
    of_gradient: bool = False
    of_draws: bool = False  # what dropout does to numbers that are right without it

    def note(self, key, value=True):
        self.notes[key] = value

    def read(self, result, names, wanted="float"):
        """Take in what a function returned: an array for each name, or the trouble with it."""
        self.values, self.trouble = {}, None
        parts = [result] if len(names) == 1 else _parts(result, len(names))
        if isinstance(parts, Trouble):
            self.trouble = parts
        elif missing := not_there(*parts) or _one_is_none(parts, names):
            self.trouble = missing
        else:
            for name, part in zip(names, parts, strict=True):
                self._read_one(name, part, wanted)
            self.values = {} if self.trouble else self.values
        return self

    def _read_one(self, name, part, wanted):
        try:
            if isinstance(part, (dict, set, str, bytes)) or callable(part):
                raise TypeError
            self.values[name] = to_array(name, part)
        except (TypeError, ValueError):
            no_numbers = Line("no_numbers", name=name, kind=kind(part))
            several = isinstance(part, tuple)
            line = Line("several", count=len(part), name=name) if several else no_numbers
            self.trouble = self.trouble or Trouble("result", line)
            return
        several = isinstance(part, (list, tuple)) and len(part) > 1
        if several and all(isinstance(x, torch.Tensor) for x in part):
            self.listed[name] = type(part).__name__, len(part)
        dtype = _dtype(part)
        self.booleans |= {name} if dtype == "bool" else set()
        self.ids |= {name} if dtype.startswith("int") else set()
        if wanted == "bool" and dtype != "bool":
            self.note("not_booleans", dtype)
        if wanted == "int" and not dtype.startswith("int"):
            self.note("not_whole_numbers", dtype)
        if wanted == "float" and dtype not in ("float32", "float64"):
            if not isinstance(part, (list, tuple)):
                self.note("dtype", dtype)

    def agrees(self, other):
        """Whether the same numbers came out."""
        mine, others = self.values, other.values
        return mine.keys() == others.keys() and all(close(mine[n], others[n]) for n in mine)


def same(a, b):
    """Whether two outcomes of the same input are the same, up to rounding."""
    return a.skipped or b.skipped or (alike(a, b) and a.notes == b.notes)


def alike(a, b):
    """Whether trouble and values are the same, whatever the notes."""
    if a.trouble or b.trouble:
        return a.trouble == b.trouble
    return a.values.keys() == b.values.keys() and all(
        close(a.values[name], b.values[name], a.close) for name in a.values
    )


def close(a, b, tolerance=CLOSE):
    return a.shape == b.shape and np.allclose(a, b, **tolerance, equal_nan=True)


# ---------------------------------------------------------------- reading what came back


def not_there(*parts):
    """The Trouble if any of these is `...`, or None, which a function without a return gives."""
    if any(part is ... for part in parts):
        return Trouble("not attempted", "...")
    return Trouble("not attempted") if all(part is None for part in parts) else None


def _one_is_none(parts, names):
    """The Trouble if one of several results is None, and another is there."""
    missing = [
        Line("one_is_none", place=i, name=n) for i, n in enumerate(names, 1) if parts[i - 1] is None
    ]
    return Trouble("result", missing[0]) if missing else None


def _parts(result, count):
    if result is None or result is ...:
        return [None]
    several = isinstance(result, (tuple, list))
    if several and len(result) == count:
        return result
    if several:
        return Trouble("result", Line("other_count", count=len(result), wanted=count))
    return Trouble("result", Line("one_thing", kind=kind(result), wanted=count))


def _dtype(part):
    """The type of number, such as float32; of a list, that of its first number."""
    while isinstance(part, (list, tuple)) and part:
        part = part[0]
    return str(getattr(part, "dtype", type(part).__name__)).replace("torch.", "")


def kind(value):
    """A value in a few words: "'abc' (of type str)", "a tensor of shape (2, 3)"."""
    if isinstance(value, torch.Tensor):
        return Line("a_tensor", shape=tuple(value.shape))
    if isinstance(value, np.ndarray):
        return Line("an_array", shape=tuple(value.shape))
    if isinstance(value, (list, tuple)) and (texts := _texts(value)):
        return Line("texts", text=repr(texts[0])[:LONGEST_TEXT])
    text = repr(value) if isinstance(value, (str, int, float, bool, bytes)) else ""
    name = type(value).__name__
    return (
        Line("a_value", value=text, type=name)
        if 0 < len(text) <= LONGEST_TEXT
        else Line("a_thing", type=name)
    )


def _texts(value):
    """The texts in a list, and in the lists in it."""
    if isinstance(value, (list, tuple)):
        return [text for part in value for text in _texts(part)]
    return [value] if isinstance(value, str) else []


def described(names, arguments):
    """Arguments in words: "scores (3, 4), tokens=4"."""
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
        if name not in got.values:  # it could not be compared; the notes say why
            continue
        array = got.values[name]
        if array.shape != wanted.shape:
            return _of_other_shape(name, got, expected)
        if not close(array, wanted, got.close):
            first = _first_cell(name, got, expected)
            return [first, *_remarks(name, array, wanted)]
    return []


def _of_other_shape(name, got, expected):
    array, wanted = got.values[name], expected.values[name]
    made, count = got.listed.get(name, ("", 0))
    if array.shape == (count, *wanted.shape):
        return [Line("several_for_one", count=count, name=name), *_which_of(array, wanted)]
    lines = [Line("other_shape", name=name, shape=array.shape, wanted=wanted.shape)]
    lines += [Line("axes_in_another_order")] * other_axes(array, wanted)
    if made:
        lines.append(Line("several_tensors", type=made, count=count))
    for other, result in expected.values.items():
        if close(array, result) and not got.of_gradient:
            names = list(expected.values)
            lines.append(Line("other_result", name=name, other=other, names=names))
    return lines


def _which_of(several, wanted):
    """A Line on the one thing among several that was asked for, if it is there."""
    found = [place for place, one in enumerate(several) if close(one, wanted)]
    return [Line("one_of_several", place=found[0] + 1)] if found else []


def other_axes(got, wanted):
    """Whether an array would be the wanted one, with its axes in another order."""
    if sorted(got.shape) != sorted(wanted.shape) or got.ndim > 4:
        return False
    orders = list(itertools.permutations(range(got.ndim)))[1:]
    return any(close(got.transpose(order), wanted) for order in orders)


def _first_cell(name, outcome, expected):
    got, wanted, tolerance = outcome.values[name], expected.values[name], outcome.close
    if wanted.ndim == 0 and wanted != round(float(wanted)):  # of these inputs, and no others
        a, b = float(got), float(wanted)
        return Line("one_number", name=name, got=_number(a, b), wanted=_number(b, a))
    if wanted.ndim == 0:  # a count, to be worked out: it is not given away
        return Line("too_small" if got < wanted else "too_large", number=f"{got:,.10g}")
    wrong = ~np.isclose(got, wanted, **tolerance, equal_nan=True)
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    a, b = float(got[place]), float(wanted[place])
    values = {
        "got": _cell(a, b, name in outcome.booleans, name in expected.booleans | expected.ids),
        "wanted": _cell(b, a, name in expected.booleans, name in expected.ids),
    }
    counts = {"count": int(wrong.sum()), "size": wrong.size}
    return Line("first_cell", cell=f"{name}{list(place)}", **values, **counts)


def _cell(x, beside, is_boolean, is_short):
    """A number, or True or False, as it is said beside another one: short beside those and ids."""
    if is_boolean:
        return str(bool(x))
    return f"{x:g}" if is_short else _number(x, beside)


def _number(x, beside):
    """Four decimals, or as many as it takes to tell a number from the one beside it."""
    for form in (".4f", ".6f", ".4e"):
        if f"{x:{form}}" != f"{beside:{form}}":
            return f"{x:{form}}"
    return repr(x)


def _remarks(name, got, wanted):
    if np.isnan(got).any():
        return [Line("cells_are_nan", count=int(np.isnan(got).sum()), size=got.size)]
    if "weights" not in name or wanted.ndim == 0 or not np.allclose(wanted.sum(-1), 1, atol=1e-3):
        return []
    sums = np.atleast_1d(got.sum(axis=-1)).ravel()
    first = [f"{x:.2f}" for x in sums[:4]] + ["…"] * (sums.size > 4)
    all_one = np.allclose(sums, 1, atol=1e-3)
    lines = [Line("rows_sum_to_1") if all_one else Line("row_sums", sums=first)]
    if (got[wanted == 0] > 1e-4).any():
        lines.append(Line("weight_where_0"))
    elif (got < -1e-6).any():
        lines.append(Line("weights_below_0"))
    return lines
