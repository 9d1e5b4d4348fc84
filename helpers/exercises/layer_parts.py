"""The parts of a layer that notebook 9 passes to its exercises, and padding for them."""

import torch
from torch import nn

from ..models.transformer import Attention, FeedForward
from .small_models import filled


class Parts(nn.Module):
    """The parts of a layer, not yet put together, their weights filled with waves."""

    def __init__(self, d_model=4, num_heads=2, cross=False):
        super().__init__()
        self.attention = Attention(d_model, num_heads)
        if cross:
            self.cross_attention = Attention(d_model, num_heads)
            self.norm3 = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, 2 * d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        filled(self).train()

    def forward(self, *given, **named):
        raise TypeError("these are the parts of a layer, and no layer yet: call parts.attention, …")


def padded(*lengths, tokens):
    """(batch, tokens), True behind the end of each sentence."""
    return torch.arange(tokens) >= torch.tensor(lengths)[:, None]
