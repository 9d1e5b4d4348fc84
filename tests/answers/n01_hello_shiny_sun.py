"""Answers to the exercises of notebook 1, as learners write them."""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


def scores_by_loop(query, X):
    return [sum(q * x for q, x in zip(query, row)) for row in X]


def scores_of_plain_numbers(query, X):
    return [float(sum(q * x for q, x in zip(query.tolist(), row))) for row in X.tolist()]


def scores_filled_in(query, X):
    scores = torch.zeros(len(X))
    for i in range(len(X)):
        for j in range(len(query)):
            scores[i] += query[j] * X[i, j]
    return scores


def softmax_by_hand(scores):
    e = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    return e / e.sum(dim=-1, keepdim=True)


def softmax_numpy(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def softmax_recursive(scores):
    if scores.dim() > 1:
        return torch.stack([softmax_recursive(row) for row in scores])
    e = [math.exp(s - max(scores)) for s in scores]
    return torch.tensor([x / sum(e) for x in e])


def softmax_through_numpy(scores):
    return torch.from_numpy(softmax_numpy(scores.numpy()))


def softmax_of_places(scores):
    largest = scores.gather(-1, scores.argmax(dim=-1, keepdim=True))
    e = math.e ** (scores - largest)
    return torch.div(e, torch.sum(e, -1, True))


def context_by_loop(weights, X):
    total = torch.zeros(X.shape[1])
    for w, x in zip(weights, X):
        total = total + w * x
    return total


def context_plain(weights, X):
    return [sum(float(w) * float(x) for w, x in zip(weights, column)) for column in zip(*X)]


def attention_by_loop(X):
    weights, context = [], []
    for query in X:
        row = torch.stack([(query * key).sum() for key in X]).softmax(dim=0)
        weights.append(row)
        context.append(sum(w * x for w, x in zip(row, X)))
    return torch.stack(weights), torch.stack(context)


def attention_numpy(X):
    weights = softmax_numpy(np.asarray(X) @ np.asarray(X).T)
    return weights, weights @ np.asarray(X)


def attention_fused(X):
    x, eye = X[None], torch.eye(len(X), dtype=X.dtype)[None]
    weights = F.scaled_dot_product_attention(x, x, eye, scale=1.0)[0]
    return [weights, F.scaled_dot_product_attention(x, x, x, scale=1.0)[0]]


def attention_einsum(X):
    weights = torch.einsum("id,jd->ij", X, X).softmax(dim=1)
    return weights, torch.einsum("ij,jd->id", weights, X)


def attention_scaled_back(X):
    d = X.shape[1]
    weights = F.softmax(X @ X.transpose(0, 1) / math.sqrt(d) * math.sqrt(d), dim=1)
    return (weights, weights.mm(X))


def minus_the_mean(scores):
    """Enough for scores that are large, and not for scores that are far apart."""
    e = (scores - scores.mean(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


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


def changed_and_wrong(scores):
    scores += 1.0
    return scores.softmax(dim=-1)


RIGHT = {
    "scores": [
        lambda query, X: X @ query,
        scores_by_loop,
        scores_of_plain_numbers,
        scores_filled_in,
        lambda query, X: np.dot(X, query),
        lambda query, X: torch.einsum("d,td->t", query, X),
        lambda query, X: (query * X).sum(dim=1),
        lambda query, X: X.double() @ query.double(),
    ],
    "softmax": [
        softmax_by_hand,
        softmax_numpy,
        softmax_recursive,
        softmax_through_numpy,
        softmax_of_places,
        lambda scores: (scores - scores.logsumexp(dim=-1, keepdim=True)).exp(),
        lambda scores: softmax_by_hand(scores.double()),
    ],
    "context": [
        lambda weights, X: weights @ X,
        context_by_loop,
        context_plain,
        lambda weights, X: (weights[:, None] * X).sum(dim=0),
        lambda weights, X: torch.einsum("t,td->d", weights, X),
        lambda weights, X: X.T @ weights,
        lambda weights, X: np.array(weights) @ np.array(X),
    ],
    "self_attention": [
        attention_by_loop,
        attention_numpy,
        attention_fused,
        attention_einsum,
        attention_scaled_back,
    ],
}


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
}


OTHER_WORDS = [
    ("softmax", minus_the_mean, "not_the_maximum"),
    ("softmax", lambda scores: scores.double().softmax(dim=-1), "library_softmax"),
    ("softmax", lambda scores: F.softmax(scores, dim=-1), "library_softmax"),
    ("softmax", nn.Softmax(dim=-1), "library_softmax"),
    ("softmax", nn.Softmax(dim=0), "over_queries"),
    ("softmax", no_max_numpy, "no_maximum"),
    ("softmax", dim_0_by_hand, "over_queries"),
    ("softmax", lambda s: s.softmax(1), "dim_1"),
    ("softmax", changed_and_wrong, "in_place"),
    ("softmax", lambda s: s.tolist(), "scores_returned"),
    (
        "scores",
        lambda q, X: [float(x @ q) / math.sqrt(3 if len(q) == 3 else len(q)) for x in X],
        "scaled_too_early",
    ),
    ("self_attention", dim_0_loop, "over_queries"),
    ("self_attention", lambda X: (X @ X.T, X), "scores_returned"),
]
