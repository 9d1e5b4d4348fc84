"""`make progress`: whose copy is whose, what each learner has done, and no copy harms another."""

import csv
import re
import signal

import nbformat
import psutil
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from helpers.classroom.handed_in import Copy, find
from helpers.classroom.progress import (
    exercises,
    in_a_line,
    run_all,
    write_csv,
    write_grades,
    write_html,
)
from helpers.classroom.run_copy import Report, walls
from helpers.classroom.series import notebooks
from helpers.classroom.student import without_solutions

FIRST = notebooks()[1]
RIGHT = "def mine(query, X):\n    return X @ query"
WRONG = "def mine(scores):\n    return scores.softmax(0)"
SOLUTION = new_code_cell("# Solution\nchecks.scores(mine)", metadata={"tags": ["solution"]})


def hand_in(path, *cells, title="# 1 · Hello shiny sun!"):
    """Write a copy of notebook 1 with these code cells."""
    path.parent.mkdir(exist_ok=True, parents=True)
    made = [c if isinstance(c, nbformat.NotebookNode) else new_code_cell(c) for c in cells]
    nbformat.write(new_notebook(cells=[new_markdown_cell(title), *made]), path)


def test_whose_a_copy_is_and_of_what(tmp_path):
    hand_in(tmp_path / "alice" / "01_hello_shiny_sun.ipynb")
    hand_in(tmp_path / "alice" / "notebooks" / "my own name.ipynb", title="# 4 · Dropout\n\nText")
    hand_in(tmp_path / "bob_01_hello_shiny_sun (1).ipynb", title="No title")
    hand_in(tmp_path / "carol.ipynb")
    hand_in(tmp_path / "dan.ipynb", title="# Something else")
    hand_in(tmp_path / "alice" / ".ipynb_checkpoints" / "01_hello_shiny_sun-checkpoint.ipynb")
    found = [(c.learner, c.original and c.original.stem) for c in find(tmp_path)]
    assert found == [
        ("alice", "01_hello_shiny_sun"),
        ("alice", "04_dropout"),
        ("bob", "01_hello_shiny_sun"),
        ("carol", "01_hello_shiny_sun"),
        ("dan", None),
    ]
    assert [c.trouble for c in find(tmp_path)] == 4 * [""] + [
        "neither its title nor its name tells which notebook it is"
    ]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": 3}', "\0"])
def test_what_is_no_notebook_is_a_copy_with_a_trouble(tmp_path, text):
    (tmp_path / "eve_01_hello_shiny_sun.ipynb").write_text(text)
    [copy] = find(tmp_path)
    assert (copy.learner, copy.number) == ("eve", 1) and copy.trouble


def test_a_copy_that_nobody_has_worked_on_is_not_run(tmp_path):
    original = nbformat.read(FIRST, 4)
    nbformat.write(original, tmp_path / "a.ipynb")
    nbformat.write(without_solutions(original), tmp_path / "b.ipynb")
    assert [copy.untouched() for copy in find(tmp_path)] == [True, True]
    [report, _] = run_all(find(tmp_path), tmp_path)
    assert report.notes == ["nothing was changed in it"] and report.state("scores") == "open"


@pytest.fixture(scope="module")
def five(tmp_path_factory):
    """(folder, {learner: Report}) of five copies that ran: two work, one loops, two are broken."""
    folder = tmp_path_factory.mktemp("class")
    (folder / "dan_01_hello_shiny_sun.ipynb").write_text("")
    (folder / "eve_01_hello_shiny_sun.ipynb").write_text('{"cells": [')
    start = "from helpers import checks"
    predict = 'checks.predict("highest score", "sun")'
    away = "import socket\nsocket.create_connection(('192.0.2.1', 80), timeout=1)"
    daemon = "import subprocess\nsubprocess.Popen(['sleep', '1000'], start_new_session=True)"
    daemon += "\nsubprocess.Popen(['sleep', '1001'], env={}, start_new_session=True)"
    neighbour = f"open({str(folder / 'alice' / 'x.ipynb')!r})"
    beside = f"open({str(folder / 'bob.txt')!r}, 'w')"
    homes = "import os\nraise LookupError(len(os.listdir('../..')))"
    hand_in(
        folder / "alice" / "x.ipynb",
        *(start, RIGHT, "checks.scores(mine)", WRONG, "checks.softmax(mine)", predict, daemon),
    )
    hand_in(
        folder / "bob" / "x.ipynb",
        *(start, RIGHT, SOLUTION, "nothing", "bytes(2**40)", away, neighbour, beside, homes),
    )
    hand_in(
        folder / "carol" / "x.ipynb",
        *(start, "checks.scores(lambda query, X: X @ query)"),
        "import time\nwhile 1:\n    print('more and more' * 10_000)\n    time.sleep(0.01)",
        "checks.context(lambda weights, X: weights @ X)",
    )
    before = {path: path.read_bytes() for path in folder.rglob("*.ipynb")}
    before_this = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in `make progress &`
    reports = run_all(find(folder), folder, cell_limit=15, limit=120)
    signal.signal(signal.SIGINT, before_this)
    assert {path: path.read_bytes() for path in folder.rglob("*.ipynb")} == before
    return folder, {report.copy.learner: report for report in reports}


def test_what_alice_did_is_seen_and_what_her_checks_say(five):
    alice = five[1]["alice"]
    assert (alice.done, alice.notes) == (["scores"], [])
    assert alice.says["scores"] == "scores: correct"
    assert "It looks like: softmax over the queries" in alice.says["softmax"]
    assert "Close: it comes second" in alice.says["prediction: highest score"]
    assert [alice.state(name) for name in exercises(1)][:3] == ["done", "tried", "open"]


