"""Asking for a function: it is called with each input, and what comes of it is noted.

An exercise turns a candidate into Outcomes. A check compares a learner's with those of the right
answer, and with those of each mistake.
"""

import copy
import re
from collections import OrderedDict
from dataclasses import dataclass, field
from unittest.mock import patch

import numpy as np
import torch
from torch import nn

from .called import Called
from .exercise import STOP, Exercise, wave
from .lines import Line
from .outcomes import CLOSE, Outcome, described

# PyTorch, where two types of number meet: in a product, in scatter, in an assignment.
OTHER_TYPE = re.compile("same dtype|dtype to be equal|dtypes match|expected scalar type")


class Case:
    """One input: in words, and as arguments."""

    def __init__(self, says, *arguments, close=None):
        self.says, self.arguments, self.close = says, arguments, close

    def fresh(self, numpy=False):
        """Copies of the arguments, so that no candidate can spoil them for the next."""
        made = [_copy(a) for a in self.arguments]
        return [a.numpy() if numpy and isinstance(a, torch.Tensor) else a for a in made]


def _copy(argument):
    if isinstance(argument, torch.Tensor):
        return argument.clone()
    memo = {}
    if isinstance(argument, nn.Module):  # deepcopy is slow at the many hooks that nobody has set
        parts = (value for part in argument.modules() for value in vars(part).values())
        memo = {id(x): type(x)() for x in parts if type(x) in (dict, OrderedDict, set) and not x}
    return copy.deepcopy(argument, memo)


@dataclass(eq=False, kw_only=True)
class FunctionExercise(Exercise):
    """Ask for a function, and call it with each case.

    cases    a list of Case; or a function that makes it, to be called once, when it is needed
    returns  the name of what comes back; of several things, their names
    trains   whether a gradient must come back through it; the first case is used for that
    wanted   "float", "bool" or "int": the type of number to return
    written_out  id of a mistake → the name of PyTorch's function that is to be written out here
    to_be_called id of a mistake → the argument, a layer, that is to be called here
    by_numpy whether arrays are tried where tensors fail
    """

    cases: object
    returns: str | tuple = ()
    trains: bool = False
    wanted: str = "float"
    written_out: dict = field(default_factory=dict)
    to_be_called: dict = field(default_factory=dict)
    by_numpy: bool = True

    def __post_init__(self):
        super().__post_init__()
        self.returns = (self.returns,) if isinstance(self.returns, str) else self.returns

    def observe(self, candidate, calls):
        """An Outcome for each case, and one for the gradient."""
        self.cases = self.cases() if callable(self.cases) else self.cases
        seen = self._values(candidate, calls)
        if self.by_numpy and seen[0].trouble and seen[0].trouble.kind == "error":
            in_arrays = self._values(candidate, calls, numpy=True)
            if not in_arrays[0].trouble:
                return in_arrays
        if self.trains and not seen[-1].trouble:
            seen.append(self._gradient(candidate, calls))
        return seen

    def missed(self, candidate, calls):
        """The id of the mistake if it calls what is to be written out, or not what is to be called."""
        with Called() as called:
            self.asked(candidate, self.cases[0], calls)
        for mistake, function in self.written_out.items():
            if any(name.endswith(function) for name in called.names):
                return mistake
        for mistake, argument in self.to_be_called.items():
            given = self.cases[0].fresh()
            layer = given[self.arguments.index(argument)]
            kind = type(layer)
            with patch.object(kind, "__call__", autospec=True, side_effect=kind.__call__) as call:
                calls(candidate, *given)
            if not any(made.args[0] is layer for made in call.call_args_list):
                return mistake
        return None

    def take_in(self, outcome, result, given):
        """Read what came back into the outcome; another kind of exercise may look elsewhere."""
        outcome.read(result, self.returns, self.wanted if outcome.close is CLOSE else "any")

    def _values(self, candidate, calls, numpy=False):
        seen = []
        for case in self.cases:
            outcome = self.asked(candidate, case, calls, numpy)
            if case is self.cases[0] and not outcome.trouble:
                if not outcome.agrees(self.asked(candidate, case, calls, numpy, seed=1)):
                    outcome.note("chance")
            seen.append(outcome)
            if outcome.trouble and outcome.trouble.kind in STOP:
                break
        return seen

    def asked(self, candidate, case, calls, numpy=False, seed=0):
        """The Outcome of one case."""
        given = case.fresh(numpy)
        result, trouble = calls(candidate, *given, seed=seed)
        outcome = Outcome(case.says, described(self.arguments, given), trouble=trouble)
        outcome.close = case.close or CLOSE
        if trouble and OTHER_TYPE.search(str(trouble.text)) and _is_double(given):
            outcome.trouble, outcome.skipped = None, True  # zeros of its own: float32 will do
        elif not trouble:
            self.take_in(outcome, result, given)
            self.look_back(outcome, case, given)
        return outcome

    def look_back(self, outcome, case, given):
        """Note what is not as it was before the call."""
        changed = self.changed(case, given)
        if changed:
            outcome.note("in_place", changed)

    def changed(self, case, given):
        """The names of the arguments that are not as they were."""
        pairs = zip(self.arguments, case.arguments, given)
        return [name for name, before, after in pairs if not _as_it_was(before, after)]

    def _gradient(self, candidate, calls):
        outcome = Outcome(Line("the_gradient"), of_gradient=True)
        leaves = {  # ids and masks have no gradient
            name: a.clone().requires_grad_()
            for name, a in zip(self.arguments, self.cases[0].arguments)
            if isinstance(a, torch.Tensor) and a.is_floating_point()
        }
        given = self.cases[0].fresh()
        for i, name in enumerate(self.arguments):
            if name in leaves:
                given[i] = leaves[name].clone()  # not a leaf: it may be changed in place
        result, trouble = calls(candidate, *given)
        several = len(self.returns) > 1 and isinstance(result, (tuple, list))
        results = [_stacked(part) for part in (result if several else [result])]
        results = [r for r in results if r is not None]
        if trouble and "numpy" in trouble.text.lower() or not trouble and not results:
            outcome.skipped = True
        elif trouble:
            outcome.trouble = trouble
        else:
            backward(outcome, results, leaves, calls)
        return outcome


