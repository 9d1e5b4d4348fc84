"""Where colours would show next to nothing: what a still picture says of it.

A scale belongs to its role, so that a colour means the same in every picture, and weights end at 1. Those
of 25 tokens are near 0.04 there, all but white. A live picture offers a closer scale besides: colours.js.
"""

import math

import numpy as np

from .. import _

PALE = 0.2  # of a scale: what stays below hardly differs from white


def says_pale(panel, array):
    """What is said of a matrix that its colours hardly show; "" where they do."""
    largest = float(np.nanmax(np.abs(array), initial=0))
    if not 0 < largest < PALE * panel.limit:
        return ""
    # The next number up that has two digits; float32 makes 0.1 a little more, which counts as 0.1.
    step = 10.0 ** (math.floor(math.log10(largest)) - 1)
    told = {"end": float(f"{math.ceil(largest / step * (1 - 1e-6)) * step:.2g}"), "panel": panel}
    if panel.role == "weights":
        return _("all weights are at most {end:g}: pale on a scale to {panel.limit:g}", **told)
    return _("all numbers are within ±{end:g}: pale on a scale to {panel.limit:g}", **told)
