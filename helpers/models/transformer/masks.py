"""The three masks, their shapes, and what is said of a wrong one. True = hidden."""

import torch

THE_THREE = (
    "the three masks: source padding (batch, 1, 1, source tokens), in the encoder and in "
    "cross-attention; target padding (batch, 1, 1, target tokens), and causal "
    "(1, 1, target tokens, target tokens), both in the decoder's self-attention"
)


def padding_mask(padding):
    """padding (batch, tokens), True = only fills up → mask (batch, 1, 1, tokens): hidden keys.

    Raises TypeError if padding holds no booleans, ValueError if it is not (batch, tokens).
    """
    _check_booleans("padding", padding)
    if padding.dim() != 2:
        wanted = "expected (batch, tokens), such as ids == pad"
        raise ValueError(f"padding has shape {tuple(padding.shape)}; {wanted}")
    return padding[:, None, None, :]  # (batch, 1, 1, keys): for all heads and all queries


def causal_mask(tokens, device=None, earlier=0):
    """The mask (1, 1, tokens, earlier + tokens) that hides from each token those after it.

    earlier  how many tokens stand before them, whose keys all of them see
    Raises TypeError if tokens is no whole number.
    """
    if not isinstance(tokens, int):
        came = type(tokens).__name__
        raise TypeError(f"tokens is of type {came}; pass how many there are, such as x.shape[1]")
    every = torch.ones(tokens, earlier + tokens, dtype=torch.bool, device=device)
    return every.triu(1 + earlier)[None, None]


def check_mask(mask, scores_shape):
    """Raise TypeError or ValueError unless mask fits scores (batch, heads, queries, keys)."""
    _check_booleans("mask", mask)
    fits = mask.dim() == 4 and all(
        size in (1, full) for size, full in zip(mask.shape, scores_shape)
    )
    if not fits:
        came = f"mask has shape {tuple(mask.shape)}, the scores {tuple(scores_shape)}"
        wanted = "expected (batch, heads, queries, keys), with 1 where one mask serves all"
        raise ValueError(f"{came}; {wanted}. Which one is it? {THE_THREE}")


def check_padding(name, padding, ids):
    """Raise TypeError or ValueError unless padding is of booleans and shaped like the ids."""
    _check_booleans(name, padding)
    if padding.shape != ids.shape:
        came = f"{name} has shape {tuple(padding.shape)}, its ids {tuple(ids.shape)}"
        wanted = "expected the same shape, such as ids == pad"
        raise ValueError(f"{came}; {wanted}. Which one is it? {THE_THREE}")


def _check_booleans(name, mask):
    if not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool:
        came = getattr(mask, "dtype", type(mask).__name__)
        raise TypeError(f"{name} is {came}; pass a tensor of booleans, True = hidden")
