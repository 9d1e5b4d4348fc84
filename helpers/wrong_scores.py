"""Wrong answers to the exercises of notebook 1, one known mistake in each.

The line that makes the mistake stands above a comment with the line that mends it; a mend with
nothing in it means: leave the line out. pitfalls.py says what each mistake is called.
"""

import math

import torch
from torch.nn import functional as F

# ---------------------------------------------------------------- scores


def scores_scaled(query, X):
    return X @ query / math.sqrt(len(query))
    # mend: return X @ query


def scores_softmaxed(query, X):
    return torch.softmax(X @ query, dim=-1)
    # mend: return X @ query


def scores_not_added_up(query, X):
    return query * X
    # mend: return (query * X).sum(dim=1)


def scores_added_down(query, X):
    return (query * X).sum(dim=0)
    # mend: return (query * X).sum(dim=1)


def scores_cosine(query, X):
    return F.cosine_similarity(X, query[None], dim=1)
    # mend: return X @ query


def scores_of_columns(query, X):
    return X.T @ query
    # mend: return X @ query


# ---------------------------------------------------------------- softmax


def softmax_over_queries(scores):
    return torch.softmax(scores, dim=-2 if scores.dim() > 1 else -1)
    # mend: return torch.softmax(scores, dim=-1)


def softmax_over_first(scores):
    return torch.softmax(scores, dim=0)
    # mend: return torch.softmax(scores, dim=-1)


def softmax_dim_1(scores):
    return torch.softmax(scores, dim=1)
    # mend: return torch.softmax(scores, dim=-1)


def softmax_over_dim_1(scores):
    return torch.softmax(scores, dim=min(1, scores.dim() - 1))
    # mend: return torch.softmax(scores, dim=-1)


def softmax_without_dim(scores):
    return F.softmax(scores)
    # mend: return F.softmax(scores, dim=-1)


def softmax_over_everything(scores):
    e = (scores - scores.max()).exp()
    return e / e.sum()
    # mend: return torch.softmax(scores, dim=-1)


def softmax_without_exp(scores):
    return scores / scores.sum(dim=-1, keepdim=True)
    # mend: return torch.softmax(scores, dim=-1)


def softmax_unstable(scores):
    e = scores.exp()
    # mend: e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


def softmax_unstable_row(scores):
    """The same for one row only, as it is first taught."""
    e = scores.exp()
    return e / e.sum()
    # mend: return torch.softmax(scores, dim=-1)


def softmax_of_python(scores):
    e = [math.exp(x) for x in scores.flatten().tolist()]
    # mend: e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    e = torch.as_tensor(e).reshape(scores.shape)
    return e / e.sum(dim=-1, keepdim=True)


def softmax_global_maximum(scores):
    e = (scores - scores.max()).exp()
    # mend: e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


def softmax_no_keepdim(scores):
    e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1)
    # mend: return e / e.sum(dim=-1, keepdim=True)


def softmax_scores_returned(scores):
    return scores
    # mend: return torch.softmax(scores, dim=-1)


def softmax_not_divided(scores):
    return scores.exp()
    # mend: return torch.softmax(scores, dim=-1)


def softmax_not_divided_stable(scores):
    return (scores - scores.amax(dim=-1, keepdim=True)).exp()
    # mend: return torch.softmax(scores, dim=-1)


def softmax_logarithm(scores):
    return torch.log_softmax(scores, dim=-1)
    # mend: return torch.softmax(scores, dim=-1)


def softmax_in_place(scores):
    scores -= scores.amax(dim=-1, keepdim=True)
    # mend: scores = scores - scores.amax(dim=-1, keepdim=True)
    return scores.exp() / scores.exp().sum(dim=-1, keepdim=True)


# ---------------------------------------------------------------- context


def context_product_turned(weights, X):
    return X @ weights
    # mend: return weights @ X


def context_weights_along_columns(weights, X):
    return (weights * X).sum(dim=0)
    # mend: return (weights[:, None] * X).sum(dim=0)


def context_added_across(weights, X):
    return (weights[:, None] * X).sum(dim=1)
    # mend: return (weights[:, None] * X).sum(dim=0)


def context_not_added_up(weights, X):
    return weights[:, None] * X
    # mend: return weights @ X


def context_mean(weights, X):
    return (weights[:, None] * X).mean(dim=0)
    # mend: return (weights[:, None] * X).sum(dim=0)


def context_weights_unused(weights, X):
    return X.mean(dim=0)
    # mend: return weights @ X


def context_plain_sum(weights, X):
    return X.sum(dim=0)
    # mend: return weights @ X


# ---------------------------------------------------------------- all tokens at once


def self_attention_scaled(X):
    weights = torch.softmax(X @ X.T / math.sqrt(X.shape[-1]), dim=-1)
    # mend: weights = torch.softmax(X @ X.T, dim=-1)
    return weights, weights @ X


def self_attention_over_queries(X):
    weights = torch.softmax(X @ X.T, dim=0)
    # mend: weights = torch.softmax(X @ X.T, dim=1)
    return weights, weights @ X


def self_attention_over_everything(X):
    weights = torch.softmax((X @ X.T).flatten(), dim=0).view(len(X), len(X))
    # mend: weights = torch.softmax(X @ X.T, dim=-1)
    return weights, weights @ X


def self_attention_without_exp(X):
    scores = X @ X.T
    weights = scores / scores.sum(dim=1, keepdim=True)
    # mend: weights = torch.softmax(scores, dim=1)
    return weights, weights @ X


def self_attention_unstable(X):
    e = (X @ X.T).exp()
    # mend: e = (X @ X.T - (X @ X.T).amax(dim=1, keepdim=True)).exp()
    weights = e / e.sum(dim=1, keepdim=True)
    return weights, weights @ X


def self_attention_global_maximum(X):
    scores = X @ X.T
    e = (scores - scores.max()).exp()
    # mend: e = (scores - scores.amax(dim=1, keepdim=True)).exp()
    weights = e / e.sum(dim=1, keepdim=True)
    return weights, weights @ X


def self_attention_no_keepdim(X):
    scores = X @ X.T
    e = (scores - scores.amax(dim=1, keepdim=True)).exp()
    weights = e / e.sum(dim=1)
    # mend: weights = e / e.sum(dim=1, keepdim=True)
    return weights, weights @ X


def self_attention_scores_returned(X):
    weights = torch.softmax(X @ X.T, dim=1)
    return X @ X.T, weights @ X
    # mend: return weights, weights @ X


def self_attention_scores_used(X):
    weights = torch.softmax(X @ X.T, dim=1)
    return weights, X @ X.T @ X
    # mend: return weights, weights @ X


def self_attention_scores_throughout(X):
    weights = X @ X.T
    # mend: weights = torch.softmax(X @ X.T, dim=1)
    return weights, weights @ X


def self_attention_turned(X):
    weights = torch.softmax(X @ X.T, dim=1)
    return weights, weights.T @ X
    # mend: return weights, weights @ X


def self_attention_swapped(X):
    weights = torch.softmax(X @ X.T, dim=1)
    return weights @ X, weights
    # mend: return weights, weights @ X


def self_attention_in_place(X):
    weights = torch.softmax(X @ X.T, dim=1)
    X.copy_(weights @ X)
    # mend: X = weights @ X
    return weights, X
