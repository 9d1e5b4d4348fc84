"""How long texts are when they are drawn, and the distances that the parts of a figure keep."""

import functools

from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.font_manager import FontProperties

LABEL = 9  # points
GAP = 0.1  # inches: around a part, and between it and its labels


def longest(texts, points):
    """How long the longest of these is, in inches."""
    return max((length(text, points) for text in texts), default=0)


@functools.lru_cache(1000)
def length(text, points, weight="normal"):
    """How long a text is when it is drawn, in inches."""
    font = FontProperties(size=points, weight=weight)
    return RendererAgg(1, 1, 72).get_text_width_height_descent(text, font, ismath=False)[0] / 72
