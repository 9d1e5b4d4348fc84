"""Explorers and Insides on the pages of `make site`, which need no kernel.

What is true of an Explorer in JupyterLab is true here, and takes a tenth of the time to test: every
number at every stop of a slider, sums, read-out, names, contrast in both themes, the width of a
phone. `make test` tests the same on the page of explorers.ipynb, which has panels and controls of
every kind (test_everyone.py), and here on a page of a notebook; once a week all are tested.
"""

import films
import numpy as np
import pytest
from access import violations
from every_explorer import LOWEST_CONTRAST, MOVES, SHOTS, STICKS_OUT, sums_that_open, use_scheme
from site_pages import PAGES, assert_cell_answers, assert_numbers_are_pythons, expected, views

pytestmark = pytest.mark.browser
FEW = ["14_your_own_model"]  # Explorers and Insides

FONTS = """box => [...box.querySelectorAll('.ax-view, .widget-label, .widget-readout')]
  .map(node => getComputedStyle(node).fontFamily)"""


@pytest.mark.parametrize(
    "names", [pytest.param(FEW, id="few"), pytest.param(PAGES, id="all", marks=pytest.mark.weekly)]
)
def test_pages_are_alive_with_no_kernel(opened, soups, names):
    for name in names:
        assert_page_is_alive(opened, soups, name)


@pytest.mark.weekly
def test_nothing_moves_in_a_wide_window_either(opened):
    for name in PAGES:
        page = opened(name, viewport={"width": 1400, "height": 900})
        page.live()
        assert_nothing_moves_while_an_explorer_plays(page.page, name)
        page.close()


def assert_nothing_moves_while_an_explorer_plays(page, name):
    """There is room for the widest number and the longest word of all settings."""
    moved = page.locator(".attention-explorer").evaluate_all(MOVES)
    assert not any(moved), f"{name}: {moved}"


def assert_page_is_alive(opened, soups, name):
    page = opened(name, fast=True, viewport={"width": 400, "height": 900})
    shown, models = page.live(), list(views(soups[name]))
    assert len(shown) == len(models), name
    assert_nothing_moves_while_an_explorer_plays(page.page, name)
    page.page.set_viewport_size({"width": 1280, "height": 720})
    for i, (box, (spec, buffers)) in enumerate(zip(shown, models)):
        assert box.locator(".still").is_hidden()
        if spec["swept"]:
            assert_numbers_are_pythons(box, spec, buffers)
        assert_cell_answers(box, spec, buffers)
        opened_sums = sums_that_open(box.locator(".ax-view"), f"{name}, Explorer {i}")
        assert opened_sums or not any(panel["sum"] for panel in spec["panels"])
        assert len(set(box.evaluate(FONTS))) == 1
    assert_films_show_what_python_computed(page.page, shown, models)
    assert not shown or violations(page.page.locator(".live")) == [], name
    assert_fits(page.page, name)
    assert page.errors == [], name
    assert page.outside == [], name
    page.close()


def assert_films_show_what_python_computed(page, boxes, models):
    """Each film runs through every stop to its end, and every number on the way equals Python's."""
    there = page.locator(".ax-control").count()  # otherwise there is nothing to wait for
    for film, stands, end in films.play_all(page) if there else []:
        assert stands == end, f"▶ beside '{film}' stopped at {stands} of {end}"
    for i, (box, (spec, buffers)) in enumerate(zip(boxes, models)):
        shown = films.seen(box.locator(".ax-view")) if there else {}
        for frame, texts in shown.items():
            assert texts == expected(spec, buffers, frame), f"Explorer {i}, frame {frame}"
        sizes = [len(stops) for stops in spec["stops"]]
        stood = np.unravel_index(list(shown), sizes) if shown and sizes else []
        players = box.locator(".ax-play").count()
        through = sum(len(set(at)) == size for at, size in zip(stood, sizes) if size > 2)
        assert through >= players, f"Explorer {i}: a film skips some of its stops"


def assert_fits(page, name):
    """Check the contrast of the whole page in both schemes, and that it fits on a phone."""
    for scheme in ("light", "dark"):
        use_scheme(page, scheme)
        page.screenshot(path=SHOTS / f"site_{name}_{scheme}.png")
        assert page.locator("body").evaluate(LOWEST_CONTRAST) >= 4.5, name
    page.set_viewport_size({"width": 360, "height": 800})
    page.screenshot(path=SHOTS / f"site_{name}_phone.png")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
    assert page.locator(".bd-article-container").evaluate(STICKS_OUT, 360) == [], name
