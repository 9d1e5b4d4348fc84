"""What a test that learners write is tried on: to a test that is blind to it, nothing moves at all."""

import attempts
import numpy as np
import pytest
import torch

from helpers.exercises import EXERCISES, ordered_layers
from helpers.exercises.leak_tests import cases
from helpers.judge.exercise import wave
from helpers.judge.running import Run

LEAK = """before = layer(x)
for t in {positions}:
    poked = x.clone()
    poked[{poked}] += {by}
    moved = {seen}
    if {moves}:
        return True
return False"""
FULL = {
    "positions": "range(1, x.shape[1])",
    "poked": ":, t:",
    "by": "torch.randn_like(poked[:, t:])",
    "seen": "layer(poked)[:, :t] - before[:, :t]",
    "moves": "moved.abs().max() > 1e-6",
}
CONSTANTS = ["poked[:, t:]", "1.0", "-0.1", "100.0", "torch.randn(x.shape[0], x.shape[1] - t, 1)"]
AFTER_THE_FIRST = {
    "positions": "range(2, x.shape[1])",
    "seen": "layer(poked)[:, 1:t] - before[:, 1:t]",
}
BLIND = {  # a suspect → what of the full test misses it, in every way
    "a faint leak of the last token": [{"moves": "moved.abs().max() > 1e-2"}],
    "a leak in the first token only": [AFTER_THE_FIRST],
    "a leak from the last token to the first": [
        {"positions": "[1]", "poked": ":, t:t+1", "by": "1.0"},
        AFTER_THE_FIRST,
    ],
    "a leak that lowers what it reaches": [
        {"moves": f"moved.max() > {bound}"} for bound in ("0", "1e-6")
    ],
    "a leak from one number to one number": [
        {"poked": ":, t:, 0", "by": "torch.randn_like(poked[:, t:, 0])"},
        {"moves": "moved[..., 0].abs().max() > 0"},
    ],
    "a leak in the second sentence only": [{"moves": "moved[0].abs().max() > 0"}],
    "a leak in the last token but two": [{"positions": "[1, 2, 3, 4, 5, 7]", "poked": ":, t:t+1",
                                          "by": "1.0"}],
    "a leak in the last token but one": [{"positions": "range(1, x.shape[1] - 1)",
                                          "poked": ":, t:t+1", "by": "1.0"}],
    "a pre-norm layer with no mask": [
        {"by": by, "moves": f"moved.abs().max() > {bound}"} for by in CONSTANTS for bound in (0, 1e-6)
    ],
    "a leak that keeps the sum of each output": [
        {"seen": f"layer(poked)[:, :t].{sum} - before[:, :t].{sum}",
         "moves": f"moved.abs().max() > {bound}"}
        for sum in ("sum(-1)", "sum()", "mean()") for bound in (0, 1e-6)
    ],
    "a post-norm layer with no mask": [
        {"seen": f"layer(poked)[:, :t].{of} - before[:, :t].{of}"}
        for of in ("norm(dim=-1)", "norm()", "square().sum()", "sum(-1)", "sum()", "mean()")
    ],
}  # fmt: skip


def leak_test(change):
    code = LEAK.format(**FULL | change)
    return attempts.answer("leak_test", code, f"leak {code}")


@pytest.mark.parametrize("moves, missed", [
    ("moved.abs().max() > 1e-6", []),
    ("moved.max() > 1e-6", ["a leak that lowers what it reaches"]),
])  # fmt: skip
def test_what_a_leak_test_misses_does_not_hang_on_one_draw(moves, missed):
    assert {case.says for case in cases()[3:]} == BLIND.keys()
    for seed in range(20):
        for i, case in enumerate(cases()):
            torch.manual_seed(seed)
            found = leak_test({"moves": moves})(*case.arguments)
            assert found == (i > 1 and case.says not in missed), (case.says, seed)


@pytest.mark.parametrize("says", BLIND)
def test_a_leak_moves_nothing_for_a_test_that_is_blind_to_it(says):
    (case,) = [case for case in cases() if case.says == says]
    for change in BLIND[says]:
        for seed in range(5):
            torch.manual_seed(seed)
            with torch.no_grad():
                assert not leak_test(change)(*case.arguments), (change, seed)


ORDERS = {  # a layer that knows the order → orders of four tokens that do not show it
    "self-attention with one position for two neighbours": [[1, 0, 2, 3], [0, 1, 3, 2]],
    "a layer that closes the sentence to a ring": [[1, 2, 3, 0], [2, 3, 0, 1], [3, 0, 1, 2]],
    "a ring in which each token looks both ways": [[1, 2, 3, 0], [3, 2, 1, 0], [0, 3, 2, 1]],
    "a layer that reverses the sentence": [[3, 2, 1, 0], [2, 3, 0, 1], [0, 2, 1, 3]],
    "attention that knows the first position only": [[0, 2, 1, 3], [0, 1, 3, 2], [0, 3, 1, 2]],
    "attention that knows the last position only": [[1, 0, 2, 3], [0, 2, 1, 3], [2, 0, 1, 3]],
}


def test_an_order_that_does_not_show_what_a_layer_knows_moves_nothing_beyond_rounding():
    x = wave(2, 4, 6, seed=3)
    layers = ordered_layers.layers(x)
    for says, layer in layers.items():
        for order in ORDERS.get(says, []):
            moved = (layer(x[:, order]) - layer(x)[:, order]).abs().max()
            assert moved < 1e-6, (says, order)
    rises = layers["a layer whose numbers can only rise in another order"]
    falls = layers["a layer whose numbers can only fall in another order"]
    for order in ([1, 0, 2, 3], [3, 2, 1, 0]):
        assert (rises(x[:, order]) - rises(x)[:, order]).min() >= 0
        assert (falls(x[:, order]) - falls(x)[:, order]).max() <= 0


def test_in_a_model_what_a_mistake_changes_is_more_than_rounding():
    exercise = EXERCISES["my_watch"]
    for mistake in exercise.mistakes.values():
        for case in exercise.all_cases:
            right = exercise.observe(exercise.right, case, Run(9)).values or {}
            wrong = exercise.observe(mistake.ways[0], case, Run(9)).values or {}
            for name, array in right.items():
                got = wrong.get(name)
                if isinstance(got, np.ndarray) and got.shape == array.shape:
                    moved = np.abs(got - array).max()
                    assert moved < 1e-6 or moved > 1e-2, (mistake.id, case.says, moved)
