"""What was right is remembered beside the copies: in that folder alone, and nothing of it is lost."""

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import pytest

from helpers.classroom.lab import copy_new
from helpers.classroom.series import ROOT
from helpers.judge.learner_progress import remembered

NOTHING = {"done": set(), "tried": set()}
SOME = {"done": {"scores"}, "tried": {"softmax"}}


@pytest.fixture
def file(tmp_path):
    (tmp_path / "empty").mkdir()
    copy_new(tmp_path / "mine", tmp_path / "empty")  # a folder as `make lab` makes it
    (found,) = (tmp_path / "mine").iterdir()
    return found


def kernel(folder, code):
    """What a kernel in that folder prints."""
    command = [sys.executable, "-c", f"from helpers import checks\n{code}"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_what_was_done_or_tried_outlives_the_kernel_in_a_learners_folder_alone(file, tmp_path):
    answers = """checks.scores(lambda query, X: X)
checks.context(lambda weights, X: weights @ X)
checks.predict("highest score", "shiny")
checks.predict("tripled scores", "stays")"""
    asked = """print(checks.predict("highest score").answer, checks.predict("tripled scores").answer)
print(checks.progress(1))"""
    states = {
        "tried  scores",
        "tried  prediction: tripled scores",
        "done   context",
        "open   softmax",
    }
    kernel(file.parent, answers)
    answer, *lines = kernel(file.parent, asked).splitlines()
    assert answer.strip() == "shiny" and states <= {line.strip() for line in lines}
    assert remembered(file, NOTHING)["done"] == {"context", "prediction: highest score"}
    elsewhere = tmp_path / "empty" / file.name
    assert remembered(elsewhere, SOME) == SOME and not elsewhere.exists()


def add_a_hundred(file, name):
    for i in range(100):
        remembered(file, {"done": {f"{name} {i}"}})


def test_processes_that_write_at_once_lose_nothing(file):
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(add_a_hundred, [file, file], "ab"))
    assert remembered(file, NOTHING)["done"] == {f"{name} {i}" for name in "ab" for i in range(100)}


@pytest.mark.parametrize(
    "text", [b"", b"[]", b'{"done": 3}', b'{"done": [[]]}', b"\xff", b"{" * 9999, b'{"done": ["sc']
)
def test_what_cannot_be_read_stays_as_it_is_and_nothing_else_is_lost(file, text):
    file.write_bytes(text)
    assert SOME["done"] <= remembered(file, SOME)["done"] == remembered(file, NOTHING)["done"]
    assert file.read_bytes().startswith(text)


def test_a_file_that_cannot_be_written_is_no_error(tmp_path):
    assert remembered(tmp_path, SOME) == SOME  # it is a folder
