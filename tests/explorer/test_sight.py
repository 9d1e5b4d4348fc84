"""The Explorer for every eye, in real JupyterLab: narrow windows, 200 % zoom, forced colours.

Screenshots are left in build/screenshots, to be looked at.
"""

import io

import pytest
from every_explorer import SHOTS
from PIL import Image, ImageChops

pytestmark = pytest.mark.browser
NAMES = ["sums", "masked", "hostile", "true", "large", "live", "pale", "tall"]
NAMES += ["moves", "chances", "series", "lines", "lines of heads"]


# ---------------------------------------------------------------- little room

# What sticks out of the page, or is cut: but for long tokens, which end in an ellipsis.
CUT = """box => {
  const room = box.closest('.jp-OutputArea-output').getBoundingClientRect();
  const unseen = '.ax-live, .ax-lined .ax-heads, svg'; // said, or seen elsewhere
  return [...box.querySelectorAll('*')].filter(n => n.checkVisibility() && !n.closest(unseen))
    .flatMap(node => {
      const { left, right } = node.getBoundingClientRect();
      const cut = getComputedStyle(node).overflowX !== 'visible' && !node.matches('.ax-token')
        && node.scrollWidth > node.clientWidth + 1;
      const what = [left < room.left - 1 || right > room.right + 1 ? 'sticks out' : '', cut ? 'is cut' : ''];
      return what.filter(Boolean).map(fault => `${node.tagName}.${node.className} ${fault}`); });
}"""


def test_nothing_is_cut_at_360_pixels(notebook):
    """Which is also what a window of 720 pixels shows at 200 %: as many pixels for the page."""
    page = notebook.page
    zoomed = page.context.new_cdp_session(page)
    size = {"width": 360, "height": 800, "deviceScaleFactor": 2, "mobile": False}
    page.set_viewport_size({"width": 360, "height": 800})
    zoomed.send("Emulation.setDeviceMetricsOverride", size)
    notebook.close_side_bars()
    faults = {}
    for name in NAMES:
        explorer = notebook.named(name)
        if name == "sums":
            explorer.cell("weights", 1, 0).click()
        explorer.view.evaluate("view => view.scrollIntoView({ block: 'end' })")
        page.screenshot(path=SHOTS / f"access_360_{name}.png")
        faults[name] = explorer.box.evaluate(CUT)
    zoomed.send("Emulation.clearDeviceMetricsOverride")
    assert not any(faults.values()), faults


# ---------------------------------------------------------------- forced colours


def picture_of(locator):
    return Image.open(io.BytesIO(locator.screenshot())).convert("RGB")


def luminance(rgb):
    linear = [v / 255 / 12.92 if v <= 10 else ((v / 255 + 0.055) / 1.055) ** 2.4 for v in rgb]
    return sum(share * v for share, v in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(a, b):
    dark, light = sorted([luminance(a), luminance(b)])
    return (light + 0.05) / (dark + 0.05)


def strongest_contrast(picture):
    """Between the lightest and the darkest of its pixels."""
    ordered = sorted({rgb for _, rgb in picture.getcolors(1 << 24)}, key=luminance)
    return contrast(ordered[0], ordered[-1])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_forced_colours(notebook, scheme):
    """Windows' high contrast: what it leaves of numbers, hatching, buttons, and a locked row."""
    notebook.page.emulate_media(forced_colors="active", color_scheme=scheme)
    explorer = notebook.named("masked")
    notebook.page.mouse.move(2, 2)
    assert strongest_contrast(picture_of(explorer.cell("weights", 2, 0))) >= 4.5
    hatched = picture_of(explorer.cell("weights", 0, 2)).crop((3, 3, 15, 12))  # beside its dash
    assert strongest_contrast(hatched) >= 2
    for button in explorer.box.locator(".ax-player button").all():
        picture = picture_of(button)
        edge = picture.crop((0, picture.height // 2, 5, picture.height // 2 + 1))
        assert strongest_contrast(edge) >= 3
        assert strongest_contrast(picture) >= 4.5
    free, token = explorer.cell("weights", 2, -1), explorer.cell("weights", 1, -1)
    token.click()
    notebook.page.mouse.move(2, 2)
    notebook.page.evaluate("document.activeElement.blur()")
    notebook.page.screenshot(path=SHOTS / f"access_forced_{scheme}.png")
    corner = [picture_of(node).getpixel((4, 4)) for node in (token, free)]
    assert contrast(*corner) >= 3, "a locked row looks like any other"
    assert strongest_contrast(picture_of(token).crop((4, 4, 30, 20))) >= 4.5

    lines = notebook.named("lines of heads")
    lines.view.scroll_into_view_if_needed()
    assert strongest_contrast(picture_of(lines.view.locator(".ax-sheet"))) >= 4.5
    bar = notebook.named("chances").view.locator(".ax-track").first
    assert strongest_contrast(picture_of(bar)) >= 4.5  # what there is of it, against what is not
    notebook.page.screenshot(path=SHOTS / f"access_forced_bars_{scheme}.png")

    large = notebook.named("large")
    canvas = large.view.locator("canvas").first
    before = picture_of(canvas)
    large.view.locator(".ax-left .ax-token").nth(3).click()
    notebook.page.mouse.move(2, 2)
    after = picture_of(canvas)
    band = ImageChops.difference(before, after)
    assert band.getbbox(), "a locked row of a picture is unseen"
    places = [(x, y) for x in range(band.width) for y in range(band.height)]
    seen = [(before.getpixel(p), after.getpixel(p)) for p in places if any(band.getpixel(p))]
    assert max(contrast(*pair) for pair in seen) >= 3
