"""Where the colour scale of each panel ends, and where it shows next to nothing."""

import math

import numpy as np

from .. import _
from .roles import ROLES

PALE = 0.2  # of a scale: what stays below hardly differs from white
STEPS = (1, 1.5, 2, 3, 4, 5, 6, 8, 10)  # times a power of 10: where a scale may well end


def ends_of_scales(panels, spans, limits):
    """Yields where the colour scale of each panel ends.

    Weights and chances end at 1, for that is all there is to give, and a panel that has a limit of its
    own ends there. All others of one role share a scale, which ends where the largest of their numbers is.

    spans    (lowest, highest) of each panel, with 0
    limits   {name: limit} of those that were asked for
    """
    fixed = [panel.name in limits or ROLES[panel.role].low == "#FFFFFF" for panel in panels]
    reach = {panel.role: 0.0 for panel in panels}
    for panel, (low, high), stays in zip(panels, spans, fixed):
        if not stays:
            reach[panel.role] = max(reach[panel.role], -low, high)
    for panel, stays in zip(panels, fixed):
        yield panel.limit if stays else rounded_up(reach[panel.role]) or panel.limit


def rounded_up(x):
    """The next number up that a scale may well end at; float32 makes 0.1 a little more, which is 0.1."""
    if not x:
        return 0.0
    power = 10.0 ** math.floor(math.log10(x))
    return float(f"{power * next(s for s in STEPS if x <= s * power * (1 + 1e-6)):.2g}")


def says_pale(panel, array):
    """What is said of weights that their colours hardly show, as those of 25 tokens; "" where they do."""
    largest = float(np.nanmax(array, initial=0))
    if panel.role != "weights" or not 0 < largest < PALE * panel.limit:
        return ""
    told = {"end": rounded_up(largest), "panel": panel}
    return _("all weights are at most {end:g}: pale on a scale to {panel.limit:g}", **told)
