"""Answers to the exercises of notebook 12, as learners write them."""

import math

import torch
from torch.nn import functional as F

# ---------------------------------------------------------------- generate


def generate_while(model, ids, n_new, choose):
    length = ids.shape[1] + n_new
    while ids.shape[1] < length:
        window = ids if ids.shape[1] <= model.context_length else ids[:, -model.context_length :]
        ids = torch.hstack([ids, choose(model(window)[:, -1, :])])
    return ids


def generate_in_lists(model, ids, n_new, choose):
    stories = ids.tolist()
    for _ in range(n_new):
        read = torch.tensor([story[-model.context_length :] for story in stories])
        for story, new in zip(stories, choose(model(read)[:, -1]).tolist()):
            story += new
    return torch.tensor(stories)


def generate_by_recursion(model, ids, n_new, choose):
    if n_new == 0:
        return ids
    new = choose(model(ids[:, -model.context_length :])[:, -1])
    return generate_by_recursion(model, torch.cat((ids, new), -1), n_new - 1, choose)


def generate_in_place(model, ids, n_new, choose):
    batch, begun = ids.shape
    text = torch.zeros(batch, begun + n_new, dtype=ids.dtype)
    text[:, :begun] = ids
    for t in range(begun, begun + n_new):
        first = max(0, t - model.context_length)
        text[:, t] = choose(model(text[:, first:t])[:, -1])[:, 0]
    return text


@torch.no_grad()
def generate_collected(model, ids, n_new, choose):
    written = [ids]
    for _ in range(n_new):
        everything = torch.cat(written, dim=1)
        scores = model.forward(everything[:, -model.context_length :])
        written.append(choose(scores.select(1, -1)))
    return torch.cat(written, dim=1)


# ---------------------------------------------------------------- top-k


def k_by_topk(scores, k):
    values, places = scores.topk(k, dim=-1)
    return torch.full_like(scores, -math.inf).scatter(-1, places, values)


def k_by_mask(scores, k):
    keep = torch.zeros_like(scores, dtype=torch.bool)
    keep.scatter_(-1, torch.topk(scores, k).indices, True)
    return scores.masked_fill(~keep, float("-inf"))


def k_by_rank(scores, k):
    rank = scores.argsort(dim=-1, descending=True).argsort(dim=-1)
    return torch.where(rank < k, scores, -torch.inf)


def k_row_by_row(scores, k):
    if scores.dim() > 1:
        return torch.stack([k_row_by_row(row, k) for row in scores])
    best = sorted(range(len(scores)), key=lambda i: -scores[i].item())[:k]
    left = torch.full_like(scores, float("-inf"))
    left[best] = scores[best]
    return left


def k_of_a_copy(scores, k):
    left = scores.clone()
    order = left.argsort(dim=-1)  # the worst first
    return left.scatter_(-1, order[..., : left.shape[-1] - k], float("-inf"))


# ---------------------------------------------------------------- top-p


def p_shifted(scores, p):
    best, order = torch.sort(scores, descending=True)
    reached = best.softmax(-1).cumsum(-1) >= p
    remove = torch.cat([torch.zeros_like(reached[..., :1]), reached[..., :-1]], dim=-1)
    return scores.masked_fill(remove.scatter(-1, order, remove), float("-inf"))


def p_inverse_order(scores, p):
    order = scores.argsort(dim=-1, descending=True)
    chances = scores.softmax(dim=-1).gather(-1, order)
    before = chances.cumsum(dim=-1) - chances
    hidden = (before >= p).gather(-1, order.argsort(dim=-1))
    return torch.where(hidden, float("-inf"), scores)


def p_row_by_row(scores, p):
    if scores.dim() > 1:
        return torch.stack([p_row_by_row(row, p) for row in scores])
    left, total = torch.full_like(scores, -math.inf), 0.0
    for i in scores.argsort(descending=True).tolist():
        left[i] = scores[i]
        total += scores.softmax(0)[i].item()
        if total >= p:
            break
    return left


def p_by_sorted_scores(scores, p):
    best, order = scores.sort(dim=-1, descending=True)
    chances = F.softmax(best, dim=-1)
    best = best.masked_fill(chances.cumsum(-1) - chances >= p, -torch.inf)
    return torch.empty_like(scores).scatter_(-1, order, best)


def p_by_pairs(scores, p):
    chances = scores.softmax(dim=-1)
    ranks = scores.argsort(dim=-1, descending=True, stable=True).argsort(dim=-1)
    likelier = ranks[..., None, :] < ranks[..., :, None]
    return scores.masked_fill((chances[..., None, :] * likelier).sum(-1) >= p, -torch.inf)


# ---------------------------------------------------------------- attention with a cache


def cached_by_torch(layer, x, keys, values):
    keys = torch.cat([keys, layer.W_key(x)], dim=1)
    values = torch.cat([values, layer.W_value(x)], dim=1)
    new, everything = x.shape[1], keys.shape[1]
    visible = torch.ones(new, everything, dtype=torch.bool).tril(everything - new)
    return F.scaled_dot_product_attention(layer.W_query(x), keys, values, visible), keys, values


