"""Where colours would show next to nothing: what is said of it, and the closer scale that is offered.

A scale belongs to its role, so that a colour means the same in every picture, and weights end at 1. Those
of 25 tokens are near 0.04 there, all but white. The Explorer then offers a scale that ends where the
numbers do, and changes to it only when it is asked to.
"""

import math

import numpy as np

from .. import _

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
    ends = np.cumsum([panel.size for panel in panels])
    parts = zip(panels, np.split(frames, ends, axis=1), np.split(here, ends))
    return [_offer(panel, _largest(every), _largest(first), swept) for panel, every, first in parts]


def says_pale(panel, array):
    """What is said of one matrix that its colours hardly show; "" where they do."""
    largest = _largest(array)
    return _all_pale(panel, _rounded_up(largest)) if _is_pale(panel, largest) else ""


def _offer(panel, largest, here, swept):
    if panel.role == "chances":  # bars, whose numbers are lengths
        return None
    if _is_pale(panel, largest):
        end, for_all = _rounded_up(largest), swept
    elif panel.is_picture and _is_pale(panel, here):
        end, for_all = _rounded_up(here), False
    else:
        return None
    says = _all_pale(panel, end)
    taken = _("closer colours: they end at {end:g}, not at {panel.limit:g}", end=end, panel=panel)
    if not for_all:
        says = _(
            "numbers up to {end:g} are pale on a scale to {panel.limit:g}", end=end, panel=panel
        )
        taken += _("; what is beyond is as dark")
    return {"end": end, "says": says, "taken": taken}


def _all_pale(panel, end):
    told = {"end": end, "panel": panel}
    if panel.role == "weights":
        return _("all weights are at most {end:g}: pale on a scale to {panel.limit:g}", **told)
    return _("all numbers are within ±{end:g}: pale on a scale to {panel.limit:g}", **told)


def _is_pale(panel, largest):
    return 0 < largest < PALE * panel.limit


def _largest(numbers):
    """The largest size of a number; 0 where all are masked."""
    return float(np.nanmax(np.abs(numbers), initial=0))


def _rounded_up(x):
    """The next number up that has two digits; float32 makes 0.1 a little more, which counts as 0.1."""
    step = 10.0 ** (math.floor(math.log10(x)) - 1)
    return float(f"{math.ceil(x / step * (1 - 1e-6)) * step:.2g}")
