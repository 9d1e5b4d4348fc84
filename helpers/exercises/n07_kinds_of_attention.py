"""The exercises and predictions of notebook 7: two sequences, hard and additive attention, Keras."""

from unittest.mock import patch

import torch
from torch.nn import functional as F

from .. import _
from ..judge.comparing import read
from ..judge.exercise import Case, Remark, wave
from ..models.attention import scaled_dot_product_attention  # noqa: F401  for an edit below
from .mistakes import Mistake, swap
from .notebook import Notebook

notebook = Notebook(__name__)


def two_sequences(tokens, others, d_x, d_other, d_k, d_v, seed=0.0):
    """x, other, W_query, W_key, W_value of a cross-attention."""
    sizes = [(tokens, d_x), (others, d_other), (d_x, d_k), (d_other, d_k), (d_other, d_v)]
    return [wave(*size, seed=seed + i) for i, size in enumerate(sizes)]


@notebook.ask(
    "attend_to_other(x, other, W_query, W_key, W_value): x asks, other answers.",
    returns=("context", "weights"),
    trains=True,
    cases=[
        Case("3 tokens ask 5", *two_sequences(3, 5, 4, 6, 2, 7)),
        Case("5 tokens ask 3, all of one size", *two_sequences(5, 3, 4, 4, 4, 4, seed=10)),
        Case("as many as are asked", *two_sequences(4, 4, 3, 3, 3, 3, seed=20)),
        Case("one token asks", *two_sequences(1, 4, 3, 2, 5, 2, seed=30)),
        Case("one token is asked", *two_sequences(3, 1, 2, 3, 4, 2, seed=40)),
        Case("large numbers", *[9 * part for part in two_sequences(3, 4, 4, 3, 5, 2, seed=50)]),
    ],
    reread="Two sequences",
    mistakes={
        "other_asks": Mistake(
            "queries, keys, values = other @ W_query, x @ W_key, x @ W_value"
        ).called("""
            the other sequence asks
            There are as many rows as the other sequence has tokens.
            One row of the result belongs to one token that asks. Whose tokens are they?"""),
        "values_of_x": Mistake(swap("other @ W_value", "x @ W_value")).called("""
            values from the sequence that asks
            An error, unless both are of one size and length: then the weights are right, and the context is \
            mixed from the wrong words.
            Who was looked at, and who must hand over its values then?"""),
        "self_for_cross": Mistake(
            "queries, keys, values = x @ W_query, x @ W_key, x @ W_value"
        ).called("""
            self-attention in place of cross-attention
            The other sequence is never used: x talks to itself.
            Which of queries, keys and values come from the other sequence?"""),
        "matrices_swapped": Mistake(
            "queries, keys, values = x @ W_key, other @ W_query, other @ W_value"
        ).called("""
            W_query and W_key each in the other's place
            An error, unless both sequences have as many numbers a token: then wrong numbers, in silence.
            Which of the two matrices is for those that ask? Compare its first size with that of x."""),
        "keys_ask": Mistake(swap("queries @ keys.T", "keys @ queries.T")).called("""
            queries and keys the wrong way round
            The scores are the right ones, mirrored along the diagonal.
            Row i belongs to the token that asks. Is it the query or the key that asks?"""),
        "no_scale": swap(" / keys.shape[-1] ** 0.5", ""),
        "no_maximum": "e = (queries @ keys.T / keys.shape[-1] ** 0.5).exp()\n"
        "weights = e / e.sum(dim=-1, keepdim=True)",
        "by_tokens": swap("keys.shape[-1]", "len(keys)"),
        "over_queries": swap("dim=-1", "dim=0"),
        "results_swapped": "return weights, weights @ values",
    },
)
def attend_to_other(x, other, W_query, W_key, W_value):
    queries, keys, values = x @ W_query, other @ W_key, other @ W_value
    weights = (queries @ keys.T / keys.shape[-1] ** 0.5).softmax(dim=-1)
    return weights @ values, weights


