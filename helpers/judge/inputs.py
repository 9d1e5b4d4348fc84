"""The inputs of a case by their names, and the same case with other inputs."""

import torch

from .exercise import Case, fresh


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
