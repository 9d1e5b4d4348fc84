"""Facts about a wrong answer from running it again: how its results depend on its inputs."""

import ast
import functools
import itertools
import time

import numpy as np
import torch

from .. import _
from . import relations as look
from .comparing import alike, differing
from .facts import fact
from .inputs import other, parts, varied
from .one_change import parsed
from .relations import along, apart, cell, changed, many
from .running import Run

SECONDS = 0.25  # of processor time for all trials of one answer together
CHANGES = {  # in words → how an input is changed
    _("changes"): other,
    _("is 3 times as large"): lambda a, seed: 3 * a,
    _("is larger by 1 everywhere"): lambda a, seed: a + 1,
}
MOST_STEPS = 8
# What may be so by chance in one case is told only if it is so in all that are wrong.
BY_CHANCE = {"factor", "shift", "order", "right once", "side"}
SAID_BY_FACTOR = {"expected", "right once"}
# A part of an input is changed in all these ways before it is said to have no effect: a single
# change may leave the largest number where it is, or a probability below a threshold.
WAYS = [
    lambda a: other(a, 1),
    lambda a: other(a, 2),
    lambda a: a.flip(-2),
    lambda a: -a if a.is_floating_point() else a,
    lambda a: 1 - a if a.is_floating_point() else other(a, 3),
    lambda a: 5 * a if a.is_floating_point() else a,
    lambda a: a + 10 if a.is_floating_point() else a,
    lambda a: a - 10 if a.is_floating_point() else a,
]


def relations(exercise, answer, looked_at, most=2):
    """(i, Facts) for the first case i with any; at most `most` Facts, the most telling first.

    looked_at   [(case, the Seen of the answer, the Seen of the right answer)]
    """
    end = time.process_time() + SECONDS
    pairs = [compared(mine, wanted) for _case, mine, wanted in looked_at]
    of_values = [i for i, pair in enumerate(pairs) if pair and not pair[0][0].startswith("∂")]
    kinds = functools.cache(lambda k: {one.kind for one in by_numbers(pairs[k])})
    for i in of_values or range(len(looked_at)):  # wrong values make wrong gradients
        found, others = {}, [k for k in of_values if k != i]
        with np.errstate(all="ignore"):
            for one in on_case(exercise, answer, *looked_at[i], end):
                by_chance = one.kind in BY_CHANCE and any(one.kind not in kinds(k) for k in others)
                said = one.kind in SAID_BY_FACTOR and "factor" in found
                if not by_chance and not said:
                    found.setdefault(one.kind, one)
                if len(found) == most:
                    break
        if found:
            return i, list(found.values())
    return 0, []


def compared(mine, wanted):
    """[(name, array of the answer, right array)] of the arrays that differ; [] if there is none."""
    if mine.trouble or not mine.values or not wanted.values:
        return []
    names = [n for n in differing(mine, wanted) if n in mine.values and n in wanted.values]
    pairs = [(n, mine.values[n], wanted.values[n]) for n in names]
    return [(n, got, right) for n, got, right in pairs if isinstance(got, np.ndarray)]


def by_numbers(pairs):
    """The Facts on one case that its numbers alone tell, without running anything again."""
    yield from of_each(pairs, look.one_factor)
    yield from of_each(pairs, look.elsewhere, {})
    yield from of_each(pairs, look.where_right)


def on_case(exercise, answer, case, mine, wanted, end):
    """All Facts on one case, the most telling first, until process_time() reaches `end`."""
    if not (pairs := compared(mine, wanted)):
        return
    if exercise.asks_for == "number":
        ((_name, got, right),) = pairs
        yield from look.of_number(got, right, exercise.parts)
        return
    if pairs[0][0].startswith("∂"):
        yield from look.on_gradients(mine.values, wanted.values)
        return
    yield from look.measured(mine.values, wanted.values)
    # A single True or False has nothing to compare.
    pairs = [(n, a, b) for n, a, b in pairs if a.ndim or " " not in n and a.dtype != bool]
    if not pairs:
        return
    trial = Trial(exercise, answer, case, mine.values, wanted.values, pairs[0][0], end)
    yield from of_each(pairs, look.not_finite)
    yield from look.other_result(mine.values, wanted.values)
    yield from trial.right_for_other_inputs()
    yield from of_each(pairs, look.one_factor)
    yield from of_each(pairs, look.elsewhere, trial.parts)
    yield from trial.without_influence()
    yield from of_each(pairs, look.on_rows)
    yield from trial.moved()
    yield from trial.right_for_a_changed_input()
    yield from look.some_right(mine.values, wanted.values)
    yield from of_each(pairs, look.where_right)
    yield from of_each(pairs, look.axes, trial.parts)


