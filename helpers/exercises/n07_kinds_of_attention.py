"""The exercises and predictions of notebook 7: two sequences, hard and additive attention, Keras."""

import torch
from torch.nn import functional as F

from ..judge.exercise import wave
from ..judge.functions import Case
from ..models.attention import scaled_dot_product_attention  # noqa: F401  for an edit below
from .edits import swap
from .notebook import Notebook

notebook = Notebook(__name__)


def two_sequences(tokens, others, d_x, d_other, d_k, d_v, seed=0.0):
    """x, other, W_query, W_key, W_value of a cross-attention."""
    sizes = [(tokens, d_x), (others, d_other), (d_x, d_k), (d_other, d_k), (d_other, d_v)]
    return [wave(*size, seed=seed + i) for i, size in enumerate(sizes)]


@notebook.function(
    "attend_to_other(x, other, W_query, W_key, W_value): x asks, other answers.",
    returns=("context", "weights"),
    trains=True,
    cases=[
        Case("3 tokens ask 5", *two_sequences(3, 5, 4, 6, 2, 7)),
        Case("5 tokens ask 3, all of one size", *two_sequences(5, 3, 4, 4, 4, 4, seed=10)),
        Case("as many as are asked", *two_sequences(4, 4, 3, 3, 3, 3, seed=20)),
        Case("one token asks", *two_sequences(1, 4, 3, 2, 5, 2, seed=30)),
        Case("one token is asked", *two_sequences(3, 1, 2, 3, 4, 2, seed=40)),
        Case("float64", *(x.double() for x in two_sequences(2, 3, 3, 4, 2, 5, seed=50))),
    ],
    mistakes={
        "other_asks": "queries, keys, values = other @ W_query, x @ W_key, x @ W_value",
        "keys_of_x": swap("other @ W_key", "x @ W_key"),
        "values_of_x": swap("other @ W_value", "x @ W_value"),
        "self_for_cross": "queries, keys, values = x @ W_query, x @ W_key, x @ W_value",
        "queries_of_other": swap("x @ W_query", "other @ W_query"),
        "matrices_swapped": "queries, keys, values = x @ W_key, other @ W_query, other @ W_value",
        "keys_ask": swap("queries @ keys.T", "keys @ queries.T"),
        "by_another_size": [
            swap("keys.shape[-1]", "other.shape[-1]"),
            swap("keys.shape[-1]", "x.shape[-1]"),
            swap("keys.shape[-1]", "values.shape[-1]"),
        ],
        "times_root": swap("** 0.5", "** -0.5"),
        "power_first": [
            swap("keys.shape[-1] ** 0.5", "keys.shape[-1] ** 1 / 2"),
            swap("keys.shape[-1] ** 0.5", "(keys.shape[-1] ** 1 / 2)"),
        ],
        "scaled_after": "weights = (queries @ keys.T).softmax(dim=-1) / keys.shape[-1] ** 0.5",
        "no_scale": swap(" / keys.shape[-1] ** 0.5", ""),
        "by_d_k": swap("** 0.5", ""),
        "by_tokens": [swap("keys.shape[-1]", "len(keys)"), swap("keys.shape[-1]", "len(x)")],
        "over_queries": swap("dim=-1", "dim=0"),
        "scores_returned": swap(".softmax(dim=-1)", ""),
        "results_swapped": "return weights, weights @ values",
        "weights_transposed": "return weights.T @ values, weights",
        "w_transposed": "queries, keys, values = x @ W_query.T, other @ W_key.T, other @ W_value.T",
        "lost_gradient": "return (weights @ values).detach(), weights.detach()",
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


@notebook.function(
    "hard_attention(scores, values): a single 1 in each row of the weights, and the context.",
    returns=("weights", "context"),
    cases=[
        Case("3 queries and 4 keys", wave(3, 4), wave(4, 2, seed=1)),
        Case("as many queries as keys", wave(3, 3, seed=2), wave(3, 3, seed=3)),
        Case("one query", wave(1, 5, seed=4), wave(5, 3, seed=5)),
        Case("scores below 0", wave(4, 3, seed=6) - 5, wave(3, 2, seed=7)),
        Case("two scores that tie", torch.tensor([[0.5, 2, 2], [1, 0, 1]]), wave(3, 2, seed=8)),
        Case("float64", wave(2, 3, seed=9).double(), wave(3, 4, seed=10).double()),
    ],
    also=[hard_by_comparing],
    mistakes={
        "chosen_by_keys": [
            "weights = F.one_hot(scores.argmax(dim=0), len(scores)).T.to(values.dtype)",
            swap("dim=-1", "dim=0"),
        ],
        "rows_too_short": [
            swap("F.one_hot(best, scores.shape[-1])", "F.one_hot(best)"),
            swap("F.one_hot(best, scores.shape[-1])", "F.one_hot(best, 3)"),
            swap("F.one_hot(best, scores.shape[-1])", "F.one_hot(best, len(scores))"),
        ],
        "whole_numbers_kept": swap(".to(values.dtype)", ""),
        "places_for_weights": ["return best, weights @ values", "return best, values[best]"],
        "soft_not_hard": "weights = scores.softmax(dim=-1)",
        "ties_kept": "weights = (scores == scores.amax(dim=-1, keepdim=True)).to(values.dtype)",
        "lowest_chosen": swap("argmax", "argmin"),
        "one_choice_for_all": [
            "best = scores.argmax() % scores.shape[-1] + 0 * scores.argmax(dim=-1)",
            swap("dim=-1", ""),
        ],
        "score_for_one": [
            "weights = scores * F.one_hot(best, scores.shape[-1])",
            "weights = scores.where(scores == scores.amax(dim=-1, keepdim=True), 0.0)",
        ],
        "results_swapped": "return weights @ values, weights",
        "weights_transposed": "return weights, weights.T @ values",
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


@notebook.function(
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
        Case("float64", *(x.double() for x in vectors(3, 2, 4, 3, 2, seed=60))),
    ],
    mistakes={
        "no_tanh": swap("together.tanh()", "together"),
        "v_left_out": ["return together.tanh().sum(dim=-1)", "return together.tanh().mean(dim=-1)"],
        "tanh_last": "return (together @ v).tanh()",
        "tanh_too_early": (
            "together = asking.tanh()[:, None] + found.tanh()",
            "return together @ v",
        ),
        "v_in_front": swap("together.tanh() @ v", "v @ together.tanh()"),
        "sum_scaled": swap("together.tanh() @ v", "together.tanh() @ v / len(v) ** 0.5"),
        "products_for_sums": swap("asking[:, None] + found", "asking[:, None] * found"),
        "not_every_pair": [swap("asking[:, None]", "asking")],
        "scores_turned": swap("asking[:, None] + found", "asking + found[:, None]"),
        "projections_swapped": "asking, found = queries @ W_key, keys @ W_query",
        "one_projection": [
            "asking, found = queries @ W_query, keys @ W_query",
            "asking, found = queries @ W_key, keys @ W_key",
        ],
        "weights_too_soon": swap("together.tanh() @ v", "(together.tanh() @ v).softmax(dim=-1)"),
        "lost_gradient": swap("together.tanh()", "together.tanh().detach()"),
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


@notebook.function(
    "keras_call(layer, query, key, value, hidden): (context, weights) from a keras.layers.Attention.",
    returns=("context", "weights"),
    trains=True,
    cases=keras_cases,
    to_be_called={"layer_unused": "layer"},
    by_numpy=False,
    mistakes={
        "layer_unused": "return scaled_dot_product_attention(query, key, value, hidden[:, None])",
        "key_before_value": [
            IN_OUR_ORDER,
            (IN_OUR_ORDER, NO_ROOT),
            (IN_OUR_ORDER, INVERTED),
            (IN_OUR_ORDER, INVERTED, NO_ROOT),
        ],
        "no_scale": [NO_ROOT, (NO_ROOT, INVERTED)],
        "by_d_k": swap("** 0.5", ""),
        "value_scaled": "inputs = [query, value / query.shape[-1] ** 0.5, key]",
        "hidden_as_visible": INVERTED,
        "mask_for_queries": [QUERIES_MASKED, swap("[None, ~hidden]", "[~hidden, ~hidden]")],
        "keras_mask_left_out": [
            swap(", mask=[None, ~hidden]", ""),
            (swap(", mask=[None, ~hidden]", ""), NO_ROOT),
            swap("[None, ~hidden]", "[None, None, ~hidden]"),
        ],
        "no_key": [swap(", key]", "]"), (swap(", key]", "]"), NO_ROOT)],
        "no_weights_asked": [
            swap(", return_attention_scores=True", ""),
            (swap(", return_attention_scores=True", ""), NO_ROOT),
        ],
    },
)
def keras_call(layer, query, key, value, hidden):
    inputs = [query / query.shape[-1] ** 0.5, value, key]
    return layer(inputs, mask=[None, ~hidden], return_attention_scores=True)
