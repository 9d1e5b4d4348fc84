"""Answers to the exercises of notebook 3, as learners write them."""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from helpers.models import attention

from .causal_layers import (
    CausalAdded,
    CausalBuffer,
    CausalByLoop,
    CausalFused,
    CausalOnTheFly,
    CausalRenormalised,
)
from .n01_hello_shiny_sun import softmax_numpy


def mask_by_loop(tokens):
    return [[j > i for j in range(tokens)] for i in range(tokens)]


def mask_of_places(tokens):
    places = torch.arange(tokens)
    return places[None, :] > places[:, None]


def future(scores):
    return torch.ones(scores.shape[-2:]).triu(1).bool()


def masked_by_adding(scores):
    return (scores + torch.full(scores.shape[-2:], float("-inf")).triu(1)).softmax(dim=-1)


def masked_where(scores):
    hidden = torch.tensor(-torch.inf, dtype=scores.dtype)
    return F.softmax(torch.where(future(scores), hidden, scores), dim=-1)


def masked_and_renormalised(scores):
    weights = scores.softmax(dim=-1).tril()
    return weights / weights.sum(dim=-1, keepdim=True)


def masked_by_loop(scores):
    if scores.dim() > 2:
        return torch.stack([masked_by_loop(matrix) for matrix in scores])
    n = len(scores)
    rows = [
        F.pad(row[: i + 1].float().softmax(dim=0), (0, n - i - 1)) for i, row in enumerate(scores)
    ]
    return torch.stack(rows)


def masked_numpy(scores):
    scores = np.array(scores, dtype=float)
    scores[..., ~np.tri(scores.shape[-1], dtype=bool)] = -np.inf
    return softmax_numpy(scores)


def masked_copy(scores):
    scores = scores.clone()
    scores.masked_fill_(future(scores), torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1)


def leak_by_poking_each(layer, x):
    before = layer(x)
    for t in range(1, x.shape[1]):
        poked = x.clone()
        poked[:, t] = torch.randn(x.shape[0], x.shape[2])
        if (layer(poked)[:, :t] - before[:, :t]).abs().max() > 1e-6:
            return True
    return False


def leak_by_cutting(layer, x):
    whole = layer(x)
    cuts = range(1, x.shape[1])
    return any(not torch.allclose(layer(x[:, :t]), whole[:, :t], atol=1e-6) for t in cuts)


def leak_by_gradient(layer, x):
    x = x.clone().requires_grad_()
    out = layer(x)
    for t in range(x.shape[1]):
        (slope,) = torch.autograd.grad(out[:, t].pow(2).sum(), x, retain_graph=True)
        if slope[:, t + 1 :].any():
            return True
    return False


def leak_as_tensor(layer, x):
    moved = [leak_between(layer, x, t) for t in range(1, x.shape[1])]
    return torch.stack(moved).any()


def leak_between(layer, x, t):
    poked = torch.cat([x[:, :t], -x[:, t:] + 3], dim=1)
    return ((layer(poked) - layer(x))[:, :t].abs() > 1e-5).any()


def leak_in_numpy(layer, x):
    with torch.no_grad():
        before = layer(x).numpy()
        answers = []
        for t in range(1, x.shape[1]):
            poked = x.numpy().copy()
            poked[:, t:] = 0
            after = layer(torch.from_numpy(poked)).numpy()
            answers.append(not np.allclose(after[:, :t], before[:, :t], atol=1e-6))
    return np.any(answers)


def window(scores):
    """Two tokens back, and no further."""
    keep = torch.ones(scores.shape[-2:]).tril() - torch.ones(scores.shape[-2:]).tril(-2)
    return scores.masked_fill(keep == 0, -torch.inf).softmax(dim=-1)


def even(scores):
    """The same weight for all that is visible."""
    return scores.mul(0).masked_fill(future(scores), -torch.inf).softmax(dim=-1)


def the_first_place_decides(layer, x):
    before = layer(x)
    for t in range(1, x.shape[1]):
        poked = x.clone()
        poked[:, t:] += 1
        return not torch.allclose(layer(poked)[:, :t], before[:, :t])


class Windowed(CausalBuffer):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        return window(q @ k.mT / k.shape[-1] ** 0.5) @ v


class Even(CausalBuffer):
    def forward(self, x):
        return even(self.W_query(x) @ self.W_key(x).mT) @ self.W_value(x)


