"""`make test-all` finds the other Pythons, and tries each of them."""

import os
import subprocess
import sys

import pytest

from tests.tools import other_pythons

OWN = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """place(path, number): a program that reports Python `number`, on the PATH or in pyenv."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/bin{os.pathsep}/usr/bin")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))

    def write(path, number):
        path = tmp_path / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{f'echo {number}' if number else 'exit 127'}\n")
        path.chmod(0o755)
        return str(path)

    return write


def test_a_python_is_found_on_the_path_or_the_newest_of_pyenvs(place):
    on_path = place("bin/python3.91", "3.91")
    place("pyenv/versions/3.91.7/bin/python", "3.91")
    place("bin/python3.92", None)  # a launcher of pyenv's that reports it as missing
    place("pyenv/versions/3.92.9/bin/python", "3.92")
    newest = place("pyenv/versions/3.92.10/bin/python", "3.92")
    place("pyenv/versions/3.92.11/bin/python", None)  # cannot create environments
    place("pyenv/versions/3.9.2/bin/python", "3.9")
    place("bin/python3.93", "3.90")
    wanted = {"3.91": on_path, "3.92": newest, "3.93": None, "3.94": None}
    assert {version: other_pythons.find_python(version) for version in wanted} == wanted


def test_each_is_tried_but_its_own_and_what_is_red_is_told(place, monkeypatch, capsys):
    paths = [place(f"bin/python{version}", version) for version in ("3.91", "3.92", OWN)]
    tried, run = [], subprocess.run

    def make(command, **options):
        if command[0] != "make":
            return run(command, **options)
        tried.append(command[1:])
        return subprocess.CompletedProcess(command, returncode=len(tried) == 1)

    monkeypatch.setattr(subprocess, "run", make)
    with pytest.raises(SystemExit) as ended:
        other_pythons.main(["3.93", "3.92", "3.91", OWN])
    assert tried == [
        ["test-python", f"PYTHON={paths[1]}", "VENV=build/python3.92"],
        ["test-python", f"PYTHON={paths[0]}", "VENV=build/python3.91"],
    ]
    assert "3.92" in str(ended.value) and "3.91" not in str(ended.value)
    (line,) = capsys.readouterr().out.splitlines()
    assert paths[0] in line and paths[1] in line and line.index("3.93") > line.index(paths[0])
