"""Facts about a wrong answer that no mistake explains: how its numbers relate to the right ones.

A fact is computed from this answer and states only what was observed, so it is never a guess.
"""

import itertools
import math

import numpy as np

from .. import _
from .comparing import CLOSE, alike
from .facts import called, fact, known_factor

FUNCTIONS = {  # in words → a function applied to the whole array
    _("after log"): np.log,
    _("after exp"): np.exp,
    _("after tanh"): np.tanh,
    _("after sigmoid"): lambda a: 1 / (1 + np.exp(-a)),
    _("squared"): np.square,
    _("subtracted from 1"): lambda a: 1 - a,
    _("without signs"): np.abs,
    _("with 0 in place of negative numbers"): lambda a: np.maximum(a, 0),
    _("with every sign reversed"): np.negative,
    _("with each row divided by its sum"): lambda a: a / a.sum(-1, keepdims=True),
    _("after softmax over the last axis"): lambda a: np.exp(a) / np.exp(a).sum(-1, keepdims=True),
}
MOST_TIMES = 240  # a larger multiple tells nothing


def apart(a, b):
    """A mask of the cells in which two arrays differ; a single True if their shapes differ."""
    if a.shape != b.shape:
        return np.array(True)
    return ~np.isclose(a, b, **CLOSE, equal_nan=True)


def along(cells, axis, how):
    """For each index along an axis, whether any (or all, as `how` says) of its cells are True."""
    return how(cells, tuple(k for k in range(cells.ndim) if k != axis % cells.ndim))


def cell(name, axis, i, array):
    """A part of an array in Python's notation: x[:, 3]."""
    return f"{name}[{':, ' * (axis % array.ndim)}{i}]"


def on_gradients(mine, wanted):
    """Gradients that are 0 and should not be, and which gradients are right and wrong."""
    names = [n for n in wanted if n.startswith("∂") and n in mine]
    zero = [n[1:] for n in names if not mine[n].any() and wanted[n].any()]
    good = [n[1:] for n in names if np.allclose(mine[n], wanted[n], rtol=1e-3, atol=1e-4)]
    bad = [n[1:] for n in names if n[1:] not in good]
    if zero:
        yield fact("zero gradient", names=", ".join(zero))
    if good and bad:
        yield fact("gradients", right=", ".join(good), wrong=", ".join(bad))


def not_finite(name, got, right):
    count = int((~np.isfinite(got)).sum())
    if count and np.isfinite(right).all():
        yield fact("not finite", name=name, count=count, size=got.size)


def measured(mine, wanted):
    """Counts and measurements that are wrong; they are the values whose names contain spaces."""
    names = [n for n in wanted if " " in n and not wanted[n].ndim and n in mine]
    names = [n for n in names if not alike(mine[n], wanted[n])]
    both = [(n, *(round(float(x[n]), 4) for x in (mine, wanted))) for n in names]
    lines = [
        _("{name}: not the same throughout; expected {right:g}", name=n, right=right)
        if math.isnan(got)
        else _("{name}: {got:g}; expected {right:g}", name=n, got=got, right=right)
        for n, got, right in both
    ]
    if lines:
        yield fact("measured", lines=". ".join(lines))


def other_result(mine, wanted):
    for a, b in itertools.permutations([n for n in wanted if n in mine], 2):
        if alike(mine[a], wanted[b]) and not alike(mine[a], wanted[a]) and mine[a].size > 1:
            kind = "same result" if alike(mine[b], wanted[b]) else "other result"
            yield fact(kind, a=a, b=b)


def some_right(mine, wanted):
    """Of several results, those that are right and those that are not."""
    names = [n for n in wanted if n in mine and " " not in n and isinstance(mine[n], np.ndarray)]
    right = [n for n in names if alike(mine[n], wanted[n])]
    if 0 < len(right) < len(names):
        wrong = ", ".join(n for n in names if n not in right)
        yield fact("some right", right=", ".join(right), wrong=wrong)


