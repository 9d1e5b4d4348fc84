"""Answers to the exercises of notebook 4, as learners write them."""

import random

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from helpers.models import attention

from .causal_layers import CausalBuffer, CausalFused, CausalRenormalised


def dropout_by_loop(weights, p):
    dropped = [0.0 if random.random() < p else float(w) / (1 - p) for w in weights.flatten()]
    return np.reshape(dropped, weights.shape).tolist()


def dropout_filled_in(weights, p):
    dropped = torch.zeros_like(weights)
    for place in np.ndindex(*weights.shape):
        if random.random() >= p:
            dropped[place] = weights[place] / (1 - p)
    return dropped


def dropout_numpy(weights, p):
    keep = np.random.default_rng().random(weights.shape) >= p
    return np.where(keep, weights / (1 - p), 0)


def dropout_where(weights, p):
    gone = torch.rand(weights.shape) < p
    return torch.where(gone, 0.0, weights / (1 - p))


def dropout_bernoulli(weights, p):
    return weights * torch.bernoulli(torch.full_like(weights, 1 - p)) / (1 - p)


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


class DropsMore(CausalBuffer):
    """Dropout on the weights, twice over."""

    def __init__(self, *sizes, **named):
        super().__init__(*sizes, **named)
        self.dropout = nn.Sequential(nn.Dropout(sizes[3]), nn.Dropout(sizes[3]))


class DropsInput(CausalBuffer):
    def forward(self, x):
        dropout, self.dropout = self.dropout, nn.Identity()
        out = super().forward(dropout(x))
        self.dropout = dropout
        return out


class DropsWords(CausalFused):
    """Whole values are left out, for every query at once."""

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        v = v * self.dropout(torch.ones_like(v[..., :1]))
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)


class FusedByMask(CausalBuffer):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        seen = torch.ones(x.shape[1], x.shape[1]).tril().bool()
        p = self.dropout.p * self.training
        return F.scaled_dot_product_attention(q, k, v, attn_mask=seen, dropout_p=p)


class FusedByMinusInfinity(CausalBuffer):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        hidden = self.mask[: x.shape[1], : x.shape[1]] == 1
        added = torch.zeros(hidden.shape).masked_fill(hidden, -torch.inf)
        p = self.dropout.p if self.training else 0
        return F.scaled_dot_product_attention(q, k, v, added, p)


class FusedWithHeads(CausalBuffer):
    """As one head of many, in four dimensions."""

    def forward(self, x):
        q, k, v = (W(x)[:, None] for W in (self.W_query, self.W_key, self.W_value))
        if self.training:
            kept = torch.nn.functional.scaled_dot_product_attention(
                q, k, v, dropout_p=self.dropout.p, is_causal=True
            )
            return kept[:, 0]
        return F.scaled_dot_product_attention(q, k, v, is_causal=True).squeeze(1)


class DropsHalf(CausalFused):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        p = self.dropout.p / 2 if self.training else 0.0
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=p)


class Halves(OwnDropout):
    def forward(self, weights):
        return weights / 2 if self.training else weights


class Noise(OwnDropout):
    def forward(self, weights):
        return weights + self.p * torch.randn_like(weights) if self.training else weights


class Twice(OwnDropout):
    def forward(self, weights):
        return super().forward(super().forward(weights))


def largest_gone(weights, p):
    """A share of p is dropped, and never by chance."""
    limit = weights.flatten().quantile(1 - p)
    return torch.where(weights > limit, 0.0, weights) if p else weights


def dropout_numpy_unscaled(weights, p):
    return np.array(weights) * (np.random.rand(*weights.shape) > p)


RIGHT = {
    "dropout": [
        lambda weights, p: weights * (torch.rand_like(weights) > p) / (1 - p),
        F.dropout,
        lambda weights, p: nn.Dropout(p)(weights),
        dropout_by_loop,
        dropout_filled_in,
        dropout_numpy,
        dropout_where,
        dropout_bernoulli,
    ],
    "dropout_module": [nn.Dropout, OwnDropout, ByFunction, Holding, ByBernoulli],
    "causal_dropout": [
        attention.CausalAttention,
        CausalFused,
        FusedByMask,
        FusedByMinusInfinity,
        FusedWithHeads,
    ],
}


UNKNOWN = {
    "dropout": [
        lambda weights, p: F.dropout(weights, p / 2),
        largest_gone,
        lambda weights, p: F.dropout(weights, p)[:-1],
    ],
    "dropout_module": [Halves, Noise, Twice],
    "causal_dropout": [DropsMore, DropsWords, DropsHalf],
}


OTHER_WORDS = [
    ("dropout", dropout_numpy_unscaled, "not_scaled_up"),
    ("dropout", lambda weights, p: F.dropout(weights, 1 - p) * p / (1 - p), "keeps_p"),
    ("causal_dropout", DropsInput, "drops_inputs"),
    *[("causal_dropout", layer, "no_fast_kernel") for layer in (CausalBuffer, CausalRenormalised)],
]
