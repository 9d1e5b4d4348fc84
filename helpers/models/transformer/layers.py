"""The layers of a Transformer, for encoder, decoder, GPT and BERT alike, and their masks."""

from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

from ..attention import scaled_dot_product_attention
from ..input_checks import check_batch, check_heads, check_mask

SMALL_START = 0.02  # the standard deviation of GPT-2's and BERT's weights before training
ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "gelu_tanh": partial(F.gelu, approximate="tanh")}


def padding_mask(padding):
    """padding (batch, tokens), True = only fills up → mask (batch, 1, 1, tokens): hidden keys."""
    return padding[:, None, None, :]  # (batch, 1, 1, keys): for all heads and all queries


def causal_mask(tokens, device=None, earlier=0):
    """The mask (1, 1, tokens, earlier + tokens) that hides from each token those after it.

    earlier  how many tokens stand before them, whose keys all of them see
    """
    every = torch.ones(tokens, earlier + tokens, dtype=torch.bool, device=device)
    return every.triu(1 + earlier)[None, None]


class Attention(nn.Module):
    """The many heads of notebook 5, with keys and values from any side, and any mask.

    d_model    size of a token's vector, going in and coming out
    num_heads  how many heads, a divisor of d_model
    dropout    share of the weights dropped in training, in [0, 1)
    Raises ValueError if num_heads does not divide d_model.
    Source: Vaswani et al. 2017, sections 3.2.2 and 3.2.3.
    """

    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        check_heads(self, "d_model", d_model, num_heads)
        self.d_model = d_model
        self.num_heads = num_heads
        self.dropout = dropout
        self.W_query = nn.Linear(d_model, d_model)
        self.W_key = nn.Linear(d_model, d_model)
        self.W_value = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(
        self, x, memory=None, mask=None, return_weights=False, extend=None, is_causal=False
    ):
        """x (batch, queries, d_model) looks at memory (batch, keys, d_model), or at itself.

        mask       booleans, True = hidden: (batch, heads, queries, keys), with 1 where one serves
                   all. A query with every key hidden gets a mixture of nothing, which is 0.
        extend     a function of key and value, (batch, heads, tokens, head_dim), that returns them
                   with those of earlier tokens before them, as `extend` of GPT's Cache does
        is_causal  whether mask is the causal mask, of as many queries as keys: the fused kernel
                   then leaves out the future, and does not spend time on hiding it
        Returns context (batch, queries, d_model); with return_weights (context, weights), weights
        (batch, heads, queries, keys). Without, PyTorch's fused kernel never stores them.
        Raises TypeError or ValueError if x, memory or mask is of the wrong kind or shape.
        """
        memory = x if memory is None else memory
        check_batch(self, "x", x)
        check_batch(self, "memory", memory)
        query = self._split(self.W_query(x))  # (batch, heads, queries, head_dim)
        key = self._split(self.W_key(memory))  # (batch, heads, keys, head_dim)
        value = self._split(self.W_value(memory))
        if extend is not None:
            key, value = extend(key, value)  # (batch, heads, earlier + keys, head_dim)
        if mask is not None:
            check_mask(mask, (*query.shape[:3], key.shape[2]))
        dropout = self.dropout if self.training else 0.0  # neither path asks for the mode
        if return_weights:
            context, weights = scaled_dot_product_attention(query, key, value, mask, dropout)
            return self._merge(context), weights
        visible = None if mask is None or is_causal else ~mask  # PyTorch: True = visible
        fused = F.scaled_dot_product_attention(query, key, value, visible, dropout, is_causal)
        return self._merge(fused)

    def _split(self, x):
        """(batch, tokens, d_model) → (batch, heads, tokens, head_dim)."""
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def _merge(self, context):
        """(batch, heads, tokens, head_dim) → (batch, tokens, d_model), the heads mixed."""
        return self.out_proj(context.transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    """Two linear layers with a bend between them, applied at each position by itself.

    d_ff        size of the layer between, four times d_model in the paper
    dropout     share of the inner numbers dropped in training, in [0, 1)
    activation  the bend: "relu" (the paper), "gelu" (BERT), "gelu_tanh" (GPT-2)
    Raises KeyError if the activation is none of the three.
    Source: Vaswani et al. 2017, section 3.3; Hendrycks and Gimpel 2016 (GELU).
    """

    def __init__(self, d_model, d_ff, dropout=0.0, activation="relu"):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)
        self.activation = activation

    def forward(self, x):
        """x (..., d_model) → (..., d_model): no token sees another."""
        inner = ACTIVATIONS[self.activation](self.linear1(x))  # (..., d_ff)
        return self.linear2(self.dropout(inner))


