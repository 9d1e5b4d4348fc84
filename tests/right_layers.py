"""Right answers to the exercises that ask for a class, in as many styles as learners have."""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from helpers import attention, wrong_layers


def three(d_in, d_out, bias):
    return [nn.Linear(d_in, d_out, bias=bias) for _ in range(3)]


class Compact(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query, self.W_key, self.W_value = three(d_in, d_out, qkv_bias)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        return (q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5).softmax(dim=-1) @ v


class Bare(nn.Module):
    """Parameters, and biases under names of their own."""

    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
        self.qkv_bias = qkv_bias
        if qkv_bias:
            self.b_query = nn.Parameter(torch.zeros(d_out))
            self.b_key = nn.Parameter(torch.zeros(d_out))
            self.b_value = nn.Parameter(torch.zeros(d_out))

    def project(self, x):
        q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
        if self.qkv_bias:
            q, k, v = q + self.b_query, k + self.b_key, v + self.b_value
        return q, k, v

    def forward(self, x):
        q, k, v = self.project(x)
        return F.softmax(q @ k.mT / math.sqrt(k.shape[-1]), dim=-1) @ v


class Turned(nn.Module):
    """Parameters in the layout of nn.Linear."""

    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.scale = torch.tensor(d_out**-0.5)
        for name in ("query", "key", "value"):
            setattr(self, f"W_{name}", nn.Parameter(torch.randn(d_out, d_in)))
            bias = nn.Parameter(torch.randn(d_out)) if qkv_bias else None
            self.register_parameter(f"{name}_bias", bias)

    def forward(self, x):
        q = F.linear(x, self.W_query, self.query_bias)
        k = F.linear(x, self.W_key, self.key_bias)
        v = F.linear(x, self.W_value, self.value_bias)
        weights = torch.einsum("...id,...jd->...ij", q, k).mul(self.scale).softmax(dim=-1)
        return torch.einsum("...ij,...jd->...id", weights, v)


class ByLoop(Compact):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        rows = []
        for i in range(len(x)):
            scores = torch.stack([q[i] @ k[j] for j in range(len(x))]) / math.sqrt(k.shape[1])
            weights = scores.softmax(dim=0)
            rows.append(sum(w * row for w, row in zip(weights, v)))
        return torch.stack(rows)


class Fused(Compact):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        return F.scaled_dot_product_attention(q[None], k[None], v[None])[0]


# ---------------------------------------------------------------- causal


class CausalBuffer(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query, self.W_key, self.W_value = three(d_in, d_out, qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), 1))

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.transpose(1, 2)
        scores.masked_fill_(self.mask.bool()[:t, :t], -torch.inf)
        return self.dropout(torch.softmax(scores / k.shape[-1] ** 0.5, dim=-1)) @ v


class CausalAdded(Bare):
    """Parameters, and −∞ added to the scores; keeps its last weights to look at."""

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__(d_in, d_out, qkv_bias)
        self.p = dropout
        minus_inf = torch.full((context_length, context_length), -torch.inf).triu(1)
        self.register_buffer("minus_inf", minus_inf, persistent=False)

    def forward(self, x):
        t = x.shape[1]
        q, k, v = self.project(x)
        weights = (q @ k.mT / k.shape[-1] ** 0.5 + self.minus_inf[:t, :t]).softmax(dim=-1)
        self.last_weights = weights.detach()
        return F.dropout(weights, p=self.p, training=self.training) @ v


class CausalOnTheFly(CausalBuffer):
    """A mask made when it is needed; dropout by hand."""

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        del self.mask
        self.p = dropout

    def forward(self, x):
        places = torch.arange(x.shape[1])
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = torch.einsum("bid,bjd->bij", q, k) * k.shape[-1] ** -0.5
        hidden = places[None] > places[:, None]
        weights = scores.masked_fill(hidden, torch.finfo(scores.dtype).min).softmax(dim=-1)
        if self.training and self.p > 0:
            weights = weights * torch.bernoulli(torch.full_like(weights, 1 - self.p)) / (1 - self.p)
        return torch.einsum("bij,bjd->bid", weights, v)


class CausalFused(CausalBuffer):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        p = self.dropout.p if self.training else 0.0
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=p)


