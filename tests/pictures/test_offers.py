"""Where colours would show next to nothing, a still picture says so."""

import numpy as np
import pytest

from helpers.pictures import plots


def said(name, largest, size=25, **given):
    """What stands under a matrix whose largest number is this."""
    words = [f"w{i}" for i in range(size)]
    hidden = np.eye(size)[::-1]  # masked: it does not count
    matrix = np.where(hidden, 9.0 if name == "weights" else 0.0, largest * np.eye(size))
    picture = plots.matrices({name: matrix}, words, columns={name: words}, masked=hidden, **given)
    return picture.figure.get_supxlabel()


@pytest.mark.parametrize(
    "largest, end", {0.0873: 0.088, 0.04: 0.04, 0.1: 0.1, 0.0991: 0.1, 3e-7: 3e-7}.items()
)
def test_pale_weights_are_told_with_the_next_number_of_two_digits(largest, end):
    told = f"weights: all weights are at most {end:g}: pale on a scale to 1"
    assert said("weights", largest) == told


def test_where_something_shows_or_numbers_can_be_read_nothing_is_said():
    assert not any(said("weights", largest) for largest in (0.2, 1.0, 0.0))
    assert said("weights", 0.04, size=5) == ""
    assert said("weights", 0.1, limits={"weights": 0.4}) == ""
    assert said("scores", -0.3) == "scores: all numbers are within ±0.3: pale on a scale to 2"
    assert said("context", -0.3) == ""
