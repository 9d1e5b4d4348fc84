"""The exercises and predictions of notebook 3: the causal mask, and a test for leaks."""

import inspect

import torch
from torch import nn
from torch.nn import functional as F

from .. import _, plural
from ..data.sentences import JOURNEY_TOKENS
from ..judge.exercise import Case, wave
from ..judge.layers import Layer
from .leak_tests import MISTAKES, cases
from .n02_trainable_qkv import ONE_HEAD, PROJECTED, SCALED
from .notebook import Notebook

notebook = Notebook(__name__)
HALF = {"rtol": 1e-2, "atol": 5e-3}  # the tolerance for float16


@notebook.ask(
    _("causal_mask(tokens): True and False (tokens, tokens), True = hidden."),
    returns="mask",
    wanted="bool",
    cases=[Case(plural("{n} token", "{n} tokens", n), n) for n in (4, 1)],
    reread="Hide the future",
    mistakes={
        "diagonal_0": "diagonal=1 → diagonal=0",
        "diagonal_2": "diagonal=1 → diagonal=2",
        "tril_for_triu": "triu(diagonal=1) → tril()",
        "past_hidden": "triu(diagonal=1) → tril(diagonal=-1)",
        "all_hidden": ".triu(diagonal=1).bool() → .bool()",
        "not_booleans": """triu(diagonal=1).bool() → triu(diagonal=1)
            or torch.ones(tokens, tokens).triu(diagonal=1).bool()
                → torch.full((tokens, tokens), -torch.inf).triu(1)""",
    },
)
def causal_mask(tokens):
    return torch.ones(tokens, tokens).triu(diagonal=1).bool()


notebook.predict(
    "second causal row",
    _("Three tokens with equal scores, causal weights: what is the second row?"),
    answer="(1/2, 1/2, 0)",
    words=("(0, 1, 0)", "(1/2, 1/2, 0)", "(1/3, 1/3, 0)", "(1/3, 1/3, 1/3)"),
    why=_("The second token sees itself and the first, and gives half of its weight to each."),
    hint=_("Which tokens may the second one see? Its weights sum to 1."),
    wrong=[
        (
            "(1/3, 1/3, 1/3)",
            _("Without a mask it would be. Which tokens may the second one see?"),
        ),
        ("(1/3, 1/3, 0)", _("It hides the right token, but a row sums to 1.")),
    ],
)
notebook.predict(
    "row that keeps its sum",
    _(
        "After the softmax, the future is set to 0, and nothing is renormalised. Which row still sums to 1?"
    ),
    answer="step",
    why=_("The last token has no future, so its row has lost nothing."),
    hint=_("Which row has lost nothing?"),
    words=JOURNEY_TOKENS,
    wrong=[("Your", _("All of the other tokens are its future, and their weight is lost."))],
)


def masked_by_adding(scores):
    mask = torch.full(scores.shape[-2:], float("-inf")).triu(diagonal=1)
    return torch.softmax(scores + mask, dim=-1)


