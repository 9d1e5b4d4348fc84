"""The exercises and predictions of notebook 10: a Transformer that translates."""

import math

import torch
from torch.nn import functional as F

from ..judge.exercise import wave
from ..judge.functions import Case
from .edits import swap
from .notebook import Notebook

notebook = Notebook(__name__)

# ---------------------------------------------------------------- teacher forcing

notebook.predict(
    "questions in a sentence",
    "The target is: I like red nachos. For how many next words is the decoder asked?",
    form="a whole number",
    answer=5,
    why="Four words, and then the end.",
    hint="What must come after nachos, so that the writing ends?",
    wrong=[
        (4, "So it would never be asked for the end, and never learn to stop."),
        (6, "Is it asked for the start? That one is always given."),
    ],
)


@notebook.function(
    "shift_right(asked, sos): what the decoder is given (batch, tokens), one place later.",
    returns="given",
    wanted="int",
    cases=[
        Case("3 sentences", torch.tensor([[5, 9, 4, 6, 2], [7, 8, 2, 0, 0], [4, 3, 5, 2, 0]]), 1),
        Case("one sentence", torch.tensor([[3, 6, 4, 5, 7, 2]]), 1),
        Case("another number for the start", torch.tensor([[5, 6, 8], [9, 8, 0]]), 7),
        Case("as many sentences as tokens", torch.tensor([[4, 5, 2], [6, 2, 0], [3, 9, 2]]), 1),
    ],
    mistakes={
        "not_shifted": "return asked",
        "start_written_over": swap("asked[:, :-1]", "asked[:, 1:]"),
        "start_written_in": swap(
            "torch.full_like(asked[:, :1], sos)", "torch.ones_like(asked[:, :1])"
        ),
        "last_not_dropped": swap("asked[:, :-1]", "asked"),
        "end_to_the_front": "return asked.roll(1, dims=1)",
        "shifted_left": "return torch.cat([asked[:, 1:], start], dim=1)",
        "shifted_twice": "return torch.cat([start, start, asked[:, :-2]], dim=1)",
        "sentences_shifted": "return torch.cat([torch.full_like(asked[:1], sos), asked[:-1]])",
        "in_place": "asked[:, 1:] = asked[:, :-1].clone()\nasked[:, 0] = sos\nreturn asked",
        "not_whole_numbers": swap(
            "torch.full_like(asked[:, :1], sos)", "sos * torch.ones(len(asked), 1)"
        ),
    },
)
def shift_right(asked, sos):
    start = torch.full_like(asked[:, :1], sos)
    return torch.cat([start, asked[:, :-1]], dim=1)


# ---------------------------------------------------------------- the loss


def loss_by_library(scores, asked, pad):
    return F.cross_entropy(scores.flatten(0, 1), asked.flatten(), ignore_index=pad)


@notebook.function(
    "loss_without_padding(scores, asked, pad): the mean of -ln(chance) over all that is not padding.",
    returns="loss",
    trains=True,
    cases=[
        Case("3 sentences", 3 * wave(3, 4, 6), torch.tensor([[3, 5, 4, 2], [4, 2, 0, 0], [5, 3, 2, 0]]), 0),
        Case("no padding", 2 * wave(2, 3, 5, seed=1), torch.tensor([[3, 4, 2], [4, 3, 2]]), 0),
        Case("another number for padding", wave(2, 4, 5, seed=2), torch.tensor([[0, 4, 1, 3], [2, 1, 3, 3]]), 3),
        Case("large scores", 300 * wave(2, 3, 5, seed=3), torch.tensor([[3, 2, 0], [4, 3, 2]]), 0),
    ],
    also=[loss_by_library],
    mistakes={
        "padding_in_the_loss": ["return losses.mean()", swap(", ignore_index=pad", "")],
        "divided_by_all": "return (losses * words).mean()",
        "mean_of_means": "return ((losses * words).sum(dim=1) / words.sum(dim=1)).mean()",
        "end_left_out": [
            "words = (asked != pad) & (asked != 2)",
            "words = (asked != pad).roll(-1, dims=1) & (asked != pad)",
        ],
        "summed": ["return losses[words].sum()", swap("ignore_index=pad", 'ignore_index=pad, reduction="sum"')],
        "sign_lost": "losses = log_chances.gather(-1, asked[..., None])[..., 0]",
        "softmax_before_loss": [
            swap("scores.log_softmax", "scores.softmax(dim=-1).log_softmax"),
            swap("scores.flatten(0, 1)", "scores.softmax(dim=-1).flatten(0, 1)"),
        ],
        "chances_for_logs": [
            swap("scores.log_softmax", "scores.softmax"),
            "losses = 1 - log_chances.exp().gather(-1, asked[..., None])[..., 0]",
        ],
        "scores_for_chances": ["log_chances = scores", "log_chances = scores.log()"],
        "over_places": swap("log_softmax(dim=-1)", "log_softmax(dim=1)"),
        "zero_is_padding": ["words = asked != 0", swap("ignore_index=pad", "ignore_index=0")],
        "lost_gradient": "losses = -log_chances.detach().gather(-1, asked[..., None])[..., 0]",
    },
)  # fmt: skip
def loss_without_padding(scores, asked, pad):
    log_chances = scores.log_softmax(dim=-1)
    losses = -log_chances.gather(-1, asked[..., None])[..., 0]
    words = asked != pad
    return losses[words].mean()


