"""The one picture in a browser: its numbers are those of helpers.models, and a word is followed."""

from pathlib import Path

import pytest
import torch
from conftest import REPOSITORY
from pages_made import book
from playwright.sync_api import expect
from site_pages import Page

from helpers.classroom import site
from helpers.classroom.one_picture import html, numbers, words
from helpers.data.sentences import SUNNY

pytestmark = pytest.mark.browser
PHONE = {"viewport": {"width": 390, "height": 800}, "reduced_motion": "reduce"}


@pytest.fixture
def page(tmp_path, browser):
    """The first page of a site of one notebook."""
    site.make_site(tmp_path, {Path("00_x.ipynb"): book()}, REPOSITORY)
    opened = Page(browser, tmp_path / "index.html", **PHONE)
    yield opened
    opened.close()


def assert_same_numbers(picture, x, masked):
    shown, wanted = picture.evaluate("box => box.numbers"), numbers(x.double(), masked)
    weights = [head["w"] for head in shown["heads"]]
    for found, name in ((weights, "weights"), (shown["o"], "out")):
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
    assert_same_numbers(picture, SUNNY, masked=False)
    assert page.errors == page.outside == []


def test_a_followed_word_ends_in_sight_on_a_phone(page):
    page.page.locator(".one-go").click()
    expect(page.page.locator("[data-word='1']")).to_have_attribute("aria-pressed", "true")
    assert page.page.locator("[data-id='o.1.0']").evaluate(
        "x => x.getBoundingClientRect().bottom < document.querySelector('.one-say').offsetTop"
        " && x.getBoundingClientRect().bottom < innerHeight"
    )


def test_two_on_a_page_share_no_id(tmp_path, browser):
    (tmp_path / "two.html").write_text(html() + html())
    two = Page(browser, tmp_path / "two.html")
    expect(two.page.locator(".one-picture[data-ready]")).to_have_count(2)
    ids = two.page.locator("[id]").evaluate_all("all => all.map(x => x.id)")
    assert len(ids) == len(set(ids)) > 8
    assert two.errors == []
    two.close()
