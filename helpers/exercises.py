"""All exercises: the right answer to each, and the inputs that it is tried with.

Inputs are chosen so that no mistake looks right: sizes all differ, scores are not symmetric and do
not saturate the softmax; then come large ones, negative ones, a single token, a batch.
"""

import torch
from torch import nn

from . import attention
from .asking import Case, FunctionExercise, wave
from .asking_layers import LayerCase, LayerExercise
from .asking_others import CopyExercise, DropoutExercise, LeakExercise, NumberExercise
from .layer_weights import PROJECTIONS
from .outcomes import HALF
from .sentences import SUNNY

# In each notebook, the exercises in their order.
ORDER = {
    1: ["scores", "softmax", "context", "self_attention"],
    2: ["project", "scaled_weights", "self_attention_module", "copy_weights"],
    3: ["causal_mask", "masked_weights", "causal_attention", "leak_test"],
    4: ["dropout", "dropout_module", "causal_dropout"],
    5: ["split_heads", "merge_heads", "multi_head", "gpt2_parameters", "torch_heads"],
}

# ---------------------------------------------------------------- notebook 1


def scores(query, X):
    return X @ query


def softmax(scores):
    return torch.softmax(scores, dim=-1)


def context(weights, X):
    return weights @ X


def self_attention(X):
    weights = torch.softmax(X @ X.T, dim=-1)
    return weights, weights @ X


# ---------------------------------------------------------------- notebooks 2 and 3


def project(x, W_query, W_key, W_value):
    return x @ W_query, x @ W_key, x @ W_value


def scaled_weights(queries, keys):
    return torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1)


def causal_mask(tokens):
    return torch.ones(tokens, tokens).triu(diagonal=1).bool()


def masked_weights(scores):
    return scores.masked_fill(causal_mask(scores.shape[-1]), float("-inf")).softmax(dim=-1)


def copy_weights(from_parameters, to_linear):
    with torch.no_grad():
        for name in PROJECTIONS:
            getattr(to_linear, name).weight.copy_(getattr(from_parameters, name).T)


def leak_test(layer, x):
    before = layer(x)
    for t in range(1, x.shape[-2]):
        poked = x.clone()
        poked[..., t:, :] += 1.0
        if not torch.allclose(layer(poked)[..., :t, :], before[..., :t, :], atol=1e-6):
            return True
    return False


# ---------------------------------------------------------------- notebooks 4 and 5


def dropout(weights, p):
    return weights * (torch.rand_like(weights) >= p) / (1 - p)


def split_heads(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)


def merge_heads(x):
    return x.transpose(-3, -2).flatten(-2)


def torch_heads(layer, x):
    x = x.transpose(0, 1)
    hidden = causal_mask(len(x))
    context, weights = layer(x, x, x, attn_mask=hidden, average_attn_weights=False)
    return context.transpose(0, 1), weights


def gpt2_parameters():
    layer = attention.MultiHeadAttention(768, 768, 1, 0.0, num_heads=12, qkv_bias=True)
    return sum(p.numel() for p in layer.parameters())


def torch_layer(d, num_heads):
    """An nn.MultiheadAttention as PyTorch makes it, filled with waves: batch_first is False."""
    layer = nn.MultiheadAttention(d, num_heads)
    with torch.no_grad():
        for seed, weight in enumerate(layer.parameters()):
            weight.copy_(wave(*weight.shape, seed=seed))
    return layer


# ---------------------------------------------------------------- the inputs

_five = wave(5, 4)  # tokens and dimensions differ: a mixed-up axis cannot hide
_future_zero = torch.tensor([[0.4, 0.0, 0.9], [0.7, -0.3, 0.0], [0.2, 0.8, 0.5]])
_unit = torch.eye(3)

