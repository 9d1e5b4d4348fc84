"""Answers to the exercises of notebook 9, as learners write them."""

import math

import numpy as np
import torch
from torch.nn import functional as F


def mask_by_loop(ids, pad):
    mask = torch.zeros(len(ids), 1, 1, ids.shape[1], dtype=torch.bool)
    for b, sentence in enumerate(ids):
        for t, word in enumerate(sentence):
            mask[b, 0, 0, t] = bool(word == pad)
    return mask


def cross_fused(x, memory, padding, W_query, W_key, W_value):
    q, k, v = x @ W_query, memory @ W_key, memory @ W_value
    mask = ~padding[:, None, :].expand(-1, x.shape[1], -1)
    eye = torch.eye(k.shape[1], dtype=k.dtype).expand(len(k), -1, -1)
    context = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return context, F.scaled_dot_product_attention(q, k, eye, attn_mask=mask)


def cross_einsum(x, memory, padding, W_query, W_key, W_value):
    q = torch.einsum("btd,dk->btk", x, W_query)
    k = torch.einsum("bsd,dk->bsk", memory, W_key)
    v = torch.einsum("bsd,dk->bsk", memory, W_value)
    scores = torch.einsum("btk,bsk->bts", q, k) / math.sqrt(W_key.shape[1])
    scores = scores.masked_fill(padding.unsqueeze(1), -torch.inf)
    w = F.softmax(scores, dim=2)
    return torch.einsum("bts,bsk->btk", w, v), w


def cross_by_sentence(x, memory, padding, W_query, W_key, W_value):
    contexts, weights = [], []
    for one, other, hidden in zip(x, memory, padding):
        scores = (one @ W_query) @ (other @ W_key).T / W_key.shape[1] ** 0.5
        scores = torch.where(hidden, torch.tensor(-torch.inf, dtype=scores.dtype), scores)
        weights.append(torch.softmax(scores, dim=1))
        contexts.append(weights[-1] @ (other @ W_value))
    return torch.stack(contexts), torch.stack(weights)


def cross_without_the_padding(x, memory, padding, W_query, W_key, W_value):
    """The exponentials of what is hidden are multiplied by 0 before they are divided."""
    scores = x @ W_query @ (memory @ W_key).mT / W_query.shape[-1] ** 0.5
    scores = scores - scores.masked_fill(padding[:, None], -torch.inf).amax(-1, keepdim=True)
    e = scores.clamp(max=0).exp() * (~padding)[:, None]
    weights = e / e.sum(-1, keepdim=True)
    return weights @ (memory @ W_value), weights


def cross_in_numpy(x, memory, padding, W_query, W_key, W_value):
    x, memory, padding, W_query, W_key, W_value = map(
        np.asarray, (x, memory, padding, W_query, W_key, W_value)
    )
    scores = x @ W_query @ (memory @ W_key).swapaxes(1, 2) / np.sqrt(W_key.shape[1])
    scores = np.where(padding[:, None], -np.inf, scores)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    weights = e / e.sum(-1, keepdims=True)
    return weights @ (memory @ W_value), weights


def encoder_in_steps(parts, x, mask):
    looked = parts.attention(x, mask=mask)
    added = x + looked
    middle = parts.norm1(added)
    thought = parts.feed_forward(middle)
    return parts.norm2(thought + middle)


def encoder_in_one(parts, x, mask):
    y = parts.norm1(parts.attention(x, memory=None, mask=mask) + x)
    return parts.norm2(torch.add(y, parts.feed_forward(y)))


def encoder_of_itself(parts, x, mask):
    """Self-attention is attention whose memory is x."""
    x = parts.norm1(x + parts.attention(x, x, mask))
    return parts.norm2(x + parts.feed_forward(x))


def encoder_by_word(parts, x, mask):
    x = parts.norm1(x + parts.attention(x, mask=mask))
    words = [parts.norm2(x[:, t] + parts.feed_forward(x[:, t])) for t in range(x.shape[1])]
    return torch.stack(words, dim=1)