class _Layer(nn.Module):
    """What both kinds of layer share: their parts, and where the LayerNorm of a part stands."""

    crosses = False  # whether it looks at a memory, too

    def __init__(
        self, d_model, num_heads, d_ff, dropout=0.0, activation="relu", norm_first=False, eps=1e-5
    ):
        super().__init__()
        self.attention = Attention(d_model, num_heads, dropout)
        if self.crosses:  # here, so that a seed gives each part the weights that it always gave
            self.cross_attention = Attention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout, activation)
        self.norm1 = nn.LayerNorm(d_model, eps=eps)
        self.norm2 = nn.LayerNorm(d_model, eps=eps)
        if self.crosses:
            self.norm3 = nn.LayerNorm(d_model, eps=eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def _around(self, part, norm, x):
        """x plus what the part makes of it, with the norm before or after; and the part's weights."""
        made = part(norm(x) if self.norm_first else x)
        made, weights = made if isinstance(made, tuple) else (made, None)
        x = x + self.dropout(made)
        return x if self.norm_first else norm(x), weights


class EncoderLayer(_Layer):
    """Self-attention, then feed-forward, each with a residual connection around it and a LayerNorm.

    norm_first  False: post-norm, norm(x + part(x)), as the paper drew it;
                True: pre-norm, x + part(norm(x)), as GPT-2 and most since have it
    dropout     share dropped in training: of the weights, of what each part adds, inside
                feed-forward
    eps         what LayerNorm adds to the variance: 1e-5 in PyTorch and GPT-2, 1e-12 in BERT
    The other arguments, and what is raised, as in Attention and FeedForward.
    Source: Vaswani et al. 2017, section 3.1; Xiong et al. 2020 (pre-norm).
    """

    def forward(self, x, mask=None, return_weights=False, extend=None, is_causal=False):
        """x (batch, tokens, d_model) → the same shape; the others as in Attention.

        With return_weights: (x, weights), weights (batch, heads, tokens, tokens).
        """

        def look(x):
            return self.attention(x, None, mask, return_weights, extend, is_causal)

        x, weights = self._around(look, self.norm1, x)
        x, _none = self._around(self.feed_forward, self.norm2, x)
        return (x, weights) if return_weights else x


class DecoderLayer(_Layer):
    """Self-attention, then cross-attention, whose keys and values are the encoder's, then
    feed-forward; each with a residual connection around it and a LayerNorm.

    Arguments, and what is raised, as in EncoderLayer.
    Source: Vaswani et al. 2017, section 3.1.
    """

    crosses = True

    def forward(self, x, memory, mask=None, memory_mask=None, return_weights=False):
        """x (batch, target tokens, d_model), memory (batch, source tokens, d_model) → as x.

        mask         of the self-attention: the causal mask, with the target's padding
        memory_mask  of the cross-attention: the source's padding
        With return_weights: (x, weights, cross_weights), (batch, heads, target tokens, target
        tokens) and (batch, heads, target tokens, source tokens).
        """

        def look(x):
            return self.attention(x, None, mask, return_weights)

        def look_across(x):
            return self.cross_attention(x, memory, memory_mask, return_weights)

        x, weights = self._around(look, self.norm1, x)
        x, cross_weights = self._around(look_across, self.norm2, x)
        x, _none = self._around(self.feed_forward, self.norm3, x)
        return (x, weights, cross_weights) if return_weights else x


def through(layers, x, mask, return_weights, cache=None, is_causal=False):
    """x through a stack of encoder layers → (x, weights (layers, batch, heads, tokens, tokens)).

    The weights are None if nobody asked for them. A Cache of GPT extends the keys of each layer.
    """
    kept = []
    for i, layer in enumerate(layers):
        extend = None if cache is None else partial(cache.extend, i)
        x = layer(x, mask, return_weights, extend, is_causal)
        if return_weights:
            x, weights = x
            kept.append(weights)
    return x, torch.stack(kept) if return_weights else None
