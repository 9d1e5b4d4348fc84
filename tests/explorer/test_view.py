"""The Explorer on a page without a kernel: sums, keys, marks, play, colours, an overview."""

import math

import numpy as np
import pytest
from access import at_start
from films import until
from lab import ExplorerOnPage
from pixels import colours_of, decoded
from playwright.sync_api import expect

from helpers.data.sentences import SUNNY, SUNNY_TOKENS

pytestmark = pytest.mark.browser


@pytest.fixture
def named(page):
    """A function that finds an Explorer by name, with its read-out, and resets its controls."""

    def find(name):
        explorer = ExplorerOnPage(at_start(page.box(name)))
        return explorer, explorer.view.locator(".ax-readout")

    return find


def test_pointing_reads_out_the_sum_and_keys_walk_and_stay_inside(page, named):
    explorer, readout = named("sums")
    explorer.move_first_slider("ArrowRight")
    for panel, row, column, text in [
        ("scores", 1, 2, "scores(shiny → sun) = 0.53·0.29 + 0.34·0.54 + 0.98·0.93 = 1.2487"),
        ("weights", 1, 2, "weights(shiny → sun) = exp(1.2487 / 1) / (exp(0.7842 / 1) + "
         "exp(1.3569 / 1) + exp(1.2487 / 1)) = 0.3646 (36 %)"),
        ("context", 1, 0, "context(shiny, x1) = 0.2291·0.34 + 0.4063·0.53 + 0.3646·0.29 = 0.399"),
    ]:  # fmt: skip
        explorer.cell(panel, row, column).hover()
        assert readout.text_content() == text
    explorer.cell("weights", 0, 0).focus()
    for keys, text in [
        (["ArrowRight"], "weights(Hello → shiny)"),
        (["ArrowDown"] * 4 + ["End"], "weights(sun → sun)"),
        (["Home"], "weights, query sun: Hello 0.23"),  # the token itself
        (["ArrowRight"], "weights(sun → Hello)"),
    ]:
        for key in keys:
            page.page.keyboard.press(key)
        assert readout.text_content().startswith(text)
    expect(explorer.view.get_by_role("status")).to_have_text(readout.text_content())  # announced


def test_a_tap_pins_a_cell_until_it_is_tapped_again(page, named):
    explorer, readout = named("sums")
    cell = explorer.cell("weights", 0, 1)
    cell.click()
    page.page.mouse.move(5, 5)
    pinned = readout.text_content()
    assert pinned.startswith("weights(Hello → shiny)")
    explorer.move_first_slider("ArrowRight")
    assert readout.text_content() != pinned  # it follows the slider
    cell.click()
    page.page.mouse.move(5, 5)
    page.page.evaluate("document.activeElement.blur()")
    assert readout.text_content().startswith("Point at ")


def sum_of(explorer):
    """The open sum: its title, and the texts of its rows."""
    box = explorer.view.locator("section.ax-sum")
    rows = [row.locator("th, td").all_inner_texts() for row in box.locator("tr").all()]
    title = box.locator(".ax-sum-title").text_content()
    return title, [" ".join(filter(None, texts)) for texts in rows]


def test_a_click_or_enter_opens_the_sum_which_follows_the_slider(page, named):
    explorer, _ = named("sums")
    explorer.cell("scores", 1, 2).click()
    expect(explorer.view.locator("section.ax-sum")).to_be_in_viewport(ratio=1)
    title, rows = sum_of(explorer)
    assert title == "scores(shiny → sun): scores = X @ X.T"
    assert rows == [
        "X[shiny] X[sun] product", "x1 0.53 0.29 0.1537", "x2 0.34 0.54 0.1836",
        "x3 0.98 0.93 0.9114", "sum 1.2487",
    ]  # fmt: skip
    explorer.view.get_by_role("button", name="close the sum").click()
    assert explorer.view.locator(".ax-sum").is_hidden()
    explorer.cell("weights", 1, 2).press("Enter")
    title, rows = sum_of(explorer)
    assert title == "weights(shiny → sun): weights = softmax(scores / temperature)"
    scores = [score.item() for score in SUNNY @ SUNNY[1]]
    powers = [math.exp(score / 0.5) for score in scores]
    assert rows[0] == "key scores / 0.5 exp share"
    for row, token, score, power in zip(rows[1:], SUNNY_TOKENS, scores, powers):
        numbers = [score, score / 0.5, power, power / sum(powers)]
        assert row.split() == [token, *(f"{round(x, 4):g}" for x in numbers)]
    explorer.move_first_slider("ArrowRight")
    assert sum_of(explorer)[1][0] == "key scores / 1 exp share"
    explorer.cell("weights", 1, 2).press("Escape")
    assert explorer.view.locator(".ax-sum").is_hidden()


