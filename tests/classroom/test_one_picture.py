"""The one picture in a browser: its numbers are those of helpers.models, and a word is followed."""

from pathlib import Path

import pytest
import torch
from conftest import REPOSITORY
from pages_made import book
from playwright.sync_api import expect
from site_pages import Page

from helpers.classroom import site
from helpers.classroom.one_picture import words
from helpers.data.sentences import SUNNY
from tests.tools.strips import numbers

pytestmark = pytest.mark.browser
PHONE = {"viewport": {"width": 390, "height": 800}, "reduced_motion": "reduce"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The first page of a site of one notebook."""
    folder = tmp_path_factory.mktemp("front")
    site.make_site(folder, {Path("00_x.ipynb"): book()}, REPOSITORY)
    return folder / "index.html"


@pytest.fixture
def page(made, browser):
    opened = Page(browser, made, **PHONE)
    yield opened
    opened.close()


def assert_same_numbers(picture, x, masked):
    shown, wanted = picture.evaluate("box => box.numbers"), numbers(x.double(), masked)
    weights = [head["w"] for head in shown["heads"]]
    for found, name in ((weights, "weights"), (shown["out"], "out")):
        torch.testing.assert_close(torch.tensor(found).double(), wanted[name], atol=1e-6, rtol=0)


def test_its_numbers_are_those_of_the_models_whatever_one_does(page):
    picture, x = page.page.locator(".one-picture"), SUNNY.clone()
    assert_same_numbers(picture, x, masked=True)
    page.page.locator("[data-id='x.0.1']").press("ArrowUp")
    x[0, 1] += 0.02
    assert_same_numbers(picture, x, masked=True)
    page.page.get_by_label(words()["mask"], exact=True).uncheck()
    assert_same_numbers(picture, x, masked=False)
    page.page.locator(".one-reset").click()
    assert_same_numbers(picture, SUNNY, masked=True)
    assert page.errors == page.outside == []


def test_all_of_it_is_in_the_first_screen_of_a_phone_below_the_way_to_begin(page):
    assert page.page.locator(".ways a").first.bounding_box()["y"] < 400
    page.page.locator(".one-go").click()
    expect(page.page.locator("[data-word='1']")).to_have_attribute("aria-pressed", "true")
    for name in ("x.0.0", "o.2.2"):
        end = page.page.locator(f"[data-id='{name}']").bounding_box()
        assert 0 < end["x"] < 390 - end["width"] and 0 < end["y"] < 800 - end["height"]
    assert min(page.page.locator(".one-pane text:visible").evaluate_all(LETTERS)) >= 9


LETTERS = """texts => texts.map((text) =>
  parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"""


def test_on_paper_are_gaps_and_their_solution(made, browser):
    paper = Page(browser, made.with_name("paper.html"))
    pictures = paper.page.locator(".one-picture svg")
    expect(pictures).to_have_count(2)
    gaps, solution = (svg.locator("text").all_text_contents() for svg in pictures.all())
    assert len(gaps) == len(solution) and not set("_%") & set("".join(solution)) - {"%"}
    assert {told for gap, told in zip(gaps, solution) if gap != told} >= set(words()["stages"])
    assert not any("%" in gap for gap in gaps)
    assert paper.page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") == 2
    assert paper.errors == []
    paper.close()
