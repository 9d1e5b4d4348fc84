"""Reading a page of the site: on paper, and on a narrow screen."""

import pytest
from nbformat.v4 import new_output
from pages_made import book, code, page_of
from site_pages import Page

pytestmark = pytest.mark.browser
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPhfDwACgwGA60e6kgAAAABJRU5ErkJggg=="


def test_on_paper_answers_are_open_and_no_code_is_cut_off(opened):
    page = opened("01_hello_shiny_sun", answered=False, viewport={"width": 700, "height": 900}).page
    page.locator(".question[data-ready=true]").first.wait_for()
    seen = "all => all.map(x => x.checkVisibility())"
    folded = page.locator("details:not(.ax-share, details *) > :not(summary)")
    assert not any(folded.evaluate_all(seen))
    page.emulate_media(media="print")
    assert all(folded.evaluate_all(seen))
    assert page.locator(".question-below").first.is_visible()
    cut = "all => all.filter(x => x.scrollWidth > x.clientWidth + 1).map(x => x.innerText)"
    assert page.locator(".bd-article pre").evaluate_all(cut) == []


def test_on_a_narrow_screen_a_wide_picture_keeps_its_size_and_scrolls(tmp_path, browser):
    size = {"image/png": {"width": 900}}
    shown = new_output("display_data", {"image/png": PIXEL}, metadata=size)
    page_of(tmp_path, book(code("wide", shown)))
    opened = Page(browser, tmp_path / "site" / "x.html")
    picture = opened.page.locator(".cell_output img")
    for width in (390, 800):
        opened.page.set_viewport_size({"width": width, "height": 800})
        picture.evaluate("image => image.parentElement.scrollTo(0, 0)")
        assert picture.bounding_box()["width"] == 900
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
        picture.evaluate("image => image.parentElement.scrollTo(900, 0)")
        right = picture.bounding_box()
        assert right["x"] + right["width"] <= width, "its right edge cannot be reached"
    opened.close()
