"""The Explorer where it is not in JupyterLab: in Notebook 7 and in Voilà, in a real browser.

Exported pages have a test of their own (test_site.py).
"""

import contextlib
import os
import re
import socket
import subprocess
import sys
import time

import nbformat
import pytest
import torch
from pixels import text_of

from helpers.sentences import SUNNY

pytestmark = pytest.mark.browser

SOURCE = """import torch
from helpers.explorer import Explorer
from helpers.sentences import SUNNY, SUNNY_TOKENS

def attend(temperature=1.0):
    scores = SUNNY @ SUNNY.T
    return {"scores": scores, "weights": torch.softmax(scores / temperature, dim=1)}

Explorer(attend, SUNNY_TOKENS, temperature=(0.5, 3.0, 0.5),
         sums={"scores": "X @ X.T", "weights": "softmax(scores / temperature)"}, operands={"X": SUNNY})"""


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """A notebook with one Explorer."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(SOURCE)])
    book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path = tmp_path_factory.mktemp("elsewhere") / "one.ipynb"
    nbformat.write(book, path)
    return path


@contextlib.contextmanager
def served(module, *arguments, folder):
    """The address of a server, started as a module of Python, once it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
    }
    command = [sys.executable, "-m", module, *arguments, "--no-browser", f"--port={port}"]
    with open(folder / f"{module}.log", "w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        url = f"http://127.0.0.1:{port}"
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            assert server.poll() is None, (folder / f"{module}.log").read_text()
            time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait(20)


OUTSIDE = re.compile(r"https?://(?!127\.)")
# What is not ours: Notebook 7.6 stumbles over settings of its own when it starts, and Voilà asks for
# the style sheets of two fonts.
THEIR_ERRORS = re.compile(r"reading 'schema'\).*notebook_core", re.DOTALL)
THEIR_REQUESTS = re.compile(r"fontawesome|font-awesome|v4-shims")


@pytest.fixture
def page(browser):
    """A page on which nothing of ours may fail, or ask for anything outside this machine."""
    opened = browser.new_page(viewport={"width": 1200, "height": 1000})
    errors, requests = [], []
    opened.on("pageerror", lambda error: errors.append(f"{error}\n{error.stack}"))
    opened.on("request", lambda request: requests.append(request.url))
    opened.route(OUTSIDE, lambda route: route.abort())
    yield opened
    opened.close()
    assert [e for e in errors if not THEIR_ERRORS.search(e)] == []
    assert [r for r in requests if OUTSIDE.match(r) and not THEIR_REQUESTS.search(r)] == []


def test_notebook_7(notebook, page):
    folder = notebook.parent
    free = ["--allow-root", "--IdentityProvider.token=", "--ServerApp.password="]
    free += [f"--ServerApp.root_dir={folder}", "--JupyterNotebookApp.expose_app_in_browser=True"]
    with served("notebook", *free, folder=folder) as url:
        page.goto(f"{url}/notebooks/{notebook.name}")
        page.wait_for_function(
            "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'",
            timeout=60_000,
        )
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        assert_is_alive(page)


def test_voila(notebook, page):
    alone = [str(notebook), "--Voila.tornado_settings={'allow_origin': '*'}"]
    with served("voila", *alone, folder=notebook.parent) as url:
        page.goto(url, timeout=90_000)
        assert_is_alive(page)


def assert_is_alive(page):
    """Its slider moves the numbers, its buttons move the slider, and a click opens a sum."""
    page.locator('.ax-view[data-ready="true"]').wait_for(timeout=90_000)
    handle = page.get_by_role("slider", name="temperature")
    handle.press("Home")
    for step, temperature in enumerate((0.5, 1.0, 1.5)):
        page.locator(f'.ax-view[data-frame="{step}"]').wait_for()
        assert weights_on(page) == weights_at(temperature)
        handle.press("ArrowRight")
    page.get_by_role("button", name="temperature: one step on").click()
    page.locator('.ax-view[data-frame="4"]').wait_for()
    assert weights_on(page) == weights_at(2.5)
    cell = page.get_by_role("grid", name="scores").locator(".ax-cell").nth(5)
    cell.hover()
    said = "scores(shiny → sun) = 0.53·0.29 + 0.34·0.54 + 0.98·0.93 = 1.2487"
    assert page.locator(".ax-readout").text_content() == said
    cell.click()
    assert page.locator(".ax-sum .ax-total").inner_text().split() == ["sum", "1.2487"]


def weights_on(page):
    return page.get_by_role("grid", name="weights").locator(".ax-cell").all_inner_texts()


def weights_at(temperature):
    weights = torch.softmax(SUNNY @ SUNNY.T / temperature, dim=1)
    return [text_of(x, 2) for x in weights.ravel().numpy()]
