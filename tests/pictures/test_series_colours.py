"""Colours that appear side by side: bars and shapes of several series."""

import itertools

import numpy as np
import pytest
from words_drawn import contrast, linear

from helpers.pictures.roles import (
    CURVES,
    DARK_SERIES,
    GREY,
    KEY,
    QUERY,
    SERIES,
    VALUE,
)

# Machado, Oliveira and Fernandes (2009): matrices for linear RGB, at full severity.
EYES = {
    "usual": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                   [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
APART = 20  # in CIELAB, where black to white is 100 and the eye can just tell 2.3


def lab(rgb):
    x, y, z = TO_XYZ @ np.clip(rgb, 0, 1) / [0.9505, 1, 1.089]
    f = [np.cbrt(v) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_series_stand_out_from_white_and_what_has_no_ground_from_dark_too():
    assert all(contrast(colour, "#FFFFFF") >= 3 for colour in SERIES)
    assert all(contrast(colour, "#1B1B1B") >= 3 for colour in DARK_SERIES)
    for ground in ("#FFFFFF", "#111111"):
        assert contrast(GREY, ground) >= 4  # for words
        assert all(contrast(colour, ground) >= 3 for colour in (QUERY, KEY, VALUE, *CURVES))


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("series", [SERIES, DARK_SERIES, CURVES], ids=["light", "dark", "both"])
def test_no_two_look_alike(series, eyes):
    seen = {colour: lab(np.array(EYES[eyes]) @ linear(colour)) for colour in series}
    for one, other in itertools.combinations(series, 2):
        assert np.linalg.norm(seen[one] - seen[other]) >= APART, (one, other)


def test_only_roles_have_the_colours_of_roles():
    roles = [lab(linear(colour)) for colour in (QUERY, KEY, VALUE)]
    for colour in (*SERIES, *CURVES):
        assert min(np.linalg.norm(lab(linear(colour)) - role) for role in roles) >= APART, colour
