"""What is measured of dropout is exact, whatever is drawn."""

import numpy as np
import pytest

from helpers.judge.comparing import Remark
from helpers.judge.dropping import what_dropout_did


def test_a_share_is_0_only_if_nothing_is_dropped():
    whole = np.linspace(0.1, 1, 300).reshape(20, 15)
    for threshold, share in ((0.05, 0.0), (0.12, pytest.approx(7 / 300))):
        came = what_dropout_did(whole, lambda: whole * (whole > threshold), 0.2)  # noqa: B023
        assert came["share of weights dropped"] == share


def test_of_weights_that_are_nan_only_that_is_said():
    whole = np.full((3, 4), 0.25)
    came = what_dropout_did(whole, lambda: np.full((3, 4), np.nan), 0.2)
    assert all(isinstance(value, Remark) for value in came.values()) and came
