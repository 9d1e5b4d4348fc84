"""Asking for something else: dropout, whose numbers are drawn; weights copied from one layer to
another; a test that the learner writes; a number to work out."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from .asking import wave
from .asking_layers import PROJECTIONS, dropout_facts
from .leaky_layers import layers
from .outcomes import Outcome, close, kind, not_there, read
from .running import Trouble, is_stub

SHARES = (0.2, 0.7)  # not 0.5, where kept and dropped could be mixed up


@dataclass
class DropoutExercise:
    """Ask for dropout, as a function of (weights, p) or as a module made with p.

    No two right answers draw the same: compared are facts that hold for every draw.
    """

    name: str
    right: object
    asks_for: str = "function"
    arguments: tuple = ("weights", "p")

    def observe(self, candidate, calls):
        weights = wave(60, 50).abs() + 0.1
        seen = []
        for p in SHARES:
            seen.append(self._drawn(candidate, weights, p, calls))
            if seen[0].trouble:
                return seen
        seen.append(self._unchanged("p = 0", candidate, weights[:3, :4], 0.0, calls))
        if self.asks_for == "class":
            use = self._unchanged("after eval()", candidate, weights[:3, :4], 0.5, calls, "eval")
            seen.append(use)
        seen.append(self._gradient(candidate, weights, calls))
        return seen

    def _run(self, candidate, weights, p, calls, seed=0, mode="train"):
        """(result, trouble) of one draw."""
        if self.asks_for == "function":
            return calls(candidate, weights, p, seed=seed)
        module, trouble = calls(candidate, p)
        if trouble:
            return None, trouble
        if not isinstance(module, nn.Module):
            return None, Trouble("result", "the class is not an nn.Module")
        getattr(module, mode)()
        first, trouble = calls(module, weights, seed=seed)
        if seed == 1 and not trouble:  # the second call of one module: is its mask a new one?
            return calls(module, weights, seed=2)
        return first, trouble

    def _drawn(self, candidate, weights, p, calls):
        outcome = Outcome(f"p = {p}", f"weights {tuple(weights.shape)}, p={p}")
        drawn = []
        for seed in (0, 1):
            given = weights.clone()
            result, outcome.trouble = self._run(candidate, given, p, calls, seed)
            if not torch.equal(given, weights):
                outcome.facts["changes"] = ("weights",)
            if not outcome.trouble:
                values, facts, outcome.trouble = read(result, ("weights",))
            if outcome.trouble:
                return outcome
            outcome.facts |= facts
            drawn.append(values["weights"])
        if drawn[0].ndim == 2:
            outcome.shown = {"weights": drawn[0][:5, :5]}
        if drawn[0].shape != tuple(weights.shape):
            outcome.facts["shape"] = drawn[0].shape
            return outcome
        dropped = torch.tensor(drawn[0])
        outcome.facts |= dropout_facts(weights.double(), dropped, p)
        outcome.facts["drawn for"] = _unit(dropped == 0)
        outcome.facts["two calls"] = "agree" if np.array_equal(*drawn) else "differ"
        return outcome

    def _unchanged(self, says, candidate, weights, p, calls, mode="train"):
        """Nothing is dropped here: the weights come back as they went in."""
        outcome = Outcome(says, f"weights {tuple(weights.shape)}, p={p}")
        results = [self._run(candidate, weights.clone(), p, calls, s, mode) for s in (0, 1)]
        outcome.trouble = results[0][1] or results[1][1]
        if not outcome.trouble:
            (first, _, outcome.trouble), again = (read(r, ("weights",)) for r, _ in results)
            if outcome.trouble:
                return outcome
            if not all(close(first[name], again[0].get(name, first[name])) for name in first):
                outcome.facts["two calls in use"] = "differ"
            else:
                outcome.values = first
        return outcome

    def _gradient(self, candidate, weights, calls):
        outcome = Outcome("the gradient")
        leaf = weights.clone().requires_grad_()
        result, trouble = self._run(candidate, leaf.clone(), 0.2, calls)
        if trouble and "numpy" not in trouble.text.lower():
            outcome.trouble = trouble
        elif isinstance(result, torch.Tensor) and not result.requires_grad:
            outcome.facts["gradient"] = "lost"
        outcome.skipped = bool(trouble) and not outcome.trouble
        return outcome


def _unit(gone):
    """What each draw decides on: single weights, or whole rows, columns or matrices."""
    if gone.all() or not gone.any():
        return "single weights"  # nothing to see: other facts say so
    by_row, by_column = gone.all(-1) | (~gone).all(-1), gone.all(-2) | (~gone).all(-2)
    if by_row.all() and by_column.all():
        return "the whole matrix"
    return (
        "whole rows" if by_row.all() else "whole columns" if by_column.all() else "single weights"
    )


# ---------------------------------------------------------------- copying


class FromParameters(nn.Module):
    """Three projections as nn.Parameter, each (d_in, d_out)."""

    def __init__(self, d_in, d_out):
        super().__init__()
        for i, name in enumerate(PROJECTIONS):
            setattr(self, name, nn.Parameter(wave(d_in, d_out, seed=i)))


class ToLinear(nn.Module):
    """Three projections as nn.Linear, which keeps its weight as (d_out, d_in)."""

    def __init__(self, d_in, d_out):
        super().__init__()
        for i, name in enumerate(PROJECTIONS):
            linear = nn.Linear(d_in, d_out, bias=False)
            linear.weight = nn.Parameter(wave(d_out, d_in, seed=i + 20))
            setattr(self, name, linear)


@dataclass
class CopyExercise:
    """Ask for a function that copies the weights of one layer into another."""

    name: str
    right: object
    asks_for: str = "function"
    arguments: tuple = ("from_parameters", "to_linear")

    def observe(self, candidate, calls):
        seen = []
        for d_in, d_out in ((3, 2), (3, 3), (2, 5)):
            seen.append(self._copied(candidate, d_in, d_out, calls))
            if seen[0].trouble:
                return seen
        return seen

    def _copied(self, candidate, d_in, d_out, calls):
        outcome = Outcome(f"{d_in} numbers to {d_out}")
        source, target = FromParameters(d_in, d_out), ToLinear(d_in, d_out)
        before = _weights(target)
        _, outcome.trouble = calls(candidate, source, target)
        if outcome.trouble:
            return outcome
        outcome.values, outcome.trouble = _weights(target), _broken(target)
        untouched = all(np.array_equal(before[n], outcome.values.get(n)) for n in before)
        if untouched and is_stub(candidate):
            outcome.trouble = Trouble("not attempted", "")
        if outcome.trouble:
            return outcome
        if any(not np.array_equal(a, b) for a, b in _pairs(source, FromParameters(d_in, d_out))):
            outcome.facts["changes"] = ("from_parameters",)
        if not all(getattr(target, name).weight.requires_grad for name in PROJECTIONS):
            outcome.facts["not trained"] = PROJECTIONS
        return outcome


def _weights(layer):
    """The weight of each projection; as far as it still is one."""
    parts = {name: getattr(layer, name, None) for name in PROJECTIONS}
    parts = {name: getattr(part, "weight", part) for name, part in parts.items()}
    return {
        f"{name}.weight": part.detach().double().numpy().copy()
        for name, part in parts.items()
        if isinstance(part, torch.Tensor)
    }


def _broken(layer):
    for name in PROJECTIONS:
        part = getattr(layer, name, None)
        if not isinstance(part, nn.Linear):
            return Trouble(
                "result", f"to_linear.{name} is now {kind(part)}, no longer an nn.Linear"
            )
    return None


def _pairs(a, b):
    return [(_weights(a)[name], _weights(b)[name]) for name in _weights(b)]


# ---------------------------------------------------------------- the learner's own test


@dataclass
class LeakExercise:
    """Ask for a test, and try it on layers that leak the future and layers that do not."""

    name: str
    right: object
    asks_for: str = "function"
    arguments: tuple = ("layer", "x")

    def observe(self, candidate, calls):
        seen = []
        for says, (layer, _) in layers().items():
            x = wave(2, 5, 3, seed=3)
            outcome = Outcome(says, f"layer, x {tuple(x.shape)}")
            answer, outcome.trouble = calls(candidate, layer.eval(), x)
            if not outcome.trouble:
                outcome.facts["says"], outcome.trouble = _yes_or_no(answer)
            if not torch.equal(x, wave(2, 5, 3, seed=3)):
                outcome.facts["changes"] = ("x",)
            seen.append(outcome)
            if outcome.trouble:
                return seen
        return seen


def _yes_or_no(answer):
    if missing := not_there(answer):
        return None, missing
    if isinstance(answer, (torch.Tensor, np.ndarray)) and answer.ndim == 0:
        answer = answer.item()
    if isinstance(answer, (bool, np.bool_)):
        return ("it leaks" if answer else "no leak"), None
    return None, Trouble("result", f"it returns {kind(answer)}; the answer is True or False")


# ---------------------------------------------------------------- a number


@dataclass
class NumberExercise:
    """Ask for one number."""

    name: str
    result: str
    right: object
    asks_for: str = "number"
    arguments: tuple = ()

    def observe(self, candidate, calls):
        outcome = Outcome("the number", close={"rtol": 0, "atol": 0.5})
        if callable(candidate):
            candidate, outcome.trouble = calls(candidate)
        if not outcome.trouble:
            outcome.values, _, outcome.trouble = read(candidate, (self.result,), "any")
        return [outcome]
