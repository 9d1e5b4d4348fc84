"""JupyterLab as `make lab` starts it: it contacts nobody outside, and preserves a learner's work.

The test records the requests of the page, and every address that the server and its kernels look up
or connect to. A second notebook is full of hostile text, which must remain text.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from every_explorer import SHOTS
from lab import NOT_YET, Notebook, free_port, write_notebook

from helpers.classroom.lab import START, copy_new
from helpers.classroom.series import ROOT

pytestmark = pytest.mark.browser

# Python imports this when it starts: it records where the process connects, and changes nothing.
NOTE_ADDRESSES = """
import sys

def note(event, given):
    if event in ("socket.connect", "socket.getaddrinfo"):
        with open({path!r}, "a") as notes:
            print(repr(given[1] if event == "socket.connect" else given[0]), file=notes)

sys.addaudithook(note)
"""
AT_HOME = re.compile(
    r"""^(None|b?'(localhost|127\.\d+\.\d+\.\d+|::1|0\.0\.0\.0|::|)'|'/.*'"""
    r"""|\('(127\.\d+\.\d+\.\d+|localhost|::1)', .*\))$"""
)
EVIL = [
    "<img src=https://outside.example/x.png onerror=\"window.broken='img'\">",
    "<script>window.broken = 'script'</script>",
    "[link](javascript:alert(1)) **bold** $\\alpha$",
    "\u202eright to left",
    "&lt;b&gt; \" ' ` {{7*7}} ${7*7}",
]
HOSTILE = f"""# hostile
import numpy as np
from helpers.explorer import Explorer

EVIL = {EVIL!r}
X = np.arange(10).reshape(5, 2) / 10

def hostile(**values):
    scores = X @ X.T / values["scale"]
    return {{"scores": scores, EVIL[0]: scores, EVIL[1]: scores[0, 0]}}

Explorer(hostile, EVIL, operands={{"X": X}}, sums={{"scores": "X @ X.T / scale"}},
         **{{"scale": (1, 3), EVIL[1]: EVIL, EVIL[0]: (0, 3)}})"""
FAILING = """# failing
def fail(word=""):
    if word:
        raise ValueError(word)
    return np.eye(2)

Explorer(fail, EVIL[:2], word="")"""
EARLY = """# early
from IPython.display import display
view = {"model_id": "late", "version_major": 2, "version_minor": 0}
display({"application/vnd.jupyter.widget-view+json": view, "text/plain": "Explorer of it"}, raw=True)"""
LATE = """import ipywidgets
from helpers.explorer import Explorer
late = ipywidgets.VBox([Explorer(lambda t: [[t, 1 - t]], ["a", "b"], t=(0.0, 1.0, 0.5),
                                 rows={"weights": ["q"]})], model_id="late")"""
FOREIGN = "img, script, style, iframe, object, embed, link, a, form, svg script, math, b b"

# What an Explorer shows before or after its widgets when it has no kernel.
MARKS = """box => [box, ...box.querySelectorAll('.jupyter-widgets-disconnected')]
  .flatMap(node => ['::before', '::after'].map(place => getComputedStyle(node, place).content))
  .filter(content => content !== 'none')"""


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """(first address, file of addresses) of the server that a learner would start."""
    folder = tmp_path_factory.mktemp("as_started")
    notes, root = folder / "addresses", folder / "root"
    notes.touch()
    copy_new(root / "notebooks")  # in place of the originals
    write_notebook(root / "hostile.ipynb", HOSTILE, FAILING)
    write_notebook(root / "late.ipynb", EARLY, LATE)
    (folder / "python").mkdir()
    (folder / "python" / "sitecustomize.py").write_text(NOTE_ADDRESSES.format(path=str(notes)))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")}
    environment = kept | {
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "IPYTHONDIR": str(folder / "ipython"),
        "PYTHONPATH": f"{folder / 'python'}{os.pathsep}{ROOT}",
    }
    flags = ["--originals", "--no-browser", f"--port={free_port()}", f"--ServerApp.root_dir={root}"]
    flags.append("--LabApp.expose_app_in_browser=True")  # shows us when a notebook has run
    command = [sys.executable, "-m", "helpers.classroom.lab", *flags]
    with open(folder / "log", "w") as log:
        server = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True
        )
        try:
            yield first_page(server, folder), notes
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(20)


def first_page(server, folder):
    """The address that JupyterLab would open: with its token, and without a path."""
    end = time.monotonic() + 60
    while time.monotonic() < end and server.poll() is None:
        for running in (folder / "runtime").glob("jpserver-*.json"):
            with contextlib.suppress(ValueError):  # still being written
                known = json.loads(running.read_text())
                return f"{known['url']}?token={known['token']}"
        time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start:\n{(folder / 'log').read_text()}")


class Visit(Notebook):
    """The page that opens first, with all its requests and messages."""

    def __init__(self, browser, address):
        self.asked = []
        super().__init__(browser, address)

    def open(self, address):
        self.page.context.on("request", lambda request: self.asked.append(request.url))
        self.page.on("websocket", lambda socket: self.asked.append(socket.url))
        self.page.on("dialog", self._answer)
        self.page.on("popup", lambda popup: self.errors.append(f"popup: {popup.url}"))
        super().open(address)

    def _answer(self, dialog):
        if dialog.type == "beforeunload":  # the browser's own question, about unsaved changes
            return dialog.accept()
        self.errors.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def go_to(self, name):
        super().open(re.sub(r"/lab.*", f"/lab/tree/{name}?reset", self.page.url))

    def restart_kernel(self):
        kernel = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"
        self.page.evaluate(f"() => {kernel}.restart()")
        self.wait_for_kernel()

    def is_marked_as_changed(self):
        return self.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.model.dirty")

    def close_and_open_the_next_day(self):
        """Save the notebook, close its tab, wait until its kernel is gone, and come back."""
        self.page.evaluate(
            """async path => { const { commands, shell, serviceManager } = window.jupyterapp;
              await commands.execute('docmanager:save');
              shell.currentWidget.close();
              const { kernels } = serviceManager;
              do await kernels.refreshRunning(); while ([...kernels.running()].length);
              await commands.execute('docmanager:open', { path }); }""",
            f"notebooks/{START}",
        )
        self.wait_for_kernel()

    def outside(self):
        """Requests that leave this machine, or make the server contact others."""
        home = re.compile(r"(https?|wss?)://(localhost|127\.0\.0\.1)[:/]|data:|blob:|about:")
        asks = re.compile(r"/lab/api/(news|update|extensions)")
        return [url for url in self.asked if not home.match(url) or asks.search(url)]


@pytest.fixture(scope="module")
def visit(started, browser):
    visit = Visit(browser, started[0])
    yield visit
    visit.page.close()


def left_home(notes):
    """The addresses that the server or a kernel looked up or contacted, without this machine's."""
    assert notes.read_text(), "nothing was noted, not even the server's own address"
    return [line for line in notes.read_text().splitlines() if not AT_HOME.match(line)]


