"""The attention layers of the series, as the notebooks teach them.

One function and four layers, each built on the one before:

    scaled_dot_product_attention   softmax(Q Kᵀ / √d_k) V, written out
    SelfAttention                  trainable queries, keys and values
    CausalAttention                no token sees a later one; dropout on the weights
    MultiHeadAttentionWrapper      several causal heads side by side
    MultiHeadAttention             the same heads, cut from one set of projections

Every layer takes (tokens, d_in) or (batch, tokens, d_in), and goes one of two ways. `layer(x)` uses
PyTorch's fused kernel, fast because it never stores the (tokens, tokens) matrix of weights.
`layer(x, return_weights=True)` takes the explicit path and hands over that matrix too. Both give
the same context.

IN A MASK, True MEANS HIDDEN. PyTorch disagrees with itself here: `nn.MultiheadAttention` also reads
True as hidden, `nn.functional.scaled_dot_product_attention` reads True as visible. Pass a mask from
one to the other, and it is inverted without a word.

Source: Vaswani et al. 2017, "Attention Is All You Need", sections 3.2.1 to 3.2.3.
"""

import torch
from torch import nn
from torch.nn import functional as F


def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    """Mix the values, each weighted by how well its key matches the query: softmax(QKᵀ/√d_k) V.

    query, key, value  (..., queries, d_k), (..., keys, d_k), (..., keys, d_v)
    mask               boolean, broadcast to (..., queries, keys). True = HIDDEN, the opposite of
                       torch's function of the same name. A query with every key hidden has seen
                       nothing: weights and context of zero, never NaN, nor are the gradients.
    dropout            share of the weights to drop, in [0, 1). A function cannot know whether a
                       layer is in training: the layers below pass 0 in eval mode.

    Returns (context, weights): (..., queries, d_v) and (..., queries, keys), after any dropout.
    Raises TypeError if an argument is of the wrong kind, ValueError if the sizes do not fit.
    Source: Vaswani et al. 2017, equation 1.
    """
    _check_qkv(query, key, value)
    _check_dropout("scaled_dot_product_attention", dropout)
    d_k = key.shape[-1]
    scores = query @ key.transpose(-2, -1) / d_k**0.5  # (..., queries, keys)
    if mask is not None:
        _check_mask(mask, scores)
        blind = mask.all(dim=-1, keepdim=True)  # (..., queries, 1): no key left to see
        # Softmax gives -inf a weight of exactly 0. A row of nothing but -inf would be 0/0 = NaN.
        scores = scores.masked_fill(mask & ~blind, float("-inf"))
    weights = scores.softmax(dim=-1)  # each row sums to 1
    if mask is not None:
        weights = weights.masked_fill(blind, 0.0)
    weights = F.dropout(weights, dropout)  # after the softmax; what is kept grows by 1/(1-p)
    return weights @ value, weights  # (..., queries, d_v), (..., queries, keys)


def _fused_attention(query, key, value, dropout=0.0, is_causal=False):
    """The same context from PyTorch's fused kernel, which never stores the weights."""
    # The fused kernel takes four dimensions; with fewer, PyTorch falls back to the slow path.
    q, k, v = (t[(None,) * (4 - t.dim())] for t in (query, key, value))
    context = F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=is_causal)
    return context.view(query.shape)


class SelfAttention(nn.Module):
    """Every token looks at every token, through trainable queries, keys and values.

    d_in      size of a token's embedding
    d_out     size of its query, key and value, and so of its context vector
    qkv_bias  whether the three projections add a bias
    Raises TypeError or ValueError if a size is not a whole number of at least 1.
    Source: Vaswani et al. 2017, equation 1, with Q, K and V made from one sequence.
    """

    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        _check_sizes(self, d_in=d_in, d_out=d_out)
        self.d_in = d_in
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x, return_weights=False):
        """x ([batch,] tokens, d_in) → context ([batch,] tokens, d_out).

        With return_weights: (context, weights), weights ([batch,] tokens, tokens).
        """
        _check_input(self, x)
        query = self.W_query(x)  # (batch, tokens, d_out)
        key = self.W_key(x)
        value = self.W_value(x)
        if return_weights:
            return scaled_dot_product_attention(query, key, value)
        return _fused_attention(query, key, value)


