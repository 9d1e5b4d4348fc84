"""Answers to the exercises of notebook 13, as learners write them."""

import torch
from torch import nn
from torch.nn import functional as F


def guess_by_loop(ids, choice, fate, others):
    seen, labels = ids.clone(), torch.full_like(ids, -100)
    for i in range(ids.shape[0]):
        for j in range(ids.shape[1]):
            if ids[i, j] <= 3 or choice[i, j] >= 0.15:
                continue
            labels[i, j] = ids[i, j]
            if fate[i, j] < 0.8:
                seen[i, j] = 3
            elif fate[i, j] < 0.9:
                seen[i, j] = others[i, j]
    return seen, labels


def guess_by_index(ids, choice, fate, others):
    special = torch.isin(ids, torch.tensor([0, 1, 2, 3]))
    chosen = (choice < 0.15) & ~special
    labels = ids.clone()
    labels[~chosen] = -100
    seen = ids.clone()
    seen[chosen & (fate < 0.8)] = 3
    swap = chosen & (fate >= 0.8) & (fate < 0.9)
    seen[swap] = others[swap]
    return seen, labels


def guess_inside_out(ids, choice, fate, others):
    changed = torch.where(fate < 0.8, torch.tensor(3), torch.where(fate < 0.9, others, ids))
    chosen = (choice < 0.15).logical_and(ids >= 4)
    return torch.where(chosen, changed, ids), torch.where(chosen, ids, -100)


def guess_by_bins(ids, choice, fate, others):
    chosen = (choice < 0.15) & (ids > 3)
    kind = torch.bucketize(fate, torch.tensor([0.8, 0.9]), right=True)
    ways = torch.stack([torch.full_like(ids, 3), others, ids])
    drawn = ways.gather(0, kind[None])[0]
    return torch.where(chosen, drawn, ids), ids.masked_fill(~chosen, -100)


def guess_masked_fill(ids, choice, fate, others):
    chosen = (ids > 3) * (choice < 0.15)
    random = chosen & (fate >= 0.8) & (fate < 0.9)
    seen = ids.masked_fill(chosen & (fate < 0.8), 3)
    seen = seen.masked_scatter(random, others[random])
    return [seen, ids.masked_fill(chosen.logical_not(), -100)]


def loss_of_chosen(scores, labels):
    asked = labels != -100
    return F.cross_entropy(scores[asked], labels[asked])


def loss_by_loop(scores, labels):
    surprises = []
    for row, answers in zip(scores, labels):
        for score, answer in zip(row, answers):
            if answer >= 0:
                surprises.append(-score.log_softmax(dim=0)[answer])
    return sum(surprises) / len(surprises)


def loss_turned(scores, labels):
    return nn.CrossEntropyLoss()(scores.transpose(1, 2), labels)


def loss_by_sum(scores, labels):
    total = F.cross_entropy(scores.mT, labels, reduction="sum")
    return total / (labels != -100).sum()


def loss_with_nll(scores, labels):
    v = scores.shape[-1]
    return F.nll_loss(scores.log_softmax(-1).reshape(-1, v), labels.reshape(-1), ignore_index=-100)


def loss_of_chances(scores, labels):
    asked = labels != -100
    chances = scores.softmax(dim=-1)[asked]
    return -chances[torch.arange(len(chances)), labels[asked]].log().mean()


def loss_by_one_hot(scores, labels):
    asked = (labels != -100).float()
    hot = F.one_hot(labels.clamp(min=0), scores.shape[-1]).float()
    surprise = -torch.einsum("btv,btv->bt", scores.log_softmax(dim=-1), hot)
    return (surprise * asked).sum() / asked.sum()


def pair_by_steps(a, b):
    ids = [1] + a + [2] + b + [2]
    segments = []
    for i in range(len(ids)):
        segments.append(0 if i < len(a) + 2 else 1)
    return torch.tensor(ids), torch.tensor(segments)


def pair_by_cat(a, b):
    first, second = torch.tensor([1, *a, 2]), torch.tensor([*b, 2])
    segments = torch.cat([torch.zeros_like(first), torch.ones_like(second)])
    return torch.cat([first, second]), segments


def pair_by_place(a, b):
    ids = torch.LongTensor([1, *a, 2, *b, 2])
    return ids, (torch.arange(len(ids)) > len(a) + 1).long()


def pair_by_separators(a, b):
    ids = torch.tensor([1, *a, 2, *b, 2])
    ends = (ids == 2).long()
    return ids, ends.cumsum(0) - ends


