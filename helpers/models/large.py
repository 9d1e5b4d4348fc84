"""What large models change in the attention of notebook 5, so that long texts cost less.

    tiled_attention    the same context without a matrix of weights: the keys come in tiles
    grouped_attention  several heads share their keys and values, which are not copied
    GroupedAttention   a layer with grouped_attention, in place of the Attention of notebook 9
    window_mask        each token sees itself and the few tokens before it
    LatentAttention    keys and values are made from one small vector per token; only it is cached
    linear_attention   no softmax: the past is summed up in one matrix, however long it is
    linear_step        the same, token by token
    delta_step         corrects that matrix, instead of only adding to it

Taught in notebook 15. In a mask, True means hidden, as in helpers.models.attention.
"""

import torch
from torch import nn
from torch.nn import functional as F

from .. import _
from .attention import scaled_dot_product_attention
from .input_checks import check_batch
from .positions import rotary
from .transformer.layers import Attention


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
        rescale = (highest - higher).exp()  # the sums so far were relative to a lower maximum
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


class GroupedAttention(Attention):
    """The Attention of notebook 9 with only `key_heads` key–value heads for all its query heads.

    key_heads  a divisor of num_heads; 1 is multi-query attention
    rotated    whether queries and keys are rotated by position, as in Llama (rotary, "halves")
    Raises ValueError if key_heads does not divide num_heads. Called like Attention; no dropout.
    Source: Ainslie et al. 2023, section 2.2; Touvron et al. 2023 (Llama 2).
    """

    def __init__(self, d_model, num_heads, key_heads, rotated=False):
        super().__init__(d_model, num_heads)
        if num_heads % key_heads:
            text = _(
                "GroupedAttention: num_heads={heads} is not divisible by key_heads={few}; "
                "pass a divisor, such as 1"
            )
            raise ValueError(text.format(heads=num_heads, few=key_heads))
        self.head_dim, self.rotated = d_model // num_heads, rotated
        self.W_key = nn.Linear(d_model, key_heads * self.head_dim)
        self.W_value = nn.Linear(d_model, key_heads * self.head_dim)

    def forward(
        self, x, memory=None, mask=None, return_weights=False, extend=None, is_causal=False
    ):
        """As in Attention, but `extend` receives, and a cache holds, the few key–value heads."""
        memory = x if memory is None else memory
        check_batch(self, "x", x)
        query = self._split(self.W_query(x))  # (batch, heads, queries, head_dim)
        key = self._split(self.W_key(memory))  # (batch, key heads, keys, head_dim)
        value = self._split(self.W_value(memory))
        if self.rotated:
            positions = torch.arange(x.shape[1], device=x.device)
            query, key = (rotary(z, positions, "halves") for z in (query, key))
        if extend is not None:
            key, value = extend(key, value)  # (batch, key heads, earlier + keys, head_dim)
        if return_weights:
            key, value = (
                z.repeat_interleave(query.shape[1] // z.shape[1], dim=1) for z in (key, value)
            )
            context, weights = scaled_dot_product_attention(query, key, value, mask)
            return self._merge(context), weights
        visible = None if mask is None else ~mask  # PyTorch: True = visible
        return self._merge(
            F.scaled_dot_product_attention(query, key, value, visible, enable_gqa=True)
        )

    def _split(self, x):
        """(batch, tokens, any heads · head_dim) → (batch, those heads, tokens, head_dim)."""
        return x.unflatten(-1, (-1, self.head_dim)).transpose(1, 2)


def window_mask(tokens, window):
    """The mask (tokens, tokens): each token sees `window` tokens, itself and those before it.

    Source: Jiang et al. 2023 (Mistral 7B), section 2; Child et al. 2019, Beltagy et al. 2020.
    """
    positions = torch.arange(tokens)
    back = positions[:, None] - positions  # (queries, keys): how many steps back the key is
    return (back < 0) | (back >= window)


class LatentAttention(nn.Module):
    """Causal heads whose keys and values are all computed from one small vector per token.

    d_latent   size of that vector
    head_dim   size of a query, key and value of a head, without the rotated part
    d_rotated  size of the part that rotary rotates (notebook 8): one key for all heads
    Source: DeepSeek-AI 2024 (DeepSeek-V2), section 2.1, with queries that are not compressed.
    """

    def __init__(self, d_model, num_heads, d_latent, head_dim, d_rotated):
        super().__init__()
        self.d_model, self.num_heads = d_model, num_heads
        self.content = [head_dim, d_rotated]
        self.kept = [d_latent, d_rotated]
        self.W_query = nn.Linear(d_model, num_heads * (head_dim + d_rotated), bias=False)
        self.W_down = nn.Linear(d_model, d_latent + d_rotated, bias=False)
        self.norm = nn.RMSNorm(d_latent, eps=1e-6)
        self.W_up = nn.Linear(d_latent, num_heads * 2 * head_dim, bias=False)
        self.out_proj = nn.Linear(num_heads * head_dim, d_model, bias=False)

    def forward(self, x, cache=None):
        """x (batch, new, d_model) → context (batch, new, d_model), and the extended cache.

        cache  what earlier tokens left, (batch, earlier, d_latent + d_rotated)
        Keys and values are never computed: their matrices are multiplied into query and context.
        """
        check_batch(self, "x", x)
        earlier, new = 0 if cache is None else cache.shape[1], x.shape[1]
        positions = torch.arange(earlier, earlier + new, device=x.device)
        query = self.W_query(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        query, rotated = query.split(self.content, dim=-1)  # (batch, heads, new, head_dim), …
        latent, rope_key = self.W_down(x).split(self.kept, dim=-1)  # (batch, new, d_latent), …
        fresh = torch.cat([self.norm(latent), rotary(rope_key, positions)], dim=-1)
        cache = fresh if cache is None else torch.cat([cache, fresh], dim=1)
        latent, rope_key = cache[:, None].split(self.kept, dim=-1)  # (batch, 1, all, d_latent), …
        W_key, W_value = self.W_up.weight.unflatten(0, (self.num_heads, -1)).chunk(2, dim=1)
        scores = query @ W_key @ latent.mT + rotary(rotated, positions) @ rope_key.mT
        future = torch.ones(new, earlier + new, device=x.device).triu(earlier + 1).bool()
        scores = (scores / sum(self.content) ** 0.5).masked_fill(future, float("-inf"))
        context = scores.softmax(dim=-1) @ latent @ W_value.mT  # (batch, heads, new, head_dim)
        return self.out_proj(context.transpose(1, 2).flatten(2)), cache


def linear_attention(query, key, value):
    """Causal attention with weights φ(q)·φ(k) / their sum, φ(x) = elu(x) + 1, all tokens at once.

    query, key (..., tokens, d), value (..., tokens, d_v) → context (..., tokens, d_v).
    Source: Katharopoulos et al. 2020, equations 4, 5 and 7, with the mask of section 3.3.
    """
    query, key = F.elu(query) + 1, F.elu(key) + 1  # above 0, so that the weights are, too
    scores = (query @ key.mT).tril()  # (..., tokens, tokens)
    return scores @ value / scores.sum(dim=-1, keepdim=True)


def linear_step(query, key, value, state, total):
    """One more token: query and key (d,) above 0, value (d_v,); state (d, d_v) and total (d,).

    Returns context (d_v,), state and total, updated with the new token.
    Source: Katharopoulos et al. 2020, equations 16 to 20.
    """
    state = state + torch.outer(key, value)  # (d, d_v)
    total = total + key  # (d,)
    return query @ state / (query @ total), state, total


def delta_step(key, value, state):
    """Update the state (d, d_v) to return this value (d_v,) for this key (d,), of length 1.

    Source: Schlag et al. 2021, section 4.2, with a rate of 1; Yang et al. 2024.
    """
    return state + torch.outer(key, value - key @ state)
