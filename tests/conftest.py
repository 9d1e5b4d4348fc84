"""What several tests share."""

import pytest
from find_browser import find_browser
from lab import chromium


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium."""
    with chromium(find_browser()) as started:
        yield started