def test_the_next_day_a_page_moves_with_no_cell_run_again(visit):
    assert visit.page.url.endswith(f"/lab/tree/notebooks/{START}")
    assert not visit.is_marked_as_changed()
    cell = visit.cell_starting("import torch\n")
    visit.run_cell(cell)
    assert visit.explorer(cell).moves()
    visit.restart_kernel()  # then ipywidgets would forget all its widgets
    for _ in range(2):  # two nights: saved once, and then again with nothing run in between
        explorer = visit.explorer(cell)
        assert explorer.moves()
        assert explorer.box.evaluate(MARKS) == []
        visit.close_and_open_the_next_day()
        assert not visit.is_marked_as_changed()
    assert visit.explorer(cell).moves()
    assert visit.errors == []


def test_the_start_page_asks_nothing_of_the_outside(visit, started):
    page = visit.page
    visit.restart_and_run_all()
    assert len(list(visit.explorers())) > 0
    assert page.locator(".jp-Dialog, .Toastify__toast").count() == 0
    assert page.locator(".jp-Notification-Status").text_content().strip() == "0"
    page.screenshot(path=SHOTS / "as_started.png")
    assert len(visit.asked) > 50
    assert visit.outside() == visit.errors == left_home(started[1]) == []


def test_an_output_shown_before_its_widget_is_there_comes_to_life(visit):
    visit.go_to("late.ipynb")
    with visit.page.expect_console_message(lambda said: said.text.startswith(NOT_YET)):
        visit.run_cell(0)
    visit.run_cell(1)
    assert visit.named("early").moves()
    assert visit.errors == []


def test_hostile_text_stays_text_and_what_needs_its_kernel_says_when_it_is_gone(visit, started):
    page = visit.page
    visit.go_to("hostile.ipynb")
    visit.restart_and_run_all()
    failing = visit.named("failing")
    word = failing.box.locator(".widget-text input")
    for text in EVIL:
        word.fill(text)
        word.press("Enter")
        failing.view.locator(".ax-error").filter(has_text=text).wait_for()
    explorer = visit.named("hostile")
    table = explorer.view.locator("table.ax-grid").first
    assert table.locator("th[scope=row]").all_text_contents() == EVIL
    for k, text in enumerate(EVIL):
        explorer.cell("scores", k, k).click()
        assert f"scores({text} → {text})" in plain(explorer.view.locator(".ax-readout"))
        explorer.cell("scores", k, -1).click()
    for control in explorer.box.locator(".noUi-handle, select").all():
        control.press("ArrowDown")
    foreign = page.locator(f".attention-explorer :is({FOREIGN})")
    assert foreign.count() == 0, foreign.first.evaluate("node => node.outerHTML")
    assert page.evaluate("() => window.broken ?? null") is None
    assert visit.outside() == visit.errors == left_home(started[1]) == []
    visit.restart_kernel()
    visit.named("failing").box.locator(".ax-no-kernel").wait_for(state="visible")
    swept = visit.named("hostile").box
    assert swept.locator(".ax-no-kernel:visible").count() == 0 and swept.evaluate(MARKS) == []


def plain(locator):
    """The text of a node, without the characters that isolate right-to-left tokens."""
    return re.sub("[\u2068\u2069]", "", locator.text_content())
