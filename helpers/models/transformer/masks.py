"""The three masks and their shapes. True = hidden."""

import torch


def padding_mask(padding):
    """padding (batch, tokens), True = only fills up → mask (batch, 1, 1, tokens): hidden keys."""
    return padding[:, None, None, :]  # (batch, 1, 1, keys): for all heads and all queries


def causal_mask(tokens, device=None, earlier=0):
    """The mask (1, 1, tokens, earlier + tokens) that hides from each token those after it.

    earlier  how many tokens stand before them, whose keys all of them see
    """
    every = torch.ones(tokens, earlier + tokens, dtype=torch.bool, device=device)
    return every.triu(1 + earlier)[None, None]
