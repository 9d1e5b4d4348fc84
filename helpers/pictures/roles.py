"""Colours by role, the same in every picture: the still ones and the Explorer both read them here."""

import re
from dataclasses import dataclass

from .. import _

# Okabe and Ito (2008): told apart by colour-blind eyes too.
QUERY, KEY, VALUE = "#0072B2", "#D55E00", "#009E73"
GREY = "#767676"  # of words and lines outside cells: can be read on white and on black
MASKED, MASKED_LINES = "#ECECEC", "#C4C4C4"


@dataclass(frozen=True)
class Role:
    """How a kind of matrix is coloured: from `low` through white (at 0) to `high` (at `limit`)."""

    low: str  # white where nothing is below 0
    high: str
    limit: float
    reads: str  # what a caption says of rows and columns
    has_keys: bool = False  # whether its rows are queries that look at keys


ROLES = {
    "weights": Role("#FFFFFF", "#4B2E83", 1.0, _("queries down, keys across"), True),
    "scores": Role("#A6611A", "#01665E", 2.0, _("queries down, keys across"), True),
    "vectors": Role("#A6611A", "#01665E", 1.0, _("a vector in each row")),
    "chances": Role("#FFFFFF", "#4B2E83", 1.0, ""),
}
# Of several things in one picture, each has its own, and a pattern or dashes besides. The first is that
# of weights; all stand out from white, and from each other in colour-blind eyes (a test measures it).
SERIES = ("#4B2E83", "#D55E00", "#009E73", "#B400FF", "#3C0000", "#9687C3", "#1E5A5A", "#872D1E")
DASHES = ((), (9, 4), (2, 3), (10, 3, 2, 3), (18, 4), (5, 3), (2, 6), (10, 3, 2, 3, 2, 3))  # pixels


def role_of(name):
    """The role a panel's name gives away: "attention weights" → weights, "scores" → scores."""
    words = re.split(r"\W+", name.lower())
    for role in ("weights", "scores", "chances"):
        if role in words or role[:-1] in words:
            return role
    return "vectors"
