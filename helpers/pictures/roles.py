"""Colours by role, and where their scales end, for both the still pictures and the Explorer."""

import math
import re
from dataclasses import dataclass, replace

import numpy as np

from .. import _

# Okabe and Ito (2008): colour-blind eyes can tell these apart, too.
QUERY, KEY, VALUE = "#0072B2", "#D55E00", "#009E73"
VECTOR = "#1D8C80"  # a vector of no such kind
WHITE = "#FFFFFF"
GREY = "#767676"  # for words and lines outside cells: readable on white and on black
MASKED, MASKED_LINES = (GREY, 0.14), (GREY, 0.34)  # translucent, so quiet on white and on black
STEPS = (1, 1.5, 2, 3, 4, 5, 6, 8, 10)  # times a power of 10: round values at which a scale may end


PURPLE, DARK_PURPLE = "#4B2E83", ("#FFFFFF", "#B9A2F0")
BOTH_SIDES, DARK_SIDES = ("#A6611A", "#01665E"), ("#E3A857", "#4FBFB3")


@dataclass(frozen=True)
class Role:
    """How a kind of matrix is coloured: from `low` through white (at 0) to `high` (at `limit`)."""

    low: str  # white if no value is negative
    high: str
    limit: float
    reads: str  # what a caption says about rows and columns
    dark: tuple  # (low, high) in the dark theme, where 0 has the colour of the ground
    has_keys: bool = False  # whether its rows are queries that attend to keys

    @property
    def one_sided(self):
        """Whether its values are shares of 1, which are never negative."""
        return self.low == WHITE


ROLES = {
    "weights": Role(WHITE, PURPLE, 1.0, _("queries down, keys across"), DARK_PURPLE, True),
    "scores": Role(*BOTH_SIDES, 2.0, _("queries down, keys across"), DARK_SIDES, True),
    "vectors": Role(*BOTH_SIDES, 1.0, _("a vector in each row"), DARK_SIDES),
    "probabilities": Role(WHITE, "#2F0203", 1.0, "", ("#FFFFFF", "#C4F8FA")),
}
# Several series in one picture each have a colour of their own, and a pattern or dashes as well.
# The first colour is that of weights; none is that of queries, keys or values, and a sentence is
# unlikely to name the first ones. All stand out from their ground, and from each other in
# colour-blind eyes, as a test measures.
SERIES = ("#4B2E83", "#C17EA7", "#2F0203", "#853363", "#9D7DEE", "#E37370", "#C1051E", "#341EFF")
DARK_SERIES = (
    "#B9A2F0", "#C7657E", "#C4F8FA", "#805691", "#4DFD96", "#F5F81C", "#FE4133", "#596AF8",
)  # fmt: skip
OF_BARS = SERIES[2:]  # bars are probabilities, so the colour of weights is not among theirs
# Curves and arrows of still pictures, which have no ground of their own: for light and dark pages.
CURVES = ("#8266C8", "#FE1909", "#6E93B5", "#A15C66", "#E85F51", "#BE15FF")
DASHES = ((), (9, 4), (2, 3), (10, 3, 2, 3), (18, 4), (5, 3), (2, 6), (10, 3, 2, 3, 2, 3))  # pixels


def kind_of(label):
    """The kind of vector that a label names: "query", "key", "value", or "" for any other."""
    kinds = {"queries": "query", "q": "query", "k": "key", "v": "value"}
    word = re.split(r"\W+", label.lower())[0]
    word = kinds.get(word, word.removesuffix("s"))
    return word if word in ("query", "key", "value") else ""


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
    other panels of one role share a scale, which ends at or just above the largest of their values;
    a panel whose values lie in a tenth of it, and would show one tone, has a scale of its own.
    """
    spans = [(float(np.nanmin(a, initial=0)), float(np.nanmax(a, initial=0))) for a in arrays]
    shared, scaled = dict.fromkeys(ROLES, 0.0), []
    for panel, (low, high) in zip(panels, spans):
        if panel.limit is None and not ROLES[panel.role].one_sided:
            shared[panel.role] = max(shared[panel.role], rounded_up(max(-low, high)))
    for panel, (low, high) in zip(panels, spans):
        end, own = shared[panel.role], rounded_up(max(-low, high))
        end = own if 0 < own <= end / 10 else end
        limit = panel.limit or end or ROLES[panel.role].limit
        scaled.append(replace(panel, span=(low, high), limit=limit))
    return scaled


def rounded_up(x):
    """The next round value at or above x; float32's 0.1, slightly above 0.1, still gives 0.1."""
    if not x:
        return 0.0
    power = 10.0 ** math.floor(math.log10(x))
    return float(f"{power * next(s for s in STEPS if x <= s * power * (1 + 1e-6)):.2g}")
