"""What a view is made of: its arguments checked, and a model run once, under a watch."""

from collections.abc import Mapping

import torch

from ..pictures.labels import VIEWS
from .watching import watch


def seen_of(model, inputs, layers=None, heads=None):
    """What a watch saw of model(inputs); the model's mode, train or eval, is as before afterwards.

    inputs   one input, a tuple of several, or a dict of those that have names
    layers, heads   what is kept, as `watch` takes them

    The model runs in eval mode, so that no dropout is in the weights, and without gradients.

    Raises ValueError as `watch` does, and where weights times values are not what the model used;
    TypeError where inputs is a list, and the model takes none.
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
                _call_with_one(model, inputs)
    finally:
        for module, mode in zip(modules, training):
            module.training = mode
    seen.check()
    return seen


def _call_with_one(model, inputs):
    """model(inputs); TypeError with advice where it is a list, and the model takes none."""
    try:
        model(inputs)
    except (TypeError, AttributeError) as error:
        if not isinstance(inputs, list):
            raise
        several = inputs and all(isinstance(x, torch.Tensor) for x in inputs)
        hint = "a tuple: (a, b)" if several else "a tensor: torch.tensor(inputs)"
        raise TypeError(
            f"inputs is a list, and {type(model).__name__} takes none as its one input "
            f"({type(error).__name__}: {error}). Give {'several inputs' if several else 'it'} as {hint}."
        ) from error


def check_arguments(model, inputs, text, tokenize, view):
    """TypeError or ValueError where the arguments do not go together."""
    if (text is None) != (tokenize is None):
        raise TypeError(
            "text and tokenize go together: tokenize(text) returns (inputs, tokens) for any text."
        )
    if text is not None and inputs is not None:
        raise TypeError(
            "got inputs and text; give one of them, for tokenize makes inputs of the text."
        )
    if text is not None and not isinstance(text, str):
        raise TypeError(f"text={text!r} is not a text.")
    to_run = inputs is not None or text is not None
    if not to_run and callable(model):
        raise TypeError(
            f"got a model ({type(model).__name__}) and no inputs to run it on; "
            "write Inside(model, inputs, tokens)."
        )
    if to_run != callable(model) or not (
        to_run or isinstance(model, Mapping) or hasattr(model, "calls")
    ):
        raise TypeError(
            f"got {type(model).__name__}; give a model and its inputs, or what watch saw, or weights by "
            "name: {'my layer': weights}."
        )
    if view not in VIEWS:
        raise ValueError(f"view={view!r}, expected one of: {', '.join(VIEWS)}.")


def named(model):
    return type(model).__name__ if callable(model) else "what was seen"