def of_each(pairs, facts, *more):
    return itertools.chain.from_iterable(facts(*pair, *more) for pair in pairs)


class Trial:
    """Runs one case again with other inputs, with the answer and with the right answer."""

    def __init__(self, exercise, answer, case, mine, wanted, name, end):
        self.exercise, self.answer, self.case, self.name = exercise, answer, case, name
        self.mine, self.wanted, self.end = mine, wanted, end
        self.run, found = Run(3 * SECONDS), parts(exercise, case)
        # The weights of layers come last: there are many, and the time is short.
        self.parts = dict(sorted(found.items(), key=lambda part: "." in part[0]))
        # A result may have the name of an input.
        self.called = _("{name} of the result", name=name) if name in found else name

    def of(self, code, changed):
        """{name: array} that code gives with these parts changed; {} if none, or out of time."""
        if time.process_time() > self.end:
            return {}
        case = varied(self.exercise, self.case, changed)
        return self.exercise.observe(code, case, self.run).values or {}

    def explains(self, change, always=False):
        """Whether the right code returns the answer's results if it gets changed inputs.

        change   a function of the inputs that returns what is to be changed: {name: [tensor]}
        always   whether it must hold in all cases

        The inputs must make a difference: inputs that give the right result explain nothing.
        Booleans, and few numbers, may agree by chance, so then this must hold in all cases.
        """
        right = self.of(self.exercise.right, change(self.parts))
        if not right or not _same(right, self.mine) or _same(right, self.wanted):
            return False
        arrays = [a for a in self.mine.values() if isinstance(a, np.ndarray)]
        enough = any(a.dtype != bool and many(a) for a in arrays)
        return (enough and not always) or all(
            self._explains_in(case, change)
            for case in self.exercise.all_cases
            if case is not self.case and case.how == self.case.how
        )

    def _explains_in(self, case, change):
        """The same in another case. Where the change leads to an error, nothing can be said."""
        if time.process_time() > self.end:
            return False
        try:
            new = varied(self.exercise, case, change(parts(self.exercise, case)))
        except (KeyError, RuntimeError):
            return True
        seen = self.exercise.observe(self.exercise.right, new, self.run).values
        return not seen or _same(
            seen, self.exercise.observe(self.answer, case, self.run).values or {}
        )

    def right_for_other_inputs(self):
        """Is the answer right if two inputs are exchanged, or one is used in place of another?"""
        shapes = {n: [t.shape for t in part] for n, part in self.parts.items() if part[0].ndim}
        for a, b in itertools.combinations(shapes, 2):
            if shapes[a] == shapes[b]:
                if self.explains(lambda p, a=a, b=b: {a: p[b], b: p[a]}):
                    yield fact("exchanged", a=a, b=b)
                for one, two in ((a, b), (b, a)):
                    if self.explains(lambda p, one=one, two=two: {one: p[two]}):
                        yield fact("in place of", a=one, b=two)

    def right_for_a_changed_input(self):
        """Is the answer right for a changed input, for example one that is transposed?"""
        for name, (tensor, *more) in self.parts.items():
            if not more and tensor.is_floating_point() and tensor.ndim:
                for how, made in _changed(tensor).items():
                    if made.shape == tensor.shape and self.explains(
                        lambda p, name=name, how=how: {name: [_changed(p[name][0])[how]]},
                        always=True,
                    ):
                        yield fact("right for", part=name, how=how)

    def without_influence(self):
        """Inputs that affect only the right result, or only that of the answer."""
        if not np.isfinite(self.mine[self.name]).any():
            return  # nan stays nan, whatever changes
        pairs = itertools.product(CHANGES.items(), self.parts.items())
        for (how, change), (part, tensors) in pairs:
            if change is other or tensors[0].is_floating_point():
                moves = set()
                # A single whole number may matter at one value alone.
                most = 12 if tensors[0].ndim == 0 and not tensors[0].is_floating_point() else 3
                for seed in range(1, 1 + most) if change is other else (1,):
                    new = {part: [change(t, seed) for t in tensors]}
                    moves.add(self.moves(new, lambda a, b: not alike(a, b)))
                moves -= {None, (False, False)}  # no time left, or neither result changed
                if moves == {(False, True)}:
                    kind = "no influence here" if self.reads(part) else "no influence"
                    yield fact(kind, name=self.called, part=part, how=how)
                elif moves == {(True, False)}:
                    yield fact("influence", name=self.called, part=part, how=how)

    def reads(self, part):
        """Whether the answer's code names this input; True if that cannot be told."""
        nodes = [*ast.walk(parsed(self.answer)[0])]
        word = part.split(".")[-1]
        known = {n.arg for n in nodes if isinstance(n, ast.arg)}
        known |= {n.attr for n in nodes if isinstance(n, ast.Attribute)}
        loaded = {n.id for n in nodes if isinstance(n, ast.Name)}
        loaded |= {
            n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)
        }
        return word in loaded or word not in known

    def moves(self, new, compare):
        """(compare(before, after) of the answer's result, the same of the right one), or None."""
        found = []
        for code, before in ((self.exercise.right, self.wanted), (self.answer, self.mine)):
            after = self.of(code, new).get(self.name)
            if after is None:
                return None
            found.append(compare(before[self.name], after))
        return found[1], found[0]

    def moved(self):
        """A part of an input that affects a part of the result and should not, or the reverse."""
        if self.case.ties or not np.isfinite(self.mine[self.name]).any():
            return
        single = [(p, t[0]) for p, t in self.parts.items() if len(t) == 1 and t[0].ndim > 1]
        for (part, tensor), axis in itertools.product(single, (-2, -3, -1)):
            length = tensor.shape[axis] if tensor.ndim >= -axis else 0
            for j in range(length)[::-1]:
                if told := self._moved_by(part, tensor, axis, j):
                    yield told
                    return

    def _moved_by(self, part, tensor, axis, j):
        """The Fact that this part of an input affects only one of both results; or None."""
        both = self.mine[self.name], self.wanted[self.name]
        found, told = [np.zeros(a.shape, bool) for a in both], None
        # Rolled by each step, the largest number of a row stands at each position once.
        rolled = [lambda a, k=k: a.roll(k, -1) for k in range(1, min(tensor.shape[-1], MOST_STEPS))]
        for way in WAYS + rolled:
            new = tensor.clone()
            new.select(axis, j).copy_(way(tensor).select(axis, j))
            cells = self.moves({part: [new]}, apart)
            if not cells or any(c.shape != a.shape for c, a in zip(cells, both)):
                return None
            found = [a | b for a, b in zip(found, cells)]
            told = self._unlike(found, axis, tensor.shape[axis])
            if not told:
                return None
        kind, out = told
        if kind == "moved" and both[1].dtype != bool and not (both[1] % 1).any():
            return None  # whole numbers of a choice may stay as they are by chance
        return fact(kind, out=out, part=cell(part, axis, j, tensor))

    def _unlike(self, found, axis, length):
        """(the kind of the fact, what moves) if the cells that moved tell of one; else None."""
        both = self.mine[self.name], self.wanted[self.name]
        mine, right = (bool(c.any()) for c in found)
        if mine != right:
            return "moved" if mine else "not moved", self.called
        if both[0].shape != both[1].shape or both[0].ndim < -axis or both[0].shape[axis] != length:
            return None
        lines = [along(c, axis, np.any) for c in found]
        i = int(np.argmax(lines[0] != lines[1]))
        if lines[0][i] == lines[1][i]:
            return None
        return "moved" if lines[0][i] else "not moved", cell(self.name, axis, i, both[0])


def _changed(tensor):
    """{in words: tensor} of a tensor changed as a whole."""
    made = changed(tensor.double().numpy(), tensor.shape, {})
    return {how: torch.as_tensor(np.array(a, order="C")).to(tensor.dtype) for how, a in made}


def _same(a, b):
    return not [n for n in a | b if not (n in a and n in b and alike(a[n], b[n]))]
