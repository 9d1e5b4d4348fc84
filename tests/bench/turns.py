"""Measures competitors that take turns."""

import time
from statistics import median


def median_ratio(ours, theirs, turns, warming=1):
    """The median of ours / theirs, two functions that return their cost; the order alternates."""
    ratios = []
    for turn in range(warming + turns):
        took = {rival: rival() for rival in (ours, theirs)[:: 1 if turn % 2 else -1]}
        if turn >= warming:
            ratios.append(took[ours] / took[theirs])
    return median(ratios)


def timed(work):
    """A function that does this work, and returns the seconds that it took."""

    def seconds():
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return seconds
