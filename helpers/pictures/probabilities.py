"""Probabilities of words as bars: which words get one, and the checks of the probabilities."""

from dataclasses import replace

import numpy as np

from .. import _

SLACK = 1e-3  # a sum may exceed 1 by this much, because of rounding


def as_bars(panel, array):
    """(panel, array) as shown: a row for each word that gets a bar, and a column for each series.

    panel    a Panel of probabilities, as they came. Its `bars` says how many words get a bar: the
             largest of the first series, or among equals the earlier columns; the last row is then
             the sum of all others, if any. If it is None, all words do, in order.
    array    (series, words)
    """
    words, numbers = panel.columns, array.T
    if panel.bars is not None:
        order = np.argsort(-array[0], kind="stable")
        first, rest = order[: panel.bars], order[panel.bars :]
        words, numbers = [words[k] for k in first], numbers[first]
        if rest.size:
            words.append(_("{n} others", n=rest.size))
            together = array[:, rest].sum(axis=1, dtype=np.float64)
            numbers = np.vstack([numbers, np.maximum(together, 0)]).astype(array.dtype)
    return replace(panel, rows=words, columns=panel.rows, shape=numbers.shape), numbers


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
