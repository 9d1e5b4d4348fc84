"""The Explorer outside JupyterLab, in a real browser: Notebook 7 and Voilà.

Screenshots are left in build/screenshots for people to look at.
"""

import shutil

import pytest
import torch
from conftest import explorers_notebook
from every_explorer import SHOTS
from lab import ExplorerOnPage, Notebook, jupyter_lab
from pixels import text_of
from playwright.sync_api import expect

from helpers.data.sentences import SUNNY

pytestmark = [pytest.mark.browser, pytest.mark.weekly]

NAMES = ["sums", "masked", "hostile", "true", "large", "live"]  # of tests/explorers.ipynb, in order


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Notebook 7, which serves tests/explorers.ipynb; Voilà is an extension of its server."""
    folder = tmp_path_factory.mktemp("elsewhere")
    shutil.copy(explorers_notebook(), folder)
    SHOTS.mkdir(parents=True, exist_ok=True)
    with jupyter_lab(folder, tmp_path_factory.mktemp("config"), app="notebook") as url:
        yield url


def test_notebook_7(server, browser):
    notebook = Notebook(browser, f"{server}/notebooks/explorers.ipynb")
    # Notebook 7.6 logs one when it opens any notebook, even without widgets
    notebook.errors.clear()
    notebook.restart_and_run_all()
    try_out(notebook.named)
    notebook.page.screenshot(path=SHOTS / "elsewhere_notebook.png")
    assert notebook.errors == []
    notebook.page.close()


def test_voila(server, browser):
    page = browser.new_page(viewport={"width": 1200, "height": 1000})
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: said.type == "error" and errors.append(said.text))
    # Voilà's page requests icons and MathJax from elsewhere; we do not need them.
    page.route(lambda url: not url.startswith(server), lambda route: route.fulfill(body=""))
    page.goto(f"{server}/voila/render/explorers.ipynb", timeout=180_000)
    boxes = page.locator(".attention-explorer")
    page.locator('.ax-view[data-ready="true"]').nth(len(NAMES) - 1).wait_for(timeout=60_000)
    try_out(lambda name: ExplorerOnPage(boxes.nth(NAMES.index(name))))
    page.screenshot(path=SHOTS / "elsewhere_voila.png")
    assert [error for error in errors if not is_voilas_own(error)] == []
    page.close()


def is_voilas_own(error):
    """It cannot load what other packages made for JupyterLab's notebooks, nor, here, MathJax."""
    others = "labextensions/" in error and "labextensions/anywidget" not in error
    return others or error == "MathJax is not defined"


def try_out(named):
    """What a learner does with an Explorer, each thing once; `named` finds an Explorer by name."""
    sums = named("sums")
    assert_weights(sums, temperature=1.0)
    sums.move_first_slider("ArrowRight")
    assert_weights(sums, temperature=1.5)
    readout = sums.view.locator(".ax-readout")
    sums.cell("weights", 1, 2).hover()
    expect(readout).to_contain_text("weights(shiny → sun) = exp(1.2487 / 1.5)")
    sums.cell("weights", 1, 2).click()
    assert sums.view.locator(".ax-terms .ax-mine th").text_content() == "sun"
    sums.cell("weights", 1, 2).press("Escape")
    sums.box.get_by_role("button", name="play temperature").click()
    sums.box.get_by_role("button", name="pause temperature").wait_for()
    sums.box.locator("[aria-valuetext='3.0']").wait_for()
    assert_weights(sums, temperature=3.0)

    large = named("large")
    before = large.look()
    large.move_first_slider("Home")
    assert large.changes_from(before)

    live = named("live")
    word = live.box.locator("input[type=text]")
    word.fill("sunny")
    word.press("Enter")  # asks the kernel
    expect(live.cell("vectors", 0, 0)).to_have_text("0.50")


def assert_weights(explorer, temperature):
    weights = torch.softmax(SUNNY @ SUNNY.T / temperature, dim=1)
    table = explorer.view.locator('table[aria-label="weights"]')
    expect(table.locator(".ax-cell")).to_have_text(
        [text_of(x, 2) for x in weights.flatten().numpy()]
    )
    assert (
        explorer.box.locator(".noUi-handle").get_attribute("aria-valuetext") == f"{temperature:.1f}"
    )
