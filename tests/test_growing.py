"""Labels that move, chances and lines, on a page that asks no kernel: tests/explorers.ipynb has the examples.

Every number at every position is compared with Python's, as on the pages of the notebooks.
"""

import pytest
from access import at_start, set_back_page
from every_explorer import SHOTS, assert_can_be_read, sums_that_open
from site_pages import assert_cell_answers, assert_numbers_are_pythons
from test_pages import STICKS_OUT, assert_films_show_what_python_computed

pytestmark = pytest.mark.browser
NAMES = ["moves", "moves large", "chances", "series", "lines", "lines of heads"]
PHONE = {"width": 360, "height": 800}


@pytest.fixture
def page(made_page):
    """The page as it was at first, and nothing has gone wrong afterwards."""
    set_back_page(made_page.page)
    yield made_page
    assert made_page.errors == made_page.outside == []


def test_every_position_is_pythons(page):
    for name in NAMES:
        spec, buffers = page.models[name]
        assert_numbers_are_pythons(page.page, page.box(name), spec, buffers)
        assert_cell_answers(page.box(name), spec, buffers)
        opened = sums_that_open(page.box(name).locator(".ax-view"), name)
        assert opened or not any(panel["sum"] for panel in spec["panels"])
    # The film of a slider shows its stops where the other controls stand.
    shown = [(page.box(name), page.models[name]) for name in NAMES]
    assert_films_show_what_python_computed(page.page, *zip(*shown))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_use_it(page, scheme):
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.page.emulate_media(color_scheme=scheme)
    for name in NAMES:
        box = at_start(page.box(name))
        assert_can_be_read(box, f"{name}, {scheme}")
        box.screenshot(path=SHOTS / f"growing_{name.replace(' ', '_')}_{scheme}.png")


def test_nothing_sticks_out_of_a_phone(page):
    page.page.set_viewport_size(PHONE)
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.page.evaluate(STICKS_OUT) == []
    for name in NAMES:
        page.box(name).screenshot(path=SHOTS / f"growing_{name.replace(' ', '_')}_phone.png")


# ---------------------------------------------------------------- labels that move


def headers(box, panel):
    table = box.get_by_role("grid", name=panel, exact=True)
    return [table.get_by_role(role).all_inner_texts() for role in ("rowheader", "columnheader")]


def test_a_sentence_grows_and_what_is_not_there_is_no_cell(page):
    box = at_start(page.box("moves"))
    handle = box.locator(".noUi-handle").first
    source, written = (
        ["me", "gustan", "los", "nachos", "rojos"],
        ["<sos>", "I", "like", "red", "nachos"],
    )
    handle.press("Home")
    places = []
    for step in range(1, 6):
        assert headers(box, "weights") == [written[:step], source]
        assert headers(box, "own weights") == [written[:step]] * 2
        own = box.get_by_role("grid", name="own weights", exact=True)
        assert own.locator(".ax-cell:not(.ax-none)").count() == step * step
        assert own.get_by_role("gridcell").count() in (
            step * step,
            step * step + 1,
        )  # and the corner
        places.append(own.locator(".ax-cell").first.bounding_box())
        handle.press("ArrowRight")
    assert all(place == places[0] for place in places)  # nothing jumps


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
    box.locator(".noUi-handle").first.press("Home")  # the cell is gone, and what was said of it
    assert readout.text_content().startswith("Point at a cell")
    for _ in range(2):
        box.locator(".noUi-handle").first.press("ArrowRight")
    assert readout.text_content().startswith("own weights(I → I) = 0.3333")
    box.locator(".noUi-handle").first.press("Home")
    cell.focus()  # Tab still leads into the table
    assert cell.get_attribute("tabindex") == "0"
    assert cell.evaluate("cell => cell === document.activeElement")


