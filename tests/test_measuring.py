"""The measuring of notebook 12: against work of a known size."""

import time

import pytest
import torch

from helpers.tools import megabytes, milliseconds


def test_the_fastest_of_several_runs_counts():
    waits = iter([0.2, 0.01, 0.2])
    took = milliseconds(lambda: time.sleep(next(waits)), repeat=3)
    assert 10 <= took < 200
    assert next(waits, None) is None


def test_what_is_kept_for_gradients_is_counted_once():
    x = torch.rand(500, 500, requires_grad=True)  # a megabyte
    assert megabytes(lambda x: x + 1, x) == 0  # nothing of x is needed on the way back
    assert megabytes(lambda x: x * x, x) == pytest.approx(1)  # x twice, in one place
    assert megabytes(lambda x: (x * x).exp(), x) == pytest.approx(2)  # and what exp gives
    assert megabytes(lambda x: (x * 2).exp(), x.detach()) == 0
