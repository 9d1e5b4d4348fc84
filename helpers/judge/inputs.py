"""The inputs of a case by their names, and the same case with other inputs."""

import torch

from .exercise import Case, fresh, wave


def parts(exercise, case):
    """{name: tensor} of the arguments that are tensors or whole numbers, and of a Layer's parts."""
    found = {}
    for name, value in zip(case.names or exercise.arguments, fresh(case.arguments)):
        if hasattr(value, "holding"):  # a judge.layers.Layer
            found |= value.tensors()
        elif isinstance(value, torch.Tensor) or type(value) is int:
            found[name] = torch.as_tensor(value)
    return found


def varied(exercise, case, new):
    """The case with these parts replaced: {name: tensor}."""
    arguments = fresh(case.arguments)
    for i, (name, value) in enumerate(zip(case.names or exercise.arguments, arguments)):
        if hasattr(value, "holding"):
            arguments[i] = value.holding(new)
        elif name in new:
            arguments[i] = int(new[name]) if type(value) is int else new[name]
    return Case(case.says, *arguments, how=case.how, close=case.close, names=case.names)


def changed(tensor):
    """[tensor]: the same tensor with other numbers, several times.

    A single change may leave the largest number where it is, or a probability below a threshold.
    """
    axes = [*range(tensor.ndim)]
    if tensor.is_floating_point():
        size = 0.5 + tensor.nan_to_num(0, 0, 0).abs().mean()
        waves = [size * wave(*tensor.shape, seed=seed) for seed in (21, 22)]
        found = [*waves, tensor.flip(axes[:1]), -tensor, 1 - tensor, 5 * tensor]
        found += [tensor + 10, tensor - 10]
        return [torch.where(tensor.isfinite(), new.to(tensor.dtype), tensor) for new in found]
    if not axes:  # a whole number, such as a width, may matter at values that no case has
        return []
    # Ids must stay in the vocabulary, so they change places, and one id comes in place of others.
    one = tensor[..., :1].expand_as(tensor).clone()
    rolled = tensor.roll((1,) * len(axes), axes)
    swapped = ~tensor if tensor.dtype == torch.bool else tensor.flip(axes[-1])
    return [tensor.roll(1, -1), rolled, swapped, one]