def encoder_with_a_helper(parts, x, mask):
    def around(x, part, norm):
        return norm(x + part(x))

    x = around(x, lambda x: parts.attention(x, mask=mask), parts.norm1)
    return around(x, parts.feed_forward, parts.norm2)


def masks(x, target_padding, source_padding):
    later = torch.full((x.shape[1], x.shape[1]), True).triu(1)[None, None]
    return later | target_padding[:, None, None], source_padding[:, None, None]


def decoder_in_steps(parts, x, memory, target_padding, source_padding):
    mask, memory_mask = masks(x, target_padding, source_padding)
    y = parts.norm1(x)
    x = x + parts.attention(y, mask=mask)
    y = parts.norm2(x)
    x = x + parts.cross_attention(y, memory, mask=memory_mask)
    y = parts.norm3(x)
    return x + parts.feed_forward(y)


def decoder_by_places(parts, x, memory, target_padding, source_padding):
    places = torch.arange(x.shape[1])
    causal = places[None, :] > places[:, None]
    mask = torch.logical_or(causal, target_padding.unsqueeze(1).unsqueeze(1))
    x = x + parts.attention(parts.norm1(x), mask=mask)
    hidden = source_padding.view(len(x), 1, 1, -1)
    x = x + parts.cross_attention(parts.norm2(x), memory=memory, mask=hidden)
    x = x + parts.feed_forward(parts.norm3(x))
    return x


def decoder_of_visible(parts, x, memory, target_padding, source_padding):
    """Thought of as what may be seen, and turned round at the end."""
    visible = torch.ones(x.shape[1], x.shape[1]).tril().bool() & ~target_padding[:, None, None, :]
    x = parts.attention(parts.norm1(x), mask=~visible) + x
    seen = parts.cross_attention(parts.norm2(x), memory, source_padding[:, None, None, :])
    x = seen + x
    return parts.feed_forward(parts.norm3(x)) + x


def decoder_expanded(parts, x, memory, target_padding, source_padding):
    b, t, _ = x.shape
    later = torch.triu(torch.ones(t, t), diagonal=1) == 1
    mask = (later.expand(b, 1, t, t)) | target_padding[:, None, None, :].expand(b, 1, t, t)
    memory_mask = source_padding[:, None, None, :].expand(b, 1, t, memory.shape[1])
    x = x + parts.attention(parts.norm1(x), mask=mask)
    x = x + parts.cross_attention(parts.norm2(x), memory, mask=memory_mask)
    return x + parts.feed_forward(parts.norm3(x))


def decoder_with_a_loop(parts, x, memory, target_padding, source_padding):
    mask, memory_mask = masks(x, target_padding, source_padding)
    steps = [
        (parts.norm1, lambda y: parts.attention(y, mask=mask)),
        (parts.norm2, lambda y: parts.cross_attention(y, memory, mask=memory_mask)),
        (parts.norm3, parts.feed_forward),
    ]
    for norm, part in steps:
        x = x + part(norm(x))
    return x


RIGHT = {
    "padding_mask": [
        lambda ids, pad: (ids == pad).unsqueeze(1).unsqueeze(1),
        lambda ids, pad: ids.eq(pad).view(len(ids), 1, 1, -1),
        lambda ids, pad: torch.where(ids == pad, True, False)[:, None, None],
        lambda ids, pad: ~(ids != pad).reshape(ids.shape[0], 1, 1, ids.shape[1]),
        lambda ids, pad: (np.asarray(ids) == pad)[:, None, None, :],
        mask_by_loop,
    ],
    "cross_attention": [
        cross_fused,
        cross_einsum,
        cross_by_sentence,
        cross_without_the_padding,
        cross_in_numpy,
    ],
    "encoder_layer": [
        encoder_in_steps,
        encoder_in_one,
        encoder_of_itself,
        encoder_by_word,
        encoder_with_a_helper,
    ],
    "decoder_layer": [
        decoder_in_steps,
        decoder_by_places,
        decoder_of_visible,
        decoder_expanded,
        decoder_with_a_loop,
    ],
}


