"""Facts about a wrong answer that no mistake explains, each of which one case shows at a glance.

A fact states what was observed. What may be so by chance is told only if enough numbers, all wrong
cases, or several changes of the input bear it out.
"""

import functools
import time
from dataclasses import dataclass

import numpy as np
import torch

from .. import _
from .comparing import alike, apart, is_measured, pairs
from .exercise import Case, fresh, wave
from .running import Run

SECONDS = 0.25  # of processor time for all that runs again with other inputs
ENOUGH = 4  # as many numbers, or changes of the input, are not alike by chance

FACTS = {  # kind → the observation, and the question that it leads to
    "one change": _(
        "One change in line {line} makes everything right, at: {text}\nWhat does this do here?"
    ),
    "not finite": _(
        "{count} of {size} numbers of {name} are not finite.\n"
        "Where is a division by 0, ∞ / ∞, 0 · ∞, ∞ − ∞, or a root or logarithm of too small a number?"
    ),
    "factor": _("{name} is {factor} times what is expected.\nWhere does {factor} come from here?"),
    "sums": _("Rows of {name} sum to {sums}, not to 1.\nWhat do you divide by, along which axis?"),
    "no influence": _("{name} does not change when {part} changes.\nWhere should {part} come in?"),
    "influence": _(
        "In this case, {name} changes with {part}, and should not.\nWhich step brings them together?"
    ),
}


@dataclass(frozen=True)
class Fact:
    """Something true of an answer, as data and as a sentence, and the question it leads to."""

    kind: str
    about: dict
    says: str
    asks: str


def fact(kind, **about):
    return Fact(kind, about, *FACTS[kind].format(**about).split("\n"))


def facts(exercise, answer, mine, wanted, tried):
    """The Facts on one case, the most telling first, each of another kind.

    mine, wanted   the Seen of the answer, and that of the right answer, on this case
    tried          the same, as pairs, of each case that is wrong
    """
    names = [n for n, (got, _right) in pairs(mine, wanted).items() if not is_measured(n, got)]
    if exercise.asks_for == "number" or not names:
        return []
    found = []
    with np.errstate(all="ignore"):
        for name in names:
            both = [(m.values.get(name), w.values[name]) for m, w in tried
                    if m.values and w.values and name in w.values]  # fmt: skip
            if all(isinstance(got, np.ndarray) for got, _right in both):
                got, right = mine.values[name], wanted.values[name]
                found += not_finite(name, got, right)
                found += one_factor(name, both) + row_sums(name, got, [w for _m, w in both])
        first = mine.values[names[0]]
        is_yes_or_no = first.dtype == bool and not first.ndim  # of a test: it seldom changes
        if len(found) < 2 and "∂" not in names[0] and np.isfinite(first).all() and not is_yes_or_no:
            found += on_influence(exercise, answer, mine.case, names[0])
    return [one for i, one in enumerate(found) if one.kind not in [f.kind for f in found[:i]]]


def not_finite(name, got, right):
    count = int((~np.isfinite(got)).sum()) if np.isfinite(right).all() else 0
    return [fact("not finite", name=name, count=count, size=got.size)] if count else []


def one_factor(name, both):
    """The result is a multiple of the right one, with one factor in all cases that are wrong."""
    if any(got.shape != right.shape or got.dtype == bool for got, right in both):
        return []
    a, b = (np.concatenate([arrays[i].ravel() for arrays in both]) for i in (0, 1))
    telling = np.isfinite(b) & (b != 0)
    factor = np.median(a[telling] / b[telling]) if len(np.unique(b)) >= ENOUGH else 0
    fits = factor and np.isfinite(factor) and alike(a, factor * b)
    return [fact("factor", name=name, factor=f"{factor:.4g}")] if fits else []


def row_sums(name, got, rights):
    """Rows that do not sum to 1, where all right ones do, and not only as whole numbers do."""
    shares = [r.ndim and (r >= 0).all() and np.allclose(r.sum(-1), 1, atol=1e-3) for r in rights]
    whole = not any((right % 1).any() for right in rights)
    if whole or not all(shares) or got.ndim != rights[0].ndim or not np.isfinite(got).all():
        return []
    sums = got.sum(-1)
    ends = " … ".join(dict.fromkeys(f"{x:.3g}" for x in (sums.min(), sums.max())))
    wrong = not np.allclose(sums, 1, atol=5e-3)  # float16 is as close as this
    return [fact("sums", name=name, sums=ends)] if wrong else []


