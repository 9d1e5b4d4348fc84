"""Answers to the exercises of notebook 11, as learners write them."""

import torch
from torch import nn
from torch.nn import functional as F


def loss_by_loop(scores, ids):
    surprises = []
    for row, story in zip(scores, ids):
        for t in range(len(story) - 1):
            if story[t + 1] != 0:
                surprises.append(-row[t].log_softmax(dim=0)[story[t + 1]])
    return sum(surprises) / len(surprises)


def loss_by_mask(scores, ids):
    chances = scores[:, :-1].log_softmax(dim=-1)
    surprise = -chances.gather(-1, ids[:, 1:, None])[..., 0]
    real = ids[:, 1:] != 0
    return surprise[real].mean()


def loss_of_chosen(scores, ids):
    real = ids[:, 1:] > 0
    return F.cross_entropy(scores[:, :-1][real], ids[:, 1:][real])


def loss_turned(scores, ids):
    return F.cross_entropy(scores[:, :-1].transpose(1, 2), ids[:, 1:], ignore_index=0)


def loss_module(scores, ids):
    v = scores.shape[-1]
    return nn.CrossEntropyLoss(ignore_index=0)(
        scores[:, :-1].reshape(-1, v), ids[:, 1:].reshape(-1)
    )


def later(x):
    places = torch.arange(x.shape[1])
    return (places > places[:, None])[None, None]


def block_in_one(parts, x):
    x = x + parts.attention(parts.norm1(x), mask=later(x))
    return x + parts.feed_forward(parts.norm2(x))


def block_named(parts, x):
    seen = parts.norm1(x)
    context = parts.attention(seen, seen, later(x))
    between = x + context
    return between + parts.feed_forward(parts.norm2(between))


def block_with_weights(parts, x):
    context, _ = parts.attention(parts.norm1(x), mask=later(x), return_weights=True)
    x = x + context
    return parts.feed_forward(parts.norm2(x)) + x


def block_by_sentence(parts, x):
    return torch.cat([block_in_one(parts, s[None]) for s in x])


def block_mask_for_all(parts, x):
    b, t, _ = x.shape
    mask = torch.tril(torch.ones(b, parts.attention.num_heads, t, t)) == 0
    x = parts.attention(parts.norm1(x), mask=mask) + x
    return x.add(parts.feed_forward(parts.norm2(x)))


def medium_by_pytorch():
    with torch.device("meta"):
        layer = nn.TransformerEncoderLayer(1024, 16, 4096)
        rest = nn.ModuleList(
            [nn.Embedding(50257, 1024), nn.Embedding(1024, 1024), nn.LayerNorm(1024)]
        )
    count = [sum(p.numel() for p in part.parameters()) for part in (layer, rest)]
    return 24 * count[0] + count[1]


RIGHT = {
    "next_word_loss": [loss_by_loop, loss_by_mask, loss_of_chosen, loss_turned, loss_module],
    "gpt_block": [
        block_in_one,
        block_named,
        block_with_weights,
        block_by_sentence,
        block_mask_for_all,
    ],
    "gpt2_medium": [
        354_823_168,
        354823168.0,
        torch.tensor(354_823_168),
        medium_by_pytorch(),
        medium_by_pytorch,
    ],
}


UNKNOWN = {
    "next_word_loss": [
        lambda scores, ids: -scores[:, :-1].log_softmax(-1).amax(-1)[ids[:, 1:] != 0].mean(),
        lambda scores, ids: loss_by_mask(scores, ids) / torch.tensor(2.0).log(),
        lambda scores, ids: loss_by_mask(scores, ids).exp(),
    ],
    "gpt_block": [
        lambda parts, x: block_in_one(parts, block_in_one(parts, x)),
        lambda parts, x: block_in_one(parts, x) / 2,
        lambda parts, x: block_in_one(parts, x.flip(1)),
    ],
    "gpt2_medium": [345_000_000, 124_439_808, -354_823_168],
}


OTHER_WORDS = [
    (
        "next_word_loss",
        lambda s, ids: F.cross_entropy(s.transpose(1, 2), ids, ignore_index=0),
        "answers_not_shifted",
    ),
    ("next_word_loss", lambda s, ids: F.cross_entropy(s[:, :-1].mT, ids[:, 1:]), "blanks_counted"),
    (
        "gpt_block",
        lambda parts, x: (
            x + parts.feed_forward(parts.norm2(x + parts.attention(parts.norm1(x), mask=later(x))))
        ),
        "short_cut_from_before",
    ),
]
