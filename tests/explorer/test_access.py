"""The Explorer by keyboard, by screen reader, and as axe-core sees it, in real JupyterLab.

What axe-core finds in each notebook's Explorers is asked in test_browser.py, where they are open
anyway; here are the states that a learner brings about. Screenshots are left in build/screenshots.
"""

import pytest
from access import violations
from every_explorer import LOWEST_CONTRAST, SHOTS
from playwright.sync_api import expect

FOCUSED = """() => { const { tagName, classList } = document.activeElement;
  const named = document.activeElement.closest('[aria-label]')?.getAttribute('aria-label');
  return [document.activeElement.closest('.attention-explorer')?.dataset.here ?? '', tagName,
    [...classList].join(' '), named ?? '']; }"""

pytestmark = pytest.mark.browser


# ---------------------------------------------------------------- axe-core


def open_all_there_is(notebook):
    """A sum, a locked row, and an error, each on the page."""
    sums, live = notebook.named("sums"), notebook.named("live")
    box = live.box.locator("input[type=text]")
    box.fill("oops")
    box.press("Enter")
    live.view.locator(".ax-error").filter(has_text="raised KeyError").wait_for()
    sums = notebook.named("sums")
    sums.cell("weights", 1, 0).click()
    sums.cell("weights", 2, -1).click()
    return sums, live


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_open_sum_locked_row_and_error_have_no_faults(notebook, theme):
    notebook.use_theme(theme)
    for explorer in open_all_there_is(notebook):
        explorer.view.scroll_into_view_if_needed()
        assert violations(explorer.box) == []
    sums = notebook.named("sums")
    assert sums.view.locator(".ax-terms").count() == 1
    assert sums.view.evaluate(LOWEST_CONTRAST) >= 4.5
    SHOTS.mkdir(parents=True, exist_ok=True)
    notebook.page.screenshot(path=SHOTS / f"access_sum_{theme[-5:].strip()}.png")
    box = notebook.named("live").box.locator("input[type=text]")
    box.fill("sun")
    box.press("Enter")


def test_a_nameless_slider_and_pale_numbers_would_be_found(notebook):
    explorer = notebook.named("masked")
    handle, cell = explorer.box.locator(".noUi-handle"), explorer.cell("weights", 0, 0)
    name, style = handle.get_attribute("aria-label"), cell.get_attribute("style")
    handle.evaluate("node => node.removeAttribute('aria-label')")
    cell.evaluate("node => { node.style.color = '#bbb'; node.style.backgroundColor = '#fff'; }")
    found = violations(explorer.box)
    handle.evaluate("(node, name) => node.setAttribute('aria-label', name)", name)
    cell.evaluate("(node, style) => node.setAttribute('style', style)", style)
    assert sorted(fault.split()[0] for fault in found) == [
        "aria-input-field-name",
        "color-contrast",
    ]


# For a while, nothing on the page is part of an Explorer: as if its sliders came later than its view.
LATE = """ms => { const real = Element.prototype.closest;
  Element.prototype.closest = function (name) {
    return name === '.attention-explorer' ? null : real.call(this, name); };
  setTimeout(() => { Element.prototype.closest = real; }, ms); }"""


def test_a_slider_that_comes_late_has_a_name_all_the_same(notebook):
    notebook.page.evaluate(LATE, 4000)
    notebook.run_again("sums")
    handle = notebook.named("sums").box.locator(".noUi-handle")
    handle.wait_for()
    assert handle.get_attribute("aria-label") is None
    expect(handle).to_have_attribute("aria-label", "temperature", timeout=10_000)


def test_a_slider_says_what_stands_beside_it(notebook):
    """Not 0.30000000000000004; nor, of words, their number."""
    share, word = notebook.named("said").box.locator(".widget-slider").all()
    for slider, last in ((share, "1.0"), (word, "star")):
        handle, readout = slider.locator(".noUi-handle"), slider.locator(".widget-readout")
        handle.press("Home")
        for text in iter(readout.text_content, last):
            expect(handle).to_have_attribute("aria-valuetext", text)
            handle.press("ArrowRight")
        expect(handle).to_have_attribute("aria-valuetext", last)


# ---------------------------------------------------------------- keys


def tab_stops(notebook, name, count, key="Tab"):
    """What has the focus after each press of a key, from the notebook's cell on: (tag, class, name)."""
    index = notebook.cell_starting(f"# {name}\n")
    explorer = notebook.explorer(index)
    explorer.box.evaluate("box => { box.dataset.here = 'yes'; }")
    cell = notebook.cell(index)
    cell.evaluate("cell => cell.focus()")
    stops = []
    for _ in range(count):
        notebook.page.keyboard.press(key)
        here, *stop = notebook.page.evaluate(FOCUSED)
        if here:
            stops.append(tuple(stop))
    explorer.box.evaluate("box => { delete box.dataset.here; }")
    return stops


