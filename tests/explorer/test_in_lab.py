"""What only JupyterLab shows: a kernel that computes, and keys that are also commands."""

import nbformat
import pytest
from access import set_back
from conftest import explorers_notebook
from lab import Notebook
from playwright.sync_api import expect
from test_dark_stills import assert_follows

pytestmark = pytest.mark.browser
USED = ("import", "# sums", "# typed", "# a picture")  # how the cells begin that are tried here


@pytest.fixture(scope="module")
def run_in_lab(browser, lab):
    """Some cells of explorers.ipynb, run in JupyterLab."""
    book = nbformat.read(explorers_notebook(), 4)
    book.cells = [cell for cell in book.cells if cell.source.startswith(USED)]
    nbformat.write(book, lab.folder / "explorers.ipynb")
    notebook = Notebook(browser, lab.url, "explorers.ipynb")
    notebook.use_theme("JupyterLab Light")  # the last test may have left the dark one
    notebook.restart_and_run_all()
    yield notebook
    notebook.page.close()


@pytest.fixture
def notebook(run_in_lab):
    """The same notebook in its first state; afterwards, checks that nothing went wrong."""
    yield run_in_lab
    set_back(run_in_lab)
    assert run_in_lab.errors == []


def type_into(explorer, text):
    box = explorer.box.locator("input[type=text]").first
    box.fill(text)
    box.press("Enter")


def test_what_is_typed_moves_labels_an_error_is_told_and_the_view_that_was_chosen_stays(notebook):
    explorer = notebook.named("typed")
    for words, lined in ((["one", "two", "three"], False), (["a", "b"], True), (["c"] * 4, True)):
        if lined and not explorer.view.locator(".ax-drawn").count():
            explorer.view.get_by_role("button", name="weights: show as lines").click()
        type_into(explorer, " ".join(words))
        expect(explorer.view.locator("table.ax-grid th[scope=row]")).to_have_text(words)
        assert explorer.view.locator(".ax-drawn").count() == lined
    cell = explorer.view.locator(".ax-cell").first
    explorer.move_first_slider("Home")  # this needs no kernel
    expect(cell).to_have_text("0.00")
    explorer.move_first_slider("End")
    expect(cell).to_have_text("1.00")
    before = explorer.look()
    type_into(explorer, "")
    explorer.view.locator(".ax-error").filter(has_text="raised ZeroDivisionError").wait_for()
    assert explorer.look() == before  # the last good picture stays
    type_into(explorer, "a b")
    expect(explorer.view.locator(".ax-error")).to_have_text("")


def test_tab_reaches_everything_in_order(notebook):
    index = notebook.cell_starting("# sums\n")
    explorer = notebook.explorer(index)
    notebook.cell(index).evaluate("cell => cell.focus()")
    stops = []
    for _ in range(24):
        notebook.page.keyboard.press("Tab")
        stops += explorer.box.evaluate(
            """box => { const node = document.activeElement;
              return !box.contains(node) || node.matches('.widget-readout') ? []
                : [node.closest('[aria-label]').getAttribute('aria-label')]; }"""
        )
    assert stops == [
        "temperature", "play temperature", "scores", "weights: show as table",
        "weights: show as lines", "weights: show as arcs", "weights", "context",
    ]  # fmt: skip


# JupyterLab's commands since the last call.
COMMANDS = """() => { window.ran ??= (window.jupyterapp.commands.commandExecuted.connect(
  (_, { id }) => window.ran.push(id)), []); return window.ran.splice(0); }"""


def test_plain_keys_do_nothing_to_the_notebook_and_commands_still_reach_it(notebook):
    """They do not even open a dialog: in JupyterLab x cuts the cell, 0 0 restarts the kernel."""
    page, explorer = notebook.page, notebook.named("sums")
    page.evaluate(COMMANDS)
    explorer.cell("scores", 0, 0).click()
    for target in (".noUi-handle", ".ax-play", ".ax-cell", ".ax-close"):
        explorer.box.locator(target).first.focus()
        for key in "xddabmyzvc100":
            page.keyboard.press(key)
        assert page.evaluate(COMMANDS) == [], target
    for target in (".noUi-handle", ".ax-play", '[aria-label="weights"] .ax-cell'):
        explorer.box.locator(target).first.press("Control+s")
        page.wait_for_function("() => window.ran.includes('docmanager:save')")
        page.evaluate(COMMANDS)


def test_a_picture_beside_explorers_follows_the_theme(notebook):
    picture = notebook.page.locator(".jp-RenderedImage > img")
    assert_follows(picture, False)
    notebook.use_theme("JupyterLab Dark")
    assert_follows(picture, True)
    notebook.use_theme("JupyterLab Light")
