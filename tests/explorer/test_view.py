"""The view, in JupyterLab: tests/explorers.ipynb has one Explorer for each thing that it must get right."""

import math

import pytest
from every_explorer import STICKS_OUT
from playwright.sync_api import expect

from helpers.data.sentences import SUNNY, SUNNY_TOKENS

pytestmark = pytest.mark.browser


def by_name(notebook, name):
    """The Explorer in the cell that begins with the comment `# name`, and its readout."""
    cell = notebook.cell_starting(f"# {name}\n")
    explorer = notebook.explorer(cell)
    return explorer, explorer.view.locator(".ax-readout")


def test_hover_reads_out_the_sum(explorers):
    explorer, readout = by_name(explorers, "sums")
    explorer.cell("scores", 1, 2).hover()
    assert readout.text_content() == (
        "scores(shiny → sun) = 0.53·0.29 + 0.34·0.54 + 0.98·0.93 = 1.2487"
    )
    explorer.cell("weights", 1, 2).hover()
    assert readout.text_content() == (
        "weights(shiny → sun) = exp(1.2487 / 1) / (exp(0.7842 / 1) + exp(1.3569 / 1) + "
        "exp(1.2487 / 1)) = 0.3646 (36 %)"
    )
    explorer.cell("context", 1, 0).hover()
    assert readout.text_content() == (
        "context(shiny, x1) = 0.2291·0.34 + 0.4063·0.53 + 0.3646·0.29 = 0.399"
    )


def test_arrow_keys_walk_and_stay_inside(explorers):
    explorer, readout = by_name(explorers, "sums")
    first = explorer.cell("weights", 0, 0)
    first.focus()
    explorers.page.keyboard.press("ArrowRight")
    assert readout.text_content().startswith("weights(Hello → shiny)")
    for key in ["ArrowDown"] * 4 + ["End"]:
        explorers.page.keyboard.press(key)
    assert readout.text_content().startswith("weights(sun → sun)")
    explorers.page.keyboard.press("Home")
    assert readout.text_content().startswith("weights, query sun: Hello 0.23")  # the token itself
    explorers.page.keyboard.press("ArrowRight")
    assert readout.text_content().startswith("weights(sun → Hello)")


def test_tap_pins_a_cell_until_tapped_again(explorers):
    explorer, readout = by_name(explorers, "sums")
    cell = explorer.cell("weights", 0, 1)
    cell.click()
    explorers.page.mouse.move(5, 5)
    pinned = readout.text_content()
    assert pinned.startswith("weights(Hello → shiny)")
    explorer.move_first_slider("ArrowRight")
    assert readout.text_content() != pinned  # it follows the slider
    cell.click()
    explorers.page.mouse.move(5, 5)
    explorers.page.evaluate("document.activeElement.blur()")
    assert readout.text_content().startswith("Point at a cell")


def sum_of(explorer):
    """The sum that is open: its title, and the texts of its rows."""
    box = explorer.view.locator("section.ax-sum")
    rows = [row.locator("th, td").all_inner_texts() for row in box.locator("tr").all()]
    title = box.locator(".ax-sum-title").text_content()
    return title, [" ".join(filter(None, texts)) for texts in rows]


def test_a_click_opens_the_sum_of_a_score(explorers):
    explorer, _ = by_name(explorers, "sums")
    explorer.cell("scores", 1, 2).click()
    assert sum_of(explorer) == (
        "scores(shiny → sun) = X[shiny] · X[sun]",
        [
            "X[shiny] X[sun] product",
            "x1 0.53 0.29 0.1537",
            "x2 0.34 0.54 0.1836",
            "x3 0.98 0.93 0.9114",
            "sum 1.2487",
        ],
    )
    explorer.view.get_by_role("button", name="close the sum").click()
    assert explorer.view.locator(".ax-sum").is_hidden()


def test_enter_opens_the_sum_of_a_weight_which_follows_the_slider(explorers):
    explorer, _ = by_name(explorers, "sums")
    explorer.box.locator(".noUi-handle").press("Home")
    explorer.cell("weights", 1, 2).focus()
    explorers.page.keyboard.press("Enter")
    title, rows = sum_of(explorer)
    assert title == (
        "weights(shiny → sun) = exp(scores(shiny → sun) / temperature)"
        " / Σ exp(scores(shiny → key) / temperature)"
    )
    scores = [score.item() for score in SUNNY @ SUNNY[1]]
    powers = [math.exp(score / 0.5) for score in scores]
    columns = zip(SUNNY_TOKENS, scores, [score / 0.5 for score in scores], powers)
    assert rows[0] == "key scores / 0.5 exp share"
    for row, (token, *numbers) in zip(rows[1:], columns):
        numbers.append(numbers[-1] / sum(powers))
        assert row.split() == [token, *(f"{round(x, 4):g}" for x in numbers)]
    assert rows[4].split() == ["sum", f"{sum(powers):.4f}", "1"]
    explorer.box.locator(".noUi-handle").press("ArrowRight")
    assert sum_of(explorer)[1][0] == "key scores / 1 exp share"
    explorers.page.keyboard.press("Tab")
    explorer.cell("weights", 1, 2).focus()
    explorers.page.keyboard.press("Escape")
    assert explorer.view.locator(".ax-sum").is_hidden()


def test_the_sum_of_a_context_names_the_keys(explorers):
    explorer, _ = by_name(explorers, "sums")
    explorer.cell("context", 0, 0).click()
    title, rows = sum_of(explorer)
    assert title == "context(Hello, x1) = Σ weights(Hello → key) · X[key, x1]"
    assert [row.split()[0] for row in rows] == ["weights[Hello]", "Hello", "shiny", "sun", "sum"]
    explorer.cell("context", 0, 0).click()