@notebook.ask(
    _("masked_weights(scores): causal weights of scores (..., tokens, tokens)."),
    returns="weights",
    sums={"weights": "softmax(scores)"},
    causal=True,
    cases=[
        Case(_("4 tokens"), wave(4, 4)),
        Case(_("future scores of exactly 0"), wave(3, 3, seed=1).tril()),
        Case(_("past scores of exactly 0"), wave(3, 3, seed=2).triu(1)),
        Case(_("scores far below 0"), wave(3, 3, seed=8) - 1e5),
        Case(_("a batch"), wave(2, 4, 4, seed=4)),
        Case(
            _("a future score far above"),
            300 * wave(4, 4, seed=7) + 1e10 * torch.ones(4, 4).triu(1),
        ),
        Case(_("float16"), wave(3, 3, seed=6).half(), close=HALF),
    ],
    also=[masked_by_adding],
    reread="Mask before the softmax",
    mistakes={
        "over_queries": """softmax(dim=-1) → softmax(dim=-2)
            or softmax(dim=-1) → softmax(dim=0)""",
        "dim_1": """softmax(dim=-1) → softmax(dim=1)
            or return scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
                → weights = scores.softmax(dim=-1) * ~hidden
            return weights / weights.sum(dim=1, keepdim=True)""",
        "no_maximum": """return scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
                → e = scores.exp() * ~hidden
            return e / e.sum(dim=-1, keepdim=True)
            or return scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
                → e = scores.masked_fill(hidden, float("-inf")).exp()
            return e / e.sum(dim=-1, keepdim=True)""",
        "scores_returned": ".softmax(dim=-1) →",
        "in_place": "masked_fill → masked_fill_",  # notebook 6 shows this one, and the next
        "lost_gradient": "scores.masked_fill → scores.detach().masked_fill",
        "zero_times_infinity": """torch.full(scores.shape[-2:], float("-inf")).triu(diagonal=1)
                → -torch.inf * torch.ones_like(scores).triu(1)""",
        "diagonal_0": "diagonal=1 → diagonal=0",
        "diagonal_2": "diagonal=1 → diagonal=2",
        "tril_for_triu": "triu(diagonal=1) → tril()",
        "past_hidden": "triu(diagonal=1) → tril(diagonal=-1)",
        "scores_times_0": 'masked_fill(hidden, float("-inf")) → mul(~hidden)',
        "mask_after_softmax": 'masked_fill(hidden, float("-inf")).softmax(dim=-1) → softmax(dim=-1) * ~hidden',
        "no_keepdim": """return scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
                → weights = scores.softmax(dim=-1) * ~hidden
            return weights / weights.sum(dim=-1)""",
        "mask_of_scores": """ones(scores.shape[-2:]).triu(diagonal=1) → triu(scores, diagonal=1)
            or torch.ones(scores.shape[-2:]).triu(diagonal=1).bool() → scores.tril() == 0""",
        "nothing_left": """return scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
                → weights = scores.softmax(dim=-1) * ~hidden
            return weights / weights.sum(dim=-1, keepdim=True)
            or return scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
                → weights = scores.softmax(dim=-1) * ~hidden
            return weights / weights.sum(dim=-1, keepdim=True).add(1e-9)""",
        "no_mask": 'masked_fill(hidden, float("-inf")). →',
        "low_number": """float("-inf") → -1e2
            or float("-inf") → -1e4
            or float("-inf") → -1e5
            or scores.shape[-2:], float("-inf") → scores.shape[-2:], -1e4""",
        "billion_in_float16": '(hidden, float("-inf")) → (hidden, -1e9)',
        "tokens_of_batch": "scores.shape[-2:] → 2 * [len(scores)]",
    },
)
def masked_weights(scores):
    hidden = torch.ones(scores.shape[-2:]).triu(diagonal=1).bool()
    return scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)


