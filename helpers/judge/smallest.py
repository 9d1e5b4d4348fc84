"""The smallest case on which an answer is still wrong: few tokens, and numbers 0, 1 and 2.

With it, the sum behind one cell of the right result: "weights[0, 1] = e^1 / (e^0 + e^1) = 0.73".
An exercise says step by step how its results are computed, in the language of pictures/sums.py:

    {"scores": "queries @ keys.T / sqrt(d_k)", "weights": "softmax(scores)",
     "context": "weights @ values"}

d_k is the dimension of the keys. If the exercise is causal, later scores take no part.
"""

import functools
import inspect
import itertools
import math
import time
from dataclasses import dataclass, fields, replace

import numpy as np
import torch

from ..pictures.sums import evaluate, parse, terms
from .comparing import Remark, apart, pairs
from .exercise import Case, lists
from .facts import parts, varied
from .running import Run

SECONDS = 0.3  # of processor time for the search


@dataclass(frozen=True)
class Smallest:
    """The Seen of the answer and of the right one on a case."""

    mine: object
    wanted: object
    given: str  # all inputs, written as numbers
    sums: tuple = ()  # the sums behind the first cell that differs, as texts


def smallest(exercise, answer, mine, wanted):
    """The Smallest case found within the time; None if no case is smaller than that of the Seen."""
    search = Search(exercise, answer, mine, wanted)
    if not search.kind:
        return None
    while any(search.keep(smaller) for smaller in search.shorter()):
        pass
    search.round()
    if search.case is mine.case:
        return None
    # A remark that only the small case gets may be an accident of its few numbers.
    seen = {
        n: v for n, v in search.mine.values.items() if n in mine.values or not isinstance(v, Remark)
    }
    search.mine = replace(search.mine, values=seen)
    name = search.kind[0]
    got, right = search.mine.values[name], search.wanted.values[name]
    first = np.argwhere(apart(got, right))[:1].tolist() if got.shape == right.shape else []
    inputs = parts(exercise, search.case)
    given = [f"{n} = {written(t)}" for n, t in inputs.items()]
    given = ", ".join([*lists(exercise.arguments, search.case.arguments), *given])
    known = {n: t.double().numpy() for n, t in inputs.items()} | search.wanted.values
    sums = tuple(opened(exercise, name, first[0], known)) if first else ()
    return Smallest(search.mine, search.wanted, given, sums)