class CausalAttention(nn.Module):
    """Self-attention in which a token sees itself and the tokens before it, never a later one.

    context_length  the most tokens the layer will take; sets the size of its mask
    dropout         share of the attention weights dropped in training, in [0, 1)
    d_in, d_out, qkv_bias as in SelfAttention.
    Raises TypeError or ValueError if a size is below 1 or dropout is outside [0, 1).
    Source: Vaswani et al. 2017, section 3.2.3 (the mask); Srivastava et al. 2014 (dropout).
    """

    def __init__(self, d_in, d_out, context_length, dropout=0.0, qkv_bias=False):
        super().__init__()
        _check_sizes(self, d_in=d_in, d_out=d_out, context_length=context_length)
        _check_dropout(type(self).__name__, dropout)
        self.d_in = d_in
        self.context_length = context_length
        self.dropout = dropout
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        # 1 = hidden: the future. A buffer moves and is saved with the layer, but is not trained.
        future = torch.triu(torch.ones(context_length, context_length), diagonal=1)
        self.register_buffer("mask", future)

    def forward(self, x, return_weights=False):
        """x ([batch,] tokens, d_in) → context ([batch,] tokens, d_out).

        With return_weights: (context, weights), weights ([batch,] tokens, tokens).
        """
        _check_input(self, x, self.context_length)
        query = self.W_query(x)  # (batch, tokens, d_out)
        key = self.W_key(x)
        value = self.W_value(x)
        dropout = self.dropout if self.training else 0.0  # neither path asks for the mode
        if return_weights:
            tokens = x.shape[-2]
            mask = self.mask[:tokens, :tokens].bool()  # (tokens, tokens)
            return scaled_dot_product_attention(query, key, value, mask, dropout)
        return _fused_attention(query, key, value, dropout, is_causal=True)


class MultiHeadAttentionWrapper(nn.Module):
    """Several causal heads, each with its own weights, run one by one and laid side by side.

    d_out      size of ONE head's output: together they give num_heads * d_out
    num_heads  how many heads; the other arguments as in CausalAttention
    Raises TypeError or ValueError if a size is below 1 or dropout is outside [0, 1).
    Source: Vaswani et al. 2017, section 3.2.2, without the last projection.
    """

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        _check_sizes(self, d_in=d_in, d_out=d_out)
        _check_sizes(self, context_length=context_length, num_heads=num_heads)
        _check_dropout(type(self).__name__, dropout)
        self.d_in = d_in
        self.context_length = context_length
        self.heads = nn.ModuleList(
            CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)
            for _ in range(num_heads)
        )

    def forward(self, x, return_weights=False):
        """x ([batch,] tokens, d_in) → context ([batch,] tokens, num_heads * d_out).

        With return_weights: (context, weights), weights ([batch,] heads, tokens, tokens).
        """
        _check_input(self, x, self.context_length)
        if return_weights:
            contexts, weights = zip(*(head(x, return_weights=True) for head in self.heads))
            return torch.cat(contexts, dim=-1), torch.stack(weights, dim=-3)
        return torch.cat([head(x) for head in self.heads], dim=-1)


class MultiHeadAttention(nn.Module):
    """Causal heads cut from one set of projections, attended all at once, mixed by out_proj.

    d_out      size of the output IN TOTAL: each head has d_out / num_heads of it
    num_heads  how many heads, a divisor of d_out; the other arguments as in CausalAttention
    Raises TypeError or ValueError as CausalAttention does, and if num_heads does not divide d_out.
    Source: Vaswani et al. 2017, section 3.2.2; out_proj is its W^O, with a bias as in GPT-2.
    """

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        _check_sizes(self, d_in=d_in, d_out=d_out)
        _check_sizes(self, context_length=context_length, num_heads=num_heads)
        _check_dropout(type(self).__name__, dropout)
        if d_out % num_heads != 0:
            came = f"{type(self).__name__}: d_out={d_out} is not divisible by {num_heads=}"
            raise ValueError(f"{came}; pass a multiple of {num_heads}, such as {2 * num_heads}")
        self.d_in = d_in
        self.context_length = context_length
        self.dropout = dropout
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        future = torch.triu(torch.ones(context_length, context_length), diagonal=1)
        self.register_buffer("mask", future)

    def forward(self, x, return_weights=False):
        """x ([batch,] tokens, d_in) → context ([batch,] tokens, d_out).

        With return_weights: (context, weights), weights ([batch,] heads, tokens, tokens).
        """
        _check_input(self, x, self.context_length)
        query = self._split(self.W_query(x))  # (batch, heads, tokens, head_dim)
        key = self._split(self.W_key(x))
        value = self._split(self.W_value(x))
        dropout = self.dropout if self.training else 0.0  # neither path asks for the mode
        if return_weights:
            tokens = x.shape[-2]
            mask = self.mask[:tokens, :tokens].bool()  # (tokens, tokens)
            context, weights = scaled_dot_product_attention(query, key, value, mask, dropout)
            return self.out_proj(self._merge(context)), weights
        context = _fused_attention(query, key, value, dropout, is_causal=True)
        return self.out_proj(self._merge(context))  # (batch, tokens, d_out)

    def _split(self, x):
        """Cut the last dimension into heads, and bring the heads before the tokens."""
        x = x.view(*x.shape[:-1], self.num_heads, self.head_dim)  # (batch, tokens, heads, head_dim)
        return x.transpose(-3, -2)  # (batch, heads, tokens, head_dim)

    def _merge(self, x):
        """Undo _split: tokens before heads again, then the heads side by side."""
        x = x.transpose(-3, -2).contiguous()  # (batch, tokens, heads, head_dim)
        return x.view(*x.shape[:-2], self.num_heads * self.head_dim)  # (batch, tokens, d_out)


