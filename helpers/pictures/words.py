"""Chances as bars beside their words, and weights as lines between words: parts of the same figures as
matrices, measured in inches as they are, and drawn as the Explorer shows them in the browser."""

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle

from .chances import OTHERS, ranking
from .measures import GAP, LABEL, longest
from .roles import DASHES, MASKED_LINES, SERIES
from .text import rounded, shortened

LETTERS = 16  # longer words are cut
# Inches: the longest bar, how thick bars are, from word to word.
TRACK, BAR, PITCH = 1.9, 0.15, 0.29
LEGEND, SAMPLE = 0.26, 0.34  # inches: the height of a legend, the length of a sample in it
HATCHES = (None, "////", "||||", "....")
# Points, of a line at the end of the scale: with one head, or more.
THICKEST = {"one": 6.75, "many": 3}
# Inches between the lines of two heads; of all of them, at most.
APART = {"each": 0.052, "all": 0.19}
PIXEL = 0.75  # points


class Block:
    """What stands in a figure: `width` and `height` of its middle, `left` and `right` of it the labels."""

    def __init__(self, panel, array, title):
        self.panel, self.array, self.title = panel, array, title

    @property
    def space(self):
        return self.left + self.width + self.right

    def axes(self, figure, left, bottom):
        """Axes in inches from the upper left corner of the middle, the title above them."""
        across, up = figure.get_size_inches()
        place = [left / across, bottom / up, self.width / across, self.height / up]
        ax = figure.add_axes(place, xlim=(0, self.width), ylim=(self.height, 0))
        ax.set_axis_off()
        ax.set_title(self.title, y=1 + 0.15 / self.height, pad=0, parse_math=False)
        return ax

    def legend(self, ax, names, draw):
        """Names in a line at the top, beside what draw(k, x) has drawn there."""
        x = 0
        for k, name in enumerate(names):
            draw(k, x)
            ax.text(x + SAMPLE + 0.06, LEGEND / 3, name, va="center", size=LABEL, parse_math=False)
            x += SAMPLE + 0.2 + longest([name], LABEL)


class Bars(Block):
    """A line for each word, in it a bar and a number for each series."""

    def __init__(self, panel, array, title, decimals):
        super().__init__(panel, array, title)
        self.decimals = decimals
        order, others = ranking(panel, array)
        self.words = [(shortened(panel.columns[k], LETTERS), array[:, k]) for k in order]
        self.ranked = len(order)
        if others is not None:
            self.words.append((OTHERS.format(len(panel.columns) - len(order)), others))
        series = len(array)
        self.top = LEGEND if series > 1 else 0
        self.pitch = series * (BAR + 0.04) + 0.07
        self.height = self.top + self.pitch * len(self.words) + 0.2
        names = sum(SAMPLE + 0.2 + longest([name], LABEL) for name in panel.rows)
        self.width = max(TRACK, names if series > 1 else 0)
        self.left = GAP + longest([word for word, _ in self.words], LABEL) + GAP
        self.right = GAP + longest([rounded(1, decimals)], LABEL) + GAP

    def draw(self, figure, left, bottom):
        ax = self.axes(figure, left, bottom)
        if self.top:
            self.legend(
                ax, self.panel.rows, lambda k, x: self._bar(ax, k, x, LEGEND / 3 - BAR / 2, SAMPLE)
            )
        for place, (word, numbers) in enumerate(self.words):
            others = place >= self.ranked
            y = self.top + place * self.pitch
            middle = y + len(numbers) * (BAR + 0.04) / 2
            at = {"va": "center", "size": LABEL, "parse_math": False}
            ax.text(-GAP, middle, word, ha="right", gid="row", **at)
            for k, x in enumerate(numbers):
                top = y + k * (BAR + 0.04) + 0.02
                frame = {
                    "facecolor": "white",
                    "edgecolor": MASKED_LINES,
                    "linewidth": 0.6,
                    "clip_on": False,
                }
                ax.add_patch(Rectangle((0, top), TRACK, BAR, **frame))
                self._bar(ax, k, 0, top, TRACK * min(1, float(x) / self.panel.limit), others)
                text = rounded(x, self.decimals)
                ax.text(TRACK + GAP, top + BAR / 2, text, gid="number", **at)
        for share, side in ((0, "left"), (0.5, "center"), (1, "right")):
            text = f"{share * self.panel.limit:g}"
            ax.text(share * TRACK, self.height, text, ha=side, va="bottom", size=LABEL - 1)

    def _bar(self, ax, series, x, y, width, others=False):
        colour, hatch = SERIES[series], HATCHES[series]
        fill = {"facecolor": "white", "edgecolor": colour, "hatch": hatch, "linewidth": 0}
        fill = fill if hatch else {"facecolor": colour}
        ax.add_patch(
            Rectangle(
                (x, y), width, BAR, gid=f"series {series}", alpha=0.55 if others else 1, **fill
            )
        )


