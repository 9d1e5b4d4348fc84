"""Asking for a function that runs a model in another way, and leaves it as it found it."""

from dataclasses import dataclass

import torch

from .functions import FunctionExercise


@dataclass(eq=False, kw_only=True)
class ModelExercise(FunctionExercise):
    """Ask for a function (model, …): besides what it returns, it counts what is left in the model."""

    by_numpy: bool = False

    def take_in(self, outcome, result, given):
        super().take_in(outcome, result, given)
        if not outcome.trouble and _hooked(given[0]):
            outcome.note("hook_left")

    def changed(self, case, given):
        """What is not as it was: the weights or the mode of any part of the model, or an input."""
        same = _state(case.arguments[0]) == _state(given[0])
        rest = [name for name in super().changed(case, given) if name != self.arguments[0]]
        return (
            rest
            if same and _same_weights(case.arguments[0], given[0])
            else [self.arguments[0], *rest]
        )


def _hooked(model):
    """Whether a hook, or another forward, was left on any part of it."""
    return any(
        part._forward_hooks or part._forward_pre_hooks or part.forward != _own_forward(part)
        for part in model.modules()
    )


def _own_forward(part):
    """The forward of its class; one that was put back by hand is equal to it."""
    return type(part).forward.__get__(part)


def _state(model):
    """Names of all parts, with their kinds and modes."""
    return [(name, type(part), part.training) for name, part in model.named_modules()]


def _same_weights(before, after):
    mine, others = before.state_dict(), after.state_dict()
    return mine.keys() == others.keys() and all(torch.equal(mine[n], others[n]) for n in mine)