# Checks. Each message says who complains, what came, what was expected, and what to do about it.


def _check_sizes(layer, **sizes):
    for label, size in sizes.items():
        came = f"{type(layer).__name__}: {label}={size!r}"
        if not isinstance(size, int) or isinstance(size, bool):
            raise TypeError(f"{came} is a {type(size).__name__}; pass an int, such as {label}=2")
        if size < 1:
            raise ValueError(f"{came} is too small; pass 1 or more")


def _check_dropout(name, dropout):
    came, hint = f"{name}: dropout={dropout!r}", "pass the share to drop, such as 0.1 for 10 %"
    if not isinstance(dropout, (int, float)) or isinstance(dropout, bool):
        raise TypeError(f"{came} is a {type(dropout).__name__}, not a number in [0, 1); {hint}")
    if not 0 <= dropout < 1:
        raise ValueError(f"{came} is outside [0, 1); {hint}")


def _check_floats(name, x):
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{name} is a {type(x).__name__}, not a tensor; wrap it in torch.tensor()")
    if not x.is_floating_point():
        hint = "look token ids up in an nn.Embedding, or convert with .float()"
        raise TypeError(f"{name} holds {x.dtype}, not floating-point numbers; {hint}")


def _check_input(layer, x, context_length=None):
    name, d_in = f"{type(layer).__name__}: x", layer.d_in
    _check_floats(name, x)
    if x.dim() not in (2, 3):
        wanted = f"(tokens, {d_in}) or (batch, tokens, {d_in})"
        hint = "x[None] adds a dimension, x.flatten(0, 1) merges two"
        raise ValueError(f"{name} has shape {tuple(x.shape)}; expected {wanted}: {hint}")
    tokens, size = x.shape[-2:]
    if size != d_in:
        hint = f"pass embeddings of size {d_in}, or make the layer with d_in={size}"
        raise ValueError(f"{name} has embeddings of size {size}; expected d_in={d_in}: {hint}")
    if tokens == 0:
        raise ValueError(f"{name} is empty, shape {tuple(x.shape)}; pass at least one token")
    if context_length is not None and tokens > context_length:
        came = f"{tokens} tokens; at most {context_length=} fit"
        hint = f"pass fewer, or make the layer with context_length={tokens}"
        raise ValueError(f"{name} has {came}: {hint}")


def _check_qkv(query, key, value):
    name = "scaled_dot_product_attention"
    for label, x in {"query": query, "key": key, "value": value}.items():
        _check_floats(f"{name}: {label}", x)
        if x.dim() < 2 or 0 in x.shape[-2:]:
            wanted = "(..., tokens, d), neither of them 0: x[None] adds a dimension"
            raise ValueError(f"{name}: {label} has shape {tuple(x.shape)}; expected {wanted}")
    shapes = f"query {tuple(query.shape)}, key {tuple(key.shape)}, value {tuple(value.shape)}"
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{name}: {shapes}; project query and key to the same last size, d_k")
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(f"{name}: {shapes}; pass one value for each key, from the same tokens")


def _check_mask(mask, scores):
    name = "scaled_dot_product_attention: mask"
    if not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool:
        came = getattr(mask, "dtype", type(mask).__name__)
        raise TypeError(f"{name} is {came}; pass a tensor of booleans, True = hidden: mask.bool()")
    pairs = zip(reversed(mask.shape), reversed(scores.shape))
    if mask.dim() > scores.dim() or any(size not in (1, full) for size, full in pairs):
        came = f"{name} has shape {tuple(mask.shape)}, the scores {tuple(scores.shape)}"
        raise ValueError(f"{came}; cut it to the tokens at hand, with 1 for a size to repeat")
