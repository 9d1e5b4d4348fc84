"""500 random things that a learner might do, in one JupyterLab: nothing breaks, nothing piles up."""

import inspect
import json
import random

import numpy as np
import pytest
from lab import Notebook, jupyter_lab, write_notebook
from test_pixels import SEEN, assert_shows

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
def tables(temperature=1.0, causal=True):
    scores = SUNNY @ SUNNY.T
    seen = scores.masked_fill(torch.tensor(hidden(causal=causal)), float("-inf"))
    return {"scores": scores, "weights": torch.softmax(seen / temperature, dim=1)}

def hidden(causal, temperature=1.0):
    return np.triu(np.ones((3, 3), bool), 1) * bool(causal)

Explorer(tables, SUNNY_TOKENS, temperature=(0.5, 3.0, 0.5), causal=True, masked=hidden,
         operands={"X": SUNNY}, sums={"scores": "X @ X.T"})""",
    "pictures": """
def pictures(sharp=1.0, kind="dot"):
    scores = X @ X.mT if kind == "dot" else -torch.cdist(X, X)
    return {"weights": torch.softmax(sharp * scores, dim=-1)}

Explorer(pictures, WORDS, sharp=(0.0, 2.0, 0.25), kind=["dot", "distance"])""",
    "live": """
def live(word="sun"):
    return {"vectors": np.array([[len(word) / 10, word.count("s")]])}

Explorer(live, ["word"], word="sun")""",
}

# Everything on the page that can be pressed or pointed at.
THINGS = {
    "slider": ".noUi-handle",
    "control": ".widget-checkbox input, .widget-dropdown select, .widget-text input",
    "cell": ".ax-cell, .ax-canvas",
    "token": "th.ax-query, .ax-left .ax-token",
    "button": "button",
}
SLIDER_KEYS = ["ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"]
CELL_KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]
CELL_KEYS += ["Enter", " ", "Escape", "+", "-", "0", "x", "d"]
WIDTHS = [360, 700, 1400]

# Scroll the nth thing into the middle of the window; where it is now.
BRING = """([selector, share]) => {
  const all = [...document.querySelectorAll(`.attention-explorer :is(${selector})`)];
  const node = all[Math.floor(share * all.length)];
  if (!node) return null;
  node.scrollIntoView({ block: 'center', inline: 'center' });
  document.activeElement.blur(); // else JupyterLab does not hear that another cell is active now
  node.focus();
  const { x, y, width, height } = node.getBoundingClientRect();
  return { x, y, width, height, tag: node.tagName };
}"""


class Learner:
    """Does one random thing after the other, in the notebook's Explorers."""

    def __init__(self, notebook, seed):
        self.notebook, self.page = notebook, notebook.page
        self.chance = random.Random(seed)
        self.done = []

    def act(self):
        acts = {
            self.press_slider: 120,
            self.click_something: 150,
            self.press_keys_in_cells: 110,
            self.point_at_something: 60,
            self.use_a_control: 30,
            self.visit_another: 20,
            self.change_window: 12,
            self.change_theme: 6,
            self.run_a_cell_again: 12,
        }
        (act,) = self.chance.choices(list(acts), list(acts.values()))
        self.done.append(act.__name__)
        act()

    def bring(self, kind):
        """Scroll to one thing of a kind, and focus it; a place in it, and its tag."""
        selector = THINGS[kind]
        found = self.page.evaluate(BRING, [selector, self.chance.random()])
        if not found:  # JupyterLab only holds the cells in sight
            self.visit_another("tables")
            found = self.page.evaluate(BRING, [selector, self.chance.random()])
        x = found["x"] + self.chance.uniform(0.1, 0.9) * found["width"]
        return x, found["y"] + self.chance.uniform(0.1, 0.9) * found["height"], found["tag"]

    def visit_another(self, name=None):
        self.notebook.named(name or self.chance.choice(list(EXPLORERS)))

    def press_slider(self):
        self.bring("slider")
        self.page.keyboard.press(self.chance.choice(SLIDER_KEYS))

    def click_something(self):
        place = self.bring(self.chance.choice(["cell", "token", "button", "button", "slider"]))
        self.page.mouse.click(*place[:2])

    def point_at_something(self):
        self.page.mouse.move(*self.bring(self.chance.choice(["cell", "token"]))[:2])

    def press_keys_in_cells(self):
        self.bring("cell")
        for _ in range(3):
            self.page.keyboard.press(self.chance.choice(CELL_KEYS))

    def use_a_control(self):
        *_, tag = self.bring("control")
        keys = self.page.keyboard
        if tag == "SELECT":
            keys.press(self.chance.choice(["ArrowUp", "ArrowDown"]))
            return
        keys.press(self.chance.choice(["Space", "s", "x"]))
        keys.press("Tab")

    def change_window(self):
        self.page.set_viewport_size({"width": self.chance.choice(WIDTHS), "height": 1000})

    def change_theme(self):
        self.notebook.use_theme(self.chance.choice(["JupyterLab Light", "JupyterLab Dark"]))

    def run_a_cell_again(self):
        self.notebook.run_again(self.chance.choice(list(EXPLORERS)))


class Memory:
    """What the page holds, once its garbage is collected."""

    def __init__(self, page):
        self.page, self.session = page, page.context.new_cdp_session(page)
        self.session.send("Performance.enable")

    def __call__(self):
        for _ in range(3):
            self.session.send("HeapProfiler.collectGarbage")
            self.page.wait_for_timeout(100)
        heap = self.session.send("Runtime.getHeapUsage")
        metrics = self.session.send("Performance.getMetrics")["metrics"]
        found = {metric["name"]: metric["value"] for metric in metrics}
        return {
            "MB": (heap["usedSize"] + heap["backingStorageSize"]) / 1e6,
            "nodes": found["Nodes"],
            "listeners": found["JSEventListeners"],
        }