def test_a_solution_is_no_work_of_bobs_and_what_fails_is_told(five):
    bob = five[1]["bob"]
    assert (bob.done, bob.says) == ([], {})
    assert bob.notes[:2] == [
        "cell 4 (nothing) fails: NameError: name 'nothing' is not defined",
        "cell 5 (bytes(2**40)) fails: MemoryError: ",
    ]


@pytest.fixture
def shut_in(tmp_path):
    """For tests of what only some systems can do."""
    folder, homes = tmp_path / "class", tmp_path / "homes"
    folder.mkdir()
    homes.mkdir()
    if "unshare" not in walls(folder, homes):
        pytest.skip("this system cannot shut a copy in")


def test_a_copy_has_no_network_and_finds_no_other(five, shut_in):
    network, neighbour, beside, homes = five[1]["bob"].notes[2:]
    assert "Network is unreachable" in network and "FileNotFoundError" in neighbour
    assert "Read-only file system" in beside and homes.endswith("LookupError: 1")


def test_an_endless_loop_is_stopped_and_the_cells_around_it_count(five):
    carol = five[1]["carol"]
    assert carol.done == ["scores", "context"]
    assert carol.notes == ["cell 3 (import time) was stopped after 15 s"]


def test_a_copy_that_ends_early_or_never_is_told_of_and_what_was_found_counts(tmp_path):
    start, deaf = (
        "from helpers import checks",
        "while 1:\n    try:\n        1\n    except:\n        1",
    )
    hand_in(tmp_path / "fay.ipynb", start, RIGHT, "checks.scores(mine)", "import os; os._exit(1)")
    hand_in(tmp_path / "gus.ipynb", deaf, start)
    fay, gus = find(tmp_path)
    [fay], [gus] = run_all([fay], tmp_path), run_all([gus], tmp_path, 1, 2)
    assert fay.done == ["scores"]
    assert fay.notes == ["it ended by itself in cell 4; those after it were not run"]
    assert gus.notes == ["it was stopped after 2 s in cell 1; those after it were not run"]


def test_a_syntax_error_is_told_as_such_by_exercise_and_cell(tmp_path):
    broken = "def mine(query, X):\n    return (X @ query"
    guess = 'checks.predict("highest score", "sun'
    hand_in(
        tmp_path / "x.ipynb", "from helpers import checks", broken, "checks.scores(mine)", guess
    )
    [report] = run_all(find(tmp_path), tmp_path)
    assert report.state("scores") == report.state("prediction: highest score") == "broken"
    assert report.told("scores").startswith("scores: cell 2 is no Python")
    assert "'(' was never closed (line 2)" in report.told("scores")
    assert "syntax error: scores, prediction: highest score" in in_a_line(report)


def left(seconds):
    wanted = ["sleep", str(seconds)]
    return [p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == wanted]


def test_nothing_that_a_copy_started_is_left(five):
    assert left(1000) == []


def test_not_even_a_process_that_has_no_home_of_the_copy(five, shut_in):
    assert left(1001) == []


def test_tables_say_it_for_everyone(five, tmp_path):
    folder, reports = five[0], list(five[1].values())
    lines = sorted(map(in_a_line, reports))
    assert lines[0].startswith("alice, x.ipynb: 1 of 6 done; tried: softmax, prediction: highest")
    assert lines[3].startswith("dan, dan_01_hello_shiny_sun.ipynb: 0 of 6 done; the file is empty")
    write_csv(tmp_path / "x.csv", reports, folder)
    with open(tmp_path / "x.csv", newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 5 * len(exercises(1))
    assert rows[0]["file"] == "alice/x.ipynb" and rows[0]["says"] == "scores: correct"
    assert [row["state"] for row in rows if row["learner"] == "eve"] == 6 * ["unread"]
    write_html(tmp_path / "x.html", reports, folder)
    page = (tmp_path / "x.html").read_text()
    assert page.count('<td class="done"') == 3 and "could not be read" in page
    assert not re.search(r"<(script|link|img)|https?:|url\(", page)


def test_a_learner_gets_a_point_for_each_exercise_in_any_copy(tmp_path):
    other = Report(Copy(tmp_path / "y.ipynb", "=ada", notebooks()[4]), done=["dropout"])
    twice = [Report(Copy(tmp_path / "x.ipynb", "=ada", FIRST), [n]) for n in ("scores", "softmax")]
    write_grades(tmp_path / "x.csv", [*twice, other])
    with open(tmp_path / "x.csv", newline="") as file:
        [row] = csv.DictReader(file)
    assert (row["name"], row["points"]) == ("'=ada", "3")
    assert row["comment"].startswith("of 10; not yet: context, ")


def test_names_are_no_formulas_and_no_tags(tmp_path):
    copy = Copy(tmp_path / "x.ipynb", "=1+1<b>", FIRST)
    report = Report(copy, says={"scores": "<script>"})
    write_csv(tmp_path / "x.csv", [report], tmp_path)
    assert "\n'=1+1<b>,01_hello_shiny_sun,scores,tried" in (tmp_path / "x.csv").read_text()
    write_html(tmp_path / "x.html", [report], tmp_path)
    page = (tmp_path / "x.html").read_text()
    assert "=1+1&lt;b&gt;" in page and "<script>" not in page
