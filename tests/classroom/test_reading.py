"""Reading a page of the site: its contents, and what it is on paper."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_the_contents_mark_the_section_that_is_read_on_the_way_up_too(opened):
    page = opened("01_hello_shiny_sun", viewport={"width": 1400, "height": 900}).page
    marked = page.locator("#pst-page-toc-nav a.active")
    names = page.locator(".bd-article :is(h2, h3)").all()
    for heading, shift, wanted in [(names[3], -100, names[3]), (names[3], -600, names[2])]:
        top = heading.evaluate("node => node.getBoundingClientRect().top + scrollY")
        page.evaluate("y => scrollTo(0, y)", top + shift)
        expect(marked).to_have_text(wanted.inner_text().rstrip("#"))


def test_on_paper_answers_are_open_and_no_code_is_cut_off(opened):
    page = opened("01_hello_shiny_sun", answered=False, viewport={"width": 700, "height": 900}).page
    page.locator(".question[data-ready=true]").first.wait_for()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert page.locator(".question-below").first.is_visible()
    cut = "all => all.filter(x => x.scrollWidth > x.clientWidth + 1).map(x => x.innerText)"
    assert page.locator(".bd-article pre").evaluate_all(cut) == []
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0
