"""Asking for a function that runs a model in another way, and leaves it as it found it."""

from dataclasses import dataclass

import torch
from torch.nn.modules import module

from .functions import FunctionExercise

# The hooks of all modules at once: PyTorch has no other list of them.
EVERYWHERE = module._global_forward_pre_hooks, module._global_forward_hooks


@dataclass(eq=False, kw_only=True)
class ModelExercise(FunctionExercise):
    """Ask for a function (model, …): besides what it returns, it counts what is left in the model."""

    by_numpy: bool = False
    by_hooks: bool = True  # an error is likely one of hooks

    def asked(self, candidate, *how, **named):
        """The Outcome of one case. Hooks on all modules are taken away: they would outlive the check."""
        before = [set(hooks) for hooks in EVERYWHERE]
        outcome = super().asked(candidate, *how, **named)
        left = [hooks.pop(k) for hooks, old in zip(EVERYWHERE, before) for k in {*hooks} - old]
        if left and not outcome.trouble:
            outcome.note("hook_left")
        return outcome

    def look_back(self, outcome, case, given):
        super().look_back(outcome, case, given)
        before, after = _hooks(case.arguments[0]), _hooks(given[0])
        if after - before or _other_forward(given[0]):
            outcome.note("hook_left")
        if before - after:
            outcome.note("hooks_of_others_gone")

    def changed(self, case, given):
        """What is not as it was: the weights or the mode of any part of the model, or an input."""
        same = _state(case.arguments[0]) == _state(given[0])
        rest = [name for name in super().changed(case, given) if name != self.arguments[0]]
        return (
            rest
            if same and _same_weights(case.arguments[0], given[0])
            else [self.arguments[0], *rest]
        )


def _hooks(model):
    """The hooks on its parts, each by the part's name and the hook's number, which a copy keeps."""
    return {
        (name, number)
        for name, part in model.named_modules()
        for number in (*part._forward_hooks, *part._forward_pre_hooks)
    }


def _other_forward(model):
    """Whether any part has another forward than its class; one put back by hand is equal to it."""
    return any(part.forward != type(part).forward.__get__(part) for part in model.modules())


def _state(model):
    """Names of all parts, with their kinds and modes."""
    return [(name, type(part), part.training) for name, part in model.named_modules()]


def _same_weights(before, after):
    mine, others = before.state_dict(), after.state_dict()
    return mine.keys() == others.keys() and all(torch.equal(mine[n], others[n]) for n in mine)
