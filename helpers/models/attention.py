"""The attention layers of the series, as the notebooks teach them.

One function and four layers, each built on the one before:

    scaled_dot_product_attention   softmax(Q Kᵀ / √d_k) V, written out
    SelfAttention                  trainable queries, keys and values
    CausalAttention                no token sees a later one; dropout on the weights
    MultiHeadAttention             the same heads, cut from one set of projections

Every layer takes x of shape (tokens, d_in) or (batch, tokens, d_in), and has two ways to compute
the same context. `layer(x)` uses PyTorch's fused kernel, which is fast because it never stores the
(tokens, tokens) matrix of weights. `layer(x, return_weights=True)` takes the explicit path and
returns that matrix as well.

IN A MASK, True MEANS HIDDEN. PyTorch disagrees with itself here: `nn.MultiheadAttention` also reads
True as hidden, but `nn.functional.scaled_dot_product_attention` reads True as visible. A mask that
is passed from one to the other is inverted without any warning.

A layer with a mask raises ValueError if x has more tokens than the mask.

Source: Vaswani et al. 2017, "Attention Is All You Need", sections 3.2.1 to 3.2.3.
"""

import torch
from torch import nn
from torch.nn import functional as F

from .input_checks import check_heads, check_length, check_mask


def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    """Mix the values, each weighted by how well its key matches the query: softmax(QKᵀ/√d_k) V.

    query, key, value  (..., queries, d_k), (..., keys, d_k), (..., keys, d_v)
    mask               boolean, broadcast to (..., queries, keys). True = HIDDEN, the opposite of
                       torch's function of the same name. If every key of a query is hidden, its
                       weights and context are zero. They are never NaN, nor are the gradients.
    dropout            share of the weights to drop, in [0, 1). A function cannot know whether a
                       layer is in training, so the layers below pass 0 in eval mode.

    Returns (context, weights): (..., queries, d_v) and (..., queries, keys), after any dropout.
    Raises ValueError if the mask does not fit, TypeError if it holds no booleans.
    Source: Vaswani et al. 2017, equation 1.
    """
    d_k = key.shape[-1]
    scores = query @ key.transpose(-2, -1) / d_k**0.5  # (..., queries, keys)
    if mask is not None:
        check_mask(mask, scores.shape)
        blind = mask.all(dim=-1, keepdim=True)  # (..., queries, 1): no key left to see
        # Softmax turns -inf into a weight of exactly 0, but a row of -inf alone into 0/0 = NaN.
        scores = scores.masked_fill(mask & ~blind, float("-inf"))
    weights = scores.softmax(dim=-1)  # each row sums to 1
    if mask is not None:
        weights = weights.masked_fill(blind, 0.0)
    weights = F.dropout(weights, dropout)  # after the softmax; the rest is scaled by 1/(1-p)
    return weights @ value, weights  # (..., queries, d_v), (..., queries, keys)


def _fused_attention(query, key, value, dropout=0.0, is_causal=False):
    """Compute the same context with PyTorch's fused kernel, which never stores the weights."""
    # The fused kernel needs four dimensions; with fewer, PyTorch falls back to the slow path.
    q, k, v = (t[(None,) * (4 - t.dim())] for t in (query, key, value))
    context = F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=is_causal)
    return context.view(*query.shape[:-1], value.shape[-1])


class SelfAttention(nn.Module):
    """Every token attends to every token, through trainable queries, keys and values.

    d_in      size of a token's embedding
    d_out     size of its query, key and value, and so of its context vector
    qkv_bias  whether the three projections add a bias
    Source: Vaswani et al. 2017, equation 1, with Q, K and V made from one sequence.
    """

    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x, return_weights=False):
        """x ([batch,] tokens, d_in) → context ([batch,] tokens, d_out).

        With return_weights: (context, weights), weights ([batch,] tokens, tokens).
        """
        query = self.W_query(x)  # (batch, tokens, d_out)
        key = self.W_key(x)
        value = self.W_value(x)
        if return_weights:
            return scaled_dot_product_attention(query, key, value)
        return _fused_attention(query, key, value)


class CausalAttention(SelfAttention):
    """Self-attention in which a token sees itself and the tokens before it, never a later one.

    context_length  the most tokens that the layer accepts; it sets the size of the mask
    dropout         share of the attention weights dropped in training, in [0, 1)
    d_in, d_out, qkv_bias as in SelfAttention.
    Source: Vaswani et al. 2017, section 3.2.3 (the mask); Srivastava et al. 2014 (dropout).
    """

    def __init__(self, d_in, d_out, context_length, dropout=0.0, qkv_bias=False):
        super().__init__(d_in, d_out, qkv_bias)
        self.context_length = context_length
        self.dropout = dropout
        # 1 marks the future, which is hidden. A buffer is moved and saved with the layer, but it is
        # not trained.
        future = torch.triu(torch.ones(context_length, context_length), diagonal=1)
        self.register_buffer("mask", future)

    def forward(self, x, return_weights=False):
        """x ([batch,] tokens, d_in) → context ([batch,] tokens, d_out).

        With return_weights: (context, weights), weights ([batch,] tokens, tokens).
        """
        check_length(self, x.shape[-2])
        query = self.W_query(x)  # (batch, tokens, d_out)
        key = self.W_key(x)
        value = self.W_value(x)
        dropout = self.dropout if self.training else 0.0  # neither path knows the mode
        if return_weights:
            tokens = x.shape[-2]
            mask = self.mask[:tokens, :tokens].bool()  # (tokens, tokens)
            return scaled_dot_product_attention(query, key, value, mask, dropout)
        return _fused_attention(query, key, value, dropout, is_causal=True)


class MultiHeadAttention(CausalAttention):
    """Causal heads split from one set of projections, computed together, and mixed by out_proj.

    d_out      size of the output IN TOTAL; each head has d_out / num_heads of these dimensions
    num_heads  how many heads, a divisor of d_out; the other arguments as in CausalAttention
    Raises ValueError if num_heads does not divide d_out.
    Source: Vaswani et al. 2017, section 3.2.2; out_proj is its W^O, with a bias as in GPT-2.
    """

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        check_heads(self, "d_out", d_out, num_heads)
        self.num_heads = num_heads
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, x, return_weights=False):
        """x ([batch,] tokens, d_in) → context ([batch,] tokens, d_out).

        With return_weights: (context, weights), weights ([batch,] heads, tokens, tokens).
        """
        check_length(self, x.shape[-2])
        query = self._split(self.W_query(x))  # (batch, heads, tokens, head_dim)
        key = self._split(self.W_key(x))
        value = self._split(self.W_value(x))
        dropout = self.dropout if self.training else 0.0  # neither path knows the mode
        if return_weights:
            tokens = x.shape[-2]
            mask = self.mask[:tokens, :tokens].bool()  # (tokens, tokens)
            context, weights = scaled_dot_product_attention(query, key, value, mask, dropout)
            return self.out_proj(self._merge(context)), weights
        context = _fused_attention(query, key, value, dropout, is_causal=True)
        return self.out_proj(self._merge(context))  # (batch, tokens, d_out)

    def _split(self, x):
        """(batch, tokens, d_out) → (batch, heads, tokens, head_dim)."""
        return x.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)

    def _merge(self, x):
        """(batch, heads, tokens, head_dim) → (batch, tokens, d_out)."""
        return x.transpose(-3, -2).flatten(-2)
