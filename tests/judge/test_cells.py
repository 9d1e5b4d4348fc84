"""What a check says of other cells: in IPython, by its own record of them."""

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

from helpers import checks
from helpers.judge import cells

SHELL = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("from helpers import checks")
said = []
for cells in json.loads(sys.argv[1]):
    said.append([str(shell.run_cell(cell, store_history=True).result) for cell in cells])
print("said:", json.dumps(said))
"""


RIGHT = "def mine(query, X):\n    return X @ query\n"
CHECK = "checks.scores(mine)"
BEFORE = {  # the cell that follows a right one → whether `mine` is then said to be from before
    "def mine(query, X):\n    return X @ (query\n": True,
    "1 / 0\ndef mine(query, X):\n    return X": True,
    RIGHT + "1 / 0": False,  # it did define it
    "1 / 0": False,  # another cell, which does not define it
    RIGHT: False,
}
HELPER = "def helper(query, X):\n    return X @ query"
MINE = "def mine(query, X):\n    return helper(query[1:], X)\nchecks.scores(mine)"
INSIDE = "def mine(query, X):\n    return X @ query[1:]\nchecks.scores(mine)"
ERRORS = [
    [HELPER, MINE],
    [HELPER, "checks.softmax(helper)", MINE],
    [HELPER, "checks.scores(helper)", MINE],
    [INSIDE],
]


@pytest.fixture(scope="module")
def told():
    """For each list of cells above, what their results are as texts; all in one process."""
    runs = [*ERRORS, *([RIGHT, then, CHECK, RIGHT, CHECK] for then in BEFORE)]
    command = [sys.executable, "-c", SHELL, json.dumps(runs)]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.split("said:")[1])


def test_a_function_that_a_cell_with_an_error_has_left_is_said_to_be_from_before(told):
    for is_told, (*_before, said, _defined, again) in zip(BEFORE.values(), told[len(ERRORS) :]):
        assert "correct" in said and ("mine is from before" in said) == is_told
        assert "correct" in again and "from before" not in again


def test_an_error_in_another_function_is_said_to_be_there_and_whether_that_one_is_right(told):
    unknown, wrong, right, own = (said for *_cells, said in told[: len(ERRORS)])
    assert "in helper (In[1]), line 2: return X @ query" in unknown
    assert [("By itself" in said) for said in (unknown, wrong, right)] == [False, True, True]
    assert "helper is not right yet" in wrong and "helper is right" in right
    assert "it stops in line 2: return X @ query[1:]" in own


def helper(query, X):
    return X @ query[1:]


def test_ipython_7_which_colab_has_knows_no_name_of_a_cell(monkeypatch):
    monkeypatch.setattr(cells, "shell", lambda: SimpleNamespace(compile=object()))
    assert "in helper, line" in checks.scores(lambda query, X: helper(query, X)).message