def test_a_token_locks_its_row_as_query_by_mouse_and_keys(page, named):
    explorer, readout = named("sums")
    token, locked = explorer.cell("weights", 1, -1), explorer.view.locator(".ax-locked")
    token.click()
    page.page.mouse.move(5, 5)
    said = readout.text_content()
    assert said.startswith("weights, query shiny: Hello 0.")
    assert locked.locator("th").all_text_contents() == ["shiny"] * 3  # in each panel
    explorer.move_first_slider("End")
    assert readout.text_content() != said  # it follows the slider
    explorer.cell("weights", 0, 0).hover()
    assert readout.text_content().startswith("weights(Hello → Hello)")  # others remain readable
    token.click()
    assert locked.count() == 0
    explorer.cell("weights", 2, 0).focus()
    for key in ("ArrowLeft", "Enter"):
        page.page.keyboard.press(key)
    assert locked.locator("th").all_text_contents() == ["sun"] * 3
    assert explorer.cell("weights", 2, -1).get_attribute("aria-selected") == "true"
    page.page.keyboard.press("Escape")
    assert locked.count() == 0


@pytest.mark.parametrize("name, word", [("masked", "masked"), ("not there", "not stored")])
def test_masked_cells_are_hatched_and_say_so(named, name, word):
    explorer, readout = named(name)
    cell = explorer.cell("weights", 0, 2)
    assert (cell.text_content(), cell.get_attribute("aria-label")) == ("", word)
    assert "gradient" in cell.evaluate("c => getComputedStyle(c).backgroundImage")
    cell.hover()
    assert readout.text_content().startswith(f"weights(Hello → sun): {word}")
    assert explorer.view.locator(".ax-swatch").count() == 1
    # a number that is whole at every setting has no decimals
    assert explorer.view.locator(".ax-number").all_text_contents() in ([], ["cells = 6"])


# -- play --------------------------------------------------------------------------------------


def test_a_film_stops_for_the_learner_and_is_not_offered_to_those_who_want_no_motion(page, named):
    explorer, _ = named("true")
    play = explorer.box.get_by_role("button", name="play step")
    play.click()
    explorer.move_first_slider("ArrowRight")
    play.wait_for()
    page.page.emulate_media(reduced_motion="reduce")
    expect(play).to_be_hidden()


def test_sliders_have_names_and_say_what_stands_beside_them(named):
    """Not 0.30000000000000004 and, for words, not their index."""
    explorer, _ = named("said")
    for name, last in (("share", "1.0"), ("word", "star")):
        handle = explorer.box.get_by_role("slider", name=name)
        readout = explorer.box.get_by_role("textbox", name=f"{name}: type a value")
        for text in iter(readout.text_content, last):
            expect(handle).to_have_attribute("aria-valuetext", text)
            handle.press("ArrowRight")
        expect(handle).to_have_attribute("aria-valuetext", last)


# -- colours and large matrices ------------------------------------------------------------------

PIXELS = "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
COLOURS = """cells => cells.map(c =>
  c.style.backgroundColor && c.style.backgroundColor.match(/\\d+/g).map(Number))"""


