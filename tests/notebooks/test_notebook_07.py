"""Notebook 7: the values that Keras publishes, the import of Keras, and the layer taught."""

import os
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest
import torch
from notebook_cells import cell_with
from notebook_cells import run as run_cells

from helpers import exercises
from helpers.models.keras_on_torch import keras
from tests.models.oracles import gap

# Keras converts tensors in a way that NumPy 2 has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
layers = keras.layers
ROOT = Path(__file__).resolve().parents[2]


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


# ---------------------------------------------------------------- the import

REPORT = """
import warnings
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    from helpers.models.keras_on_torch import keras
from tests.models.oracles import gap
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
