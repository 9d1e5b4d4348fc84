"""Matrices too large for a table, in JupyterLab: their colours, their size, their tokens, their numbers."""

import pytest
from access import violations
from test_access import COMMANDS
from test_browser import SHOTS

pytestmark = pytest.mark.browser


# ---------------------------------------------------------------- colours

# Of each picture, how far from white its cells get: 0 to 255.
DISTANCE = """view => [...view.querySelectorAll('.ax-canvas')].map(canvas => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return 255 - data.reduce((least, x) => Math.min(least, x)); })"""


def ends(explorer):
    """The numbers at the ends of the colour scale."""
    return explorer.view.locator(".ax-scale span").all_text_contents()


def closer(explorer):
    return explorer.view.locator(".ax-closer")


@pytest.fixture
def pale(notebook):
    """Weights of 25 tokens and two heads, from a layer of PyTorch that nobody trained."""
    explorer = notebook.named("pale")
    yield explorer
    if ends(explorer) != ["0", "1"]:
        closer(explorer).click()
    explorer.move_first_slider("End")


def test_weights_that_nobody_would_see_are_shown_at_a_click(pale):
    readout, says = pale.view.locator(".ax-readout"), pale.view.locator(".ax-offer span")
    assert max(pale.view.evaluate(DISTANCE)) < 32
    assert ends(pale) == ["0", "1"]
    assert says.text_content() == "all weights are at most 0.088: pale on a scale to 1"
    assert "colours" not in readout.text_content()

    place = closer(pale).bounding_box()
    closer(pale).click()
    assert closer(pale).bounding_box().items() >= {"x": place["x"], "y": place["y"]}.items()
    assert min(pale.view.evaluate(DISTANCE)) > 100  # both heads
    assert ends(pale) == ["0", "0.088"]
    assert says.text_content() == "closer colours: they end at 0.088, not at 1"
    assert readout.text_content().endswith("Colours of weights to 0.088.")
    assert pale.view.get_by_role("status").text_content() == readout.text_content()
    pale.move_first_slider("Home")
    assert ends(pale) == ["0", "0.088"]  # it stays, as a slider moves
    assert 50 < max(pale.view.evaluate(DISTANCE))
    pale.view.locator(".ax-canvas").first.hover()
    assert readout.text_content().endswith(" %); colours to 0.088")

    closer(pale).click()
    assert max(pale.view.evaluate(DISTANCE)) < 32
    assert ends(pale) == ["0", "1"]
    assert "colours" not in readout.text_content()


def test_the_key_c_does_the_same_and_nothing_to_the_notebook(notebook, pale):
    notebook.page.evaluate(COMMANDS)
    canvas = pale.view.locator(".ax-canvas").last
    canvas.press("c")
    assert min(pale.view.evaluate(DISTANCE)) > 100
    assert ends(pale) == ["0", "0.088"]
    canvas.press("c")
    assert max(pale.view.evaluate(DISTANCE)) < 32
    assert notebook.page.evaluate(COMMANDS) == []
    assert "key c" in closer(pale).get_attribute("title")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_an_offer_has_no_faults(notebook, pale, theme):
    notebook.use_theme(theme)
    closer(pale).click()
    assert violations(pale.box) == []
    notebook.page.screenshot(path=SHOTS / f"pictures_closer_{theme[-5:].strip()}.png")


def test_where_something_shows_nothing_is_offered(notebook):
    for name in ("large", "sums"):
        assert closer(notebook.named(name)).count() == 0


# ---------------------------------------------------------------- size and tokens

# Of the first picture: pixels of the box, of its content, of the matrix, and the tokens named.
PICTURE = """view => {
  const box = view.querySelector('.ax-picture'), canvas = view.querySelector('.ax-canvas');
  const [{ width, height }, seen] = [canvas.getBoundingClientRect(), box.getBoundingClientRect()];
  const named = side => [...view.querySelector(side).querySelectorAll('.ax-token')].map(t => t.textContent);
  return {
    hidden: [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight],
    side: [width / canvas.width, height / canvas.height], seen: [seen.width, seen.height],
    across: named('.ax-top'), down: named('.ax-left') };
}"""


