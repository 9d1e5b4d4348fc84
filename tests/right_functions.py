"""Right answers to the exercises that ask for a function, in as many styles as learners have."""

import math
import random

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

NAMES = ("W_query", "W_key", "W_value")

# ---------------------------------------------------------------- notebook 1


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


# ---------------------------------------------------------------- notebook 2


def project_by_loop(x, W_query, W_key, W_value):
    return [torch.stack([row @ W for row in x]) for W in (W_query, W_key, W_value)]


def project_at_once(x, W_query, W_key, W_value):
    return (x @ torch.cat([W_query, W_key, W_value], dim=1)).chunk(3, dim=1)


def weights_by_loop(queries, keys):
    root = math.sqrt(len(keys[0]))
    scores = [torch.stack([sum(a * b for a, b in zip(q, k)) / root for k in keys]) for q in queries]
    return torch.stack([softmax_by_hand(row) for row in scores])


def weights_numpy(queries, keys):
    queries, keys = np.array(queries), np.array(keys)
    return softmax_numpy(queries @ keys.T / np.sqrt(keys.shape[1]))


def weights_fused(queries, keys):
    eye = torch.eye(len(keys), dtype=keys.dtype)
    return F.scaled_dot_product_attention(queries[None], keys[None], eye[None])[0]


def copy_in_no_grad(from_parameters, to_linear):
    with torch.no_grad():
        for name in NAMES:
            getattr(to_linear, name).weight.copy_(getattr(from_parameters, name).T)


def copy_as_new_parameters(from_parameters, to_linear):
    to_linear.W_query.weight = nn.Parameter(from_parameters.W_query.detach().T.clone())
    to_linear.W_key.weight = nn.Parameter(from_parameters.W_key.detach().T.clone())
    to_linear.W_value.weight = nn.Parameter(from_parameters.W_value.detach().T.clone())
    return to_linear


def copy_the_data(from_parameters, to_linear):
    for name in NAMES:
        getattr(to_linear, name).weight.data = getattr(from_parameters, name).data.T


def copy_a_state(from_parameters, to_linear):
    state = from_parameters.state_dict()
    to_linear.load_state_dict({f"{name}.weight": W.T for name, W in state.items()})


@torch.no_grad()
def copy_number_by_number(from_parameters, to_linear):
    for name in NAMES:
        source, target = getattr(from_parameters, name), getattr(to_linear, name).weight
        for i in range(source.shape[0]):
            for j in range(source.shape[1]):
                target[j, i] = source[i, j]


# ---------------------------------------------------------------- notebook 3


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


# ---------------------------------------------------------------- notebook 4


def dropout_by_loop(weights, p):
    return [[0.0 if random.random() < p else float(w) / (1 - p) for w in row] for row in weights]


def dropout_filled_in(weights, p):
    dropped = torch.zeros_like(weights)
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            if random.random() >= p:
                dropped[i, j] = weights[i, j] / (1 - p)
    return dropped


def dropout_numpy(weights, p):
    keep = np.random.default_rng().random(weights.shape) >= p
    return np.where(keep, weights / (1 - p), 0)


def dropout_where(weights, p):
    gone = torch.rand(weights.shape) < p
    return torch.where(gone, 0.0, weights / (1 - p))


def dropout_bernoulli(weights, p):
    return weights * torch.bernoulli(torch.full_like(weights, 1 - p)) / (1 - p)


# ---------------------------------------------------------------- notebook 5


def split_by_slices(x, num_heads):
    size = x.shape[-1] // num_heads
    return torch.stack([x[:, :, h * size : (h + 1) * size] for h in range(num_heads)], dim=1)


