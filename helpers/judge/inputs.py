"""The tensors that a case is made of, each by its name, and the same case with others in their place."""

import torch
from torch import nn

from .exercise import Case, fresh, wave


def parts(exercise, case):
    """{name: list of tensors}: one for an argument, several for a part of a layer, such as
    "parts.norm1". What is seen through `Layer.tensors` is its input and its projections."""
    found = {}
    for name, value in zip(exercise.arguments, fresh(case.arguments)):
        if hasattr(value, "tensors"):
            found |= {own: [tensor] for own, tensor in value.tensors().items()}
        elif isinstance(value, torch.Tensor):
            found[name] = [value]
        elif isinstance(value, nn.Module):
            for own, parameter in value.named_parameters():
                key = f"{name}.{own.split('.')[0]}"
                found.setdefault(key, []).append(parameter.detach().clone())
    return found


def numbers(exercise, case):
    """{name: whole number} of the arguments that are one."""
    named = zip(exercise.arguments, case.arguments)
    return {name: value for name, value in named if type(value) is int}


def varied(exercise, case, changed):
    """The case with these parts changed, {name: list of tensors}; whole numbers by their name, too."""
    arguments = fresh(case.arguments)
    for i, (name, value) in enumerate(zip(exercise.arguments, arguments)):
        if hasattr(value, "tensors"):
            arguments[i] = value.holding({own: new[0] for own, new in changed.items()})
        elif isinstance(value, nn.Module):
            left = {own: list(new) for own, new in changed.items()}
            for own, parameter in value.named_parameters():
                if new := left.get(f"{name}.{own.split('.')[0]}"):
                    parameter.data.copy_(new.pop(0))
        elif name in changed:
            arguments[i] = changed[name][0]
    return Case(case.says, *arguments, how=case.how, close=case.close)


def other(tensor, seed):
    """A tensor of the same shape and kind, in which every number is another one."""
    if tensor.dtype == torch.bool:
        return ~tensor if seed == 1 else tensor.roll(1, -1)
    if not tensor.is_floating_point():
        return tensor.roll(seed, -1)
    new = wave(*tensor.shape, seed=20 + seed).to(tensor.dtype) * (0.5 + tensor.abs().nan_to_num().mean())
    return torch.where(tensor.isfinite(), new, tensor)
