"""500 random actions of a learner in one JupyterLab: nothing breaks, and nothing accumulates."""

import json
import random

import pytest
import torch
from conftest import Lab
from lab import Notebook, jupyter_lab, write_notebook
from pixels import text_of

from helpers.data.sentences import SUNNY

pytestmark = [pytest.mark.browser, pytest.mark.weekly]

SEED = 1
SET_UP = """import numpy as np, torch
from helpers.explorer import Explorer
from helpers.data.sentences import SUNNY, SUNNY_TOKENS
torch.set_num_threads(1)
WORDS = [f"word{i}" for i in range(30)]
X = torch.randn(2, 30, 4, generator=torch.manual_seed(0))"""
EXPLORERS = {
    "tables": """
def tables(temperature=1.0, kind="dot"):
    scores = SUNNY @ SUNNY.T if kind == "dot" else -torch.cdist(SUNNY, SUNNY)
    return {"scores": scores, "weights": torch.softmax(scores / temperature, dim=1)}

Explorer(tables, SUNNY_TOKENS, temperature=(0.5, 3.0, 0.5), kind=["dot", "distance"])""",
    "pictures": """
def pictures(sharp=1.0, causal=True):
    scores = sharp * X @ X.mT
    future = torch.ones(30, 30).triu(1).bool() & bool(causal)
    return {"weights": torch.softmax(scores.masked_fill(future, -torch.inf), dim=-1)}

Explorer(pictures, WORDS, sharp=(0.0, 2.0, 0.25), causal=True)""",
    "live": """
def live(word="sun"):
    return {"vectors": np.array([[len(word) / 10, word.count("s")]])}

Explorer(live, ["word"], word="sun")""",
}
KEYS = {  # what can have the focus, and the keys that mean something there
    ".noUi-handle": ["ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"],
    ".widget-checkbox input": ["Space"],
    ".widget-dropdown select": ["ArrowUp", "ArrowDown"],
    ".widget-text input": ["s", "x", "Tab"],
    ".ax-cell, .ax-canvas": ["ArrowLeft", "ArrowUp", "End", "Enter", "Escape", "+", "-", "0", "x"],
}
POINTED = [".ax-cell, .ax-canvas", "th.ax-query, .ax-left .ax-token", "button", ".noUi-handle"]
# Scroll one such element into the middle of the window and focus it; return where it is now.
BRING = """([selector, share]) => {
  const all = [...document.querySelectorAll(`.attention-explorer :is(${selector})`)];
  const node = all[Math.floor(share * all.length)];
  if (!node) return null;
  node.scrollIntoView({ block: 'center', inline: 'center' });
  document.activeElement.blur(); // else JupyterLab does not hear that another cell is active now
  node.focus();
  return node.getBoundingClientRect().toJSON();
}"""
PAUSE = """() => document.querySelectorAll('.ax-player [aria-label^="pause "]')
  .forEach(button => button.click())"""

# In a narrow window, the notebook's toolbar moves its buttons into a menu, and adds listeners to
# each of them: 17 at every change of width, in a notebook without any Explorer. A hidden toolbar
# does not.
NO_TOOLBAR = "() => window.jupyterapp.shell.currentWidget.toolbar.hide()"