class CausalByLoop(CausalBuffer):
    """One sentence after the other, one query after the other."""

    def forward(self, x):
        return torch.stack([self.one(sentence) for sentence in x])

    def one(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        rows = []
        for t in range(len(x)):
            weights = (k[: t + 1] @ q[t] / len(q[t]) ** 0.5).softmax(dim=0)
            rows.append(self.dropout(weights) @ v[: t + 1])
        return torch.stack(rows)


class CausalRenormalised(CausalBuffer):
    """Way 1 of the notebook: weights set to 0, then shared out anew."""

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = (q @ k.mT / k.shape[-1] ** 0.5).softmax(dim=-1).tril()
        return self.dropout(weights / weights.sum(dim=-1, keepdim=True)) @ v


CAUSAL = [CausalBuffer, CausalAdded, CausalOnTheFly, CausalFused, CausalByLoop]

# ---------------------------------------------------------------- heads


class Heads(CausalBuffer):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        b, t, _ = x.shape
        shape = (b, t, self.num_heads, self.head_dim)
        q = self.W_query(x).view(shape).transpose(1, 2)
        k = self.W_key(x).view(shape).transpose(1, 2)
        v = self.W_value(x).view(shape).transpose(1, 2)
        scores = q @ k.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:t, :t].bool(), -torch.inf)
        context = (self.dropout(scores.softmax(dim=-1)) @ v).transpose(1, 2)
        return self.out_proj(context.contiguous().view(b, t, -1))


class HeadsByLoop(Heads):
    """Each head with its slice of the projections, then side by side."""

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        hidden = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
        heads = []
        for h in range(self.num_heads):
            part = slice(h * self.head_dim, (h + 1) * self.head_dim)
            scores = q[..., part] @ k[..., part].mT / math.sqrt(self.head_dim)
            weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
            heads.append(self.dropout(weights) @ v[..., part])
        return self.out_proj(torch.cat(heads, dim=-1))


class HeadsEinsum(Heads):
    def forward(self, x):
        q, k, v = (
            W(x).unflatten(-1, (self.num_heads, self.head_dim))
            for W in (self.W_query, self.W_key, self.W_value)
        )
        scores = torch.einsum("bihd,bjhd->bhij", q, k) / self.head_dim**0.5
        scores = scores + torch.full(scores.shape[-2:], -torch.inf).triu(1)
        weights = self.dropout(scores.softmax(dim=-1))
        return self.out_proj(torch.einsum("bhij,bjhd->bihd", weights, v).flatten(2))


class HeadsFused(Heads):
    def forward(self, x):
        q, k, v = (
            torch.stack(W(x).chunk(self.num_heads, dim=-1), dim=1)
            for W in (self.W_query, self.W_key, self.W_value)
        )
        p = self.dropout.p if self.training else 0.0
        context = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=p)
        return self.out_proj(context.permute(0, 2, 1, 3).flatten(2))


class HeadsOfParameters(Bare):
    """Parameters, and a fully visible batch of heads."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out, qkv_bias)
        if d_out // num_heads * num_heads != d_out:
            raise ValueError("does not divide")
        self.num_heads, self.p = num_heads, dropout
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (
            part.reshape(b, t, self.num_heads, -1)
            .transpose(1, 2)
            .reshape(b * self.num_heads, t, -1)
            for part in self.project(x)
        )
        scores = torch.bmm(q, k.transpose(1, 2)) / np.sqrt(k.shape[-1])
        weights = scores.masked_fill(~torch.ones(t, t).tril().bool(), -torch.inf).softmax(dim=2)
        context = torch.bmm(F.dropout(weights, self.p, self.training), v)
        context = context.view(b, self.num_heads, t, -1).transpose(1, 2)
        return self.out_proj(context.reshape(b, t, -1))


# ---------------------------------------------------------------- dropout


class OwnDropout(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, weights):
        if not self.training:
            return weights
        return weights * (torch.rand_like(weights) >= self.p) / (1 - self.p)


class ByFunction(OwnDropout):
    def forward(self, weights):
        return F.dropout(weights, self.p, self.training)


class Holding(nn.Module):
    """Holds PyTorch's own, and lets it know the mode."""

    def __init__(self, p):
        super().__init__()
        self.inner = nn.Dropout(p)

    def forward(self, weights):
        return self.inner(weights)


class ByBernoulli(OwnDropout):
    def forward(self, weights):
        p = self.p if self.training else 0.0
        keep = torch.bernoulli(torch.full(weights.shape, 1.0 - p))
        return torch.where(keep == 1, weights / (1 - p), torch.zeros_like(weights))


RIGHT = {
    "self_attention_module": [
        attention.SelfAttention,
        wrong_layers.SelfAttention,
        Compact,
        Bare,
        Turned,
        ByLoop,
        Fused,
    ],
    "causal_attention": [
        attention.CausalAttention,
        wrong_layers.CausalAttention,
        *CAUSAL,
        CausalRenormalised,
    ],
    "causal_dropout": [
        attention.CausalAttention,
        wrong_layers.CausalAttention,
        *CAUSAL,
        CausalRenormalised,
    ],
    "multi_head": [
        attention.MultiHeadAttention,
        wrong_layers.MultiHeadAttention,
        Heads,
        HeadsByLoop,
        HeadsEinsum,
        HeadsFused,
        HeadsOfParameters,
    ],
    "dropout_module": [nn.Dropout, OwnDropout, ByFunction, Holding, ByBernoulli],
}