class Lines(Block):
    """Queries on the left, keys on the right, a line for each weight."""

    def __init__(self, panel, array, title):
        super().__init__(panel, array, title)
        self.heads = array if array.ndim == 3 else array[None]
        count = len(self.heads)
        self.top = LEGEND if array.ndim == 3 else 0
        self.down = [shortened(label, LETTERS) for label in panel.rows]
        self.across = [shortened(label, LETTERS) for label in panel.columns]
        names = count * (SAMPLE + 0.2 + longest(["head 1"], LABEL))
        self.width = max(TRACK, min(names, 4 * TRACK)) if self.top else TRACK
        self.height = self.top + PITCH * max(len(self.down), len(self.across))
        self.left = GAP + longest(self.down, LABEL) + GAP
        self.right = GAP + longest(self.across, LABEL) + GAP
        self.step = min(APART["each"], APART["all"] / count)

    def draw(self, figure, left, bottom):
        ax = self.axes(figure, left, bottom)
        if self.top:
            names = [f"head {h + 1}" for h in range(len(self.heads))]
            self.legend(ax, names, lambda h, x: self._sample(ax, h, x))
        at = {"va": "center", "size": LABEL, "parse_math": False}
        for i, word in enumerate(self.down):
            ax.text(-GAP, self._y(i), word, ha="right", gid="row", **at)
        for j, word in enumerate(self.across):
            ax.text(self.width + GAP, self._y(j), word, gid="column", **at)
        thickest = THICKEST["many" if len(self.heads) > 1 else "one"]
        for h, weights in enumerate(self.heads):
            shift = (h - (len(self.heads) - 1) / 2) * self.step
            thick = thickest * np.clip(np.nan_to_num(weights) / self.panel.limit, 0, 1)
            pairs = np.argwhere(thick > 0)
            ends = [[(0, self._y(i) + shift), (self.width, self._y(j) + shift)] for i, j in pairs]
            self._add(ax, h, ends, [thick[i, j] for i, j in pairs])

    def _y(self, place):
        return self.top + PITCH * (place + 0.5)

    def _sample(self, ax, head, x):
        self._add(ax, head, [[(x, LEGEND / 3), (x + SAMPLE, LEGEND / 3)]], [2.25], "sample")

    def _add(self, ax, head, ends, thick, gid="lines"):
        rounds = head // len(SERIES)
        dashes = DASHES[(head + rounds) % len(DASHES)]
        # Matplotlib counts dashes in widths of the line.
        styles = [(0, [PIXEL * d / width for d in dashes]) if dashes else "-" for width in thick]
        look = {"colors": SERIES[head % len(SERIES)], "alpha": 0.85, "capstyle": "butt"}
        drawn = LineCollection(ends, linewidths=thick, linestyles=styles, **look)
        drawn.set_gid(f"{gid} {head}")
        ax.add_collection(drawn, autolim=False)
