"""A small case on which an answer is wrong in the same way: few tokens, few dimensions, 0, 1 and 2."""

import itertools
import math
import re
import time
from dataclasses import dataclass, fields, replace

import numpy as np
import torch

from .. import _
from .comparing import differing
from .exercise import Case
from .inputs import numbers, parts, varied
from .running import Run

SECONDS = 0.3  # of computing that the search may take
PRODUCT = re.compile(r"(\w+) @ (\w+)(\.T)?(?: / √(\w+))?")
SOFTMAX = re.compile(r"softmax\((causal )?(\w+)\)")


@dataclass(frozen=True)
class Smallest:
    """A case, the Seen of the answer and of the right one, and the first cell that differs."""

    case: Case
    mine: object
    wanted: object
    name: str
    cell: tuple
    given: str  # all its inputs, in numbers
    sums: tuple = ()  # the sums behind the expected cell


class Search:
    """Tries smaller cases, as long as there is time; keeps each on which the answer is as wrong."""

    def __init__(self, exercise, answer, case, mine, wanted):
        self.exercise, self.answer, self.run = exercise, answer, Run(10 * SECONDS)
        self.end = time.process_time() + SECONDS
        self.case, self.mine, self.wanted = case, mine, wanted
        self.kind = self.kind_of(mine, wanted)
        self.axes = {}  # length → the axes of inputs that have it, and are cut together
        for name, (tensor, *_more) in self._tensors().items():
            for axis, n in enumerate(tensor.shape):
                self.axes.setdefault(n, []).append((name, axis))

    def _tensors(self):
        """{name: [tensor]} of the inputs that are no part of a layer."""
        found = parts(self.exercise, self.case)
        return {name: part for name, part in found.items() if "." not in name}

    def kind_of(self, mine, wanted):
        """(the first array that differs, whether its shape does, whether it has nan); None if none."""
        if mine.trouble or wanted.trouble or not mine.values or not wanted.values:
            return None
        named = (*self.exercise.returns, "context", "weights")
        names = [n for n in differing(mine, wanted) if n in named]
        if not names or names[0] not in mine.values or not wanted.values[names[0]].size:
            return None
        if np.isnan(wanted.values[names[0]]).any():
            return None
        got, right = mine.values[names[0]], wanted.values[names[0]]
        return names[0], got.shape != right.shape, bool(np.isnan(got).any())

    def keep(self, case):
        """Whether the answer is wrong in the same way on this case, which then is the smallest."""
        if time.process_time() > self.end:
            return False
        wanted = self.exercise.observe(self.exercise.right, case, self.run)
        if wanted.trouble or not self._is_stable(case, wanted):
            return False
        mine = self.exercise.observe(self.answer, case, self.run)
        if self.kind_of(mine, wanted) != self.kind:
            return False
        self.case, self.mine, self.wanted = case, mine, wanted
        return True

    def _is_stable(self, case, wanted):
        """Whether a nudge hardly moves the right result: no tie, for example, decides it."""
        floats = {n: t for n, t in parts(self.exercise, case).items() if t[0].is_floating_point()}
        nudged = {n: [t + 1e-4 * torch.sin(torch.arange(t.numel())).reshape(t.shape) for t in part]
                  for n, part in floats.items()}  # fmt: skip
        near = self.exercise.observe(self.exercise.right, varied(self.exercise, case, nudged), self.run)
        return not near.trouble and all(
            np.allclose(near.values[n], a, atol=0.05, rtol=0.05, equal_nan=True)
            for n, a in wanted.values.items()
            if isinstance(a, np.ndarray) and n in near.values
        )

    def smaller_sizes(self):
        """Shorten all axes of one length together; whole numbers, and the sizes of a layer."""
        for name, n in numbers(self.exercise, self.case).items():
            for m in [m for m in (1, 2, 3) if m < n]:
                yield varied(self.exercise, self.case, {name: [m]})
        for layer in [a for a in self.case.arguments if hasattr(a, "tensors")]:
            sizes = {f.name: getattr(layer, f.name) for f in fields(layer) if f.type in ("int", int)}
            for name, n in sizes.items():
                for m in [m for m in (0, 1, 2, 3) if m < n and (m or name == "batch")]:
                    yield self._with(replace(layer, **{name: m}))
            if layer.xray or layer.level or layer.blank is not None or layer.qkv_bias:
                yield self._with(replace(layer, xray=False, level=0.0, blank=None, qkv_bias=False))
            return
        tensors = self._tensors()
        for axes in self.axes.values():
            n = tensors[axes[0][0]][0].shape[axes[0][1]]
            for m in sorted({m for m in (1, 2, n // 2, n - 1) if 0 < m < n}):
                cut = {}
                for name, axis in axes:
                    cut[name] = [cut.get(name, tensors[name])[0].narrow(axis, 0, m).clone()]
                yield varied(self.exercise, self.case, cut)

    def _with(self, layer):
        return Case(self.case.says, layer, how=self.case.how, close=self.case.close)

    def rounder(self):
        """Whole tensors of small whole numbers, then cell by cell a 0, 1 or 2."""
        for name, (tensor,) in self._tensors().items():
            if tensor.dtype == torch.bool:
                continue
            if tensor.is_floating_point():
                wave = (2 * tensor).round().clamp(-2, 2)
                for new in (torch.zeros_like(tensor), wave.abs(), wave):
                    if self.keep(varied(self.exercise, self.case, {name: [new]})):
                        break
            (tensor,) = self._tensors()[name]
            for place in itertools.product(*map(range, tensor.shape)):
                for number in (0, 1, 2):
                    if tensor[place] in range(number + 1):
                        break
                    new = tensor.clone()
                    new[place] = number
                    if self.keep(varied(self.exercise, self.case, {name: [new]})):
                        tensor = new
                        break


def smallest(exercise, answer, case, mine, wanted):
    """The Smallest case that is found in the time; None where there is nothing to make smaller."""
    search = Search(exercise, answer, case, mine, wanted)
    if not search.kind or search.kind[0].startswith("∂"):
        return None
    while any(search.keep(smaller) for smaller in search.smaller_sizes()):
        pass
    search.rounder()
    if search.case is case:
        return None
    name = search.kind[0]
    got, right = search.mine.values[name], search.wanted.values[name]
    given = {n: part[0] for n, part in search._tensors().items()}
    words = [f"{n} = {written(t)}" for n, t in given.items()]
    words += [f"{n} = {number}" for n, number in numbers(exercise, search.case).items()]
    cell = ()
    if got.shape == right.shape:
        apart = ~np.isclose(got, right, rtol=1e-4, atol=1e-5, equal_nan=True)
        cell = tuple(np.argwhere(apart)[0].tolist()) if apart.any() else ()
    known = {n: t.double().numpy() for n, t in given.items()} | search.wanted.values
    found = search.case, search.mine, search.wanted, name, cell, ", ".join(words)
    return Smallest(*found, tuple(opened(exercise.sums, name, cell, known)))


def written(tensor):
    """A tensor as nested brackets of short numbers: [[1, 0], [0, 0.5]]."""
    if tensor.ndim:
        return f"[{', '.join(map(written, tensor))}]"
    return str(bool(tensor)) if tensor.dtype == torch.bool else short(float(tensor))


def short(x):
    return f"{x + 0.0:.4g}" if not math.isfinite(x) or x == round(x) else f"{x:.2f}"


def opened(sums, name, place, known):
    """The sum behind a cell of the right result, in numbers, and that of a score behind a weight.

    sums    {"scores": "queries @ keys.T / √keys", "weights": "softmax(scores)"}, step by step; √keys
            is the root of how many numbers a key has, and softmax(causal scores) hides later keys
    known   {name: array} of inputs and results, which these steps must give: else there is no line
    """
    if name not in sums or not place and known[name].ndim:
        return []
    made = dict(known)
    try:
        for step, text in sums.items():
            made[step] = _computed(text, made)
            if step in known and not np.allclose(made[step], known[step], rtol=1e-3, atol=1e-3):
                return []
            if step == name:
                break
    except (ValueError, KeyError):
        return []
    lines, score = [_opened(sums[name], name, place, made)], SOFTMAX.fullmatch(sums[name])
    if score and score[2] in sums and score[2] not in known:
        lines.append(_opened(sums[score[2]], score[2], place, made))
    return lines


def _computed(text, made):
    if form := SOFTMAX.fullmatch(text):
        scores = made[form[2]]
        if form[1]:
            scores = np.where(np.triu(np.ones(scores.shape[-2:]), 1) == 1, -np.inf, scores)
        e = np.exp(scores - scores.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)
    a, b, turned, root = PRODUCT.fullmatch(text).groups()
    product = made[a] @ (made[b].swapaxes(-1, -2) if turned else made[b])
    return product / math.sqrt(made[root].shape[-1]) if root else product


def _opened(text, name, place, made):
    cell = f"{name}[{', '.join(map(str, place))}] = "
    result = short(float(made[name][place]))
    if form := SOFTMAX.fullmatch(text):
        row = made[form[2]][place[:-1]][: place[-2] + 1 if form[1] else None]
        powers = [f"e^{short(x)}" for x in row]
        return f"{cell}{powers[place[-1]]} / ({' + '.join(powers)}) = {result}" if place[-1] < len(powers) else f"{cell}{result}"
    a, b, turned, root = PRODUCT.fullmatch(text).groups()
    right = made[b].swapaxes(-1, -2) if turned else made[b]
    row = made[a] if made[a].ndim == 1 else made[a][place if right.ndim == 1 else place[:-1]]
    if right.ndim > 1:
        right = (right[place[: right.ndim - 2]] if right.ndim > 2 else right)[:, place[-1]]
    total = " + ".join(f"{short(x)}·{short(y)}" for x, y in zip(row, right))
    if root:
        total = f"({total}) / √{made[root].shape[-1]}"
    return f"{cell}{total} = {result}"
