"""The exercises and predictions of notebook 3: the causal mask, and a test for leaks."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from ..data.sentences import JOURNEY_TOKENS
from ..judge.exercise import wave
from ..judge.functions import Case
from ..judge.layers import LayerCase
from ..judge.outcomes import HALF
from . import leak_tests
from .edits import swap
from .n02_trainable_qkv import MIX, ONE_HEAD, SOFTMAX
from .notebook import Notebook

notebook = Notebook(__name__)


@notebook.function(
    "causal_mask(tokens): True and False (tokens, tokens), True = hidden.",
    returns="mask",
    wanted="bool",
    cases=[Case("one token" if n == 1 else f"{n} tokens", n) for n in (4, 1, 2, 7)],
    mistakes={
        "zero_times_infinity": 'return torch.ones(tokens, tokens).triu(diagonal=1) * float("-inf")',
        "diagonal_0": swap("diagonal=1", "diagonal=0"),
        "diagonal_2": swap("diagonal=1", "diagonal=2"),
        "tril_for_triu": [
            swap("triu(diagonal=1)", "tril()"),
            swap("triu(diagonal=1", "tril(diagonal=-1"),
        ],
        "not_booleans": [
            "return torch.ones(tokens, tokens).triu(diagonal=1)",
            'return torch.full((tokens, tokens), float("-inf")).triu(diagonal=1)',
        ],
    },
)
def causal_mask(tokens):
    return torch.ones(tokens, tokens).triu(diagonal=1).bool()


notebook.predict(
    "first causal row",
    "Three tokens, causal weights: what is the first row?",
    form="a list of three numbers",
    answer=(1, 0, 0),
    why="The first token sees itself alone, and gives itself all its weight.",
    hint="Whom may the first token see? Its weights sum to 1.",
    wrong=[
        ((1 / 3, 1 / 3, 1 / 3), "So it would be with no mask. Whom may the first token see?"),
        ((0, 0, 0), "It may see itself. And what must a row of weights sum to?"),
        ((math.nan,) * 3, "So it is with diagonal=0, where it may not see even itself."),
    ],
)
FIRST = ("your", "first", "first row", "the first", "the first row", "row 1")
notebook.predict(
    "row that keeps its sum",
    "The future gets zeros after the softmax, nothing is divided. Which row still sums to 1?",
    form='the word of that row, such as "with"',
    answer="step",
    why="The last token has no future, so its row has lost nothing.",
    hint="Which row has lost nothing?",
    same=(
        *("last", "last row", "the last", "the last row", "the last one", "the row of step"),
        *("the last row, step", "row 6", "6", 6),
    ),
    words=JOURNEY_TOKENS,
    wrong=[
        *((word, "It has lost most of all: all of the others are its future.") for word in FIRST),
        ("all", "A row that has lost something sums to less than 1. Which has lost nothing?"),
    ],
)

# ---------------------------------------------------------------- masked weights


def masked_by_adding(scores):
    mask = torch.full(scores.shape[-2:], float("-inf")).triu(diagonal=1)
    return torch.softmax(scores + mask, dim=-1)


WAY_1 = "weights = scores.softmax(dim=-1) * ~hidden\n"
MASK_OF_SCORES = [
    "hidden = torch.triu(scores, diagonal=1).bool()",
    "hidden = scores.tril() == 0",
]


@notebook.function(
    "masked_weights(scores): causal weights of scores (..., tokens, tokens).",
    returns="weights",
    trains=True,
    cases=[
        Case("4 tokens", wave(4, 4)),
        Case("one token", wave(1, 1, seed=1)),
        Case(
            "a future score of exactly 0",
            torch.tensor([[0.4, 0.0, 0.9], [0.7, -0.3, 0.0], [0.2, 0.8, 0.5]]),
        ),
        Case(
            "a past score of exactly 0",
            torch.tensor([[0.4, 0.8, 0.9], [0.0, -0.3, 0.6], [0.2, 0.0, 0.5]]),
        ),
        Case("negative scores", wave(3, 3, seed=2) - 3),
        Case("large scores", 1000 + wave(3, 3, seed=3)),
        Case("scores far below 0", wave(3, 3, seed=8) - 1e5),
        Case("a batch", wave(2, 4, 4, seed=4)),
        Case("float64", wave(5, 5, seed=5).double()),
        Case("a future score far above", 300 * wave(4, 4, seed=7)),
        Case("float16", wave(3, 3, seed=6).half(), close=HALF),
    ],
    also=[masked_by_adding],
    mistakes={
        "over_queries": [swap("softmax(dim=-1)", f"softmax(dim={dim})") for dim in (-2, 0)],
        "dim_1": [
            swap("softmax(dim=-1)", "softmax(dim=1)"),
            "weights = scores.softmax(dim=-1) * ~hidden\n"
            "return weights / weights.sum(dim=1, keepdim=True)",
            "weights = scores.softmax(dim=1) * ~hidden\n"
            "return weights / weights.sum(dim=1, keepdim=True)",
        ],
        "over_batch": 'return F.softmax(scores.masked_fill(hidden, float("-inf")))',
        "no_maximum": "e = scores.exp() * ~hidden\nreturn e / e.sum(dim=-1, keepdim=True)",
        "scores_returned": swap(".softmax(dim=-1)", ""),
        "in_place": swap("masked_fill", "masked_fill_"),
        "lost_gradient": swap("scores.masked_fill", "scores.detach().masked_fill"),
        "zero_times_infinity": "mask = torch.triu(torch.ones(scores.shape[-2:]), diagonal=1)"
        ' * float("-inf")',
        "diagonal_0": [
            "hidden = torch.ones(scores.shape[-2:]).triu(diagonal=0).bool()",
            swap('float("-inf")).triu(diagonal=1)', 'float("-inf")).triu()'),
            (
                "hidden = torch.ones(scores.shape[-2:]).triu(diagonal=0).bool()",
                swap(".softmax(dim=-1)", ".softmax(dim=-1).nan_to_num()"),
            ),
        ],
        "diagonal_2": "hidden = torch.ones(scores.shape[-2:]).triu(diagonal=2).bool()",
        "tril_for_triu": [
            "hidden = torch.ones(scores.shape[-2:]).tril().bool()",
            "hidden = torch.ones(scores.shape[-2:]).tril(diagonal=-1).bool()",
        ],
        "scores_times_0": [
            swap('scores.masked_fill(hidden, float("-inf"))', "(scores * ~hidden)"),
            swap('(hidden, float("-inf"))', "(hidden, 1e-9)"),
        ],
        "mask_after_softmax": "return scores.softmax(dim=-1).masked_fill(hidden, 0.0)",
        "no_keepdim": [
            "return scores.softmax(dim=-1) * ~hidden"
            " / (scores.softmax(dim=-1) * ~hidden).sum(dim=-1)",
            "e = scores.exp() * ~hidden\nreturn e / e.sum(dim=-1)",
            "e = (scores - scores.amax(dim=-1, keepdim=True)).exp() * ~hidden\n"
            "return e / e.sum(dim=-1)",
        ],
        "mask_of_scores": MASK_OF_SCORES,
        "nothing_left": [
            f"{WAY_1}return weights / weights.sum(dim=-1, keepdim=True)",
            f"{WAY_1}return weights / (weights.sum(dim=-1, keepdim=True) + 1e-9)",
        ],
        "scaled_twice": swap("scores.masked", "(scores / scores.shape[-1] ** 0.5).masked"),
        "softmax_twice": swap(".softmax(dim=-1)", ".softmax(dim=-1).softmax(dim=-1)"),
        "infinity_after": 'return scores.softmax(dim=-1).masked_fill(hidden, float("-inf"))',
        "plus_infinity": swap('(hidden, float("-inf"))', '(hidden, float("inf"))'),
        "no_mask": "return scores.softmax(dim=-1)",
        "low_number": [
            swap('(hidden, float("-inf"))', f"(hidden, -{n})") for n in ("1e4", 100, "1e5")
        ],
        "billion_in_float16": swap('(hidden, float("-inf"))', "(hidden, -1e9)"),
        "tokens_of_batch": "hidden = torch.ones(len(scores), len(scores)).triu(diagonal=1).bool()",
    },
)
def masked_weights(scores):
    hidden = torch.ones(scores.shape[-2:]).triu(diagonal=1).bool()
    return scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)


# ---------------------------------------------------------------- the layer

HIDING = 'scores = scores.masked_fill(hidden, float("-inf"))'
FUSED = "F.scaled_dot_product_attention(queries, keys, values, "

BATCH_SECOND = swap(
    "queries, keys, values =", "x = x.transpose(0, 1)\nqueries, keys, values ="
)  # as in PyTorch's own layer

BUFFER_ASSIGNED = swap("self.register_buffer", "self.mask = self.register_buffer")
DROPS = "dropout_p=self.dropout if self.training else 0.0)"

CAUSAL = {  # mistakes of every causal layer, here and in notebook 5
    "over_batch": swap(SOFTMAX, "scores.softmax(dim=0)"),
    "zero_times_infinity": 'scores = scores + self.mask[:tokens, :tokens] * float("-inf")',
    "diagonal_0": "hidden = torch.ones(tokens, tokens).triu(diagonal=0).bool()",
    "diagonal_2": "hidden = torch.ones(tokens, tokens).triu(diagonal=2).bool()",
    "tril_for_triu": [
        "hidden = torch.ones(tokens, tokens).tril().bool()",
        "hidden = torch.ones(tokens, tokens).tril(diagonal=-1).bool()",
        "hidden = torch.ones(tokens, tokens).tril(diagonal=1).bool()",
    ],
    "scores_times_0": "scores = scores * ~hidden",
    "mask_after_softmax": (
        swap(SOFTMAX, "scores.softmax(dim=-1).masked_fill(hidden, 0.0)"),
        swap(HIDING, ""),
    ),
    "mask_of_scores": MASK_OF_SCORES,
    "no_mask": swap("scores = scores.masked_fill(", "scores.masked_fill("),
    "batch_turned": [
        swap("keys.mT", "keys.T"),
        (swap("keys.mT", "keys.T"), "tokens = x.shape[1]"),
        swap("keys.mT", "keys.transpose(0, 1)"),
        (swap("keys.mT", "keys.transpose(0, 1)"), "tokens = x.shape[1]"),
    ],
    "tokens_of_batch": "tokens = scores.shape[0]",
    "tokens_of_width": "tokens = x.shape[-1]",
    "mask_not_cut": "hidden = self.mask.bool()",
    "buffer_assigned": [
        BUFFER_ASSIGNED,
        (BUFFER_ASSIGNED, "hidden = self.mask.bool()[:tokens, :tokens]"),
    ],
    "plain_tensor": swap('self.register_buffer("mask", mask)', "self.mask = mask"),
    "mask_as_parameter": swap('register_buffer("mask", mask)', "mask = nn.Parameter(mask)"),
    "mask_convention": swap(MIX, f"{FUSED}attn_mask=hidden, {DROPS}"),
    "mask_added": swap(MIX, f"{FUSED}attn_mask=self.mask[:tokens, :tokens], {DROPS}"),
    "across_the_batch": (
        BATCH_SECOND,
        swap("return context", "return context.transpose(0, 1)"),
    ),
}


@notebook.layer(
    "A class (d_in, d_out, context_length, dropout, qkv_bias=False); x (batch, tokens, d_in).",
    name="causal_attention",
    buffer=True,
    cases=[
        LayerCase("2 sentences of 5 tokens", 5, 3, 4, 2),
        LayerCase("the weights themselves", 4, 5, 4, 1, xray=True),
        LayerCase("as many tokens as context_length", 9, 4, 3, 2, context_length=9),
        LayerCase("as many sentences as tokens", 3, 2, 5, 3),
        LayerCase("a token that is all zeros", 4, 3, 2, 2, blank=2),
        LayerCase("one token", 1, 3, 2, 2),
        LayerCase("qkv_bias=True", 4, 3, 2, 3, qkv_bias=True),
        LayerCase("large numbers", 3, 4, 2, 2, level=40.0),
        LayerCase("float64", 4, 3, 2, 2, double=True),
    ],
    mistakes={key: ways for key, ways in ONE_HEAD.items() if key != "over_queries"}
    | CAUSAL
    | {
        "over_queries_in_batch": ONE_HEAD["over_queries"],
        "no_buffer": (
            "hidden = torch.ones(tokens, tokens).triu(diagonal=1).bool()",
            swap('self.register_buffer("mask", mask)', ""),
        ),
    },
)
class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        three = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))
        self.W_query, self.W_key, self.W_value = three
        self.dropout = dropout
        mask = torch.ones(context_length, context_length).triu(diagonal=1)
        self.register_buffer("mask", mask)

    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = queries @ keys.mT / keys.shape[-1] ** 0.5
        tokens = scores.shape[-1]
        hidden = self.mask[:tokens, :tokens].bool()
        scores = scores.masked_fill(hidden, float("-inf"))
        weights = F.dropout(scores.softmax(dim=-1), self.dropout, self.training)
        context = weights @ values
        return context


# ---------------------------------------------------------------- a test for leaks


@notebook.leak_test(
    "leak_test(layer, x): True if any output of the layer moves with a later token.",
    cases=lambda: leak_tests.cases(notebook.exercises["causal_attention"].mistakes),
    mistakes=leak_tests.MISTAKES,
)
def leak_test(layer, x):
    before, leaks = layer(x), False
    for t in range(1, x.shape[1]):
        poked = x.clone()
        poked[:, t:] += 1.0
        if not torch.allclose(layer(poked)[:, :t], before[:, :t], atol=1e-6):
            leaks = True
    return leaks
