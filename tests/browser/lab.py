"""A real JupyterLab and a real browser for the tests: start, open, run all, move, look."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat

from tests.browser.explorer_on_page import STEP, ExplorerOnPage

# As if the answers to all predictions had been shown, so that nothing below them is folded.
ANSWERED = """const { getItem } = Storage.prototype;
Storage.prototype.getItem = function (key) {
  return key.startsWith('question: ') ? 'null' : getItem.call(this, key);
};"""

QUIET_CHROMIUM = (
    "--disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
).split()

# JupyterLab itself logs these: when a kernel restarts before its debugger has answered, and when an
# output is drawn before its widget has been loaded from the file (saving.js then draws it again).
NOT_YET = "Error: widget model not found"
LABS_OWN = ("Could not restore the debugger state", NOT_YET)
# anywidget logs this if the page took over two seconds to load a script (see saving.js).
BUSY = "[anywidget] Failed to initialize model."

APPS = {"jupyterlab": "LabApp", "notebook": "JupyterNotebookApp"}


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextlib.contextmanager
def jupyter_lab(folder, config, theme="JupyterLab Light", app="jupyterlab"):
    """The address of a JupyterLab that serves `folder`, with its settings in `config`.

    app     "jupyterlab", or "notebook" for Notebook 7
    """
    port = free_port()
    config = Path(config)
    settings = config / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True, exist_ok=True)
    told = {"fetchNews": "false", "checkForUpdates": False}
    (settings / "themes.jupyterlab-settings").write_text(json.dumps({"theme": theme}))
    (settings / "notification.jupyterlab-settings").write_text(json.dumps(told))
    environment = os.environ | {
        "JUPYTER_CONFIG_DIR": str(config),
        "JUPYTER_RUNTIME_DIR": str(config / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(config / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(config / "workspaces"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    command = [
        *(sys.executable, "-m", app, "--no-browser", "--allow-root", f"--port={port}"),
        *("--ServerApp.port_retries=0", "--IdentityProvider.token=", "--ServerApp.password="),
        *(f"--ServerApp.root_dir={folder}", f"--{APPS[app]}.expose_app_in_browser=True"),
    ]
    log = open(config / "lab.log", "w")
    server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for_server(url, server, config / "lab.log")
        yield url
    finally:
        server.terminate()
        server.wait(20)
        log.close()


def _wait_for_server(url, server, log):
    for _ in range(600):
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/api/status"):
            return
        if server.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()}")


def write_notebook(path, *cells):
    """Write a notebook with these code cells, which have not been run."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, path)


@contextlib.contextmanager
def chromium(executable):
    """A headless Chromium: the one at `executable` or, if that is None, Playwright's own."""
    from playwright.sync_api import sync_playwright

    flags = QUIET_CHROMIUM + (["--no-sandbox"] if os.geteuid() == 0 else [])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=flags)
        yield browser
        browser.close()


