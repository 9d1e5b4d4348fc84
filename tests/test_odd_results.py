"""Whatever a learner's code returns, a check says something sensible of it."""

import numpy as np
import pytest
import torch
from torch import nn

from helpers import checks


def check(name, answer):
    return getattr(checks, name)(answer)


class Stubborn:
    """Raises at everything."""

    def __getattr__(self, name):
        raise RuntimeError("no")

    def __array__(self, *arguments, **named):
        raise ZeroDivisionError("no array")


ODD = [
    "abc", b"abc", {"weights": 1}, {1, 2}, [[1, 2], [3]], [], [[]], object(), 1j, torch.tensor(1j),
    np.array(["a"]), len, nn.Linear, True, 3, torch.ones(0), torch.ones(1, 1, 1, 1, 1, 1),
    float("inf"), torch.full((4,), torch.inf), [None], (x for x in "ab"), Stubborn(), "…" * 10_000,
    torch.ones(4).to_sparse(), np.ma.masked_all(4), [torch.ones(4)] * 2, np.datetime64("2020"),
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
@pytest.mark.parametrize("name", ["softmax", "self_attention", "dropout", "leak_test", "project"])
def test_an_odd_result(name, odd):
    result = check(name, lambda *arguments: odd)
    assert not result.passed
    assert result.message.startswith(f"{name.replace('_', ' ')}: not ")
    assert len(result.message) < 1500 and "could not be checked" not in result.message
    assert result.picture is None or result.picture.text


@pytest.mark.parametrize("name", ["self_attention_module", "dropout_module", "multi_head"])
@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
def test_a_layer_with_an_odd_result(name, odd):
    class Layer(nn.Module):
        def __init__(self, *sizes, **named):
            super().__init__()

        def forward(self, x):
            return odd

    result = check(name, Layer)
    assert not result.passed and "could not be checked" not in result.message


class Difficult(nn.Module):
    W_key = "not a matrix"

    def __init__(self, *sizes, **named):
        super().__init__()

    @property
    def W_query(self):
        raise ZeroDivisionError

    def forward(self, x):
        return x


@pytest.mark.parametrize("name", ["self_attention_module", "causal_attention", "multi_head"])
def test_an_object_made_to_be_difficult(name):
    assert check(name, Difficult).message.startswith(f"{name.replace('_', ' ')}: not yet.")
