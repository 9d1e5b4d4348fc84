"""Where the scale of a still picture ends, and the note if its colours show hardly anything."""

import numpy as np
import pytest

from helpers.pictures import plots
from helpers.pictures.roles import rounded_up


def said(name, largest, size=25, **given):
    """The text below a matrix whose largest value is this one."""
    words = [f"w{i}" for i in range(size)]
    hidden = np.eye(size)[::-1]  # masked, so it does not count
    matrix = np.where(hidden, 9.0 if name == "weights" else 0.0, largest * np.eye(size))
    picture = plots.matrices({name: matrix}, words, columns={name: words}, masked=hidden, **given)
    return picture.figure.get_supxlabel()


def test_pale_weights_are_told():
    assert (
        said("weights", 0.0873)
        == "weights: all weights are at most 0.1, which is pale on a scale that ends at 1"
    )


def test_where_something_shows_or_numbers_can_be_read_nothing_is_said():
    assert not any(said("weights", largest) for largest in (0.2, 1.0, 0.0))
    assert said("weights", 0.04, size=5) == ""
    assert said("weights", 0.1, limits={"weights": 0.4}) == ""
    assert said("scores", -0.3) == ""


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