class Learner:
    """Performs one random action after another in the notebook's Explorers."""

    def __init__(self, notebook, seed):
        self.notebook, self.page, self.probability = notebook, notebook.page, random.Random(seed)
        self.runs = 0

    def act(self):
        acts = {self.press: 260, self.click: 150, self.point: 60, self.look_elsewhere: 30}
        (act,) = self.probability.choices([*acts, self.run_again], [*acts.values(), 12])
        act()

    def bring(self, selectors):
        """Bring one element into view: (the selector that found it, a position in it)."""
        selector = self.probability.choice([*selectors])
        found = self.page.evaluate(BRING, [selector, self.probability.random()])
        if not found:  # JupyterLab only has the visible cells
            self.notebook.named(self.probability.choice([*EXPLORERS]))
            return self.bring(selectors)
        x = found["x"] + self.probability.uniform(0.1, 0.9) * found["width"]
        return selector, (x, found["y"] + self.probability.uniform(0.1, 0.9) * found["height"])

    def press(self):
        selector, _ = self.bring(KEYS)
        self.page.keyboard.press(self.probability.choice(KEYS[selector]))

    def click(self):
        self.page.mouse.click(*self.bring(POINTED)[1])

    def point(self):
        self.page.mouse.move(*self.bring(POINTED[:2])[1])

    def look_elsewhere(self):
        width = self.probability.choice([360, 700, 1400])
        self.page.set_viewport_size({"width": width, "height": 1000})
        self.notebook.use_theme(self.probability.choice(["JupyterLab Light", "JupyterLab Dark"]))

    def run_again(self):
        self.notebook.run_again(self.probability.choice([*EXPLORERS]))
        self.runs += 1

    def calm_down(self):
        """Restore the first state of everything except the controls."""
        self.notebook.use_theme("JupyterLab Light")
        self.page.set_viewport_size({"width": 1400, "height": 1000})
        for name in EXPLORERS:
            self.notebook.run_again(name)
        self.runs += len(EXPLORERS)
        # JupyterLab 4.6 holds on to every key event, and to the element where the key was pressed.
        self.page.evaluate("() => window.jupyterapp.commands._holdKeyBindingPromises?.clear()")


def held(page):
    """What the page holds after garbage collection."""
    session = page.context.new_cdp_session(page)
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
    folder, config = tmp_path_factory.mktemp("soak"), tmp_path_factory.mktemp("config")
    (config / "labconfig").mkdir()
    disabled = {"disabledExtensions": {"@jupyterlab/cell-toolbar-extension:plugin": True}}
    (config / "labconfig" / "page_config.json").write_text(json.dumps(disabled))
    with jupyter_lab(folder, config) as url:
        yield Lab(url, folder)


def test_500_things(quiet_lab, browser):
    """Afterwards the page holds no more than what runs of cells leave behind in JupyterLab.

    As measured, an action leaves 0.01 MB and no node or listener (as much as a bare slider of
    ipywidgets); a cell that runs again leaves 0.3 to 0.6 MB, 15 to 60 nodes and 10 listeners, held
    by ipywidgets.
    """
    cells = [f"# {name}{cell}" for name, cell in EXPLORERS.items()]
    write_notebook(quiet_lab.folder / "soak.ipynb", SET_UP, *cells)
    notebook = Notebook(browser, quiet_lab.url, "soak.ipynb")
    notebook.restart_and_run_all()
    notebook.page.evaluate(NO_TOOLBAR)
    learner, seen = Learner(notebook, SEED), []
    for step in range(1, 501):
        learner.act()
        assert notebook.errors == [], step
        if step in (100, 500):
            notebook.page.evaluate(PAUSE)
            assert_shows_what_python_computes(notebook.named("tables"))
            learner.calm_down()
            seen.append((*held(notebook.page), learner.runs))
    megabytes, nodes, listeners, runs = (after - before for before, after in zip(*seen))
    assert megabytes < 0.02 * 400 + 0.8 * runs
    assert nodes < 0.25 * 400 + 60 * runs
    assert listeners < 0.25 * 400 + 12 * runs
    notebook.page.close()


def assert_shows_what_python_computes(explorer):
    temperature = float(explorer.box.locator(".noUi-handle").get_attribute("aria-valuetext"))
    dot = explorer.box.locator("select").evaluate("select => select.selectedIndex") == 0
    scores = SUNNY @ SUNNY.T if dot else -torch.cdist(SUNNY, SUNNY)
    wanted = [scores, torch.softmax(scores / temperature, dim=1)]
    texts = [text_of(float(x), 2) for matrix in wanted for x in matrix.flatten()]
    assert explorer.view.locator(".ax-cell").all_text_contents() == texts