def test_colours_are_those_of_pythons_numbers(page, named):
    for name in ("sums", "masked", "large", "moves large"):
        explorer, _ = named(name)
        spec, buffers = page.models[name]
        index = int(explorer.view.get_attribute("data-frame"))
        for k, (panel, array) in enumerate(decoded(spec, buffers["frames"], index)[0]):
            box = explorer.view.locator(".ax-panel").nth(k)
            wanted = colours_of(array, panel["low"], panel["high"], panel["limit"])
            for head in range(panel["picture"] and max(1, panel["heads"])):
                seen = box.locator("canvas").nth(head).evaluate(PIXELS)
                assert np.array_equal(np.reshape(seen, wanted[head].shape), wanted[head])
            if not panel["picture"]:
                seen = box.locator(".ax-cell").evaluate_all(COLOURS)
                masked = np.isnan(array).ravel()
                colours = wanted[..., :3].reshape(-1, 3).tolist()
                assert seen == ["" if hidden else c for hidden, c in zip(masked, colours)]


def test_in_the_dark_zero_is_the_ground_and_the_theme_may_change_at_any_time(page, named):
    explorer, _ = named("wide")
    cell, zero = explorer.cell("moved", 3, 12), explorer.cell("moved", 0, 0)
    look = "node => getComputedStyle(node).backgroundColor.match(/[\\d.]+/g).map(Number)"
    light = cell.evaluate(look)
    assert zero.evaluate(look) == [255, 255, 255]
    page.page.emulate_media(color_scheme="dark")
    until(lambda: cell.evaluate(look) != light, "the dark theme changes no colour")
    ground = explorer.box.locator(".attention-explorer").evaluate(look)
    scale = 255 if max(ground) <= 1 else 1  # as a color-mix is told
    assert zero.evaluate(look) == pytest.approx([scale * x for x in ground[:3]], abs=1)
    assert max(zero.evaluate(look)) < min(60, max(cell.evaluate(look)))
    page.page.emulate_media(color_scheme="light")
    until(lambda: cell.evaluate(look) == light, "the light theme does not bring them back")


def test_pictures_that_share_a_scale_have_one_that_tells_where_it_ends(named):
    for name, told in {"large": ["0", "1"], "passing": ["≤ −3", "≥ 3"], "sums": []}.items():
        scales = named(name)[0].view.locator(".ax-scales span")
        assert scales.all_text_contents() == told


def test_a_large_matrix_is_read_by_keys_and_names_as_many_tokens_as_fit(page, named):
    explorer, readout = named("large")
    explorer.view.locator("canvas").first.focus()
    for key in ("ArrowDown", "ArrowRight"):
        page.page.keyboard.press(key)
    assert "weights, head 1 (word1 → word1) = " in readout.text_content()
    page.page.keyboard.press("End")
    assert "(word1 → word39)" in readout.text_content()
    across, down = (
        explorer.view.locator(f"{side} .ax-token").all_text_contents() for side in (".ax-top", ".ax-beside")
    )  # fmt: skip
    assert across[: len(down)] == down[: len(across)]
    assert 16 < len(across) + len(down) < 160 and across[0] == "word0"
    small, _ = named("moves large")  # at its first setting, it has 4 of 24 tokens
    assert small.view.locator(".ax-beside .ax-token").count() == 4
    explorer.view.locator(".ax-beside .ax-token").nth(1).click()
    page.page.mouse.move(2, 2)
    assert ", query word" in readout.text_content()
    assert explorer.view.locator(".ax-lock").first.is_visible()


def test_a_click_or_enter_in_the_overview_sets_both_controls(page, named):
    explorer, _ = named("overview")
    cell = explorer.view.get_by_role("grid", name="overview").locator(".ax-tile")
    cell.nth(5).click()
    layer, head = explorer.box.locator("select").all()
    assert (layer.input_value(), head.input_value()) == ("decoder", "average")
    assert explorer.view.get_attribute("data-frame") == "5"
    for key in ("ArrowUp", "Home"):
        page.page.keyboard.press(key)
    assert page.page.evaluate("document.activeElement.ariaLabel") == "encoder, 0"
    page.page.keyboard.press("Enter")
    until(lambda: explorer.view.get_attribute("data-frame") == "0", "Enter sets no control")
    assert (layer.input_value(), head.input_value()) == ("encoder", "0")
    # Each picture is as dark as its own largest number: it has the scale's full colour somewhere.
    for canvas in cell.locator("canvas").all():
        pixels = np.reshape(canvas.evaluate(PIXELS), (-1, 4))
        assert (pixels == [75, 46, 131, 255]).all(-1).any()
