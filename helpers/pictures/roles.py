"""Colours by role, and where their scales end, for both the still pictures and the Explorer."""

import math
import re
from dataclasses import dataclass, replace

import numpy as np

from .. import _

# Okabe and Ito (2008): colour-blind eyes can tell these apart, too.
QUERY, KEY, VALUE = "#0072B2", "#D55E00", "#009E73"
WHITE = "#FFFFFF"
GREY = "#767676"  # for words and lines outside cells: readable on white and on black
MASKED, MASKED_LINES = (GREY, 0.14), (GREY, 0.34)  # translucent, so quiet on white and on black
PALE = 0.2  # share of a scale below which colours hardly differ from white
STEPS = (1, 1.5, 2, 3, 4, 5, 6, 8, 10)  # times a power of 10: round values at which a scale may end


@dataclass(frozen=True)
class Role:
    """How a kind of matrix is coloured: from `low` through white (at 0) to `high` (at `limit`)."""

    low: str  # white if no value is negative
    high: str
    limit: float
    reads: str  # what a caption says about rows and columns
    has_keys: bool = False  # whether its rows are queries that attend to keys

    @property
    def one_sided(self):
        """Whether its values are shares of 1, which are never negative."""
        return self.low == WHITE


ROLES = {
    "weights": Role(WHITE, "#4B2E83", 1.0, _("queries down, keys across"), True),
    "scores": Role("#A6611A", "#01665E", 2.0, _("queries down, keys across"), True),
    "vectors": Role("#A6611A", "#01665E", 1.0, _("a vector in each row")),
    "probabilities": Role(WHITE, "#4B2E83", 1.0, ""),
}
# Several series in one picture each have a colour of their own, and a pattern or dashes as well.
# The first colour is that of weights. All stand out from white, and from each other in colour-blind
# eyes, as a test measures.
SERIES = ("#4B2E83", "#D55E00", "#009E73", "#B400FF", "#3C0000", "#9687C3", "#1E5A5A", "#872D1E")
DASHES = ((), (9, 4), (2, 3), (10, 3, 2, 3), (18, 4), (5, 3), (2, 6), (10, 3, 2, 3, 2, 3))  # pixels


def role_of(name):
    """The role that a panel's name implies: "attention weights" → weights, "scores" → scores."""
    words = re.split(r"\W+", name.lower())
    for role in ("weights", "scores", "probabilities"):
        if role in words or role[:-1] in words:
            return role
    return "vectors"


def with_scales(panels, arrays):
    """The panels with the span of their values (lowest, highest, 0) and the limit of their colours.

    A limit that was given stays. Weights and probabilities end at 1, the most that they can be. All
    other panels of one role share a scale, which ends at or just above the largest of their values.
    """
    spans = [(float(np.nanmin(a, initial=0)), float(np.nanmax(a, initial=0))) for a in arrays]
    reach = dict.fromkeys(ROLES, 0.0)
    for panel, (low, high) in zip(panels, spans):
        if panel.limit is None and not ROLES[panel.role].one_sided:
            reach[panel.role] = max(reach[panel.role], -low, high)
    ends = [p.limit or rounded_up(reach[p.role]) or ROLES[p.role].limit for p in panels]
    return [replace(p, span=span, limit=end) for p, span, end in zip(panels, spans, ends)]


def rounded_up(x):
    """The next round value at or above x; float32's 0.1, slightly above 0.1, still gives 0.1."""
    if not x:
        return 0.0
    power = 10.0 ** math.floor(math.log10(x))
    return float(f"{power * next(s for s in STEPS if x <= s * power * (1 + 1e-6)):.2g}")


def closer_end(panel, array):
    """An end for the scale at which this array can be seen, or None if the usual one will do.

    For example, weights of 25 tokens, all near 0.04, are white on a scale that ends at 1. A table
    needs no other end, as its values are written in the cells."""
    largest = float(np.nanmax(np.abs(array), initial=0))
    pale = panel.is_picture and 0 < largest < PALE * panel.limit
    return rounded_up(largest) if pale else None


def says_pale(panel, array):
    """A note on weights whose colours can hardly be seen, or "" if they can."""
    end = closer_end(panel, array)
    if panel.role != "weights" or not end:
        return ""
    text = _(
        "all weights are at most {end:g}, which is pale on a scale that ends at {panel.limit:g}",
        end=end,
        panel=panel,
    )
    return f"{panel.name}: {text}"
