"""The exercises and predictions of notebook 13: words to guess, their loss, pairs, the pooled answer."""

import torch
from torch import nn
from torch.nn import functional as F

from ..judge.exercise import wave
from ..judge.functions import Case
from .edits import swap
from .notebook import Notebook

notebook = Notebook(__name__)

# ---------------------------------------------------------------- 80, 10, 10


def ids(*rows):
    return torch.tensor(rows)


def drawn(says, words, seed, choice=None):
    """A case: ids, their draws in [0, 1), and a random word for each place."""
    draw = torch.Generator().manual_seed(seed)
    choice = torch.rand(words.shape, generator=draw) ** 3 if choice is None else choice
    fate = torch.rand(words.shape, generator=draw)
    others = torch.randint(4, 30, words.shape, generator=draw)
    return Case(says, words, choice, fate, others)


def sentences(batch, tokens, seed):
    """[CLS], words, [SEP]; and [PAD] at the end of the last."""
    draw = torch.Generator().manual_seed(seed)
    made = torch.randint(4, 30, (batch, tokens), generator=draw)
    made[:, 0], made[:, -1] = 1, 2
    made[0, 2] = 3
    made[-1, tokens // 2], made[-1, tokens // 2 + 1 :] = 2, 0
    return made


SWAPPED = "seen = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, seen)"


@notebook.function(
    "words_to_guess(ids, choice, fate, others): (seen, labels), 15 % chosen, of these 80/10/10.",
    returns=("seen", "labels"),
    wanted="int",
    cases=lambda: [
        drawn("5 sentences of 12 tokens", sentences(5, 12, 1), 1),
        drawn("as many sentences as tokens", sentences(8, 8, 2), 2),
        drawn("one sentence", sentences(1, 20, 3), 3),
        drawn("none chosen", sentences(2, 6, 4), 4, torch.full((2, 6), 0.5)),
        drawn("every word chosen", sentences(6, 11, 5), 5, torch.full((6, 11), 0.1)),
    ],
    mistakes={
        "specials_masked": swap(" & (ids > 3)", ""),
        "padding_alone_spared": swap("ids > 3", "ids > 0"),
        "mask_chosen": swap("ids > 3", "ids > 2"),
        "first_word_spared": swap("ids > 3", "ids > 4"),
        "or_for_and": swap("(choice < 0.15) & (ids > 3)", "(choice < 0.15) | (ids > 3)"),
        "all_in_sight": (
            swap("torch.where(chosen & (fate < 0.8), 3, ids)", "ids"),
            swap(SWAPPED, ""),
        ),
        "none_exchanged": swap("others, seen)", "ids, seen)"),
        "only_masks": [
            (swap("chosen & (fate < 0.8)", "chosen"), swap(SWAPPED, "")),
            (swap("fate < 0.8", "choice < 0.8"), swap("(fate >= 0.8)", "(choice >= 0.8)")),
        ],
        "tenths_swapped": swap("(fate >= 0.8) & (fate < 0.9)", "(fate >= 0.9)"),
        "none_kept": swap(" & (fate < 0.9)", ""),
        "masks_overwritten": [
            swap("(fate >= 0.8) & ", ""),
            swap("others, seen)", "others, ids)"),
        ],
        "random_everywhere": swap("chosen & (fate >= 0.8)", "(fate >= 0.8)"),
        "masks_everywhere": swap("chosen & (fate < 0.8)", "(fate < 0.8)"),
        "chosen_or_not": (
            swap("chosen & (fate < 0.8)", "(fate < 0.8)"),
            swap("chosen & (fate >= 0.8)", "(fate >= 0.8)"),
        ),
        "minus_100_seen": swap("3, ids)", "3, labels)"),
        "kept_not_asked": "seen = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, seen)\n"
        "labels = ids.masked_fill(seen == ids, -100)",
        "masks_alone_asked": "labels = ids.masked_fill(~(chosen & (fate < 0.8)), -100)",
        "all_asked": [
            "labels = ids.clone()",
            "labels = ids.masked_fill(ids < 4, -100)",
        ],
        "labels_after_masking": "seen = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, seen)\n"
        "labels = seen.masked_fill(~chosen, -100)",
        "chosen_turned": [
            swap("choice < 0.15", "choice >= 0.15"),
            swap("masked_fill(~chosen", "masked_fill(chosen"),
        ],
        "zero_for_ignored": swap("-100", "0"),
        "shares_swapped": (
            swap("(fate < 0.8), 3", "(fate < 0.1), 3"),
            swap("(fate >= 0.8) & (fate < 0.9)", "(fate >= 0.1) & (fate < 0.2)"),
        ),
        "results_swapped": "return labels, seen",
    },
)
def words_to_guess(ids, choice, fate, others):
    chosen = (choice < 0.15) & (ids > 3)
    labels = ids.masked_fill(~chosen, -100)
    seen = torch.where(chosen & (fate < 0.8), 3, ids)
    seen = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, seen)
    return seen, labels


