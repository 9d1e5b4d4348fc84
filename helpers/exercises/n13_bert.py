"""The exercises and predictions of notebook 13: words to guess, their loss, pairs, the pooled answer."""

import torch
from torch import nn
from torch.nn import functional as F

from .. import _
from ..judge.exercise import Case, wave
from .mistakes import Mistake, swap
from .notebook import Notebook

notebook = Notebook(__name__)


def ids(*rows):
    return torch.tensor(rows)


def drawn(says, words, seed, choice=None):
    """A case: ids, their draws in [0, 1), and a random word for each position."""
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


@notebook.ask(
    _("words_to_guess(ids, choice, fate, others): (seen, labels), 15 % chosen, of these 80/10/10."),
    returns=("seen", "labels"),
    wanted="int",
    cases=lambda: [
        drawn(_("5 sentences of 12 tokens"), sentences(5, 12, 1), 1),
        drawn(_("as many sentences as tokens"), sentences(8, 8, 2), 2),
        drawn(_("every word chosen"), sentences(6, 11, 5), 5, torch.full((6, 11), 0.1)),
    ],
    reread="Words to guess",
    mistakes={
        "specials_masked": Mistake(swap(" & (ids > 3)", "")).called("""
            special tokens chosen
            [CLS], [SEP] or [PAD] is to be guessed: easy, and the loss looks better than it is.
            Which ids are no words? A position may be chosen only where ids > 3."""),
        "all_in_sight": Mistake(swap(SWAPPED, "seen = ids")).called("""
            all chosen words left in sight
            The labels are right, but the model can copy every answer.
            What becomes of a chosen word? `fate` tells."""),
        "none_exchanged": Mistake(swap("others, seen)", "ids, seen)")).called("""
            no chosen word becomes another
            80/0/20: the model may trust every word that it sees.
            What becomes of a chosen word with a fate from 0.8 to below 0.9?"""),
        "only_masks": Mistake(
            (swap("chosen & (fate < 0.8)", "chosen"), swap(SWAPPED, ""))
        ).called("""
            [MASK] for all that is chosen
            The model is never asked for a word that it sees, but later it reads text without [MASK].
            Not all chosen words become [MASK]. What does `fate` decide?"""),
        "kept_not_asked": Mistake(
            f"{SWAPPED}\nlabels = ids.masked_fill(seen == ids, -100)"
        ).called("""
            words left as they are not asked for
            80/10/0: a label only where seen and ids differ; a chosen word that stays is asked for, too.
            Is a word chosen because it was changed, or changed because it was chosen?"""),
        "all_asked": Mistake("labels = ids.clone()").called("""
            a label at every position
            The loss is flattering: most words stand there to be copied.
            Which positions does the loss count, and what do you write at all others?"""),
        "chosen_or_not": Mistake(
            (
                swap("chosen & (fate < 0.8)", "fate < 0.8"),
                swap("chosen & (fate >= 0.8)", "(fate >= 0.8)"),
            )
        ).called("""
            words changed, chosen or not
            Nine in ten tokens change, special ones too, and hardly any of them is asked for.
            Only what was chosen may be changed. What do your two conditions say of that?"""),
        "mask_chosen": Mistake(swap("ids > 3", "ids >= 3")).called("""
            [MASK] itself chosen
            A blank that stands in the text already is asked for, and its answer is [MASK].
            Which is the last of the special ids? Is it spared?"""),
        "in_place": swap(
            "seen = torch.where(chosen & (fate < 0.8), 3, ids)",
            "seen = ids.masked_fill_(chosen & (fate < 0.8), 3)",
        ),
        "labels_after_masking": Mistake(
            f"{SWAPPED}\nlabels = seen.masked_fill(~chosen, -100)"
        ).called("""
            labels taken from what is seen
            The answer at a [MASK] is [MASK].
            The label is the word that stood there before. From which tensor do you take it?"""),
    },
)
def words_to_guess(ids, choice, fate, others):
    chosen = (choice < 0.15) & (ids > 3)
    labels = ids.masked_fill(~chosen, -100)
    seen = torch.where(chosen & (fate < 0.8), 3, ids)
    seen = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, seen)
    return seen, labels