def split_by_loop(x, num_heads):
    b, t, d = x.shape
    heads = torch.zeros(b, num_heads, t, d // num_heads, dtype=x.dtype)
    for i in range(d):
        heads[:, i // (d // num_heads), :, i % (d // num_heads)] = x[:, :, i]
    return heads


def merge_by_loop(x):
    b, heads, t, size = x.shape
    merged = torch.zeros(b, t, heads * size, dtype=x.dtype)
    for h in range(heads):
        merged[:, :, h * size : (h + 1) * size] = x[:, h]
    return merged


def torch_by_sentence(layer, x):
    hidden = future(x[0] @ x[0].T)
    found = [layer(s, s, s, attn_mask=hidden, average_attn_weights=False) for s in x]
    return torch.stack([c for c, _ in found]), torch.stack([w for _, w in found])


def torch_turned(layer, x):
    x = x.transpose(0, 1)
    mask = nn.Transformer.generate_square_subsequent_mask(len(x))
    context, weights = layer(x, x, x, attn_mask=mask, average_attn_weights=False)
    return context.transpose(0, 1), weights


def torch_batch_first(layer, x):
    layer.batch_first = True
    hidden = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
    named = {"attn_mask": hidden, "is_causal": True, "average_attn_weights": False}
    return layer(x, x, x, **named)


def torch_by_hand(layer, x):
    d, heads = layer.embed_dim, layer.num_heads
    qkv = F.linear(x, layer.in_proj_weight, layer.in_proj_bias)
    q, k, v = (part.unflatten(-1, (heads, -1)).transpose(1, 2) for part in qkv.split(d, dim=-1))
    scores = q @ k.mT / k.shape[-1] ** 0.5
    weights = scores.masked_fill(future(scores), -torch.inf).softmax(dim=-1)
    return layer.out_proj((weights @ v).transpose(1, 2).flatten(2)), weights


def torch_functional(layer, x):
    x = x.permute(1, 0, 2)
    context, weights = F.multi_head_attention_forward(
        x, x, x, layer.embed_dim, layer.num_heads, layer.in_proj_weight, layer.in_proj_bias, None,
        None, False, 0.0, layer.out_proj.weight, layer.out_proj.bias, average_attn_weights=False,
        attn_mask=future(torch.zeros(len(x), len(x))),
    )  # fmt: skip
    return context.permute(1, 0, 2), weights


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
        lambda scores: torch.softmax(scores, dim=-1),
        nn.Softmax(dim=-1),
        softmax_by_hand,
        softmax_numpy,
        softmax_recursive,
        softmax_through_numpy,
        lambda scores: (scores - scores.logsumexp(dim=-1, keepdim=True)).exp(),
        lambda scores: scores.double().softmax(dim=-1),
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
    "project": [
        lambda x, W_query, W_key, W_value: (x @ W_query, x @ W_key, x @ W_value),
        project_by_loop,
        project_at_once,
        lambda x, *Ws: tuple(np.array(x) @ np.array(W) for W in Ws),
        lambda x, *Ws: [torch.einsum("ti,io->to", x, W) for W in Ws],
        lambda x, *Ws: [F.linear(x, W.T) for W in Ws],
    ],
    "scaled_weights": [
        lambda queries, keys: (queries @ keys.T / keys.shape[1] ** 0.5).softmax(dim=1),
        lambda queries, keys: F.softmax((queries * keys.shape[1] ** -0.5) @ keys.mT, dim=-1),
        lambda q, k: torch.einsum("id,jd->ij", q, k).div(math.sqrt(q.shape[1])).softmax(dim=1),
        weights_by_loop,
        weights_numpy,
        weights_fused,
    ],
    "copy_weights": [
        copy_in_no_grad,
        copy_as_new_parameters,
        copy_the_data,
        copy_a_state,
        copy_number_by_number,
    ],
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
        masked_and_renormalised,
        masked_by_loop,
        masked_numpy,
        masked_copy,
    ],
    "leak_test": [
        leak_by_poking_each,
        leak_by_cutting,
        leak_by_gradient,
        leak_as_tensor,
        leak_in_numpy,
    ],
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
    "split_heads": [
        lambda x, h: x.view(*x.shape[:2], h, x.shape[2] // h).transpose(1, 2),
        lambda x, h: x.reshape(x.shape[0], x.shape[1], h, -1).permute(0, 2, 1, 3),
        lambda x, h: torch.stack(x.chunk(h, dim=-1), dim=1),
        lambda x, h: np.array(x).reshape(*x.shape[:2], h, -1).swapaxes(1, 2),
        split_by_slices,
        split_by_loop,
    ],
    "merge_heads": [
        lambda x: x.transpose(1, 2).contiguous().view(x.shape[0], x.shape[2], -1),
        lambda x: torch.cat(x.unbind(dim=1), dim=-1),
        lambda x: x.permute(0, 2, 1, 3).flatten(2),
        lambda x: np.concatenate(list(np.array(x).swapaxes(0, 1)), axis=-1),
        lambda x: x.movedim(1, 2).reshape(x.shape[0], x.shape[2], x.shape[1] * x.shape[3]),
        merge_by_loop,
    ],
    "torch_heads": [
        torch_by_sentence,
        torch_turned,
        torch_batch_first,
        torch_by_hand,
        torch_functional,
    ],
    "gpt2_parameters": [
        2_362_368,
        2_362_368.0,
        np.int64(2_362_368),
        torch.tensor(2_362_368),
        4 * (768**2 + 768),
        12 * 3 * (768 * 64 + 64) + 768 * 768 + 768,
        lambda: sum(p.numel() for p in nn.MultiheadAttention(768, 12).parameters()),
    ],
}
