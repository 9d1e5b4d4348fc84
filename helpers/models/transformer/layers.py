"""The layers of a Transformer, for encoder, decoder, GPT and BERT alike."""

from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

from ..attention import (
    _check_dropout,
    _check_floats,
    _check_sizes,
    scaled_dot_product_attention,
)
from .masks import check_mask

ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "gelu_tanh": partial(F.gelu, approximate="tanh")}


class Attention(nn.Module):
    """The many heads of notebook 5, with keys and values from any side, and any mask.

    d_model    size of a token's vector, going in and coming out
    num_heads  how many heads, a divisor of d_model
    dropout    share of the weights dropped in training, in [0, 1)
    qkv_bias   whether the projections of query, key and value add a bias; out_proj always does
    Raises TypeError or ValueError if a size is below 1, dropout is outside [0, 1), or num_heads
    does not divide d_model.
    Source: Vaswani et al. 2017, sections 3.2.2 and 3.2.3.
    """

    def __init__(self, d_model, num_heads, dropout=0.0, qkv_bias=True):
        super().__init__()
        _check_sizes(self, d_model=d_model, num_heads=num_heads)
        _check_dropout(type(self).__name__, dropout)
        if d_model % num_heads != 0:
            came = f"{type(self).__name__}: {d_model=} is not divisible by {num_heads=}"
            raise ValueError(f"{came}; pass a multiple of {num_heads}, such as {2 * num_heads}")
        self.d_model = d_model
        self.num_heads = num_heads
        self.dropout = dropout
        self.W_query = nn.Linear(d_model, d_model, bias=qkv_bias)
        self.W_key = nn.Linear(d_model, d_model, bias=qkv_bias)
        self.W_value = nn.Linear(d_model, d_model, bias=qkv_bias)
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
        Raises TypeError or ValueError if x, memory or mask is of the wrong kind or shape, and
        ValueError if is_causal is said of more keys than queries.
        """
        memory = x if memory is None else memory
        _check_vectors(self, x=x, memory=memory)
        query = self._split(self.W_query(x))  # (batch, heads, queries, head_dim)
        key = self._split(self.W_key(memory))  # (batch, heads, keys, head_dim)
        value = self._split(self.W_value(memory))
        if extend is not None:
            key, value = extend(key, value)  # (batch, heads, earlier + keys, head_dim)
        if mask is not None:
            check_mask(mask, (*query.shape[:3], key.shape[2]))
        if is_causal and query.shape[2] != key.shape[2]:
            came = f"is_causal=True with {query.shape[2]} queries and {key.shape[2]} keys"
            hint = "PyTorch would let the first query see the first key alone: pass a mask instead"
            raise ValueError(f"{type(self).__name__}: {came}; {hint}")
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
    """Two linear layers with a bend between them, applied at each place by itself.

    d_ff        size of the layer between, four times d_model in the paper
    dropout     share of the inner numbers dropped in training, in [0, 1)
    activation  the bend: "relu" (the paper), "gelu" (BERT), "gelu_tanh" (GPT-2)
    Raises TypeError or ValueError if a size is below 1, dropout is outside [0, 1), or the
    activation is none of the three.
    Source: Vaswani et al. 2017, section 3.3; Hendrycks and Gimpel 2016 (GELU).
    """

    def __init__(self, d_model, d_ff, dropout=0.0, activation="relu"):
        super().__init__()
        _check_sizes(self, d_model=d_model, d_ff=d_ff)
        _check_dropout(type(self).__name__, dropout)
        if activation not in ACTIVATIONS:
            raise ValueError(f"FeedForward: {activation=}; pass one of {', '.join(ACTIVATIONS)}")
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
        self,
        d_model,
        num_heads,
        d_ff,
        dropout=0.0,
        activation="relu",
        norm_first=False,
        eps=1e-5,
        qkv_bias=True,
    ):
        super().__init__()
        self.attention = Attention(d_model, num_heads, dropout, qkv_bias)
        if self.crosses:  # here, so that a seed gives each part the weights that it always gave
            self.cross_attention = Attention(d_model, num_heads, dropout, qkv_bias)
        self.feed_forward = FeedForward(d_model, d_ff, dropout, activation)
        self.norm1 = nn.LayerNorm(d_model, eps=eps)
        self.norm2 = nn.LayerNorm(d_model, eps=eps)
        if self.crosses:
            self.norm3 = nn.LayerNorm(d_model, eps=eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def _before(self, norm, x):
        return norm(x) if self.norm_first else x

    def _after(self, norm, x):
        return x if self.norm_first else norm(x)


class EncoderLayer(_Layer):
    """Self-attention, then feed-forward, each with a short cut around it and a LayerNorm.

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
        seen = self._before(self.norm1, x)
        context, weights = _look(
            self.attention, seen, None, mask, return_weights, extend, is_causal
        )
        x = self._after(self.norm1, x + self.dropout(context))
        thought = self.feed_forward(self._before(self.norm2, x))
        x = self._after(self.norm2, x + self.dropout(thought))
        return (x, weights) if return_weights else x


class DecoderLayer(_Layer):
    """Self-attention, then cross-attention, whose keys and values are the encoder's, then
    feed-forward; each with a short cut around it and a LayerNorm.

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
        seen = self._before(self.norm1, x)
        context, weights = _look(self.attention, seen, None, mask, return_weights)
        x = self._after(self.norm1, x + self.dropout(context))
        seen = self._before(self.norm2, x)
        context, cross = _look(self.cross_attention, seen, memory, memory_mask, return_weights)
        x = self._after(self.norm2, x + self.dropout(context))
        thought = self.feed_forward(self._before(self.norm3, x))
        x = self._after(self.norm3, x + self.dropout(thought))
        return (x, weights, cross) if return_weights else x


def through(layers, x, mask, return_weights):
    """x through a stack of encoder layers → (x, weights (layers, batch, heads, tokens, tokens)).

    The weights are None if nobody asked for them.
    """
    kept = []
    for layer in layers:
        x = layer(x, mask, return_weights)
        if return_weights:
            x, weights = x
            kept.append(weights)
    return x, torch.stack(kept) if return_weights else None


def _look(attention, x, memory, mask, return_weights, *more):
    """(context, weights), the weights None if nobody asked for them."""
    result = attention(x, memory, mask, return_weights, *more)
    return result if return_weights else (result, None)


def _check_vectors(layer, x, memory):
    d_model = layer.d_model
    sides = {"x": x} if memory is x else {"x": x, "memory": memory}
    for label, vectors in sides.items():
        name = f"{type(layer).__name__}: {label}"
        _check_floats(name, vectors)
        if vectors.dim() != 3 or vectors.shape[-1] != d_model or 0 in vectors.shape:
            hint = "neither of them 0; x[None] makes a batch of one sentence"
            wanted = f"expected (batch, tokens, {d_model}), {hint}"
            raise ValueError(f"{name} has shape {tuple(vectors.shape)}; {wanted}")
    if len(x) != len(memory):
        came = f"x has {len(x)} sentences, memory {len(memory)}"
        hint = "pass as many of one as of the other; memory.expand() repeats a single one"
        raise ValueError(f"{type(layer).__name__}: {came}; {hint}")
