"""Beginnings of sentences as a tree, with their probabilities."""

import numpy as np

from .picture import digits, inches
from .roles import CURVES, GREY
from .text import shortened

ROW, GAP = 0.27, 0.4  # inches: from leaf to leaf, and from a word to the next
TRUNK = 6.75  # points: the width of a branch of probability 1


def tree_of(panel, array, decimals):
    """(size, function that draws it) for labels that are paths of words: (series, paths).

    Paths that begin alike share their branches, which are as thick as the probabilities along them.
    What belongs to the second series alone is grey and dashed.
    """
    sums = {}
    for label, numbers in zip(panel.columns, array.T):
        words = label.split(" ")
        for k in range(len(words)):
            path = tuple(words[: k + 1])
            sums[path] = sums.get(path, 0) + numbers
    heights, ends = {}, [GAP]

    def place(path):
        under = [q for q in sums if q[:-1] == path]
        below = [place(q) for q in under]
        leaves = sum(not any(q[:-1] == p for q in sums) for p in heights if p)
        heights[path] = (below[0] + below[-1]) / 2 if below else leaves
        return heights[path]

    place(())
    for k in range(1, 1 + max(map(len, sums))):
        ends.append(ends[-1] + GAP + max(inches(shortened(p[-1]), 9) for p in sums if len(p) == k))
    number = inches(digits(1.0, decimals), 9) + 0.1

    def draw(ax):
        for path, numbers in sums.items():
            x, y = ends[len(path) - 1], heights[path]
            before = inches(shortened(path[-2]), 9) + 0.06 if len(path) > 1 else 0
            start = ends[len(path) - 2] + before if len(path) > 1 else 0.05
            share = np.linspace(0, 1, 24)
            curve = heights[path[:-1]] + (y - heights[path[:-1]]) * share**2 * (3 - 2 * share)
            look = {"color": CURVES[0]} if numbers[0] > 0 else {"color": GREY, "linestyle": ":"}
            thick = max(0.8, TRUNK * numbers.sum())
            ax.plot(start + (x - 0.05 - start) * share, curve, linewidth=thick, **look)
            label = " ".join(path)
            said = f"  {digits(numbers.sum(), decimals)}" if label in panel.columns else ""
            ax.text(x, y, shortened(path[-1]) + said, va="center", size=9, parse_math=False)
        ax.set(xlim=(0, ends[-1] + number), ylim=(leaves_of(heights) - 0.5, -0.5))
        ax.set(xticks=[], yticks=[])

    return (0, ends[-1] + number, ROW * leaves_of(heights)), draw


def leaves_of(heights):
    """How many leaves a tree has whose lowest leaf has this height."""
    return int(max(heights.values())) + 1