class TwoRounds(CausalBuffer):
    """Attends, and then mixes once more with the same weights."""

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.mT / k.shape[-1] ** 0.5
        weights = scores.masked_fill(future(scores), -torch.inf).softmax(dim=-1)
        return weights @ (weights @ v)


class HonestInUseOnly(CausalBuffer):
    def forward(self, x):
        if not self.training:
            return super().forward(x)
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        return (q @ k.mT / k.shape[-1] ** 0.5).softmax(dim=-1) @ v


class FirstSentence(CausalBuffer):
    def forward(self, x):
        return super().forward(x[:1]).expand(len(x), -1, -1)


def masked_loop_inclusive(scores):
    scores = scores.clone()
    for i in range(scores.shape[-2]):
        for j in range(scores.shape[-1]):
            if j >= i:
                scores[..., i, j] = -torch.inf
    return scores.softmax(dim=-1)


class LeakyEinsum(CausalOnTheFly):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = torch.einsum("bid,bjd->bij", q, k).div(math.sqrt(q.shape[-1])).softmax(dim=-1)
        return torch.einsum("bij,bjd->bid", weights, v)


class PlainMaskOfBools(CausalBuffer):
    def __init__(self, *sizes, **named):
        super().__init__(*sizes, **named)
        del self.mask
        self.mask = torch.ones(sizes[2], sizes[2]).triu(1).bool()


CAUSAL = [CausalBuffer, CausalAdded, CausalOnTheFly, CausalFused, CausalByLoop]


RIGHT = {
    "causal_mask": [
        lambda tokens: torch.ones(tokens, tokens).triu(diagonal=1).bool(),
        lambda tokens: ~torch.ones(tokens, tokens, dtype=torch.bool).tril(),
        lambda tokens: ~np.tri(tokens, dtype=bool),
        lambda tokens: nn.Transformer.generate_square_subsequent_mask(tokens) == -torch.inf,
        mask_by_loop,
        mask_of_places,
    ],
    "masked_weights": [
        lambda scores: scores.masked_fill(future(scores), -torch.inf).softmax(dim=-1),
        masked_by_adding,
        masked_where,
        masked_by_loop,
        masked_numpy,
        masked_copy,
    ],
    "causal_attention": [
        attention.CausalAttention,
        CausalBuffer,
        CausalAdded,
        CausalFused,
        CausalByLoop,
        CausalRenormalised,
    ],
    "leak_test": [
        leak_by_poking_each,
        leak_by_cutting,
        leak_by_gradient,
        leak_as_tensor,
        leak_in_numpy,
    ],
}


UNKNOWN = {
    "causal_mask": [
        lambda tokens: torch.zeros(tokens, tokens).bool(),
        lambda tokens: torch.ones(tokens, tokens).triu(1).flip(1).bool(),
        lambda tokens: torch.arange(tokens)[None] % 2 > torch.arange(tokens)[:, None] % 2,
        lambda tokens: torch.ones(tokens + 1, tokens + 1).triu(1).bool(),
    ],
    "masked_weights": [window, even, lambda scores: scores.flip(-1).softmax(dim=-1).tril()],
    "causal_attention": [Windowed, Even, TwoRounds, FirstSentence, HonestInUseOnly],
    "leak_test": [
        lambda layer, x: bool(layer(x).mean() > 0),
        lambda layer, x: bool((layer(x) - layer(x.flip(1))).abs().mean() > 0.3),
        lambda layer, x: type(layer).__name__ != "CausalAttention",
    ],
}


OTHER_WORDS = [
    ("causal_mask", lambda n: [[j >= i for j in range(n)] for i in range(n)], "diagonal_0"),
    ("causal_mask", lambda n: np.triu(np.ones((n, n)), k=1), "not_booleans"),
    ("masked_weights", masked_loop_inclusive, "diagonal_0"),
    ("masked_weights", lambda s: s.softmax(-1).tril(), "mask_after_softmax"),
    ("masked_weights", masked_and_renormalised, "nothing_left"),
    ("causal_attention", LeakyEinsum, "no_mask"),
    ("causal_attention", PlainMaskOfBools, "plain_tensor"),
    ("causal_attention", CausalOnTheFly, "no_buffer"),
    ("leak_test", lambda layer, x: False, "layer_not_called"),
    ("leak_test", the_first_place_decides, "one_place"),
    (
        "leak_test",
        lambda layer, x: not torch.allclose(layer(x)[:, :3], layer(x[:, :3]), atol=1e-6),
        "one_place",
    ),
]
