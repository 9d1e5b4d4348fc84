"""Defines an exercise, and what an answer does with each input: its values or its trouble."""

import contextlib
import copy
import functools
import inspect
import math
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from .. import _
from . import comparing
from .comparing import CLOSE, CLOSE_GRADIENTS, Remark, dtype_of, first, parted, to_tensor
from .running import Run, Trouble

OURS = 600  # seconds; never reached, because our own code ends by itself
FLOATS = ("float16", "float32", "float64")


class Case:
    """One input of an exercise, in words (says) and as arguments.

    how    how(answer, *arguments) → {name: array or Remark}, if not the exercise's own
    close  the tolerance for its numbers
    names  the names of its arguments, if not those of the right answer
    apart  whether it asks for something of its own, so that it hides no other mistake
    ties   whether another right answer may choose otherwise among equal numbers
    of     the case that it is cut from
    """

    def __init__(
        self, says, *arguments, how=None, close=CLOSE, names=None, apart=False, ties=False, of=None
    ):
        self.says, self.arguments, self.how, self.close = says, arguments, how, close
        self.names, self.apart, self.ties, self.of = names, apart, ties, of


@dataclass
class Seen:
    """What an answer gave for one input: values, {name: array or Remark}, or the trouble it had.

    Both are None if the case does not apply; for example, an answer in NumPy has no gradient.
    """

    case: Case
    given: str  # the case's inputs, in words
    values: dict | None = None
    trouble: Trouble | None = None


@dataclass(eq=False, kw_only=True)
class Exercise:
    """One function, class or number that a learner writes, and how answers to it are judged."""

    name: str
    asks: str  # the task in one line, which is also the help text of its check
    right: object
    cases: object  # a list of Case, or a function that makes the list when it is needed
    mistakes: dict = field(default_factory=dict)  # id → Mistake, whose .ways are wrong answers
    general: dict = field(default_factory=dict)  # id → General: what can go wrong anywhere
    returns: tuple = ()  # the names of the results
    reread: tuple = ()  # (file of its notebook, heading of the section to read again)
    reread_on: dict = field(default_factory=dict)  # id of a mistake → the same, if another
    how: object = None  # how(answer, *arguments) → {name: array or Remark}; None: call it
    wanted: str = "float"  # the type of the results: "float", "bool", "int" or "any"
    trains: bool | None = None  # whether gradients are tested; None: if ours has some
    fills: tuple = ()  # the names of arguments that the answer is meant to change
    written_out: dict = field(default_factory=dict)  # id → a PyTorch function not to call
    sums: dict = field(default_factory=dict)  # how results are computed: see smallest.py
    causal: bool = False  # whether a softmax in `sums` leaves later scores out
    asks_for: str = ""  # "function", "class" or "number"

    def __post_init__(self):
        self.returns = (self.returns,) if isinstance(self.returns, str) else self.returns
        self.asks_for = self.asks_for or ("class" if inspect.isclass(self.right) else "function")
        self.arguments = argument_names(self.right)

    @functools.cached_property
    def all_cases(self):
        cases = list(self.cases() if callable(self.cases) else self.cases)
        cases += self._alone(cases)
        gradient = Case(
            _("the gradient"), *cases[0].arguments, how=self._gradients, close=CLOSE_GRADIENTS
        )
        if self.trains is None and not self.how and self.asks_for == "function":
            ours = self.observe(self.right, gradient, Run(OURS)).values
            self.trains = bool(ours) and not isinstance(next(iter(ours.values())), Remark)
        return [*cases, gradient] if self.trains else cases

    def _alone(self, cases):
        """[a Case with a batch of one], cut from the first case that has a batch; or [].

        An axis is a batch if the right answer treats each item along it independently.
        """
        for case in cases:
            given = [a for a in case.arguments if isinstance(a, torch.Tensor)]
            batches = [len(a) for a in given if a.ndim > 1 + a.is_floating_point()]
            for n in {*batches} - {1}:
                cut = [
                    a[:1] if isinstance(a, torch.Tensor) and a.ndim and len(a) == n else a
                    for a in case.arguments
                ]
                alone = Case(_("a batch of one"), *cut, how=case.how, close=case.close, of=case)
                seen = [self.observe(self.right, c, Run(OURS)).values for c in (alone, case)]
                if all(seen) and all(
                    isinstance(a, np.ndarray) and a.ndim and comparing.alike(seen[0][name], a[:1])
                    for name, a in seen[1].items()
                ):
                    return [alone]
        return []

    def observe(self, answer, case, run):
        """The Seen of an answer on one case."""
        arguments = fresh(case.arguments)
        names = case.names or self.arguments
        seen = Seen(case, described(names, arguments))
        how = functools.partial(case.how or self.how or self._called, answer)
        seen.values, seen.trouble = run(how, *arguments)
        changed = [
            name
            for name, before, after in zip(names, case.arguments, arguments)
            if name not in self.fills and not as_it_was(before, after)
        ]
        if seen.values is not None and changed:
            text = _("It changes {names}, which belongs to the caller.", names=", ".join(changed))
            seen.values["in_place"] = Remark(text)
        return seen

    def _called(self, answer, *arguments):
        """{name: array} of the results, with remarks on their types and on forbidden calls."""
        with Called() as called:
            parts = parted(on_tensors_or_arrays(answer, arguments), len(self.returns))
        came = comparing.read(parts if len(self.returns) > 1 else parts[0], self.returns)
        for part in parts:
            if remark := wrong_type(part, self.wanted):
                came["not_of_type"] = remark
        for mistake, function in self.written_out.items():
            if any(name.endswith(function) for name in called.names):
                came[mistake] = Remark(_("It calls {name}.", name=function))
        return came

    def _gradients(self, answer, *arguments):
        """{∂name: gradient} for each tensor of floats among the arguments."""
        leaves = {
            name: a.requires_grad_()
            for name, a in zip(self.arguments, arguments)
            if isinstance(a, torch.Tensor) and a.is_floating_point()
        }
        return gradients(answer, fresh(arguments), leaves, len(self.returns))


