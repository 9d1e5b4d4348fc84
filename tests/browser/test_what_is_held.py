"""After hundreds of moves and runs of cells, a page of JupyterLab holds hardly more than before."""

import json

import pytest
from conftest import Lab
from lab import Notebook, jupyter_lab, write_notebook

pytestmark = [pytest.mark.browser, pytest.mark.weekly]

SET_UP = """import numpy as np, torch
from helpers.explorer import Explorer
from helpers.data.sentences import SUNNY, SUNNY_TOKENS
torch.set_num_threads(1)
WORDS = [f"word{i}" for i in range(30)]
X = torch.randn(30, 4, generator=torch.manual_seed(0))"""
EXPLORERS = {
    "tables": """
def tables(temperature=1.0, kind="dot"):
    scores = SUNNY @ SUNNY.T if kind == "dot" else -torch.cdist(SUNNY, SUNNY)
    return {"scores": scores, "weights": torch.softmax(scores / temperature, dim=1)}

Explorer(tables, SUNNY_TOKENS, temperature=(0.5, 3.0, 0.5), kind=["dot", "distance"])""",
    "pictures": """
Explorer(lambda sharp: {"weights": torch.softmax(sharp * X @ X.T, dim=1)}, WORDS,
         sharp=(0.0, 2.0, 0.25))""",
    "live": """
Explorer(lambda word: {"vectors": np.array([[len(word) / 10, word.count("s")]])}, ["word"],
         word="sun")""",
}
KEYS = ("ArrowRight", "ArrowDown", "Enter", "Enter", "End", "Escape")
# In a narrow window the notebook's toolbar adds listeners to its buttons at every change of width.
NO_TOOLBAR = "() => window.jupyterapp.shell.currentWidget.toolbar.hide()"
# JupyterLab 4.6 holds on to every key event, and to the element where the key was pressed.
FORGET_KEYS = "() => window.jupyterapp.commands._holdKeyBindingPromises?.clear()"


def use(notebook, times):
    """Every control, the keys of a cell, the mouse, the theme; returns how many moves that were."""
    moves = 0
    for turn in range(times):
        notebook.use_theme(f"JupyterLab {'Dark' if turn % 2 else 'Light'}")
        for name in EXPLORERS:
            explorer = notebook.named(name)
            for _, move in explorer.controls():
                move()
            cell = explorer.view.locator(".ax-cell, .ax-canvas").first
            cell.hover()
            cell.focus()
            for key in KEYS:
                notebook.page.keyboard.press(key)
            moves += len(dict(explorer.controls())) + len(KEYS) + 1
    return moves


def held(notebook):
    """What the page holds after each cell has run again and garbage was collected."""
    notebook.use_theme("JupyterLab Light")
    for name in EXPLORERS:
        notebook.run_again(name)
    notebook.page.evaluate(FORGET_KEYS)
    session = notebook.page.context.new_cdp_session(notebook.page)
    session.send("Performance.enable")
    for _ in range(3):
        session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")
    metrics = session.send("Performance.getMetrics")["metrics"]
    found = {metric["name"]: metric["value"] for metric in metrics}
    session.detach()
    megabytes = (heap["usedSize"] + heap["backingStorageSize"]) / 1e6
    return megabytes, found["Nodes"], found["JSEventListeners"]


@pytest.fixture
def quiet_lab(tmp_path_factory):
    """A JupyterLab without cell toolbars: version 4.6 creates one for each active cell, and
    holds on to it (254 nodes, 810 listeners). They would hide what the test looks for."""
    folder, config = tmp_path_factory.mktemp("held"), tmp_path_factory.mktemp("config")
    (config / "labconfig").mkdir()
    disabled = {"disabledExtensions": {"@jupyterlab/cell-toolbar-extension:plugin": True}}
    (config / "labconfig" / "page_config.json").write_text(json.dumps(disabled))
    with jupyter_lab(folder, config) as url:
        yield Lab(url, folder)


def test_a_page_holds_hardly_more_after_much_use(quiet_lab, browser):
    """A move leaves 0.01 MB and no node, as much as a bare slider of ipywidgets; a cell that runs
    again leaves 0.3 to 0.6 MB, 15 to 60 nodes and 10 listeners, held by ipywidgets."""
    cells = [f"# {name}{cell}" for name, cell in EXPLORERS.items()]
    write_notebook(quiet_lab.folder / "held.ipynb", SET_UP, *cells)
    notebook = Notebook(browser, quiet_lab.url, "held.ipynb")
    notebook.restart_and_run_all()
    notebook.page.evaluate(NO_TOOLBAR)
    use(notebook, 5)
    before, moves, runs = held(notebook), use(notebook, 15), len(EXPLORERS)
    megabytes, nodes, listeners = (b - a for a, b in zip(before, held(notebook)))
    assert notebook.errors == []
    assert megabytes < 0.02 * moves + 0.8 * runs
    assert nodes < 0.25 * moves + 60 * runs
    assert listeners < 0.25 * moves + 12 * runs
    notebook.page.close()