NOT = -100  # asked


def masked_by_hand(scores, labels):
    asked = labels != -100
    guesses, answers = scores[asked], labels[asked]
    surprise = -guesses.log_softmax(dim=-1).gather(1, answers[:, None])
    return surprise.mean()


@notebook.ask(
    _("masked_word_loss(scores, labels): the mean surprise at the words asked for; -100 is not."),
    returns="loss",
    trains=True,
    also=[masked_by_hand],
    cases=[
        Case(_("2 sentences of 4 tokens"), wave(2, 4, 7), ids([NOT, 4, 6, 3], [5, NOT, NOT, NOT])),
        Case(_("as many sentences as tokens"), wave(2, 2, 4, seed=2), ids([1, NOT], [NOT, 2])),
        Case(_("large scores"), 300 * wave(2, 3, 5, seed=4), ids([NOT, 2, 3], [1, 4, NOT])),
        Case(_("word 0 is asked"), wave(2, 3, 4, seed=5), ids([0, NOT, 2], [NOT, 0, NOT])),
    ],
    reread="The loss on what was hidden",
    mistakes={
        "shifted_as_in_gpt": Mistake(
            "return F.cross_entropy(scores[:, :-1].flatten(0, 1), labels[:, 1:].flatten())"
        ).called("""
            shifted, as in GPT
            Each position is asked for the word after it. A word to guess stands at its own position.
            BERT guesses the word at the position itself. Which scores belong to the first label?"""),
        "minus_100_is_a_word": Mistake(
            swap("labels.flatten()", "labels.flatten(), ignore_index=-1")
        ).called("""
            -100 not left out
            An error, or a loss that counts positions where nothing is asked.
            What does cross_entropy leave out by itself? What else do you let it count?"""),
        "softmax_before_loss": swap("scores.flatten(0, 1)", "scores.flatten(0, 1).softmax(dim=-1)"),
        "one_for_each_word": swap("labels.flatten()", 'labels.flatten(), reduction="none"'),
        "divided_by_all": "return surprise.sum() / labels.numel()",
        "sign_lost": "surprise = guesses.log_softmax(dim=-1).gather(1, answers[:, None])",
        "log_after_softmax": "surprise = -guesses.softmax(dim=-1).log().gather(1, answers[:, None])",
        "in_bits": Mistake("return surprise.mean() / 0.693147181").called("""
            another logarithm
            The loss is off by a factor of 1.44, which lies between bits and the natural logarithm.
            Which logarithm is asked for, and which does cross_entropy take?"""),
    },
)
def masked_word_loss(scores, labels):
    return F.cross_entropy(scores.flatten(0, 1), labels.flatten())


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
        "no_cls": Mistake(
            ("ids = [*a, 2, *b, 2]", "segments = [0] * (len(a) + 1) + [1] * (len(b) + 1)")
        ).called("""
            no [CLS]
            There is no token from which the answer about the pair could be read.
            Which token comes first, before the first sentence?"""),
        "no_sep": Mistake(
            ("ids = [1, *a, *b]", "segments = [0] * (len(a) + 1) + [1] * len(b)")
        ).called("""
            no [SEP] at all
            Nothing tells where a sentence ends.
            How many [SEP] are there? One ends each of the two."""),
        "no_last_sep": Mistake(
            ("ids = [1, *a, 2, *b]", "segments = [0] * (len(a) + 2) + [1] * len(b)")
        ).called("""
            no [SEP] at the end
            The second sentence has no end.
            What stands at the end of the first sentence, and what at the end of the second?"""),
        "segment_of_the_sep": Mistake(
            "segments = [0] * (len(a) + 1) + [1] * (len(b) + 2)"
        ).called("""
            a [SEP] in the other segment
            Each [SEP] belongs to the sentence that it ends.
            Which sentence does the first [SEP] end, and which the last?"""),
        "segments_from_1": Mistake("segments = [1] * (len(a) + 2) + [2] * (len(b) + 1)").called("""
            segments 1 and 2
            An index error in the model: it has vectors for 0 and 1.
            With which number does Python begin to count?"""),
        "in_place": "a.append(2)\nids = [1, *a, *b, 2]\na = a[:-1]",
        "not_whole_numbers": swap("torch.tensor(segments)", "torch.tensor(segments).bool()"),
        "segments_too_short": Mistake("segments = [0] * len(a) + [1] * len(b)").called("""
            fewer segments than ids
            Special tokens have a segment, too.
            How many ids are there, and how many segments? [CLS] and [SEP] count."""),
    },
)
def pair_input(a, b):
    ids = [1, *a, 2, *b, 2]
    segments = [0] * (len(a) + 2) + [1] * (len(b) + 1)
    return torch.tensor(ids), torch.tensor(segments)


