"""Asking for something else: weights copied from one layer to another, a test that the learner
writes, a number to work out."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from .exercise import Exercise, wave
from .layer_weights import PROJECTIONS
from .lines import Line
from .outcomes import Outcome, kind, not_there
from .running import Trouble, is_stub


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


@dataclass(eq=False, kw_only=True)
class CopyExercise(Exercise):
    """Ask for a function that copies the weights of one layer into another."""

    def observe(self, candidate, calls):
        """An Outcome for each pair of layers."""
        seen = []
        for d_in, d_out in ((3, 2), (3, 3), (2, 5)):
            seen.append(self._copied(candidate, d_in, d_out, calls))
            if seen[0].trouble:
                return seen
        return seen

    def _copied(self, candidate, d_in, d_out, calls):
        outcome = Outcome(Line("numbers_in_and_out", d_in=d_in, d_out=d_out))
        source, target = FromParameters(d_in, d_out), ToLinear(d_in, d_out)
        before, untouched = _weights(target), _weights(source)
        _, outcome.trouble = calls(candidate, source, target)
        if outcome.trouble:
            return outcome
        outcome.values, outcome.trouble = _weights(target), _broken(target)
        if _equal(before, outcome.values) and is_stub(candidate):
            outcome.trouble = Trouble("not attempted")
        if outcome.trouble:
            return outcome
        if not _equal(untouched, _weights(source)):
            outcome.note("in_place", ["from_parameters"])
        if not all(getattr(target, name).weight.requires_grad for name in PROJECTIONS):
            outcome.note("not_trained", list(PROJECTIONS))
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


def _equal(before, after):
    return all(np.array_equal(before[name], after.get(name)) for name in before)


def _broken(layer):
    for name in PROJECTIONS:
        part = getattr(layer, name, None)
        if not isinstance(part, nn.Linear):
            return Trouble("result", Line("no_linear", name=name, kind=kind(part)))
    return None


@dataclass(eq=False, kw_only=True)
class LeakExercise(Exercise):
    """Ask for a test, and try it on layers that leak the future and layers that do not.

    layers  called for a new dict: what a layer does, in words → the layer
    """

    layers: object

    def observe(self, candidate, calls):
        """An Outcome for each layer."""
        seen = []
        for says, layer in self.layers().items():
            x = wave(2, 5, 3, seed=3)
            outcome = Outcome(says, f"layer, x {tuple(x.shape)}")
            answer, outcome.trouble = calls(candidate, layer.eval(), x)
            if not outcome.trouble:
                self._read(outcome, answer)
            if not torch.equal(x, wave(2, 5, 3, seed=3)):
                outcome.note("in_place", ["x"])
            seen.append(outcome)
            if outcome.trouble:
                return seen
        return seen

    def _read(self, outcome, answer):
        if isinstance(answer, (torch.Tensor, np.ndarray)) and answer.ndim == 0:
            answer = answer.item()
        outcome.trouble = not_there(answer)
        if isinstance(answer, (bool, np.bool_)):
            outcome.note("leaks", bool(answer))
        elif not outcome.trouble:
            outcome.trouble = Trouble("result", Line("not_yes_or_no", kind=kind(answer)))


@dataclass(eq=False, kw_only=True)
class NumberExercise(Exercise):
    """Ask for one number; `right` and the mistakes are functions that work it out.

    returns  what the number counts
    """

    returns: str

    def __post_init__(self):
        super().__post_init__()
        self.asks_for = "number"

    def observe(self, candidate, calls):
        """One Outcome: the number."""
        outcome = Outcome(Line("the_number"), close={"rtol": 0, "atol": 0.5})
        if callable(candidate):
            candidate, outcome.trouble = calls(candidate)
        if not outcome.trouble:
            outcome.read(candidate, (self.returns,), "any")
        return [outcome]
