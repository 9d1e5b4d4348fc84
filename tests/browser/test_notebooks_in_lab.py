"""Notebooks in a real JupyterLab, in a real browser: run from the menu, every Explorer moved.

Only `make test-all` tries them; every control of an Explorer, and all its numbers, are tested on
pages without a kernel (test_pages.py), and test_as_started.py runs the first notebook. Notebooks
are found, not listed, so a new one is tested as soon as it exists. Screenshots are left in
build/screenshots to be looked at.
"""

import re
import shutil

import pytest
from access import violations
from every_explorer import SHOTS, STICKS_OUT, assert_stands_out
from lab import Notebook

from helpers.classroom.series import notebooks, read

NOTEBOOKS = notebooks()

pytestmark = [pytest.mark.browser, pytest.mark.weekly]


@pytest.fixture(scope="session")
def at_lab(lab, browser):
    """A function that opens one notebook after another, as a learner does, on the same page.

    They are copies, so the test does not change the originals.
    """
    for path in NOTEBOOKS:
        shutil.copy(path, lab.folder)
    pages = []

    def open_one(name):
        if pages:
            pages[0].go_on_to(name)
        else:
            pages.append(Notebook(browser, lab.url, name))
        return pages[0]

    yield open_one
    for notebook in pages:
        notebook.page.close()


def explorers_in(book):
    """How many Explorers a notebook has that was run."""
    outputs = (out for cell in book.cells for out in cell.get("outputs", ()))
    texts = (out.get("data", {}).get("text/plain", "") for out in outputs)
    return sum(text.startswith("Explorer of") for text in texts)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(at_lab, path):
    notebook = at_lab(path.name)
    notebook.use_theme("JupyterLab Light")  # the last notebook left it dark and narrow
    notebook.page.set_viewport_size({"width": 1400, "height": 1000})
    notebook.restart_and_run_all()
    failed = [o for cell in notebook.outputs() for o in cell if o["output_type"] == "error"]
    assert not failed, f"a cell fails in JupyterLab: {failed[0]['evalue']}"

    found = 0
    for i, explorer in enumerate(notebook.explorers()):
        found += 1
        assert explorer.moves() or not explorer.swept, f"Explorer {i}"
        notebook.page.screenshot(path=SHOTS / f"{path.stem}_{i}_light.png")
        assert violations(explorer.box) == [], f"Explorer {i}"
    assert found == explorers_in(read(path)), "Explorers, as in the notebook that is committed"

    notebook.use_theme("JupyterLab Dark")
    notebook.page.set_viewport_size({"width": 700, "height": 1000})
    for i, explorer in enumerate(notebook.explorers()):
        notebook.page.screenshot(path=SHOTS / f"{path.stem}_{i}_dark.png")
        assert_stands_out(explorer.box, f"Explorer {i}, in the dark")
        out = explorer.box.evaluate(STICKS_OUT, 700)
        assert out == [], f"Explorer {i} sticks out of a window 700 pixels wide: {out[0]}"
    assert notebook.errors == [], "the browser's console tells of errors"
    outside = [
        url for url in notebook.requests if not re.match(r"https?://127|ws|data:|blob:", url)
    ]
    assert outside == [], "it asks for something from outside this computer"

    notebook.shut_kernel_down()
    for i, explorer in enumerate(notebook.explorers()):
        assert explorer.moves() or not explorer.swept, f"without its kernel, Explorer {i} stands"