# ---------------------------------------------------------------- the loss


NOT = -100  # asked


def masked_by_hand(scores, labels):
    asked = labels != -100
    guesses, answers = scores[asked], labels[asked]
    surprise = -guesses.log_softmax(dim=-1).gather(1, answers[:, None])
    return surprise.mean()


@notebook.function(
    "masked_word_loss(scores, labels): the mean surprise at the words asked for; -100 is not asked.",
    returns="loss",
    trains=True,
    also=[masked_by_hand],
    cases=[
        Case("2 sentences of 5 tokens", wave(2, 5, 7), ids([NOT, 4, NOT, 6, 3], [5, NOT, NOT, NOT, NOT])),
        Case("one asked", wave(1, 6, 5, seed=1), ids([NOT, NOT, 3, NOT, NOT, NOT])),
        Case("as many sentences as tokens", wave(3, 3, 4, seed=2), ids([1, NOT, 3], [NOT, 2, NOT], [NOT, NOT, 2])),
        Case("as many tokens as words", wave(2, 4, 4, seed=3), ids([1, 3, NOT, 2], [NOT, 1, NOT, 3])),
        Case("large scores", 40 * wave(2, 4, 5, seed=4), ids([NOT, 2, NOT, 3], [1, 4, 4, NOT])),
        Case("word 0 is asked", wave(2, 3, 4, seed=5), ids([0, NOT, 2], [NOT, 0, NOT])),
        Case("float64", wave(2, 4, 5, seed=6).double(), ids([NOT, 2, NOT, 3], [1, NOT, NOT, NOT])),
    ],
    mistakes={
        "shifted_as_in_gpt": "return F.cross_entropy(scores[:, :-1].flatten(0, 1), labels[:, 1:].flatten())",
        "divided_by_all_places": [
            "return surprise.sum() / labels.numel()",
            swap("labels.flatten()", 'labels.flatten(), reduction="none").mean('),
        ],
        "minus_100_is_a_word": [
            swap("labels.flatten()", "labels.flatten(), ignore_index=-1"),
            swap("labels.flatten()", "labels.flatten(), ignore_index=0"),
            swap("labels.flatten()", "labels.clamp(min=0).flatten()"),
        ],
        "word_0_left_out": swap("labels.flatten()", "labels.masked_fill(labels < 1, -100).flatten()"),
        "softmax_before_loss": swap("scores.flatten(0, 1)", "scores.flatten(0, 1).softmax(dim=-1)"),
        "summed_not_mean": [
            swap("labels.flatten()", 'labels.flatten(), reduction="sum"'),
            "return surprise.sum()",
        ],
        "one_for_each_word": [
            swap("labels.flatten()", 'labels.flatten(), reduction="none"'),
            "return surprise",
        ],
        "sign_lost": [
            "surprise = guesses.log_softmax(dim=-1).gather(1, answers[:, None])",
            swap("return F.cross", "return -F.cross"),
        ],
        "chances_for_logs": [
            swap("log_softmax(dim=-1)", "softmax(dim=-1)"),
            "surprise = 1 - guesses.softmax(dim=-1).gather(1, answers[:, None])",
        ],
        "scores_for_chances": [swap(".log_softmax(dim=-1)", ""), swap("log_softmax(dim=-1)", "log()")],
        "over_places": (
            "guesses, answers = scores.log_softmax(dim=1)[asked], labels[asked]",
            "surprise = -guesses.gather(1, answers[:, None])",
        ),
        "in_bits": ["return surprise.mean() / 0.693147181", "return surprise.mean() * 0.693147181"],
        "mean_over_sentences": "rows = [F.cross_entropy(s, l) for s, l in zip(scores, labels)]\n"
        "return torch.stack(rows).mean()",
        "reshaped": "return F.cross_entropy(scores.reshape(len(scores), -1, labels.shape[1]), labels)",
        "words_and_stories_mixed": swap("labels.flatten()", "labels.T.flatten()"),
        "lost_gradient": swap("scores.flatten", "scores.detach().flatten"),
    },
)  # fmt: skip
def masked_word_loss(scores, labels):
    return F.cross_entropy(scores.flatten(0, 1), labels.flatten())


# ---------------------------------------------------------------- a pair


