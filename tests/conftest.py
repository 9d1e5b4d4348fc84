"""What several tests share."""

import pytest
from find_browser import find_browser
from lab import chromium


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium."""
    with chromium(find_browser()) as started:
        yield started


@pytest.fixture(scope="module")
def explorers(browser, tmp_path_factory):
    """tests/explorers.ipynb, run in JupyterLab: an Explorer for each thing that it must get right."""
    from access import explorers_notebook  # what it needs, only the browser tests have

    with explorers_notebook(browser, tmp_path_factory.mktemp("explorers")) as notebook:
        yield notebook


@pytest.fixture
def notebook(explorers):
    """The same, as it was at first; and nothing has gone wrong afterwards."""
    from access import set_back

    yield explorers
    set_back(explorers)
    assert explorers.errors == []
