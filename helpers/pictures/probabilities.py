"""Probabilities of words as bars: which words get one, and the checks of the probabilities."""

from dataclasses import dataclass

import numpy as np

from .. import _

SLACK = 1e-3  # a sum may exceed 1 by this much, because of rounding


@dataclass(frozen=True)
class Bars:
    """The words that get a bar, in order, and their numbers.

    numbers   (series, words)
    others    how many words are left over; if any, the last bar stands for all of them together
    """

    words: list
    numbers: np.ndarray
    others: int


def with_bars(panel, array):
    """The Bars of a panel.

    panel    a Panel of probabilities. Its `bars` says how many words get a bar: the largest of the
             first series, or among equals the earlier columns. If it is None, all do, in order.
    array    (series, words)
    """
    if panel.bars is None:
        return Bars(panel.columns, array, 0)
    order = np.argsort(-array[0], kind="stable")
    first, rest = order[: panel.bars], order[panel.bars :]
    words, numbers = [panel.columns[k] for k in first], array[:, first]
    if rest.size:
        words.append(_("{n} others", n=rest.size))
        together = array[:, rest].sum(axis=1, dtype=np.float64)
        numbers = np.column_stack([numbers, np.maximum(together, 0)])
    return Bars(words, numbers, rest.size)


def check_probabilities(panel, array):
    """Raise ValueError unless no value is below 0, and each series sums to 1 at most."""
    for series, row in zip(panel.rows, array):
        least, total = row.min(), row.sum(dtype=np.float64)
        if least < 0 or total > 1 + SLACK:
            text = _(
                "the numbers in '{name}' begin at {least:.4g} and add up to {total:.4g}; expected "
                "none below 0 and a sum of 1 at most. Probabilities come from a softmax over the "
                "whole vocabulary. If these are not probabilities, give the panel another name."
            )
            name = f"{panel.name}, {series}" if series else panel.name
            raise ValueError(text.format(name=name, least=least, total=total))
