"""Colours by role, and where their scale ends: the still pictures and the Explorer both read them here."""

import math
import re
from dataclasses import dataclass, replace

import numpy as np

from .. import _

# Okabe and Ito (2008): told apart by colour-blind eyes too.
QUERY, KEY, VALUE = "#0072B2", "#D55E00", "#009E73"
WHITE = "#FFFFFF"
GREY = "#767676"  # of words and lines outside cells: can be read on white and on black
MASKED, MASKED_LINES = (GREY, 0.14), (GREY, 0.34)  # seen through: quiet on white and on black
PALE = 0.2  # of a scale: what stays below hardly differs from white
STEPS = (1, 1.5, 2, 3, 4, 5, 6, 8, 10)  # times a power of 10: where a scale may well end


@dataclass(frozen=True)
class Role:
    """How a kind of matrix is coloured: from `low` through white (at 0) to `high` (at `limit`)."""

    low: str  # white where nothing is below 0
    high: str
    limit: float
    reads: str  # what a caption says of rows and columns
    has_keys: bool = False  # whether its rows are queries that look at keys

    @property
    def one_sided(self):
        """Whether it holds shares of 1, which are never negative."""
        return self.low == WHITE


ROLES = {
    "weights": Role(WHITE, "#4B2E83", 1.0, _("queries down, keys across"), True),
    "scores": Role("#A6611A", "#01665E", 2.0, _("queries down, keys across"), True),
    "vectors": Role("#A6611A", "#01665E", 1.0, _("a vector in each row")),
    "probabilities": Role(WHITE, "#4B2E83", 1.0, ""),
}
# Of several things in one picture, each has its own, and a pattern or dashes besides. The first is that
# of weights; all stand out from white, and from each other in colour-blind eyes (a test measures it).
SERIES = ("#4B2E83", "#D55E00", "#009E73", "#B400FF", "#3C0000", "#9687C3", "#1E5A5A", "#872D1E")
DASHES = ((), (9, 4), (2, 3), (10, 3, 2, 3), (18, 4), (5, 3), (2, 6), (10, 3, 2, 3, 2, 3))  # pixels


def role_of(name):
    """The role a panel's name gives away: "attention weights" → weights, "scores" → scores."""
    words = re.split(r"\W+", name.lower())
    for role in ("weights", "scores", "probabilities"):
        if role in words or role[:-1] in words:
            return role
    return "vectors"


def with_scales(panels, arrays):
    """The panels with the span of their numbers (lowest, highest, with 0), and the limit of their colours.

    A limit that was asked for stays. Weights and probabilities end at 1, for that is all there is to give. All
    others of one role share a scale, which ends where the largest of their numbers is.
    """
    spans = [(float(np.nanmin(a, initial=0)), float(np.nanmax(a, initial=0))) for a in arrays]
    reach = dict.fromkeys(ROLES, 0.0)
    for panel, (low, high) in zip(panels, spans):
        if panel.limit is None and not ROLES[panel.role].one_sided:
            reach[panel.role] = max(reach[panel.role], -low, high)
    ends = [p.limit or rounded_up(reach[p.role]) or ROLES[p.role].limit for p in panels]
    return [replace(p, span=span, limit=end) for p, span, end in zip(panels, spans, ends)]


def rounded_up(x):
    """The next number up that a scale may well end at; float32 makes 0.1 a little more, which is 0.1."""
    if not x:
        return 0.0
    power = 10.0 ** math.floor(math.log10(x))
    return float(f"{power * next(s for s in STEPS if x <= s * power * (1 + 1e-6)):.2g}")


def closer_end(panel, array):
    """Where a scale ends that shows more of this array, or None where its numbers stand in the cells, or
    the usual one does: weights of 25 tokens, all near 0.04, are white on a scale to 1."""
    largest = float(np.nanmax(np.abs(array), initial=0))
    pale = panel.is_picture and 0 < largest < PALE * panel.limit
    return rounded_up(largest) if pale else None


def says_pale(panel, array):
    """What is said of weights that their colours hardly show; "" where they do."""
    end = closer_end(panel, array)
    if panel.role != "weights" or not end:
        return ""
    text = _(
        "all weights are at most {end:g}, which is pale on a scale that ends at {panel.limit:g}",
        end=end,
        panel=panel,
    )
    return f"{panel.name}: {text}"
