"""What several tests share: a browser, a JupyterLab, the notebook of Explorers, the pages; and
which worker runs what."""

import os
import shutil
from collections import namedtuple
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock

# So that a failure in these modules is explained, too.
pytest.register_assert_rewrite("site_pages", "films", "every_explorer", "access")

TESTS = Path(__file__).resolve().parent
REPOSITORY = "ada/attention"  # for which the pages are made
# this page takes long to create
ON_ONE_PAGE = (
    "test_view.py",
    "test_drawn.py",
    "test_everyone.py",
    "test_still.py",
    "test_dark_stills.py",
)
EACH = "test_notebooks_in_lab.py"  # one of its tests may take as long as all others

Lab = namedtuple("Lab", "url folder")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Assign tests to workers (`-n 2 --dist loadgroup`): those with a costly fixture stay together.

    xdist reads its own groups from names that pytest 9.2 no longer provides.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByWhatIsShared(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.split("::")[0]
            if file.endswith(ON_ONE_PAGE):
                return "on one page"
            return nodeid if file.endswith(EACH) else file

    if config.getoption("dist") == "loadgroup":
        return ByWhatIsShared(config, log)


@pytest.fixture(autouse=True)
def the_same_draws_each_time():
    """A test that draws numbers draws the same ones each time: it does not fail once in a hundred."""
    import torch

    torch.manual_seed(0)


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium."""
    from lab import chromium

    from tests.tools.find_browser import find_browser

    with chromium(find_browser()) as started:
        yield started


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """A JupyterLab: its address, and the folder of its notebooks."""
    from lab import jupyter_lab

    folder = tmp_path_factory.mktemp("notebooks")
    with jupyter_lab(folder, tmp_path_factory.mktemp("config")) as url:
        yield Lab(url, folder)


@pytest.fixture(scope="session")
def explorers(browser, lab):
    """explorers.ipynb, run in JupyterLab: it has an Explorer for each thing that must be right."""
    from lab import Notebook

    shutil.copy(explorers_notebook(), lab.folder)
    notebook = Notebook(browser, lab.url, "explorers.ipynb")
    notebook.use_theme("JupyterLab Light")  # the last test may have left the dark one
    notebook.restart_and_run_all()
    yield notebook
    notebook.page.close()


def explorers_notebook():
    return next(TESTS.rglob("explorers.ipynb"))


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder with all pages, created once, by whichever worker comes first."""
    from helpers.classroom.series import notebooks

    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    with FileLock(shared / "site.lock"):
        if not (shared / "site").exists():
            make_site(shared / "site", notebooks())
    return shared / "site"


def make_site(folder, notebooks):
    """The pages of some notebooks, from nbval's run if there is one, or else from a new run."""
    from helpers.classroom import site

    with ProcessPoolExecutor(2) as pool:
        books = dict(zip(notebooks, pool.map(kept_or_run, notebooks)))
    site.make_site(folder, books, REPOSITORY)


def kept_or_run(path):
    from helpers.classroom.site import execute
    from tests.tools.keep_runs import kept

    return kept(path) or execute(path)


@pytest.fixture(scope="session")
def soups(site):
    """The content of each page, by name."""
    from bs4 import BeautifulSoup

    pages = [p for p in sorted(site.glob("*.html")) if p.stem not in ("search", "paper")]
    return {page.stem: BeautifulSoup(page.read_text(), "html.parser") for page in pages}


@pytest.fixture
def opened(site, browser):
    """A function that opens a page by name."""
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
    """The web page of explorers.ipynb, opened from the disk.

    box(name) is the Explorer of this name, models[name] what Python computed for it: (spec,
    buffers).
    """
    import nbformat
    from bs4 import BeautifulSoup
    from site_pages import Page, views

    folder, source = tmp_path_factory.mktemp("made"), explorers_notebook()
    make_site(folder, [source])
    path = folder / "explorers.html"
    cells = [c.source for c in nbformat.read(source, 4).cells if "Explorer(" in c.source]
    names = [text.split("\n")[0].removeprefix("# ") for text in cells]
    soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    page = Page(browser, path, fast=True)
    page.path = path
    page.models = dict(zip(names, views(soup), strict=True))
    page.box = dict(zip(names, page.live(), strict=True)).__getitem__
    yield page
    page.close()


@pytest.fixture
def page(page_opened):
    """The same page, with nothing marked in it; afterwards, checks that nothing went wrong."""
    from access import set_back_page

    set_back_page(page_opened.page)
    yield page_opened
    assert page_opened.errors == page_opened.outside == []


@pytest.fixture
def notebook(explorers):
    """The same notebook in its first state; afterwards, checks that nothing went wrong."""
    from access import set_back  # only browser tests have what it needs

    yield explorers
    set_back(explorers)
    assert explorers.errors == []
