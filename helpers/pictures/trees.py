"""Beginnings of sentences as a tree, with their probabilities."""

import numpy as np

from .picture import SMALL, Drawing, digits, inches
from .roles import CURVES, GREY
from .text import shortened

ROW, GAP = 0.27, 0.4  # inches: from leaf to leaf, and from a word to the next
TRUNK = 6.75  # points: the width of a branch of probability 1


def tree_of(panel, array, decimals):
    """The Drawing of probabilities (series, paths) whose labels are paths of words.

    Paths that begin alike share their branches, which are as thick as the probabilities along them.
    What belongs to the second series alone is grey and dashed.
    """
    sums = {}
    for label, numbers in zip(panel.columns, array.T):
        words = label.split(" ")
        for k in range(len(words)):
            path = tuple(words[: k + 1])
            sums[path] = sums.get(path, 0) + numbers
    heights, leaves, starts = {}, [], [GAP]

    def place(path):
        below = [place(longer) for longer in sums if longer[:-1] == path]
        if not below:
            leaves.append(path)
        heights[path] = (below[0] + below[-1]) / 2 if below else len(leaves) - 1
        return heights[path]

    place(())
    words = {path: shortened(path[-1]) for path in sums}
    for path in sums:
        if " ".join(path) in panel.columns:  # a beginning that is asked for has its number
            words[path] += f"  {digits(sums[path].sum(), decimals)}"
    widths = {path: inches(word) for path, word in words.items()}
    for k in range(1, 1 + max(map(len, sums))):
        starts.append(starts[-1] + GAP + max(w for path, w in widths.items() if len(path) == k))
    wide, tall = starts[-1] - GAP + 0.1, len(leaves)

    def draw(ax):
        share = np.linspace(0, 1, 24)
        for path, numbers in sums.items():
            before, x, y = path[:-1], starts[len(path) - 1], heights[path]
            start = starts[len(before) - 1] + widths[before] + 0.06 if before else 0.05
            from_y = heights[before] if before else y
            curve = from_y + (y - from_y) * share**2 * (3 - 2 * share)
            look = {"color": CURVES[0]} if numbers[0] > 0 else {"color": GREY, "linestyle": "--"}
            look["linewidth"] = max(0.8, TRUNK * numbers.sum())
            ax.plot(start + (x - 0.05 - start) * share, curve, **look)
            ax.text(x, y, words[path], va="center", size=SMALL, parse_math=False)
        ax.set(xlim=(0, wide), ylim=(tall - 0.5, -0.5), xticks=[], yticks=[])

    return Drawing(0, wide, ROW * tall, draw)
