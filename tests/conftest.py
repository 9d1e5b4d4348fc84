"""What several tests share: a browser, a JupyterLab, the pages; and the page of Explorers."""

import os
from collections import namedtuple
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock

# So that a failure in these modules is explained, too.
pytest.register_assert_rewrite("site_pages", "films", "every_explorer", "access")

TESTS = Path(__file__).resolve().parent
REPOSITORY = "ada/attention"  # for which the pages are made

Lab = namedtuple("Lab", "url folder")


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


def explorers_notebook():
    return next(TESTS.rglob("explorers.ipynb"))


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder with all pages."""
    from helpers.classroom.series import notebooks

    return made_once(tmp_path_factory, "site", notebooks())


def made_once(tmp_path_factory, name, notebooks):
    """The folder with the pages of some notebooks, made by whichever worker comes first."""
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    with FileLock(shared / f"{name}.lock"):
        if not (shared / name).exists():
            make_site(shared / name, notebooks)
    return shared / name


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

    pages = [p for p in sorted(site.glob("*.html")) if p.stem != "search"]
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

    source = explorers_notebook()
    path = made_once(tmp_path_factory, "explorers", [source]) / "explorers.html"
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