class Again:
    """One case that runs again with changed inputs, to see where the result `name` changes."""

    def __init__(self, exercise, answer, case, name, end):
        self.exercise, self.codes = exercise, (answer, exercise.right)
        self.case, self.name, self.end = case, name, end
        self.parts, self.run = parts(exercise, case), Run(3 * SECONDS)
        # The result may have the name of an input.
        self.called = _("{name} of the result", name=name) if name in self.parts else name

    @functools.cached_property
    def before(self):
        return self._results({})

    def moved(self, new):
        """[where the answer's result changes with these inputs, where the right one does], or []."""
        both = [*zip(self.before, self._results(new))]
        there = all(isinstance(array, np.ndarray) for two in both for array in two)
        return [apart(*two) for two in both] if there else []

    def _results(self, new):
        if time.process_time() > self.end:
            return None, None
        case = varied(self.exercise, self.case, new)
        seen = [self.exercise.observe(code, case, self.run).values or {} for code in self.codes]
        return [values.get(self.name) for values in seen]


def on_influence(exercise, answer, looked_at, name):
    """Facts on what changes the result `name`, found by running the cases with other inputs."""
    end = time.process_time() + SECONDS
    others = [c for c in exercise.all_cases if c.how == looked_at.how and c is not looked_at]
    agains = [Again(exercise, answer, case, name, end) for case in (looked_at, *others)]
    return [*without_influence(agains), *with_influence(agains[0])]


def without_influence(agains):
    """A part of the input that changes the answer's result in no case, and often the right one."""
    for part in agains[0].parts:
        count = 0
        tries = [(a, x) for a in agains if part in a.parts for x in changed(a.parts[part])]
        for again, new in tries:
            moved = again.moved({part: new})
            if moved and moved[0].any():
                break
            count += bool(moved) and moved[1].any() and np.isfinite(again.before[0]).all()
        else:
            if count >= ENOUGH and time.process_time() < agains[0].end:
                yield fact("no influence", name=agains[0].called, part=part)
                return


def with_influence(again):
    """A row of an input that changes a row of the result, and never that of the right one."""
    if again.case.ties or again.before[1] is None or not (again.before[1] % 1).any():
        return  # a choice, a mask or ids may stay as they are by chance
    for part, tensor in again.parts.items():
        for row in reversed(range(tensor.shape[-2] if tensor.ndim > 1 else 0)):
            here = torch.arange(tensor.shape[-2])[:, None] == row
            moved = [again.moved({part: x.where(here, tensor)}) for x in changed(tensor)]
            if not all(moved) or any(m.shape != r.shape or m.ndim < 2 for m, r in moved):
                continue
            mine, right = (_rows(cells) for cells in zip(*moved, strict=True))
            for i in np.flatnonzero(mine & ~right):
                out = _row_of(again.name, again.before[0], i)
                yield fact("influence", name=out, part=_row_of(part, tensor, row))
                return


def _row_of(name, array, i):
    """A row of an array in Python's notation: x[:, 3]."""
    return f"{name}[{':, ' * (array.ndim - 2)}{i}]"


def _rows(several):
    """Which rows change in any of several arrays: (rows,)."""
    changes = np.any(several, axis=0)
    return changes.any(axis=tuple(k for k in range(changes.ndim) if k != changes.ndim - 2))


def parts(exercise, case):
    """{name: tensor} of the arguments that are tensors or whole numbers, and of a Layer's parts."""
    found = {}
    for name, value in zip(case.names or exercise.arguments, fresh(case.arguments)):
        if hasattr(value, "holding"):  # a judge.layers.Layer
            found |= value.tensors()
        elif isinstance(value, torch.Tensor) or type(value) is int:
            found[name] = torch.as_tensor(value)
    return found


def varied(exercise, case, new):
    """The case with these parts replaced: {name: tensor}."""
    arguments = fresh(case.arguments)
    for i, (name, value) in enumerate(zip(case.names or exercise.arguments, arguments)):
        if hasattr(value, "holding"):
            arguments[i] = value.holding(new)
        elif name in new:
            arguments[i] = int(new[name]) if type(value) is int else new[name]
    return Case(case.says, *arguments, how=case.how, close=case.close, names=case.names)


def changed(tensor):
    """[tensor]: the same tensor with other numbers, several times.

    A single change may leave the largest number where it is, or a probability below a threshold.
    """
    axes = [*range(tensor.ndim)]
    if tensor.is_floating_point():
        size = 0.5 + tensor.nan_to_num(0, 0, 0).abs().mean()
        waves = [size * wave(*tensor.shape, seed=seed) for seed in (21, 22)]
        found = [*waves, tensor.flip(axes[:1]), -tensor, 1 - tensor, 5 * tensor]
        found += [tensor + 10, tensor - 10]
        return [torch.where(tensor.isfinite(), new.to(tensor.dtype), tensor) for new in found]
    if not axes:  # a whole number, such as a width, may matter at values that no case has
        return []
    # Ids must stay in the vocabulary, so they change places, and one id comes in place of others.
    one = tensor[..., :1].expand_as(tensor).clone()
    rolled = tensor.roll((1,) * len(axes), axes)
    swapped = ~tensor if tensor.dtype == torch.bool else tensor.flip(axes[-1])
    return [tensor.roll(1, -1), rolled, swapped, one]
