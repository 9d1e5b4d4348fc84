"""The exercises of notebook 13: masked tokens, their loss, pairs, pooling."""

import torch
from torch import nn
from torch.nn import functional as F

from .. import _
from ..judge.exercise import Case, wave
from .n10_translation import ids
from .notebook import Notebook
from .small_models import filled

notebook = Notebook(__name__)


def drawn(says, words, seed, choice=None):
    """A case: ids, their draws in [0, 1), and a random word for each position.

    The seeds are such that chosen words have all three fates, in a first sentence alone, too, and
    that [MASK] would be chosen.
    """
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


@notebook.ask(
    _("words_to_guess(ids, choice, fate, others): (seen, labels), 15 % chosen, of these 80/10/10."),
    returns=("seen", "labels"),
    wanted="int",
    cases=lambda: [
        drawn(_("5 sentences of 12 tokens"), sentences(5, 12, 1), 10),
        drawn(_("as many sentences as tokens"), sentences(8, 8, 2), 3),
        drawn(_("every word chosen"), sentences(6, 11, 5), 5, torch.full((6, 11), 0.1)),
    ],
    reread="Words to guess",
    mistakes={
        "specials_masked": ") & (ids > 3) → )\n            or ids > 3 → ids > 0",
        "only_masks": """chosen & (fate < 0.8) → chosen
            seen = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, seen) →""",
        "all_asked": "labels = ids.masked_fill(~chosen, -100) → labels = ids.clone()",
        "chosen_or_not": """chosen & (fate < 0.8) → fate < 0.8
            chosen & (fate >= 0.8) → (fate >= 0.8)
            or chosen & (fate >= 0.8) → (fate >= 0.8)""",
        "one_draw_twice": """chosen & (fate < 0.8) → chosen & (choice < 0.12)
            (fate >= 0.8) & (fate < 0.9) → (choice >= 0.12) & (choice < 0.135)
            or choice < 0.15 → fate < 0.15""",
        "label_0": """~chosen, -100 → ~chosen, 0
            or ~chosen, -100 → ~chosen, -1""",
        "labels_inverted": "~chosen → chosen",
        "masks_lost": "others, seen) → others, ids)",
        "labels_after_masking": """seen = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, seen)
                → seen = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, seen)
            labels = seen.masked_fill(~chosen, -100)""",
    },
)
def words_to_guess(ids, choice, fate, others):
    chosen = (choice < 0.15) & (ids > 3)
    labels = ids.masked_fill(~chosen, -100)
    seen = torch.where(chosen & (fate < 0.8), 3, ids)
    seen = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, seen)
    return seen, labels


NOT = -100  # the label of a token that is not asked for


def masked_by_hand(logits, labels):
    asked = labels != -100
    guesses, answers = logits[asked], labels[asked]
    surprise = -guesses.log_softmax(dim=-1).gather(1, answers[:, None])
    return surprise.mean()


@notebook.ask(
    _("masked_word_loss(logits, labels): the mean surprise at the words asked for; -100 is not."),
    returns="loss",
    also=[masked_by_hand],
    cases=[
        Case(_("2 sentences of 4 tokens"), wave(2, 4, 7), ids([NOT, 4, 6, 3], [5, NOT, NOT, NOT])),
        Case(_("as many sentences as tokens"), wave(2, 2, 4, seed=2), ids([1, NOT], [NOT, 2])),
        Case(_("large logits"), 300 * wave(2, 3, 5, seed=4), ids([NOT, 2, 3], [1, 4, NOT])),
        Case(_("word 0 is asked"), wave(2, 3, 4, seed=5), ids([0, NOT, 2], [NOT, 0, NOT])),
    ],
    reread="Words to guess",
    mistakes={
        "shifted_as_in_gpt": "logits.flatten(0, 1), labels → logits[:, :-1].flatten(0, 1), labels[:, 1:]",
        "minus_100_is_a_word": "labels.flatten() → labels.flatten(), ignore_index=-1",
        "softmax_before_loss": "logits.flatten(0, 1) → logits.flatten(0, 1).softmax(dim=-1)",
        "one_for_each_word": 'labels.flatten() → labels.flatten(), reduction="none"',
        "divided_by_all": "return surprise.mean() → return surprise.sum() / labels.numel()",
        "probabilities_for_logs": "-guesses.log_softmax(dim=-1) → 1 - guesses.softmax(dim=-1)",
        "summed": "return surprise.mean() → return surprise.sum()",
        "mean_over_stories": """return F.cross_entropy(logits.flatten(0, 1), labels.flatten())
                → return sum(F.cross_entropy(*row) for row in zip(logits, labels)) / len(logits)""",
        "not_flattened": """logits.flatten(0, 1), labels.flatten() → logits, labels
            or labels.flatten() → labels""",
        "log_of_the_mean": "return surprise.mean() → return -(-surprise).exp().mean().log()",
        "reshaped": """logits.flatten(0, 1), labels.flatten()
            → logits.reshape(len(logits), -1, logits.shape[1]), labels""",
        "sign_lost": "surprise = -guesses → surprise = guesses",
        "log_after_softmax": "log_softmax(dim=-1) → softmax(dim=-1).log()",
        "in_bits": "return surprise.mean() → return surprise.mean() / 0.693147181",
    },
)
def masked_word_loss(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten())


