"""Every number equals Python's, and everyone can read it: on a page without a kernel, for examples
of explorers.ipynb. What grows, or changes its labels or their order, gets tests of its own.
"""

import io

import numpy as np
import pytest
from access import at_start, violations
from every_explorer import SHOTS, STICKS_OUT, assert_stands_out, sums_that_open
from PIL import Image
from site_pages import assert_cell_answers, assert_numbers_are_pythons
from test_pages import assert_films_show_what_python_computed

pytestmark = pytest.mark.browser
NAMES = ["sums", "masked", "hostile", "large", "wide", "moves", "moves large", "probabilities"]
NAMES += ["series", "lines", "lines of heads", "overview", "arcs", "arrows", "planes", "chart"]
NAMES += ["tree", "own"]
PHONE = {"width": 360, "height": 800}


def test_every_position_is_pythons(page):
    for name in NAMES:
        if name == "large":
            continue
        spec, buffers = page.models[name]
        page.page.mouse.move(2, 2)  # off the arrows, which would show their terms
        assert_numbers_are_pythons(page.box(name), spec, buffers)
        assert_cell_answers(page.box(name), spec, buffers)
        opened = sums_that_open(page.box(name).locator(".ax-view"), name)
        assert opened or not any(panel["sum"] for panel in spec["panels"])
        # The film of a slider shows its stops at the present values of the other controls.
    shown = [(page.box(name), page.models[name]) for name in NAMES]
    assert_films_show_what_python_computed(page.page, *zip(*shown))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_use_it(page, scheme):
    page.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # an opened sum stands
    boxes = {name: at_start(page.box(name)) for name in NAMES}
    for name in ("lines", "lines of heads"):  # one word is locked, others have colours of their own
        boxes[name].locator(".ax-drawn text").first.click()
    boxes["sums"].locator('[aria-label="weights"] .ax-cell').first.click()  # one sum is open
    boxes["sums"].locator('[aria-label="weights"] .ax-query').last.click()  # a query is locked
    for name, box in boxes.items():
        assert_stands_out(box, f"{name}, {scheme}")
    if scheme == "light":  # in the dark, only contrast differs
        assert violations(page.page.locator(".live")) == []
    shot(page, scheme)


def shot(page, name):
    page.page.screenshot(path=SHOTS / f"explorers_{name}.png", full_page=True)


def test_nothing_sticks_out_of_a_phone(page):
    page.page.set_viewport_size(PHONE)
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.page.locator("body").evaluate(STICKS_OUT, PHONE["width"]) == []
    shot(page, "phone")


