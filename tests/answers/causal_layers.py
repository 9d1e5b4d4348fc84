"""Causal attention in as many styles as learners have; in use in the answers to notebooks 3 to 5."""

import torch
from torch import nn
from torch.nn import functional as F

from .n02_trainable_qkv import Bare, three


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
