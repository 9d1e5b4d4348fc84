"""Answers to the exercises of notebook 7, as learners write them."""

import math

import numpy as np
import torch
from torch import nn

from helpers.models import attention

# ---------------------------------------------------------------- two sequences


def other_by_loop(x, other, W_query, W_key, W_value):
    context, weights = [], []
    for token in x:
        query = token @ W_query
        scores = torch.stack([query @ (o @ W_key) for o in other]) / math.sqrt(W_key.shape[1])
        row = torch.softmax(scores, dim=0)
        weights.append(row)
        context.append(sum(w * (o @ W_value) for w, o in zip(row, other)))
    return torch.stack(context), torch.stack(weights)


def other_by_library(x, other, W_query, W_key, W_value):
    return attention.scaled_dot_product_attention(x @ W_query, other @ W_key, other @ W_value)


def other_einsum(x, other, W_query, W_key, W_value):
    q, k = torch.einsum("td,dk->tk", x, W_query), torch.einsum("sd,dk->sk", other, W_key)
    weights = torch.einsum("tk,sk->ts", q, k).div(q.size(1) ** 0.5).softmax(-1)
    return torch.einsum("ts,sd,dv->tv", weights, other, W_value), weights


def other_by_exp(x, other, W_query, W_key, W_value):
    q, k, v = x @ W_query, other @ W_key, other @ W_value
    e = torch.exp(q @ k.T / k.shape[1] ** 0.5)
    weights = e / e.sum(dim=1, keepdim=True)
    return weights.matmul(v), weights


def other_in_numpy(x, other, W_query, W_key, W_value):
    x, other, W_query, W_key, W_value = map(np.asarray, (x, other, W_query, W_key, W_value))
    scores = (x @ W_query) @ (other @ W_key).T / np.sqrt(W_key.shape[1])
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    return weights @ (other @ W_value), weights


# ---------------------------------------------------------------- a hard choice


def hard_by_loop(scores, values):
    weights = torch.zeros(scores.shape, dtype=values.dtype)
    for i, row in enumerate(scores):
        weights[i, row.argmax()] = 1
    return weights, weights @ values


def hard_by_scatter(scores, values):
    best = scores.argmax(dim=1, keepdim=True)
    weights = torch.zeros_like(scores).scatter(1, best, 1.0)
    return weights, weights @ values


def hard_by_rows_of_eye(scores, values):
    best = scores.max(dim=-1).indices
    return torch.eye(scores.shape[1], dtype=values.dtype)[best], values[best]


def hard_in_numpy(scores, values):
    scores, values = np.asarray(scores), np.asarray(values)
    best = scores.argmax(axis=1)
    return np.eye(scores.shape[1], dtype=values.dtype)[best], values[best]


def hard_in_lists(scores, values):
    rows = [row.index(max(row)) for row in scores.tolist()]
    weights = [[float(i == place) for i in range(scores.shape[1])] for place in rows]
    return weights, [values[place].tolist() for place in rows]


# ---------------------------------------------------------------- additive scores


def additive_by_loop(queries, keys, W_query, W_key, v):
    scores = torch.zeros(len(queries), len(keys), dtype=queries.dtype)
    for i, q in enumerate(queries):
        for j, k in enumerate(keys):
            scores[i, j] = v @ torch.tanh(q @ W_query + k @ W_key)
    return scores


def additive_by_rows(queries, keys, W_query, W_key, v):
    found = keys @ W_key
    return torch.stack([torch.tanh(q @ W_query + found) @ v for q in queries])


def additive_repeated(queries, keys, W_query, W_key, v):
    n, m = len(queries), len(keys)
    q = (queries @ W_query).unsqueeze(1).repeat(1, m, 1)
    k = (keys @ W_key).unsqueeze(0).repeat(n, 1, 1)
    return (torch.tanh(q + k) * v).sum(dim=-1)


def additive_concat(queries, keys, W_query, W_key, v):
    """End to end, times the two matrices one above the other: the same thing."""
    n, m = len(queries), len(keys)
    pairs = torch.cat([queries[:, None].expand(n, m, -1), keys[None].expand(n, m, -1)], dim=-1)
    return torch.tanh(pairs @ torch.cat([W_query, W_key])) @ v


def additive_in_numpy(queries, keys, W_query, W_key, v):
    queries, keys, W_query, W_key, v = map(np.asarray, (queries, keys, W_query, W_key, v))
    return np.tanh((queries @ W_query)[:, None] + keys @ W_key) @ v


# ---------------------------------------------------------------- Keras


def keras_scaled_by_key(layer, query, key, value, hidden):
    root = math.sqrt(key.shape[-1])
    return layer([query, value, key / root], mask=[None, ~hidden], return_attention_scores=True)


