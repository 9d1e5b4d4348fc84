"""Asking for a function: it is called with each input, and what comes of it is noted.

An exercise turns a candidate into Outcomes. A check compares a learner's with those of the right
answer, and with those of the wrong code in the catalogue.
"""

import copy
from dataclasses import dataclass

import numpy as np
import torch

from .outcomes import CLOSE, Outcome, close, described, read

STOP = ("slow", "not attempted")  # after these there is no point in trying another input


def wave(*shape, seed=0.0):
    """Numbers between -1 and 1 with no pattern to the eye, the same on every computer."""
    k = torch.arange(1, 1 + int(np.prod(shape)), dtype=torch.float64)
    return torch.sin(0.37 * k * k + 1.1 * k + 2.3 * seed).float().reshape(shape)


@dataclass
class Case:
    """One input: in words, and as arguments."""

    says: str
    arguments: tuple
    close: dict = None

    def fresh(self, numpy=False):
        """Copies of the arguments, so that no candidate can spoil them for the next."""
        made = [_copy(a) for a in self.arguments]
        return [a.numpy() if numpy and isinstance(a, torch.Tensor) else a for a in made]


def _copy(argument):
    return argument.clone() if isinstance(argument, torch.Tensor) else copy.deepcopy(argument)


@dataclass
class FunctionExercise:
    """Ask for a function, and call it with each case.

    trains   whether a gradient must come back through it; the first case is used for that
    wanted   "float" or "bool": the type of number to return
    """

    name: str
    arguments: tuple
    returns: tuple
    cases: list
    right: object
    trains: bool = False
    wanted: str = "float"
    asks_for: str = "function"

    def observe(self, candidate, calls):
        """An Outcome for each case, and one for the gradient."""
        seen = self._values(candidate, calls)
        if seen[0].trouble and seen[0].trouble.kind == "error":
            by_numpy = self._values(candidate, calls, numpy=True)
            if not by_numpy[0].trouble:
                return by_numpy
        if self.trains and not seen[-1].trouble:
            seen.append(self._gradient(candidate, calls))
        return seen

    def _values(self, candidate, calls, numpy=False):
        seen = []
        for case in self.cases:
            given = case.fresh(numpy)
            result, trouble = calls(candidate, *given)
            outcome = Outcome(case.says, described(self.arguments, given), trouble=trouble)
            outcome.close = case.close or CLOSE
            if trouble and "same dtype" in trouble.text and _is_double(given):
                outcome.trouble, outcome.skipped = None, True  # zeros of its own: float32 will do
            elif not trouble:
                wanted = "any" if case.close else self.wanted
                outcome.values, outcome.facts, outcome.trouble = read(result, self.returns, wanted)
                changed = self._changed(case, given)
                if changed:
                    outcome.facts["changes"] = changed
                if case is self.cases[0] and not outcome.trouble:
                    again, _ = calls(candidate, *case.fresh(numpy), seed=1)
                    if not _agree(outcome, read(again, self.returns, wanted)[0]):
                        outcome.facts["two calls"] = "differ"
            seen.append(outcome)
            if outcome.trouble and outcome.trouble.kind in STOP:
                break
        return seen

    def _changed(self, case, given):
        pairs = zip(self.arguments, case.arguments, given)
        arrays = [(name, a, b) for name, a, b in pairs if isinstance(a, torch.Tensor)]
        return tuple(
            name
            for name, a, b in arrays
            if a.shape != b.shape or not np.array_equal(np.asarray(a), np.asarray(b))
        )

    def _gradient(self, candidate, calls):
        outcome = Outcome("the gradient")
        leaves = {
            name: a.clone().requires_grad_()
            for name, a in zip(self.arguments, self.cases[0].arguments)
            if isinstance(a, torch.Tensor)
        }
        given = self.cases[0].fresh()
        for i, name in enumerate(self.arguments):
            if name in leaves:
                given[i] = leaves[name].clone()  # not a leaf: it may be changed in place
        result, trouble = calls(candidate, *given)
        results = result if isinstance(result, (tuple, list)) else [result]
        results = [r for r in results if isinstance(r, torch.Tensor)]
        if trouble and "numpy" in trouble.text.lower() or not trouble and not results:
            outcome.skipped = True
        elif trouble:
            outcome.trouble = trouble
        else:
            backward(outcome, results, leaves, calls)
        return outcome


def _is_double(given):
    return any(isinstance(a, torch.Tensor) and a.dtype == torch.float64 for a in given)


def backward(outcome, results, leaves, calls):
    """Note the gradient of each leaf in `outcome`, or that it is lost."""
    results = [r for r in results if r.requires_grad]
    if not results:
        outcome.facts["gradient"] = "lost"
        return
    loss = sum((r * wave(*r.shape, seed=9)).sum() for r in results)
    grads, trouble = calls(torch.autograd.grad, loss, list(leaves.values()), allow_unused=True)
    if trouble:
        outcome.facts["gradient"] = "cannot be computed"
        return
    for (name, leaf), grad in zip(leaves.items(), grads):
        grad = torch.zeros_like(leaf) if grad is None else grad
        outcome.values[f"gradient of {name}"] = grad.double().numpy()
    outcome.close = {"rtol": 1e-3, "atol": 1e-4}


def _agree(outcome, again):
    values = outcome.values
    return values.keys() == again.keys() and all(close(values[n], again[n]) for n in values)