def pair_filled(a, b):
    ids = torch.zeros(len(a) + len(b) + 3, dtype=torch.long)
    segments = torch.zeros_like(ids)
    middle = len(a) + 1
    ids[0], ids[middle], ids[-1] = 1, 2, 2
    ids[1:middle], ids[middle + 1 : -1] = torch.tensor(a), torch.tensor(b)
    segments[middle + 1 :] = 1
    return ids, segments


def pair_small(a, b):
    ids = torch.tensor([1, *a, 2, *b, 2], dtype=torch.int32)
    return ids, (torch.arange(len(ids)) >= len(a) + 2).int()


def pooled_in_one(vectors, pooler):
    return pooler(vectors[:, 0]).tanh()


def pooled_all_then_first(vectors, pooler):
    return torch.tanh(pooler(vectors))[:, 0, :]


def pooled_by_hand(vectors, pooler):
    return torch.tanh(vectors[:, 0] @ pooler.weight.T + pooler.bias)


def pooled_by_loop(vectors, pooler):
    return torch.stack([torch.tanh(pooler(sentence[0])) for sentence in vectors])


def pooled_selected(vectors, pooler):
    first = vectors.select(1, 0)
    return nn.Tanh()(F.linear(first, pooler.weight, pooler.bias))


RIGHT = {
    "words_to_guess": [
        guess_by_loop,
        guess_by_index,
        guess_inside_out,
        guess_by_bins,
        guess_masked_fill,
    ],
    "masked_word_loss": [
        loss_of_chosen,
        loss_by_loop,
        loss_turned,
        loss_by_sum,
        loss_with_nll,
        loss_of_chances,
        loss_by_one_hot,
    ],
    "pair_input": [
        pair_by_steps,
        pair_by_cat,
        pair_by_place,
        pair_by_separators,
        pair_filled,
        pair_small,
    ],
    "pooled": [
        pooled_in_one,
        pooled_all_then_first,
        pooled_by_hand,
        pooled_by_loop,
        pooled_selected,
    ],
}


def replaced(ids, choice, fate, others):
    seen, labels = guess_by_index(ids, choice, fate, others)
    return seen.flip(1), labels


UNKNOWN = {
    "words_to_guess": [
        replaced,
        lambda ids, choice, fate, others: guess_by_index(ids, choice / 2, fate, others),
        lambda ids, choice, fate, others: guess_by_index(ids, choice, fate, others + 1),
    ],
    "masked_word_loss": [
        lambda scores, labels: loss_of_chosen(scores, labels).exp(),
        lambda scores, labels: loss_of_chosen(scores, labels) / 2,
        lambda scores, labels: -scores.log_softmax(-1).amax(-1)[labels != -100].mean(),
    ],
    "pair_input": [
        lambda a, b: pair_by_cat(a[::-1], b),
        lambda a, b: (pair_by_cat(a, b)[0] + 1, pair_by_cat(a, b)[1]),
        lambda a, b: (pair_by_cat(a, b)[0], pair_by_cat(a, b)[1] * 2),
    ],
    "pooled": [
        lambda vectors, pooler: pooled_in_one(vectors, pooler) / 2,
        lambda vectors, pooler: torch.tanh(pooler(pooler(vectors[:, 0]))),
        lambda vectors, pooler: torch.tanh(pooler(-vectors[:, 0])),
    ],
}


def pair_written_into_a(a, b):
    a.insert(0, 1)
    a.append(2)
    b.append(2)
    return torch.tensor(a + b), torch.tensor([0] * len(a) + [1] * len(b))


def pair_of_booleans(a, b):
    ids = torch.tensor([1, *a, 2, *b, 2])
    return ids, torch.arange(len(ids)) > len(a) + 1


def unchosen_too(ids, choice, fate, others):
    changed = torch.where(fate < 0.8, 3, torch.where(fate < 0.9, others, ids))
    return changed, torch.where((choice < 0.15) & (ids > 3), ids, -100)


def in_bits(scores, labels):
    surprise = -scores.log_softmax(-1) / torch.tensor(2.0).log()
    return torch.stack(
        [s[i] for s, i in zip(surprise.flatten(0, 1), labels.flatten()) if i >= 0]
    ).mean()


OTHER_WORDS = [
    ("pair_input", pair_written_into_a, "in_place"),
    ("pair_input", pair_of_booleans, "not_whole_numbers"),
    ("words_to_guess", unchosen_too, "chosen_or_not"),
    ("masked_word_loss", in_bits, "in_bits"),
    (
        "masked_word_loss",
        lambda s, labels: F.cross_entropy(s[:, :-1].mT, labels[:, 1:]),
        "shifted_as_in_gpt",
    ),
]
