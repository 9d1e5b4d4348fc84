"""Input checks of the models. An error says what came, what was expected, and what to do about it.

Only slips of learners are checked that PyTorch lets pass in silence, or reports without the cause.
"""

import torch

from .. import _


def check_heads(layer, label, size, heads):
    """Raise ValueError unless the number of heads divides the size, which is called `label`."""
    if size % heads != 0:
        text = _(
            "{layer}: {label}={size} is not divisible by num_heads={heads}; "
            "pass a multiple of {heads}, such as {twice}"
        )
        name, twice = type(layer).__name__, 2 * heads
        raise ValueError(text.format(layer=name, label=label, size=size, heads=heads, twice=twice))


def check_length(layer, tokens):
    """Raise ValueError for more tokens than the layer's context_length."""
    if tokens > layer.context_length:
        text = _(
            "{layer}: {tokens} tokens are too many; at most context_length={most} fit: "
            "pass fewer, or make the layer with context_length={tokens}"
        )
        name, most = type(layer).__name__, layer.context_length
        raise ValueError(text.format(layer=name, tokens=tokens, most=most))


def check_batch(layer, label, x):
    """Raise ValueError unless x, called `label`, has the axes (batch, tokens, layer.d_model)."""
    if x.dim() != 3:  # other axes would be taken for heads
        text = _(
            "{layer}: {label} has shape {shape}; expected (batch, tokens, {d_model}): "
            "x[None] makes a batch of one sentence"
        )
        name, shape = type(layer).__name__, tuple(x.shape)
        raise ValueError(text.format(layer=name, label=label, shape=shape, d_model=layer.d_model))


def check_ids(model, ids, vocabulary):
    """Raise ValueError unless ids are (batch, tokens), each from 0 to vocabulary - 1."""
    name, shape = type(model).__name__, tuple(ids.shape)
    if len(shape) != 2 or 0 in shape:
        text = _(
            "{name}: ids have shape {shape}; expected (batch, tokens), neither of them 0; "
            "ids[None] makes a batch of one"
        )
        raise ValueError(text.format(name=name, shape=shape))
    low, high = ids.min().item(), ids.max().item()
    if low < 0 or high >= vocabulary:
        text = _(
            "{name}: ids range from {low} to {high}, but the vocabulary has {words} tokens "
            "(0 to {last}); was it counted too small, or are these the ids of another one?"
        )
        found = {"low": low, "high": high, "words": vocabulary, "last": vocabulary - 1}
        raise ValueError(text.format(name=name, **found))


def check_mask(mask, scores, every_axis=False):
    """Raise TypeError or ValueError unless mask holds booleans and broadcasts to scores, a shape.

    every_axis  whether the mask must have as many axes as the scores
    """
    if mask.dtype != torch.bool:
        text = _("mask is {dtype}; pass a tensor of booleans, True = hidden")
        raise TypeError(text.format(dtype=mask.dtype))
    mask, scores = tuple(mask.shape), tuple(scores)
    fits = all(size in (1, full) for size, full in zip(reversed(mask), reversed(scores)))
    if not fits or len(mask) > len(scores) or every_axis and len(mask) < len(scores):
        text = _(
            "mask has shape {mask}, the scores {scores}, where queries and keys are last; each "
            "size of the mask must be that of the scores, or 1 where one mask serves all"
        )
        raise ValueError(text.format(mask=mask, scores=scores))


def check_theirs(theirs, kind, ours, wanted):
    """Raise TypeError unless theirs, a model of Hugging Face, is of the class `kind`, and ValueError
    unless each setting of its config in wanted, {name: (allowed, …)}, has such a value.
    """
    if type(theirs).__name__ != kind:
        text = _("from_hugging_face: model is a {found}; pass a {kind}")
        raise TypeError(text.format(found=type(theirs).__name__, kind=kind))
    for name, right in wanted.items():
        found = getattr(theirs.config, name, right[0])
        if found not in right:
            text = _(
                "from_hugging_face: the config has {name}={found!r}; "
                "our {model} is written for {name}={right!r}"
            )
            raise ValueError(text.format(name=name, found=found, model=ours, right=right[0]))
