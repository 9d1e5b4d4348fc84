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
    if not rest.size:
        return Bars(words, numbers, 0)
    together = array[:, rest].sum(axis=1, dtype=np.float64)
    words.append(_("{n} others", n=rest.size))
    numbers = np.column_stack([numbers, np.maximum(together, 0)])
    return Bars(words, numbers, rest.size)


def check_probabilities(panel, array):
    """Raise ValueError unless every value is from 0 to 1, and each series sums to 1 at most."""
    advice = " " + _(
        "Probabilities come from a softmax over the whole vocabulary. If these are not "
        "probabilities, give the panel another name."
    )
    for i, j in np.argwhere((array < 0) | (array > 1 + SLACK)):
        series = f"{panel.rows[i]}, " if panel.rows[i] else ""
        told = {"name": panel.name, "x": array[i, j], "place": f"{series}'{panel.columns[j]}'"}
        text = _("'{name}' has {x:.4g} at {place}; a probability is from 0 to 1.", **told)
        raise ValueError(text + advice)
    for name, total in zip(panel.rows, array.sum(axis=1, dtype=np.float64)):
        if total > 1 + SLACK:
            told = {"name": f"{panel.name}, {name}" if name else panel.name, "total": total}
            text = _("the numbers in '{name}' add up to {total:.4g}, more than 1.", **told)
            raise ValueError(text + advice)
