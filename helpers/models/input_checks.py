"""Input checks of the models. An error says what came, what was expected, and what to do about it.

Only common slips are checked here, those that PyTorch reports in an obscure way or not at all. For
everything else, PyTorch's own errors say enough.
"""

import torch

from .. import _

THE_THREE = _(
    "the three masks: source padding (batch, 1, 1, source tokens), in the encoder and in "
    "cross-attention; target padding (batch, 1, 1, target tokens), and causal "
    "(1, 1, target tokens, target tokens), both in the decoder's self-attention"
)


def check_heads(layer, label, size, heads):
    """Raise ValueError unless the number of heads divides the size, which is called `label`."""
    if size % heads != 0:
        text = _(
            "{layer}: {label}={size} is not divisible by num_heads={heads}; "
            "pass a multiple of {heads}, such as {twice}"
        )
        name, twice = type(layer).__name__, 2 * heads
        raise ValueError(text.format(layer=name, label=label, size=size, heads=heads, twice=twice))


def check_broadcast_mask(mask, scores):
    """Raise TypeError or ValueError unless mask holds booleans and broadcasts to the scores."""
    _check_booleans("scaled_dot_product_attention: mask", mask)
    pairs = zip(reversed(mask.shape), reversed(scores.shape))
    if mask.dim() > scores.dim() or any(size not in (1, full) for size, full in pairs):
        text = _(
            "scaled_dot_product_attention: mask has shape {mask}, the scores {scores}; cut "
            "the mask to the tokens at hand, with size 1 where it is to be repeated"
        )
        raise ValueError(text.format(mask=tuple(mask.shape), scores=tuple(scores.shape)))


def check_sequence(layer, x):
    """Raise TypeError or ValueError unless x is ([batch,] tokens, layer.d_in) and fits the mask."""
    name, shape, d_in = type(layer).__name__, tuple(x.shape), layer.d_in
    _check_floats(name, x)
    if len(shape) not in (2, 3) or shape[-1] != d_in:
        text = _(
            "{layer}: x has shape {shape}; expected (tokens, {d_in}) or (batch, tokens, {d_in}): "
            "x[None] adds a dimension; for embeddings of size {size} make the layer with d_in={size}"
        )
        size = shape[-1] if shape else 1
        raise ValueError(text.format(layer=name, shape=shape, d_in=d_in, size=size))
    most = getattr(layer, "context_length", shape[-2])  # without a mask there is no limit
    if shape[-2] > most:
        text = _(
            "{layer}: x has {tokens} tokens; at most context_length={most} fit: "
            "pass fewer, or make the layer with context_length={tokens}"
        )
        raise ValueError(text.format(layer=name, tokens=shape[-2], most=most))


def check_batch(layer, label, x):
    """Raise TypeError or ValueError unless x, called `label`, is (batch, tokens, layer.d_model)."""
    name, shape = type(layer).__name__, tuple(x.shape)
    _check_floats(name, x, label)
    if len(shape) != 3 or shape[-1] != layer.d_model or 0 in shape:
        text = _(
            "{layer}: {label} has shape {shape}; expected (batch, tokens, {d_model}), "
            "neither of them 0; x[None] makes a batch of one sentence"
        )
        raise ValueError(text.format(layer=name, label=label, shape=shape, d_model=layer.d_model))


def _check_floats(name, x, label="x"):
    if not x.is_floating_point():
        text = _(
            "{layer}: {label} holds {dtype}, not floating-point numbers; "
            "look token ids up in an nn.Embedding, or convert with .float()"
        )
        raise TypeError(text.format(layer=name, label=label, dtype=x.dtype))


def check_ids(name, ids, vocabulary, hint=None):
    """Raise ValueError unless ids are (batch, tokens), each from 0 to vocabulary - 1."""
    if ids.dim() != 2 or 0 in ids.shape:
        text = _(
            "{name}: ids have shape {shape}; expected (batch, tokens), neither of them 0; "
            "ids[None] makes a batch of one"
        )
        raise ValueError(text.format(name=name, shape=tuple(ids.shape)))
    if ids.is_meta:
        return  # a tensor on the meta device has no values
    low, high = ids.min().item(), ids.max().item()
    if low < 0 or high >= vocabulary:
        text = _(
            "{name}: ids range from {low} to {high}, but the vocabulary has {words} tokens "
            "(0 to {last}); {hint}"
        )
        found = {"low": low, "high": high, "words": vocabulary, "last": vocabulary - 1}
        hint = hint or _("was the vocabulary counted too small?")
        raise ValueError(text.format(name=name, hint=hint, **found))


def check_words(model, ids, cut):
    """As check_ids, and raise ValueError for too many tokens. cut: code that makes them fewer."""
    name, tokens, most = type(model).__name__, ids.shape[-1], model.context_length
    check_ids(name, ids, model.vocabulary)
    if tokens > most:
        text = _("{name}: ids have {tokens} tokens; at most context_length={most} fit: pass {cut}")
        raise ValueError(text.format(name=name, tokens=tokens, most=most, cut=cut))


def check_mask(mask, scores_shape):
    """Raise TypeError or ValueError unless mask fits scores (batch, heads, queries, keys)."""
    _check_booleans("mask", mask)
    pairs = zip(mask.shape, scores_shape)
    if mask.dim() != 4 or any(size not in (1, full) for size, full in pairs):
        text = _(
            "mask has shape {shape}, the scores {scores}; expected (batch, heads, queries, keys), "
            "with 1 where one mask serves all. Which one is it? {three}"
        )
        shape, scores = tuple(mask.shape), tuple(scores_shape)
        raise ValueError(text.format(shape=shape, scores=scores, three=THE_THREE))


def check_padding(name, padding, ids):
    """Raise TypeError or ValueError unless padding holds booleans and has the shape of the ids."""
    _check_booleans(name, padding)
    if padding.shape != ids.shape:
        text = _(
            "{name} has shape {shape}, its ids {ids}; expected the same shape, such as ids == pad. "
            "Which one is it? {three}"
        )
        shape, its = tuple(padding.shape), tuple(ids.shape)
        raise ValueError(text.format(name=name, shape=shape, ids=its, three=THE_THREE))


def _check_booleans(name, mask):
    if mask.dtype != torch.bool:
        text = _("{name} is {dtype}; pass a tensor of booleans, True = hidden")
        raise TypeError(text.format(name=name, dtype=mask.dtype))


def check_config(model, config, wanted):
    """Raise ValueError unless each setting in wanted, {name: (allowed, …)}, has such a value."""
    for name, right in wanted.items():
        found = getattr(config, name, right[0])
        if found not in right:
            text = _(
                "from_hugging_face: the config has {name}={found!r}; "
                "our {model} is written for {name}={right!r}"
            )
            raise ValueError(text.format(name=name, found=found, model=model, right=right[0]))