# ---------------------------------------------------------------- a hard choice


def hard_by_comparing(scores, values):
    keys = torch.arange(scores.shape[-1])
    best = scores.argmax(dim=-1)
    weights = (keys == best[:, None]).to(values.dtype)
    return weights, weights @ values


@notebook.ask(
    "hard_attention(scores, values): a single 1 in each row of the weights, and the context.",
    returns=("weights", "context"),
    wanted="any",  # F.one_hot gives whole numbers, and they are as good
    cases=[
        Case("3 queries and 4 keys", wave(3, 4), wave(4, 2, seed=1)),
        Case("as many queries as keys", wave(3, 3, seed=2), wave(3, 3, seed=3)),
        Case("one query", wave(1, 5, seed=4), wave(5, 3, seed=5)),
        Case("scores below 0", wave(4, 3, seed=6) - 5, wave(3, 2, seed=7)),
        Case("two scores that tie", torch.tensor([[0.5, 2, 2], [1, 0, 1]]), wave(3, 2, seed=8)),
    ],
    also=[hard_by_comparing],
    reread="One row, one choice",
    mistakes={
        "chosen_by_keys": Mistake(
            "weights = F.one_hot(scores.argmax(dim=0), len(scores)).T.to(values.dtype)",
            swap("dim=-1", "dim=0"),
        ).called("""
            the choice made for each key, not for each query
            Each column of the weights has a single 1; a row may have several, or none.
            A row belongs to the query that chooses. Along which axis do the scores lie among which it \
            chooses?"""),
        "rows_too_short": Mistake(
            swap("F.one_hot(best, scores.shape[-1])", "F.one_hot(best)")
        ).called("""
            rows of another length than there are keys
            An error, or a matrix that has not one column for each key.
            F.one_hot makes a row as long as you say, and if you say nothing, as long as the largest place asks \
            for. How long must a row of the weights be?"""),
        "whole_numbers_kept": Mistake(swap(".to(values.dtype)", "")).called("""
            whole numbers multiplied with the values
            An error: a product wants both sides to be of one type, and F.one_hot makes whole numbers.
            What did the cell that first showed F.one_hot do with its result?"""),
        "places_for_weights": Mistake("return best, weights @ values").called("""
            places where weights are asked
            The weights are whole numbers, one for each query: they say where, not how much.
            argmax gives the place of the highest score. The weights are a matrix, with a 1 at that place of \
            each row: which function makes it?"""),
        "soft_not_hard": Mistake("weights = scores.softmax(dim=-1)").called("""
            a soft choice, where a hard one is asked
            Every word gets some weight, and no weight is exactly 1.
            A hard choice knows 0 and 1 alone. What is left of the softmax when the temperature goes to 0?"""),
        "ties_kept": Mistake(
            "weights = (scores == scores.amax(dim=-1, keepdim=True)).to(values.dtype)"
        ).called("""
            several words chosen where scores tie
            Right, unless two scores are both the highest: then the row has two ones.
            A query chooses one word. If two scores are the highest, which of them do you take, and how do you \
            get a single place?"""),
        "results_swapped": "return weights @ values, weights",
    },
)
def hard_attention(scores, values):
    best = scores.argmax(dim=-1)
    weights = F.one_hot(best, scores.shape[-1]).to(values.dtype)
    return weights, weights @ values


# ---------------------------------------------------------------- additive scores

ADDED = "together = asking[:, None] + found"


def vectors(queries, keys, d_q, d_k, hidden, seed=0.0):
    """queries, keys, W_query, W_key, v of an additive score."""
    sizes = [(queries, d_q), (keys, d_k), (d_q, hidden), (d_k, hidden), (hidden,)]
    return [wave(*size, seed=seed + i) for i, size in enumerate(sizes)]


