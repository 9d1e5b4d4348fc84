"""The exercises and predictions of notebook 7: two sequences, hard and additive attention, Keras."""

from unittest.mock import patch

import numpy as np
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
    _("attend_to_other(x, other, W_query, W_key, W_value): x asks, other answers."),
    returns=("context", "weights"),
    cases=[
        Case(_("3 tokens ask 5"), *two_sequences(3, 5, 4, 6, 2, 7)),
        Case(_("5 tokens ask 3, all of one size"), *two_sequences(5, 3, 4, 4, 4, 4, seed=10)),
        Case(_("large numbers"), *[9 * part for part in two_sequences(3, 4, 4, 3, 5, 2, seed=50)]),
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
            An error, unless both are alike in size and length: then right weights mix the wrong words.
            Who was looked at, and who must give its values then?"""),
        "self_for_cross": Mistake(
            "queries, keys, values = x @ W_query, x @ W_key, x @ W_value"
        ).called("""
            self-attention in place of cross-attention
            The other sequence is never used: x looks at itself.
            Which of queries, keys and values come from the other sequence?"""),
        "matrices_swapped": Mistake(
            "queries, keys, values = x @ W_key, other @ W_query, other @ W_value"
        ).called("""
            W_query and W_key each in the other's place
            An error, unless both sequences have as many numbers a token: then wrong numbers, in silence.
            Which of the two is for those that ask? Compare its first size with that of x."""),
        "keys_ask": Mistake(swap("queries @ keys.T", "keys @ queries.T")).called("""
            queries and keys the wrong way round
            The scores are the right ones, mirrored along the diagonal.
            Row i belongs to the token that asks. Is it the query or the key that asks?"""),
        "no_scale": swap(" / keys.shape[-1] ** 0.5", ""),
        "no_maximum": "weights = (queries @ keys.T / keys.shape[-1] ** 0.5).exp()\n"
        "weights = weights / weights.sum(dim=-1, keepdim=True)",
        "over_queries": swap("dim=-1", "dim=0"),
        "results_swapped": "return weights, weights @ values",
        "by_tokens": swap("keys.shape[-1]", "len(keys)"),
    },
)
def attend_to_other(x, other, W_query, W_key, W_value):
    queries, keys, values = x @ W_query, other @ W_key, other @ W_value
    weights = (queries @ keys.T / keys.shape[-1] ** 0.5).softmax(dim=-1)
    return weights @ values, weights


@notebook.ask(
    _("hard_attention(scores, values): a single 1 in each row of the weights, and the context."),
    returns=("weights", "context"),
    wanted="any",  # F.one_hot gives whole numbers, and they are as good
    cases=[
        Case(_("3 queries and 4 keys"), wave(3, 4), wave(4, 2, seed=1)),
        Case(_("scores below 0"), wave(4, 3, seed=6) - 5, wave(3, 2, seed=7)),
        Case(_("two scores that tie"), torch.tensor([[0.5, 2, 2], [1, 0, 1]]), wave(3, 2, seed=8)),
    ],
    reread="One row, one choice",
    mistakes={
        "chosen_by_keys": Mistake(
            "weights = F.one_hot(scores.argmax(dim=0), len(scores)).T.to(values.dtype)",
            swap("dim=-1", "dim=0"),
        ).called("""
            the choice made for each key, not for each query
            Each column of the weights has a single 1; a row may have several, or none.
            A row belongs to the query that chooses. Along which axis lie the keys?"""),
        "rows_too_short": Mistake(
            swap("best, scores.shape[-1]", "best"),
            swap("best, scores.shape[-1]", "best, 3"),
            swap("best, scores.shape[-1]", "best, len(scores)"),
            (swap("best, scores.shape[-1]", "best"), swap(".to(values.dtype)", "")),
        ).called("""
            rows of another length than there are keys
            An error, or a matrix that has not one column for each key.
            If you do not say how long, F.one_hot ends at the largest position. How long must a row be?"""),
        "whole_numbers_kept": Mistake(swap(".to(values.dtype)", "")).called("""
            whole numbers multiplied with the values
            An error: a product wants one type on both sides, and F.one_hot gives whole numbers.
            What did the cell that first showed F.one_hot do with its result?"""),
        "positions_for_weights": Mistake("return best, weights @ values").called("""
            positions where weights are asked
            The weights are whole numbers, one for each query: they say where, not how much.
            argmax says where the 1 belongs. Which function makes a row of 0 and 1 from a position?"""),
        "soft_not_hard": Mistake("weights = scores.softmax(dim=-1)").called("""
            a soft choice, where a hard one is asked
            Every word gets some weight, and no weight is exactly 1.
            A hard choice knows 0 and 1 alone. What does softmax come to at temperature 0?"""),
        "ties_kept": Mistake(
            "weights = (scores == scores.amax(dim=-1, keepdim=True)).to(values.dtype)"
        ).called("""
            several words chosen where scores tie
            Right, unless two scores are both the highest: then the row has two ones.
            A query chooses one word. Which of two equal scores do you take, and how?"""),
        "results_swapped": "return weights @ values, weights",
    },
)
def hard_attention(scores, values):
    best = scores.argmax(dim=-1)
    weights = F.one_hot(best, scores.shape[-1]).to(values.dtype)
    return weights, weights @ values


def vectors(queries, keys, d_q, d_k, hidden, seed=0.0):
    """queries, keys, W_query, W_key, v of an additive score."""
    sizes = [(queries, d_q), (keys, d_k), (d_q, hidden), (d_k, hidden), (hidden,)]
    return [wave(*size, seed=seed + i) for i, size in enumerate(sizes)]


@notebook.ask(
    _("additive_scores(queries, keys, W_query, W_key, v): v · tanh(W_q q + W_k k) of every pair."),
    returns="scores",
    cases=[
        Case(_("2 queries and 4 keys"), *vectors(2, 4, 3, 5, 6)),
        Case(_("as many queries as keys"), *vectors(3, 3, 4, 4, 2, seed=10)),
        Case(_("large numbers"), *(3 * x for x in vectors(2, 3, 4, 4, 5, seed=50))),
    ],
    reread="Which state do I need?",
    mistakes={
        "no_tanh": Mistake(swap("together.tanh()", "together")).called("""
            no tanh
            A score is one part from the query plus one from the key: after the softmax all queries look alike.
            What stands between the sum and v in the formula?"""),
        "v_left_out": Mistake("return together.tanh().sum(dim=-1)").called("""
            v left out
            All numbers after the tanh count the same, whatever v says.
            By what is each number after the tanh multiplied before they are added up?"""),
        "tanh_last": Mistake("return (together @ v).tanh()").called("""
            tanh after v, not before
            No score is above 1 or below −1.
            In which order does the formula have them: the sum, tanh, v?"""),
        "v_in_front": Mistake(swap("together.tanh() @ v", "v @ together.tanh()")).called("""
            v in front of the product
            An error, or sums along the wrong axis.
            Which axis of (n, m, h) is to disappear, and on which side must v stand for that?"""),
        "products_for_sums": Mistake(swap("None] + found", "None] * found")).called("""
            products where the score adds
            The right shape, and a number close to 0 on either side makes its part of the pair small.
            It is called additive. What is done with the two vectors before the tanh?"""),
        "not_every_pair": Mistake(swap("asking[:, None]", "asking")).called("""
            not every query meets every key
            An error, unless both are as many, or one is alone: then one number for each comes back.
            Query 1 meets key 1 and no other. How can each query get an axis of all keys?"""),
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


notebook.predict(
    "kernel of the queries",
    _("MultiHeadAttention(5, key_dim=64), tokens of 16 numbers: which shape has its query matrix?"),
    form=_("three numbers, such as (1, 2, 3)"),
    answer=(16, 5, 64),
    why=_("16 numbers go in; each of 5 heads gets 64: key_dim is the size of one head."),
    hint=_("(numbers of a token, heads, numbers of one head). Whose size is key_dim?"),
    wrong=[
        ((16, 64), _("So it is in PyTorch, for 64 in total. Keras keeps an axis for the heads.")),
        ((5, 16, 64), _("The right three numbers. What goes in comes first.")),
    ],
)


def keras_cases():
    """A Keras layer that was called before, and what to call it with; True in `hidden` = hidden."""
    from ..models.keras_on_torch import keras

    def case(says, batch, queries, keys, d, d_v, seed, hide):
        query, key = wave(batch, queries, d, seed=seed), wave(batch, keys, d, seed=seed + 1)
        value = wave(batch, keys, d_v, seed=seed + 2)
        hidden = torch.zeros(batch, keys, dtype=torch.bool)
        for row, position in hide:
            hidden[row, position] = True
        layer = keras.layers.Attention()
        layer([query, value, key])
        return Case(says, layer, query, key, value, hidden)

    return [
        case(_("2 sentences, padded"), 2, 3, 5, 4, 6, 0, [(0, 4), (1, 2), (1, 3), (1, 4)]),
        case(_("all sizes equal"), 3, 3, 3, 3, 3, 10, [(0, 2), (2, 0)]),
        case(_("nothing hidden"), 2, 4, 3, 5, 5, 20, []),
        case(_("large numbers"), 1, 2, 4, 9, 2, 30.5, [(0, 1)]),
    ]


def by_keras(answer, layer, *arguments):
    """{"context", "weights"}; a remark where they stay as they are, whatever the layer gives."""
    names, call = ("context", "weights"), type(layer).__call__

    def one_more(called, *given, **named):
        came = call(called, *given, **named)
        parts = came if isinstance(came, tuple) else (came,)
        more = tuple(part + (called is layer) for part in parts)
        return more if len(more) > 1 else more[0]

    came = read(answer(layer, *arguments), names)
    with patch.object(type(layer), "__call__", one_more):
        other = read(answer(layer, *arguments), names)
    if any(np.allclose(came[name], other[name]) for name in names):
        came["layer_unused"] = Remark(_("What comes back is not what the layer gives."))
    return came


BY_FORMULA = "return scaled_dot_product_attention(query, key, value, hidden[:, None])"
UNSCALED = swap(" / query.shape[-1] ** 0.5", "")


@notebook.ask(
    _("keras_call(layer, query, key, value, hidden): (context, weights) of Keras's Attention."),
    returns=("context", "weights"),
    cases=keras_cases,
    how=by_keras,
    reread="The layers of Keras",
    mistakes={
        "layer_unused": Mistake(
            BY_FORMULA,
            f"layer([query, value, key])\n{BY_FORMULA}",
        ).called("""
            the layer not used
            The numbers are right, and come from elsewhere than from the layer of Keras.
            You have the formula. What must the layer be given, so that it computes the same?"""),
        "key_before_value": Mistake(swap("value, key]", "key, value]")).called("""
            query, key, value handed to Keras
            An error, unless keys and values are alike in size: then keys are mixed by their fit to values.
            In which order does a Keras layer take its three inputs?"""),
        "no_scale": [UNSCALED, (UNSCALED, swap("~hidden", "hidden"))],
        "times_root": swap("query / query", "query * query"),
        "by_tokens": [swap("query.shape[-1]", "key.shape[1]"), swap("shape[-1]", "shape[1]")],
        "in_place": "layer.dropout = 0.1\ninputs = [query / query.shape[-1] ** 0.5, value, key]",
        "value_scaled": Mistake("inputs = [query, value / query.shape[-1] ** 0.5, key]").called("""
            the values scaled, not the scores
            The weights are too sharp, and the context too short.
            Of the three inputs, which two make the scores?"""),
        "hidden_as_visible": Mistake(swap("~hidden", "hidden")).called("""
            True taken for hidden by Keras
            No error: the hidden words get all the weight, and the others none.
            In our masks, True means hidden. What does it mean in those of Keras?"""),
        "keras_mask_left_out": Mistake(
            swap(", mask=[None, ~hidden]", ""), swap("None, ~hidden", "~hidden, None")
        ).called("""
            the mask not where the layer looks for it
            Right where nothing is hidden; elsewhere the padding gets its share.
            Keras takes two masks, of the queries and of the values. Is yours there, and in which position?"""),
        "no_weights_asked": Mistake(swap(", return_attention_scores=True", "")).called("""
            the weights not asked for
            The context comes back alone.
            Which argument asks for the weights as well? Keras calls them attention scores."""),
    },
)
def keras_call(layer, query, key, value, hidden):
    inputs = [query / query.shape[-1] ** 0.5, value, key]
    return layer(inputs, mask=[None, ~hidden], return_attention_scores=True)