def one_factor(name, got, right):
    """One factor or shift for the whole array; for weights, also one factor of their scores."""
    if got.shape != right.shape or bool in (got.dtype, right.dtype):
        return
    finite = np.isfinite(right)
    a, b = got[finite], right[finite]
    if not b.any() or not np.isfinite(a).all() or not alike(got[~finite], right[~finite]):
        return
    factor, shift = a @ b / (b @ b), np.mean(a - b)
    # Any number is some multiple of another, so for a single number only a known factor counts.
    telling = b.size > 1 or known_factor(factor, within=1e-4)
    if telling and _is_factor(factor) and np.allclose(a, factor * b, **CLOSE):
        yield fact("factor", name=name, **called(factor))
    elif b.size > 1 and np.allclose(a - b, shift, **CLOSE) and np.ptp(b) > 1e-3:
        yield fact("shift", name=name, shift=float(shift))
    elif all((x >= 0).all() and np.allclose(x.sum(-1), 1, atol=1e-4) for x in (got, right)):
        there = right > 1e-6
        logs = [np.where(there, np.log(np.where(there, x, 1)), 0) for x in (got, right)]
        mean = [x.sum(-1, keepdims=True) / there.sum(-1, keepdims=True) for x in logs]
        a, b = ((x - m)[there] for x, m in zip(logs, mean))
        factor = a @ b / (b @ b) if b @ b > 1e-2 else 0.0
        if _is_factor(factor) and (there == (got > 1e-6)).all():
            if np.allclose(a, factor * b, rtol=1e-3, atol=1e-3):
                yield fact("scores", name=name, **called(factor))


def _is_factor(factor):
    return abs(factor) > 1e-6 and abs(factor - 1) > 1e-3


def elsewhere(name, got, right, inputs):
    """Is the result an unchanged input, or one step away from an input or the right result?"""
    got, right = got * 1.0, right * 1.0
    for part, (tensor, *_more) in inputs.items():
        given = tensor.detach().double().numpy()
        same = [(_("unchanged"), given), *changed(given, got.shape, {})] if tensor.ndim else []
        how = next((how for how, made in same if many(made) and alike(got, made)), None)
        if how and given.any():
            yield fact("an input", name=name, part=part, how=how)
    for kind, start, end in (("expected", right, got), ("right once", got, right)):
        for how, made in changed(start, end.shape, inputs if start is right else {}):
            few = (made.size < 3 < start.size or start.ndim == 0) and (made % 1).all()
            kept = made.shape != end.shape and made.size == end.size and made.ndim < start.ndim
            made = made.reshape(end.shape) if kept and 1 in end.shape else made
            if (many(made) or few) and alike(end, made):
                yield fact(kind, name=name, how=how)
                return
    if got.size == right.size and len(np.unique(right)) > 2:
        if alike(np.sort(got, None), np.sort(right, None)):
            yield fact("order", name=name)


def many(numbers):
    """Whether there are enough numbers that two arrays hardly agree by chance."""
    return numbers.size > 8 or len(np.unique(numbers)) > 2


def changed(a, shape, inputs):
    """(in words, array) for each change that may have turned an array into one of this shape."""
    for order in itertools.permutations(range(a.ndim)) if 1 < a.ndim < 5 else ():
        if order != tuple(range(a.ndim)):
            yield _("with its axes in the order {order}", order=order), a.transpose(order)
    for axis in range(a.ndim) if a.size else ():
        yield _("reversed along axis {axis}", axis=axis), np.flip(a, axis)
        for step in (1, -1):
            how = _("rolled by {step} along axis {axis}", step=step, axis=axis)
            yield how, np.roll(a, step, axis)
        yield _("summed along axis {axis}", axis=axis), a.sum(axis)
        yield _("averaged along axis {axis}", axis=axis), a.mean(axis)
        if a.ndim == len(shape) and 0 < shape[axis] < a.shape[axis]:
            told = {"axis": axis, "n": a.shape[axis] - shape[axis]}
            kept = np.arange(shape[axis])
            yield _("without the last {n} along axis {axis}", **told), a.take(kept, axis)
            yield (
                _("without the first {n} along axis {axis}", **told),
                a.take(kept + told["n"], axis),
            )
    if a.size == math.prod(shape):
        yield _("in another shape"), a.reshape(shape)
    if a.ndim <= len(shape) and all(m in (n, 1) for m, n in zip(a.shape[::-1], shape[::-1])):
        yield _("repeated"), np.broadcast_to(a, shape)
    for part, (tensor, *_more) in inputs.items():
        if tuple(tensor.shape) == a.shape:
            value = tensor.detach().double().numpy()
            yield _("with {part} added", part=part), a + value
            yield _("with {part} subtracted", part=part), a - value
    for how, function in list(FUNCTIONS.items())[: None if a.ndim else 2]:  # scalars: log, exp
        yield how, function(a)