@notebook.ask(
    "additive_scores(queries, keys, W_query, W_key, v): v · tanh(W_q q + W_k k) of every pair.",
    returns="scores",
    trains=True,
    cases=[
        Case("2 queries and 4 keys", *vectors(2, 4, 3, 5, 6)),
        Case("as many queries as keys", *vectors(3, 3, 4, 4, 2, seed=10)),
        Case("all sizes equal", *vectors(3, 3, 3, 3, 3, seed=20)),
        Case("one query", *vectors(1, 5, 2, 3, 4, seed=30)),
        Case("one key", *vectors(4, 1, 2, 2, 3, seed=40)),
        Case("large numbers", *(3 * x for x in vectors(2, 3, 4, 4, 5, seed=50))),
    ],
    reread="Which state do I need?",
    mistakes={
        "no_tanh": Mistake(swap("together.tanh()", "together")).called("""
            no tanh
            The scores are a sum of two parts: one for the query, one for the key. After the softmax, all \
            queries look alike.
            What stands between the sum and v in the formula?"""),
        "v_left_out": Mistake("return together.tanh().sum(dim=-1)").called("""
            v left out
            All numbers behind the tanh count the same, whatever v says.
            One number must come out for each pair. By what is each of the numbers behind the tanh multiplied \
            before they are added up?"""),
        "tanh_last": Mistake("return (together @ v).tanh()").called("""
            tanh after v, not before
            No score is above 1 or below −1.
            In which order does the formula have them: the sum, tanh, v?"""),
        "v_in_front": Mistake(swap("together.tanh() @ v", "v @ together.tanh()")).called("""
            v in front of the product
            An error, or sums along the wrong axis.
            In A @ b, the numbers of b meet the last axis of A. Which axis of (n, m, h) is to disappear, and on \
            which side must v stand?"""),
        "products_for_sums": Mistake(
            swap("asking[:, None] + found", "asking[:, None] * found")
        ).called("""
            products where the score adds
            The right shape, and a number close to 0 on either side makes the whole pair small.
            It is called additive. What is done with the two vectors before the tanh?"""),
        "not_every_pair": Mistake(swap("asking[:, None]", "asking")).called("""
            not every query meets every key
            An error, unless there are as many queries as keys, or one of them: then one number comes back for \
            each.
            Query 1 is added to key 1, query 2 to key 2, and no more. asking[:, None] gives an axis of its own \
            to the keys: what shape does that have?"""),
        "scores_turned": Mistake(
            swap("asking[:, None] + found", "asking + found[:, None]")
        ).called("""
            queries and keys in each other's axis
            The scores are the right ones, with rows and columns swapped.
            One row belongs to one query. Which of the two gets the new axis, and where?"""),
        "weights_too_soon": Mistake(
            swap("together.tanh() @ v", "(together.tanh() @ v).softmax(dim=-1)")
        ).called("""
            weights returned, where scores are asked
            All numbers lie between 0 and 1, and every row sums to 1.
            The scores come before the softmax. Which step have you taken too early?"""),
    },
)
def additive_scores(queries, keys, W_query, W_key, v):
    asking, found = queries @ W_query, keys @ W_key
    together = asking[:, None] + found
    return together.tanh() @ v


# ---------------------------------------------------------------- the layers of Keras

notebook.predict(
    "kernel of the queries",
    "MultiHeadAttention(5, key_dim=64) is called on tokens of 16 numbers. What shape has the matrix"
    " of its queries?",
    form="three numbers, such as (1, 2, 3)",
    answer=(16, 5, 64),
    why="16 numbers go in; each of 5 heads gets 64: key_dim is the size of one head.",
    hint="(numbers of a token, heads, numbers of one head). Whose size is key_dim?",
    wrong=[
        (
            (16, 64),
            "So it would be in PyTorch, for 64 in total. Keras keeps an axis for the heads.",
        ),
        ((16, 320), "320 numbers they are in all. Keras keeps an axis for the heads."),
        ((5, 16, 64), "The right three numbers. What goes in comes first."),
    ],
)


