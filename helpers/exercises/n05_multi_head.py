"""The exercises and predictions of notebook 5: many heads."""

import torch
from torch import nn
from torch.nn import functional as F

from ..judge.exercise import wave
from ..judge.functions import Case
from ..judge.layers import LayerCase
from .edits import swap
from .n02_trainable_qkv import LAYER, SCALE, SOFTMAX
from .n03_causal_mask import BATCH_SECOND, CAUSAL
from .n04_dropout import DROPPED, DROPPING
from .notebook import Notebook

notebook = Notebook(__name__)


@notebook.function(
    "split_heads(x, num_heads): (batch, tokens, d) to (batch, heads, tokens, head_dim).",
    returns="heads",
    trains=True,
    cases=[
        Case("3 heads of 4", wave(2, 5, 12), 3),
        Case("as many heads as tokens", wave(2, 3, 6, seed=1), 3),
        Case("one head", wave(2, 3, 4, seed=2), 1),
        Case("heads of one number", wave(1, 4, 3, seed=3), 3),
        Case("one token", wave(3, 1, 6, seed=4), 2),
        Case("float64", wave(2, 5, 4, seed=5).double(), 2),
    ],
    mistakes={
        "no_transpose": "return x.reshape(b, num_heads, t, d // num_heads)",
        "heads_behind_tokens": "return x.reshape(b, t, num_heads, d // num_heads)",
        "heads_interleaved": "return x.reshape(b, t, d // num_heads, num_heads).permute(0, 3, 1, 2)",
        "heads_and_size_swapped": swap("num_heads, d // num_heads)", "d // num_heads, num_heads)"),
        "turned_before_the_cut": "return x.transpose(1, 2).reshape(b, num_heads, t, d // num_heads)",
    },
)
def split_heads(x, num_heads):
    b, t, d = x.shape
    return x.reshape(b, t, num_heads, d // num_heads).transpose(1, 2)


notebook.predict(
    "shape after the split",
    "x is (2, 6, 8), there are 4 heads. What is the shape after the split?",
    form="four numbers, such as (1, 2, 3, 4)",
    answer=(2, 4, 6, 2),
    why="(batch, heads, tokens, head_dim): each head has all tokens, and 8 / 4 numbers of each.",
    hint="(batch, heads, tokens, head_dim). How many numbers of a token does a head get?",
    wrong=[
        ((2, 6, 4, 2), "That is after view, and before transpose. What is each block now?"),
        ((2, 4, 6, 8), "A head gets a part of each token, not all 8 numbers."),
        ((2, 2, 6, 4), "That would be 2 heads of 4."),
    ],
)


@notebook.function(
    "merge_heads(x): (batch, heads, tokens, head_dim) to (batch, tokens, d).",
    returns="merged",
    trains=True,
    cases=[
        Case("3 heads of 4", wave(2, 3, 5, 4)),
        Case("as many heads as tokens", wave(2, 3, 3, 2, seed=1)),
        Case("one head", wave(2, 1, 3, 4, seed=2)),
        Case("heads of one number", wave(1, 3, 4, 1, seed=3)),
        Case("one token", wave(3, 2, 1, 4, seed=4)),
        Case("float64", wave(2, 2, 5, 3, seed=5).double()),
    ],
    mistakes={
        "heads_interleaved": swap("transpose(1, 2)", "permute(0, 2, 3, 1)"),
        "not_transposed_back": swap(".transpose(1, 2)", ""),
        "not_contiguous": [
            swap("reshape", "view"),
            swap("transpose(1, 2).reshape", "contiguous().transpose(1, 2).view"),
        ],
        "other_axes_swapped": [
            swap("transpose(1, 2)", f"transpose({axes})") for axes in ("2, 3", "1, 3", "0, 1")
        ],
        "heads_added_up": ["return x.mean(dim=1)", "return x.sum(dim=1)"],
    },
)
def merge_heads(x):
    b, heads, t, head_dim = x.shape
    return x.transpose(1, 2).reshape(b, t, heads * head_dim)


# ---------------------------------------------------------------- the layer

REFUSAL = 'raise ValueError(f"{d_out=} is not divisible by {num_heads=}")'
NOT_CUT = "return x.view(b, self.num_heads, t, self.head_dim)"
NOT_TURNED = "return x.view(b, t, self.num_heads, self.head_dim)"


@notebook.layer(
    "A class (d_in, d_out, context_length, dropout, num_heads, qkv_bias=False), with out_proj.",
    name="multi_head",
    drops=True,
    cases=[
        LayerCase("2 sentences and 3 heads", 5, 7, 12, 2, num_heads=3),
        LayerCase("the weights themselves", 4, 5, 8, 1, num_heads=2, xray=True),
        LayerCase("as many heads as tokens", 3, 5, 6, 2, num_heads=3),
        LayerCase("as many sentences as tokens", 3, 4, 6, 3, num_heads=2),
        LayerCase("one head", 4, 3, 2, 2, num_heads=1),
        LayerCase("as many tokens as context_length", 8, 3, 4, 2, num_heads=2),
        LayerCase("a token that is all zeros", 4, 3, 6, 2, num_heads=2, blank=2),
        LayerCase("one token", 1, 3, 4, 2, num_heads=2),
        LayerCase("with qkv_bias=True", 4, 3, 6, 2, num_heads=2, qkv_bias=True),
        LayerCase("large numbers", 3, 5, 4, 2, num_heads=2, level=40.0),
        LayerCase("float64", 4, 3, 6, 2, num_heads=2, double=True),
    ],
    mistakes=LAYER
    | CAUSAL
    | DROPPING
    | {
        "across_the_batch": (
            BATCH_SECOND,
            "return self.out_proj(context).transpose(0, 1)",
        ),
        "over_heads": swap(SOFTMAX, "scores.softmax(dim=1)"),
        "no_transpose": [
            NOT_CUT,
            (NOT_CUT, "context = context.reshape(*x.shape[:2], -1)"),  # nor on the way out
        ],
        "heads_behind_tokens": [
            NOT_TURNED,
            (NOT_TURNED, swap("flatten(2)", "reshape(*x.shape[:2], -1)")),
            (NOT_TURNED, swap("flatten(2)", "reshape(len(x), tokens, self.d_out)")),
            (NOT_TURNED, "tokens = x.shape[1]"),
        ],
        "heads_interleaved": [
            "return x.view(b, t, self.head_dim, self.num_heads).permute(0, 3, 1, 2)",
            "context = context.permute(0, 2, 3, 1).flatten(2)",
        ],
        "not_transposed_back": "context = context.reshape(*x.shape[:2], -1)",
        "not_contiguous": [
            "context = context.transpose(1, 2).view(*x.shape[:2], -1)",
            "context = context.contiguous().transpose(1, 2).view(*x.shape[:2], -1)",
        ],
        "uneven_heads_made": "if d_out < num_heads:",
        "assert_for_error": swap(REFUSAL, "assert d_out % num_heads == 0"),
        "by_d_out": swap(SCALE, "self.d_out**0.5"),
        "by_num_heads": swap(SCALE, "self.num_heads**0.5"),
        "out_proj_of_d_in": "self.out_proj = nn.Linear(d_in, d_out)",
        "no_out_proj": swap("self.out_proj(context)", "context"),
        "out_proj_too_early": (
            swap("context = weights @ values", "context = self.out_proj(weights @ values)"),
            swap("return self.out_proj(context)", "return context"),
        ),
        "head_dim_for_all": swap("nn.Linear(d_in, d_out,", "nn.Linear(d_in, self.head_dim,"),
        "bias_unused": swap("self.split(W(x))", "self.split(x @ W.weight.T)"),
        "drops_inputs": (
            swap("self.split(W(x))", f"self.split(W({DROPPED.format('x')}))"),
            f"weights = {SOFTMAX}",
        ),
        "d_out_for_every_head": swap(
            "nn.Linear(d_in, d_out,", "nn.Linear(d_in, d_out * num_heads,"
        ),
    },
)
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError(f"{d_out=} is not divisible by {num_heads=}")
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        three = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))
        self.W_query, self.W_key, self.W_value = three
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = dropout
        mask = torch.ones(context_length, context_length).triu(diagonal=1)
        self.register_buffer("mask", mask)

    def split(self, x):
        b, t, _ = x.shape
        return x.view(b, t, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x):
        three = (self.W_query, self.W_key, self.W_value)
        queries, keys, values = (self.split(W(x)) for W in three)
        scores = queries @ keys.mT / keys.shape[-1] ** 0.5
        tokens = scores.shape[-1]
        hidden = self.mask[:tokens, :tokens].bool()
        scores = scores.masked_fill(hidden, float("-inf"))
        weights = F.dropout(scores.softmax(dim=-1), self.dropout, self.training)
        context = weights @ values
        context = context.transpose(1, 2).flatten(2)
        return self.out_proj(context)