class Notebook:
    """A notebook, open in JupyterLab on a page of its own: `name` at `url`, or what `url` opens.

    answered   whether predictions are answered, so that nothing is folded
    """

    def __init__(self, browser, url, name=None, width=1400, height=1000, answered=True):
        self.page = browser.new_page(viewport={"width": width, "height": height})
        if answered:
            self.page.add_init_script(ANSWERED)
        self.errors, self.requests = [], []
        self.page.on("pageerror", self._see)
        self.page.on("console", self._hear)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.open(f"{url}/lab/tree/{name}?reset" if name else url)

    def open(self, address):
        """Open a notebook, and wait until its kernel is idle."""
        self.page.goto(address)
        self.wait_for_kernel()

    def go_on_to(self, name):
        """Save and close the notebook, and open another one in the same JupyterLab."""
        self.errors.clear()
        self.requests.clear()
        self.page.evaluate(
            """async path => { const { commands, shell } = window.jupyterapp;
              await commands.execute('docmanager:save');
              shell.currentWidget.close();
              await commands.execute('docmanager:open', { path }); }""",
            name,
        )
        self.wait_for_kernel()

    def wait_for_kernel(self):
        self.page.wait_for_function(
            "() => window.jupyterapp?.shell.currentWidget?.content?.model?.cells?.length > 0"
            " && window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'",
            timeout=90_000,
        )

    def _see(self, error):
        if BUSY not in str(error):
            self.errors.append(f"page: {error}")

    def _hear(self, message):
        where = message.location.get("url", "")
        # The server fails to list its kernels if one of them stops meanwhile; the page asks again.
        of_server = "/api/kernels?" in where and "status of 500" in message.text
        if message.type == "error" and not message.text.startswith(LABS_OWN) and not of_server:
            self.errors.append(f"console: {message.text} ({where})")

    def restart_and_run_all(self, timeout=300):
        """As a learner does: Kernel → Restart Kernel and Run All Cells… → Restart."""
        page = self.page
        page.get_by_role("menuitem", name="Kernel", exact=True).click()
        page.get_by_role("menuitem", name="Restart Kernel and Run All Cells…").click()
        page.get_by_role("button", name="Confirm Kernel Restart").click()
        page.wait_for_function(
            """() => {
              const { content, sessionContext } = window.jupyterapp.shell.currentWidget;
              const cells = [...content.model.cells].filter(c => c.type === 'code' && c.sharedModel.source.trim());
              const types = ({ outputs }) => Array.from({ length: outputs.length }, (_, i) => outputs.get(i).type);
              return cells.some(c => types(c).includes('error'))
                || (cells.every((c, i) => c.executionCount === i + 1)
                  && sessionContext.session.kernel.status === 'idle');
            }""",
            timeout=1000 * timeout,
            polling=5 * STEP,  # asking takes time from the notebook
        )

    def outputs(self):
        """The outputs of each code cell, as JupyterLab has them now."""
        return self.page.evaluate(
            """() => [...window.jupyterapp.shell.currentWidget.content.model.cells]
              .filter(c => c.type === 'code').map(c => c.toJSON().outputs)"""
        )

    def explorers(self):
        """Each Explorer, scrolled into view, as JupyterLab only has visible cells in the page."""
        cells = self.page.evaluate(
            """() => [...window.jupyterapp.shell.currentWidget.content.model.cells].flatMap((c, i) =>
              c.type === 'code' && c.toJSON().outputs.some(o =>
                (o.data?.['text/plain'] ?? '').toString().startsWith('Explorer of')) ? [i] : [])"""
        )
        for cell in cells:
            yield self.explorer(cell)

    def explorer(self, cell):
        """The Explorer below one cell, visible and drawn."""
        self.page.evaluate(
            """async i => { const { content } = window.jupyterapp.shell.currentWidget;
              content.activeCellIndex = i; await content.scrollToItem(i, 'start'); }""",
            cell,
        )
        view = self.cell(cell).locator(".attention-explorer")
        view.locator('.ax-view[data-ready="true"]').wait_for(timeout=20_000)
        view.scroll_into_view_if_needed()
        return ExplorerOnPage(view)

    def cell(self, index):
        """A cell, found by an id, because with CSS Playwright would search the whole page."""
        name = self.page.evaluate(
            """i => { const { model, node } = window.jupyterapp.shell.currentWidget.content.widgets[i];
              return node.id ||= `cell-${model.id}`; }""",
            index,
        )
        return self.page.locator(f"xpath=id('{name}')")

    def cell_starting(self, text):
        """The index of the cell whose source starts with this text."""
        index = self.page.evaluate(
            """text => [...window.jupyterapp.shell.currentWidget.content.model.cells]
              .findIndex(c => c.sharedModel.source.startsWith(text))""",
            text,
        )
        if index < 0:
            raise ValueError(f"no cell starts with {text!r}")
        return index

    def named(self, name):
        """The Explorer below the cell that begins with the comment `# name`."""
        return self.explorer(self.cell_starting(f"# {name}\n"))

    def run_cell(self, index):
        self.page.evaluate(
            """async index => { const { commands, shell } = window.jupyterapp;
              shell.currentWidget.content.activeCellIndex = index;
              await commands.execute('notebook:run-cell'); }""",
            index,
        )

    def use_theme(self, theme):
        """Settings → Theme → …"""
        self.page.evaluate(
            "theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme
        )
        light = str(theme.endswith("Light")).lower()
        self.page.locator(f'body[data-jp-theme-light="{light}"]').wait_for(state="attached")
        self.page.locator("#jupyterlab-splash").wait_for(state="detached")  # it covers the page

    def shut_kernel_down(self):
        self.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
        self.page.wait_for_function(
            "() => !window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel"
        )
