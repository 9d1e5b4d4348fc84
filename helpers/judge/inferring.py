"""What can be read off the output of a layer that shows no weights: those, and where it drops."""

import numpy as np

from .lines import Line


def are_weights(read, mixed, values):
    """Whether numbers read off an output are attention weights: these mix any values, all above 0.

    read    ([heads,] tokens, tokens): the output where the values are rows of the identity
    mixed   what comes out where every head has these values (tokens, tokens) instead
    """
    if read.shape[-2:] != values.shape or (read < -1e-6).any():
        return False
    expected = np.concatenate(list(read.reshape(-1, *values.shape) @ values), axis=-1)
    return mixed.size == expected.size and np.allclose(
        mixed.reshape(expected.shape), expected, atol=1e-3, equal_nan=True
    )


def dropped_elsewhere(drawn, whole, x, values):
    """Where numbers are dropped, as a Line, if it is not among the weights; else None.

    drawn, whole  the output (batch, tokens, heads, size) with dropout, and without
    x, values     (tokens, tokens) and (tokens, size), rows of length 1 at right angles

    The first token sees itself alone. What comes out is its value: a dropped weight takes all of it.
    """
    first = drawn[:, 0, 0]
    if _some_gone(first @ values.T @ x, x[0]):
        return Line("the_inputs")
    if not _some_gone(first, whole[0, 0, 0]):
        return None
    last_gone = (drawn[:, -1] == 0).float().mean()  # there are 17 more values in it
    return Line("the_context") if last_gone > 0.05 else Line("the_values")


def _some_gone(rows, whole):
    """Whether every number is 0 or the whole one, times some factor, and some rows have both."""
    seen = whole.abs() > 1e-2
    ratios = rows[:, seen] / whole[seen]
    gone = ratios.abs() < 1e-3
    kept = ratios[~gone]
    both = gone.any(1) & ~gone.all(1)
    return bool(both.any() and (kept - kept.median()).abs().max() < 0.02 * kept.median().abs())
