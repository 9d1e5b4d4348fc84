"""The layers of a Transformer, for encoder, decoder, GPT and BERT alike, and their masks."""

from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

from ..attention import scaled_dot_product_attention
from ..input_checks import check_batch, check_heads, check_mask

SMALL_START = 0.02  # standard deviation of the initial weights of GPT-2 and BERT
ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "gelu_tanh": partial(F.gelu, approximate="tanh")}


def padding_mask(padding):
    """padding (batch, tokens), True = padding → mask (batch, 1, 1, tokens), hiding these keys."""
    return padding[:, None, None, :]  # (batch, 1, 1, keys): for all heads and all queries


def causal_mask(tokens, device=None, earlier=0):
    """The mask (1, 1, tokens, earlier + tokens) that hides from each token those after it.

    earlier  how many tokens precede them, whose keys every one of them sees
    """
    every = torch.ones(tokens, earlier + tokens, dtype=torch.bool, device=device)
    return every.triu(1 + earlier)[None, None]


class Attention(nn.Module):
    """The multi-head attention of notebook 5, with keys and values from any sequence, and any mask.

    d_model    size of a token's vector, in the input and in the output
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
        """x (batch, queries, d_model) attends to memory (batch, keys, d_model), or to itself.

        mask       booleans, True = hidden: (batch, heads, queries, keys), with size 1 where one
                   mask serves all. If every key of a query is hidden, its head outputs are 0.
        extend     a function that takes the new key and value, (batch, heads, tokens, head_dim),
                   and returns them behind the cached ones of earlier tokens: see GPT's Cache
        is_causal  whether mask is the causal mask, with as many queries as keys. The fused kernel
                   then skips the future altogether, which is faster than hiding it.
        Returns context (batch, queries, d_model); with return_weights (context, weights), weights
        (batch, heads, queries, keys). Otherwise PyTorch's fused kernel never stores them.
        Raises ValueError if x, memory or mask has not the axes above, TypeError if mask holds no
        booleans.
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
            check_mask(mask, (*query.shape[:3], key.shape[2]), every_axis=True)
        dropout = self.dropout if self.training else 0.0  # neither path knows the mode
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
        """(batch, heads, tokens, head_dim) → (batch, tokens, d_model), heads mixed by out_proj."""
        return self.out_proj(context.transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    """Two linear layers with an activation function between them, applied position-wise.

    d_ff        size of the inner layer, four times d_model in the paper
    dropout     share of the inner activations dropped in training, in [0, 1)
    activation  "relu" (the paper), "gelu" (BERT) or "gelu_tanh" (GPT-2)
    Raises KeyError for any other activation.
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
    """What both kinds of layer share: their parts, and the order of a part and its LayerNorm."""

    crosses = False  # whether it attends to a memory, too

    def __init__(
        self, d_model, num_heads, d_ff, dropout=0.0, activation="relu", norm_first=False, eps=1e-5
    ):
        super().__init__()
        self.attention = Attention(d_model, num_heads, dropout)
        if self.crosses:  # created here, so that a seed keeps giving each part the same weights
            self.cross_attention = Attention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout, activation)
        self.norm1 = nn.LayerNorm(d_model, eps=eps)
        self.norm2 = nn.LayerNorm(d_model, eps=eps)
        if self.crosses:
            self.norm3 = nn.LayerNorm(d_model, eps=eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def _around(self, part, norm, x):
        """x plus part(x), with the norm before the part or after the sum; and its weights."""
        made = part(norm(x) if self.norm_first else x)
        made, weights = made if isinstance(made, tuple) else (made, None)
        x = x + self.dropout(made)
        return x if self.norm_first else norm(x), weights


class EncoderLayer(_Layer):
    """Self-attention, then feed-forward, each with a residual connection and a LayerNorm.

    norm_first  False: post-norm, norm(x + part(x)), as in the paper;
                True: pre-norm, x + part(norm(x)), as in GPT-2 and most models since
    dropout     share dropped in training: of the attention weights, of each part's output, and of
                the activations inside feed-forward
    eps         what LayerNorm adds to the variance: 1e-5 in PyTorch and GPT-2, 1e-12 in BERT
    The other arguments and the errors are as in Attention and FeedForward.
    Source: Vaswani et al. 2017, section 3.1; Xiong et al. 2020 (pre-norm).
    """

    def forward(self, x, mask=None, return_weights=False, extend=None, is_causal=False):
        """x (batch, tokens, d_model) → the same shape; the other arguments are as in Attention.

        With return_weights: (x, weights), weights (batch, heads, tokens, tokens).
        """

        def look(x):
            return self.attention(x, None, mask, return_weights, extend, is_causal)

        x, weights = self._around(look, self.norm1, x)
        x, _none = self._around(self.feed_forward, self.norm2, x)
        return (x, weights) if return_weights else x


class DecoderLayer(_Layer):
    """Self-attention, cross-attention to the encoder's output, then feed-forward.

    Each has a residual connection and a LayerNorm. Arguments and errors are as in EncoderLayer.
    Source: Vaswani et al. 2017, section 3.1.
    """

    crosses = True

    def forward(self, x, memory, mask=None, memory_mask=None, return_weights=False):
        """x (batch, target tokens, d_model), memory (batch, source tokens, d_model) → shape of x.

        mask         for the self-attention: the causal mask, combined with the target's padding
        memory_mask  for the cross-attention: the source's padding
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
    """Pass x through a stack of encoder layers → (x, weights).

    weights is (layers, batch, heads, tokens, tokens), or None without return_weights. A Cache of
    GPT extends the keys and values of each layer.
    """
    kept = []
    for i, layer in enumerate(layers):
        extend = None if cache is None else partial(cache.extend, i)
        x = layer(x, mask, return_weights, extend, is_causal)
        if return_weights:
            x, weights = x
            kept.append(weights)
    return x, torch.stack(kept) if return_weights else None
