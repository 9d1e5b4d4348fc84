"""Probabilities as bars beside words; weights as lines between words, or arcs over a sentence."""

import numpy as np
from matplotlib.patches import Rectangle

from .picture import SMALL, Drawing, digits, inches
from .probabilities import with_bars
from .roles import SERIES
from .text import shortened

LETTERS = 16  # longer words are shortened
LETTERS_OF_BARS = 40  # … beside bars, where there is room for the title of a section
TRACK, BAR, PITCH = 1.9, 0.19, 0.29  # inches: longest bar, height of a bar, distance between words
LEGEND, SAMPLE = 0.24, 0.6  # inches: the height of a row, and the width of the sample before a name
HATCHES = (None, "////", "||||", "....")
THICKEST = 6.75  # points: the width of a line at the end of the scale
EDGE = "#C4C4C4"
PAPER = {"facecolor": "white", "edgecolor": EDGE, "linewidth": 0.6}  # stays white on dark pages


def bars_of(panel, array, decimals):
    """The Drawing of the bars of all words and series: (series, words)."""
    bars = with_bars(panel, array)
    words = [shortened(word, LETTERS_OF_BARS) for word in bars.words]
    series, count = bars.numbers.shape
    pitch, top = series * BAR + 0.1, LEGEND * series if series > 1 else 0
    number = max(inches(digits(x, decimals)) for x in bars.numbers.ravel())
    width = max(1.05 * TRACK + number, *(SAMPLE + inches(name) for name in panel.rows))

    def draw(ax):
        for k, row in enumerate(bars.numbers):
            places = np.arange(count) + (k - (series - 1) / 2) * BAR / pitch
            thick = 0.8 * BAR / pitch
            ax.barh(places, panel.limit, thick, **PAPER)
            look = {"color": SERIES[k], "edgecolor": "white", "hatch": HATCHES[k], "linewidth": 0}
            look |= {"label": panel.rows[k], "gid": f"series {k}"}
            drawn = ax.barh(places, np.minimum(row, panel.limit), thick, **look)
            if bars.others:
                drawn[-1].set_alpha(0.55)
            for place, x in zip(places, row):
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


def lines_of(panel, array, decimals):
    """The Drawing of weights as lines from queries, left, to keys, right.

    array    (queries, keys), NaN where masked
    """
    sides = panel.rows, panel.columns
    down, across = ([shortened(word, LETTERS) for word in words] for words in sides)
    left, right = (max(inches(word) for word in words) for words in (down, across))
    count, width = max(len(down), len(across)), 1.05 * TRACK + right

    def draw(ax):
        ax.add_patch(Rectangle((0, -0.5), 1, count, clip_on=False, **PAPER))
        for j, word in enumerate(across):
            ax.text(1.05, j, word, va="center", size=SMALL, gid="column", parse_math=False)
        for i, j in np.argwhere(array > 0):
            thick = THICKEST * min(1, array[i, j] / panel.limit)
            look = {"color": SERIES[0], "alpha": 0.85, "solid_capstyle": "butt"}
            ax.plot([0, 1], [i, j], linewidth=thick, **look)
        ax.set(xlim=(0, width / TRACK), ylim=(count - 0.5, -0.5), xticks=[])
        ax.set_yticks(range(len(down)), down, parse_math=False)

    return Drawing(left, width, PITCH * count, draw)


def arcs_of(panel, array, decimals):
    """The Drawing of weights as arcs over one sentence, from query to key.

    A key that stands before the query has its arc above the words, one that follows, below them.
    """
    words = [shortened(word, LETTERS) for word in panel.columns]
    rows = list(range(len(words)))  # the word that each query is
    if panel.rows != panel.columns:
        rows = [panel.columns.index(word) for word in panel.rows]
    widths = [inches(word) + 0.2 for word in words]
    middles = np.cumsum(widths) - np.array(widths) / 2
    above = max([0.5, *(_high(middles, i, j) for i in rows for j in range(i))])
    seen = [(rows[k], j) for k, j in np.argwhere(array > 0)]
    below = max([0, *(_high(middles, i, j) for i, j in seen if j > i)])

    def draw(ax):
        whole = (0, -below - 0.15), sum(widths), above + below + 0.25
        ax.add_patch(Rectangle(*whole, clip_on=False, **PAPER))
        for x, word in zip(middles, words):
            look = {"ha": "center", "va": "center", "size": SMALL, "color": "black"}
            ax.text(x, 0, word, parse_math=False, gid="column", **look)
        for k, j in np.argwhere(array > 0):
            i, thick = rows[k], THICKEST * min(1, array[k, j] / panel.limit)
            turn = np.linspace(0, np.pi, 40)
            half = (middles[j] - middles[i]) / 2 if i != j else 0.09
            middle = (middles[i] + middles[j]) / 2
            side = -1 if j > i else 1
            y = side * (0.12 + (_high(middles, i, j) - 0.12) * np.sin(turn))
            look = {"color": SERIES[0], "alpha": 0.85, "solid_capstyle": "butt"}
            ax.plot(middle - half * np.cos(turn), y, linewidth=thick, **look)
        ax.set(xlim=(0, sum(widths)), ylim=(-below - 0.15, above + 0.1), xticks=[], yticks=[])

    return Drawing(0, sum(widths), above + below + 0.25, draw)


def _high(middles, i, j):
    """The height of an arc, in inches: wide arcs are flatter, so that they stay on the page."""
    return 0.12 + (0.3 * abs(middles[i] - middles[j]) if i != j else 0.3)
