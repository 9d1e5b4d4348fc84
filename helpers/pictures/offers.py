"""Where colours would show next to nothing: what is said of it, and the closer scale that is offered.

A scale belongs to its role, so that a colour means the same in every picture, and weights end at 1. Those
of 25 tokens are near 0.04 there, all but white. The Explorer then offers a scale that ends where the
numbers do, and changes to it only when it is asked to.
"""

import math

import numpy as np

PALE = 0.2  # of a scale: what stays below hardly differs from white


def offers(panels, frames, here, swept=True):
    """{"end", "says", "taken"} for each panel: the closer scale and what is said; None where none is needed.

    panels   Panel, in the order of their numbers in a frame
    frames   (positions, numbers in a frame), NaN where masked: all there are, if `swept`
    here     the frame that is seen first

    Decided once, so that nothing flickers as a slider moves: by the largest number of all positions, or
    where that is seen well enough, by the largest of the one that is seen first (but not for a table:
    its numbers can be read).
    """
    found, start = [], 0
    for panel in panels:  # bars, whose numbers are lengths, need none
        cells = slice(start, start := start + panel.size)
        found.append(_offer(panel, _largest(frames[:, cells]), _largest(here[cells]), swept))
    return found


def says_pale(panel, array):
    """What is said of one matrix that its colours hardly show; "" where they do."""
    largest = _largest(array)
    return _said(panel, _rounded_up(largest)) if _is_pale(panel, largest) else ""


def _offer(panel, largest, here, swept):
    if panel.role == "chances":
        return None
    counts = [largest, here] if panel.is_picture else [largest]
    pale = [x for x in counts if _is_pale(panel, x)]
    if not pale:
        return None
    end, for_all = _rounded_up(pale[0]), swept and pale[0] == largest
    name = "weights" if panel.role == "weights" else "numbers"
    usual = f"{panel.limit:g}"
    return {
        "end": end,
        "says": _said(panel, end)
        if for_all
        else f"{name} up to {end:g} are pale on a scale to {usual}",
        "taken": f"closer colours: they end at {end:g}, not at {usual}"
        + ("" if for_all else "; what is beyond is as dark"),
    }


def _said(panel, end):
    is_weights = panel.role == "weights"
    all_of_them = f"weights are at most {end:g}" if is_weights else f"numbers are within ±{end:g}"
    return f"all {all_of_them}: pale on a scale to {panel.limit:g}"


def _is_pale(panel, largest):
    return 0 < largest < PALE * panel.limit


def _largest(numbers):
    """The largest size of a number; 0 where all are masked."""
    return float(max(np.nanmax(numbers, initial=0), -np.nanmin(numbers, initial=0)))


def _rounded_up(x):
    """The next number up that has two digits."""
    step = 10.0 ** (math.floor(math.log10(x)) - 1)
    return float(
        f"{math.ceil(x / step * (1 - 1e-6)) * step:.2g}"
    )  # float32 makes 0.1 a little more
