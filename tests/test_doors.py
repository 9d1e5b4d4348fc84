"""checks, exercises and pitfalls: what notebooks find behind them comes by itself, with its help."""

import importlib
import inspect
import re
from pathlib import Path

import pytest
from IPython.core.completer import IPCompleter, provisionalcompleter

from helpers import checks, exercises
from helpers.exercises import EXERCISES, NOTEBOOKS, pitfalls
from helpers.exercises.words import WORDS
from helpers.judge.verdicts import check as judge

ROOT = Path(__file__).resolve().parent.parent
DOORS = {"checks": checks, "exercises": exercises, "pitfalls": pitfalls}


def completed(text):
    """What Tab offers in a notebook."""
    with provisionalcompleter():
        return {found.text for found in IPCompleter(namespace=DOORS).completions(text, len(text))}


def test_tab_completes():
    assert "softmax" in completed("checks.so")
    assert {"predict", "progress", "project"} <= completed("checks.pr")
    assert {"scores", "scaled_weights"} <= completed("exercises.sc")
    assert "find" in completed("pitfalls.f")


@pytest.mark.parametrize("name", EXERCISES)
def test_an_exercise_comes_through_all_doors(name):
    check = getattr(checks, name)
    assert check is getattr(checks, name)
    assert (check.__name__, check.__doc__) == (name, EXERCISES[name].asks)
    assert list(inspect.signature(check).parameters) == ["answer"]
    assert getattr(exercises, name) is EXERCISES[name].right
    assert [p.id for p in pitfalls.of(name)] == list(EXERCISES[name].mistakes)


def test_a_name_that_is_none():
    with pytest.raises(AttributeError, match="there is no check 'sofmax'; there are: scores, "):
        checks.sofmax  # noqa: B018
    with pytest.raises(AttributeError, match="there is no exercise 'sofmax'; there are: scores, "):
        exercises.sofmax  # noqa: B018


def test_a_file_of_exercises_is_named_as_its_notebook():
    there = {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert {book.file for book in NOTEBOOKS.values()} <= there
    assert [book.number for book in NOTEBOOKS.values()] == sorted(NOTEBOOKS)
    assert list(EXERCISES)[:5] == ["scores", "softmax", "context", "self_attention", "project"]


def test_the_exercise_that_the_documentation_shows_how_to_add(tmp_path, monkeypatch):
    blocks = re.findall(
        r"```python\n(.+?)```", (ROOT / "docs/maintainers.md").read_text("utf-8"), re.DOTALL
    )
    (shown,) = [block for block in blocks if "@notebook" in block]
    start = (
        (ROOT / "helpers/exercises/n01_hello_shiny_sun.py").read_text("utf-8").split("five =")[0]
    )
    start = start.replace("from ..", "from helpers.")
    start = start.replace("from .", "from helpers.exercises.")
    start = start.replace("__name__", "'helpers.exercises.n09_try'")
    (tmp_path / "n09_try.py").write_text(start + shown, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    exercise = importlib.import_module("n09_try").notebook.exercises["shares"]
    assert judge(exercise, exercise.right, WORDS).passed
    for key, (code, *_) in exercise.mistakes.items():
        assert judge(exercise, code, WORDS).pitfall == key
