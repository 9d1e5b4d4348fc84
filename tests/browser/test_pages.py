"""Explorers and Insides on the pages of `make site`, which need no kernel.

What is true of an Explorer in JupyterLab is true here, and takes a tenth of the time to test: every
number at every stop of a slider, sums, read-out, names, contrast in both themes, the width of a
phone. `make test` tests a few pages that contain all kinds of panels between them, and once a week
all pages are tested.
"""

import films
import numpy as np
import pytest
from every_explorer import (
    LOWEST_CONTRAST,
    MOVES,
    SHOTS,
    STICKS_OUT,
    assert_can_be_read,
    sums_that_open,
)
from site_pages import (
    PAGES,
    assert_cell_answers,
    assert_numbers_are_pythons,
    expected,
    views,
)

pytestmark = pytest.mark.browser

FONTS = """box => [...box.querySelectorAll('.ax-view, .widget-label, .widget-readout')]
  .map(node => getComputedStyle(node).fontFamily)"""

# A theme learns of another colour scheme a moment later, and then fades into it. In a fold that is
# closed, the line that a card draws is not drawn until it opens, so only what is visible counts.
FADED = """scheme => document.documentElement.dataset.theme === scheme
  && !document.getAnimations().some(({effect}) => effect.target.checkVisibility())"""


def kinds(soup):
    """What a page has to test: kinds of panels, the number of controls, all heads of a model."""
    for spec, _ in views(soup):
        yield bool(spec.get("overview")), "overview"
        yield min(len(spec["stops"]), 2), "controls"
        for panel in spec["panels"]:
            yield panel["view"], panel["picture"], bool(panel["bars"])


@pytest.fixture(scope="module")
def few(soups, site):
    """The names of a few pages that have all kinds of panels between them."""
    there = {name: set(kinds(soup)) for name, soup in soups.items()}
    size = {name: (site / f"{name}.html").stat().st_size for name in there}
    left, chosen = set.union(*there.values()), []
    assert len(left) > 5
    while left:  # next, the page with most per size that is still untested
        chosen.append(max(there, key=lambda name: len(there[name] & left) / size[name] ** 0.5))
        left -= there[chosen[-1]]
    return chosen


def a_few_or_all(names, *values):
    """At every change a few pages, with the last of these values; once a week all, with each."""
    weekly = [pytest.param(True, *x, id=f"all {x}", marks=pytest.mark.weekly) for x in values]
    return pytest.mark.parametrize(names, [pytest.param(False, *values[-1], id="few"), *weekly])


@a_few_or_all("every", ())
def test_pages_are_alive_with_no_kernel(opened, soups, few, every):
    for name in PAGES if every else few:
        assert_page_is_alive(opened, soups, name)


@a_few_or_all("every, width", (1400,), (400,))
def test_nothing_moves_while_an_explorer_plays(opened, few, every, width):
    """There is room for the widest number and the longest word of all settings."""
    stops = 0
    for name in PAGES if every else few:
        page = opened(name, viewport={"width": width, "height": 900})
        page.live()
        explorers = page.page.locator(".attention-explorer").evaluate_all(MOVES)
        for i, (count, moved) in enumerate(explorers):
            assert moved == [], f"{name}, Explorer {i}, {width} pixels wide"
            stops += count
        page.close()
    assert stops > 50  # how many there are depends on which pages are chosen


def assert_page_is_alive(opened, soups, name):
    page = opened(name, fast=True)
    shown, models = page.live(), list(views(soups[name]))
    assert len(shown) == len(models), name
    for i, (box, (spec, buffers)) in enumerate(zip(shown, models)):
        assert box.locator(".still").is_hidden()
        if spec["swept"]:
            assert_numbers_are_pythons(page.page, box, spec, buffers)
        assert_cell_answers(box, spec, buffers)
        opened_sums = sums_that_open(box.locator(".ax-view"), f"{name}, Explorer {i}")
        assert opened_sums or not any(panel["sum"] for panel in spec["panels"])
        assert len(set(box.evaluate(FONTS))) == 1
    assert_films_show_what_python_computed(page.page, shown, models)
    for i, box in enumerate(shown):
        assert_can_be_read(box, f"{name}, output {i}")
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
    SHOTS.mkdir(parents=True, exist_ok=True)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(FADED, arg=scheme)
        page.screenshot(path=SHOTS / f"site_{name}_{scheme}.png")
        assert page.locator("body").evaluate(LOWEST_CONTRAST) >= 4.5, name
    page.set_viewport_size({"width": 360, "height": 800})
    page.screenshot(path=SHOTS / f"site_{name}_phone.png")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
    assert page.locator(".bd-article-container").evaluate(STICKS_OUT, 360) == [], name
