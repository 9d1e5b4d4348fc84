"""`make bench` runs to its end: each part in a short run, which proves no speed."""

from importlib import import_module

import pytest

from tests.bench.__main__ import PARTS
from tests.bench.turns import median_ratio

pytestmark = pytest.mark.weekly


@pytest.mark.parametrize("part", PARTS)
def test_every_part_measures_to_its_end(part, monkeypatch):
    module = import_module(f"tests.bench.{part}")
    if hasattr(module, "median_ratio"):
        once = lambda ours, theirs, turns: median_ratio(ours, theirs, 1, warming=0)  # noqa: E731
        monkeypatch.setattr(module, "median_ratio", once)
    monkeypatch.setattr(module, "TURNS", 1, raising=False)
    found = list(module.ratios())
    assert found and all(ratio > 0 and bar > 0 for _what, ratio, bar in found)
