"""The view of a model in a browser, on a page that asks no kernel."""

import re

import numpy as np
import pytest
import torch
from access import set_back_page
from every_explorer import SHOTS, assert_can_be_read
from inside_page import assert_heads_open, page_with
from playwright.sync_api import expect
from site_pages import Page
from torch import nn

from helpers.inside import Inside, watch
from helpers.pictures.text import rounded

pytestmark = pytest.mark.browser

WORDS = "the cat sat and it slept".split()
SIDES = list("abcde"), list("ABCDEFG")
MANY = [f"w{i}" for i in range(96)]

# [width, height, red, green, blue, opacity, red, …] of an image.
PIXELS = """async image => {
  await image.decode();
  const size = [image.naturalWidth, image.naturalHeight];
  const pen = new OffscreenCanvas(...size).getContext('2d');
  pen.drawImage(image, 0, 0);
  return [...size, ...pen.getImageData(0, 0, ...size).data]; }"""


def causal():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(12, 3, 16, batch_first=True)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    with torch.no_grad():
        for one in model.layers:
            one.self_attn.in_proj_weight *= 3  # as weights of a trained one, far from equal
    with watch(model) as seen:
        model(torch.randn(1, 6, 12), mask=nn.Transformer.generate_square_subsequent_mask(6))
    return Inside(seen, tokens=WORDS, segments=list("AAAABB"))


def translator():
    torch.manual_seed(0)
    model = nn.Transformer(8, 2, 1, 2, 16, batch_first=True)
    return Inside(model, (torch.randn(1, 7, 8), torch.randn(1, 5, 8)), SIDES)


def large():
    shares = torch.softmax(3 * torch.randn(2, 64, 96, 96, generator=torch.manual_seed(0)), -1)
    parts = ["A"] * 90 + ["B"] * 6
    return Inside({f"l.{i}": w for i, w in enumerate(shares)}, tokens=MANY, segments=parts)


@pytest.fixture(scope="module")
def opened_once(tmp_path_factory, browser):

    made = [causal(), translator(), large()]
    page = Page(browser, page_with(tmp_path_factory.mktemp("inside"), *made))
    page.views = list(zip(page.live(), made, strict=True))
    yield page
    page.close()


@pytest.fixture
def page(opened_once):
    set_back_page(opened_once.page)
    for box, _ in opened_once.views:
        for menu in box.locator("select").all():
            menu.select_option(index=0)
    yield opened_once
    assert opened_once.errors == opened_once.outside == []


def numbers(array):
    return ["–" if np.isnan(x) else rounded(x, 2) for x in array.ravel()]


def assert_shows(box, view, layer, index, rows=slice(None), columns=slice(None)):
    """The table has Python's numbers of this map, or of a part of it."""
    array = view._film.map(layer, index)[rows, columns]
    expect(box.locator(".ax-cell")).to_have_text(numbers(array))


def choose(box, **menus):
    names = [text.strip() for text in box.locator(".widget-dropdown label").all_inner_texts()]
    for name, label in menus.items():
        box.locator("select").nth(names.index(name.strip("_"))).select_option(label=str(label))


def test_every_head_opens_at_a_click(page):
    box, view = page.views[0]
    thumbs = box.locator(".ax-thumb")
    assert thumbs.count() == 2 * 3
    for k in (4, 2, 5, 0):
        layer, head = divmod(k, 3)
        box.get_by_role("button", name=f"layers.{layer}.self_attn, head {head}", exact=True).click()
        assert_shows(box, view, layer, head)
        expect(box.locator(".ax-says")).to_have_text(f"layers.{layer}.self_attn, head {head}")
        stand = [
            menu.evaluate("m => m.selectedOptions[0].text") for menu in box.locator("select").all()
        ]
        assert stand[:2] == [f"layers.{layer}.self_attn", str(head)]
        pressed = [t.get_attribute("aria-pressed") for t in thumbs.all()]
        assert [i for i, is_on in enumerate(pressed) if is_on == "true"] == [k]


def test_what_the_pages_of_the_notebooks_are_asked_holds_here(page):
    for box, view in page.views:
        assert_heads_open(box, view.view.spec, {"frames": view.view.frames})


def test_thumbnails_are_darkest_at_the_largest_weight(page):
    box, view = page.views[0]
    box.locator(".ax-all-heads[data-drawn]").wait_for()
    pixels = box.locator(".ax-thumb img").nth(4).evaluate(PIXELS)
    assert pixels[:2] == [6, 6]
    red = np.array(pixels[2:]).reshape(6, 6, 4)[..., 0].astype(float)
    weights = view._film.map(1, 1)
    assert (red[np.isnan(weights)] == 210).all()  # grey
    share = np.nan_to_num(weights) / np.nanmax(weights)
    np.testing.assert_allclose(
        red[~np.isnan(weights)], (255 - 180 * share)[~np.isnan(weights)], atol=1.5
    )


def test_all_heads_together_and_rollout_with_its_caveat(page):
    box, view = page.views[0]
    for index, what in ((3, "average"), (4, "maximum"), (5, "rollout")):
        choose(box, layer="layers.1.self_attn", head=what)
        assert_shows(box, view, 1, index)
        expect(box.locator(".ax-says")).to_contain_text(
            what if what != "maximum" else "largest weight"
        )
    expect(box.locator(".ax-says")).to_contain_text("leaves out the values, the norms")