# ---------------------------------------------------------------- what heads cost


def count_by_heads():
    return 12 * 3 * (768 * 64 + 64) + 768 * 768 + 768


@notebook.count(
    "How many numbers are trained in the attention of one block of GPT-2 small?",
    returns="parameters",
    also=[count_by_heads],
    mistakes={
        "biases_not_counted": [
            "return 4 * 768 * 768",
            "return 4 * 768 * 768 + 768",
            "return 4 * 768 * 768 + 3 * 768",
        ],
        "bias_of_other_size": ["return 4 * 768**2 + 4 * 12", "return 4 * 768**2 + 4 * 64"],
        "out_proj_not_counted": ["return 3 * (768 * 768 + 768)", "return 3 * 768 * 768"],
        "whole_heads_counted": "return 12 * 3 * (768 * 768 + 768) + 768 * 768 + 768",
        "one_head_counted": swap("12 * ", ""),
        "all_layers_counted": "return 12 * 4 * (768 * 768 + 768)",
        "mask_counted": "return 4 * (768 * 768 + 768) + 1024 * 1024",
    },
)
def gpt2_parameters():
    return 4 * (768 * 768 + 768)


# ---------------------------------------------------------------- PyTorch's own layer


def torch_layer(d, num_heads):
    """An nn.MultiheadAttention as PyTorch makes it, filled with waves: batch_first is False."""
    layer = nn.MultiheadAttention(d, num_heads)
    with torch.no_grad():
        for seed, weight in enumerate(layer.parameters()):
            weight.copy_(wave(*weight.shape, seed=seed))
    return layer


