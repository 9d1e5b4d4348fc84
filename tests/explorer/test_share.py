"""A link to a page with these settings opens the page with them, in the Explorer that it is about."""

import pytest
from access import at_start
from films import until

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", ["sums", "arcs", "series"])
def test_a_link_brings_the_settings_back(page, name):
    box = at_start(page.box(name))
    for control in box.locator(".noUi-handle").all():
        control.press("ArrowRight")
    for menu in box.locator("select").all():
        menu.select_option(index=1)
    frame = box.locator(".ax-view").get_attribute("data-frame")
    assert frame != "0"
    others = page.box("true").locator(".ax-view").get_attribute("data-frame")
    box.get_by_role("button", name="copy a link to these settings").click()
    address = page.page.url
    assert "#" in address
    at_start(box)
    page.page.reload()
    page.live()
    assert page.page.url == address
    until(
        lambda: box.locator(".ax-view").get_attribute("data-frame") == frame, "it opens as before"
    )
    assert page.box("true").locator(".ax-view").get_attribute("data-frame") in ("0", others)
    page.page.evaluate("history.replaceState(null, '', location.pathname)")