FUNCTIONS = [
    FunctionExercise(
        "scores",
        ("query", "X"),
        ("scores",),
        [
            Case("shiny and its three words", (SUNNY[1], SUNNY)),
            Case("more words than dimensions", (wave(4, seed=2), _five)),
            Case("a single word", (wave(3, seed=3), wave(1, 3, seed=4))),
            Case("large numbers", (30 * wave(2, seed=5), 30 * wave(3, 2, seed=6))),
            Case("float64", (wave(4, seed=7).double(), _five.double())),
        ],
        scores,
    ),
    FunctionExercise(
        "softmax",
        ("scores",),
        ("weights",),
        [
            Case("a row of scores", (wave(4),)),
            Case("a square matrix", (wave(3, 3, seed=1),)),
            Case("a matrix", (wave(3, 5, seed=2),)),
            Case("a batch of matrices", (wave(2, 3, 4, seed=3),)),
            Case("negative scores", (wave(2, 4, seed=4) - 3,)),
            Case("a single score", (wave(1, seed=5),)),
            Case("large scores", (1000 + wave(2, 3, seed=6),)),
            Case("scores far apart", (torch.tensor([-300.0, 0.0, 300.0, 299.0]),)),
            Case("rows far apart", (wave(2, 3, seed=7) + torch.tensor([[0.0], [1000.0]]),)),
            Case("float64", (wave(3, 4, seed=8).double(),)),
        ],
        softmax,
    ),
    FunctionExercise(
        "context",
        ("weights", "X"),
        ("context",),
        [
            Case("shiny's weights", (torch.softmax(SUNNY @ SUNNY[1], dim=0), SUNNY)),
            Case("more words than dimensions", (softmax(wave(5, seed=1)), _five)),
            Case("a single word", (torch.ones(1), wave(1, 3, seed=4))),
            Case("weights that do not sum to 1", (torch.tensor([0.5, 0.0]), wave(2, 3, seed=5))),
            Case("float64", (softmax(wave(5, seed=6)).double(), _five.double())),
        ],
        context,
    ),
    FunctionExercise(
        "self_attention",
        ("X",),
        ("weights", "context"),
        [
            Case("Hello shiny sun", (SUNNY,)),
            Case("more words than dimensions", (_five,)),
            Case("a single word", (wave(1, 3, seed=4),)),
            Case("negative numbers", (wave(3, 2, seed=5) - 1,)),
            Case("large numbers", (40 * wave(4, 3, seed=6),)),
            Case("float64", (wave(4, 5, seed=7).double(),)),
        ],
        self_attention,
    ),
    FunctionExercise(
        "project",
        ("x", "W_query", "W_key", "W_value"),
        ("queries", "keys", "values"),
        [
            Case("5 tokens", (wave(5, 3), *wave(3, 3, 2, seed=1))),
            Case("as many numbers out as in", (wave(4, 3, seed=2), *wave(3, 3, 3, seed=3))),
            Case("one token", (wave(1, 2, seed=4), *wave(3, 2, 5, seed=5))),
            Case("weights of 0 and 1", (wave(3, 3, seed=6), _unit, 2 * _unit, 3 * _unit)),
            Case("float64", (wave(5, 3).double(), *wave(3, 3, 2, seed=7).double())),
        ],
        project,
        trains=True,
    ),
    FunctionExercise(
        "scaled_weights",
        ("queries", "keys"),
        ("weights",),
        [
            Case("5 tokens and d_k = 3", (wave(5, 3), wave(5, 3, seed=1))),
            Case("as many tokens as d_k", (wave(3, 3, seed=2), wave(3, 3, seed=3))),
            Case("d_k = 7", (wave(2, 7, seed=4), wave(2, 7, seed=5))),
            Case("one token", (wave(1, 3, seed=6), wave(1, 3, seed=7))),
            Case("negative queries", (wave(4, 5, seed=8) - 1, wave(4, 5, seed=9))),
            # Scores near 1000 in every row, close together: only exp without the maximum overflows.
            Case("large scores", (torch.tensor([[800.0, 0.3]] * 3), 1 + wave(3, 2, seed=3) / 600)),
            Case("float64", (wave(4, 3, seed=10).double(), wave(4, 3, seed=11).double())),
        ],
        scaled_weights,
        trains=True,
    ),
    FunctionExercise(
        "causal_mask",
        ("tokens",),
        ("mask",),
        [Case("one token" if n == 1 else f"{n} tokens", (n,)) for n in (4, 1, 2, 7)],
        causal_mask,
        wanted="bool",
    ),
    FunctionExercise(
        "masked_weights",
        ("scores",),
        ("weights",),
        [
            Case("4 tokens", (wave(4, 4),)),
            Case("one token", (wave(1, 1, seed=1),)),
            Case("a future score of exactly 0", (_future_zero,)),
            Case("negative scores", (wave(3, 3, seed=2) - 3,)),
            Case("large scores", (1000 + wave(3, 3, seed=3),)),
            Case("a batch", (wave(2, 4, 4, seed=4),)),
            Case("float64", (wave(5, 5, seed=5).double(),)),
            Case("float16", (wave(3, 3, seed=6).half(),), HALF),
        ],
        masked_weights,
        trains=True,
    ),
    FunctionExercise(
        "split_heads",
        ("x", "num_heads"),
        ("heads",),
        [
            Case("3 heads of 4", (wave(2, 5, 12), 3)),
            Case("as many heads as tokens", (wave(2, 3, 6, seed=1), 3)),
            Case("one head", (wave(2, 3, 4, seed=2), 1)),
            Case("heads of one number", (wave(1, 4, 3, seed=3), 3)),
            Case("one token", (wave(3, 1, 6, seed=4), 2)),
            Case("float64", (wave(2, 5, 4, seed=5).double(), 2)),
        ],
        split_heads,
        trains=True,
    ),
    FunctionExercise(
        "merge_heads",
        ("x",),
        ("merged",),
        [
            Case("3 heads of 4", (wave(2, 3, 5, 4),)),
            Case("as many heads as tokens", (wave(2, 3, 3, 2, seed=1),)),
            Case("one head", (wave(2, 1, 3, 4, seed=2),)),
            Case("heads of one number", (wave(1, 3, 4, 1, seed=3),)),
            Case("one token", (wave(3, 2, 1, 4, seed=4),)),
            Case("float64", (wave(2, 2, 5, 3, seed=5).double(),)),
        ],
        merge_heads,
        trains=True,
    ),
    FunctionExercise(
        "torch_heads",
        ("layer", "x"),
        ("context", "weights"),
        [
            Case("3 sentences of 5 tokens", (torch_layer(6, 2), wave(3, 5, 6))),
            Case("as many sentences as tokens", (torch_layer(4, 2), wave(3, 3, 4, seed=1))),
            Case("one token", (torch_layer(4, 4), wave(2, 1, 4, seed=2))),
        ],
        torch_heads,
        trains=True,
    ),
]

