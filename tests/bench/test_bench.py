"""`make bench` runs to its end: each part in a short run, which proves no speed."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module

import pytest

from tests.bench.__main__ import PARTS
from tests.bench.turns import median_ratio

pytestmark = pytest.mark.weekly


def once(ours, theirs, turns):
    """As median_ratio, in a single turn."""
    return median_ratio(ours, theirs, 1, warming=0)


def measured_once(part):
    """Every (what, ratio, bar) of a part, each from a single turn."""
    module = import_module(f"tests.bench.{part}")
    module.TURNS = 1
    if hasattr(module, "median_ratio"):
        module.median_ratio = once
    return list(module.ratios())


@pytest.mark.parametrize("part", PARTS)
def test_every_part_measures_to_its_end(part):
    """In a process of its own: the slider starts a browser, and in this one, where the browser of
    other tests may be running, Playwright would refuse to start a second."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=fresh) as pool:
        found = pool.submit(measured_once, part).result()
    assert found and all(ratio > 0 and bar > 0 for _what, ratio, bar in found)