def test_tab_reaches_everything(notebook):
    stops = tab_stops(notebook, "sums", 24)
    assert [(tag, name) for tag, _, name in stops if "widget-readout" not in _] == [
        ("DIV", "temperature"),
        ("BUTTON", "temperature: one step back"),
        ("BUTTON", "play temperature"),
        ("BUTTON", "temperature: one step on"),
        ("TD", "scores"),
        ("BUTTON", "scores: save picture (SVG)"),
        ("TD", "weights"),
        ("BUTTON", "weights: show as lines"),
        ("BUTTON", "weights: save picture (SVG)"),
        ("TD", "context"),
        ("BUTTON", "context: save picture (SVG)"),
    ]
    stops = tab_stops(notebook, "large", 20)
    assert [(tag, name.split(":")[0]) for tag, _, name in stops][-5:] == [
        ("BUTTON", "weights"),
        ("BUTTON", "weights"),
        ("CANVAS", "weights, head 1"),
        ("CANVAS", "weights, head 2"),
        ("BUTTON", "weights"),
    ]


def test_keys_open_and_close_the_sum(notebook):
    explorer, keys = notebook.named("sums"), notebook.page.keyboard
    explorer.cell("scores", 0, 0).focus()
    for key in ["Tab", "Tab", "ArrowDown", "ArrowRight", "Enter"]:  # into the weights
        keys.press(key)
    title = explorer.view.locator(".ax-sum-title")
    assert title.text_content().startswith("weights(shiny → shiny)")
    for _ in range(4):  # two buttons of the weights, the context, and its button
        keys.press("Tab")
    keys.press("Tab")
    assert notebook.page.evaluate(FOCUSED)[1:3] == ["BUTTON", "ax-close"]
    keys.press("Enter")
    assert title.count() == 0
    explorer.cell("weights", 1, 1).press("Enter")
    assert title.count() == 1
    keys.press("Escape")
    assert title.count() == 0


def test_keys_lock_a_query(notebook):
    explorer, keys = notebook.named("sums"), notebook.page.keyboard
    explorer.cell("weights", 2, 0).focus()
    keys.press("ArrowLeft")
    keys.press("Enter")
    locked = explorer.view.locator(".ax-locked")
    assert locked.count() == 3  # in the scores, the weights and the context
    assert locked.locator("th").all_text_contents() == ["sun"] * 3
    assert explorer.cell("weights", 2, -1).get_attribute("aria-selected") == "true"
    keys.press("Escape")
    assert locked.count() == 0


# JupyterLab's commands since the last call.
COMMANDS = """() => { window.ran ??= (window.jupyterapp.commands.commandExecuted.connect(
  (_, { id }) => window.ran.push(id)), []); return window.ran.splice(0); }"""


def test_plain_keys_do_nothing_to_the_notebook(notebook):
    """Not even ask: in JupyterLab x cuts the cell, and 0 0 restarts the kernel."""
    page = notebook.page
    page.evaluate(COMMANDS)
    for name, targets in {
        "sums": [
            ".noUi-handle",
            ".ax-player button",
            '[aria-label="weights"] .ax-cell',
            ".ax-close",
        ],
        "large": [".ax-zoom button", "canvas"],
    }.items():
        explorer = notebook.named(name)
        if name == "sums":
            explorer.cell("scores", 0, 0).click()
        for target in targets:
            explorer.box.locator(target).first.focus()
            for key in "xddabmyzvc100":
                page.keyboard.press(key)
            assert page.evaluate(COMMANDS) == [], target


def test_commands_still_reach_jupyterlab(notebook):
    page, explorer = notebook.page, notebook.named("sums")
    page.evaluate(COMMANDS)
    for target in [".noUi-handle", ".ax-player button", '[aria-label="weights"] .ax-cell']:
        explorer.box.locator(target).first.press("Control+s")
        page.wait_for_function("() => window.ran.includes('docmanager:save')")
        page.evaluate(COMMANDS)
    index = notebook.cell_starting("# sums")
    prompt = notebook.cell(index).locator(".jp-OutputPrompt")
    count = prompt.text_content()
    explorer.cell("weights", 0, 0).press("Shift+Enter")
    prompt.filter(has_not_text=count).wait_for()
    assert "notebook:run-cell-and-select-next" in page.evaluate(COMMANDS)


# ---------------------------------------------------------------- screen readers


def test_a_table_has_headers(notebook):
    table = notebook.named("sums").view.get_by_role("grid", name="weights", exact=True)
    assert table.get_by_role("columnheader").all_text_contents() == ["Hello", "shiny", "sun"]
    assert table.get_by_role("rowheader").all_text_contents() == ["Hello", "shiny", "sun"]
    assert table.get_by_role("gridcell").count() >= 9
    assert table.locator("th:not([scope])").count() == 0
    explorer = notebook.named("sums")
    explorer.cell("weights", 0, 0).click()
    terms = explorer.view.get_by_role("region", name="the sum behind weights(Hello → Hello)")
    heads = terms.get_by_role("columnheader").all_text_contents()
    assert heads == ["key", "scores", "/ 1", "exp", "share"]
    assert terms.get_by_role("rowheader").all_text_contents() == ["Hello", "shiny", "sun", "sum"]


