"""The exercises and predictions of notebook 10: a Transformer that translates."""

import math

import torch
from torch.nn import functional as F

from .. import _
from ..judge.exercise import Case, wave
from .notebook import Notebook

notebook = Notebook(__name__)


def ids(*rows):
    """Rows of ids as a tensor (batch, tokens)."""
    return torch.tensor(rows)


notebook.predict(
    "questions in a sentence",
    _("The target is: I like red nachos. For how many next tokens is the decoder asked?"),
    form=_("a whole number"),
    answer=5,
    why=_("It is asked for the four words, and then for the end of the sentence."),
    hint=_("What must the decoder predict after nachos, so that it stops writing?"),
    wrong=[
        (4, _("Then it would never be asked for the end, so it would never learn to stop.")),
        (6, _("Is it asked for the start? The start token is always given.")),
    ],
)


@notebook.ask(
    _("shift_right(asked, sos): what the decoder is given (batch, tokens), one position later."),
    returns="given",
    wanted="int",
    cases=[
        Case(_("3 sentences"), ids([5, 9, 4, 6, 2], [7, 8, 2, 0, 0], [4, 3, 5, 2, 0]), 1),
        Case(_("another number for the start"), ids([5, 6, 8], [9, 8, 0]), 7),
    ],
    reread="Teacher forcing",
    mistakes={
        "not_shifted": "return torch.cat([start, asked[:, :-1]], dim=1) → return asked",
        "start_written_over": "asked[:, :-1] → asked[:, 1:]",
        "start_written_in": """full_like(asked[:, :1], sos) → ones_like(asked[:, :1])
            or full_like(asked[:, :1], sos) → zeros_like(asked[:, :1])""",
        "last_not_dropped": "asked[:, :-1] → asked",
        "end_to_the_front": "torch.cat([start, asked[:, :-1]], dim=1) → asked.roll(1, dims=1)",
        "shifted_left": "start, asked[:, :-1] → asked[:, 1:], start",
        "not_whole_numbers": "torch.full_like(asked[:, :1], sos) → sos * torch.ones(len(asked), 1)",
    },
)
def shift_right(asked, sos):
    start = torch.full_like(asked[:, :1], sos)
    return torch.cat([start, asked[:, :-1]], dim=1)


def loss_by_library(logits, asked, pad):
    return F.cross_entropy(logits.flatten(0, 1), asked.flatten(), ignore_index=pad)


@notebook.ask(
    _(
        "loss_without_padding(logits, asked, pad): the mean of -log(probability) over all but padding."
    ),
    returns="loss",
    cases=[
        Case(_("3 sentences"), 3 * wave(3, 4, 6), ids([3, 5, 4, 2], [4, 2, 0, 0], [5, 3, 2, 0]), 0),
        Case(_("another pad"), wave(2, 4, 5, seed=2), ids([0, 4, 1, 3], [2, 1, 3, 3]), 3),
        Case(_("large logits"), 300 * wave(2, 3, 5, seed=3), ids([3, 2, 0], [4, 3, 2]), 0),
    ],
    also=[loss_by_library],
    reread="What the loss counts",
    mistakes={
        "padding_in_the_loss": "return losses[words].mean() → return losses.mean()",
        "divided_by_all": "return losses[words].mean() → return (losses * words).mean()",
        "summed": "return losses[words].mean() → return losses[words].sum()",
        "log_of_the_mean": "return losses[words].mean() → return -(-losses[words]).exp().mean().log()",
        "reshaped": """logits.flatten(0, 1), asked.flatten()
            → logits.reshape(len(logits), -1, logits.shape[1]), asked""",
        "sign_lost": "losses = -log_probabilities → losses = log_probabilities",
        "softmax_before_loss": "log_softmax(dim=-1) → softmax(-1).log_softmax(-1)",
        "probabilities_for_logs": """logits.log_softmax → logits.softmax
            or losses = -log_probabilities → losses = 1 - log_probabilities.exp()""",
        "logits_left_raw": """logits.log_softmax(dim=-1) → logits
            or log_softmax(dim=-1) → log()""",
        "padding_alone": "words = asked != pad → words = asked == pad",
        "log_after_softmax": "log_softmax(dim=-1) → softmax(dim=-1).log()",
        "pad_is_0": "words = asked != pad → words = asked != 0",
        "mean_over_stories": "losses[words] → torch.stack([row[w].mean() for row, w in zip(losses, words)])",
        "not_flattened": """logits.flatten(0, 1), asked.flatten() → logits, asked
            or asked.flatten() → asked""",
    },
)
def loss_without_padding(logits, asked, pad):
    log_probabilities = logits.log_softmax(dim=-1)
    losses = -log_probabilities.gather(-1, asked[..., None])[..., 0]
    words = asked != pad
    return losses[words].mean()


def writer(words, seed, most=12):
    """A made-up model: the probabilities of `words` next words depend on all that is written."""

    def next_probabilities(written):
        ids = [int(word) for word in written]
        if len(ids) > most:
            raise ValueError(f"{len(ids)} words are written, and no more than {most} are wanted")
        position = seed + sum((i + 1) * word for i, word in enumerate(ids))
        return (3 * wave(words, seed=position)).softmax(dim=-1)

    return next_probabilities