def _stacked(part):
    """A tensor, or a list of rows as one; None for anything else."""
    if isinstance(part, torch.Tensor):
        return part
    rows = [_stacked(row) for row in part] if isinstance(part, (tuple, list)) else []
    if not rows or any(row is None or row.shape != rows[0].shape for row in rows):
        return None
    return torch.stack(rows)


def _as_it_was(before, after):
    """Whether an argument is unchanged: the numbers of a tensor or list; the settings of a layer."""
    if isinstance(before, torch.Tensor):
        after = torch.as_tensor(
            after
        ).detach()  # in place, a layer's output brings its gradient along
        return before.shape == after.shape and np.array_equal(np.asarray(before), np.asarray(after))
    if isinstance(before, list) and all(isinstance(part, (int, str)) for part in before):
        return before == after  # ids, or words
    if not isinstance(before, nn.Module):
        return True
    mine, others = before.state_dict(), after.state_dict()
    return _settings(before) == _settings(after) and all(
        torch.equal(value, others[name]) for name, value in mine.items() if name in others
    )


def _settings(layer):
    """What is set on a layer besides its weights, as `batch_first`, and its mode; no private notes."""
    found = {name: value for name, value in vars(layer).items() if name[0] != "_"}
    return {n: value for n, value in found.items() if isinstance(value, (bool, int, float, str))}


def _is_double(given):
    return any(isinstance(a, torch.Tensor) and a.dtype == torch.float64 for a in given)


def backward(outcome, results, leaves, calls):
    """Note the gradient of each leaf in `outcome`, or that it is lost."""
    results = [r for r in results if r.requires_grad]
    if not results:
        return outcome.note("lost_gradient")
    loss = sum((r * wave(*r.shape, seed=9)).sum() for r in results)
    grads, trouble = calls(torch.autograd.grad, loss, list(leaves.values()), allow_unused=True)
    if trouble:
        return outcome.note("lost_gradient")
    for (name, leaf), grad in zip(leaves.items(), grads):
        grad = torch.zeros_like(leaf) if grad is None else grad
        outcome.values[f"∂{name}"] = grad.double().numpy()
    outcome.close = {"rtol": 1e-3, "atol": 1e-4}