class Search:
    """Tries smaller cases while there is time; keeps each that is wrong in the same way."""

    def __init__(self, exercise, answer, mine, wanted):
        self.exercise, self.answer = exercise, answer
        self.case, self.mine, self.wanted = mine.case, mine, wanted
        self.run, self.end = Run(3 * SECONDS), time.process_time() + SECONDS
        self.kind = self.kind_of(mine, wanted)
        self.axes = {}  # length → all input axes of this length, which are cut together
        for name, tensor in parts(self.exercise, self.case).items():
            for axis, n in enumerate(tensor.shape):
                self.axes.setdefault(n, []).append((name, axis))

    def kind_of(self, mine, wanted):
        """(the first array that differs, whether in shape, has nan, is right without ∞); or None."""
        results = {*self.exercise.returns, "context", "weights"}
        found = {n: two for n, two in pairs(mine, wanted).items() if n in results}
        if not found:
            return None
        name, (got, right) = next(iter(found.items()))
        if not right.size or np.isnan(right).any() or right.ndim == 0 and right.dtype == bool:
            return None
        return name, got.shape != right.shape, np.isnan(got).any(), np.isfinite(right).all()

    def keep(self, case):
        """Whether the answer is wrong in the same way on this case; if so, store the case."""
        if time.process_time() > self.end:
            return False
        wanted = self.exercise.observe(self.exercise.right, case, self.run)
        if wanted.trouble or not self._is_clear(case, wanted):
            return False
        mine = self.exercise.observe(self.answer, case, self.run)
        if self.kind_of(mine, wanted) != self.kind:
            return False
        self.case, self.mine, self.wanted = case, mine, wanted
        return True

    def _is_clear(self, case, wanted):
        """Whether tiny changes hardly affect the right result, unlike, for example, at a tie."""
        arrays = {n: a for n, a in wanted.values.items() if isinstance(a, np.ndarray)}
        for size in (1e-4, -1e-4):  # of two numbers that tie, each is once the larger
            nudged = {
                name: t + size * torch.arange(t.numel()).sin().reshape(t.shape)
                for name, t in parts(self.exercise, case).items()
                if t.is_floating_point()
            }
            new = varied(self.exercise, case, nudged)
            near = self.exercise.observe(self.exercise.right, new, self.run).values or {}
            if not all(n in near and np.allclose(near[n], a, atol=0.05) for n, a in arrays.items()):
                return False
        return True

    def shorter(self):
        """Cases with smaller numbers or sizes, or with all axes of one length cut together.

        If an argument is a function, then the whole numbers are token ids, which do not change.
        """
        tensors = parts(self.exercise, self.case)
        ids = any(inspect.isfunction(value) for value in self.case.arguments)
        for name in [n for n, tensor in tensors.items() if not tensor.ndim and not ids]:
            n = int(tensors[name])
            for m in sorted({1, 2, 3, n // 2}):  # an even number may have to be even
                if 0 < m < n and (n % 2 or not m % 2):
                    yield varied(self.exercise, self.case, {name: torch.tensor(m)})
        layer = self.case.arguments[0] if self.case.arguments else None
        if hasattr(layer, "holding"):
            plain = replace(layer, xray=False, level=0.0, zeros_at=None, qkv_bias=False)
            sizes = [f.name for f in fields(layer) if f.type is int]
            smaller = [
                replace(layer, **{size: n})
                for size in sizes
                for n in range(size != "batch", min(4, getattr(layer, size)))
            ]
            for new in smaller + [plain] * (plain != layer):
                yield Case(self.case.says, new, how=self.case.how, close=self.case.close)
            return
        for axes in self.axes.values():
            n = tensors[axes[0][0]].shape[axes[0][1]]
            for m in sorted({m for m in (1, 2, n // 2, n - 1) if self.kind[1] < m < n}):
                cut = {}
                for name, axis in axes:
                    cut[name] = cut.get(name, tensors[name]).narrow(axis, 0, m).clone()
                yield varied(self.exercise, self.case, cut)

    def round(self):
        """Make the numbers small and whole: tensor by tensor, then each cell 0, 1 or 2."""
        for name, tensor in parts(self.exercise, self.case).items():
            simple = []
            if tensor.is_floating_point():
                whole = (2 * tensor).round().clamp(-2, 2)
                # Otherwise with few decimals, so that a number is what is written.
                few = [tensor.round(decimals=n) for n in (1, 2)]
                simple = [0 * whole, whole.abs(), whole, *few]
            for new in simple:
                if self.keep(varied(self.exercise, self.case, {name: new})):
                    tensor = new
                    break
            cells = itertools.product(*map(range, tensor.shape))
            for place in cells if tensor.ndim and tensor.dtype != torch.bool else ():
                for number in (0, 1, 2):
                    new = tensor.clone()
                    new[place] = number
                    if tensor[place] in range(number + 1):
                        break
                    if self.keep(varied(self.exercise, self.case, {name: new})):
                        tensor = new
                        break


def written(tensor):
    """A tensor as nested brackets with short numbers: [[1, 0], [0, 0.5]]."""
    if tensor.ndim:
        return f"[{', '.join(map(written, tensor))}]"
    return str(bool(tensor)) if tensor.dtype == torch.bool else short(float(tensor))


def opened(exercise, name, place, known):
    """[the sum behind the cell name[place] and, for a weight, the sum behind its score], or [].

    known   {name: array} of the inputs and the right results; if the steps give other results,
            there is no sum to show
    """
    if name not in exercise.sums or len(place) > 3:
        return []
    if len(place) == 3:  # select the sequence from the batch
        known = {n: a[place[0]] if a.ndim == 3 else a for n, a in known.items()}
    made, lines = {n: np.atleast_2d(a) for n, a in known.items()}, {}
    row, column = (0, *place)[-2:]
    for step, text in exercise.sums.items():
        numbers = {"d_k": made["keys"].shape[-1]} if "keys" in made else {}
        seen = dict(made)
        try:
            claim = parse(step, text, made, numbers)
            if exercise.causal and claim["kind"] == "softmax":
                later = np.triu(np.ones(made[claim["a"]].shape), 1) == 1
                seen[claim["a"]] = np.where(later, np.nan, made[claim["a"]])
            made[step] = evaluate(claim, seen, numbers)
            if step in known and not np.allclose(made[step], known[step], rtol=1e-3, atol=1e-3):
                return []
        except ValueError:  # sizes that do not fit, as where there are several heads
            return []
        lines[step] = functools.partial(_line, claim, seen, numbers)
        if step == name:
            behind = [claim["a"]] if claim["kind"] == "softmax" and claim["a"] in lines else []
            return [
                f"{one}{place} = {lines[one](row, column)} = {short(made[one][row, column])}"
                for one in (name, *behind)
            ]
    return []


def _line(claim, matrices, numbers, row, column):
    """The arithmetic behind a cell: "(1·1 + 0·2) / √2", "e^1 / (e^0 + e^1)"."""
    found = terms(claim, matrices, row, column)
    if claim["kind"] == "softmax":
        own = matrices[claim["a"]][row, column]
        power = "0" if np.isnan(own) else f"e^{short(own)}"
        return f"{power} / ({' + '.join(f'e^{short(x)}' for (x,) in found)})"
    line = " + ".join(f"{short(x)}·{short(y)}" for x, y in found)
    return f"({line}) / √{numbers['d_k']}" if claim["root"] else line


def short(x):
    """A number as text: whole numbers without decimals, others with two."""
    return f"{x + 0.0:.4g}" if not math.isfinite(x) or x == round(x) else f"{x:.2f}"
