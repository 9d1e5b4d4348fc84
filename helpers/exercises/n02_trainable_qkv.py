"""The exercises and predictions of notebook 2: trainable queries, keys and values, and the scale."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: F401  for the edits below

from ..judge.exercise import wave
from ..judge.functions import Case
from ..judge.layers import LayerCase
from .copied_layers import NAMES, FromParameters, ToLinear
from .edits import swap
from .notebook import Notebook

notebook = Notebook(__name__)


def project_in_a_loop(x, W_query, W_key, W_value):
    return tuple(x @ W for W in (W_query, W_key, W_value))


@notebook.function(
    "project(x, W_query, W_key, W_value): (queries, keys, values), each W (d_in, d_out).",
    returns=("queries", "keys", "values"),
    trains=True,
    cases=[
        Case("5 tokens", wave(5, 3), *wave(3, 3, 2, seed=1)),
        Case("as many numbers out as in", wave(4, 3, seed=2), *wave(3, 3, 3, seed=3)),
        Case("one token", wave(1, 2, seed=4), *wave(3, 2, 5, seed=5)),
        Case("weights of 0 and 1", wave(3, 3, seed=6), *(n * torch.eye(3) for n in (1, 2, 3))),
        Case("float64", wave(5, 3).double(), *wave(3, 3, 2, seed=7).double()),
    ],
    also=[project_in_a_loop],
    mistakes={
        "lost_gradient": swap("x @ W for", "x @ W.detach() for"),
        "query_is_data": "return x, x @ W_key, x @ W_value",
        "results_swapped": "return x @ W_key, x @ W_query, x @ W_value",
        "values_mixed_up": [
            "return x @ W_value, x @ W_key, x @ W_query",
            "return x @ W_query, x @ W_value, x @ W_key",
        ],
        "one_matrix": [
            "return x @ W_query, x @ W_query, x @ W_query",
            "return x @ W_query, x @ W_query, x @ W_value",
        ],
        "w_transposed": [
            "return x @ W_query.T, x @ W_key.T, x @ W_value.T",
            swap("x @ W for", "F.linear(x, W) for"),
        ],
    },
)
def project(x, W_query, W_key, W_value):
    return x @ W_query, x @ W_key, x @ W_value


notebook.predict(
    "shape of a linear weight",
    "What is the shape of nn.Linear(3, 2).weight?",
    form="two numbers, such as (4, 5)",
    answer=(2, 3),
    why="nn.Linear keeps its weight as (out, in), and multiplies by its transpose.",
    hint="It has one weight for each pair of an input and an output.",
    wrong=[((3, 2), "That is our own layout, (in, out). nn.Linear has another one.")],
)
notebook.predict(
    "variance at 64",
    "Numbers of variance 1, d_k = 64: what is the variance of q · k, about?",
    form="a number",
    answer=64,
    why="Every product adds a variance of 1, and there are 64.",
    hint="A dot product is a sum. How many products are in it, and what does each add?",
    within=10,  # what a draw gives is as good
    wrong=[
        (8, "8 is its square root: how far a score tends to lie from 0."),
        (1, "So it is after dividing by √d_k. And before?"),
    ],
)

# ---------------------------------------------------------------- the scale


def scaled_weights_by_hand(queries, keys):
    scores = queries @ keys.T / keys.shape[-1] ** 0.5
    e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


@notebook.function(
    "scaled_weights(queries, keys): softmax(Q Kᵀ / √d_k), both (tokens, d_k).",
    returns="weights",
    trains=True,
    cases=[
        Case("5 tokens and d_k = 3", wave(5, 3), wave(5, 3, seed=1)),
        Case("as many tokens as d_k", wave(3, 3, seed=2), wave(3, 3, seed=3)),
        Case("d_k = 7", wave(2, 7, seed=4), wave(2, 7, seed=5)),
        Case("one token", wave(1, 3, seed=6), wave(1, 3, seed=7)),
        Case("negative queries", wave(4, 5, seed=8) - 1, wave(4, 5, seed=9)),
        # Scores near 1000 in every row, close together: only exp without the maximum overflows.
        Case("large scores", torch.tensor([[800.0, 0.3]] * 3), 1 + wave(3, 2, seed=3) / 600),
        Case("float64", wave(4, 3, seed=10).double(), wave(4, 3, seed=11).double()),
    ],
    also=[scaled_weights_by_hand],
    mistakes={
        "dimensions_compared": "scores = queries.T @ keys / keys.shape[-1] ** 0.5",
        "keys_not_turned": "scores = queries @ keys / keys.shape[-1] ** 0.5",
        "reshaped": "scores = queries @ keys.reshape(keys.shape[::-1]) / keys.shape[-1] ** 0.5",
        "over_queries": "return torch.softmax(scores, dim=0)",
        "one_sum": [
            "return torch.softmax(scores.flatten(), dim=0).view(scores.shape)",
            "return e / e.sum()",
            ("return e / e.sum()", "e = scores.exp()"),
        ],
        "no_keepdim": [
            "return e / e.sum(dim=-1)",
            *(
                ("return e / e.sum(dim=-1)", f"e = {these}.exp()")
                for these in ("scores", "scores.double()", "(scores - scores.amax(dim=-1))")
            ),
        ],
        "no_exp": "return scores / scores.sum(dim=-1, keepdim=True)",
        "no_maximum": "e = scores.exp()",
        "scores_returned": "return scores",
        "in_place": "scores = queries.div_(keys.shape[-1] ** 0.5) @ keys.T",
        "lost_gradient": "return torch.softmax(scores, dim=-1).detach()",
        "keys_ask": "scores = keys @ queries.T / keys.shape[-1] ** 0.5",
        "one_matrix": "scores = queries @ queries.T / keys.shape[-1] ** 0.5",
        "no_scale": "scores = queries @ keys.T",
        "by_d_k": "scores = queries @ keys.T / keys.shape[-1]",
        "times_root": "scores = queries @ keys.T / keys.shape[-1] ** -0.5",
        "by_tokens": "scores = queries @ keys.T / keys.shape[0] ** 0.5",
        "power_first": [
            "scores = queries @ keys.T / keys.shape[-1] ** 1 / 2",
            "scores = queries @ keys.T / (keys.shape[-1] ** 1 / 2)",
        ],
        "by_fixed_number": "scores = queries @ keys.T / 2**0.5",
        "scaled_after": "return torch.softmax(queries @ keys.T, dim=-1) / keys.shape[-1] ** 0.5",
    },
)
def scaled_weights(queries, keys):
    scores = queries @ keys.T / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1)


# ---------------------------------------------------------------- the layer

SCALE, SOFTMAX, MIX = "keys.shape[-1] ** 0.5", "scores.softmax(dim=-1)", "weights @ values"

TURNED = "keys.reshape(*keys.shape[:-2], keys.shape[-1], keys.shape[-2])"

LAYER = {  # mistakes of every attention layer, here and in later notebooks
    "over_queries": swap(SOFTMAX, "scores.softmax(dim=-2)"),
    "reshaped": swap("keys.mT", TURNED),
    "no_exp": swap(SOFTMAX, "scores / scores.sum(dim=-1, keepdim=True)"),
    "no_maximum": swap(SOFTMAX, "scores.exp() / scores.exp().sum(dim=-1, keepdim=True)"),
    "scores_returned": swap(SOFTMAX, "scores"),
    "weights_transposed": swap(MIX, "weights.mT @ values"),
    "lost_gradient": swap(MIX, "weights.detach() @ values"),
    "keys_ask": swap("queries @ keys.mT", "keys @ queries.mT"),
    "values_mixed_up": swap("queries, keys, values =", "queries, values, keys ="),
    "one_matrix": swap("queries @ keys.mT", "queries @ queries.mT"),
    "no_scale": swap(f" / {SCALE}", ""),
    "by_d_k": swap(SCALE, "keys.shape[-1]"),
    "times_root": swap(SCALE, "keys.shape[-1] ** -0.5"),
    "by_d_in": swap(SCALE, "x.shape[-1] ** 0.5"),
    "by_tokens": swap(SCALE, "keys.shape[-2] ** 0.5"),
    "by_fixed_number": swap(SCALE, "2**0.5"),
    "values_unused": swap(MIX, "weights @ keys"),
    "bias_ignored": [
        swap(", bias=qkv_bias", ""),
        swap("bias=qkv_bias", "bias=False"),
        swap("bias=qkv_bias) for _ in range(3)", "bias=b) for b in (qkv_bias, False, False)"),
    ],
}
THREE = "self.W_query(x), self.W_key(x), self.W_value(x)"
ONE_HEAD = LAYER | {
    "query_is_data": swap("self.W_query(x)", "x"),
    "not_mixed": [swap(MIX, "weights"), swap(MIX, "scores")],
    "keys_not_turned": swap("keys.mT", "keys"),
    "linear_turned": swap("nn.Linear(d_in, d_out", "nn.Linear(d_out, d_in"),
    "bare_matrices": (
        swap("nn.Linear(d_in, d_out, bias=qkv_bias)", "nn.Parameter(torch.rand(d_in, d_out))"),
        swap(THREE, "x @ self.W_query, x @ self.W_key, x @ self.W_value"),
    ),
    "one_matrix": [
        LAYER["one_matrix"],
        swap(THREE, "self.W_query(x), self.W_query(x), self.W_query(x)"),
        "three = [nn.Linear(d_in, d_out, bias=qkv_bias)] * 3",
    ],
    "values_unused": [LAYER["values_unused"], swap(MIX, "weights @ x")],
    "bias_unused": swap(
        THREE,
        "(x @ W.weight.T for W in (self.W_query, self.W_key, self.W_value))",
    ),
}


@notebook.layer(
    "A class (d_in, d_out, qkv_bias=False) with W_query, W_key, W_value; x (tokens, d_in).",
    name="self_attention_module",
    cases=[
        LayerCase("6 tokens", 6, 3, 2),
        LayerCase("the weights themselves", 4, 5, 4, xray=True),
        LayerCase("d_out larger than d_in", 3, 2, 5),
        LayerCase("one token", 1, 3, 2),
        LayerCase("qkv_bias=True", 4, 3, 2, qkv_bias=True),
        LayerCase("large numbers", 3, 4, 2, level=40.0),
        LayerCase("float64", 4, 3, 2, double=True),
    ],
    mistakes=ONE_HEAD
    | {
        "not_trained": (
            "self.W_query, self.W_key, self.W_value = torch.rand(3, d_in, d_out)",
            "queries, keys, values = x @ self.W_query, x @ self.W_key, x @ self.W_value",
        )
    },
)
class SelfAttention(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        three = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))
        self.W_query, self.W_key, self.W_value = three

    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = queries @ keys.mT / keys.shape[-1] ** 0.5
        weights = scores.softmax(dim=-1)
        return weights @ values


# ---------------------------------------------------------------- copying weights

SOURCE = "getattr(from_parameters, name)"


def copy_as_parameters(from_parameters, to_linear):
    for name in NAMES:
        W = getattr(from_parameters, name).detach().T.clone()
        getattr(to_linear, name).weight = nn.Parameter(W)


def copy_into_data(from_parameters, to_linear):
    for name in NAMES:
        getattr(to_linear, name).weight.data.copy_(getattr(from_parameters, name).T)


@notebook.copy(
    "copy_weights(from_parameters, to_linear): three nn.Parameters into three nn.Linear.",
    cases=lambda: [
        Case("3 numbers to 2", FromParameters(3, 2), ToLinear(3, 2)),
        Case("3 numbers to 3", FromParameters(3, 3), ToLinear(3, 3)),
        Case("2 numbers to 5", FromParameters(2, 5), ToLinear(2, 5)),
    ],
    also=[copy_as_parameters, copy_into_data],
    mistakes={
        "not_trained": swap("nn.Parameter(W)", "nn.Parameter(W, requires_grad=False)"),
        "copied_without_t": [
            swap(".detach().T", ".detach()"),
            swap("getattr(from_parameters, name).T)", "getattr(from_parameters, name))"),
            swap(".data.copy_(getattr(from_parameters, name).T)", f".data = {SOURCE}.data"),
        ],
        "reshaped": swap(".detach().T", ".detach().reshape(getattr(to_linear, name).weight.shape)"),
        "shares_memory": [
            swap(".detach().T.clone()", ".detach().T"),
            swap(".data.copy_(getattr(from_parameters, name).T)", f".data = {SOURCE}.data.T"),
        ],
        "copied_while_watched": swap(".weight.data.copy_", ".weight.copy_"),
        "no_parameter": "getattr(to_linear, name).weight = W",
        "one_left_out": [swap("in NAMES", f"in NAMES[{part}]") for part in (":2", "1:", "::2")],
        "values_mixed_up": swap(
            "getattr(to_linear, name).weight.copy_",
            'other = {"W_key": "W_value", "W_value": "W_key"}.get(name, name)\n'
            "getattr(to_linear, other).weight.copy_",
        ),
        "one_copied_to_all": "W = from_parameters.W_query.detach().T.clone()",
        "copy_filled": swap(".weight.copy_", ".weight.clone().copy_"),
        "copied_backwards": [
            (
                swap(
                    "getattr(to_linear, name).weight = nn.Parameter(W)",
                    "setattr(from_parameters, name, nn.Parameter(W))",
                ),
                "W = getattr(to_linear, name).weight.detach().T.clone()",
            ),
            swap(
                f"getattr(to_linear, name).weight.data.copy_({SOURCE}.T)",
                f"{SOURCE}.data = getattr(to_linear, name).weight.data.T",
            ),
        ],
    },
)
def copy_weights(from_parameters, to_linear):
    with torch.no_grad():
        for name in NAMES:
            getattr(to_linear, name).weight.copy_(getattr(from_parameters, name).T)