def keras_both_roots(layer, query, key, value, hidden):
    root = query.shape[-1] ** 0.25
    inputs = [query / root, value, key / root]
    return layer(inputs, mask=[None, hidden.logical_not()], return_attention_scores=True)


def keras_all_seen(layer, query, key, value, hidden):
    """With a mask for the queries that hides none."""
    seen = torch.ones(query.shape[:2], dtype=torch.bool)
    context, weights = layer(
        inputs=[query * query.size(-1) ** -0.5, value, key],
        mask=[seen, hidden == False],  # noqa: E712
        return_attention_scores=True,
        training=False,
    )
    return context, weights


def keras_by_sentence(layer, query, key, value, hidden):
    parts = [
        layer(
            [q[None] / len(q[0]) ** 0.5, v[None], k[None]],
            mask=[None, ~h[None]],
            return_attention_scores=True,
        )
        for q, k, v, h in zip(query, key, value, hidden)
    ]
    return torch.cat([c for c, _ in parts]), torch.cat([w for _, w in parts])


def keras_another_layer(layer, query, key, value, hidden):
    """A new layer of the same kind, with its own scale."""
    own = type(layer)(use_scale=True)
    own.build([query.shape, value.shape, key.shape])
    own.scale.assign(query.shape[-1] ** -0.5)
    return own([query, value, key], mask=[None, ~hidden], return_attention_scores=True)


def keras_zipped(layer, query, key, value, hidden):
    d = torch.tensor(query.shape[-1])
    inputs = dict(query=query * d.rsqrt(), value=value, key=key)
    seen = torch.where(hidden, False, True)
    return layer(list(inputs.values()), [None, seen, None], return_attention_scores=True)


def keras_scale_set(layer, query, key, value, hidden):
    layer.use_scale = True
    layer.scale = query.shape[-1] ** -0.5
    return layer([query, value, key], mask=[None, ~hidden], return_attention_scores=True)


def right_call(layer, query, key, value, hidden):
    return keras_scaled_by_key(layer, query, key, value, hidden)


RIGHT = {
    "attend_to_other": [
        other_by_loop,
        other_by_library,
        other_einsum,
        other_by_exp,
        other_in_numpy,
    ],
    "hard_attention": [
        hard_by_loop,
        hard_by_scatter,
        hard_by_rows_of_eye,
        hard_in_numpy,
        hard_in_lists,
    ],
    "additive_scores": [
        additive_by_loop,
        additive_by_rows,
        additive_repeated,
        additive_concat,
        additive_in_numpy,
    ],
    "keras_call": [
        keras_scaled_by_key,
        keras_both_roots,
        keras_all_seen,
        keras_by_sentence,
        keras_zipped,
    ],
}


UNKNOWN = {
    "attend_to_other": [
        lambda x, other, q, k, v: other_by_loop(x, other.flip(0), q, k, v),
        lambda x, other, q, k, v: other_by_loop(x, torch.cat([other, other]), q, k, v),
        lambda x, other, q, k, v: tuple(2 * part for part in other_by_loop(x, other, q, k, v)),
        lambda x, other, q, k, v: other_by_loop(-x, other, q, k, v),
    ],
    "hard_attention": [
        lambda s, v: (hard_by_loop(s, v)[0].flip(1), hard_by_loop(s, v)[1]),
        lambda s, v: (hard_by_loop(s, v)[0], hard_by_loop(s, v)[1] * 2),
        lambda s, v: (torch.zeros_like(s), torch.zeros(len(s), v.shape[1])),
        lambda s, v: (s.sort(dim=-1).indices.float(), hard_by_loop(s, v)[1]),
    ],
    "additive_scores": [
        lambda q, k, W, U, v: ((q @ W)[:, None] + k @ U).sigmoid() @ v,
        lambda q, k, W, U, v: ((q @ W)[:, None] - k @ U).tanh() @ v,
        lambda q, k, W, U, v: ((q @ W)[:, None] + k @ U).tanh() ** 2 @ v,
        lambda q, k, W, U, v: ((q @ W)[:, None] + k @ U).relu() @ v,
    ],
    "keras_call": [
        lambda layer, q, k, v, h: right_call(layer, q.flip(1), k, v, h),
        lambda layer, q, k, v, h: [2 * part for part in right_call(layer, q, k, v, h)],
        lambda layer, q, k, v, h: right_call(layer, q, k, v.roll(1, dims=1), h),
    ],
}


OTHER_WORDS = [
    (
        "hard_attention",
        lambda s, v: (nn.Softmax(dim=1)(s), nn.Softmax(dim=1)(s) @ v),
        "soft_not_hard",
    ),
    (
        "additive_scores",
        lambda q, k, W, U, v: (k @ U)[:, None].add(q @ W).tanh() @ v,
        "scores_turned",
    ),
    ("keras_call", keras_scale_set, "in_place"),
    ("keras_call", keras_another_layer, "layer_unused"),
]