CAUSAL = {  # mistakes in every causal layer, here and in notebook 5
    "over_batch": "scores.softmax(dim=-1) → scores.softmax(dim=0)",
    "diagonal_0": "self.mask[:tokens, :tokens] → torch.ones(tokens, tokens).triu(diagonal=0)",
    "diagonal_2": "self.mask[:tokens, :tokens] → torch.ones(tokens, tokens).triu(diagonal=2)",
    "tril_for_triu": "self.mask[:tokens, :tokens] → torch.ones(tokens, tokens).tril()",
    "scores_times_0": 'scores.masked_fill(hidden, float("-inf")) → scores * ~hidden',
    "zero_times_infinity": "scores.masked_fill(hidden, → scores + (hidden *",
    "mask_after_softmax": """scores.softmax(dim=-1) → scores.softmax(dim=-1) * ~hidden
        scores = scores.masked_fill(hidden, float("-inf")) →""",
    "mask_of_scores": "self.mask[:tokens, :tokens] → torch.triu(scores, diagonal=1)",
    "no_mask": """scores = scores.masked → scores.masked
        or scores = scores.masked → scores.masked
        self.mask[:tokens, :tokens] → torch.ones(tokens, tokens).triu(diagonal=1)
        self.register_buffer("mask", mask) →""",
    "batch_turned": """keys.mT → keys.T
        tokens = scores.shape[-1] → tokens = x.shape[1]
        or keys.mT → keys.transpose(0, 1)""",
    "mask_convention": """hidden = self → hidden = ~self
        scores.softmax(dim=-1) → scores.softmax(dim=-1).nan_to_num()""",
    "tokens_of_batch": "tokens = scores.shape[-1] → tokens = scores.shape[0]",
    "tokens_of_width": "tokens = scores.shape[-1] → tokens = x.shape[-1]",
    "mask_not_cut": "hidden = self.mask[:tokens, :tokens].bool() → hidden = self.mask.bool()",
    "plain_tensor": 'register_buffer("mask", mask) → mask = mask',
    "buffer_assigned": "self.register → self.mask = self.register",
    "across_the_batch": """queries, keys, values = → x = x.transpose(0, 1)
        queries, keys, values =
        return context → return context.transpose(0, 1)""",
}


@notebook.layer(
    _("A class (d_in, d_out, context_length, dropout, qkv_bias=False); x (batch, tokens, d_in)."),
    name="causal_attention",
    sums=PROJECTED | SCALED | {"context": "weights @ values"},
    causal=True,
    buffer=True,
    cases={
        _("2 sentences of 5 tokens"): Layer(5, 3, 4, 2),
        _("the weights themselves"): Layer(4, 5, 4, 1, xray=True),
        _("as many tokens as context_length"): Layer(9, 4, 4, 2, context_length=9),
        _("a token that is all zeros"): Layer(4, 3, 2, 2, zeros_at=2),
        _("qkv_bias=True"): Layer(4, 3, 2, 3, qkv_bias=True),
        _("large numbers"): Layer(3, 4, 2, 2, level=40.0),
    },
    reread="The layer",
    mistakes=ONE_HEAD
    | CAUSAL
    | {
        "no_buffer": """self.mask[:tokens, :tokens] → torch.ones(tokens, tokens).triu(diagonal=1)
            self.register_buffer("mask", mask) →""",
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


LEAKS = MISTAKES | {
    "one_position": """for t in range(1, x.shape[1]): → for t in [x.shape[1] - 1]:
        or for t in range(1, x.shape[1]): → for t in [1]:""",
    "coarse_test": """atol=1e-6 → atol=0.01
        or atol=1e-6 → atol=0.1""",
    "answer_inverted": """not torch.allclose → torch.allclose
        or return leaks → return not leaks
        or not torch.allclose → torch.allclose
        leaks = True → return False
        return leaks → return True""",
    "own_input_changed": "poked = x.clone() → poked = x",
}
BESIDE = "one_position coarse_test position_left_out tokens_of_batch tokens_written_in".split()
ADDED = "torch.randn_like(poked[:, t:]) → 1.0"  # a common second mistake


def with_a_constant(text):
    """The edits of a mistake of a leak test, and the same where a constant is added, too."""
    ways = inspect.cleandoc(text).split("\nor ")
    return "\nor ".join([*ways, *(f"{way}\n{ADDED}" for way in ways)])


@notebook.ask(
    _("leak_test(layer, x): True if any output of the layer moves with a later token."),
    returns="answer",
    wanted="bool",
    cases=cases,
    reread="Move it: poke a token",
    mistakes=LEAKS | {key: with_a_constant(LEAKS[key]) for key in BESIDE},
)
def leak_test(layer, x):
    before, leaks = layer(x), False
    for t in range(1, x.shape[1]):
        poked = x.clone()
        poked[:, t:] += torch.randn_like(poked[:, t:])
        if not torch.allclose(layer(poked)[:, :t], before[:, :t], atol=1e-6):
            leaks = True
    return leaks
