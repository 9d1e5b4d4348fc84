"""What several tests share: a browser, a JupyterLab, the notebook of Explorers, the pages; and who
runs what."""

import os
import shutil
from collections import namedtuple
from pathlib import Path

import pytest
from filelock import FileLock
from find_browser import find_browser
from lab import Notebook, chromium, jupyter_lab
from xdist.scheduler import LoadFileScheduling

# So that what fails in them says why.
pytest.register_assert_rewrite("site_pages", "films", "every_explorer")

Lab = namedtuple("Lab", "url folder")
EXPLORERS = Path(__file__).parent / "explorer" / "explorers.ipynb"


class ByNotebook(LoadFileScheduling):
    """Several workers share the browser tests, by the notebook that they have open.

    All tests of the notebook of Explorers go to one worker, which runs it once, and so do those of
    its web page; those of single
    pages and notebooks, which take longest, one by one to whoever is free.
    """

    EXPLORERS = ("test_access", "test_pictures", "test_sight", "test_view")
    MADE_PAGE = ("test_growing", "test_lines", "test_saved")
    ONE_BY_ONE = ("test_browser", "test_pages")

    def _split_scope(self, nodeid):
        file = super()._split_scope(nodeid)
        name = Path(file).stem
        if name in self.ONE_BY_ONE:
            return nodeid
        if name in self.MADE_PAGE:
            return "made page"
        return "explorers" if name in self.EXPLORERS else file


def pytest_xdist_make_scheduler(config, log):
    if config.getoption("dist") == "loadfile":
        return ByNotebook(config, log)


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config, items):
    """All tests of an exercise go to one worker: what its mistakes give is worked out only once."""
    if config.getoption("dist") != "loadgroup":
        return
    from helpers.exercises import EXERCISES

    for item in items:
        parts = item.callspec.id.split("-") if hasattr(item, "callspec") else []
        if name := next((part for part in parts if part in EXERCISES), None):
            item.add_marker(pytest.mark.xdist_group(name))


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium."""
    with chromium(find_browser()) as started:
        yield started


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """A JupyterLab: its address, and the folder of its notebooks."""
    folder = tmp_path_factory.mktemp("notebooks")
    with jupyter_lab(folder, tmp_path_factory.mktemp("config")) as url:
        yield Lab(url, folder)


@pytest.fixture(scope="session")
def explorers(browser, lab):
    """tests/explorers.ipynb, run in JupyterLab: an Explorer for each thing that it must get right."""
    shutil.copy(EXPLORERS, lab.folder)
    notebook = Notebook(browser, lab.url, "explorers.ipynb")
    notebook.use_theme("JupyterLab Light")  # whichever the lab was left in
    notebook.restart_and_run_all()
    yield notebook
    notebook.page.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder with all pages, made once, whichever worker comes first."""
    from test_site import BINDER, run_make_site

    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    with FileLock(shared / "site.lock"):
        if not (shared / "site").exists():
            made = run_make_site(shared / "site", "--kept", "--binder", BINDER)
            assert made.returncode == 0, made.stderr
            assert (shared / "site" / "scripts").is_dir(), made.stdout
    return shared / "site"


@pytest.fixture(scope="session")
def soups(site):
    """What stands in each page, by its name."""
    from bs4 import BeautifulSoup

    pages = sorted(site.glob("*.html"))
    return {page.stem: BeautifulSoup(page.read_text(), "html.parser") for page in pages}


@pytest.fixture
def opened(site, browser):
    """A function that opens a page by its name."""
    from site_pages import Page

    pages = []

    def open_one(name, **settings):
        pages.append(Page(browser, site / f"{name}.html", **settings))
        return pages[-1]

    yield open_one
    for page in pages:
        page.close()


@pytest.fixture(scope="session")
def page_opened(tmp_path_factory, browser):
    """The web page of tests/explorers.ipynb, opened from the disk.

    box(name) is the Explorer with this name, models[name] what Python computed for it: (spec, buffers).
    """
    import nbformat
    from bs4 import BeautifulSoup
    from site_pages import Page, views
    from test_site import run_make_site

    folder, source = tmp_path_factory.mktemp("made"), EXPLORERS
    made = run_make_site(folder, source)
    assert made.returncode == 0, made.stderr
    path = folder / "explorers.html"
    cells = [c.source for c in nbformat.read(source, 4).cells if "Explorer(" in c.source]
    names = [text.split("\n")[0].removeprefix("# ") for text in cells]
    soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    page = Page(browser, path, fast=True)
    page.models = dict(zip(names, views(soup), strict=True))
    page.box = dict(zip(names, page.live(), strict=True)).__getitem__
    yield page
    page.close()


@pytest.fixture
def page(page_opened):
    """The same, with nothing marked in it, and nothing has gone wrong afterwards."""
    from access import set_back_page

    set_back_page(page_opened.page)
    yield page_opened
    assert page_opened.errors == page_opened.outside == []


@pytest.fixture
def notebook(explorers):
    """The same, as it was at first; and nothing has gone wrong afterwards."""
    from access import set_back  # what it needs, only the browser tests have

    yield explorers
    set_back(explorers)
    assert explorers.errors == []
