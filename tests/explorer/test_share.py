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
    box.get_by_role("button", name="copy or save").click()
    box.get_by_role("menuitem", name="copy a link to these settings").click()
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


# The texts and drawings of an Explorer that lie under its button; not those for screen readers alone.
BELOW = """button => {
  const at = button.getBoundingClientRect();
  const isSeen = node => node.matches('canvas, svg')
    || [...node.childNodes].some(x => x.nodeType === 3 && x.textContent.trim());
  const isClipped = node => getComputedStyle(node).clipPath === 'inset(50%)';
  return [...button.closest('.attention-explorer').querySelectorAll('*')].filter(node => {
    for (let around = node; around; around = around.parentElement) if (isClipped(around)) return false;
    const { left, right, top, bottom } = node.getBoundingClientRect();
    return isSeen(node) && !button.contains(node) && left < at.right && right > at.left
      && top < at.bottom && bottom > at.top;
  }).map(node => node.outerHTML.slice(0, 120));
}"""


@pytest.mark.parametrize("width", [1400, 390])
def test_its_button_covers_nothing(page, width):
    page.page.set_viewport_size({"width": width, "height": 3000})  # so tall that nothing sticks
    buttons = page.page.get_by_role("button", name="copy or save").all()
    assert len(buttons) > 3
    for button in buttons:
        button.evaluate("node => node.scrollIntoView({ block: 'center' })")
        assert button.evaluate(BELOW) == []
