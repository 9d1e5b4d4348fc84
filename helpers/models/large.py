"""What large models change in the attention of notebook 5, so that long texts cost less.

    tiled_attention    the same context, with the keys in tiles, and without a matrix of weights
    grouped_attention  several heads share their keys and values, which are not copied
    window_mask        each token sees itself and the few before it
    chosen_attention   each token looks at the few keys that a cheap index chooses
    linear_step        no softmax: one matrix holds all that was read, whatever the length
    cache_filled       what six kinds of attention cache, drawn to scale

Taught in notebook 15, which also has the layers. In a mask, True means hidden, as in
helpers.models.attention.
"""

import torch


def tiled_attention(query, key, value, tile):
    """softmax(QKᵀ/√d) V with `tile` keys at a time: never more than (queries, tile) scores.

    query, key, value  (..., queries, d), (..., keys, d), (..., keys, d_v); queries see all keys
    Returns the context (..., queries, d_v).
    Source: Milakov and Gimelshein 2018 (running maximum and sum), Rabe and Staats 2021; Dao et al.
    2022, "FlashAttention", algorithm 1, which also splits the queries into blocks.
    """
    highest = torch.full_like(query[..., :1], float("-inf"))  # (..., queries, 1)
    total, context = 0, 0
    for start in range(0, key.shape[-2], tile):
        keys, values = key[..., start : start + tile, :], value[..., start : start + tile, :]
        scores = query @ keys.mT / query.shape[-1] ** 0.5  # (..., queries, tile)
        higher = torch.maximum(highest, scores.amax(dim=-1, keepdim=True))
        rescale = (highest - higher).exp()  # the sums so far were computed with a lower maximum
        parts = (scores - higher).exp()
        total = total * rescale + parts.sum(dim=-1, keepdim=True)  # (..., queries, 1)
        context = context * rescale + parts @ values  # (..., queries, d_v)
        highest = higher
    return context / total


def grouped_attention(query, key, value):
    """Fewer key–value heads than query heads: the query heads of a group share one.

    query  (batch, heads, queries, d); with g heads in a group, its first g heads use key head 0
    key, value  (batch, key heads, keys, d) and (…, d_v); every query sees all keys
    Returns the context (batch, heads, queries, d_v). Keys are not copied: the heads of a group are
    treated as one head with more queries.
    Source: Shazeer 2019 (one key head), Ainslie et al. 2023.
    """
    batch, heads, queries, d = query.shape
    asked = query.reshape(batch, key.shape[1], -1, d)  # (batch, key heads, group · queries, d)
    weights = (asked @ key.mT / d**0.5).softmax(dim=-1)  # (batch, key heads, group · queries, keys)
    return (weights @ value).reshape(batch, heads, queries, -1)


def window_mask(tokens, window):
    """The mask (tokens, tokens): each token sees `window` tokens, itself and those before it.

    Source: Jiang et al. 2023 (Mistral 7B), section 2; Child et al. 2019, Beltagy et al. 2020.
    """
    positions = torch.arange(tokens)
    back = positions[:, None] - positions  # (queries, keys): how many steps back the key is
    return (back < 0) | (back >= window)


def chosen_attention(query, key, value, index_query, index_key, k):
    """Causal attention in which each token looks at the k keys with the highest index scores alone.

    query, key   (tokens, d); value (tokens, d_v)
    index_query, index_key  (tokens, d_index): their dot products choose, and do nothing else
    k            how many keys a token looks at; an early token, which has fewer, looks at all
    Returns the context (tokens, d_v).
    Source: DeepSeek-AI 2025 (DeepSeek-V3.2), with an index of one head and no ReLU.
    """
    tokens, d = query.shape
    future = torch.ones(tokens, tokens).triu(1).bool()
    index = (index_query @ index_key.T).masked_fill(future, float("-inf"))  # (tokens, tokens)
    best, chosen = index.topk(min(k, tokens), dim=1)  # (tokens, k), (tokens, k)
    scores = (query[:, None] * key[chosen]).sum(dim=-1) / d**0.5  # (tokens, k)
    weights = scores.masked_fill(best == float("-inf"), float("-inf")).softmax(dim=1)
    return (weights[..., None] * value[chosen]).sum(dim=1)  # (tokens, d_v)


def linear_step(query, key, value, state, total):
    """One more token: query and key (d,) above 0, value (d_v,); state (d, d_v) and total (d,).

    Returns context (d_v,), state and total, updated with the new token.
    Source: Katharopoulos et al. 2020, equations 16 to 20.
    """
    state = state + torch.outer(key, value)  # (d, d_v)
    total = total + key  # (d,)
    return query @ state / (query @ total), state, total


def cache_filled(length):
    """How full the cache of a layer with 32 heads of 128 numbers is, for six kinds of attention.

    Returns {"cached": (6 kinds, 16 blocks of 512 tokens, 32 heads)}: 1 where all keys and values
    of a head are there, 512 · 256 numbers.
    """
    blocks, heads = torch.arange(16)[:, None], torch.arange(32)
    full = (blocks < length // 512) * torch.ones(32)  # (16, 32)
    eight, one = full * (heads % 4 == 0), full * (heads == 0)  # heads of keys and values
    window = eight * (blocks >= length // 512 - 8)
    latent = full * ((512 + 64) / 256 - heads).clamp(0, 1)
    state = (blocks == 0) * torch.full((32,), (128 * 128 + 128) / (512 * 256))
    return {"cached": torch.stack([full, eight, window, one, latent, state])}