@notebook.function(
    "pair_input(a, b): (ids, segments) of [CLS] a [SEP] b [SEP], whole numbers (tokens,).",
    returns=("ids", "segments"),
    wanted="int",
    cases=[
        Case("5 words and 3", [4, 9, 5, 7, 6], [8, 4, 11]),
        Case("as many in both", [12, 5, 9], [6, 6, 10]),
        Case("one word and 4", [7], [5, 8, 4, 9]),
        Case("2 words and one", [5, 6], [7]),
    ],
    mistakes={
        "no_cls": ("ids = [*a, 2, *b, 2]", "segments = [0] * (len(a) + 1) + [1] * (len(b) + 1)"),
        "no_middle_sep": ("ids = [1, *a, *b, 2]", "segments = [0] * (len(a) + 1) + [1] * (len(b) + 1)"),
        "no_sep": ("ids = [1, *a, *b]", "segments = [0] * (len(a) + 1) + [1] * len(b)"),
        "no_last_sep": ("ids = [1, *a, 2, *b]", "segments = [0] * (len(a) + 2) + [1] * len(b)"),
        "cls_and_sep_swapped": "ids = [2, *a, 1, *b, 1]",
        "second_cls": "ids = [1, *a, 2, 1, *b, 2]\na = [*a, 0]",
        "b_first": ("ids = [1, *b, 2, *a, 2]", "segments = [0] * (len(b) + 2) + [1] * (len(a) + 1)"),
        "segment_of_the_sep": [
            "segments = [0] * (len(a) + 1) + [1] * (len(b) + 2)",
            "segments = [0] * (len(a) + 2) + [1] * len(b) + [0]",
            "segments = [0] * (len(a) + 1) + [1] * (len(b) + 1) + [0]",
        ],
        "one_segment": "segments = [0] * (len(a) + len(b) + 3)",
        "sep_opens_a_segment": "segments = [ids[: i + 1].count(2) for i in range(len(ids))]",
        "segments_from_1": "segments = [1] * (len(a) + 2) + [2] * (len(b) + 1)",
        "segments_turned": "segments = [1] * (len(a) + 2) + [0] * (len(b) + 1)",
        "segments_too_short": [
            "segments = [0] * len(a) + [1] * len(b)",
            "segments = [0] * (len(a) + 1) + [1] * (len(b) + 1)",
        ],
        "results_swapped": "return torch.tensor(segments), torch.tensor(ids)",
    },
)  # fmt: skip
def pair_input(a, b):
    ids = [1, *a, 2, *b, 2]
    segments = [0] * (len(a) + 2) + [1] * (len(b) + 1)
    return torch.tensor(ids), torch.tensor(segments)


# ---------------------------------------------------------------- the pooled answer


def pooler_of(d, seed):
    layer = nn.Linear(d, d)
    with torch.no_grad():
        layer.weight.copy_(wave(d, d, seed=seed))
        layer.bias.copy_(wave(d, seed=seed + 1))
    return layer


@notebook.function(
    "pooled(vectors, pooler): a vector of each input, (batch, d), read off at [CLS], through tanh.",
    returns="pooled",
    trains=True,
    cases=lambda: [
        Case("2 inputs of 5 tokens", wave(2, 5, 4), pooler_of(4, 1)),
        Case("as many inputs as tokens", wave(3, 3, 4, seed=2), pooler_of(4, 3)),
        Case("as many tokens as numbers", wave(2, 6, 6, seed=4), pooler_of(6, 5)),
        Case("one token", wave(2, 1, 4, seed=6), pooler_of(4, 7)),
        Case("one input", wave(1, 5, 4, seed=10), pooler_of(4, 11)),
        Case("large numbers", 5 * wave(2, 4, 3, seed=8), pooler_of(3, 9)),
    ],
    mistakes={
        "mean_pooled": [
            "cls = vectors.mean(dim=1)",
            "return torch.tanh(pooler(vectors)).mean(dim=1)",
        ],
        "largest_pooled": "cls = vectors.amax(dim=1)",
        "second_pooled": "cls = vectors[:, 1]",
        "last_pooled": "cls = vectors[:, -1]",
        "first_input": "cls = vectors[0]",
        "first_number": "cls = vectors[:, :, 0]",
        "all_pooled": "cls = vectors",
        "token_axis_kept": "cls = vectors[:, :1]",
        "tanh_left_out": "return pooler(cls)",
        "tanh_before": "return pooler(torch.tanh(cls))",
        "other_bend": [
            "return pooler(cls).relu()",
            "return F.gelu(pooler(cls))",
            "return pooler(cls).sigmoid()",
        ],
        "no_pooler": ["return torch.tanh(cls)", "return cls"],
        "pooler_turned": [
            "return torch.tanh(cls @ pooler.weight + pooler.bias)",
            "return torch.tanh(cls @ pooler.weight)",
        ],
        "pooler_without_bias": "return torch.tanh(cls @ pooler.weight.T)",
        "lost_gradient": swap("vectors[:, 0]", "vectors[:, 0].detach()"),
    },
)
def pooled(vectors, pooler):
    cls = vectors[:, 0]
    return torch.tanh(pooler(cls))


# ---------------------------------------------------------------- predictions


notebook.predict(
    "encoders since 2022",
    "Of the 7 models from 2022 on whose kind was published: how many have an encoder, alone or"
    " beside a decoder?",
    form="a number",
    answer=0,
    why="All seven are decoders. Which was the last model of the list that has an encoder?",
    hint="Which models of 2022 and 2023 do you know? Which of them write, and which only read?",
    wrong=[
        (7, "That many have a decoder. Has one of them an encoder as well?"),
        (8, "There are 8, and of one no kind was published; asked are the other 7."),
    ],
)
