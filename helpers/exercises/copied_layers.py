"""The two layers between which notebook 2 copies weights: the same matrices in two layouts."""

import torch
from torch import nn

from .. import _
from ..judge.comparing import kind
from ..judge.exercise import Remark
from ..judge.running import WrongKind
from .small_models import filled

NAMES = ("W_query", "W_key", "W_value")


class FromParameters(nn.Module):
    """Three projections as nn.Parameter, each (d_in, d_out)."""

    def __init__(self, d_in, d_out):
        super().__init__()
        for name in NAMES:
            setattr(self, name, nn.Parameter(torch.empty(d_in, d_out)))
        filled(self)


class ToLinear(nn.Module):
    """Three projections as nn.Linear, which keeps its weight as (d_out, d_in)."""

    def __init__(self, d_in, d_out):
        super().__init__()
        for name in NAMES:
            setattr(self, name, nn.Linear(d_in, d_out, bias=False))
        filled(self, seed=20)


def copied(answer, source, target):
    """{name: weight} of where the weights are afterwards, whatever came back."""
    answer(source, target)
    came, passed_over = {}, []
    for name in NAMES:
        linear, given = getattr(target, name, None), getattr(source, name, None)
        if not isinstance(linear, nn.Linear):
            text = _("to_linear.{name} is now {kind}, no longer an nn.Linear.")
            raise WrongKind(text.format(name=name, kind=kind(linear)))
        came[f"{name}.weight"] = linear.weight.detach().double().numpy().copy()
        if not (linear.weight.requires_grad and linear.weight.is_leaf):
            passed_over.append(name)
        turned = isinstance(given, torch.Tensor) and torch.equal(given.T, linear.weight)
        if turned and given.data_ptr() == linear.weight.data_ptr():
            text = _("The two layers share one memory: to train one changes the other.")
            came["shares_memory"] = Remark(text)
    if passed_over:
        text = _("An optimiser could not train {names}.", names=", ".join(passed_over))
        came["not_trained"] = Remark(text)
    return came
