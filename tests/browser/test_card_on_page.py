"""Cards of checks and of progress: on a web page without a kernel, and in JupyterLab."""

import nbformat
import pytest
from every_explorer import SHOTS, assert_good, use_scheme
from IPython.core.formatters import DisplayFormatter
from lab import Notebook
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from playwright.sync_api import expect
from site_pages import Page

from helpers import checks
from helpers.classroom import site
from helpers.exercises import NOTEBOOKS

pytestmark = pytest.mark.browser
HEADING, FILE = "Step 2: from scores to attention weights", NOTEBOOKS[1].file
HOSTILE = "</p><img src=x onerror=alert()><b>"
SETUP = f"""import torch
from helpers import checks

def stops(scores):
    text = {HOSTILE!r}
    raise ValueError(text)"""
# name → code that shows a card: one for each state, and one with all that a card may have
SHOWN = {
    "right": "checks.scores(lambda query, X: X @ query)",
    "named": "checks.softmax(lambda scores: torch.softmax(scores, dim=0))",
    "unnamed": "checks.softmax(lambda scores: (scores * 1.1).softmax(dim=-1).round(decimals=1))",
    "stops": "checks.softmax(stops)",
    "open": "checks.softmax(...)",
    "one": "checks.progress(1)",
    "all": "checks.progress()",
}
LONG = "A line of text.\n\n" * 60


def cells(outputs=lambda source: []):
    yield new_markdown_cell(
        f"# Title\n\n**The question:** which?\n\n## {HEADING}\n\n{LONG}### Exercise"
    )
    yield new_code_cell(SETUP)
    for name, source in SHOWN.items():
        yield new_code_cell(f"{source}  # {name}", outputs=outputs(source))


def shown_by(source):
    """The output of a cell."""
    space = {}
    exec(SETUP, space)
    data, about = DisplayFormatter().format(eval(source, space))
    return [new_output("display_data", data, metadata=about)]


@pytest.fixture(scope="module")
def book():
    made = new_notebook(cells=list(cells(shown_by)))
    made.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return made


@pytest.fixture(scope="module")
def made(book, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cards")
    site.make_site(folder, {folder / f"{FILE}.ipynb": book})
    return folder / f"{FILE}.html"


@pytest.fixture
def page(browser, made):
    opened = Page(browser, made, viewport={"width": 1200, "height": 900})
    opened.page.locator(".check").first.wait_for(state="attached")
    opened.page.evaluate("document.querySelectorAll('details').forEach(x => (x.open = true))")
    yield opened.page
    assert opened.errors == opened.outside == []
    opened.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_read_a_card_on_a_web_page(page, scheme):
    use_scheme(page, scheme)
    page.set_viewport_size({"width": 400, "height": 900})
    for name, card in zip(SHOWN, page.locator(".check").all(), strict=True):
        assert_good(card, f"card_{scheme}_{name}")


def test_its_state_is_a_word_and_its_link_leads_to_the_heading_by_keys(page):
    states = [page.locator(".check-word").nth(i).inner_text() for i in range(5)]
    assert states == ["✓ right", "✗ not yet", "✗ not yet", "✗ not yet", "○ not tried"]
    expect(page.get_by_role("heading", name="not yet softmax").first).to_be_visible()
    assert HOSTILE in page.locator(".check").nth(3).inner_text()
    page.get_by_role("link", name=HEADING).last.press("Enter")
    expect(page.get_by_role("heading", name=HEADING)).to_be_in_viewport()
    hrefs = "all => all.map(a => a.getAttribute('href'))"  # of links in SVG, too
    leads_to = set(page.locator(".check").last.get_by_role("link").evaluate_all(hrefs))
    # A page of the site leaves the learner's progress out, so these are notebooks.
    assert leads_to == {f"{NOTEBOOKS[n].file}.ipynb" for n in checks.progress().notebooks}


def test_a_card_in_jupyterlab_in_both_themes_and_in_high_contrast(browser, lab, book):
    book = new_notebook(cells=list(cells()), metadata=book.metadata)
    nbformat.write(book, lab.folder / f"{FILE}.ipynb")
    notebook = Notebook(browser, lab.url, f"{FILE}.ipynb")
    notebook.restart_and_run_all()
    page, cards = notebook.page, notebook.page.locator(".check")
    for theme in ("Light", "Dark"):
        notebook.use_theme(f"JupyterLab {theme}")
        for i, name in enumerate(SHOWN, 2):
            assert_good(notebook.cell(i).locator(".check"), f"card_lab_{theme}_{name}")
    notebook.use_theme("JupyterLab Light")
    for wish in ({"forced_colors": "active"}, {"forced_colors": "none", "contrast": "more"}):
        page.emulate_media(**wish)
        assert_good(notebook.cell(3).locator(".check"), "_".join(["card", *wish]))
    right = notebook.cell(2).locator(".check")
    right.scroll_into_view_if_needed()
    expect(right).to_contain_text(checks.progress(1).counts[1].replace(": 0", ": 1"))
    heading = page.get_by_role("heading", name=HEADING)
    cards.get_by_role("link", name=HEADING).press("Enter")
    expect(heading).to_be_in_viewport()
    assert notebook.errors == []
    page.close()


def test_what_is_not_trusted_still_reads_well(browser, lab, book):
    nbformat.write(book, lab.folder / "untrusted.ipynb")
    notebook = Notebook(browser, lab.url, "untrusted.ipynb")
    for i, source in enumerate(SHOWN.values(), 2):
        notebook.page.evaluate(
            "i => window.jupyterapp.shell.currentWidget.content.scrollToItem(i)", i
        )
        output = notebook.cell(i).locator(".jp-OutputArea")
        output.scroll_into_view_if_needed()
        text = output.inner_text()
        assert "{" not in text  # part of a style rule
        if source == SHOWN["named"]:
            assert all(line in text for line in checks.softmax(lambda x: x.softmax(dim=0)).lines)
    notebook.page.screenshot(path=SHOTS / "card_untrusted.png")
    notebook.page.close()