@notebook.ask(
    _(
        "greedy_decoding(next_probabilities, sos, eos, longest): the ids written, sos and eos among them."
    ),
    returns="ids written",
    wanted="int",
    cases=[
        Case(_("a sentence of three words"), writer(5, 48), 1, 2, 6),
        Case(_("a sentence that does not end in time"), writer(5, 25), 1, 2, 6),
        Case(_("other numbers for start and end"), writer(6, 49), 4, 3, 7),
        Case(_("the end at once"), writer(5, 0), 1, 2, 6),
    ],
    reread="Watch it write",
    mistakes={
        "last_word_alone": "next_probabilities(written) → next_probabilities(written[-1:])",
        "runs_past_the_end": "if word == eos: → if word == eos and len(written) > longest:",
        "end_not_written": "return written → return [word for word in written if word != eos]",
        "start_left_out": "return written → return written[1:]",
        "probability_for_word": """int(next_probabilities(written).argmax())
                → next_probabilities(written).max().item()
            or argmax → max""",
        "no_limit": "range(longest) → range(1000)",
        "one_word_too_few": "range(longest) → range(longest - 1)",
        "one_word_too_many": "range(longest) → range(longest + 1)",
        "returned_at_once": """written.append(word) → written.append(word)
            return written""",
    },
)
def greedy_decoding(next_probabilities, sos, eos, longest):
    written = [sos]
    for _ in range(longest):
        word = int(next_probabilities(written).argmax())
        written.append(word)
        if word == eos:
            break
    return written


def looked_up(probabilities):
    """A made-up model: what is written → the probabilities of next words; else the sentence ends."""

    def next_probabilities(written):
        row = probabilities.get(tuple(int(word) for word in written), [0, 0, 1, 0, 0, 0])
        row = torch.tensor(row) + 0.01
        return row / row.sum()

    return next_probabilities


# The likeliest sentence begins with token 3, and continues with the second-best token after it.
SECOND = {(1,): [0, 0, 0, 0.6, 0.4, 0], (1, 4): [0, 0, 0, 0.55, 0.45, 0]}
SECOND |= {(1, 3): [0, 0, 0, 0, 0.5, 0.45], (1, 3, 4): [0, 0, 0.3, 0.3, 0.2, 0.2]}


@notebook.ask(
    _(
        "beam_search(next_probabilities, width, sos, eos, longest): ids of the likeliest sentence found."
    ),
    returns="ids written",
    wanted="int",
    cases=[
        Case(_("a width of 3"), writer(5, 3), 3, 1, 2, 5),
        Case(_("a second best word that leads further"), looked_up(SECOND), 2, 1, 2, 4),
        Case(_("a sentence that ends early"), writer(5, 9), 2, 1, 2, 5),
        Case(_("a sentence that does not end in time"), writer(5, 51), 2, 1, 2, 5),
        Case(_("no end among the likeliest"), writer(5, 23), 3, 1, 2, 5),
        Case(_("an ended sentence that is kept"), writer(5, 63), 2, 1, 2, 5),
        Case(_("other numbers for start and end"), writer(6, 7), 3, 4, 3, 4),
    ],
    reread="Further: More than one beginning · 11 min",
    mistakes={
        "probabilities_added": "score + math.log(probability) → score + probability",
        "greedy_again": "[:width] → [:1]",
        "ended_goes_on": "if words[-1] == eos: → if len(words) > longest:",
        "ended_lost": "grown.append((words, score)) → pass",
        "ended_alone": """kept = [([sos] → done, kept = [], [([sos]
            grown.append((words + → (done if word == eos else grown).append((words +
            return kept[0][0] → return max(done, key=lambda one: one[1])[0]
            or kept[0][0] → next((words for words, _ in kept if words[-1] == eos), kept[0][0])""",
        "last_word_counts": "score + math.log(probability) → math.log(probability)",
        "one_list": "words + [word] → words.append(word) or words",
        "worst_kept": ", reverse=True →",
        "one_word_too_many": "range(longest) → range(longest + 1)",
        "one_word_too_few": "range(longest) → range(longest - 1)",
        "ended_set_aside": """kept = [([sos] → done, kept = [], [([sos]
            reverse=True)[:width] → reverse=True)[:width]
            done += [one for one in kept if one[0][-1] == eos]
            kept = [one for one in kept if one[0][-1] != eos]
            return kept[0][0] → return max(done + kept, key=lambda one: one[1])[0]
            or kept = [([sos] → done, kept = [], [([sos]
            grown.append((words + → (done if word == eos else grown).append((words +
            return kept[0][0] → return max(done + kept, key=lambda one: one[1])[0]""",
    },
)
def beam_search(next_probabilities, width, sos, eos, longest):
    kept = [([sos], 0.0)]
    for _ in range(longest):
        grown = []
        for words, score in kept:
            if words[-1] == eos:
                grown.append((words, score))
                continue
            for word, probability in enumerate(next_probabilities(words).tolist()):
                grown.append((words + [word], score + math.log(probability)))
        kept = sorted(grown, key=lambda one: one[1], reverse=True)[:width]
    return kept[0][0]