def halved(right):
    """The context or the output half as large."""

    def answer(*given):
        result = right(*given)
        return (result[0] / 2, result[1]) if isinstance(result, tuple) else result / 2

    return answer


def encoder_twice(parts, x, mask):
    return encoder_in_one(parts, encoder_in_one(parts, x, mask), mask)


def encoder_averaged(parts, x, mask):
    """The short cut and the part share out one half each."""
    x = parts.norm1((x + parts.attention(x, mask=mask)) / 2 + 0.1)
    return parts.norm2((x + parts.feed_forward(x)) / 2) + 0.1


def encoder_side_by_side(parts, x, mask):
    """Both parts read the same x, as in some later models."""
    return parts.norm2(parts.norm1(x + parts.attention(x, mask=mask) + parts.feed_forward(x)))


def decoder_side_by_side(parts, x, memory, target_padding, source_padding):
    mask, memory_mask = masks(x, target_padding, source_padding)
    y = parts.norm1(x)
    own, cross = parts.attention(y, mask=mask), parts.cross_attention(y, memory, mask=memory_mask)
    return x + own + cross + parts.feed_forward(parts.norm3(x))


def decoder_normed_at_the_end(parts, x, memory, target_padding, source_padding):
    return parts.norm3(decoder_in_steps(parts, x, memory, target_padding, source_padding))


def cross_over_both(x, memory, padding, W_query, W_key, W_value):
    """The target's words among the keys, too, with the source's in front."""
    both = torch.cat([memory, x], dim=1)
    padding = torch.cat([padding, torch.zeros(x.shape[:2]).bool()], dim=1)
    context, weights = cross_einsum(x, both, padding, W_query, W_key, W_value)
    return context, weights[..., : memory.shape[1]]


def cross_by_cosine(x, memory, padding, W_query, W_key, W_value):
    q, k = F.normalize(x @ W_query, dim=-1), F.normalize(memory @ W_key, dim=-1)
    weights = (q @ k.mT).masked_fill(padding[:, None], -torch.inf).softmax(dim=-1)
    return weights @ (memory @ W_value), weights


UNKNOWN = {
    "padding_mask": [
        lambda ids, pad: (ids == pad).flip(1)[:, None, None, :],
        lambda ids, pad: (ids == pad).roll(1, 1)[:, None, None, :],
        lambda ids, pad: (ids == ids[:, -1:])[:, None, None, :],
    ],
    "cross_attention": [halved(cross_einsum), cross_over_both, cross_by_cosine],
    "encoder_layer": [encoder_twice, encoder_averaged, encoder_side_by_side],
    "decoder_layer": [
        halved(decoder_in_steps),
        decoder_side_by_side,
        decoder_normed_at_the_end,
    ],
}


def decoder_deaf(parts, x, memory, target_padding, source_padding):
    mask, _ = masks(x, target_padding, source_padding)
    x = parts.attention(parts.norm1(x), mask=mask) + x
    x = parts.cross_attention(parts.norm2(x), memory) + x
    return parts.feed_forward(parts.norm3(x)) + x


def encoder_pre(parts, x, mask):
    y = parts.attention(parts.norm1(x), mask=mask)
    return x + y + parts.feed_forward(parts.norm2(x + y))


def cross_times_zero(x, memory, padding, W_query, W_key, W_value):
    scores = (x @ W_query) @ (memory @ W_key).mT / W_key.shape[1] ** 0.5
    weights = torch.softmax(scores * (1 - padding[:, None].float()).to(scores.dtype), dim=-1)
    return weights @ (memory @ W_value), weights


OTHER_WORDS = [
    ("padding_mask", lambda ids, pad: (ids == pad).unsqueeze(1).unsqueeze(3), "hides_queries"),
    ("cross_attention", cross_times_zero, "zeroed_not_hidden"),
    ("encoder_layer", encoder_pre, "pre_norm"),
    ("decoder_layer", decoder_deaf, "source_padding_shown"),
]