def cached_word_by_word(layer, x, keys, values):
    contexts = []
    for t in range(x.shape[1]):
        one = x[:, t : t + 1]
        keys = torch.cat([keys, layer.W_key(one)], dim=1)
        values = torch.cat([values, layer.W_value(one)], dim=1)
        scores = layer.W_query(one) @ keys.transpose(1, 2) / math.sqrt(keys.shape[-1])
        contexts.append(scores.softmax(-1) @ values)
    return torch.cat(contexts, dim=1), keys, values


def cached_by_places(layer, x, keys, values):
    kept = keys.shape[1]
    q, k, v = layer.W_query(x), layer.W_key(x), layer.W_value(x)
    k, v = torch.cat((keys, k), -2), torch.cat((values, v), -2)
    mine = kept + torch.arange(x.shape[1])[:, None]
    hidden = torch.arange(k.shape[1])[None] > mine
    weights = torch.softmax((q @ k.mT).masked_fill(hidden, -1e30) * k.shape[-1] ** -0.5, dim=-1)
    return torch.bmm(weights, v), k, v


def cached_by_zeros(layer, x, keys, values):
    new, kept = x.shape[1], keys.shape[1]
    keys = torch.cat([keys, layer.W_key(x)], 1)
    values = torch.cat([values, layer.W_value(x)], 1)
    bias = torch.cat([torch.zeros(new, kept), torch.full((new, new), -torch.inf).triu(1)], dim=1)
    scores = torch.einsum("bqd,bkd->bqk", layer.W_query(x), keys) / keys.shape[-1] ** 0.5 + bias
    return scores.softmax(dim=2) @ values, keys, values


def cached_returns_a_list(layer, x, keys, values):
    everything = [
        torch.cat(pair, 1) for pair in ((keys, layer.W_key(x)), (values, layer.W_value(x)))
    ]
    mask = torch.tril(torch.ones(x.shape[1], everything[0].shape[1]), keys.shape[1]) == 0
    scores = layer.W_query(x) @ everything[0].mT / math.sqrt(layer.W_key.out_features)
    return [torch.softmax(scores.masked_fill(mask, float("-inf")), -1) @ everything[1], *everything]


RIGHT = {
    "generate": [
        generate_while,
        generate_in_lists,
        generate_by_recursion,
        generate_in_place,
        generate_collected,
    ],
    "top_k": [k_by_topk, k_by_mask, k_by_rank, k_row_by_row, k_of_a_copy],
    "top_p": [p_shifted, p_inverse_order, p_row_by_row, p_by_sorted_scores, p_by_pairs],
    "cached_attention": [
        cached_by_torch,
        cached_word_by_word,
        cached_by_places,
        cached_by_zeros,
        cached_returns_a_list,
    ],
}


def half(function):
    """The same, and a context half as large."""

    def halved(layer, x, keys, values):
        context, keys, values = function(layer, x, keys, values)
        return context / 2, keys, values

    return halved


UNKNOWN = {
    "generate": [
        lambda model, ids, n_new, choose: generate_while(model, ids, n_new, choose).flip(1),
        lambda model, ids, n_new, choose: generate_while(model, ids, n_new, choose) + 1,
        lambda model, ids, n_new, choose: torch.cat([ids] + n_new * [ids[:, -1:]], dim=1),
    ],
    "top_k": [
        lambda scores, k: k_by_topk(scores, k) / 2,
        lambda scores, k: k_by_topk(scores, k).roll(1, -1),
        lambda scores, k: k_by_topk(scores, k).abs(),
    ],
    "top_p": [
        lambda scores, p: p_shifted(scores, p / 2),
        lambda scores, p: p_shifted(scores, p) - 1,
        lambda scores, p: k_by_topk(scores, 1),
    ],
    "cached_attention": [
        half(cached_by_torch),
        lambda layer, x, keys, values: cached_by_torch(layer, x.flip(1), keys, values),
        lambda layer, x, keys, values: cached_by_torch(layer, 2 * x, keys, values),
    ],
}


def keeps_above(scores, k):
    smallest = torch.sort(scores, descending=True).values[..., k - 1 : k]
    return torch.where(scores < smallest, -torch.inf, scores)


def crossing_lost(scores, p):
    best, order = scores.sort(dim=-1, descending=True)
    keep = torch.zeros_like(scores, dtype=torch.bool)
    keep = keep.scatter(-1, order, best.softmax(-1).cumsum(-1) < p)
    return scores.masked_fill(~keep, -torch.inf)


def square_mask(layer, x, keys, values):
    keys = torch.cat([keys, layer.W_key(x)], dim=1)
    values = torch.cat([values, layer.W_value(x)], dim=1)
    visible = torch.tril(torch.ones(x.shape[1], keys.shape[1])).bool()
    return F.scaled_dot_product_attention(layer.W_query(x), keys, values, visible), keys, values


OTHER_WORDS = [
    ("top_k", keeps_above, "ties_kept_too"),
    ("top_p", crossing_lost, "crossing_dropped"),
    ("cached_attention", square_mask, "corner_of_the_mask"),
]
