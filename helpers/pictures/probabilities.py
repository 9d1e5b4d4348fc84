"""Probabilities of words, shown as bars: which words get one, and what must hold of the numbers."""

import numpy as np

from .. import _

SLACK = 1e-3  # so far over 1 a sum may be, for it was rounded


def with_bars(panel, array):
    """(words that get a bar, in their order; their numbers (series, words); how many others there are).

    Where there are others, the last bar stands for all of them together.

    panel    a Panel of probabilities; its `bars` says how many, largest first by the first series, the first
             column first among equals; where it is None, all have a bar, in place
    array    (series, words)
    """
    if panel.bars is None:
        return panel.columns, array, 0
    order = np.argsort(-array[0], kind="stable")
    first, rest = order[: panel.bars], order[panel.bars :]
    words, numbers = [panel.columns[k] for k in first], array[:, first]
    if not rest.size:
        return words, numbers, 0
    together = array[:, rest].sum(axis=1, dtype=np.float64)
    words.append(_("{n} others", n=rest.size))
    return words, np.column_stack([numbers, np.maximum(together, 0)]), rest.size


def check_probabilities(panel, array):
    """ValueError unless every number is from 0 to 1, and each series adds up to 1 at most."""
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
