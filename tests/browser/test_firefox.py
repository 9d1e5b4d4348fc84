"""The pages of `make site` in Firefox, if Playwright has one (`python -m playwright install firefox`):
every slider from end to end, and every number on the way."""

import os

import films
import pytest
from playwright.sync_api import sync_playwright
from site_pages import PAGES, Page, expected, views

pytestmark = [pytest.mark.browser, pytest.mark.weekly]


@pytest.fixture(scope="module")
def firefox():
    with sync_playwright() as playwright:
        if not os.path.exists(playwright.firefox.executable_path):
            pytest.skip("Playwright has no Firefox here")
        started = playwright.firefox.launch()
        yield started
        started.close()


@pytest.mark.parametrize("name", PAGES)
def test_films_show_what_python_computed(firefox, site, soups, name):
    page, models = Page(firefox, site / f"{name}.html", fast=True), list(views(soups[name]))
    boxes = page.live()
    assert [film for film, stands, end in films.play_all(page.page) if stands != end] == []
    for i, (box, (spec, buffers)) in enumerate(zip(boxes, models, strict=True)):
        for frame, texts in films.seen(box.locator(".ax-view")).items():
            assert texts == expected(spec, buffers, frame), f"Explorer {i}, frame {frame}"
    assert page.errors == []
    page.close()
