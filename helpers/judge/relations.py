"""Facts about a wrong answer that no mistake explains: how its results relate to the right ones.

Each was computed from this very answer and says no more than was seen, so it cannot misname.
"""

import itertools
import math
import time
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import torch

from .. import _
from .comparing import CLOSE, alike, differing
from .inputs import numbers, other, parts, varied
from .running import Run

SECONDS = 0.3  # of computing that all trials with other inputs may take together
MOST_PARTS = 10  # inputs that are tried one by one
FUNCTIONS = {  # in words → what is done to every number
    _("after log"): np.log,
    _("after exp"): np.exp,
    _("squared"): np.square,
    _("after sqrt"): np.sqrt,
    _("taken from 1"): lambda a: 1 - a,
    _("as 1 divided by it"): lambda a: 1 / a,
    _("without its signs"): np.abs,
    _("with 0 for all that is below 0"): lambda a: np.maximum(a, 0),
    _("after softmax over the last axis"): lambda a: np.exp(a) / np.exp(a).sum(-1, keepdims=True),
    _("with each row divided by its sum"): lambda a: a / a.sum(-1, keepdims=True),
    _("with each row divided by its length"): lambda a: a / np.linalg.norm(a, axis=-1, keepdims=True),
    _("after tanh"): np.tanh,
    _("after sigmoid"): lambda a: 1 / (1 + np.exp(-a)),
    _("with every sign turned"): np.negative,
    _("rounded"): np.round,
}
CHANGES = {  # in words → what is done to all numbers of an input
    _("changes"): other,
    _("is 3 times as large"): lambda a, seed: 3 * a,
    _("is larger by 1 everywhere"): lambda a, seed: a + 1,
}
MERGED = {_("summed"): np.sum, _("averaged"): np.mean, _("at its maximum"): np.max}


@dataclass(frozen=True)
class Fact:
    """Something true of an answer: as data, as a sentence, and the question that it leads to."""

    kind: str
    about: tuple  # the names and numbers that the sentence speaks of
    says: str
    asks: str


def relations(exercise, answer, looked_at, most=2):
    """The most telling Facts about an answer, by the case that they are true of: (i, [Fact, …]).

    looked_at   [(case, the Seen of the answer, the Seen of the right one)], the first wrong one first

    The first case about which there is one to tell is taken: of a layer, the second may show weights.
    """
    end = time.process_time() + SECONDS
    for i, (case, mine, wanted) in enumerate(looked_at):
        facts = {}
        with np.errstate(all="ignore"):
            for fact in [] if mine.trouble else on_case(exercise, answer, case, mine, wanted, end):
                facts.setdefault(fact.kind, fact)
                if len(facts) == most:
                    break
        if facts:
            return i, list(facts.values())
    return 0, []


def on_case(exercise, answer, case, mine, wanted, end):
    """All Facts on one case, the most telling first."""
    names = [n for n in differing(mine, wanted) if n in mine.values and n in wanted.values]
    pairs = [(n, mine.values[n], wanted.values[n]) for n in names]
    pairs = [(n, got, right) for n, got, right in pairs if isinstance(got, np.ndarray)]
    yield from on_gradients(mine.values, wanted.values)
    if not pairs or pairs[0][0].startswith("∂"):
        return
    trial = Trial(exercise, answer, case, mine.values, wanted.values, pairs[0][0], end)
    for pair in pairs:
        yield from not_finite(*pair)
    yield from other_result(mine.values, wanted.values)
    yield from trial.right_for_other_inputs()
    for pair in pairs:
        yield from one_factor(*pair, trial.sizes)
        yield from elsewhere(*pair, trial.parts)
    yield from trial.without_influence()
    for pair in pairs:
        yield from on_rows(*pair)
    yield from trial.moved()
    yield from trial.right_for_a_changed_input()
    for pair in pairs:
        yield from where_right(*pair)