def test_from_one_part_to_another_hides_the_others(page):
    box, view = page.views[0]
    choose(box, layer="layers.1.self_attn", head=1, from_="B", to="A")
    assert_shows(box, view, 1, 1, slice(4, 6), slice(0, 4))
    expect(box.locator("table.ax-grid th[scope=row]")).to_have_text(WORDS[4:])
    expect(box.locator("table.ax-grid th[scope=col]")).to_have_text(WORDS[:4])
    box.locator(".ax-cell").last.hover()
    expect(box.locator(".ax-readout")).to_contain_text("weights(slept → and) = ")
    choose(box, from_="all")
    assert_shows(box, view, 1, 1, slice(None), slice(0, 4))


def test_lines_stay_chosen_from_head_to_head_and_are_as_thick_as_weights(page):
    box, view = page.views[0]
    box.get_by_role("button", name="weights: show as lines").click()
    box.locator(".ax-thumb").nth(3).click()
    lines = box.locator(".ax-lined .ax-sheet line")
    thick = [
        float(t) for t in lines.evaluate_all("l => l.map(n => n.getAttribute('stroke-width'))")
    ]
    assert thick == pytest.approx(9 * np.nan_to_num(view._film.map(1, 0)).ravel(), abs=6e-4)
    box.get_by_role("button", name="weights: show as table").click()


def test_keys_alone_open_a_head_and_walk_in_its_map(page):
    box, view = page.views[0]
    keys = page.page.keyboard
    box.locator("select").last.focus()
    keys.press("Tab")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "Enter"):
        keys.press(key)
    assert_shows(box, view, 1, 1)
    focused = page.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused == "layers.1.self_attn, head 1"
    keys.press("Tab")  # one stop for all heads, then the map
    keys.press("End")
    keys.press("ArrowDown")
    said = box.locator(".ax-readout").text_content()
    assert re.match(r"weights\(cat → slept\): masked", said)


def test_layers_of_other_sizes_have_their_own_words(page):
    box, view = page.views[1]
    cross = next(i for i, x in enumerate(view._film.layers) if x.name.endswith("1.multihead_attn"))
    choose(box, layer="decoder.layers.1.multihead_attn", head=1)
    assert_shows(box, view, cross, 1)
    expect(box.locator("table.ax-grid th[scope=row]")).to_have_text(SIDES[0])
    expect(box.locator("table.ax-grid th[scope=col]")).to_have_text(SIDES[1])
    choose(box, head="rollout")
    expect(box.locator(".ax-error")).to_contain_text("looks at another sequence")
    assert_shows(box, view, cross, 1)  # the last picture stays, marked as such
    expect(box.locator(".ax-view")).to_have_class(re.compile("ax-stale"))
    choose(box, layer="decoder.layers.1.self_attn")
    expect(box.locator(".ax-error")).to_be_empty()
    own = next(i for i, x in enumerate(view._film.layers) if x.name == "decoder.layers.1.self_attn")
    assert_shows(box, view, own, 4)


def test_many_tokens_are_a_picture_and_their_read_out_is_right_to_four_decimals(page):
    box, view = page.views[2]
    assert view.view.spec["unit"]
    choose(box, layer="l.1", head=37)
    weights = view._film.layers[1].weights[37].astype(float)
    canvas = box.locator("canvas.ax-canvas")
    canvas.focus()
    for key in ["ArrowDown"] * 3 + ["ArrowRight"] * 5:
        page.page.keyboard.press(key)
    said = box.locator(".ax-readout").text_content()
    assert said.startswith("weights(w3 → w5) = ")
    assert float(said.split(" = ")[1].split(" ")[0]) == float(rounded(weights[3, 5], 4))
    pixels = canvas.evaluate(
        "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
    )
    red = np.array(pixels).reshape(96, 96, 4)[..., 0]
    np.testing.assert_allclose(red, 255 - 180 * weights, atol=1)
    choose(box, from_="B", to="B")  # few enough for a table
    assert_shows(box, view, 1, 37, slice(90, 96), slice(90, 96))


def test_what_is_saved_says_which_map_it_is(page, tmp_path):
    box, _ = page.views[0]
    choose(box, layer="layers.1.self_attn", head=2)
    with page.page.expect_download() as download:
        box.get_by_role("button", name="weights: save picture (SVG)").click()
    download.value.save_as(tmp_path / "saved.svg")
    text = (tmp_path / "saved.svg").read_text(encoding="utf-8")
    assert "layer = layers.1.self_attn, head = 2" in text


def test_everyone_can_use_it_in_both_themes_and_on_a_narrow_page(page):
    SHOTS.mkdir(parents=True, exist_ok=True)
    for scheme in ("light", "dark"):
        page.page.emulate_media(color_scheme=scheme)
        for k, (box, _) in enumerate(page.views):
            assert_can_be_read(box, f"view {k}, {scheme}")
            box.screenshot(path=SHOTS / f"inside_{k}_{scheme}.png")
    page.page.set_viewport_size({"width": 400, "height": 800})
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 400
    for k, (box, _) in enumerate(page.views):
        box.screenshot(path=SHOTS / f"inside_{k}_narrow.png")
