"""The Explorer in Notebook 7: it moves, opens a sum, plays, and asks the kernel."""

import shutil

import pytest
import torch
from conftest import explorers_notebook
from lab import Notebook, jupyter_lab
from pixels import text_of
from playwright.sync_api import expect

from helpers.data.sentences import SUNNY

pytestmark = [pytest.mark.browser, pytest.mark.weekly]


def test_notebook_7(browser, tmp_path):
    shutil.copy(explorers_notebook(), tmp_path)
    with jupyter_lab(tmp_path, tmp_path / "config", app="notebook") as url:
        notebook = Notebook(browser, f"{url}/notebooks/explorers.ipynb")
        # Notebook 7.6 logs one when it opens any notebook, even without widgets
        notebook.errors.clear()
        notebook.restart_and_run_all()
        sums = notebook.named("sums")
        sums.move_first_slider("ArrowRight")
        assert_weights(sums, temperature=1.5)
        sums.cell("weights", 1, 2).click()
        expect(sums.view.locator(".ax-readout")).to_contain_text("exp(1.2487 / 1.5)")
        assert sums.view.locator(".ax-terms .ax-mine th").text_content() == "sun"
        sums.cell("weights", 1, 2).press("Escape")
        sums.box.get_by_role("button", name="play temperature").click()
        sums.box.locator("[aria-valuetext='3.0']").wait_for()
        assert_weights(sums, temperature=3.0)
        live = notebook.named("live")
        word = live.box.locator("input[type=text]")
        word.fill("sunny")
        word.press("Enter")  # asks the kernel
        expect(live.cell("vectors", 0, 0)).to_have_text("0.50")
        assert notebook.errors == []
        notebook.page.close()


def assert_weights(explorer, temperature):
    weights = torch.softmax(SUNNY @ SUNNY.T / temperature, dim=1).flatten().numpy()
    table = explorer.view.locator('table[aria-label="weights"]')
    expect(table.locator(".ax-cell")).to_have_text([text_of(x, 2) for x in weights])