def leave_out_cell_toolbar(config):
    """JupyterLab 4.6 makes one for each cell that becomes active, and keeps it: 254 nodes and 810
    listeners a time in a notebook with no widget at all. What we look for would drown in it."""
    disabled = {"disabledExtensions": {"@jupyterlab/cell-toolbar-extension:plugin": True}}
    (config / "labconfig").mkdir()
    (config / "labconfig" / "page_config.json").write_text(json.dumps(disabled))


@pytest.fixture(scope="module")
def opened(browser, tmp_path_factory):
    """A function that writes a notebook of some cells, and runs it."""
    folder, config = tmp_path_factory.mktemp("soak"), tmp_path_factory.mktemp("config")
    leave_out_cell_toolbar(config)
    with jupyter_lab(folder, config) as url:

        def open_one(name, *cells):
            write_notebook(folder / name, SET_UP, *cells)
            notebook = Notebook(browser, url, name)
            notebook.restart_and_run_all()
            return notebook

        yield open_one


# At once, for a film that is running may end at any time.
PAUSE = """() => document.querySelectorAll('.ax-player [aria-label^="pause "]')
  .forEach(button => button.click())"""


def calm(notebook):
    """Everything as it was at first, but for where the controls stand."""
    notebook.use_theme("JupyterLab Light")
    notebook.page.set_viewport_size({"width": 1400, "height": 1000})
    for view in notebook.page.locator(".ax-view").all():
        view.locator("[tabindex='0']").first.press("Escape")
    for name in EXPLORERS:
        notebook.run_again(name)
    # JupyterLab 4.6 keeps every key event, and with it all that stood where the key was pressed: the
    # letter q, ten times in a notebook with no widget at all, is ten events more in this map.
    notebook.page.evaluate("() => window.jupyterapp.commands._holdKeyBindingPromises?.clear()")


# Where each control of an Explorer stands, as a learner sees it.
VALUES = """box => [...box.querySelectorAll('.widget-inline-hbox')].map(control => {
  const handle = control.querySelector('.noUi-handle');
  if (handle) return Number(handle.getAttribute('aria-valuetext'));
  const input = control.querySelector('input, select');
  return input.type === 'checkbox' ? input.checked
    : input.selectedOptions ? input.selectedOptions[0].textContent : input.value; })"""


def assert_shows_what_python_computes(notebook):
    """Each Explorer, where its controls stand now."""
    scope = {}
    code = [SET_UP, *(cell.rpartition("\nExplorer(")[0] for cell in EXPLORERS.values())]
    exec("\n".join(code), scope)
    for name in EXPLORERS:
        explorer = notebook.named(name)
        stands = explorer.box.evaluate(VALUES)
        values = dict(zip(inspect.signature(scope[name]).parameters, stands))
        matrices = {k: np.asarray(m, dtype=np.float32) for k, m in scope[name](**values).items()}
        if name == "tables":
            hidden = scope["hidden"](**values)
            matrices = {k: np.where(hidden, np.nan, m) for k, m in matrices.items()}
        assert_shows(explorer.view.evaluate(SEEN), matrices, picture=name == "pictures")


def test_500_things(opened):
    """… and afterwards the page holds no more than re-runs of cells leave to JupyterLab.

    The bounds. Measured, an act leaves 0.01 MB and no node or listener (as much as moving a bare
    slider of ipywidgets); a cell that runs again leaves 0.3 to 0.6 MB, 15 to 60 nodes and 10
    listeners (a bare slider: 0.06 MB, 13 nodes, 12 listeners; ipywidgets keep the elements of boxes
    and sliders that are closed, and a page never unloads a module). So 400 acts that kept one node
    each, or one listener, would be found; a view that is kept has 60 nodes or more.
    """
    notebook = opened("soak.ipynb", *(f"# {name}{cell}" for name, cell in EXPLORERS.items()))
    notebook.close_side_bars()
    learner, memory = Learner(notebook, SEED), Memory(notebook.page)
    held = []
    for step in range(1, 501):
        learner.act()
        assert notebook.errors == [], f"{step}: {learner.done[-5:]}"
        if step in (100, 500):
            notebook.page.evaluate(PAUSE)
            assert_shows_what_python_computes(notebook)
            calm(notebook)
            held.append(memory())
    runs = learner.done[100:].count("run_a_cell_again") + len(EXPLORERS)
    grown = {name: held[1][name] - held[0][name] for name in held[0]}
    assert grown["MB"] < 0.02 * 400 + 0.8 * runs
    assert grown["nodes"] < 0.25 * 400 + 60 * runs
    assert grown["listeners"] < 0.25 * 400 + 12 * runs
    assert notebook.errors == []
    notebook.page.close()


SWEEP = 200 * 128 * 128 * 4 / 1e6  # MB: positions, rows, columns, bytes of a float32
LARGE = """# large
Explorer(lambda by=0: {"weights": np.full((128, 128), by / 200)}, [f"w{i}" for i in range(128)],
         by=(0, 199))"""


def test_cells_that_run_again_keep_no_frames(opened):
    """A cell that sends 13 MB, run five times more: the page holds one sweep, not six."""
    notebook = opened("large.ipynb", LARGE)
    memory = Memory(notebook.page)
    notebook.run_again("large")
    before = memory()
    for _ in range(5):
        notebook.run_again("large")
    assert memory()["MB"] - before["MB"] < SWEEP
    assert notebook.errors == []
    notebook.page.close()
