"""Asking for something else: weights copied from one layer to another, a test that the learner
writes, a number to work out."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from .exercise import Exercise
from .functions import FunctionExercise
from .layer_weights import PROJECTIONS
from .lines import Line
from .outcomes import Outcome, kind, not_there
from .running import Trouble, is_stub


@dataclass(eq=False, kw_only=True)
class CopyExercise(FunctionExercise):
    """Ask for a function (from, to) that copies the weights of one layer into another, made of
    nn.Linear."""

    def asked(self, candidate, *how, **named):
        """A stub gives None back as every answer does: it is told by its code."""
        if is_stub(candidate):
            return Outcome("", trouble=Trouble("not attempted"))
        return super().asked(candidate, *how, **named)

    def take_in(self, outcome, result, given):
        """What counts is where the weights are afterwards, not what came back."""
        outcome.values, outcome.trouble = _weights(given[1]), _broken(given[1])
        linears = [getattr(given[1], name) for name in PROJECTIONS] if not outcome.trouble else []
        if not all(linear.weight.requires_grad for linear in linears):
            outcome.note("not_trained", list(PROJECTIONS))
        elif linears and _share(*given):
            outcome.note("shares_memory")

    def changed(self, case, given):
        """The source is to stay as it was."""
        before, after = _weights(case.arguments[0]), _weights(given[0])
        same = all(np.array_equal(before[name], after.get(name)) for name in before)
        return [] if same else [self.arguments[0]]


def _weights(layer):
    """The weight of each projection; as far as it still is one."""
    parts = {name: getattr(layer, name, None) for name in PROJECTIONS}
    parts = {name: getattr(part, "weight", part) for name, part in parts.items()}
    return {
        f"{name}.weight": part.detach().double().numpy().copy()
        for name, part in parts.items()
        if isinstance(part, torch.Tensor)
    }


def _share(source, target):
    """Whether a weight was copied in name only: both layers hold the same numbers in memory."""
    pairs = [(getattr(source, name, None), getattr(target, name).weight) for name in PROJECTIONS]
    return any(
        isinstance(a, torch.Tensor)
        and a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()
        and torch.equal(a.T, b)  # else it is wrong for another reason
        for a, b in pairs
    )


def _broken(layer):
    for name in PROJECTIONS:
        part = getattr(layer, name, None)
        if not isinstance(part, nn.Linear):
            return Trouble("result", Line("no_linear", name=name, kind=kind(part)))
    return None


class LeakExercise(FunctionExercise):
    """Ask for a test, and try it on layers that leak the future and layers that do not."""

    def observe(self, candidate, calls):
        """An Outcome for each layer; for a test that knows one answer only, what it poked as well."""
        inputs = []
        seen = super().observe(_watched(candidate, inputs), calls)
        answers = [outcome.notes.get("leaks") for outcome in seen]
        if len(set(answers)) == 1 and answers[0] is not None:
            # The first layer does not leak, the last one does.
            wrong = seen[0] if answers[0] else seen[-1]
            wrong.note("poked", _poked(inputs, answers[0]))
        return seen

    def take_in(self, outcome, result, given):
        """The answer is yes or no."""
        answer = _yes_or_no(outcome, result)
        if answer is not None:
            outcome.note("leaks", answer)


@dataclass(eq=False, kw_only=True)
class OrderExercise(FunctionExercise):
    """Ask for a test, and try it on layers that know the order of their tokens and some that do not.

    The last two cases know it at one place only: a single shuffle finds them by luck alone.
    """

    def observe(self, candidate, calls):
        """An Outcome for each layer, with a note if a test that draws its shuffles says yes and no."""
        seen = super().observe(candidate, calls)
        for case, outcome in list(zip(self.cases, seen))[-2:]:
            if not outcome.trouble:
                again = [self.asked(candidate, case, calls, seed=seed) for seed in range(1, 12)]
                if any(other.notes != outcome.notes for other in again):
                    outcome.notes = {"knows_order": True}  # it says so, too; chance is the trouble
                    outcome.note("one_shuffle")
        return seen

    def take_in(self, outcome, result, given):
        """The answer is yes or no."""
        answer = _yes_or_no(outcome, result)
        if answer is not None:
            outcome.note("knows_order", answer)


def _yes_or_no(outcome, result):
    """True or False, as a test answered; else None, and the outcome has the trouble with it."""
    if isinstance(result, (torch.Tensor, np.ndarray)) and result.ndim == 0:
        result = result.item()
    outcome.trouble = not_there(result)
    if isinstance(result, (bool, np.bool_)):
        return bool(result)
    outcome.trouble = outcome.trouble or Trouble("result", Line("not_yes_or_no", kind=kind(result)))
    return None


def _watched(test, inputs):
    """The same test; each input that it gives to the layer is kept, beside the x it was given."""

    def watched(layer, x):
        given = x.clone()
        layer.register_forward_pre_hook(lambda _, called: inputs.append((given, called[0].clone())))
        return test(layer, x)

    return watched


def _poked(inputs, answer):
    """What was changed in x, over all inputs, as a Line."""
    if not inputs:
        return Line("never_called")
    if any(given.shape != x.shape for given, x in inputs):
        return Line("poked_tokens")  # the sentence was cut
    changes = [(given != x).any(-1) for given, x in inputs if not torch.equal(given, x)]
    if not changes:
        return Line("poked_nothing")
    differ = [given != x for given, x in inputs if not torch.equal(given, x)]
    if all(d.any(-1).all() and not d.all() for d in differ):
        return Line("poked_numbers")
    if all((c.all(1) == c.any(1)).all() and not c.any(1).all() for c in changes):
        return Line("poked_sentences")
    only_first = not answer and all(c[c.any(1), 0].all() for c in changes)
    return Line("poked_from_the_first") if only_first else Line("poked_tokens")


@dataclass(eq=False, kw_only=True)
class NumberExercise(Exercise):
    """Ask for one number; `right` and the mistakes are functions that work it out.

    returns  what the number counts
    """

    returns: str | tuple

    def __post_init__(self):
        super().__post_init__()
        self.asks_for, self.returns = "number", (self.returns,)

    def observe(self, candidate, calls):
        """One Outcome: the number."""
        outcome = Outcome(Line("the_number"), close={"rtol": 0, "atol": 0.5})
        if callable(candidate):
            candidate, outcome.trouble = calls(candidate)
        if not outcome.trouble:
            outcome.read(candidate, self.returns, "any")
        return [outcome]
