"""The inputs of a case by their names, and the same case with other inputs."""

import torch
from torch import nn

from .exercise import Case, fresh, wave


def parts(exercise, case):
    """{name: [tensor]} of the arguments; a part of a layer, say "parts.norm1", has several."""
    found = {}
    for name, value in zip(case.names or exercise.arguments, fresh(case.arguments)):
        if hasattr(value, "holding"):  # a judge.layers.Layer
            found |= {own: [tensor] for own, tensor in value.tensors().items()}
        elif isinstance(value, nn.Module):
            for own, weight in value.named_parameters():
                key = f"{name}.{own.split('.')[0]}"
                found.setdefault(key, []).append(weight.detach().clone())
        elif isinstance(value, torch.Tensor) or type(value) is int:
            found[name] = [torch.as_tensor(value)]
    return found


def varied(exercise, case, changed):
    """The case with these parts replaced: {name: [tensor]}."""
    arguments = fresh(case.arguments)
    for i, (name, value) in enumerate(zip(case.names or exercise.arguments, arguments)):
        if hasattr(value, "holding"):
            arguments[i] = value.holding({own: new[0] for own, new in changed.items()})
        elif isinstance(value, nn.Module):
            left = {own: list(new) for own, new in changed.items()}
            for own, weight in value.named_parameters():
                if new := left.get(f"{name}.{own.split('.')[0]}"):
                    weight.data.copy_(new.pop(0))
        elif name in changed:
            arguments[i] = int(changed[name][0]) if type(value) is int else changed[name][0]
    return Case(case.says, *arguments, how=case.how, close=case.close, names=case.names)


def other(tensor, seed):
    """A tensor of the same shape and type with other numbers, for seed 1 to 3.

    A single whole number becomes larger by 1, smaller by 1, and from seed 3 on 0, 1, 2 …
    """
    if tensor.dtype == torch.bool:
        return ~tensor if seed == 1 else tensor.roll(1, -1)
    if not tensor.is_floating_point():  # ids must stay in the vocabulary
        if not tensor.ndim:
            return tensor + (1, -1)[seed - 1] if seed < 3 else 0 * tensor + seed - 3
        if seed == 3:
            return tensor[..., :1].expand_as(tensor).clone()  # then no id occurs as often as before
        # Along a row, and from row to row, so that a row has other ids and not only another order.
        return (
            tensor.roll(1, -1)
            if seed == 1
            else tensor.roll((1,) * tensor.ndim, [*range(tensor.ndim)])
        )
    if seed == 3:
        return torch.where(tensor.isfinite(), 0 * tensor, tensor)
    size = 0.5 + tensor.nan_to_num(0, 0, 0).abs().mean()
    new = (size * wave(*tensor.shape, seed=20 + seed)).to(tensor.dtype)
    return torch.where(tensor.isfinite(), new, tensor)