LAYERS = [
    LayerExercise(
        "self_attention_module",
        ("d_in", "d_out"),
        [
            LayerCase("6 tokens", 6, 3, 2),
            LayerCase("the weights themselves", 4, 5, 4, xray=True),
            LayerCase("d_out larger than d_in", 3, 2, 5),
            LayerCase("one token", 1, 3, 2),
            LayerCase("with qkv_bias=True", 4, 3, 2, qkv_bias=True),
            LayerCase("large numbers", 3, 4, 2, level=40.0),
            LayerCase("float64", 4, 3, 2, double=True),
        ],
        attention.SelfAttention,
    ),
    LayerExercise(
        "causal_attention",
        ("d_in", "d_out", "context_length", "dropout"),
        [
            LayerCase("2 sentences of 5 tokens", 5, 3, 4, 2),
            LayerCase("the weights themselves", 4, 5, 4, 1, xray=True),
            LayerCase("as many tokens as context_length", 9, 4, 3, 2, context_length=9),
            LayerCase("as many sentences as tokens", 3, 2, 5, 3),
            LayerCase("a token that is all zeros", 4, 3, 2, 2, blank=2),
            LayerCase("one token", 1, 3, 2, 2),
            LayerCase("with qkv_bias=True", 4, 3, 2, 3, qkv_bias=True),
            LayerCase("large numbers", 3, 4, 2, 2, level=40.0),
            LayerCase("float64", 4, 3, 2, 2, double=True),
        ],
        attention.CausalAttention,
    ),
    LayerExercise(
        "causal_dropout",
        ("d_in", "d_out", "context_length", "dropout"),
        [
            LayerCase("2 sentences of 5 tokens", 5, 3, 4, 2),
            LayerCase("the weights themselves", 4, 5, 4, 1, xray=True),
        ],
        attention.CausalAttention,
        drops=True,
    ),
    LayerExercise(
        "multi_head",
        ("d_in", "d_out", "context_length", "dropout", "num_heads"),
        [
            LayerCase("2 sentences and 3 heads", 5, 7, 12, 2, num_heads=3),
            LayerCase("the weights themselves", 4, 5, 8, 1, num_heads=2, xray=True),
            LayerCase("as many heads as tokens", 3, 5, 6, 2, num_heads=3),
            LayerCase("as many sentences as tokens", 3, 4, 6, 3, num_heads=2),
            LayerCase("one head", 4, 3, 2, 2, num_heads=1),
            LayerCase("as many tokens as context_length", 8, 3, 4, 2, num_heads=2),
            LayerCase("one token", 1, 3, 4, 2, num_heads=2),
            LayerCase("with qkv_bias=True", 4, 3, 6, 2, num_heads=2, qkv_bias=True),
            LayerCase("large numbers", 3, 5, 4, 2, num_heads=2, level=40.0),
            LayerCase("float64", 4, 3, 6, 2, num_heads=2, double=True),
        ],
        attention.MultiHeadAttention,
        drops=True,
    ),
]

OTHERS = [
    CopyExercise("copy_weights", copy_weights),
    LeakExercise("leak_test", leak_test),
    DropoutExercise("dropout", dropout),
    DropoutExercise("dropout_module", nn.Dropout, "class", ("p",)),
    NumberExercise("gpt2_parameters", "parameters", gpt2_parameters),
]

_by_name = {exercise.name: exercise for exercise in [*FUNCTIONS, *LAYERS, *OTHERS]}
EXERCISES = {name: _by_name[name] for names in ORDER.values() for name in names}
