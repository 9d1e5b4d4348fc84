"""An Explorer is copied or saved as a picture, which shows what the page shows."""

import base64
import io
from xml.etree import ElementTree

import numpy as np
import pytest
from access import at_start, violations
from every_explorer import SHOTS, STICKS_OUT, assert_stands_out
from films import until
from PIL import Image
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

# What stands on the page, in pixels of the picture: [x, y, [red, green, blue]] for a corner of each
# cell, for pixels of each canvas, and for a point of each arrow.
POINTS = """box => {
  const from = box.querySelector('.ax-panels').getBoundingClientRect();
  const rgb = text => text.match(/\\d+/g).slice(0, 3).map(Number);
  const at = (x, y) => [2 * (x - from.left + 12), 2 * (y - from.top + 12)];
  const points = [];
  const seen = node => node.checkVisibility({ visibilityProperty: true }) && !node.closest('.ax-drawn .ax-heads');
  for (const cell of [...box.querySelectorAll('.ax-cell:not(.ax-masked)')].filter(seen)) {
    const { left, top } = cell.getBoundingClientRect();
    points.push([...at(left + 4, top + 4), rgb(getComputedStyle(cell).backgroundColor)]);
  }
  for (const canvas of box.querySelectorAll('.ax-canvas')) {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const [wide, high] = [width / canvas.width, height / canvas.height];
    for (let k = 0; k < canvas.width; k += 3) {
      const pixel = canvas.getContext('2d').getImageData(k, 3, 1, 1).data;
      points.push([...at(left + (k + 0.5) * wide, top + 3.5 * high), [...pixel].slice(0, 3)]);
    }
  }
  for (const line of box.querySelectorAll('.ax-drawn [style*="--ax-vector"]:is(path), .ax-curve > path')) {
    const middle = line.getPointAtLength(line.getTotalLength() / 4);
    const { x, y } = middle.matrixTransform(line.getScreenCTM());
    points.push([...at(x, y), rgb(getComputedStyle(line).stroke)]);
  }
  return points;
}"""
COPIED = """async () => {
  const [item] = await navigator.clipboard.read();
  const bytes = new Uint8Array(await (await item.getType('image/png')).arrayBuffer());
  return btoa(String.fromCharCode(...bytes));
}"""
REFUSES = "() => { navigator.clipboard.write = () => Promise.reject(new Error('not allowed')); }"


def press(box, name):
    """Choose from the menu, and return what the button then says that has been done."""
    button = box.get_by_role("button", name="copy or save")
    button.click()
    box.get_by_role("menuitem", name=name, exact=True).click()
    until(lambda: "ax-done" in button.get_attribute("class"), f"{name}: nothing is done")
    return button.get_attribute("title")


def assert_shows(box, png):
    """The picture has the colours of the page where the page has them, and words on its cells."""
    pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)
    points = box.evaluate(POINTS)
    assert len({tuple(colour) for _x, _y, colour in points}) > 1
    for x, y, colour in points:
        found = pixels[round(y) - 1 : round(y) + 2, round(x) - 1 : round(x) + 2]
        assert np.abs(found - colour).max(axis=-1).min() <= 12, (x, y, colour)
    return pixels


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["sums", "large", "planes"])
def test_what_is_copied_is_what_the_page_shows(page, name, scheme):
    page.page.emulate_media(color_scheme=scheme)
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    box = at_start(page.box(name))
    box.locator(".noUi-handle").first.press("End")
    assert press(box, "copy as a picture") == "The picture is copied."
    assert box.get_by_role("status").text_content() == "The picture is copied."
    png = base64.b64decode(page.page.evaluate(COPIED))
    pixels = assert_shows(box, png)
    assert (pixels[0, 0].max() < 128) == (scheme == "dark")  # it has a ground of its own
    page.page.emulate_media(color_scheme="light")


def test_keys_open_the_menu_move_in_it_and_leave_it(page):
    box, keys = at_start(page.box("sums")), page.page.keyboard
    cell = box.locator('[aria-label="weights"] .ax-cell').first
    cell.click()
    button, items = box.get_by_role("button", name="copy or save"), box.get_by_role("menuitem")
    for opens in ("Enter", "Space", "ArrowDown"):
        button.focus()
        keys.press(opens)
        expect(items.nth(0)).to_be_focused()
        for key, reached in (("ArrowDown", 1), ("ArrowUp", 0), ("ArrowUp", 2), ("ArrowDown", 0)):
            keys.press(key)
            expect(items.nth(reached)).to_be_focused()
        keys.press("Escape")
        expect(button).to_be_focused()
        expect(button).to_have_attribute("aria-expanded", "false")
        assert items.count() == 0 and box.locator(".ax-pinned").count() > 0  # it closes no more
    keys.press("Enter")
    keys.press("Tab")
    assert items.count() == 0
    cell.click()


@pytest.mark.parametrize("scheme, width", [("light", 1400), ("dark", 1400), ("light", 390)])
def test_everyone_can_use_the_menu_and_it_stays_on_the_page(page, scheme, width):
    page.page.emulate_media(color_scheme=scheme)
    page.page.set_viewport_size({"width": width, "height": 1000})
    box = at_start(page.box("sums"))
    button = box.get_by_role("button", name="copy or save")
    button.click()
    assert_stands_out(box, f"the menu, {scheme}")
    assert violations(box.locator(".ax-menu")) == [] and not box.evaluate(STICKS_OUT, width)
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.page.screenshot(path=SHOTS / f"menu_{scheme}_{width}.png")
    button.click()
    assert box.get_by_role("menuitem").count() == 0


def saved(page, box, button):
    """(what the button says, name, bytes) of a file that a button saves."""
    with page.page.expect_download() as coming:
        said = press(box, button)
    return said, coming.value.suggested_filename, coming.value.path().read_bytes()


def test_where_the_browser_refuses_the_picture_is_saved_and_the_button_says_so(page):
    box = at_start(page.box("sums"))
    page.page.evaluate(REFUSES)
    said, name, png = saved(page, box, "copy as a picture")
    page.page.evaluate("delete navigator.clipboard.write")
    assert said == "The picture is saved as a file."
    assert name == "scores, weights, context.png"
    assert_shows(box, png)


def test_an_svg_has_all_words_as_text_and_the_settings(page):
    box = at_start(page.box("sums"))
    box.locator(".noUi-handle").press("End")
    _said, name, svg = saved(page, box, "save as SVG")
    assert name.endswith(".svg")
    texts = [node.text for node in ElementTree.fromstring(svg).iter() if node.tag.endswith("}text")]
    cells = box.locator(".ax-cell").all_inner_texts()
    assert sorted(set(cells)) == sorted(set(cells) & set(texts))
    assert {"Hello", "shiny", "= X @ Xᵀ", "temperature = 3.0"} <= set(texts)
