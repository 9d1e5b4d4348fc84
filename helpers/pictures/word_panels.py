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


def draw_bars(panel, array, decimals, ax):
    """A line for each word, in it a bar and a number for each series: (series, words).

    Returns (width, height, width of the labels on its left, on its right) in inches.
    """
    order, others = ranking(panel, array)
    words, array_shown = [shortened(panel.columns[k], LETTERS) for k in order], array[:, order]
    if others is not None:
        words.append(others_label(array.shape[1] - len(order)))
        array_shown = np.column_stack([array_shown, others])
    series, count = array_shown.shape
    pitch, top = series * BAR + 0.1, LEGEND if series > 1 else 0
    for k, numbers in enumerate(array_shown):
        places = np.arange(count) + (k - (series - 1) / 2) * BAR / pitch
        thick = 0.8 * BAR / pitch
        frame = {"facecolor": "white", "edgecolor": MASKED_LINES, "linewidth": 0.6}
        ax.barh(places, panel.limit, thick, **frame)
        look = {"color": SERIES[k], "edgecolor": "white", "hatch": HATCHES[k], "linewidth": 0}
        bars = ax.barh(places, np.minimum(numbers, panel.limit), thick, **look)
        bars.set_label(panel.rows[k])
        for place, bar, x in zip(places, bars, numbers):
            bar.set_gid(f"series {k}")
            look = {"va": "center", "size": 9, "gid": "number"}
            ax.text(1.05 * panel.limit, place, rounded(x, decimals), **look)
        if others is not None:
            bars[-1].set_alpha(0.55)
    ax.set(xlim=(0, panel.limit), ylim=(count - 0.5, -0.5 - top / pitch))
    ax.set_yticks(range(count), words, parse_math=False)
    ax.xaxis.tick_top()
    ends = [0, panel.limit / 2, panel.limit]
    ax.set_xticks(ends, [f"{x:g}" for x in ends], size=8)
    _legend(ax, top)
    longest = max(inches(rounded(x, decimals), 9) for x in array_shown.ravel())
    left = 0.15 + max(inches(word, 9) for word in words)
    return TRACK, top + pitch * count, left, longest + 0.05 * TRACK


def draw_lines(panel, array, ax):
    """Queries on the left, keys on the right, a line for each weight, all heads in one drawing.

    array    (queries, keys), or (heads, queries, keys); NaN where masked
    Returns (width, height, width of the labels on its left, on its right) in inches.
    """
    heads = np.nan_to_num(array if array.ndim == 3 else array[None])
    top = LEGEND * math.ceil(len(heads) / ACROSS) if array.ndim == 3 else 0
    down = [shortened(word, LETTERS) for word in panel.rows]
    across = [shortened(word, LETTERS) for word in panel.columns]
    count = max(len(down), len(across))
    ax.set(xlim=(0, 1), ylim=(count - 0.5, -0.5 - top / PITCH), xticks=[])
    ax.set_yticks(range(len(down)), down, parse_math=False)
    for j, word in enumerate(across):
        ax.text(1.05, j, word, va="center", size=9, gid="column", parse_math=False)
    for h, weights in enumerate(heads):
        shift = (h - (len(heads) - 1) / 2) * min(APART, 0.65 / len(heads))
        thick = THICKEST_OF_MANY if len(heads) > 1 else THICKEST
        thick = thick * np.clip(weights / panel.limit, 0, 1)
        ends = [[(0, i + shift), (1, j + shift)] for i, j in np.argwhere(thick > 0)]
        ax.add_collection(_lines(h, ends, thick[thick > 0]), autolim=False)
        ax.add_collection(_lines(h, [], [2.25], label=head(h)), autolim=False)
    _legend(ax, top)
    width = TRACK * (1.5 if top else 1)
    left, right = (max(inches(word, 9) for word in words) for words in (down, across))
    return width, top + PITCH * count, 0.15 + left, 0.05 * width + right


def _lines(h, ends, thick, **look):
    """Lines in the colour and the dashes of a head."""
    dashes = DASHES[(h + h // len(SERIES)) % len(DASHES)]
    # Matplotlib counts dashes in widths of the line.
    styles = [(0, [PIXEL * d / width for d in dashes]) if dashes else "-" for width in thick]
    look |= {"colors": SERIES[h % len(SERIES)], "alpha": 0.85, "gid": f"head {h}"}
    return LineCollection(ends, linewidths=thick, linestyles=styles, capstyle="butt", **look)


def _legend(ax, room):
    """The names of several series in the room above them."""
    if room:
        look = {"ncols": ACROSS, "frameon": False, "fontsize": 9, "columnspacing": 1}
        legend = ax.legend(loc="upper left", bbox_to_anchor=(0, 1), borderaxespad=0, **look)
        for text in legend.get_texts():
            text.set_parse_math(False)