def gradients(answer, arguments, leaves, parts=1):
    """{∂name: array}: the gradients of a weighted sum of all results with respect to the leaves.

    A remark instead if no gradient reaches the leaves; None if the answer is written in NumPy.
    """
    try:
        result = parted(answer(*arguments), parts)
        tensors = [to_tensor(part) for part in result if isinstance(first(part), torch.Tensor)]
    except Exception:
        tensors = []  # any other error was already reported for an earlier case
    if not tensors:
        return None
    trained = [tensor for tensor in tensors if tensor.requires_grad]
    if not trained:
        text = _("No gradient comes back through it, so nothing could be trained.")
        return {"lost_gradient": Remark(text)}
    loss = sum((tensor * wave(*tensor.shape, seed=9)).sum() for tensor in trained)
    found = torch.autograd.grad(loss, list(leaves.values()), materialize_grads=True)
    return {f"∂{name}": grad.double().numpy() for name, grad in zip(leaves, found)}


def on_tensors_or_arrays(answer, arguments):
    """The result of an answer, called with tensors.

    If it raises an error, it may be written for tensors without gradients, or for NumPy arrays:
    then these are tried. If none works, the first error is raised.
    """
    try:
        return answer(*arguments)
    except Exception as error:
        for bare in (torch.Tensor.detach, lambda tensor: tensor.detach().numpy()):
            with contextlib.suppress(Exception):
                return answer(*(bare(a) if isinstance(a, torch.Tensor) else a for a in arguments))
        raise error from None


def fresh(arguments):
    """Copies of the arguments, so that an answer that changes them cannot affect the next."""
    return [a.clone() if isinstance(a, torch.Tensor) else copy.deepcopy(a) for a in arguments]


def as_it_was(before, after):
    """Whether an argument is unchanged: a tensor, a list, or a layer, weights and settings."""
    if isinstance(before, torch.Tensor):
        return torch.equal(before.nan_to_num(9), after.detach().nan_to_num(9))
    if isinstance(before, nn.Module):
        return state_of(before) == state_of(after)
    return before == after if isinstance(before, list) else True


def state_of(module):
    """What a module holds: its settings, such as batch_first or its mode, and its numbers."""
    settings = {k: v for k, v in vars(module).items() if isinstance(v, (bool, int, float, str))}
    trained = [p.requires_grad for p in module.parameters()]
    return settings, trained, {k: t.tolist() for k, t in module.state_dict().items()}


def wrong_type(part, wanted):
    """A Remark if the numbers are not of the wanted type. In a list, any float is accepted."""
    kind = dtype_of(part)
    if wanted == "bool" and kind != "bool":
        return Remark(_("The numbers are of type {kind}; expected True and False.", kind=kind))
    if wanted == "int" and not kind.startswith("int"):
        return Remark(_("The numbers are of type {kind}; expected whole numbers.", kind=kind))
    if wanted == "float" and kind not in FLOATS and not isinstance(part, (list, tuple)):
        text = _("The numbers are of type {kind}; expected a tensor of floats, to train with.")
        return Remark(text.format(kind=kind))
    return None


def described(names, arguments):
    """Tensors, numbers and the sizes of a layer in words, such as "scores (3, 4), tokens=4"."""
    words = []
    for name, value in zip(names, arguments):
        if isinstance(value, torch.Tensor):
            words.append(f"{name} {tuple(value.shape)}")
        elif isinstance(value, (int, float)):
            words.append(f"{name}={value}")
        elif hasattr(value, "in_words"):
            words.append(value.in_words())
        words += lists([name], [value])
    return ", ".join(words)


def lists(names, arguments):
    """["ids = [2, 0, 1]"] for each argument that is a short list or tuple of plain numbers."""
    shown = {n: a for n, a in zip(names, arguments) if isinstance(a, (list, tuple))}
    plain = {n: a for n, a in shown.items() if all(isinstance(x, (int, float)) for x in a)}
    return [f"{n} = {a}" for n, a in plain.items() if len(str(a)) <= comparing.LONGEST_TEXT]


def argument_names(function):
    """The names of the required arguments; () if Python knows no signature."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return ()
    return tuple(n for n, p in parameters.items() if p.default is inspect.Parameter.empty)


class Called(TorchFunctionMode):
    """After `with Called() as called:`, called.names lists the PyTorch functions called."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.names.append(getattr(function, "__name__", ""))
        return function(*args, **(kwargs or {}))


def wave(*shape, seed=0.0):
    """Numbers between -1 and 1 that look random, and are the same on every computer."""
    k = torch.arange(1, 1 + math.prod(shape), dtype=torch.float64)
    return torch.sin(0.37 * k * k + 1.1 * k + 2.3 * seed).float().reshape(shape)
