"""The exercises and predictions of notebook 10: a Transformer that translates."""

import math

import torch

from .. import _
from ..judge.exercise import Case, wave
from .mistakes import Mistake, swap
from .notebook import Notebook

notebook = Notebook(__name__)


def ids(*rows):
    return torch.tensor(rows)


notebook.predict(
    "questions in a sentence",
    _("The target is: I like red nachos. For how many next words is the decoder asked?"),
    form=_("a whole number"),
    answer=5,
    why=_("Four words, and then the end."),
    hint=_("What must come after nachos, so that the writing ends?"),
    wrong=[
        (4, _("So it would never be asked for the end, and never learn to stop.")),
        (6, _("Is it asked for the start? That one is always given.")),
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
        "not_shifted": Mistake("return asked").called("""
            not shifted
            What is given and what is asked are the same: the model learns to copy.
            Where the first word is asked for, may the first word be given already?"""),
        "start_written_over": Mistake(swap("asked[:, :-1]", "asked[:, 1:]")).called("""
            the first word lost under the start
            The start stands in front, and all else where it was: the words are not shifted.
            Before the second word is asked for, which word must the decoder have been given?"""),
        "start_written_in": Mistake(
            "start = torch.ones_like(asked[:, :1])", "start = torch.zeros_like(asked[:, :1])"
        ).called("""
            the number of the start written in
            Right where the start has that number.
            The number of the start comes as an argument. Where do you use it?"""),
        "last_not_dropped": Mistake(swap("asked[:, :-1]", "asked")).called("""
            the last column kept
            One column too many: there are more positions given than asked for.
            How many words are asked for, how many do you give, and which of them is never needed?"""),
        "end_to_the_front": Mistake("return asked.roll(1, dims=1)").called("""
            the last column comes round to the front
            Each sentence begins with its end, or with padding.
            roll brings back in front what falls out behind. What must stand in front?"""),
        "shifted_left": Mistake("return torch.cat([asked[:, 1:], start], dim=1)").called("""
            shifted to the left
            The decoder is given the word after the one that is asked for.
            It may know what is written so far, and no more. To which side must the words move?"""),
        "not_whole_numbers": Mistake("start = sos * torch.ones(len(asked), 1)").called("""
            no whole numbers, where ids are wanted
            The right numbers, but an embedding cannot look them up.
            Ids are integers, neither floats nor True and False. Which part of yours is of another type?"""),
    },
)
def shift_right(asked, sos):
    start = torch.full_like(asked[:, :1], sos)
    return torch.cat([start, asked[:, :-1]], dim=1)


