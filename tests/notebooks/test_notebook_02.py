"""Notebook 2: what its text says of the layers trained on price lists, which no cell prints."""

import torch
from notebook_cells import cell_with, run

CELLS = [
    "import copy",
    "def shop",
    "example =",
    "def train",
    "right, copies = train",
    "def at",
    "flat =",
]
RACES = ["class Unscaled", '"without": race', "without, start"]


def test_a_dictionary_forms_and_the_scale_matters_for_large_numbers():
    told = run([cell_with("02", text) for text in [*CELLS, "for name, stay in"]])
    now = told["at"](100)
    assert torch.equal(now["scores"].argmax(dim=1), torch.arange(6))
    looks = now["question weights"][0]
    assert looks[1] > 0.9 and looks[5] < 0.05  # the entry of pear, and the question itself

    queries, keys = told["arrows"](200)["vectors"].detach()
    assert torch.cosine_similarity(queries, keys).min() > 0.9
    angles = torch.atan2(*queries.T).rad2deg().sort().values
    assert angles.diff().min() > 45 and angles.diff().max() < 75

    curves = told["curves"]
    assert curves["W_query stays"][-1] > 0.95
    assert 0.3 < sum(curves["only W_value learns"][-50:]) / 50 < 0.4

    for cell in RACES:
        told = run([cell_with("02", cell)], **told)
        if "without" in told["curves"]:
            assert min(curve[-1] for curve in told["curves"].values()) > 0.95
    scaled, *unscaled = (curve[-1] for curve in told["curves"].values())
    slow, slow_too, fast = sorted(unscaled)
    assert slow_too < 0.9 < min(fast, scaled)
