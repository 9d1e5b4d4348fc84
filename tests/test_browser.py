"""Every notebook in real JupyterLab, in a real browser: run from the menu, every slider moved.

Notebooks are found, not listed: a new one is covered as soon as it is there. Screenshots are left
in build/screenshots, to be looked at.
"""

import math
import re
import shutil
from pathlib import Path

import pytest
from find_browser import find_browser
from lab import Notebook, chromium, jupyter_lab

from helpers.sentences import SUNNY, SUNNY_TOKENS

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SHOTS = ROOT / "build" / "screenshots"

pytestmark = pytest.mark.browser

# The text of the view against what is behind it, as WCAG 2 counts contrast.
LOWEST_CONTRAST = """view => {
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => [r, g, b]
    .map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = node => { for (; node; node = node.parentElement) {
      const c = rgb(getComputedStyle(node).backgroundColor); if (c.length < 4 || c[3] > 0) return c; }
    return [255, 255, 255]; };
  const texts = [...view.querySelectorAll('*')].filter(n =>
    [...n.childNodes].some(c => c.nodeType === 3 && c.textContent.trim()));
  return Math.min(...texts.map(n => {
    const [a, b] = [luminance(rgb(getComputedStyle(n).color)), luminance(behind(n))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); }));
}"""


# Click every cell of every table; where a sum opens, its result must be what the read-out says.
# Resolves to [how many sums opened, those that do not add up].
SUMS = """view => {
  const number = text => Number(text.replace('−', '-'));
  const [box, readout] = ['.ax-sum', '.ax-readout'].map(name => view.querySelector(name));
  let opened = 0;
  const wrong = [];
  for (const cell of view.querySelectorAll('.ax-cell')) {
    cell.click();
    if (!box.hidden) {
      opened += 1;
      const rows = [...box.querySelectorAll('tr')];
      const line = box.querySelector('.ax-mine') ?? rows.at(-1);
      const [sum, says] = [line.lastElementChild.textContent, readout.textContent];
      const value = number(says.match(/= (−?[0-9.e−]+)(?: \\(\\d+ %\\))?$/)[1]);
      if (!(Math.abs(number(sum) - value) <= 2e-3 * Math.max(1, Math.abs(value)))) wrong.push([says, sum]);
    }
    cell.click();
  }
  return [opened, wrong];
}"""


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """JupyterLab over a copy of the notebooks: the test leaves the originals as they are."""
    folder = tmp_path_factory.mktemp("notebooks")
    for path in NOTEBOOKS:
        shutil.copy(path, folder)
    shutil.copy(ROOT / "tests" / "explorers.ipynb", folder)
    with jupyter_lab(folder, tmp_path_factory.mktemp("config")) as url:
        yield url


@pytest.fixture(scope="session")
def browser():
    with chromium(find_browser()) as started:
        yield started


@pytest.fixture
def opened(lab, browser):
    """A function that opens one notebook; its page closes with the test."""
    pages = []

    def open_one(name):
        notebook = Notebook(browser, lab, name)
        pages.append(notebook.page)
        return notebook

    yield open_one
    for page in pages:
        page.close()


def assert_all_controls_move(explorers):
    """Move every control of each Explorer, and see the picture change.

    One may be silent where another stands (a draw of dropout, out of training): move that, and try
    again.
    """
    for i, explorer in enumerate(explorers):
        controls = dict(explorer.controls())
        for name, move in controls.items():
            others = [other for other in controls.values() if other is not move]
            changed = explorer.changes(move) or any(
                explorer.changes(other) and explorer.changes(move) for other in others
            )
            assert changed, f"Explorer {i}: {name} changes nothing"
        yield explorer


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(opened, path):
    notebook = opened(path.name)
    notebook.use_theme("JupyterLab Light")  # the one before left it dark
    notebook.restart_and_run_all()
    failed = [o for cell in notebook.outputs() for o in cell if o["output_type"] == "error"]
    assert not failed, failed[0]["evalue"]

    SHOTS.mkdir(parents=True, exist_ok=True)
    swept = sums = 0
    for i, explorer in enumerate(assert_all_controls_move(notebook.explorers())):
        swept += explorer.swept
        notebook.page.screenshot(path=SHOTS / f"{path.stem}_{i}_light.png")
        opened, wrong = explorer.view.evaluate(SUMS)
        sums += opened
        assert not wrong, wrong[0]
        assert explorer.view.evaluate(LOWEST_CONTRAST) >= 4.5
    assert sums > 0

    notebook.use_theme("JupyterLab Dark")
    notebook.page.set_viewport_size({"width": 700, "height": 1000})
    for i, explorer in enumerate(notebook.explorers()):
        notebook.page.screenshot(path=SHOTS / f"{path.stem}_{i}_dark.png")
        assert explorer.view.evaluate(LOWEST_CONTRAST) >= 4.5
        assert explorer.fits_in(700)
    assert notebook.errors == []
    outside = [
        url for url in notebook.requests if not re.match(r"https?://127|ws|data:|blob:", url)
    ]
    assert outside == []

    notebook.shut_kernel_down()
    still_moving = [e for e in assert_all_controls_move(e for e in notebook.explorers() if e.swept)]
    assert len(still_moving) == swept


@pytest.fixture(scope="module")
def explorers(lab, browser):
    """tests/explorers.ipynb, run: one Explorer for each thing that the view must get right."""
    notebook = Notebook(browser, lab, "explorers.ipynb")
    notebook.restart_and_run_all()
    yield notebook
    notebook.page.close()


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
    assert explorer.fits_in(1400)


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


def test_sliders_have_names_for_screen_readers(explorers):
    explorer, _ = by_name(explorers, "sums")
    assert explorer.box.get_by_role("slider", name="temperature").count() == 1


def test_nothing_went_wrong_on_the_way(explorers):
    assert explorers.errors == []
