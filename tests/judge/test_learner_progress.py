"""What was right is remembered beside the copies: in that folder alone, and nothing of it is lost."""

import json
import os
import subprocess
import sys

import pytest

from helpers.classroom.lab import copy_new
from helpers.classroom.series import ROOT
from helpers.judge.learner_progress import remembered

KERNEL = """
from pathlib import Path
from helpers import checks
from helpers.judge.learner_progress import remembered
{}"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "empty").mkdir()
    copy_new(tmp_path / "mine", tmp_path / "empty")  # a folder as `make lab` makes it
    (found,) = (tmp_path / "mine").iterdir()
    return found


def kernel(folder, code):
    """What a kernel in that folder prints."""
    command, environment = (
        [sys.executable, "-c", KERNEL.format(code)],
        os.environ | {"PYTHONPATH": str(ROOT)},
    )
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_what_was_right_outlives_the_kernel_in_a_learners_folder_alone(file, tmp_path):
    right = "checks.scores(lambda query, X: X @ query)"
    for folder, done in ((file.parent, ["scores"]), (tmp_path / "empty", [])):
        kernel(folder, right)
        assert kernel(folder, "print(checks.progress(1).done)").strip() == str(done)
        assert "1 of 6" in kernel(folder, f"print({right}.count)")
    assert json.loads(file.read_text())["done"] == ["scores"]
    assert not [*(tmp_path / "empty").iterdir()]


def test_kernels_that_write_at_once_lose_nothing(file):
    code = "for i in range(100): remembered(Path({!r}), {{f'{} {{i}}'}})"
    each = [
        [sys.executable, "-c", KERNEL.format(code.format(str(file), name))] for name in ("a", "b")
    ]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    for started in [subprocess.Popen(command, env=environment) for command in each]:
        assert started.wait() == 0
    assert remembered(file, set()) == {f"{name} {i}" for name in "ab" for i in range(100)}
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize(
    "text", [b"", b"[]", b'{"done": 3}', b'{"done": [[]]}', b"\xff", b"{" * 9999]
)
def test_what_cannot_be_read_is_set_aside_and_that_is_said(file, capsys, text):
    file.write_bytes(text)
    assert remembered(file, {"scores"}) == {"scores"}
    (aside,) = [path for path in file.parent.iterdir() if path != file]
    assert aside.read_bytes() == text and aside.name in capsys.readouterr().out
    assert remembered(file, set()) == {"scores"} and capsys.readouterr().out == ""


def test_what_a_kernel_that_ended_has_left_does_not_stop_the_next(file, monkeypatch):
    monkeypatch.setattr("helpers.judge.learner_progress.STALE", 0)
    file.with_suffix(".new").write_text("{")
    assert remembered(file, {"scores"}) == {"scores"} == remembered(file, set())


def test_a_file_that_cannot_be_written_is_no_error(file, monkeypatch):
    def full(*arguments):
        raise OSError("No space left on device")

    monkeypatch.setattr("os.replace", full)
    assert remembered(file, {"scores"}) == {"scores"}
    assert [*file.parent.iterdir()] == [file]