def test_the_read_out_is_said_once_it_rests(notebook):
    explorer = notebook.named("sums")
    live = explorer.view.get_by_role("status")
    session = notebook.page.context.new_cdp_session(notebook.page)
    document = session.send("DOM.getDocument")["root"]["nodeId"]
    live.evaluate("node => { node.id = 'the-status'; }")
    node = session.send("DOM.querySelector", {"nodeId": document, "selector": "#the-status"})
    (said,) = session.send(
        "Accessibility.getPartialAXTree", {"nodeId": node["nodeId"], "fetchRelatives": False}
    )["nodes"]
    properties = {p["name"]: p["value"]["value"] for p in said["properties"]}
    assert properties["live"] == "polite"

    first = explorer.cell("weights", 0, 0)
    first.focus()
    first.evaluate(
        """cell => {
          const live = document.getElementById('the-status');
          window.said = [];
          new MutationObserver(() => window.said.push(live.textContent)).observe(live, {childList: true});
          for (const key of ['ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowLeft'])
            document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        }"""
    )
    notebook.page.wait_for_function("() => window.said.length > 0")
    (text,) = notebook.page.evaluate("() => window.said")
    assert text.startswith("weights(sun → Hello) = exp(0.7196 / 1)")


# ---------------------------------------------------------------- typing into a slider's read-out


@pytest.mark.parametrize(
    "typed, reads", [("2,5", "2.5"), ("2.5", "2.5"), ("−1", "0.5"), ("two", "1.5")]
)
def test_a_number_is_read_as_it_is_written(notebook, typed, reads):
    explorer = notebook.named("sums")
    explorer.box.locator(".noUi-handle").press("Home")
    for _ in range(2):
        explorer.box.locator(".noUi-handle").press("ArrowRight")
    readout = explorer.box.locator(".widget-readout")
    readout.fill(typed)
    readout.press("Enter")
    expect(readout).to_have_text(reads)
    assert stands_at(explorer) == float(reads)


# ---------------------------------------------------------------- play


def gone_from(explorer, value):
    """Wait until the slider is elsewhere: a slow machine may never see it at a given place."""
    explorer.box.locator(f".noUi-handle:not([aria-valuetext='{value}'])").wait_for()


def stands_at(explorer):
    return float(explorer.box.locator(".noUi-handle").get_attribute("aria-valuetext"))


def test_play_goes_to_the_end(notebook):
    explorer = notebook.named("sums")
    handle, play = explorer.box.locator(".noUi-handle"), explorer.box.locator(".ax-player button")
    handle.press("End")
    handle.press("ArrowLeft")
    handle.press("ArrowLeft")
    play.nth(1).click()
    explorer.box.locator("[aria-valuetext='3.0']").wait_for()
    explorer.box.get_by_role("button", name="play temperature").wait_for()  # not "pause" any more
    assert explorer.view.get_attribute("data-frame") == "5"
    play.nth(1).click()  # from its end it starts anew
    gone_from(explorer, "3.0")
    explorer.box.get_by_role("button", name="pause temperature").click()
    assert stands_at(explorer) < 3
    handle.press("Home")
    handle.press("ArrowRight")


@pytest.mark.parametrize("how", ["click", "slider", "step"])
def test_play_pauses(notebook, how):
    explorer = notebook.named("true")
    handle = explorer.box.locator(".noUi-handle")
    handle.press("Home")
    explorer.box.get_by_role("button", name="play step").click()
    gone_from(explorer, "0")
    if how == "click":
        explorer.box.get_by_role("button", name="pause step").click()
    elif how == "slider":
        handle.press("End")
        handle.press("ArrowLeft")
    else:
        explorer.box.get_by_role("button", name="step: one step back").click()
    explorer.box.get_by_role("button", name="play step").wait_for()
    at = stands_at(explorer)
    notebook.page.wait_for_timeout(700)  # longer than the film's slowest shot
    assert stands_at(explorer) == at
    handle.press("Home")


def test_less_motion(notebook):
    notebook.page.emulate_media(reduced_motion="reduce")
    explorer = notebook.named("true")
    play = explorer.box.get_by_role("button", name="play step")
    expect(play).to_be_disabled()
    assert "less motion" in play.get_attribute("title")
    on, back = [
        explorer.box.get_by_role("button", name=f"step: one step {w}") for w in ("on", "back")
    ]
    on.click()
    on.click()
    assert (stands_at(explorer), explorer.view.get_attribute("data-frame")) == (2, "2")
    back.click()
    assert stands_at(explorer) == 1
    notebook.page.emulate_media(reduced_motion="no-preference")
    expect(play).to_be_enabled()
    explorer.box.locator(".noUi-handle").press("Home")
