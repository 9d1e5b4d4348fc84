"""What was right is remembered beside the copies: in that folder alone, and nothing of it is lost."""

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


NOTHING = {"done": set(), "tried": set()}


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
    assert remembered(file, NOTHING)["done"] == {"scores"}
    assert not [*(tmp_path / "empty").iterdir()]


def test_what_was_tried_stays_tried_and_a_prediction_that_is_done_is_not_asked_again(file):
    kernel(
        file.parent,
        """checks.scores(lambda query, X: X)
checks.predict("highest score", "shiny")
checks.predict("tripled scores", "stays")""",
    )
    asked = kernel(
        file.parent,
        """print(checks.predict("highest score").answer, checks.predict("tripled scores").answer, "·")
print(checks.progress(1))""",
    )
    answers, _, progress = asked.partition("·")
    assert answers.split() == ["shiny"]
    lines = [line.strip() for line in progress.splitlines()]
    assert "tried  scores" in lines and "tried  prediction: tripled scores" in lines
    assert "done   prediction: highest score" in lines and "open   softmax" in lines


def test_kernels_that_write_at_once_lose_nothing(file):
    code = "for i in range(100): remembered(Path({!r}), {{'done': {{f'{} {{i}}'}}}})"
    each = [
        [sys.executable, "-c", KERNEL.format(code.format(str(file), name))] for name in ("a", "b")
    ]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    for started in [subprocess.Popen(command, env=environment) for command in each]:
        assert started.wait() == 0
    assert remembered(file, NOTHING)["done"] == {f"{name} {i}" for name in "ab" for i in range(100)}


SOME = {"done": {"scores"}, "tried": {"softmax"}}


@pytest.mark.parametrize(
    "text", [b"", b"[]", b'{"done": 3}', b'{"done": [[]]}', b"\xff", b"{" * 9999, b'{"done": ["sc']
)
def test_what_cannot_be_read_stays_as_it_is_and_nothing_else_is_lost(file, text):
    file.write_bytes(text)
    assert SOME["done"] <= remembered(file, SOME)["done"] == remembered(file, NOTHING)["done"]
    assert file.read_bytes().startswith(text)


def test_a_file_of_an_earlier_version_is_read(file):
    file.write_text('{\n "done": [\n  "context"\n ]\n}')
    assert remembered(file, SOME)["done"] == {"scores", "context"}
    assert remembered(file, NOTHING)["done"] == {"scores", "context"}


def test_a_file_that_cannot_be_written_is_no_error(tmp_path):
    assert remembered(tmp_path, SOME) == SOME  # it is a folder
