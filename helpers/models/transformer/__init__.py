"""The Transformer of the series: its parts, the whole, and two ways to let it write.

    Attention      many heads; queries from one side, keys and values from the same or from another
    FeedForward    a small network, the same one at each position
    EncoderLayer   self-attention, then feed-forward; with a causal mask, the block of GPT
    DecoderLayer   causal self-attention, cross-attention, feed-forward
    Transformer    ids of two languages in, scores for each next word out
    greedy, beam   write with it, word by word

IN A MASK, True MEANS HIDDEN, as in `helpers.models.attention`. Padding is (batch, tokens), True where a
token only fills up. `padding_mask` and `causal_mask` give masks the four dimensions that a layer
takes, (batch, heads, queries, keys), with a 1 where one mask serves all.

Source: Vaswani et al. 2017, "Attention Is All You Need"; pre-norm: Xiong et al. 2020.
"""

from .decoding import beam, greedy
from .layers import (
    Attention,
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    causal_mask,
    padding_mask,
)
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