@notebook.ask(
    _("loss_without_padding(scores, asked, pad): the mean of -ln(probability) over all but padding."),
    returns="loss",
    trains=True,
    cases=[
        Case(_("3 sentences"), 3 * wave(3, 4, 6), ids([3, 5, 4, 2], [4, 2, 0, 0], [5, 3, 2, 0]), 0),
        Case(_("another pad"), wave(2, 4, 5, seed=2), ids([0, 4, 1, 3], [2, 1, 3, 3]), 3),
        Case(_("large scores"), 300 * wave(2, 3, 5, seed=3), ids([3, 2, 0], [4, 3, 2]), 0),
    ],
    reread="What the loss counts",
    mistakes={
        "padding_in_the_loss": Mistake("return losses.mean()").called("""
            padding in the loss
            Right where no sentence has padding; else the padding is counted like words.
            Is there anything to learn from what comes after the end? How is it left out of a mean?"""),
        "divided_by_all": Mistake("return (losses * words).mean()").called("""
            divided by all positions, padding too
            The sum is right, and the mean is too small: the more padding, the smaller.
            By how many is the sum divided: by all positions, or by those that count?"""),
        "summed": Mistake("return losses[words].sum()").called("""
            a sum, where a mean is wanted
            The loss grows with the number of words in the batch.
            Would a batch twice as large be twice as bad?"""),
        "sign_lost": Mistake("losses = log_probabilities.gather(-1, asked[..., None])[..., 0]").called("""
            the minus left out
            The loss is below 0, and falls as the model gets worse.
            The logarithm of a probability is never above 0. What makes a loss of it?"""),
        "softmax_before_loss": Mistake(
            "log_probabilities = scores.softmax(-1).log_softmax(-1)"
        ).called("""
            softmax before the loss takes its own
            The loss hardly falls: it lies between log(words) - 1 and log(words + 2).
            log_softmax and cross_entropy do a softmax of their own. What do they get from you?"""),
        "probabilities_for_logs": Mistake(
            swap("scores.log_softmax", "scores.softmax"),
            "losses = 1 - log_probabilities.exp().gather(-1, asked[..., None])[..., 0]",
        ).called("""
            probabilities, and no logarithm
            The loss stays between −1 and 1: a probability of next to nothing costs hardly more than a small one.
            A probability of 0.001 in place of 0.01 is ten times as bad. Which function makes that count?"""),
        "scores_left_raw": Mistake(
            "log_probabilities = scores", "log_probabilities = scores.log()"
        ).called("""
            scores, and no softmax
            The loss can be below 0, or nan: scores are no probabilities.
            Scores may be any numbers. What makes probabilities of them, which sum to 1?"""),
        "padding_alone": Mistake("words = asked == pad").called("""
            the padding counted, and the words left out
            nan where no sentence has padding; elsewhere the mean over the padding alone.
            Is your mask True where a position counts, or where it does not?"""),
        "log_after_softmax": Mistake("log_probabilities = scores.softmax(dim=-1).log()").called("""
            softmax first, its logarithm in a second step
            Right for small scores; for large ones a probability is rounded to 0, and the loss is inf.
            Which function takes the logarithm of the softmax in one step?"""),
        "zero_is_padding": Mistake("words = asked != 0").called("""
            0 taken for padding, whatever it is
            Right where the padding has the number 0.
            The number of the padding comes as an argument. Where do you use it?"""),
    },
)
def loss_without_padding(scores, asked, pad):
    log_probabilities = scores.log_softmax(dim=-1)
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
    _("greedy_decoding(next_probabilities, sos, eos, longest): the ids written, sos and eos among them."),
    returns="ids written",
    wanted="int",
    cases=[
        Case(_("a sentence of three words"), writer(5, 3), 1, 2, 6),
        Case(_("a sentence that does not end in time"), writer(5, 25), 1, 2, 6),
        Case(_("other numbers for start and end"), writer(6, 4), 4, 3, 7),
    ],
    reread="Watch it write",
    mistakes={
        "last_word_alone": Mistake("word = int(next_probabilities(written[-1:]).argmax())").called("""
            the last word alone is passed on
            The second new word and those after may be wrong: the model is not told what came before.
            What must the model know to go on writing: the last word, or all that is written?"""),
        "runs_past_the_end": Mistake("if word == eos and len(written) > longest:").called("""
            it writes on past the end
            Sentences always have the greatest length.
            What should happen once the end has been written?"""),
        "end_not_written": Mistake("return [word for word in written if word != eos]").called("""
            the end is left out
            Everything is right, but the end is missing from what comes back.
            Which comes first: to write the word down, or to stop?"""),
        "start_left_out": Mistake("return written[1:]").called("""
            the start is left out
            All is there but the start; or there was nothing to begin with.
            What has the model been given before its first word, and is it in what you return?"""),
        "probability_for_word": Mistake(
            "word = next_probabilities(written).max().item()", "word = int(next_probabilities(written).max())"
        ).called("""
            the highest probability taken for the word
            What is written are probabilities, or their whole part, which is 0; and no ids.
            Do you want to know how likely the likeliest word is, or which one it is?"""),
        "no_limit": Mistake(swap("range(longest)", "range(1000)")).called("""
            no limit to the words written
            Where the end never comes, it writes for ever. Here the model refuses after a dozen words.
            What if the model never writes the end? What is longest for?"""),
        "one_word_too_few": Mistake(swap("range(longest)", "range(longest - 1)")).called("""
            one word less than allowed
            A long sentence is cut a word too early.
            How many words may be written after the start?"""),
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


# The likeliest sentence begins with 3, and goes on with the second best word after it.
SECOND = {(1,): [0, 0, 0, 0.6, 0.4, 0], (1, 4): [0, 0, 0, 0.55, 0.45, 0]}
SECOND |= {(1, 3): [0, 0, 0, 0, 0.5, 0.45], (1, 3, 4): [0, 0, 0.3, 0.3, 0.2, 0.2]}


@notebook.ask(
    _("beam_search(next_probabilities, width, sos, eos, longest): ids of the likeliest sentence found."),
    returns="ids written",
    wanted="int",
    cases=[
        Case(_("a width of 3"), writer(5, 3), 3, 1, 2, 5),
        Case(_("a second best word that leads further"), looked_up(SECOND), 2, 1, 2, 4),
        Case(_("a sentence that ends early"), writer(5, 9), 2, 1, 2, 5),
        Case(_("a sentence that does not end in time"), writer(5, 23), 3, 1, 2, 5),
        Case(_("other numbers for start and end"), writer(6, 7), 3, 4, 3, 4),
    ],
    reread="More than one beginning",
    mistakes={
        "probabilities_added": Mistake(swap("score + math.log(probability)", "score + probability")).called("""
            probabilities added up
            Long sentences seem likelier than short ones.
            Two coins both show heads: are the probabilities added, or multiplied? And the logarithms?"""),
        "greedy_again": Mistake(swap("[:width]", "[:1]")).called("""
            only one beginning is kept
            The same comes out as with a width of 1.
            How many beginnings may live on to the next word?"""),
        "ended_goes_on": Mistake("if len(words) > longest:").called("""
            sentences that have ended go on
            Words stand behind the end.
            What may still follow, once a sentence has its end?"""),
        "ended_lost": Mistake(swap("grown.append((words, score))", "pass")).called("""
            sentences that have ended are thrown away
            What ends early is never found: something longer takes its place.
            A sentence has its end, and the others go on. Where is it kept until all are compared?"""),
        "ended_alone": Mistake(
            (
                swap("kept = [([sos]", "done, kept = [], [([sos]"),
                swap("grown.append((words +", "(done if word == eos else grown).append((words +"),
                "return max(done, key=lambda one: one[1])[0]",
            ),
            "return next((words for words, _ in kept if words[-1] == eos), kept[0][0])",
        ).called("""
            only sentences that have ended are compared
            Right, unless the likeliest one is cut before its end; or an error, where none has one.
            Longest is reached, and the likeliest sentence has no end yet. Is it among those you compare?"""),
        "last_word_counts": Mistake(swap("score + math.log(probability)", "math.log(probability)")).called("""
            only the probability of the last word counts
            A likely last word makes up for all the unlikely ones before it.
            How likely is the whole sentence? What has become of the score that came with it?"""),
        "one_list": Mistake(swap("words + [word]", "words.append(word) or words")).called("""
            one list shared by all beginnings
            Every beginning holds the words of all others, too.
            append changes a list that others may hold. What makes a new one?"""),
        "worst_kept": Mistake(swap(", reverse=True", "")).called("""
            the least likely beginnings are kept
            What comes out is far less likely than what greedy decoding writes.
            sorted puts small numbers first. Which end of the list do you keep?"""),
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
