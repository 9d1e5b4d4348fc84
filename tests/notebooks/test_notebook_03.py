"""Notebook 3: what its text says of the two trained models, which no cell prints."""

import torch
from notebook_cells import cell_with, run

CELLS = ["import torch", "FOOD =", "sentences =", "VOCABULARY =", "class NextWord", "def loss_of"]
TRAINED = ["def train", "first_losses, first_looks =", "floor =", "honest_losses, _ ="]


def test_the_cheater_looks_one_ahead_and_the_honest_model_ends_a_little_above_the_floor():
    told = run([cell_with("03", text) for text in CELLS + TRAINED])
    ahead = [1, 2, 3, 4, 5, 5]  # the last token has none ahead of it, and looks at itself
    assert told["first_looks"][100].argmax(dim=1).tolist() == ahead
    assert told["first_losses"][100] < 0.1 < told["floor"]
    with torch.no_grad():
        honest = told["loss_of"](told["honest"], told["book"]).item()
    assert told["floor"] < honest < told["floor"] + 0.15