def luminances(locator):
    """The luminance of every pixel in a picture of it, plus 0.05 for ambient light, as in WCAG."""
    pixels = np.asarray(Image.open(io.BytesIO(locator.screenshot())).convert("RGB")) / 255
    linear = np.where(pixels <= 0.04045, pixels / 12.92, ((pixels + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722] + 0.05


def contrast(locator):
    """The contrast between its lightest and its darkest pixel."""
    seen = luminances(locator)
    return seen.max() / seen.min()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_hatching_is_quiet_on_either_ground(page, scheme):
    page.page.emulate_media(color_scheme=scheme)
    box = at_start(page.box("masked"))
    hatched, ground = (
        luminances(box.locator(at).first).mean() for at in (".ax-masked.ax-cell", ".ax-corner")
    )
    assert 1.05 < max(hatched / ground, ground / hatched) < 1.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_high_contrast_leaves_numbers_hatching_buttons_lines_and_a_locked_row(page, scheme):
    page.page.emulate_media(forced_colors="active", color_scheme=scheme)
    box = at_start(page.box("masked"))
    cells, words = box.locator(".ax-cell"), box.locator(".ax-query")
    words.nth(1).click()
    page.page.mouse.move(2, 2)
    page.page.evaluate("document.activeElement.blur()")
    assert contrast(cells.nth(6)) >= 4.5
    assert contrast(cells.nth(2)) >= 2  # hatched
    assert min(contrast(button) for button in box.locator(".ax-play").all()) >= 4.5
    looks = [
        word.evaluate("word => getComputedStyle(word).backgroundColor") for word in words.all()
    ]
    assert looks[0] == looks[2] != looks[1], "a locked row looks like any other"
    assert contrast(words.nth(1)) >= 4.5
    for name, part in (
        ("lines of heads", ".ax-sheet >> nth=0"),
        ("probabilities", ".ax-bars .ax-cell >> nth=0"),
    ):
        assert contrast(page.box(name).locator(part)) >= 4.5


# ---------------------------------------------------------------- a table wider than its room

IN_SIGHT = """node => {
  const { left, right, top, bottom } = node.getBoundingClientRect();
  const seen = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return node.contains(seen) && left >= 0 && right <= innerWidth;
}"""


def test_a_wide_table_scrolls_in_its_own_box_under_the_words_of_its_rows(page):
    box = at_start(page.box("wide"))
    page.page.set_viewport_size(PHONE)
    table = box.get_by_role("grid", name="moved")
    room = box.locator(".ax-heads").first
    assert room.evaluate("box => box.scrollWidth > box.clientWidth")  # it must scroll
    assert not box.evaluate(STICKS_OUT, PHONE["width"])
    box.scroll_into_view_if_needed()
    last = table.locator("tr").last.locator(".ax-cell").last
    room.evaluate("box => box.scrollTo(box.scrollWidth, 0)")
    for row in table.get_by_role("rowheader").all():
        assert row.evaluate(IN_SIGHT)
    assert last.evaluate(IN_SIGHT)
    last.focus()
    for column in reversed(range(12)):
        page.page.keyboard.press("ArrowLeft")
        cell = table.locator("tr").last.locator(".ax-cell").nth(column)
        assert cell.evaluate("cell => cell === document.activeElement")
        assert cell.evaluate(IN_SIGHT), f"column {column} is out of sight"


# ---------------------------------------------------------------- labels that move


def headers(box, panel):
    table = box.get_by_role("grid", name=panel, exact=True)
    return [table.get_by_role(role).all_inner_texts() for role in ("rowheader", "columnheader")]


def test_a_sentence_grows(page):
    box = at_start(page.box("moves"))
    handle = box.locator(".noUi-handle").first
    source = ["me", "gustan", "los", "nachos", "rojos"]
    written = ["<sos>", "I", "like", "red", "nachos"]
    handle.press("Home")
    for step in range(1, 6):
        assert headers(box, "weights") == [written[:step], source]
        assert headers(box, "own weights") == [written[:step]] * 2
        own = box.get_by_role("grid", name="own weights", exact=True)
        assert own.locator(".ax-cell:not(.ax-none)").count() == step * step
        handle.press("ArrowRight")


def test_keys_stay_among_the_cells_that_are_there(page):
    box, keys = at_start(page.box("moves")), page.page.keyboard
    box.locator(".noUi-handle").first.press("Home")
    box.locator(".noUi-handle").first.press("ArrowRight")
    readout = box.locator(".ax-readout")
    cell = box.locator('table[aria-label="own weights"] .ax-cell').first
    cell.focus()
    for key in ["ArrowDown"] * 4 + ["End"]:
        keys.press(key)
    assert readout.text_content().startswith("own weights(I → I) = 0.5")
    keys.press("Enter")
    box.locator(".noUi-handle").first.press("Home")  # the cell is gone, and the text about it
    assert readout.text_content().startswith("Point at ")
    for _ in range(2):
        box.locator(".noUi-handle").first.press("ArrowRight")
    assert readout.text_content().startswith("own weights(I → I) = 0.3333")
    box.locator(".noUi-handle").first.press("Home")
    cell.focus()  # Tab still leads into the table
    assert cell.get_attribute("tabindex") == "0"
    assert cell.evaluate("cell => cell === document.activeElement")


# ---------------------------------------------------------------- probabilities


def test_keys_walk_among_bars(page):
    box, keys = at_start(page.box("series")), page.page.keyboard
    readout = box.locator(".ax-readout")
    grid = box.get_by_role("grid", name="next-word probabilities")
    names = ["true, after the", "model", "baseline", "turned"]
    assert grid.get_by_role("columnheader").all_inner_texts() == names
    box.get_by_role("combobox").select_option("a")
    assert grid.get_by_role("columnheader").all_inner_texts() == ["true, after a", *names[1:]]
    box.get_by_role("combobox").select_option("the")
    assert grid.get_by_role("rowheader").all_inner_texts() == ["cat", "dog", "marmalade", "sun"]
    grid.locator(".ax-cell").first.focus()
    keys.press("ArrowDown")
    assert readout.text_content() == "next-word probabilities(dog, true, after the) = 0.25 (25 %)"
    keys.press("ArrowRight")
    assert readout.text_content().startswith("next-word probabilities(dog, model) = 0.2")
    for key in ("End", "ArrowDown", "ArrowDown", "ArrowDown"):
        keys.press(key)
    assert readout.text_content() == "next-word probabilities(sun, turned) = 0.5 (50 %)"