def keras_cases():
    """A Keras layer that was called before, and what to call it with; True in `hidden` = hidden."""
    from ..models.keras_on_torch import keras

    def case(says, batch, queries, keys, d, d_v, seed, hide):
        query, key = wave(batch, queries, d, seed=seed), wave(batch, keys, d, seed=seed + 1)
        value = wave(batch, keys, d_v, seed=seed + 2)
        hidden = torch.zeros(batch, keys, dtype=torch.bool)
        for row, place in hide:
            hidden[row, place] = True
        layer = keras.layers.Attention()
        layer([query, value, key])
        return Case(says, layer, query, key, value, hidden)

    return [
        case("2 sentences, padded", 2, 3, 5, 4, 6, 0, [(0, 4), (1, 2), (1, 3), (1, 4)]),
        case("all sizes equal", 3, 3, 3, 3, 3, 10, [(0, 2), (2, 0)]),
        case("nothing hidden", 2, 4, 3, 5, 5, 20, []),
        case("large numbers", 1, 2, 4, 9, 2, 30.5, [(0, 1)]),
    ]


NO_ROOT = swap(" / query.shape[-1] ** 0.5", "")
IN_OUR_ORDER = swap("value, key]", "key, value]")
INVERTED, QUERIES_MASKED = swap("~hidden", "hidden"), swap("[None, ~hidden]", "[~hidden, None]")


def by_keras(answer, layer, *arguments):
    """{"context", "weights"}; a remark where the layer was not called."""
    kind = type(layer)
    with patch.object(kind, "__call__", autospec=True, side_effect=kind.__call__) as call:
        came = read(answer(layer, *arguments), ("context", "weights"))
    if not any(made.args[0] is layer for made in call.call_args_list):
        came["layer_unused"] = Remark(_("The layer that it gets is not called."))
    return came


@notebook.ask(
    "keras_call(layer, query, key, value, hidden): (context, weights) from a keras.layers.Attention.",
    returns=("context", "weights"),
    trains=True,
    cases=keras_cases,
    how=by_keras,
    reread="The layers of Keras",
    mistakes={
        "layer_unused": Mistake(
            "return scaled_dot_product_attention(query, key, value, hidden[:, None])"
        ).called("""
            the layer not called
            The numbers are right, and come from elsewhere: here they are to come out of the layer of Keras that \
            you were given.
            You have the formula. What must the layer be handed, so that it computes the same?"""),
        "key_before_value": Mistake(IN_OUR_ORDER).called("""
            query, key, value handed to Keras
            An error, unless keys and values are of one size: then the keys are mixed by the fit of the values.
            In which order does a Keras layer take its three inputs?"""),
        "no_scale": [NO_ROOT, (NO_ROOT, INVERTED)],
        "value_scaled": Mistake("inputs = [query, value / query.shape[-1] ** 0.5, key]").called("""
            the values scaled, not the scores
            The weights are too sharp, and the context too short.
            Of the three inputs, which two make the scores?"""),
        "hidden_as_visible": Mistake(INVERTED).called("""
            True taken for hidden by Keras
            No error: the hidden words get all the weight, and the others none.
            In our masks, True means hidden. What does it mean in those of Keras, and what turns the one into \
            the other?"""),
        "keras_mask_left_out": Mistake(swap(", mask=[None, ~hidden]", "")).called("""
            the mask not where the layer looks for it
            Right where nothing is hidden; elsewhere the padding gets its share.
            The layer looks at two masks alone, that of the queries and that of the values. Is yours handed \
            over, and in whose place does it stand?"""),
        "no_weights_asked": Mistake(swap(", return_attention_scores=True", "")).called("""
            the weights not asked for
            The context comes back alone.
            Which argument of the call asks for the weights as well? Keras calls them attention scores, though \
            they are shares."""),
    },
)
def keras_call(layer, query, key, value, hidden):
    inputs = [query / query.shape[-1] ** 0.5, value, key]
    return layer(inputs, mask=[None, ~hidden], return_attention_scores=True)