@pytest.mark.parametrize("width", [1400, 360])
def test_a_tall_picture_is_not_cut_and_uses_the_width(notebook, width):
    notebook.page.set_viewport_size({"width": width, "height": 1000})
    notebook.close_side_bars()
    explorer = notebook.named("tall")
    found = explorer.view.evaluate(PICTURE)
    notebook.page.screenshot(path=SHOTS / f"pictures_tall_{width}.png")
    assert found["hidden"] == [0, 0]
    assert found["side"][0] == pytest.approx(found["side"][1])
    assert 25 * found["side"][1] > (500 if width == 1400 else 300)
    assert found["down"] == [f"a{i}" for i in range(25)]
    assert found["across"] == [f"word{i}" for i in range(16)]


def test_tokens_are_thinned_alike_in_both_directions(notebook):
    explorer = notebook.named("large")
    named = []
    for _ in range(3):
        found = explorer.view.evaluate(PICTURE)
        assert found["across"] == found["down"]
        named.append(len(found["down"]))
        explorer.view.locator(".ax-canvas").first.press("+")
    assert 8 < named[0] < named[2] == 40


# ---------------------------------------------------------------- numbers

# Of one cell of the first picture: how many pixels of its number are dark, how many light; or null.
NUMBER = """(view, [row, column]) => {
  const sheet = view.querySelector('.ax-numbers'), canvas = view.querySelector('.ax-canvas');
  if (sheet.hidden) return null;
  const side = canvas.getBoundingClientRect().width / canvas.width;
  const at = (k, start) => Math.round((k * side - parseFloat(start) + side / 4) * devicePixelRatio);
  const area = [at(column, sheet.style.left), at(row, sheet.style.top)];
  const half = Math.round(side / 2 * devicePixelRatio);
  const { data } = sheet.getContext('2d').getImageData(...area, half, half);
  let [dark, light] = [0, 0];
  for (let k = 0; k < data.length; k += 4) if (data[k + 3] > 100) data[k] < 128 ? dark++ : light++;
  return [dark, light];
}"""
INSIDE = """view => {
  const box = view.querySelector('.ax-picture').getBoundingClientRect();
  const mark = view.querySelector('.ax-marker').getBoundingClientRect();
  return mark.left >= box.left && mark.top >= box.top && mark.right <= box.right && mark.bottom <= box.bottom; }"""


def test_zoomed_in_the_cells_have_numbers_and_the_keys_still_walk(notebook):
    explorer, keys = notebook.named("large"), notebook.page.keyboard
    canvas = explorer.view.locator(".ax-canvas").first
    explorer.move_first_slider("End")
    canvas.press("0")
    assert explorer.view.evaluate(NUMBER, [0, 0]) is None
    for _ in range(4):
        keys.press("+")
    dark, light = explorer.view.evaluate(NUMBER, [0, 0])  # "1.00" on the darkest colour
    assert light > 20 and dark == 0
    dark, light = explorer.view.evaluate(NUMBER, [0, 1])  # "0.00" on white
    assert dark > 20 and light == 0
    for key in ["ArrowDown"] * 39 + ["End"]:
        keys.press(key)
    assert "(word39 → word39) = 1 (100 %)" in explorer.view.locator(".ax-readout").text_content()
    assert explorer.view.evaluate(INSIDE)
    notebook.page.wait_for_function(
        "() => new Promise(done => requestAnimationFrame(() => done(true)))"
    )
    notebook.page.screenshot(path=SHOTS / "pictures_numbers.png")
    assert explorer.view.evaluate(NUMBER, [39, 39])[1] > 20
    explorer.move_first_slider("Home")
    assert explorer.view.evaluate(NUMBER, [39, 39])[0] > 20  # "0.00" now
    explorer.move_first_slider("End")
    canvas.focus()
    for key in ["0", "Home", *["ArrowUp"] * 39, "ArrowRight"]:
        keys.press(key)
    assert explorer.view.evaluate(NUMBER, [0, 0]) is None
