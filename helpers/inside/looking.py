"""Running a model once, under a watch, for a view of it."""

from collections.abc import Mapping

import torch

from .watching import watch


def seen_of(model, inputs, layers=None, heads=None):
    """What a watch saw of model(inputs); the model's mode, train or eval, is as before afterwards.

    inputs   one input, a tuple of several, or a dict of those that have names
    layers, heads   what is kept, as `watch` takes them

    The model runs in eval mode, so that no dropout is in the weights, and without gradients.

    Raises ValueError as `watch` does, and where weights times values are not what the model used.
    """
    modules = list(model.modules()) if hasattr(model, "modules") else []
    training = [module.training for module in modules]
    try:
        for module in modules:
            module.training = False
        with torch.no_grad(), watch(model, layers, heads) as seen:
            if isinstance(inputs, Mapping):
                model(**inputs)
            elif isinstance(inputs, tuple):
                model(*inputs)
            else:
                model(inputs)
    finally:
        for module, mode in zip(modules, training):
            module.training = mode
    seen.check()
    return seen
