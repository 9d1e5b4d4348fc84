"""Wrong answers that no catalogue foresees, made up after the checks were written.

And known mistakes in other words than the catalogue's: they must be named all the same.
"""

import math

import numpy as np
import torch
from right_layers import Bare, CausalBuffer, CausalFused, CausalOnTheFly, Compact, Heads, OwnDropout
from torch import nn
from torch.nn import functional as F

NAMES = ("W_query", "W_key", "W_value")


def future(scores):
    return torch.ones(scores.shape[-2:]).triu(1).bool()


def window(scores):
    """Two tokens back, and no further."""
    keep = torch.ones(scores.shape[-2:]).tril() - torch.ones(scores.shape[-2:]).tril(-2)
    return scores.masked_fill(keep == 0, -torch.inf).softmax(dim=-1)


def even(scores):
    """The same weight for all that is visible."""
    return scores.mul(0).masked_fill(future(scores), -torch.inf).softmax(dim=-1)


def minus_the_mean(scores):
    """Enough for scores that are large, and not for scores that are far apart."""
    e = (scores - scores.mean(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


def the_first_place_decides(layer, x):
    before = layer(x)
    for t in range(1, x.shape[1]):
        poked = x.clone()
        poked[:, t:] += 1
        return not torch.allclose(layer(poked)[:, :t], before[:, :t])


def copy(turn):
    def copied(from_parameters, to_linear):
        for name in NAMES:
            getattr(to_linear, name).weight.data = turn(getattr(from_parameters, name).data)

    return copied


def copy_two_of_three(from_parameters, to_linear):
    for name in NAMES[:2]:
        getattr(to_linear, name).weight.data = getattr(from_parameters, name).data.T


class Residual(Compact):
    def forward(self, x):
        return super().forward(x) + self.W_value(x)


class Temperature(Compact):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        return (2 * q @ k.mT / k.shape[-1] ** 0.5).softmax(dim=-1) @ v


class Pooled(Compact):
    def forward(self, x):
        return super().forward(x).mean(dim=0, keepdim=True).expand(len(x), -1)


class Rectified(Bare):
    def forward(self, x):
        return F.relu(super().forward(x))


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


class DropsHalf(CausalFused):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        p = self.dropout.p / 2 if self.training else 0.0
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=p)


class HeadsReversed(Heads):
    def forward(self, x):
        out_proj, self.out_proj = self.out_proj, nn.Identity()
        context = super().forward(x)
        self.out_proj = out_proj
        return out_proj(context.unflatten(-1, (self.num_heads, -1)).flip(-2).flatten(-2))


class ProjectedTwice(Heads):
    def forward(self, x):
        return self.out_proj(super().forward(x))


class HeadsBlind(Heads):
    """All heads use the weights of the first."""

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (
            W(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for W in (self.W_query, self.W_key, self.W_value)
        )
        scores = (q @ k.mT / self.head_dim**0.5)[:, :1]
        weights = self.dropout(scores.masked_fill(future(scores), -torch.inf).softmax(dim=-1))
        return self.out_proj((weights @ v).transpose(1, 2).reshape(b, t, -1))


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


UNKNOWN = {
    "scores": [
        lambda query, X: 2 * (X @ query),
        lambda query, X: torch.cdist(X, query[None])[:, 0],
        lambda query, X: (X @ query).abs().sort().values,
        lambda query, X: X @ query + 1,
        lambda query, X: (X @ query)[None],
    ],
    "softmax": [
        lambda scores: 1.1 * scores.softmax(dim=-1),
        lambda scores: (2 * scores).softmax(dim=-1),
        lambda scores: scores.sigmoid(),
        lambda scores: F.one_hot(scores.argmax(dim=-1), scores.shape[-1]).float(),
        lambda scores: scores.abs().softmax(dim=-1),
        minus_the_mean,
    ],
    "context": [
        lambda weights, X: 2 * weights @ X,
        lambda weights, X: X[weights.argmax()],
        lambda weights, X: (weights / weights.sum()) @ X + 0.01,
        lambda weights, X: weights.flip(0) @ X,
    ],
    "self_attention": [
        lambda X: ((2 * X @ X.T).softmax(dim=1), (2 * X @ X.T).softmax(dim=1) @ X),
        lambda X: (torch.eye(len(X)), X),
        lambda X: ((X @ X.T).softmax(dim=1), (X @ X.T).softmax(dim=1) @ X + X),
    ],
    "project": [
        lambda x, *Ws: tuple(x @ W + 1 for W in Ws),
        lambda x, *Ws: tuple(F.relu(x @ W) for W in Ws),
        lambda x, *Ws: tuple(x.mean(dim=0, keepdim=True) @ W for W in Ws),
    ],
    "scaled_weights": [
        lambda q, k: (q @ k.T / (q.shape[1] + 1) ** 0.5).softmax(dim=1),
        lambda q, k: (q @ k.T / 2).softmax(dim=1),
        lambda q, k: (q @ k.T / q.shape[1] ** 0.5).sigmoid(),
    ],
    "copy_weights": [
        copy(lambda W: 2 * W.T),
        copy(lambda W: W.T.flip(0)),
        copy(lambda W: W.reshape(W.shape[1], W.shape[0])),
        copy_two_of_three,
    ],
    "self_attention_module": [Residual, Temperature, Pooled, Rectified],
    "causal_mask": [
        lambda tokens: torch.zeros(tokens, tokens).bool(),
        lambda tokens: torch.ones(tokens, tokens).triu(1).flip(1).bool(),
        lambda tokens: torch.arange(tokens)[None] % 2 > torch.arange(tokens)[:, None] % 2,
        lambda tokens: torch.ones(tokens + 1, tokens + 1).triu(1).bool(),
    ],
    "masked_weights": [window, even, lambda scores: scores.flip(-1).softmax(dim=-1).tril()],
    "causal_attention": [Windowed, Even, TwoRounds, FirstSentence, HonestInUseOnly],
    "leak_test": [
        the_first_place_decides,
        lambda layer, x: bool(layer(x).mean() > 0),
        lambda layer, x: bool((layer(x) - layer(x.flip(1))).abs().mean() > 0.3),
        lambda layer, x: type(layer).__name__ != "CausalAttention",
    ],
    "dropout": [
        lambda weights, p: F.dropout(weights, p / 2),
        lambda weights, p: weights + p * torch.randn_like(weights),
        largest_gone,
        lambda weights, p: F.dropout(weights, p)[:-1],
    ],
    "dropout_module": [Halves, Noise, Twice],
    "causal_dropout": [DropsMore, DropsInput, DropsHalf],
    "split_heads": [
        lambda x, h: x.unflatten(-1, (h, -1)).transpose(1, 2).flip(1),
        lambda x, h: x.unflatten(-1, (h, -1)).transpose(1, 2).roll(1, dims=2),
        lambda x, h: x[:, None].expand(-1, h, -1, -1),
    ],
    "merge_heads": [
        lambda x: x.transpose(1, 2).flatten(2).flip(-1),
        lambda x: x.flip(1).transpose(1, 2).flatten(2),
        lambda x: x.transpose(1, 2).flatten(1),
    ],
    "multi_head": [HeadsReversed, ProjectedTwice, HeadsBlind],
    "gpt2_parameters": [117_000_000, 768, 2_362_369, -2_362_368],
    "torch_heads": [
        lambda layer, x: (x, torch.ones(len(x), 2, x.shape[1], x.shape[1])),
        lambda layer, x: [part * 2 for part in right_heads(layer, x)],
        lambda layer, x: (right_heads(layer, x)[0], right_heads(layer, x)[1].flip(1)),
    ],
}


def right_heads(layer, x):
    layer.batch_first = True
    return layer(x, x, x, attn_mask=future(x[0] @ x[0].T), average_attn_weights=False)


# ---------------------------------------------------------------- known, in other words


def no_max_numpy(scores):
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True)


def dim_0_by_hand(scores):
    e = (scores - scores.max()).exp()
    return e / e.sum(dim=0, keepdim=True)


def dim_0_loop(X):
    scores = X @ X.T
    weights = torch.stack([column.softmax(dim=0) for column in scores.T], dim=1)
    return weights, torch.einsum("ij,jd->id", weights, X)


def unscaled_numpy(queries, keys):
    e = np.array(queries) @ np.array(keys).T
    e = np.exp(e - e.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def masked_loop_inclusive(scores):
    scores = scores.clone()
    for i in range(scores.shape[-2]):
        for j in range(scores.shape[-1]):
            if j >= i:
                scores[..., i, j] = -torch.inf
    return scores.softmax(dim=-1)


def changed_and_wrong(scores):
    scores += 1.0
    return scores.softmax(dim=-1)


class ForgottenScale(Bare):
    def forward(self, x):
        q, k, v = self.project(x)
        return torch.einsum("ij,jd->id", torch.einsum("id,jd->ij", q, k).softmax(dim=1), v)


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


class Scrambled(Heads):
    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (
            W(x).reshape(b, self.num_heads, t, -1) for W in (self.W_query, self.W_key, self.W_value)
        )
        p = self.dropout.p if self.training else 0.0
        context = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=p)
        return self.out_proj(context.transpose(1, 2).reshape(b, t, -1))


class DropsAlways(Heads):
    def train(self, mode=True):
        return super().train(True)


def dropout_numpy_unscaled(weights, p):
    return np.array(weights) * (np.random.rand(*weights.shape) > p)


OTHER_WORDS = [
    ("softmax", no_max_numpy, "exp without subtracting the maximum"),
    ("softmax", dim_0_by_hand, "softmax over the queries"),
    ("softmax", lambda s: s.softmax(1), "dim=1, where the last axis is meant"),
    ("scaled_weights", lambda q, k: (q @ k.T / k.shape[1] ** 1 / 2).softmax(1),
     "d_k**1/2, where d_k**(1/2) is meant"),
    ("softmax", changed_and_wrong, "in-place change of an argument"),
    ("softmax", lambda s: s.tolist(), "scores returned where weights are asked"),
    ("scores", lambda q, X: [float(x @ q) / math.sqrt(3 if len(q) == 3 else len(q)) for x in X],
     "scaled, where the plain score is asked"),
    ("self_attention", dim_0_loop, "softmax over the queries"),
    ("self_attention", lambda X: (X @ X.T, X), "scores returned where weights are asked"),
    ("scaled_weights", unscaled_numpy, "no scale"),
    ("scaled_weights", lambda q, k: (q @ k.T * 0.5 * 2 / len(k.T)).softmax(1),
     "divided by d_k, not by √d_k"),
    ("causal_mask", lambda n: [[j >= i for j in range(n)] for i in range(n)], "diagonal=0"),
    ("causal_mask", lambda n: np.triu(np.ones((n, n)), k=1),
     "a mask of numbers, not of True and False"),
    ("masked_weights", masked_loop_inclusive, "diagonal=0"),
    ("masked_weights", lambda s: s.softmax(-1).tril(),
     "masked after the softmax, not renormalised"),
    ("self_attention_module", ForgottenScale, "no scale"),
    ("causal_attention", LeakyEinsum, "no mask"),
    ("causal_attention", PlainMaskOfBools, "mask as a plain attribute"),
    ("dropout", dropout_numpy_unscaled, "kept weights not scaled by 1/(1 − p)"),
    ("multi_head", Scrambled, "view without transpose"),
    ("multi_head", DropsAlways, "dropout in use, after eval()"),
    ("leak_test", lambda layer, x: False, "nothing is poked"),
    ("dropout", lambda weights, p: F.dropout(weights, 1 - p) * p / (1 - p), "p kept, not p dropped"),
    ("leak_test", lambda layer, x: not torch.allclose(layer(x)[:, :3], layer(x[:, :3]), atol=1e-6),
     "only one place is tried"),
]  # fmt: skip
