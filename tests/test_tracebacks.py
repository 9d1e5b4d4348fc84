"""What a notebook shows of our errors: the learner's own lines, and then one sentence."""

import re
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from helpers import errors

HERE = Path(__file__).parent

# As a learner writes them: the cells that fail begin with the line that must be seen.
SETUP = """
import math
import torch
from helpers import tools
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

def same(temperature=1.0):
    return X

def nowhere(temperature):
    return 1 / 0

def misuse():
    return attention.SelfAttention(5, 2)(X)

layer = attention.MultiHeadAttention(3, 4, 6, 0.0, 2)
"""
FAILING = {  # cell: (lines of the learner's that must be seen beside its first, the sentence)
    "Explorer(attend, words, temperature=(0.1, 1.0, 0.1))": (
        ["return mixed(temperature)", "return X / [][1]"],
        "ValueError: Explorer: attend(temperature=0.5) raised IndexError: list index out of range",
    ),
    "Explorer(misuse, words)": (
        ["return attention.SelfAttention(5, 2)(X)"],
        "ValueError: Explorer: misuse() raised ValueError: SelfAttention: x has embeddings of size 3; "
        "expected d_in=5: pass embeddings of size 5, or make the layer with d_in=3",
    ),
    "Explorer(same, words, masked=nowhere, temperature=(0, 1))": (
        ["return 1 / 0"],
        "ValueError: Explorer: masked(temperature=1) raised ZeroDivisionError: division by zero",
    ),
    "Explorer(same, words, temprature=(0, 1))": (
        [],
        "TypeError: Explorer: same takes no argument 'temprature'; it takes: temperature.",
    ),
    "Explorer(same, words, temperature=(3, 1))": ([], "TypeError: Explorer: the control "),
    "Explorer(same, words[:2])": ([], "ValueError: Explorer: same(): 'weights' has 3 rows"),
    "Explorer(same, 'Hello')": (
        [],
        "TypeError: Explorer: tokens='Hello' is not a list of words; write [\"Hello\", …].",
    ),
    "Explorer(lambda: X * math.nan, words)": ([], "ValueError: Explorer: <lambda>(): nan at row"),
    "Explorer(lambda: [[1], [2, 3]], words)": ([], "expected a matrix of numbers."),
    "Explorer(same)": ([], "missing 1 required positional argument: 'tokens'"),
    "plots.bars({'a': [1, 2]}, words)": ([], "ValueError: bars: 'a' has 2 numbers for 3 labels."),
    "plots.matrices(X, 'Hello')": ([], "TypeError: matrices: tokens='Hello' is not a list"),
    "attention.MultiHeadAttention(3, d_out=10, context_length=6, dropout=0.0, num_heads=3)": (
        [],
        "ValueError: MultiHeadAttention: d_out=10 is not divisible by num_heads=3; "
        "pass a multiple of 3, such as 6",
    ),
    "attention.MultiHeadAttentionWrapper(3, 4, 6, 2.0, num_heads=3)": (
        [],
        "ValueError: MultiHeadAttentionWrapper: dropout=2.0 is outside [0, 1)",
    ),
    "layer(torch.ones(3, 5))": ([], "ValueError: MultiHeadAttention: x has embeddings of size 5"),
    "torch.nn.Sequential(layer, layer)(X)": ([], "x has embeddings of size 4; expected d_in=3"),
    "progress.steps(-1)": (
        [],
        "ValueError: steps: -1 is below 0; pass the number of steps, such as 200",
    ),
    "pitfalls.find('nothing')": ([], "KeyError: \"no pitfall 'nothing'; there are: "),
    "suspects.layer('Z')": ([], "ValueError: There is no suspect 'Z'."),
}
NOT_OURS = {  # what helpers does not raise on purpose, nor the learner's own errors: nothing is left out
    "plots.picture.clean('Hello', longest='a')": [
        "helpers/plots/picture.py",
        "helpers/matrices/text.py",
    ],
    "mixed(1)": ["return X / [][1]"],
    "int('a')": ["invalid literal for int()"],
    "torch.nn.Linear(3, 4)(words)": ["torch/nn/modules/linear.py", "must be Tensor, not list"],
}
AFTERWARDS = "%tb"  # shows all of the last error
INTERNAL = ("helpers/", "ipywidgets", "traitlets", "torch/", "dataclasses", "<string>", "IPython")


@pytest.fixture(scope="module")
def shown():
    """cell → what it shows of its error: all cells run in one kernel."""
    cells = [SETUP, *NOT_OURS, *FAILING, AFTERWARDS]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    client = NotebookClient(
        notebook, allow_errors=True, resources={"metadata": {"path": str(HERE.parent)}}
    )
    client.execute()
    assert notebook.cells[0].outputs == []
    return {cell.source: _text(cell) for cell in notebook.cells}


def _text(cell):
    errors = [output for output in cell.outputs if output.output_type == "error"]
    text = "\n".join(line for error in errors for line in error.traceback)
    return re.sub(r"\x1b\[[\d;]*m", "", text)


@pytest.mark.parametrize("cell", FAILING)
def test_the_learners_lines_and_our_sentence_are_all_there_is(shown, cell):
    beside, sentence = FAILING[cell]
    text = shown[cell]
    *above, last = text.strip().split("\n")
    assert sentence in last
    arrows = [re.sub(r"^-+> \d+ ", "", line).strip() for line in above if re.match("-+> ", line)]
    assert arrows == [cell, *beside]
    assert len(re.findall(r"^(?:Cell|File) ", text, re.MULTILINE)) == len(arrows), text
    assert not [word for word in INTERNAL if word in "\n".join(above)], text
    assert "above exception" not in text and "skipping" not in text


@pytest.mark.parametrize("cell", NOT_OURS)
def test_other_errors_are_shown_whole(shown, cell):
    for words in NOT_OURS[cell]:
        assert words in shown[cell]


def test_the_whole_error_can_still_be_had(shown):
    assert "helpers/exercises/" in shown[AFTERWARDS]
    assert "There is no suspect 'Z'" in shown[AFTERWARDS]


class Shell:
    """As much of IPython's shell as is asked."""

    custom_exceptions = ()

    def set_custom_exc(self, kinds, handler):
        self.custom_exceptions = kinds


@pytest.mark.parametrize("taken", [(), (ImportError,)])
def test_a_handler_that_is_there_already_stays(monkeypatch, taken):
    shell = Shell()
    shell.custom_exceptions = taken
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    errors.shorten_tracebacks()
    assert shell.custom_exceptions == (taken or errors.TOLD)


def test_outside_ipython_nothing_happens(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython")
    errors.shorten_tracebacks()
    assert "IPython" not in sys.modules  # it takes a while to import
