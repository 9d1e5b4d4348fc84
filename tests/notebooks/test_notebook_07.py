"""Notebook 7: the layers of Keras compared with ours, and the values that Keras publishes."""

import os
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest
import torch
from notebook_cells import cell_with
from notebook_cells import run as run_cells

from helpers import checks, exercises
from helpers.data.sentences import SUNNY
from helpers.models.attention import MultiHeadAttention, scaled_dot_product_attention
from helpers.models.keras_on_torch import keras

# Keras converts tensors in a way that NumPy 2 has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
layers = keras.layers
ROOT = Path(__file__).resolve().parent.parent.parent
SIZES = [(2, 3, 5, 4, 6), (1, 1, 2, 1, 1), (2, 7, 2, 9, 3)]
drawn = pytest.mark.parametrize("sizes", SIZES, ids=str)  # batch, queries, keys, d, d_v


def gap(a, b):
    """The largest difference. The shapes must be equal, not only broadcast to each other."""
    assert a.shape == b.shape
    return (a.detach() - b.detach()).abs().max().item()


def inputs(batch, queries, keys, d, d_v):
    """query, key, value, hidden (batch, keys); the first key is always visible."""
    torch.manual_seed(0)
    query, key = torch.randn(batch, queries, d), torch.randn(batch, keys, d)
    hidden = torch.rand(batch, keys) < 0.5
    hidden[:, 0] = False
    return query, key, torch.randn(batch, keys, d_v), hidden


# ---------------------------------------------------------------- published values


def test_the_values_that_keras_publishes_come_out_of_keras_and_by_hand():
    q, k = torch.tensor([[1.0, 0], [0, 1]]), torch.tensor([[0.0, 1], [1, 0]])
    v = torch.tensor([[1.0, 2], [3, 4]])
    dot = torch.tensor([[2.462, 3.462], [1.538, 2.538]])
    additive = torch.tensor([[1.727, 2.727], [2.272, 3.272]])
    both = [q[None], v[None], k[None]]
    added = exercises.additive_scores(q, k, torch.eye(2), torch.eye(2), torch.ones(2))
    assert gap(layers.Attention()(both)[0], dot) < 6e-4
    assert gap((q @ k.T).softmax(dim=1) @ v, dot) < 6e-4
    assert gap(layers.AdditiveAttention(use_scale=False)(both)[0], additive) < 6e-4
    assert gap(added.softmax(dim=1) @ v, additive) < 6e-4


# ---------------------------------------------------------------- parity


@drawn
@pytest.mark.parametrize("use_scale", [False, True])
def test_attention_is_ours_once_it_is_scaled(sizes, use_scale):
    query, key, value, hidden = inputs(*sizes)
    d = query.shape[-1]
    ours, our_weights = scaled_dot_product_attention(query, key, value, hidden[:, None])
    layer = layers.Attention(use_scale=use_scale)
    layer.build([query.shape, value.shape, key.shape])
    if use_scale:
        layer.scale.assign(d**-0.5)
    three = [query if use_scale else query / d**0.5, value, key]
    theirs, their_weights = layer(three, mask=[None, ~hidden], return_attention_scores=True)
    assert gap(theirs, ours) < 1e-5 and gap(their_weights, our_weights) < 1e-5


@drawn
@pytest.mark.parametrize("use_scale", [False, True])
def test_additive_attention_is_ours_once_it_is_projected(sizes, use_scale):
    query, key, value, hidden = inputs(*sizes)
    W_query, W_key = torch.randn(2, query.shape[-1], 7)
    v = torch.randn(7) if use_scale else torch.ones(7)
    layer = layers.AdditiveAttention(use_scale=use_scale)
    three = [query @ W_query, value, key @ W_key]
    layer.build([part.shape for part in three])
    if use_scale:
        layer.scale.assign(v)
    theirs, their_weights = layer(three, mask=[None, ~hidden], return_attention_scores=True)
    for b in range(len(query)):
        scores = exercises.additive_scores(query[b], key[b], W_query, W_key, v)
        weights = scores.masked_fill(hidden[b], -torch.inf).softmax(dim=1)
        assert gap(their_weights[b], weights) < 1e-5
        assert gap(theirs[b], weights @ value[b]) < 1e-5
    concat = layers.Attention(score_mode="concat")([query, value, key])  # it adds, too
    assert gap(concat, layers.AdditiveAttention(use_scale=False)([query, value, key])) < 1e-6


def as_keras(layer):
    """A Keras layer with the parameters of one of our MultiHeadAttention layers."""
    heads, size = layer.num_heads, layer.head_dim
    d_out, d_in = layer.W_query.weight.shape
    peer = layers.MultiHeadAttention(heads, key_dim=size, output_shape=d_out)
    peer.build((None, None, d_in), (None, None, d_in))
    numbers = []
    for linear in (layer.W_query, layer.W_key, layer.W_value):
        numbers += [linear.weight.T.reshape(d_in, heads, size), linear.bias.reshape(heads, size)]
    numbers += [layer.out_proj.weight.T.reshape(heads, size, d_out), layer.out_proj.bias]
    peer.set_weights([part.detach().numpy() for part in numbers])
    return peer