def test_a_token_locks_its_row_as_query(explorers):
    explorer, readout = by_name(explorers, "sums")
    explorer.move_first_slider("Home")
    token = explorer.view.locator('table[aria-label="weights"] th.ax-query').nth(1)
    token.click()
    explorers.page.mouse.move(5, 5)
    locked = readout.text_content()
    assert locked.startswith("weights, query shiny: Hello 0.")
    assert explorer.view.locator(".ax-locked").count() == 3  # its row in scores, weights, context
    explorer.move_first_slider("End")
    assert readout.text_content() != locked  # it follows the slider
    explorer.cell("weights", 0, 0).hover()
    assert readout.text_content().startswith("weights(Hello → Hello)")  # others can still be read
    token.click()
    assert explorer.view.locator(".ax-locked").count() == 0


def test_a_film_of_the_slider_runs_to_its_end_and_can_be_stepped(explorers):
    explorer, _ = by_name(explorers, "true")
    handle = explorer.box.locator(".noUi-handle")
    handle.press("Home")
    explorer.box.get_by_role("button", name="step: one step on").click()
    assert explorer.view.get_attribute("data-frame") == "1"
    explorer.box.get_by_role("button", name="step: one step back").click()
    assert explorer.view.get_attribute("data-frame") == "0"
    explorer.box.get_by_role("button", name="play step").click()
    explorer.box.get_by_role("button", name="pause step").wait_for()
    explorer.box.locator('.ax-view[data-frame="11"]').wait_for(timeout=20_000)
    explorer.box.get_by_role("button", name="play step").wait_for()  # it stopped by itself
    assert handle.get_attribute("aria-valuenow") == "11.0"


def test_masked_cells_are_hatched_and_say_so(explorers):
    explorer, readout = by_name(explorers, "masked")
    cell = explorer.cell("weights", 0, 2)
    assert "gradient" in cell.evaluate("c => getComputedStyle(c).backgroundImage")
    cell.hover()
    assert readout.text_content() == "weights(Hello → sun): masked, Hello may not look there"
    assert explorer.view.locator(".ax-swatch").count() == 1


def test_tokens_stay_text(explorers):
    explorer, _ = by_name(explorers, "hostile")
    assert explorer.view.locator("img, script").count() == 0
    labels = explorer.view.locator("th[scope=row] .ax-token").all_text_contents()
    assert labels == ["<img src=x onerror=alert(1)>", "😀", "مرحبا بالعالم", "a" * 60, "$x_1$"]
    assert explorer.box.evaluate(STICKS_OUT, 1400) == []


def test_every_position_shows_what_python_computed(explorers):
    explorer, _ = by_name(explorers, "true")
    explorer.move_first_slider("Home")
    for step in range(12):
        shown = [
            float(t.replace("−", "-")) for t in explorer.view.locator(".ax-cell").all_inner_texts()
        ]
        assert shown == [round(step - 6 + k / 8, 3) for k in range(6)]
        explorer.move_first_slider("ArrowRight")


def test_a_large_matrix_is_a_picture_with_a_read_out(explorers):
    explorer, readout = by_name(explorers, "large")
    assert explorer.view.locator("table").count() == 0
    colours = explorer.view.locator("canvas").first.evaluate(
        "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
    )
    pixels = [colours[4 * k : 4 * k + 3] for k in range(40 * 40)]
    assert pixels[0] == [75, 46, 131]  # weight 1: the role's full colour
    assert pixels[40 * 40 - 2] == [255, 255, 255]  # weight 0
    canvas = explorer.view.locator("canvas").first
    canvas.focus()
    explorers.page.keyboard.press("ArrowDown")
    explorers.page.keyboard.press("ArrowRight")
    assert "(word1 → word1) = 1 (100 %)" in readout.text_content()


def test_live_error_is_told_and_goes_away(explorers):
    explorer, _ = by_name(explorers, "live")
    error = explorer.view.locator(".ax-error")
    box = explorer.box.locator("input[type=text]").first
    before = explorer.look()
    box.fill("oops")
    box.press("Enter")
    error.filter(has_text="raised KeyError").wait_for()
    assert explorer.look() == before  # the last good picture stays
    box.fill("sunny")
    box.press("Enter")
    error.filter(has_not_text="KeyError").wait_for(state="attached")
    assert explorer.changes_from(before)


def test_live_labels_move_and_the_view_that_was_chosen_stays(explorers):
    explorer, _ = by_name(explorers, "moves live")
    box = explorer.box.locator("input[type=text]").first
    for words, lined in ((["one", "two", "three"], False), (["a", "b"], True), (["c"] * 4, True)):
        if lined and not explorer.view.locator(".ax-lined").count():
            explorer.view.get_by_role("button", name="weights: show as lines").click()
        box.fill(" ".join(words))
        box.press("Enter")
        shown = explorer.view.locator("table.ax-grid th[scope=row]")
        expect(shown).to_have_text(words)
        expect(explorer.view.locator(".ax-cell").first).to_have_text(f"{1 / len(words):.2f}")
        assert explorer.view.locator(".ax-lined").count() == lined
    expect(explorer.view.locator(".ax-end:not(.ax-none)")).to_have_text(["c"] * 8)
    box.fill("")
    box.press("Enter")
    explorer.view.locator(".ax-error").filter(has_text="raised ZeroDivisionError").wait_for()
    box.fill("a b")
    box.press("Enter")
    expect(explorer.view.locator(".ax-error")).to_have_text("")


def test_sliders_have_names_for_screen_readers(explorers):
    explorer, _ = by_name(explorers, "sums")
    assert explorer.box.get_by_role("slider", name="temperature").count() == 1


def test_nothing_went_wrong_on_the_way(explorers):
    assert explorers.errors == []
