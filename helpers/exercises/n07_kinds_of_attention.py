"""The exercises and predictions of notebook 7: cross-, hard and additive attention, Keras."""

from unittest.mock import patch

import numpy as np
import torch
from torch.nn import functional as F

from .. import _
from ..judge.comparing import read
from ..judge.exercise import Case, Remark, wave
from ..models.attention import scaled_dot_product_attention  # noqa: F401  used in an edit
from .n02_trainable_qkv import SCALES
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
        "other_asks": "x @ W_query, other @ W_key, other → other @ W_query, x @ W_key, x",
        "values_of_x": "other @ W_value → x @ W_value",
        "self_for_cross": "other @ W_key, other → x @ W_key, x",
        "matrices_swapped": "W_query, other @ W_key → W_key, other @ W_query",
        "keys_ask": "queries @ keys.T → keys @ queries.T",
        **SCALES,
        "by_d_in": "keys.shape[-1] → x.shape[-1]",
        "no_maximum": """weights = (queries @ keys.T / keys.shape[-1] ** 0.5).softmax(dim=-1)
                → weights = (queries @ keys.T / keys.shape[-1] ** 0.5).exp()
            weights = weights / weights.sum(dim=-1, keepdim=True)""",
        "over_queries": "dim=-1 → dim=0",
        "scores_returned": ".softmax(dim=-1) →",
        "values_unused": "weights @ values → weights @ other",
    },
)
def attend_to_other(x, other, W_query, W_key, W_value):
    queries, keys, values = x @ W_query, other @ W_key, other @ W_value
    weights = (queries @ keys.T / keys.shape[-1] ** 0.5).softmax(dim=-1)
    return weights @ values, weights


@notebook.ask(
    _("hard_attention(scores, values): a single 1 in each row of the weights, and the context."),
    returns=("weights", "context"),
    wanted="any",  # F.one_hot returns whole numbers, which are fine
    cases=[
        Case(_("3 queries and 4 keys"), wave(3, 4), wave(4, 2, seed=1)),
        Case(_("scores below 0"), wave(4, 3, seed=6) - 5, wave(3, 2, seed=7)),
        Case(_("two scores that tie"), torch.tensor([[0.5, 2, 2], [1, 0, 1]]), wave(3, 2, seed=8)),
    ],
    reread="Hard and soft",
    mistakes={
        "chosen_by_keys": """one_hot(best, scores.shape[-1]) → one_hot(scores.argmax(dim=0), len(scores)).T
            or dim=-1 → dim=0""",
        "rows_too_short": """best, scores.shape[-1] → best
            or best, scores.shape[-1] → best, 3
            or best, scores.shape[-1] → best, len(scores)
            or best, scores.shape[-1] → best, values.shape[-1]
            or best, scores.shape[-1] → best
            .to(values.dtype) →""",
        "whole_numbers_kept": ".to(values.dtype) →",
        "positions_for_weights": "weights, → best,",
        "soft_not_hard": "F.one_hot(best, scores.shape[-1]).to(values.dtype) → scores.softmax(dim=-1)",
        "last_of_equals": """scores.argmax(dim=-1)
            → scores.shape[-1] - 1 - scores.flip(-1).argmax(dim=-1)""",
        "ties_kept": "F.one_hot(best, scores.shape[-1]) → (scores == scores.amax(dim=-1, keepdim=True))",
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
        "no_tanh": "together.tanh() → together",
        "v_left_out": "return together.tanh() @ v → return together.tanh().sum(dim=-1)",
        "tanh_of_each": """asking[:, None] + found → asking[:, None].tanh() + found.tanh()
            return together.tanh() → return together""",
        "tanh_last": "return together.tanh() @ v → return (together @ v).tanh()",
        "products_for_sums": "None] + found → None] * found",
        "not_every_pair": "asking[:, None] → asking",
    },
)
def additive_scores(queries, keys, W_query, W_key, v):
    asking, found = queries @ W_query, keys @ W_key
    together = asking[:, None] + found
    return together.tanh() @ v


notebook.predict(
    "kernel of the queries",
    _(
        "MultiHeadAttention(4, key_dim=24) is called on tokens of 16 components. "
        "What is the shape of its query kernel?"
    ),
    answer=(16, 4, 24),
    words=((16, 24), (16, 4, 6), (16, 4, 24), (4, 16, 24)),
    why=_("A token has 16 components. Each of the 4 heads gets 24, because key_dim is its size."),
    hint=_("In order: components of a token, heads, components of a head. Which is key_dim?"),
    wrong=[
        (
            (16, 24),
            _("That would be the matrix of a single head. Keras keeps an axis for the heads."),
        ),
        (
            (16, 4, 6),
            _("Then key_dim would be the size of all heads together, as d_out is in ours."),
        ),
        ((4, 16, 24), _("These are the right three numbers. The axis of the input comes first.")),
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


@notebook.ask(
    _("keras_call(layer, query, key, value, hidden): (context, weights) of Keras's Attention."),
    returns=("context", "weights"),
    cases=keras_cases,
    how=by_keras,
    trains=True,
    reread="Further: The layers of Keras · 10 min",
    mistakes={
        "layer_unused": """layer(inputs, mask=[None, ~hidden], return_attention_scores=True)
                → scaled_dot_product_attention(query, key, value, hidden[:, None])
            or return layer(inputs, mask=[None, ~hidden], return_attention_scores=True)
                → layer([query, value, key])
            return scaled_dot_product_attention(query, key, value, hidden[:, None])""",
        "key_before_value": "value, key] → key, value]",
        "no_scale": """query / query.shape[-1] ** 0.5 → query
            or query / query.shape[-1] ** 0.5 → query
            ~hidden → hidden""",
        "times_root": "query / query → query * query",
        "by_tokens": """query.shape[-1] → key.shape[1]
            or shape[-1] → shape[1]""",
        "by_d_k": "shape[-1] ** 0.5 → shape[-1]",
        "value_scaled": "query / query.shape[-1] ** 0.5, value → query, value / query.shape[-1] ** 0.5",
        "hidden_as_visible": "~hidden → hidden",
        "keras_mask_left_out": """, mask=[None, ~hidden] →
            or None, ~hidden → ~hidden, None""",
        "no_weights_asked": ", return_attention_scores=True →",
    },
)
def keras_call(layer, query, key, value, hidden):
    inputs = [query / query.shape[-1] ** 0.5, value, key]
    return layer(inputs, mask=[None, ~hidden], return_attention_scores=True)