def on_rows(name, got, right):
    """Entries that should be 0 and are not, and rows that should sum to 1 and do not."""
    if got.shape != right.shape or got.dtype == bool or not right.ndim or not got.size:
        return
    if right.ndim == 1 and not (got % 1).any() and not (right % 1).any():
        return  # ids
    count = int(((np.abs(got) > 1e-4) & (right == 0)).sum())
    if count and (right != right.round()).any():
        yield fact("not 0", name=name, count=count)
    if right.shape[-1] > 1 and (right >= 0).all() and np.allclose(right.sum(-1), 1, atol=1e-4):
        sums = got.sum(-1)
        if np.isfinite(sums).all() and not np.allclose(sums, 1, atol=1e-3):
            ends = dict.fromkeys(f"{x:.3g}" for x in (sums.min(), sums.max()))
            yield fact("sums", name=name, sums=" … ".join(ends))


def axes(name, got, right, inputs):
    """Axes of a result that are missing or too many, by the inputs that have one as long."""
    lengths = {}  # length → the inputs' axes of this length
    for part, (tensor, *_more) in inputs.items():
        for axis, n in enumerate(tensor.shape if "." not in part else ()):
            lengths.setdefault(n, []).append({"part": part, "axis": axis})
    for kind, a, b in (("axis", right, got), ("axis too many", got, right)):
        for n in a.shape:
            if n > 1 and n in lengths and n not in b.shape:
                yield fact(kind, name=name, **lengths[n][0])


def of_number(got, right, parts):
    """A number that is a multiple of the right one, or off by a multiple of one of its parts.

    parts   {in words: size}
    """
    for kind, a, b in (("times", right, got), ("too often", got, right)):
        if b and a % b == 0 and 1 < a // b <= MOST_TIMES:
            return [fact(kind, count=int(a // b))]
    off = abs(got - right)
    fits = [(off // n, part) for part, n in parts.items() if n and off and off % n == 0]
    if not fits or (least := min(fits))[0] > MOST_TIMES:
        return []
    return [fact("parts", count=int(least[0]), part=least[1], size=parts[least[1]])]


def where_right(name, got, right):
    """Which parts are right and which are wrong, along the axis that separates them best."""
    listed = right.ndim == 1 and (right % 1 == 0).all()  # ids, which are not compared by places
    if got.shape != right.shape or got.size < 2 or listed:
        return
    wrong, found = apart(got, right), []
    # A number that is off by little may be wrong, and a 0 may be right for any reason.
    sure = np.isclose(got, right, rtol=0, atol=3e-6 * max(1, np.abs(right[~wrong]).max(initial=0)))
    if (~wrong & ~sure).any():
        return
    square = wrong.ndim > 1 and 2 < wrong.shape[-2] == wrong.shape[-1]
    if square and wrong.sum() > 1:
        i, j = np.indices(wrong.shape[-2:])
        for side, cells in ((_("above"), i < j), (_("below"), i > j), (_("on"), i == j)):
            if not (wrong & ~cells).any():
                yield fact("side", name=name, side=side)
                return
    for axis in range(-wrong.ndim, 0):
        bad = along(wrong, axis, np.any)
        if not bad.all() and (along(right != 0, axis, np.any) & ~bad).any():
            clear = (bad == along(wrong, axis, np.all)).all()
            found.append((clear, (~bad).mean(), axis, bad))
    if found:
        *_rank, axis, bad = max(found, key=lambda one: one[:2])
        told = {
            w: ", ".join(map(str, np.flatnonzero(b))) for w, b in (("right", ~bad), ("wrong", bad))
        }
        yield fact("where", cell=cell(name, axis, "i", got), **told)
