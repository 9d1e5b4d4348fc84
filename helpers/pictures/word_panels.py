"""Chances as bars beside their words, and weights as lines between words, as the Explorer draws them."""

import math

import numpy as np
from matplotlib.collections import LineCollection

from .chances import others_label, ranking
from .picture import inches
from .roles import DASHES, MASKED_LINES, SERIES
from .text import head, rounded, shortened

LETTERS = 16  # longer words are cut
TRACK, BAR, PITCH = 1.9, 0.19, 0.29  # inches: the longest bar, room for one, from word to word
LEGEND, ACROSS = 0.26, 3  # inches: a line of it; names in a line
HATCHES = (None, "////", "||||", "....")
THICKEST, THICKEST_OF_MANY = 6.75, 3  # points, of a line at the end of the scale
APART = 0.18  # of the way to the next word: from the line of one head to the next one's
PIXEL = 0.75  # points


class Bars:
    """A line for each word, in it a bar and a number for each series.

    array    (series, words)
    """

    def __init__(self, panel, array, decimals):
        self.panel, self.decimals, self.title = panel, decimals, panel.name
        order, others = ranking(panel, array)
        self.words = [shortened(panel.columns[k], LETTERS) for k in order]
        self.numbers, self.ranked = array[:, order], len(order)
        if others is not None:
            self.words.append(others_label(array.shape[1] - len(order)))
            self.numbers = np.column_stack([self.numbers, others])
        self.pitch = len(array) * BAR + 0.1
        self.top = LEGEND if len(array) > 1 else 0
        self.width, self.height = TRACK, self.top + self.pitch * len(self.words)
        self.beside = 1 + max(inches(word, 9) for word in self.words)

    def draw(self, ax):
        limit, thick = self.panel.limit, BAR / self.pitch
        for k, numbers in enumerate(self.numbers):
            places = np.arange(len(numbers)) + (k - (len(self.numbers) - 1) / 2) * thick
            frame = {"facecolor": "white", "edgecolor": MASKED_LINES, "linewidth": 0.6}
            ax.barh(places, limit, 0.8 * thick, **frame)
            fill = {"facecolor": SERIES[k], "edgecolor": "white", "hatch": HATCHES[k]}
            drawn = ax.barh(places, np.minimum(numbers, limit), 0.8 * thick, linewidth=0, **fill)
            drawn.set_label(self.panel.rows[k])
            for place, (bar, x) in enumerate(zip(drawn, numbers)):
                bar.set(gid=f"series {k}", alpha=1 if place < self.ranked else 0.55)
                at = 1.05 * limit, places[place]
                ax.text(*at, rounded(x, self.decimals), va="center", size=9, gid="number")
        ax.set(xlim=(0, limit), ylim=(len(self.words) - 0.5, -0.5 - self.top / self.pitch))
        ax.set_yticks(range(len(self.words)), self.words, parse_math=False)
        ax.xaxis.tick_top()
        ax.set_xticks([0, limit / 2, limit], [f"{x:g}" for x in (0, limit / 2, limit)], size=8)
        if self.top:
            _legend(ax)


class Lines:
    """Queries on the left, keys on the right, a line for each weight, all heads in one picture.

    array    (queries, keys), or (heads, queries, keys); NaN where masked
    """

    def __init__(self, panel, array):
        self.panel, self.title = panel, panel.name
        self.heads = np.nan_to_num(array if array.ndim == 3 else array[None])
        self.top = LEGEND * math.ceil(len(array) / ACROSS) if array.ndim == 3 else 0
        self.rows, self.columns = (
            [shortened(word, LETTERS) for word in words] for words in (panel.rows, panel.columns)
        )
        self.width = 1.5 * TRACK if self.top else TRACK
        self.height = self.top + PITCH * max(len(self.rows), len(self.columns))
        self.beside = 0.4 + sum(
            max(inches(word, 9) for word in words) for words in (self.rows, self.columns)
        )

    def draw(self, ax):
        ax.set(
            xlim=(0, 1),
            ylim=((self.height - self.top) / PITCH - 0.5, -0.5 - self.top / PITCH),
            xticks=[],
        )
        ax.set_yticks(range(len(self.rows)), self.rows, parse_math=False)
        for j, word in enumerate(self.columns):
            ax.text(1.05, j, word, va="center", size=9, gid="column", parse_math=False)
        thickest = THICKEST_OF_MANY if len(self.heads) > 1 else THICKEST
        step = min(APART, 0.65 / len(self.heads))
        for h, weights in enumerate(self.heads):
            shift = (h - (len(self.heads) - 1) / 2) * step
            thick = thickest * np.clip(weights / self.panel.limit, 0, 1)
            pairs = np.argwhere(thick > 0)
            ends = [[(0, i + shift), (1, j + shift)] for i, j in pairs]
            drawn = _lines(h, ends, thick[thick > 0])
            ax.add_collection(drawn, autolim=False)
            ax.add_collection(_lines(h, [], [2.25], label=head(h)), autolim=False)
        if self.top:
            _legend(ax)


def _lines(head, ends, thick, **look):
    """Lines in the colour and the dashes of a head."""
    dashes = DASHES[(head + head // len(SERIES)) % len(DASHES)]
    # Matplotlib counts dashes in widths of the line.
    styles = [(0, [PIXEL * d / width for d in dashes]) if dashes else "-" for width in thick]
    look |= {"colors": SERIES[head % len(SERIES)], "alpha": 0.85, "gid": f"head {head}"}
    return LineCollection(ends, linewidths=thick, linestyles=styles, capstyle="butt", **look)


def _legend(ax):
    """The names of the series above them."""
    look = {"ncols": ACROSS, "frameon": False, "fontsize": 9, "columnspacing": 1}
    legend = ax.legend(loc="upper left", bbox_to_anchor=(0, 1), borderaxespad=0, **look)
    for text in legend.get_texts():
        text.set_parse_math(False)
