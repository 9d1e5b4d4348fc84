"""Probabilities as bars beside words."""

import numpy as np

from .picture import PAPER, SMALL, Drawing, digits, inches
from .roles import OF_BARS
from .text import shortened

LETTERS = 40  # longer words are shortened
TRACK, BAR = 1.9, 0.19  # inches: longest bar, height of a bar
LEGEND, SAMPLE = 0.24, 0.6  # inches: the height of a row, and the width of the sample before a name
HATCHES = (None, "////", "||||", "....")
EDGE = PAPER["edgecolor"]


def bars_of(panel, array, decimals):
    """The Drawing of the bars of all words and series: (words, series)."""
    words = [shortened(word, LETTERS) for word in panel.rows]
    count, series = array.shape
    pitch, top = series * BAR + 0.1, LEGEND * series if series > 1 else 0
    number = max(inches(digits(x, decimals)) for x in array.ravel())
    width = max(1.05 * TRACK + number, *(SAMPLE + inches(name) for name in panel.columns))

    def draw(ax):
        for k, column in enumerate(array.T):
            places = np.arange(count) + (k - (series - 1) / 2) * BAR / pitch
            thick = 0.8 * BAR / pitch
            ax.barh(places, panel.limit, thick, **PAPER)
            look = {"color": OF_BARS[k], "edgecolor": "white", "hatch": HATCHES[k], "linewidth": 0}
            look |= {"label": panel.columns[k], "gid": f"series {k}"}
            drawn = ax.barh(places, np.minimum(column, panel.limit), thick, **look)
            if panel.has_others:
                drawn[-1].set_alpha(0.55)
            for place, x in zip(places, column):
                at = 1.05 * panel.limit, place
                ax.text(*at, digits(x, decimals), va="center", size=SMALL, gid="number")
        ax.set(xlim=(0, panel.limit * width / TRACK), ylim=(count - 0.5, -0.5 - top / pitch))
        ends = [0, panel.limit / 2, panel.limit]
        ax.set_xticks(ends, [f"{x:g}" for x in ends])
        ax.set_yticks(range(count), words, parse_math=False)
        if top:
            look = {"fontsize": SMALL, "borderpad": 0.2, "labelspacing": 0.2, "edgecolor": EDGE}
            look |= {"frameon": True, "framealpha": 1, "facecolor": "white", "labelcolor": "black"}
            look |= {"loc": "upper left", "bbox_to_anchor": (0, 1), "borderaxespad": 0}
            for text in ax.legend(**look).get_texts():
                text.set_parse_math(False)

    return Drawing(max(inches(word) for word in words), width, top + pitch * count, draw)
