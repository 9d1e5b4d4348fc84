"""`make progress`: whose copy is whose, what its checks said, and what could not be read."""

import csv
import unicodedata

import pytest
from ipywidgets.embed import embed_data
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, writes

from helpers import checks
from helpers.classroom import progress, site
from helpers.classroom.handed_in import find, others
from helpers.classroom.series import STATE, VIEW

STEM, TITLE = "01_hello_shiny_sun", "# 1 · Hello shiny sun!"
NOT_RUN = "no outputs of checks: open it, Run All, save"


def book(*cells, title=TITLE):
    return writes(new_notebook(cells=[new_markdown_cell(title), *cells]))


def shown(source, result):
    """A cell and its output, as a kernel saves it."""
    data, about = result._repr_mimebundle_()
    return new_code_cell(source, outputs=[new_output("display_data", data, metadata=about)])


def hand_in(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


# Each file, alone in its folder: its learner and its notebook.
WHOSE = {
    f"alice/{STEM}.ipynb": ("alice", 1),
    "alice/notebooks/my own name.ipynb": ("alice", 1),
    **dict.fromkeys([f"alice_{STEM}{x}.ipynb" for x in ("", "-1", " (1)", "-Copy2")], ("alice", 1)),
    "alice - 01 hello shiny sun.ipynb": ("alice", 1),
    "group 2.ipynb": ("group 2", 1),
    **dict.fromkeys([f"bob/x{x}" for x in (".ipynb.txt", ".ipynb.json", ".IPYNB")], ("bob", 1)),
    unicodedata.normalize("NFD", f"José/{STEM}.ipynb"): ("José", 1),
}


def test_whose_a_copy_is_and_of_what(tmp_path):
    for i, (name, wanted) in enumerate(WHOSE.items()):
        hand_in(tmp_path / str(i), {name: book()})
        [copy] = find(tmp_path / str(i))
        assert (copy.learner, copy.number, copy.notes) == (*wanted, [NOT_RUN]), name


@pytest.mark.parametrize(
    "text, number, noted",
    [
        (book(title="**Dora K., 4711**\n\n" + TITLE), 1, NOT_RUN),
        (book(title="No title"), None, "no heading tells which notebook it is"),
        *[
            (text, None, "cannot be read as a notebook")
            for text in ("", "{", "[]", '{"cells": 3}', "\0")
        ],
    ],
)
def test_what_is_strange_in_a_copy_is_noted(tmp_path, text, number, noted):
    hand_in(tmp_path, {f"eve_{STEM}.ipynb": text})
    [copy] = find(tmp_path)
    assert (copy.learner, copy.number) == ("eve", number) and noted in copy.notes[0]


def test_whatever_is_not_read_is_told_of(tmp_path):
    strange = ["ana/notes.pdf", "bob.zip", ".ipynb_checkpoints/x.ipynb", "__MACOSX/ana/._x.ipynb"]
    hand_in(tmp_path, dict.fromkeys(strange, book()) | {"dan/x.ipynb": book(title="x")})
    copies = find(tmp_path)
    assert others(tmp_path) == sorted(strange)
    lines = "\n".join(progress.told(copies, others(tmp_path)))
    assert all(name in lines for name in strange) and "dan, x.ipynb: no heading" in lines


# ---------------------------------------------------------------- what checks said


@pytest.fixture
def alice(tmp_path):
    """A folder in which alice has handed in two copies, and bob one that he has not run."""
    results = {
        "checks.scores(mine)": checks.scores(lambda query, X: X @ query),
        "checks.softmax(mine)": checks.softmax(lambda scores: scores.softmax(0)),
        "checks.context(mine)": checks.context(None),
    }
    fails = new_output("error", ename="NameError", evalue="name 'x' is not defined")
    cells = [shown(*item) for item in results.items()]
    question = checks.predict("tripled scores")
    question.answer = "stays"
    data = embed_data(views=[question], drop_defaults=True)
    view = new_output("display_data", {VIEW: data["view_specs"][0], "text/plain": repr(question)})
    cells += [new_code_cell('checks.predict("tripled scores")', outputs=[view])]
    cells += [new_code_cell("x", outputs=[fails], execution_count=7)]
    made = new_notebook(cells=[new_markdown_cell(TITLE), *cells])
    made.metadata.widgets = {STATE: data["manager_state"]}
    later = checks.context(lambda weights, X: weights @ X)
    hand_in(tmp_path, {f"=alice/{STEM}.ipynb": writes(made), f"bob/{STEM}.ipynb": book()})
    hand_in(tmp_path, {"=alice/later.ipynb": book(shown("", later), title="# 1 · <b>")})
    return tmp_path


def test_what_alice_did_is_seen_and_what_her_checks_said(alice):
    first, _later, bob = find(alice)
    assert first.states == {"scores": "done", "softmax": "tried", "tripled scores": "tried"}
    assert first.says["scores"] == "scores: correct"
    assert "It looks like: softmax over the queries" in first.says["softmax"]
    assert "What does exp do" in first.says["tripled scores"]
    assert first.notes == ["cell [7] ends in NameError: name 'x' is not defined"]
    assert (bob.states, bob.notes) == ({}, [NOT_RUN])


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_learner_gets_a_point_for_whatever_is_right_in_any_copy(alice, tmp_path):
    progress.write(tmp_path / "x.csv", progress.grades(find(alice)))
    ana, bob = rows(tmp_path / "x.csv")
    assert (ana["name"], ana["points"]) == ("'=alice", "2")  # no formula
    assert ana["comment"].startswith("of 6; not yet: softmax, ")
    assert bob["points"] == "0"


def test_a_table_says_of_each_exercise_what_its_check_said(alice, tmp_path):
    progress.write(tmp_path / "x.csv", progress.checks(find(alice)))
    seen = rows(tmp_path / "x.csv")
    assert [row["state"] for row in seen].count("done") == 2
    [tried] = [row for row in seen if row["state"] == "tried" and row["exercise"] == "softmax"]
    assert tried["name"] == "'=alice" and "softmax over the queries" in tried["says"]


def test_what_a_kernel_saves_is_read_and_a_solution_is_nobodys_work(tmp_path):
    sources = ("checks.scores(mine)", "# Solution\nchecks.context(lambda weights, X: weights @ X)")
    start = "from helpers import checks\n\ndef mine(query, X):\n    return X @ query"
    name = f"ada_{STEM}.ipynb"
    hand_in(tmp_path, {name: book(*map(new_code_cell, (start, *sources)))})
    hand_in(tmp_path, {name: writes(site.execute(tmp_path / name))})
    [copy] = find(tmp_path)
    assert (copy.states, copy.notes) == ({"scores": "done"}, [])