# ---------------------------------------------------------------- writing


def writer(words, seed, most=12):
    """A made-up model: the chances of `words` next words depend on all that is written."""

    def next_chances(written):
        ids = [int(word) for word in written]
        if not ids:
            raise ValueError("nothing is written yet: begin with sos")
        if len(ids) > most:
            raise ValueError(f"{len(ids)} words are written, and no more than {most} are wanted")
        place = seed + sum((i + 1) * word for i, word in enumerate(ids))
        return (3 * wave(words, seed=place)).softmax(dim=-1)

    return next_chances


@notebook.function(
    "greedy_decoding(next_chances, sos, eos, longest): the ids written, sos and eos among them.",
    returns="ids written",
    wanted="int",
    cases=[
        Case("a sentence of three words", writer(5, 3), 1, 2, 6),
        Case("a sentence of two words", writer(5, 7), 1, 2, 8),
        Case("a sentence that ends with the last word allowed", writer(5, 34), 1, 2, 6),
        Case("a sentence that does not end in time", writer(5, 25), 1, 2, 6),
        Case("other numbers for start and end", writer(6, 4), 4, 3, 7),
    ],
    mistakes={
        "last_word_alone": swap("next_chances(written)", "next_chances(written[-1:])"),
        "runs_past_the_end": "if word == eos and len(written) > longest:",
        "end_not_written": "return written[:-1] if written[-1] == eos else written",
        "start_left_out": [
            "return written[1:]",
            swap("written = [sos]", "written = []"),
        ],
        "no_limit": swap("range(longest)", "range(1000)"),
        "one_word_too_many": swap("range(longest)", "range(longest + 1)"),
        "one_word_too_few": swap("range(longest)", "range(longest - 1)"),
        "start_taken_for_end": "if word == sos:",
        "least_likely": swap("argmax", "argmin"),
        "drawn": swap("next_chances(written).argmax()", "torch.multinomial(next_chances(written), 1)"),
    },
)  # fmt: skip
def greedy_decoding(next_chances, sos, eos, longest):
    written = [sos]
    for _ in range(longest):
        word = int(next_chances(written).argmax())
        written.append(word)
        if word == eos:
            break
    return written


# ---------------------------------------------------------------- the beam


def two_ways(written):
    """The likeliest first word, 3, leads to the likeliest sentence in none of its two ways on."""
    chances = {(1,): [0, 0, 0, 0.6, 0.4, 0], (1, 3): [0, 0, 0, 0, 0.5, 0.5]}
    ends = [0, 0, 1, 0, 0, 0]
    row = torch.tensor(chances.get(tuple(int(word) for word in written), ends)) + 0.01
    return row / row.sum()


@notebook.function(
    "beam_search(next_chances, width, sos, eos, longest): the ids of the likeliest sentence found.",
    returns="ids written",
    wanted="int",
    cases=[
        Case("a width of 2", two_ways, 2, 1, 2, 4),
        Case("a sentence that ends early", writer(5, 9), 2, 1, 2, 5),
        Case("a width of 3", writer(5, 3), 3, 1, 2, 5),
        Case("a width of 1", writer(5, 3), 1, 1, 2, 5),
        Case("a sentence that does not end in time", writer(5, 23), 2, 1, 2, 5),
        Case("the last word allowed", writer(5, 20), 2, 1, 2, 3),
        Case("other numbers for start and end", writer(6, 4), 3, 4, 3, 4),
    ],
    mistakes={
        "chances_added": swap("score + math.log(chance)", "score + chance"),
        "last_chance_alone": swap("score + math.log(chance)", "math.log(chance)"),
        "greedy_again": swap("[:width]", "[:1]"),
        "ended_goes_on": "if len(words) > longest:",
        "ended_forgotten": swap("grown.append((words, score))", "pass"),
        "first_end_taken": swap("grown.append((words, score))", "return words"),
        "worst_kept": swap(", reverse=True", ""),
        "worst_of_the_beam": "return kept[-1][0]",
        "by_length": swap("return one[1]", "return one[1] / len(one[0])"),
        "never_cut": swap("[:width]", ""),
        "start_left_out": "return kept[0][0][1:]",
        "one_word_too_many": swap("range(longest)", "range(longest + 1)"),
    },
)
def beam_search(next_chances, width, sos, eos, longest):
    def rank(one):
        return one[1]

    kept = [([sos], 0.0)]
    for _ in range(longest):
        grown = []
        for words, score in kept:
            if words[-1] == eos:
                grown.append((words, score))
                continue
            for word, chance in enumerate(next_chances(words).tolist()):
                grown.append((words + [word], score + math.log(chance)))
        kept = sorted(grown, key=rank, reverse=True)[:width]
    return kept[0][0]
