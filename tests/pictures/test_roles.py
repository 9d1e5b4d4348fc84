"""Where the scale of a still picture ends."""

import numpy as np
import pytest

from helpers.pictures import plots
from helpers.pictures.roles import rounded_up


def test_a_scale_ends_where_the_numbers_of_its_role_do_and_weights_at_1():
    given = {
        "weights": 0.01,
        "more weights": 1.2,
        "context": 0.61,
        "x": -0.2,
        "scores": 0,
        "a": 7,
        "b": 7,
    }
    matrices = {name: np.full((2, 2), x) for name, x in given.items()}
    limits = {"a": 9, "b": 3.3}
    axes = plots.matrices(matrices, ["t", "u"], limits=limits).figure.axes
    found = [next(c for c in ax.collections if c.get_array() is not None).get_clim() for ax in axes]
    assert found == [(0, 1), (0, 1), (0, 0.8), (-0.8, 0.8), (0, 2), (0, 9), (0, 3.3)]


@pytest.mark.parametrize(
    "x, end",
    {0: 0, 1: 1, 1.01: 1.5, 0.1000001: 0.1, 8.1: 10, 11: 15, 0.061: 0.08, 250: 300}.items(),
)
def test_a_scale_ends_at_a_number_that_can_be_read(x, end):
    assert rounded_up(x) == end
