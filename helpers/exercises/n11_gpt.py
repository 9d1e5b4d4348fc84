"""The exercises and predictions of notebook 11: next-word loss, the block, the numbers of a GPT."""

from itertools import permutations

import torch
from torch.nn import functional as F

from .. import _
from ..judge.exercise import Case, wave
from .layer_parts import Parts
from .mistakes import Mistake, swap
from .n09_transformer import exchanged
from .notebook import Notebook

notebook = Notebook(__name__)


def ids(*rows):
    return torch.tensor(rows)


def loss_by_hand(scores, ids):
    log_probabilities = scores[:, :-1].log_softmax(dim=-1)
    surprise = -log_probabilities.gather(-1, ids[:, 1:, None])[..., 0]
    words = ids[:, 1:] != 0
    return surprise[words].mean()


@notebook.ask(
    _("next_word_loss(scores, ids): the mean surprise at each next word; blanks, id 0, left out."),
    returns="loss",
    trains=True,
    cases=[
        Case(_("blanks at the end"), wave(2, 5, 6, seed=1), ids([1, 3, 2, 4, 1], [1, 2, 0, 0, 0])),
        Case(_("2 stories of 5 words"), wave(2, 5, 7), ids([1, 4, 2, 6, 3], [1, 5, 5, 2, 4])),
        Case(_("as many stories as words"), wave(2, 2, 4, seed=2), ids([1, 2], [1, 3])),
        Case(_("as many words as the vocabulary"), wave(1, 4, 4, seed=3), ids([1, 3, 2, 0])),
        Case(_("large scores"), 300 * wave(2, 4, 5, seed=4), ids([1, 2, 4, 3], [1, 4, 4, 0])),
    ],
    also=[loss_by_hand],
    reread="The loss",
    mistakes={
        "answers_not_shifted": Mistake(
            ("guesses = scores", "answers = ids"),
            ("guesses = scores[:, 1:]", "answers = ids[:, 1:]"),
        ).called("""
            each word scored against itself
            The loss is far too small after training, and the model writes one word again and again.
            The scores at a position are about the word after it. What answers the first row of scores?"""),
        "blanks_counted": Mistake(swap(", ignore_index=0", "")).called("""
            blanks counted
            The loss looks better than it is: after the end, a blank is easy to foretell.
            Which answers are no words at all? How is cross_entropy told to leave out one id?"""),
        "softmax_before_loss": swap(
            "guesses.flatten(0, 1)", "guesses.flatten(0, 1).softmax(dim=-1)"
        ),
        "summed": swap("ignore_index=0", 'ignore_index=0, reduction="sum"'),
        "one_for_each_word": Mistake(
            swap("ignore_index=0", 'ignore_index=0, reduction="none"')
        ).called("""
            one number for each word
            A tensor of losses comes back, and backward() needs one number.
            From how many numbers does backward() start, and how many does yours return?"""),
        "answers_shifted_back": Mistake(
            ("guesses = scores[:, 1:]", "answers = ids[:, :-1]")
        ).called("""
            shifted the wrong way
            Each position is asked for the word before it, which it has seen.
            Which of the two loses its first position, and which its last?"""),
        "mean_over_stories": Mistake(
            swap("surprise[words]", "torch.stack([s[w].mean() for s, w in zip(surprise, words)])")
        ).called("""
            mean over stories, not over words
            Right if all stories are as long; else a word in a short one counts more.
            Each word should count the same, in a short story or in a long one. What do you average first?"""),
        "stories_shifted": Mistake(("guesses = scores[:-1]", "answers = ids[1:]")).called("""
            stories shifted in place of words
            Each story is scored by the words of the next one; or the shapes do not fit.
            Which axis holds the words of one story, and along which do you shift?"""),
        "sign_lost": "surprise = log_probabilities.gather(-1, ids[:, 1:, None])[..., 0]",
        "scores_left_raw": [
            "log_probabilities = scores[:, :-1]",
            "log_probabilities = scores[:, :-1].log()",
        ],
        "divided_by_all": swap("surprise[words]", "(surprise * words)"),
        "log_after_softmax": "log_probabilities = scores[:, :-1].softmax(dim=-1).log()",
        "padding_alone": "words = ids[:, 1:] == 0",
        "stories_run_together": Mistake(
            ("guesses = scores.flatten(0, 1)[None, :-1]", "answers = ids.flatten()[None, 1:]")
        ).called("""
            made flat before the shift
            At the end of each story, the first word of the next one is asked for.
            Whose answer is the last score of a story? What if you shift before the stories are joined?"""),
        "words_rolled": Mistake(("guesses = scores", "answers = ids.roll(-1, dims=1)")).called("""
            rolled, not cut
            At its last position, each story is asked for its first word.
            roll brings the first word to the end. Does the last position have an answer?"""),
        "lost_gradient": swap("ignore_index=0)", "ignore_index=0).item()"),
        "probabilities_for_logs": [
            swap("log_softmax(dim=-1)", "softmax(dim=-1)"),
            "surprise = 1 - log_probabilities.exp().gather(-1, ids[:, 1:, None])[..., 0]",
        ],
    },
)
def next_word_loss(scores, ids):
    guesses = scores[:, :-1]
    answers = ids[:, 1:]
    return F.cross_entropy(guesses.flatten(0, 1), answers.flatten(), ignore_index=0)