def test_a_picture_has_tokens_for_the_cells_that_are_there(page):
    box = at_start(page.box("moves large"))
    box.locator(".noUi-handle").press("Home")
    assert box.locator(".ax-left .ax-token").all_text_contents() == [f"word{i}" for i in range(4)]
    alphas = box.locator("canvas.ax-canvas").evaluate(
        "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data].filter((_, k) => k % 4 === 3)"
    )
    there = [k // 24 < 4 and k % 24 < 4 for k in range(24 * 24)]
    assert alphas == [255 if is_cell else 0 for is_cell in there]


# ---------------------------------------------------------------- chances


def test_bars_by_keys_and_by_mouse(page):
    box, keys = at_start(page.box("series")), page.page.keyboard
    readout = box.locator(".ax-readout")
    grid = box.get_by_role("grid", name="next-word chances")
    assert grid.get_by_role("columnheader").all_inner_texts() == [
        "true",
        "model",
        "baseline",
        "turned",
    ]
    assert grid.get_by_role("rowheader").all_inner_texts() == ["cat", "dog", "marmalade", "sun"]
    grid.get_by_role("gridcell").first.focus()
    keys.press("ArrowDown")
    assert readout.text_content() == "next-word chances(true, dog) = 0.25 (25 %)"
    keys.press("ArrowRight")
    assert readout.text_content().startswith("next-word chances(model, dog) = 0.2")
    for key in ("End", "ArrowRight", "ArrowRight", "ArrowRight"):
        keys.press(key)
    assert readout.text_content() == "next-word chances(turned, sun) = 0.5 (50 %)"
    own = box.get_by_role("grid", name="own chances").get_by_role("gridcell")
    own.nth(1).hover()
    assert readout.text_content().startswith("own chances(dog) = exp(−1.3863) / (exp(−0.6931) + ")
    own.nth(1).click()
    assert box.locator(".ax-sum-title").text_content() == (
        "own chances(dog) = exp(logits(dog)) / Σ exp(logits(word))"
    )
    own.nth(1).click()


def test_a_pinned_word_is_followed_as_the_order_changes(page):
    box = at_start(page.box("chances"))
    handle = box.locator(".noUi-handle").first
    handle.press("Home")
    word = box.locator(".ax-word .ax-token").nth(1).text_content()
    box.locator(".ax-chance").nth(1).click()
    page.page.mouse.move(2, 2)
    said = []
    for _ in range(4):
        said.append(box.locator(".ax-readout").text_content())
        shown = box.locator(".ax-word:has(.ax-pinned) .ax-token").all_text_contents()
        words = box.locator(".ax-word .ax-token").all_text_contents()
        assert shown == ([word] if word in words else [])
        handle.press("ArrowRight")
    assert all(text.startswith(f"chances({word}) = ") for text in said)
    assert len(set(said)) == 4


# ---------------------------------------------------------------- lines

# Of the first drawing: [head, from, to, colour, dashes, whether it stands out] of each line with a weight;
# `from` and `to` are the words whose middle its ends are nearest to.
LINES = """view => {
  const sheet = view.querySelector('.ax-lined .ax-sheet');
  const nearest = (y, words) => {
    const away = words.map(w => Math.abs((w.top + w.bottom) / 2 - y));
    return away.indexOf(Math.min(...away)); };
  const [left, right] = [...sheet.querySelectorAll('.ax-ends')].map(side =>
    [...side.querySelectorAll('.ax-end')].map(word => word.getBoundingClientRect()));
  const { top } = sheet.querySelector('svg').getBoundingClientRect();
  const y = (line, end) => top + line[end].baseVal.value;
  return [...sheet.querySelectorAll('g')].flatMap((g, head) => [...g.querySelectorAll('line')]
    .filter(line => Number(line.getAttribute('stroke-width')))
    .map(line => [head, nearest(y(line, 'y1'), left), nearest(y(line, 'y2'), right),
      getComputedStyle(line).stroke, getComputedStyle(line).strokeDasharray,
      Number(getComputedStyle(line).opacity) === 1])); }"""


def lines_of(box):
    return box.locator(".ax-view").evaluate(LINES)


def alone(box):
    """(head, query, key) of the lines that stand out."""
    return {tuple(line[:3]) for line in lines_of(box) if line[-1]}


def word(box, side, k):
    return box.locator(f'.ax-lined .ax-end[data-side="{side}"][data-k="{k}"]')


def test_each_line_joins_its_words_and_heads_differ_by_colour_and_dashes(page):
    box = at_start(page.box("lines of heads"))
    drawn = lines_of(box)
    seen = {
        (head, query, key) for head in range(4) for query in range(6) for key in range(query + 1)
    }
    assert {tuple(line[:3]) for line in drawn} == seen  # masked ones have none
    for part in (3, 4):
        looks = {line[0]: line[part] for line in drawn}
        assert len(set(looks.values())) == 4
        assert all(line[part] == looks[line[0]] for line in drawn)


def test_a_word_under_the_mouse_has_its_lines_alone(page):
    box = at_start(page.box("lines of heads"))
    readout = box.locator(".ax-readout")
    every = alone(box)
    word(box, "rows", 2).hover()
    assert alone(box) == {line for line in every if line[1] == 2}
    assert readout.text_content().startswith("weights, query sat: head 1 ")
    assert readout.text_content().count("head") == 4
    word(box, "columns", 1).hover()
    assert alone(box) == {line for line in every if line[2] == 1}
    assert readout.text_content().startswith("weights, key cat: head 1 ")
    word(box, "columns", 1).click()  # it stays, when the mouse leaves
    page.page.mouse.move(2, 2)
    assert alone(box) == {line for line in every if line[2] == 1}
    word(box, "columns", 1).click()
    page.page.mouse.move(2, 2)
    assert alone(box) == every


def test_a_word_of_one_head_reads_out_its_numbers(page):
    box = at_start(page.box("lines"))
    box.locator(".noUi-handle").first.press("End")
    word(box, "columns", 3).hover()
    said = box.locator(".ax-readout").text_content()
    shown = box.get_by_role("grid", name="weights", exact=True)
    column = shown.locator('.ax-cell[data-column="3"]').all_text_contents()
    written = ["<sos>", "I", "like", "red", "nachos"]
    numbers = ", ".join(f"{token} {x}" for token, x in zip(written, column))
    assert said == f"weights, key nachos: {numbers}"
    word(box, "rows", 3).click()  # the query is locked, in the other panels too
    assert box.locator(".ax-locked th").all_inner_texts().count("red") >= 2
    box.locator(".noUi-handle").first.press("Home")  # where it is not yet there
    page.page.mouse.move(2, 2)
    assert len(alone(box)) == 5


def test_a_line_can_be_pointed_at(page):
    box = at_start(page.box("lines"))
    box.locator(".noUi-handle").first.press("Home")  # one word, so that no two lines cross
    sheet = box.locator(".ax-lined .ax-sheet svg").bounding_box()
    for key in range(5):
        page.page.mouse.move(sheet["x"] + sheet["width"] * 0.9, sheet["y"] + 13 + 0.9 * 26 * key)
        assert alone(box) == {(0, 0, key)}
        label = ["me", "gustan", "los", "nachos", "rojos"][key]
        assert box.locator(".ax-readout").text_content().startswith(f"weights(<sos> → {label}) = ")


def test_keys_walk_in_the_table_and_show_in_the_lines(page):
    box, keys = at_start(page.box("lines of heads")), page.page.keyboard
    cells = box.get_by_role("grid", name="weights, head 3").get_by_role("gridcell")
    assert cells.count() >= 36  # a screen reader has the table
    box.get_by_role("grid", name="weights, head 3").locator(".ax-cell").first.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        keys.press(key)
    assert alone(box) == {(2, 2, 1)}
    assert box.locator(".ax-readout").text_content().startswith("weights, head 3 (sat → cat) = ")
    outline = box.locator(".ax-sheet").evaluate("node => getComputedStyle(node).outlineStyle")
    assert outline == "solid"  # where the focus is, can be seen
    keys.press("Escape")
    page.page.evaluate("document.activeElement.blur()")


def test_table_and_lines_take_turns_and_heads_can_be_hidden(page):
    box = at_start(page.box("lines of heads"))
    box.locator(".noUi-handle").press("Home")
    every = alone(box)
    box.get_by_role("button", name="head 2").click()
    assert box.locator(".ax-sheet g").nth(1).is_hidden()
    assert box.get_by_role("button", name="head 2").get_attribute("aria-pressed") == "false"
    box.get_by_role("button", name="head 2").click()
    box.get_by_role("button", name="weights: show as table").click()
    assert box.locator(".ax-sheet").is_hidden()
    table = box.get_by_role("grid", name="weights, head 1")
    assert table.bounding_box()["width"] > 100
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"):  # unseen, and drawn again
        box.locator(".noUi-handle").press(key)
    box.get_by_role("button", name="weights: show as lines").click()
    assert alone(box) == every
    box.locator(".noUi-handle").press("ArrowRight")
    thick = [float(x) for x in box.locator(".ax-sheet g").first.evaluate(
        "g => [...g.children].map(line => line.getAttribute('stroke-width'))")]  # fmt: skip
    numbers = table.locator(".ax-cell").all_text_contents()
    assert [round(x / 4, 2) for x in thick] == pytest.approx(
        [0 if x == "–" else float(x) for x in numbers], abs=0.0051
    )
