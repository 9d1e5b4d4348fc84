"""The Transformer of the series: its parts, the whole model, and two ways to generate text.

    Attention      several heads; keys and values come from the same sequence or from another
    FeedForward    a small network, applied at each position separately
    EncoderLayer   self-attention, then feed-forward; with a causal mask, the block of GPT
    DecoderLayer   causal self-attention, cross-attention, feed-forward
    Transformer    ids of two languages → logits for each next target token
    greedy, beam   generate a translation with it, token by token

IN A MASK, True MEANS HIDDEN, as in `helpers.models.attention`. Padding is given as
(batch, tokens), True where a token is padding. `padding_mask` and `causal_mask` give masks the four
dimensions that a layer takes, (batch, heads, queries, keys), with size 1 where one mask serves all.

Source: Vaswani et al. 2017, "Attention Is All You Need"; pre-norm: Xiong et al. 2020.
"""

from .decoding import beam, greedy
from .layers import Attention, DecoderLayer, EncoderLayer, FeedForward, causal_mask, padding_mask
from .model import Transformer

__all__ = [
    "Attention",
    "DecoderLayer",
    "EncoderLayer",
    "FeedForward",
    "Transformer",
    "beam",
    "causal_mask",
    "greedy",
    "padding_mask",
]