POST = "thought = parts.feed_forward(x)", "return parts.norm2(x + thought)"
ON_ITS_OWN = "x = parts.attention(parts.norm1(x), mask=future)"
TWO_AXES = "future = torch.ones(tokens, tokens).triu(1).bool()"


@notebook.ask(
    _("gpt_block(parts, x): causal self-attention and feed-forward, pre-norm."),
    returns="x",
    cases=lambda: [
        Case(_("2 stories of 5 words"), Parts(), wave(2, 5, 4)),
        Case(_("as many stories as words"), Parts(), wave(3, 3, 4, seed=1)),
        Case(_("as many words as numbers"), Parts(6, 3), wave(1, 6, 6, seed=2)),
        Case(_("large numbers"), Parts(), 30 * wave(2, 4, 4, seed=4)),
    ],
    reread="From the decoder to GPT",
    mistakes={
        "post_norm": [("x = parts.norm1(x + parts.attention(x, mask=future))", *POST), POST],
        "mask_convention": "future = torch.ones(tokens, tokens).tril().bool()[None, None]",
        "not_booleans": 'future = torch.full((tokens, tokens), float("-inf")).triu(1)[None, None]',
        "mask_as_memory": swap("mask=future", "future"),
        "no_residual": [
            *(ON_ITS_OWN, "return thought", (ON_ITS_OWN, "return thought")),
            (
                swap("x = x + parts.attention", "seen = parts.attention"),
                swap("parts.norm2(x)", "parts.norm2(seen)"),
            ),
            (
                swap("x = x + parts.attention", "seen = parts.attention"),
                swap("parts.norm2(x)", "parts.norm2(x + seen)"),
                "return seen + thought",
            ),
        ],
        "norm_on_the_residual": Mistake(
            "x = parts.norm1(x)\nx = x + parts.attention(x, mask=future)",
            (
                "x = parts.norm1(x)\nx = x + parts.attention(x, mask=future)",
                "x = parts.norm2(x)\nthought = parts.feed_forward(x)",
            ),
        ).called("""
            LayerNorm on the residual connection too
            The residual connection does not carry x, but a normalised x.
            What is added to what the part says: x, or norm(x)?"""),
        "no_future_mask": Mistake(swap(", mask=future", "")).called("""
            the future not hidden
            Every word sees those after it: its next word lies in front of it.
            Poke the last word: which outputs move? Who hides it from the words before?"""),
        "mask_without_axes": Mistake(
            *(TWO_AXES, f"{TWO_AXES}[None]", f"{TWO_AXES}.expand(len(x), -1, -1)")
        ).called("""
            the mask without the axes of batch and heads
            An error: the mask needs four axes.
            The mask is (tokens, tokens), and attention wants four axes. How does one put a 1 in front?"""),
        "norms_swapped": exchanged("norm1", "norm2"),
        "in_place": swap("x = x + parts", "x += parts"),
        "norm_behind_the_part": Mistake(
            (
                swap(
                    "attention(parts.norm1(x), mask=future)",
                    "norm1(parts.attention(x, mask=future))",
                ),
                swap("feed_forward(parts.norm2(x))", "norm2(parts.feed_forward(x))"),
            )
        ).called("""
            LayerNorm behind the part, not in front of it
            The right shape; but the part sees x as it is, and what it adds is normalised.
            Pre-norm: what goes into attention, and what into feed-forward, x or norm(x)?"""),
        "side_by_side": Mistake(
            (swap("x = x + parts", "seen = parts"), "return x + seen + thought")
        ).called("""
            attention and feed-forward side by side
            The right shape: feed-forward works on what came in, and not on what attention added.
            First the sum with attention, then feed-forward on that sum. What goes into your second norm?"""),
        "tokens_of_batch": "tokens = x.shape[0]",
        "one_norm_twice": swap("parts.norm2", "parts.norm1"),
        "residual_from_before": (
            swap("x = x + parts.attention", "seen = x + parts.attention"),
            swap("parts.norm2(x)", "parts.norm2(seen)"),
        ),
        "tril_for_triu": "future = torch.ones(tokens, tokens).tril(-1).bool()[None, None]",
        "tokens_of_width": "tokens = x.shape[-1]",
    },
)
def gpt_block(parts, x):
    tokens = x.shape[1]
    future = torch.ones(tokens, tokens).triu(1).bool()[None, None]
    x = x + parts.attention(parts.norm1(x), mask=future)
    thought = parts.feed_forward(parts.norm2(x))
    return x + thought