class Trial:
    """One case, run again with other inputs, for the answer and for the right one."""

    def __init__(self, exercise, answer, case, mine, wanted, name, end):
        self.exercise, self.answer, self.case, self.name = exercise, answer, case, name
        self.mine, self.wanted = mine, wanted
        self.run, self.end = Run(10 * SECONDS), end
        self.parts = parts(exercise, case)
        self.sizes = {n for part in self.parts.values() for t in part for n in t.shape if n > 1}

    def of(self, code, changed):
        """{name: array} that code gives with these parts changed; {} where there is nothing."""
        if time.process_time() > self.end:
            return {}
        case = varied(self.exercise, self.case, changed)
        return self.exercise.observe(code, case, self.run).values or {}

    def explains(self, changed):
        """Whether these other inputs, which make a difference, would make the answer right."""
        right = self.of(self.exercise.right, changed)
        return bool(right) and _same(right, self.mine) and not _same(right, self.wanted)

    def right_for_other_inputs(self):
        """Two inputs exchanged, or one taken for another."""
        shapes = {n: [t.shape for t in part] for n, part in self.parts.items() if part[0].ndim}
        alike_pairs = [p for p in itertools.combinations(shapes, 2) if shapes[p[0]] == shapes[p[1]]]
        for pair in alike_pairs[: MOST_PARTS**2 // 2]:
            asks = _("Follow {a} and {b} through your code: where does each go?").format(
                a=pair[0], b=pair[1]
            )
            if self.explains(dict(zip(pair, map(self.parts.get, pair[::-1])))):
                text = _("It gives what is right if {a} and {b} change places.")
                yield Fact("exchanged", pair, text.format(a=pair[0], b=pair[1]), asks)
            for a, b in (pair, pair[::-1]):
                if self.explains({a: self.parts[b]}):
                    text = _("It gives what is right if {b} stands in the place of {a}.", a=a, b=b)
                    yield Fact("in place of", (a, b), text, asks)

    def without_influence(self):
        """Inputs that change the right result, and not this one; or the other way round."""
        for (how, change), (name, part) in itertools.product(CHANGES.items(), self.parts.items()):
            if change is not other and not part[0].is_floating_point():
                continue
            news = [{name: [change(t, seed) for t in part]} for seed in (1, 2)]
            moves = self.moves(news if change is other else news[:1])
            asks = _("Where should {name} come in?", name=name)
            if moves == {(False, True)}:
                text = _("{out} stays the same when {name} {how}, and should not.")
                text = text.format(out=self.name, name=name, how=how)
                yield Fact("no influence", (self.name, name, how), text, asks)
            elif moves == {(True, False)}:
                text = _("{out} changes when {name} {how}, and should not.")
                text = text.format(out=self.name, name=name, how=how)
                yield Fact("influence", (self.name, name, how), text, asks)
        for name, number in numbers(self.exercise, self.case).items():
            if self.moves([{name: [number + 1]}, {name: [number - 1]}]) == {(False, True)}:
                text = _("{out} stays the same when {name} is larger or smaller by 1.")
                asks = _("Where should {name} come in?", name=name)
                text = text.format(out=self.name, name=name)
                yield Fact("no influence", (self.name, name, 1), text, asks)

    def moves(self, news):
        """{(whether the answer changes, whether the right one does)} for each of these inputs."""
        found = set()
        for new in news:
            right = self.of(self.exercise.right, new)
            mine = right and self.of(self.answer, new)
            if mine:
                pairs = (mine, self.mine), (right, self.wanted)
                found.add(tuple(not _same(a, b, [self.name]) for a, b in pairs))
        return found

    def right_for_a_changed_input(self):
        """One input that comes changed: the answer is right for it as it then is."""
        for name, part in self.parts.items():
            if len(part) > 1 or not part[0].is_floating_point() or not part[0].ndim:
                continue
            value = part[0].double().numpy()
            for how, made in changed(value, value.shape, {}):
                new = torch.as_tensor(np.array(made, order="C")).to(part[0].dtype)
                if new.shape == part[0].shape and self.explains({name: [new]}):
                    text = _("It gives what is right if {name} comes {how}.", name=name, how=how)
                    asks = _("What do you do with {name}, and should you?", name=name)
                    yield Fact("right for changed", (name, how), text, asks)

    def moved(self):
        """A part of an input that moves the result, or a part of it, and should not; or should."""
        name = self.name
        of_both = (self.answer, self.mine[name]), (self.exercise.right, self.wanted[name])
        single = [(p, t[0]) for p, t in self.parts.items() if len(t) == 1 and t[0].ndim > 1]
        for (part, tensor), axis in itertools.product(single, (-2, -3, -1)):
            for j in range(_length(tensor, axis))[::-1][:MOST_PARTS]:
                new = tensor.clone()
                new.select(axis, j).copy_(other(tensor, 1).select(axis, j))
                came = [(self.of(code, {part: [new]}).get(name), a) for code, a in of_both]
                if any(after is None or after.shape != a.shape for after, a in came):
                    continue
                cells = [apart(after, a) for after, a in came]
                told, i = {"out": name, "part": cell(part, axis, j, tensor)}, None
                moves = [c.any() for c in cells]
                lengths = {_length(a, axis) for a in (*cells, tensor)}
                if moves[0] == moves[1] and len(lengths) == 1:
                    lines = [_lines(c, axis, np.any) for c in cells]
                    i = next(iter(np.flatnonzero(lines[0] != lines[1]).tolist()), None)
                    if i is not None:
                        told["out"] = cell(name, axis, i, cells[0])
                        moves = [line[i] for line in lines]
                if moves[0] != moves[1]:
                    text = _("{out} does not change with {part}, and should.", **told)
                    if moves[0]:
                        text = _("{out} changes with {part}, and should not.", **told)
                    about = name, part, axis, i, j, bool(moves[0])
                    yield Fact("moved", about, text, _("Which step brings the two together?"))
                    return


def _same(a, b, names=None):
    return not [n for n in names or a | b if not (n in a and n in b and alike(a[n], b[n]))]


def _length(array, axis):
    return array.shape[axis] if array.ndim >= -axis else 0


def apart(a, b):
    """Where two arrays of one shape differ."""
    return ~np.isclose(a, b, **CLOSE, equal_nan=True)


def _lines(cells, axis, how):
    """For each index along an axis, whether `how`, any or all, of its cells are True."""
    return how(cells, tuple(k for k in range(cells.ndim) if k != axis % cells.ndim))


def cell(name, axis, i, array):
    """A part of an array as Python writes it: x[:, 3]."""
    return f"{name}[{':, ' * (axis % array.ndim)}{i}]"


def on_gradients(mine, wanted):
    """Gradients of 0 that should not be; and which gradients are right."""
    names = [n for n in wanted if n.startswith("∂") and n in mine]
    zero = [n[1:] for n in names if not mine[n].any() and wanted[n].any()]
    good = [n[1:] for n in names if np.allclose(mine[n], wanted[n], rtol=1e-3, atol=1e-4)]
    bad = [n[1:] for n in names if n[1:] not in good]
    if zero:
        text = _("The gradient of {names} is 0: nothing is learned there.", names=", ".join(zero))
        yield Fact("zero gradient", tuple(zero), text, _("What cuts the way back from the result?"))
    if good and bad:
        told = {"right": ", ".join(good), "wrong": ", ".join(bad)}
        text = _("Gradients that are right: {right}; not right: {wrong}.", **told)
        asks = _("What happens on the way back to {wrong} alone?", wrong=bad[0])
        yield Fact("gradients", (tuple(good), tuple(bad)), text, asks)


def not_finite(name, got, right):
    """How many numbers are nan or infinite, where all should be finite."""
    if got.dtype != bool and got.size and np.isfinite(right).all():
        for what, found in ((_("nan"), np.isnan), (_("infinite"), np.isinf)):
            if count := int(found(got).sum()):
                told = {"count": count, "size": got.size, "name": name, "what": what}
                text = _("{count} of {size} numbers of {name} are {what}.", **told)
                asks = _("Where is a number divided by 0, or is exp of it too large?")
                yield Fact("not finite", (name, what, count), text, asks)


def other_result(mine, wanted):
    """A result that comes as another one."""
    for a, b in itertools.permutations([n for n in wanted if n in mine], 2):
        if alike(mine[a], wanted[b]) and not alike(mine[a], wanted[a]) and mine[a].size > 1:
            text = _("What comes as {a} is what is expected as {b}.", a=a, b=b)
            yield Fact("other result", (a, b), text, _("In which order are they asked for?"))


def one_factor(name, got, right, sizes):
    """One factor or one shift throughout; of weights, one factor of the scores behind them."""
    finite = np.isfinite(right)
    if got.shape != right.shape or bool in (got.dtype, right.dtype) or not finite.any():
        return
    a, b = got[finite], right[finite]
    if not np.isfinite(a).all() or not np.array_equal(got[~finite], right[~finite], equal_nan=True):
        return
    factor = a @ b / (b @ b) if b.any() else 0.0
    shift = np.mean(a - b)
    if abs(factor) > 1e-6 and np.allclose(a, factor * b, **CLOSE):
        yield _times("factor", name, factor, sizes, _("{name} is {factor} times what is expected."))
    elif b.size > 1 and np.allclose(a - b, shift, **CLOSE) and np.ptp(b) > 1e-3:
        text = _("{name} is what is expected, with {shift:+.4g} everywhere.", name=name, shift=shift)
        yield Fact("shift", (name, shift), text, _("What is added everywhere, or left out?"))
    elif all((x >= 0).all() and np.allclose(x.sum(-1), 1, atol=1e-4) for x in (got, right)):
        seen = (got > 1e-6) & (right > 1e-6)
        count = np.maximum(seen.sum(-1, keepdims=True), 1)
        logs = [np.where(seen, np.log(x, where=seen, out=np.zeros_like(x)), 0) for x in (got, right)]
        a, b = (np.where(seen, x - x.sum(-1, keepdims=True) / count, 0).ravel() for x in logs)
        factor = a @ b / (b @ b) if b @ b > 1e-2 else 0.0
        hidden = np.array_equal(got > 1e-6, right > 1e-6)
        if hidden and abs(factor) > 1e-6 and np.allclose(a, factor * b, rtol=1e-3, atol=1e-3):
            text = _("{name} is what scores give that are {factor} times as large.")
            yield _times("scores times", name, factor, sizes, text)


def _times(kind, name, factor, sizes, says):
    """The Fact on a factor, which has a name if it is one of the usual: √3, 1/√3, 3, 1/3, -1."""
    known, square = f"{factor:.4g}", Fraction(factor**2).limit_denominator(64)
    if square and math.isclose(square, factor**2, rel_tol=1e-3):
        over, under = square.as_integer_ratio()
        if under in (1, 2, 3, 4, *sizes) or over == 1 or under in [n * n for n in range(17)]:
            known = f"√({square})" if under > 1 else f"√{over}"
            if all(math.isqrt(n) ** 2 == n for n in (over, under)):
                known = str(Fraction(math.isqrt(over), math.isqrt(under)))
            known = "-"[factor > 0 :] + known
    number = known if known == f"{factor:.4g}" else f"{factor:.4g} ({known})"
    asks = _("Where does {factor} come from here?", factor=known)
    return Fact(kind, (name, float(factor)), says.format(name=name, factor=number), asks)


def elsewhere(name, got, right, inputs):
    """What became of the right result, or is still to be done to this one."""
    for part, (tensor, *_more) in inputs.items():
        value = tensor.detach().double().numpy()
        if value.shape == got.shape and value.any() and alike(got * 1.0, value):
            text = _("{name} is {part} as it came.", name=name, part=part)
            yield Fact("an input", (name, part), text, _("What is to be done to it?"))
    for how, made in changed(right * 1.0, got.shape, inputs):
        if alike(got * 1.0, made) and _no_chance(made):
            text = _("{name} is what is expected, {how}.", name=name, how=how)
            yield Fact("expected, but", (name, how), text, _("Which step of yours does that?"))
            return
    for how, made in changed(got * 1.0, right.shape, {}):
        if alike(right * 1.0, made) and _no_chance(made):
            text = _("{name} is right once it is {how}.", name=name, how=how)
            yield Fact("right once", (name, how), text, _("Which step is missing?"))
            return
    if got.size == right.size and _no_chance(right) and got.dtype != bool:
        if alike(np.sort(got * 1.0, None), np.sort(right * 1.0, None)):
            text = _("{name} has the right numbers, in other places.", name=name)
            yield Fact("order", (name,), text, _("Which step moves them? Number them, and look."))


def _no_chance(a):
    """Whether its numbers are so many, or so different, that they do not agree by chance."""
    return a.size > 8 or len(np.unique(a)) > 2


def changed(a, shape, inputs):
    """(in words, array): what may have become of an array on its way to this shape."""
    axes = range(a.ndim)
    for order in itertools.permutations(axes) if 1 < a.ndim < 5 else ():
        if order != tuple(axes):
            yield _("with its axes in the order {order}", order=order), a.transpose(order)
    for axis in axes:
        yield _("reversed along axis {axis}", axis=axis), np.flip(a, axis)
        for step in (1, -1):
            told = {"axis": axis, "step": step}
            yield _("rolled by {step} along axis {axis}", **told), np.roll(a, step, axis)
        if a.shape[axis]:
            yield _("taken at 0 along axis {axis}", axis=axis), a.take(0, axis)
            yield _("taken at the end of axis {axis}", axis=axis), a.take(-1, axis)
        for how, merge in MERGED.items() if a.size else ():
            told = {"how": how, "axis": axis}
            yield _("{how} along axis {axis}", **told), merge(a, axis)
        if a.ndim == len(shape) and 0 < shape[axis] < a.shape[axis]:
            n = a.shape[axis] - shape[axis]
            told = {"axis": axis, "n": n}
            kept = np.arange(shape[axis])
            yield _("without the last {n} along axis {axis}", **told), a.take(kept, axis)
            yield _("without the first {n} along axis {axis}", **told), a.take(kept + n, axis)
    if a.size == math.prod(shape):
        yield _("in another shape"), a.reshape(shape)
    if a.ndim <= len(shape) and all(m in (n, 1) for m, n in zip(a.shape[::-1], shape[::-1])):
        yield _("repeated"), np.broadcast_to(a, shape)
    for part, (tensor, *_more) in inputs.items():
        if tuple(tensor.shape) == a.shape:
            value = tensor.detach().double().numpy()
            yield _("with {part} added", part=part), a + value
            yield _("with {part} subtracted", part=part), a - value
    for how, function in FUNCTIONS.items() if a.ndim else ():
        yield how, function(a)


def on_rows(name, got, right):
    """Rows that should sum to 1, and numbers where 0 must be."""
    if got.shape != right.shape or got.dtype == bool or not right.ndim or not got.size:
        return
    count = int(((np.abs(got) > 1e-4) & (right == 0)).sum())
    if count and (right != right.round()).any():
        text = _("{count} numbers of {name} are not 0 where 0 must be.", name=name, count=count)
        yield Fact("not 0", (name, count), text, _("Which step should make them 0?"))
    if right.shape[-1] > 1 and np.allclose(right.sum(-1), 1, atol=1e-4) and (right >= 0).all():
        low, high = got.sum(-1).min(), got.sum(-1).max()
        if max(abs(low - 1), abs(high - 1)) > 1e-3:
            told = {"name": name, "sums": " … ".join(dict.fromkeys([f"{low:.3g}", f"{high:.3g}"]))}
            text = _("Rows of {name} sum to {sums}; expected 1 each.", **told)
            if got.ndim > 1 and np.allclose(got.sum(-2), 1, atol=1e-3):
                text = _("Columns of {name} sum to 1, and rows do not.", name=name)
            asks = _("Along which axis is something divided by a sum, and by which one?")
            yield Fact("sums", (name, float(low), float(high)), text, asks)


def where_right(name, got, right):
    """Which parts are right and which are not, along the axis that tells most."""
    if got.shape != right.shape or got.size < 2:
        return
    wrong, best = apart(got, right), None
    i, j = np.indices(wrong.shape[-2:]) if wrong.ndim > 1 else (np.zeros(1), np.zeros(1))
    sides = {_("above"): i < j, _("below"): i > j, _("on"): i == j}
    for side, cells in sides.items() if min(*wrong.shape[-2:], 3) > 2 and wrong.ndim > 1 else ():
        if wrong.sum() > 1 and not (wrong & ~cells).any() and (wrong | ~cells).any(-2).sum() > 1:
            text = _("All cells of {name} that are wrong stand {side} its diagonal.")
            text = text.format(name=name, side=side)
            yield Fact("side", (name, side), text, _("What should be different there?"))
            return
    for axis in range(-wrong.ndim, 0):
        bad = _lines(wrong, axis, np.any)
        if not bad.all():
            clear = (bad == _lines(wrong, axis, np.all)).all(), (~bad).mean()
            best = max(best or (clear, axis, bad), (clear, axis, bad), key=lambda found: found[0])
    if best:
        clear, axis, bad = best
        told = {"cell": cell(name, axis, "i", got)}
        told |= {w: listed(np.flatnonzero(b)) for w, b in (("right", ~bad), ("wrong", bad))}
        text = _("{cell} is right for i = {right}, and wrong for i = {wrong}.", **told)
        yield Fact("where", (name, axis, tuple(np.flatnonzero(bad).tolist())), text,
                   _("What is special about these?"))  # fmt: skip
    elif wrong.mean() < 0.8:
        told = {"name": name, "count": int((~wrong).sum()), "size": wrong.size}
        text = _("{count} of {size} numbers of {name} are right.", **told)
        yield Fact("count", (name, told["count"]), text, _("What do the wrong ones have in common?"))


def listed(numbers):
    """Rising whole numbers in a line: "0, 1, 4 … 7"."""
    runs = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
    return ", ".join(f"{run[0]} … {run[-1]}" if len(run) > 2 else ", ".join(map(str, run))
                     for run in runs)  # fmt: skip
