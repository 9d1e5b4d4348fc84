"""Chances as bars beside their words, and weights as lines between words, as the Explorer draws them."""

import math

import numpy as np
from matplotlib.patches import Rectangle

from .chances import others_label, ranking
from .picture import digits, inches
from .roles import DASHES, MASKED_LINES, SERIES
from .text import head, shortened

LETTERS = 16  # longer words are cut
TRACK, BAR, PITCH = 1.9, 0.19, 0.29  # inches: the longest bar, room for one, from word to word
LEGEND, ACROSS = 0.26, 3  # inches: a line of it; names in a line
HATCHES = (None, "////", "||||", "....")
THICKEST, THICKEST_OF_MANY = 6.75, 3  # points, of a line at the end of the scale
APART = 0.18  # of the way to the next word: from the line of one head to the next one's
PIXEL = 0.75  # points
PAPER = {"facecolor": "white", "edgecolor": MASKED_LINES, "linewidth": 0.6}  # in dark pages, too


def bars_of(panel, array, decimals):
    """(size, function that draws them) of a bar for each word and series: (series, words)."""
    order, others = ranking(panel, array)
    words, numbers = [shortened(panel.columns[k], LETTERS) for k in order], array[:, order]
    if others is not None:
        words.append(others_label(array.shape[1] - len(order)))
        numbers = np.column_stack([numbers, others])
    series, count = numbers.shape
    pitch, top = series * BAR + 0.1, LEGEND if series > 1 else 0
    width = 1.05 * TRACK + max(inches(digits(x, decimals), 9) for x in numbers.ravel())

    def draw(ax):
        for k, row in enumerate(numbers):
            places = np.arange(count) + (k - (series - 1) / 2) * BAR / pitch
            thick = 0.8 * BAR / pitch
            ax.barh(places, panel.limit, thick, **PAPER)
            look = {"color": SERIES[k], "edgecolor": "white", "hatch": HATCHES[k], "linewidth": 0}
            look |= {"label": panel.rows[k], "gid": f"series {k}"}
            drawn = ax.barh(places, np.minimum(row, panel.limit), thick, **look)
            if others is not None:
                drawn[-1].set_alpha(0.55)
            for place, x in zip(places, row):
                at = 1.05 * panel.limit, place
                ax.text(*at, digits(x, decimals), va="center", size=9, gid="number")
        ax.set(xlim=(0, panel.limit * width / TRACK), ylim=(count - 0.5, -0.5 - top / pitch))
        ends = [0, panel.limit / 2, panel.limit]
        ax.set_xticks(ends, [f"{x:g}" for x in ends])
        ax.set_yticks(range(count), words, parse_math=False)
        if top:
            _legend(ax)

    return (max(inches(word, 9) for word in words), width, top + pitch * count), draw


def lines_of(panel, array):
    """(size, function that draws them) of a line for each weight, queries at the left, keys at the right.

    array    (queries, keys), or (heads, queries, keys) all in one drawing; NaN where masked
    """
    heads = np.nan_to_num(array if array.ndim == 3 else array[None])
    top = LEGEND * math.ceil(len(heads) / ACROSS) if array.ndim == 3 else 0
    down, across = (
        [shortened(word, LETTERS) for word in side] for side in (panel.rows, panel.columns)
    )
    count, track = max(len(down), len(across)), TRACK * (1.5 if top else 1)
    left, right = (max(inches(word, 9) for word in words) for words in (down, across))
    width = 1.05 * track + right

    def draw(ax):
        ax.add_patch(Rectangle((0, -0.5), 1, count, clip_on=False, **PAPER))
        for j, word in enumerate(across):
            ax.text(1.05, j, word, va="center", size=9, gid="column", parse_math=False)
        for h, weights in enumerate(heads):
            shift = (h - (len(heads) - 1) / 2) * min(APART, 0.65 / len(heads))
            thickest = THICKEST_OF_MANY if len(heads) > 1 else THICKEST
            for i, j in np.argwhere(weights > 0):
                thick = thickest * min(1, weights[i, j] / panel.limit)
                ax.plot([0, 1], [i + shift, j + shift], gid=f"head {h}", **_look(h, thick))
            ax.plot([], [], label=head(h), **_look(h, 2.25))
        ax.set(xlim=(0, width / track), ylim=(count - 0.5, -0.5 - top / PITCH), xticks=[])
        ax.set_yticks(range(len(down)), down, parse_math=False)
        if top:
            _legend(ax)

    return (left, width, top + PITCH * count), draw


def _look(h, thick):
    """The colour and the dashes of a head. Matplotlib counts dashes in widths of the line."""
    dashes = DASHES[(h + h // len(SERIES)) % len(DASHES)]
    style = (0, [PIXEL * d / thick for d in dashes]) if dashes else "-"
    look = {"color": SERIES[h % len(SERIES)], "alpha": 0.85, "dash_capstyle": "butt"}
    return look | {"linewidth": thick, "linestyle": style, "solid_capstyle": "butt"}


def _legend(ax):
    """The names of several series in the room above them."""
    look = {"ncols": ACROSS, "fontsize": 9, "columnspacing": 1, "borderaxespad": 0}
    look |= {"frameon": True, "framealpha": 1, "facecolor": "white", "labelcolor": "black"}
    look |= {"edgecolor": MASKED_LINES, "borderpad": 0.2}
    for text in ax.legend(loc="upper left", bbox_to_anchor=(0, 1), **look).get_texts():
        text.set_parse_math(False)