@notebook.ask(
    _("pair_input(a, b): (ids, segments) of [CLS] a [SEP] b [SEP], whole numbers (tokens,)."),
    returns=("ids", "segments"),
    wanted="int",
    cases=[
        Case(_("5 words and 3"), [4, 9, 5, 7, 6], [8, 4, 11]),
        Case(_("as many in both"), [12, 5, 9], [6, 6, 10]),
        Case(_("one word and 4"), [7], [5, 8, 4, 9]),
    ],
    reread="Two sentences",
    mistakes={
        "no_cls": """ids = [1, *a, 2, *b, 2] → ids = [*a, 2, *b, 2]
            len(a) + 2 → len(a) + 1""",
        "cls_twice": """ids = [1, *a, 2, *b, 2] → ids = [1, *a, 2, 1, *b, 2]
            len(b) + 1 → len(b) + 2""",
        "no_sep": """ids = [1, *a, 2, *b, 2] → ids = [1, *a, *b]
            segments = [0] * (len(a) + 2) + [1] * (len(b) + 1)
                → segments = [0] * (len(a) + 1) + [1] * len(b)""",
        "no_last_sep": """ids = [1, *a, 2, *b, 2] → ids = [1, *a, 2, *b]
            segments = [0] * (len(a) + 2) + [1] * (len(b) + 1)
                → segments = [0] * (len(a) + 2) + [1] * len(b)""",
        "segment_of_the_sep": """segments = [0] * (len(a) + 2) + [1] * (len(b) + 1)
                → segments = [0] * (len(a) + 1) + [1] * (len(b) + 2)""",
        "segments_from_1": "segments = [0] * (len(a) + 2) + [1] → segments = [1] * (len(a) + 2) + [2]",
        "not_whole_numbers": "torch.tensor(segments) → torch.tensor(segments).bool()",
        "segments_too_short": """segments = [0] * (len(a) + 2) + [1] * (len(b) + 1)
                → segments = [0] * len(a) + [1] * len(b)""",
    },
)
def pair_input(a, b):
    ids = [1, *a, 2, *b, 2]
    segments = [0] * (len(a) + 2) + [1] * (len(b) + 1)
    return torch.tensor(ids), torch.tensor(segments)


@notebook.ask(
    _("pooled(vectors, pooler): a vector of each input, (batch, d), read off at [CLS], by tanh."),
    returns="pooled",
    cases=lambda: [
        Case(_("2 inputs of 5 tokens"), wave(2, 5, 4), filled(nn.Linear(4, 4), 1)),
        Case(_("as many inputs as tokens"), wave(3, 3, 4, seed=2), filled(nn.Linear(4, 4), 3)),
    ],
    reread="The pooled answer",
    mistakes={
        "mean_pooled": "cls = vectors[:, 0] → cls = vectors.mean(dim=1)",
        "last_pooled": "cls = vectors[:, 0] → cls = vectors[:, -1]",
        "first_input": "cls = vectors[:, 0] → cls = vectors[0]",
        "all_pooled": "cls = vectors[:, 0] → cls = vectors",
        "token_axis_kept": "cls = vectors[:, 0] → cls = vectors[:, :1]",
        "tanh_left_out": "return torch.tanh(pooler(cls)) → return pooler(cls)",
        "tanh_too_early": "torch.tanh(pooler(cls)) → pooler(torch.tanh(cls))",
        "bias_unused": "pooler(cls) → cls @ pooler.weight.T",
    },
)
def pooled(vectors, pooler):
    cls = vectors[:, 0]
    return torch.tanh(pooler(cls))
