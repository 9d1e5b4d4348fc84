"""Predictions and drills on a page without a kernel, and in JupyterLab: by mouse and keyboard."""

import json
from pathlib import Path

import nbformat
import pytest
from every_explorer import assert_good, use_scheme
from ipywidgets.embed import embed_data
from lab import Notebook
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from playwright.sync_api import expect
from site_pages import Page

from helpers import checks
from helpers.classroom import handed_in, site
from helpers.classroom.pages import VIEW
from helpers.exercises import PREDICTIONS
from helpers.explorer.question import Question

pytestmark = pytest.mark.browser
WORD, NUMBER, DONE = "tripled scores", "a weight that is kept", "highest score"
GIVEN_AWAY = "It grows."
ASKED = "ada_01_hello_shiny_sun.ipynb"


def cells(outputs):
    """Cells: a word, what reveals it, a number, a drill. outputs: source → outputs of the cell."""
    yield new_markdown_cell("# Title\n\n**The question:** which?")
    for source in (
        "from helpers import checks",
        f'checks.predict("{WORD}")',
        "print('it', 'grew')",
    ):
        yield new_code_cell(source, outputs=outputs.get(source, []))
    yield new_markdown_cell(GIVEN_AWAY)
    yield new_markdown_cell("## Next\n\nHere nothing is folded.")
    for source in (f'checks.predict("{NUMBER}")', "checks.drill(7)"):
        yield new_code_cell(source, outputs=outputs.get(source, []))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The page with these cells, and at its end a prediction that was done in another kernel."""
    folder, done = tmp_path_factory.mktemp("asked"), PREDICTIONS[DONE]
    asked = {
        f'checks.predict("{WORD}")': checks.predict(WORD),
        f'checks.predict("{NUMBER}")': checks.predict(NUMBER),
        "checks.drill(7)": checks.drill(7),
        f'checks.predict("{DONE}")': Question(done, None, done.answer),
    }
    data = embed_data(views=list(asked.values()), drop_defaults=False)
    outputs = {
        source: [new_output("display_data", {VIEW: view, "text/plain": repr(question)})]
        for (source, question), view in zip(asked.items(), data["view_specs"])
    }
    outputs["print('it', 'grew')"] = [new_output("stream", text="it grew\n")]
    book = new_notebook(cells=list(cells(outputs)))
    book.cells.append(new_markdown_cell("## Done"))
    last = f'checks.predict("{DONE}")'
    book.cells.append(new_code_cell(last, outputs=outputs[last]))
    book.metadata.widgets = {"application/vnd.jupyter.widget-state+json": data["manager_state"]}
    site.make_site(folder, {folder / "shown.ipynb": book})
    return folder / "shown.html"


@pytest.fixture
def asked(browser, made):
    """The page, opened as if for the first time."""
    page = Page(browser, made, answered=False, viewport={"width": 1200, "height": 900})
    expect(page.page.locator(".question[data-ready=true]")).to_have_count(4)
    yield page
    assert page.errors == page.outside == []
    page.close()


def test_a_prediction_that_was_done_in_another_kernel_is_shown_with_its_answer(asked):
    done = asked.page.locator(".question").last
    expect(done).to_have_attribute("data-state", "right")
    expect(done.locator(".question-says")).to_contain_text(PREDICTIONS[DONE].why)


def test_a_wrong_choice_is_told_why_and_the_right_one_unfolds_what_follows(asked):
    question, below = asked.page.locator(".question").first, asked.page.get_by_text(GIVEN_AWAY)
    expect(below).to_be_hidden()
    expect(asked.page.get_by_text("it grew", exact=True)).to_be_hidden()
    expect(asked.page.get_by_text("Here nothing is folded")).to_be_visible()
    says = question.get_by_role("status")
    question.get_by_role("button", name="stays").click()
    expect(question).to_have_attribute("data-state", "wrong")
    why = says.inner_text()
    question.get_by_role("button", name="shrinks").click()
    expect(says).not_to_have_text(why)
    expect(below).to_be_hidden()
    question.get_by_role("button", name="grows").click()
    expect(question).to_have_attribute("data-state", "right")
    expect(below).to_be_visible()
    asked.page.reload()
    expect(question).to_have_attribute("data-state", "right")  # remembered while the window is open
    expect(below).to_be_visible()


def test_a_number_by_keys_alone(asked):
    page, question = asked.page, asked.page.locator(".question").nth(1)
    question.get_by_role("textbox").focus()
    page.keyboard.type("0,5")
    page.keyboard.press("Enter")
    expect(question).to_have_attribute("data-state", "wrong")
    page.keyboard.press("Control+a")
    page.keyboard.type("0.5")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.type") == "submit"
    page.keyboard.press("Space")
    expect(question).to_have_attribute("data-state", "right")


def test_an_answer_may_be_waived_and_the_focus_is_where_it_is_told(asked):
    question = asked.page.locator(".question").first
    question.locator(".question-folded button").press("Enter")
    expect(question.get_by_role("status")).to_be_focused()
    expect(question).to_have_attribute("data-state", "waived")
    expect(asked.page.get_by_text(GIVEN_AWAY)).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_answer(asked, scheme):
    use_scheme(asked.page, scheme)
    asked.page.set_viewport_size({"width": 400, "height": 900})
    for i, question in enumerate(asked.page.locator(".question").all()):
        if i in (0, 2):
            question.locator(".question-form button").first.click()
        assert_good(question, f"question_{i}_{scheme}")


def test_in_jupyterlab_prose_and_outputs_are_folded_and_the_kernel_is_told(browser, lab):
    book = new_notebook(cells=list(cells({})))
    book.cells[0].source = book.cells[0].source.replace("# Title", "# 1 · Title")  # a copy of it
    book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book.cells.append(new_code_cell("checks.progress(1).done"))
    nbformat.write(book, lab.folder / ASKED)
    notebook = Notebook(browser, lab.url, ASKED, answered=False)
    notebook.restart_and_run_all()
    page, question = notebook.page, notebook.page.locator(".question").first
    below = [page.locator(".jp-Cell .jp-RenderedMarkdown", has_text=GIVEN_AWAY)]
    below.append(page.locator(".jp-OutputArea", has_text="it grew"))
    for hidden in below:
        expect(hidden).to_be_hidden()
    expect(page.get_by_role("paragraph").filter(has_text="nothing is folded")).to_be_visible()
    # still there to be run
    expect(page.locator(".jp-InputArea", has_text="'grew'")).to_be_visible()
    before = len(notebook.outputs())
    question.get_by_role("button", name="stays").focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")  # elsewhere a command of JupyterLab
    expect(question).to_have_attribute("data-state", "right")
    for hidden in below:
        expect(hidden).to_be_visible()
    field = page.locator(".question").nth(1).get_by_role("textbox")
    field.press_sequentially("xxb")  # and so are these
    field.press("Enter")
    expect(page.locator(".question").nth(1)).to_have_attribute("data-state", "wrong")
    last = len(book.cells) - 1
    notebook.run_cell(last)
    assert len(notebook.outputs()) == before
    assert WORD in json.dumps(notebook.outputs()[-1])
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.reload()  # with what was saved, and the same kernel
    notebook.wait_for_kernel()
    expect(question).to_have_attribute("data-state", "right")
    copy = handed_in.read(lab.folder, Path(ASKED))
    assert copy.states[WORD] == "done", "what `make progress` reads"
    assert notebook.errors == []
    page.close()