@pytest.mark.parametrize("d_in, d_out, heads, tokens", [(3, 20, 4, 6), (8, 8, 1, 2), (5, 6, 6, 3)])
def test_multi_head_attention_is_ours(d_in, d_out, heads, tokens):
    torch.manual_seed(0)
    layer = MultiHeadAttention(d_in, d_out, 7, 0.0, heads, qkv_bias=True)
    peer, x = as_keras(layer), torch.randn(2, tokens, d_in)
    context, weights = layer(x, return_weights=True)
    theirs, their_weights = peer(x, x, use_causal_mask=True, return_attention_scores=True)
    assert gap(theirs, context) < 1e-5 and gap(their_weights, weights) < 1e-5
    visible = torch.ones(2, tokens, tokens).tril().bool()  # the same mask, True = attend
    assert gap(peer(x, x, attention_mask=visible), context) < 1e-5
    assert gap(peer(x, x, use_causal_mask=True), context) < 1e-5  # takes Keras's faster path


def test_what_sees_nothing_gets_nothing_from_ours_and_a_mean_from_keras_if_scores_are_small():
    query, key, value, hidden = inputs(1, 2, 3, 4, 5)
    blind = torch.ones_like(hidden)
    assert not scaled_dot_product_attention(query, key, value, blind[:, None])[0].any()
    theirs = layers.Attention()([query, value, key], mask=[None, ~blind])
    assert gap(theirs, value.mean(dim=1, keepdim=True).expand(1, 2, 5)) < 1e-6
    large = layers.Attention()([100 * query, value, 100 * key], mask=[None, ~blind])
    assert gap(large, theirs) > 0.1  # Keras subtracts too little to hide a key


# ---------------------------------------------------------------- the import

REPORT = """
import warnings
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    from helpers.models.keras_on_torch import keras
import os
print([str(w.message) for w in heard], keras.backend.backend(), os.environ.get("KERAS_HOME"))
"""
FONTS = {
    "MPLCONFIGDIR": matplotlib.get_cachedir()
}  # listing the fonts for a new home takes seconds


def run(code, home, **environment):
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=kept | FONTS | {"HOME": str(home), "PYTHONPATH": str(ROOT)} | environment,
        capture_output=True,
        text=True,
    )


def test_the_import_leaves_no_file_and_no_warning(tmp_path):
    done = run(REPORT, tmp_path)
    assert done.stdout.strip() == "[] torch None" and done.stderr == ""
    assert not list(tmp_path.rglob("*"))


def test_a_learner_without_keras_is_told_how_to_get_it(tmp_path):
    done = run("import sys; sys.modules['keras'] = None\n" + REPORT, tmp_path)
    error = done.stderr.strip().split("\n")[-1]
    assert error.startswith("ModuleNotFoundError: ") and "%pip install keras" in error


def test_another_backend_is_named(tmp_path):
    (tmp_path / "keras.py").write_text(
        "class backend:\n    @staticmethod\n    def backend():\n        return 'jax'\n"
    )
    done = run(REPORT, tmp_path, PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}")
    error = done.stderr.strip().split("\n")[-1]
    assert error.startswith("ImportError: ") and "jax" in error


# ---------------------------------------------------------------- what the notebook holds


def test_the_layer_taught_scores_as_the_exercise_does():
    made = run_cells([cell_with("07", "class Additive")], torch=torch, nn=torch.nn)["Additive"](4)
    query, states = torch.randn(2, 4), torch.randn(2, 5, 4)
    mix, weights = made(query, states)
    numbers = made.W_query.weight.T, made.W_key.weight.T, made.v.weight[0]
    for b in range(2):
        scores = exercises.additive_scores(query[b : b + 1], states[b], *numbers)[0]
        assert gap(weights[b], scores.softmax(dim=0)) < 1e-6
        assert gap(mix[b], scores.softmax(dim=0) @ states[b]) < 1e-6


def test_whole_numbers_as_hard_weights_run_in_the_notebook():
    def my_hard_attention(scores, values):
        best = scores.argmax(dim=1)
        return torch.nn.functional.one_hot(best, len(values)), values[best]

    assert checks.hard_attention(my_hard_attention).passed
    marks = ("import torch\n", "one_word @ X", "def cool", "mine = checks.yours")
    sources = [cell_with("07", mark) for mark in marks]
    cells = run_cells(sources, X=SUNNY, my_hard_attention=my_hard_attention)
    looks = torch.eye(8).flip(1).roll(1, 0).expand(500, 8, 8)  # at the last letter heard
    cells["looking"] = lambda heard: (torch.zeros(500, 8, 12), looks)
    run_cells([cell_with("07", "torch.rand(500, 12)"), sources[-1]], **cells)  # and once again