@notebook.count(
    _("How many numbers does GPT-2 medium learn, its weights tied?"),
    returns="parameters",
    reread="The whole of GPT",
    mistakes={
        "another_size": Mistake(
            "d, layers = 768, 12", "d, layers = 1024, 12", "d, layers = 768, 24"
        ).called("""
            the sizes of another GPT-2
            GPT-2 small has 12 blocks of width 768; medium has more of both.
            How wide is medium, and how many blocks has it? Which of your numbers are of small?"""),
        "rounded": Mistake(
            "return round(words + positions + layers * block + last_norm, -5)",
            "return round(words + positions + layers * block + last_norm, -6)",
        ).called("""
            a rounded number
            Nearly the number that is asked for, with noughts at its end.
            Which sum did you round? Put the sum itself in place of the dots."""),
        "head_counted_again": Mistake(
            "return 2 * words + positions + layers * block + last_norm"
        ).called("""
            tied weights counted twice
            The count is too high by 50,257 · 1,024.
            The scores are read off with the word vectors themselves. How many such matrices are there?"""),
        "positions_left_out": Mistake("return words + layers * block + last_norm").called("""
            the vectors of the positions left out
            The count is too low by 1,024 · 1,024.
            A word has a vector, and what else has one?"""),
        "words_left_out": Mistake("return positions + layers * block + last_norm").called("""
            the word vectors left out
            The count is too low by 50,257 · 1,024.
            How does an id become a vector?"""),
        "one_block_counted": Mistake("return words + positions + block + last_norm").called("""
            one block counted
            The count is about five times too low.
            How many blocks are stacked?"""),
        "last_norm_left_out": Mistake("return words + positions + layers * block").called("""
            the last LayerNorm left out
            The count is too low by 2 · 1,024.
            What stands between the last block and the scores?"""),
        "small_ones_left_out": Mistake(
            "block = attention + feed_forward",
            ("norms = 2 * d", "last_norm = d"),
            (
                *("attention = 4 * d * d", "feed_forward = 2 * d * 4 * d"),
                *("block = attention + feed_forward", "return words + positions + layers * block"),
            ),
        ).called("""
            biases, or scales and shifts of LayerNorm, left out
            The count is a little too low, by a multiple of 1,024.
            An nn.Linear has a bias, a LayerNorm two vectors. How many numbers are these in all?"""),
    },
)
def gpt2_medium():
    d, layers = 1024, 24
    words, positions = 50_257 * d, 1024 * d
    attention = 4 * (d * d + d)
    feed_forward = d * 4 * d + 4 * d + 4 * d * d + d
    norms = 2 * (d + d)
    block = attention + feed_forward + norms
    last_norm = d + d
    return words + positions + layers * block + last_norm


notebook.predict(
    "scores that move",
    _("Seven words, positions 0 to 6; another word at position 4: at which positions do the scores move?"),
    form=_("the positions, such as [0, 1, 2]"),
    answer=(4, 5, 6),
    same=tuple(permutations((4, 5, 6))),
    why=_("The mask hides a word from those before it, and from no other."),
    hint=_("Who may see the word at position 4? Does it see itself?"),
    wrong=[
        ((5, 6), _("They see it. And the scores at position 4: from which words do they come?")),
        ((0, 1, 2, 3, 4, 5, 6), _("So it would be with no mask.")),
        ((4,), _("Its own scores move. Who else looks at it?")),
    ],
)