def pooler_of(d, seed):
    layer = nn.Linear(d, d)
    with torch.no_grad():
        layer.weight.copy_(wave(d, d, seed=seed))
        layer.bias.copy_(wave(d, seed=seed + 1))
    return layer


@notebook.ask(
    _("pooled(vectors, pooler): a vector of each input, (batch, d), read off at [CLS], by tanh."),
    returns="pooled",
    trains=True,
    cases=lambda: [
        Case(_("2 inputs of 5 tokens"), wave(2, 5, 4), pooler_of(4, 1)),
        Case(_("as many inputs as tokens"), wave(3, 3, 4, seed=2), pooler_of(4, 3)),
    ],
    reread="The pooled answer",
    mistakes={
        "mean_pooled": Mistake("cls = vectors.mean(dim=1)").called("""
            the mean of all tokens
            A fine way, but not the one of BERT: its pooler was trained on [CLS].
            At which token is the answer read off?"""),
        "last_pooled": Mistake("cls = vectors[:, -1]").called("""
            the last token, not [CLS]
            In a batch of several lengths, that is padding for some.
            At which end does [CLS] stand?"""),
        "first_input": Mistake("cls = vectors[0]").called("""
            the first input, not the first token
            One vector for each token of the first input comes back.
            Which axis of (batch, tokens, d) holds the tokens?"""),
        "all_pooled": Mistake("cls = vectors").called("""
            all tokens, not [CLS] alone
            A vector for each token comes back, where one for each input is asked.
            At which token is the answer read off?"""),
        "token_axis_kept": Mistake("cls = vectors[:, :1]").called("""
            the axis of the tokens kept
            (batch, 1, d) comes back, where (batch, d) is asked.
            What is the difference between vectors[:, :1] and vectors[:, 0]?"""),
        "tanh_left_out": Mistake("return pooler(cls)").called("""
            no tanh after the pooler
            The numbers that come back may lie outside -1 to 1.
            What comes after the linear layer?"""),
        "lost_gradient": "return torch.tanh(pooler(cls)).detach()",
        "pooler_without_bias": Mistake("return torch.tanh(cls @ pooler.weight.T)").called("""
            the pooler's bias left out
            The vector is multiplied, and not shifted.
            What does an nn.Linear hold besides its matrix?"""),
    },
)
def pooled(vectors, pooler):
    cls = vectors[:, 0]
    return torch.tanh(pooler(cls))


notebook.predict(
    "encoders since 2022",
    _("Of the 7 models from 2022 on whose kind is known: how many have an encoder, alone or not?"),
    form=_("a number"),
    answer=0,
    why=_("All seven are decoders. Which was the last model of the list that has an encoder?"),
    hint=_("Which models of 2022 and 2023 do you know? Which of them write, and which only read?"),
    wrong=[
        (7, _("That many have a decoder. Has one of them an encoder as well?")),
        (8, _("There are 8, and of one no kind was published; asked are the other 7.")),
    ],
)
