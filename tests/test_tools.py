"""The progress bar, and the tracebacks that a notebook shows."""

import re
from pathlib import Path

import ipywidgets as widgets
import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from helpers import tools
from helpers.explorer import Explorer

# --- The bar ---


@pytest.fixture
def notebook(monkeypatch):
    """As in a notebook: records what was displayed and how often it was cleared; has a clock."""

    class Seen:
        clock, cleared = 0.0, 0

        def clear(self):
            self.cleared += 1

    seen = Seen()
    seen.displayed = []
    shell = type("Shell", (), {"kernel": object()})()
    monkeypatch.setattr(tools, "_shell", lambda: shell)
    monkeypatch.setattr("IPython.display.display", lambda data, raw: seen.displayed.append(data))
    monkeypatch.setattr("IPython.display.clear_output", seen.clear)
    monkeypatch.setattr(tools.time, "monotonic", lambda: seen.clock)
    yield seen
    widgets.Widget.close_all()


def open_bars():
    return [w for w in widgets.widget._instances.values() if isinstance(w, widgets.IntProgress)]


def test_steps_shows_its_bar_at_once_and_leaves_nothing(notebook):
    assert list(tools.steps(7)) == list(range(7))
    assert len(notebook.displayed) == notebook.cleared == 1
    assert list(notebook.displayed[0]) == [tools.VIEW]  # no text that would be saved
    assert open_bars() == []


def test_a_bar_comes_late_and_says_how_far_it_is(notebook):
    assert list(tools.over("abc", 3, "trying", after=1.0)) == list("abc")
    assert notebook.displayed == [] and notebook.cleared == 0
    for i, _item in enumerate(tools.over(range(10), 10, "trying", after=1.0)):
        notebook.clock += 0.3
        if i == 8:
            (bar,) = open_bars()
            assert (bar.value, bar.max, bar.description) == (8, 10, "trying")
    assert len(notebook.displayed) == notebook.cleared == 1


@pytest.mark.parametrize("error", [None, KeyboardInterrupt, ValueError])
def test_a_sweep_leaves_no_bar_behind_however_it_ends(notebook, error):
    calls = []

    def slow(by=1):
        notebook.clock += 0.1
        calls.append(by)
        if error and len(calls) == 30:
            assert len(notebook.displayed) == 1 and len(open_bars()) == 1
            raise error("stop")
        return np.full((3, 3), float(by))

    if error:
        with pytest.raises(error):
            Explorer(slow, ["a", "b", "c"], by=(0, 99))
    else:
        Explorer(slow, ["a", "b", "c"], by=(0, 99))
    assert len(notebook.displayed) == notebook.cleared == 1
    assert open_bars() == []


# --- Tracebacks ---

SETUP = """
import torch
from helpers.exercises import pitfalls, suspects
from helpers.models import attention
from helpers.pictures import plots
from helpers.explorer import Explorer

words = ["Hello", "shiny", "sun"]
X = torch.eye(3)

def attend(temperature):
    if temperature > 0.4:
        return mixed(temperature)
    return X

def mixed(temperature):
    return X / [][1]

def misuse():
    return attention.SelfAttention(5, 2)(X)

layer = attention.MultiHeadAttention(3, 4, 6, 0.0, 2)
"""
REFUSED = {  # cell → the learner's lines that must be shown beside the cell's own, and the error
    "Explorer(attend, words, temperature=(0.1, 1.0, 0.1))": (
        ["return mixed(temperature)", "return X / [][1]"],
        "ValueError",
    ),
    "Explorer(misuse, words)": (["return attention.SelfAttention(5, 2)(X)"], "ValueError"),
    "plots.bars({'a': [1, 2]}, words)": ([], "ValueError"),
    "pitfalls.CATALOGUE[-1].code('softmax')": ([], "KeyError"),
    "suspects.layer('Z')": ([], "ValueError"),
}
WHOLE = {  # errors that helpers did not raise on purpose: nothing is left out
    "layer(words)": ["helpers/models/attention.py", "AttributeError"],
    "mixed(1)": ["return X / [][1]", "IndexError"],
    "torch.nn.Linear(3, 4)(words)": ["torch/nn/modules/linear.py", "must be Tensor, not list"],
}
AFTERWARDS = "%tb"  # shows the last error in full
INTERNAL = ("helpers/", "ipywidgets", "traitlets", "torch/", "dataclasses", "<string>", "IPython")


@pytest.fixture(scope="module")
def shown():
    """cell → what it shows of its error; all cells run in one kernel."""
    cells = [SETUP, *WHOLE, *REFUSED, AFTERWARDS]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    folder = {"metadata": {"path": str(Path(__file__).parent)}}
    NotebookClient(notebook, allow_errors=True, resources=folder).execute()
    assert notebook.cells[0].outputs == []
    return {cell.source: _text(cell) for cell in notebook.cells}


def _text(cell):
    errors = [output for output in cell.outputs if output.output_type == "error"]
    text = "\n".join(line for error in errors for line in error.traceback)
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def test_of_a_refusal_the_learners_own_lines_are_shown_and_our_sentence(shown):
    for cell, (beside, kind) in REFUSED.items():
        *above, last = shown[cell].strip().split("\n")
        assert last.startswith(f"{kind}: "), cell
        arrows = [line for line in above if re.match("-+> ", line)]
        lines = [re.sub(r"^-+> \d+ ", "", line).strip() for line in arrows]
        assert lines == [cell, *beside]
        assert not [word for word in INTERNAL if word in "\n".join(above)], shown[cell]
        assert "above exception" not in shown[cell] and "skipping" not in shown[cell]


def test_other_errors_are_shown_whole_and_so_is_a_refusal_if_it_is_asked_for(shown):
    for cell, parts in WHOLE.items():
        assert all(part in shown[cell] for part in parts), shown[cell]
    assert "helpers/exercises/" in shown[AFTERWARDS] and "ValueError" in shown[AFTERWARDS]