SWAPPED = "x = x.transpose(0, 1)  # (tokens, batch, d)"
NOT_SWAPPED, AVERAGED = swap(SWAPPED, ""), swap(", average_attn_weights=False", "")


@notebook.function(
    "torch_heads(layer, x): causal (context, weights of each head) from an nn.MultiheadAttention.",
    returns=("context", "weights"),
    trains=True,
    cases=lambda: [
        Case("3 sentences of 5 tokens", torch_layer(6, 2), wave(3, 5, 6)),
        Case("as many sentences as tokens", torch_layer(4, 2), wave(3, 3, 4, seed=1)),
        Case("one token", torch_layer(4, 4), wave(2, 1, 4, seed=2)),
    ],
    mistakes={
        "torch_defaults": ("return context, weights", NOT_SWAPPED, AVERAGED, "hidden = None"),
        "no_mask": ["hidden = None", ("hidden = None", AVERAGED)],
        "mask_added": "hidden = torch.ones(tokens, tokens).triu(diagonal=1)",
        "mask_convention": "hidden = torch.ones(tokens, tokens).tril().bool()",
        "diagonal_0": "hidden = torch.ones(tokens, tokens).triu(diagonal=0).bool()",
        "results_swapped": [
            "return weights, context.transpose(0, 1)",
            "return weights, context",
            (AVERAGED, "return weights, context.transpose(0, 1)"),
            (AVERAGED, "return weights, context"),
        ],
        "batch_second": [
            ("return context, weights", NOT_SWAPPED),
            ("return context, weights", NOT_SWAPPED, "hidden = None"),
            ("return context, weights", NOT_SWAPPED, AVERAGED),
        ],
        "reshaped": [
            swap("x = x.transpose(0, 1)", "x = x.reshape(tokens, len(x), -1)"),
            (
                swap("x = x.transpose(0, 1)", "x = x.reshape(tokens, len(x), -1)"),
                "return context.reshape(len(weights), tokens, -1), weights",
            ),
        ],
        "in_place": ("return context, weights", swap(SWAPPED, "layer.batch_first = True")),
        "weights_averaged": AVERAGED,
        "weights_not_asked_for": swap("average_attn_weights=False", "need_weights=False"),
        "only_is_causal": swap("attn_mask=hidden", "is_causal=True"),
    },
)
def torch_heads(layer, x):
    tokens = x.shape[1]
    hidden = torch.ones(tokens, tokens).triu(diagonal=1).bool()
    x = x.transpose(0, 1)  # (tokens, batch, d)
    context, weights = layer(x, x, x, attn_mask=hidden, average_attn_weights=False)
    return context.transpose(0, 1), weights
