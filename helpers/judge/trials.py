"""Facts about a wrong answer from running it again: how its results depend on its inputs."""

import itertools
import time

import numpy as np
import torch

from .. import _
from . import relations as look
from .comparing import alike, differing
from .inputs import other, parts, varied
from .relations import along, apart, cell, changed, fact
from .running import Run

SECONDS = 0.25  # of processor time for all trials of one answer together
CHANGES = {  # in words → how an input is changed
    _("changes"): other,
    _("is 3 times as large"): lambda a, seed: 3 * a,
    _("is larger by 1 everywhere"): lambda a, seed: a + 1,
}


def relations(exercise, answer, looked_at, most=2):
    """(i, Facts) for the first case i with any; at most `most` Facts, the most telling first.

    looked_at   [(case, the Seen of the answer, the Seen of the right answer)]
    """
    end = time.process_time() + SECONDS
    for i, (case, mine, wanted) in enumerate(looked_at):
        found = {}
        with np.errstate(all="ignore"):
            looks = () if mine.trouble else on_case(exercise, answer, case, mine, wanted, end)
            for one in looks:
                found.setdefault(one.kind, one)
                if len(found) == most:
                    break
        if found:
            return i, list(found.values())
    return 0, []


def on_case(exercise, answer, case, mine, wanted, end):
    """All Facts on one case, the most telling first, until process_time() reaches `end`."""
    names = [n for n in differing(mine, wanted) if n in mine.values and n in wanted.values]
    pairs = [(n, mine.values[n], wanted.values[n]) for n in names]
    pairs = [(n, got, right) for n, got, right in pairs if isinstance(got, np.ndarray)]
    if not pairs:
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
    yield from of_each(pairs, look.where_right)
    yield from of_each(pairs, look.axes, trial.parts)


def of_each(pairs, facts, *more):
    return itertools.chain.from_iterable(facts(*pair, *more) for pair in pairs)


class Trial:
    """Runs one case again with other inputs, with the answer and with the right answer."""

    def __init__(self, exercise, answer, case, mine, wanted, name, end):
        self.exercise, self.answer, self.case, self.name = exercise, answer, case, name
        self.mine, self.wanted, self.end = mine, wanted, end
        self.run, self.parts = Run(3 * SECONDS), parts(exercise, case)

    def of(self, code, changed):
        """{name: array} that code gives with these parts changed; {} if none, or out of time."""
        if time.process_time() > self.end:
            return {}
        case = varied(self.exercise, self.case, changed)
        return self.exercise.observe(code, case, self.run).values or {}

    def explains(self, changed):
        """Whether the right code returns the answer's results if it gets these inputs instead.

        The inputs must make a difference: inputs that give the right result explain nothing.
        """
        right = self.of(self.exercise.right, changed)
        return bool(right) and _same(right, self.mine) and not _same(right, self.wanted)

    def right_for_other_inputs(self):
        """Is the answer right if two inputs are exchanged, or one is used in place of another?"""
        shapes = {n: [t.shape for t in part] for n, part in self.parts.items() if part[0].ndim}
        for a, b in itertools.combinations(shapes, 2):
            if shapes[a] == shapes[b]:
                if self.explains({a: self.parts[b], b: self.parts[a]}):
                    yield fact("exchanged", a=a, b=b)
                for one, two in ((a, b), (b, a)):
                    if self.explains({one: self.parts[two]}):
                        yield fact("in place of", a=one, b=two)

    def right_for_a_changed_input(self):
        """Is the answer right for a changed input, for example one that is transposed?"""
        for name, (tensor, *more) in self.parts.items():
            if not more and tensor.is_floating_point() and tensor.ndim:
                for how, made in changed(tensor.double().numpy(), tensor.shape, {}):
                    new = torch.as_tensor(np.array(made, order="C")).to(tensor.dtype)
                    if new.shape == tensor.shape and self.explains({name: [new]}):
                        yield fact("right for", part=name, how=how)

    def without_influence(self):
        """Inputs that affect only the right result, or only that of the answer."""
        pairs = itertools.product(CHANGES.items(), self.parts.items())
        for (how, change), (part, tensors) in pairs:
            if change is other or tensors[0].is_floating_point():
                moves = set()
                for seed in (1, 2) if change is other else (1,):
                    new = {part: [change(t, seed) for t in tensors]}
                    moves.add(self.moves(new, lambda a, b: not alike(a, b)))
                moves -= {None, (False, False)}  # no time left, or neither result changed
                if moves == {(False, True)}:
                    yield fact("no influence", name=self.name, part=part, how=how)
                elif moves == {(True, False)}:
                    yield fact("influence", name=self.name, part=part, how=how)

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
        both = self.mine[self.name], self.wanted[self.name]
        single = [(p, t[0]) for p, t in self.parts.items() if len(t) == 1 and t[0].ndim > 1]
        for (part, tensor), axis in itertools.product(single, (-2, -3, -1)):
            length = tensor.shape[axis] if tensor.ndim >= -axis else 0
            matched = {a.shape[axis] for a in both if a.ndim >= -axis} == {length}
            matched &= both[0].shape == both[1].shape
            for j in range(length)[::-1]:
                new = tensor.clone()
                new.select(axis, j).copy_(other(tensor, 1).select(axis, j))
                cells = self.moves({part: [new]}, apart)
                if not cells or any(c.shape != a.shape for c, a in zip(cells, both)):
                    continue
                told = {"out": self.name, "part": cell(part, axis, j, tensor)}
                mine, right = (bool(c.any()) for c in cells)
                if mine == right and matched:
                    lines = [along(c, axis, np.any) for c in cells]
                    i = int(np.argmax(lines[0] != lines[1]))
                    mine, right = (bool(line[i]) for line in lines)
                    told["out"] = cell(self.name, axis, i, both[0])
                if mine != right:
                    yield fact("moved" if mine else "not moved", **told)
                    return


def _same(a, b):
    return not [n for n in a | b if not (n in a and n in b and alike(a[n], b[n]))]
