"""An Explorer's own page opens as its address says, and "⋯" gives that address."""

import re

import pytest
from films import until
from site_pages import Page

pytestmark = pytest.mark.browser
KEEP = "navigator.clipboard.writeText = async (text) => { window.copied = text; }"
MARKS = """view => ['.ax-view', '.ax-panel', '.ax-locked, .ax-lock', '.ax-pinned', '.ax-sum']
  .map(name => [...view.parentNode.querySelectorAll(name)].filter(x => x.checkVisibility())
    .map(x => [x.dataset.frame, x.dataset.view, x.dataset.row, x.textContent]))"""


LINK, FRAME = "copy a link to this", "copy the line for a frame"


@pytest.mark.parametrize("name, button", [("sums", LINK), ("arcs", FRAME), ("series", LINK)])
def test_a_link_brings_settings_views_word_and_sum_back(page, name, button):
    path = page.path.parent / "x" / f"{name}.html"
    first = Page(page.page.context.browser, path)
    (box,) = first.live()
    view = box.locator(".ax-view")
    for control in box.locator(".noUi-handle").all():
        control.press("ArrowRight")
    for menu in box.locator("select").all():
        menu.select_option(index=1)
    if box.locator(".ax-views").count():
        box.locator(".ax-views button").nth(1).click()
    for cell in box.locator(".ax-query[data-row='1'], .ax-cell[data-row='1']").all()[:2]:
        cell.dispatch_event("click")
    stands = view.evaluate(MARKS)
    assert view.get_attribute("data-frame") != "0"
    first.page.evaluate(KEEP)
    box.locator(".ax-share summary").click()
    with first.page.expect_download(timeout=5000) as got:
        box.get_by_role("link", name="picture").click()
    assert got.value.suggested_filename == f"{name}.png"
    assert got.value.path().read_bytes().startswith(b"\x89PNG")
    box.get_by_role("button", name=button).click()
    first.page.wait_for_function("window.copied")
    copied = first.page.evaluate("window.copied")
    address = re.fullmatch(r'(?:<iframe src=")?(file:[^"]*)(?:".*)?', copied)[1]
    assert first.errors == first.outside == []
    first.page.goto("about:blank")  # or else the new address is a mere jump in the page
    first.page.goto(address)
    box.locator(".ax-view[data-ready]").wait_for()
    until(lambda: view.evaluate(MARKS) == stands, f"it opens as before: {address}")
    assert first.page.locator("article h1").is_visible() == (button == LINK)
    first.close()
