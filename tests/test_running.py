"""Whatever a learner's code does, a check comes back, says what happened, and leaves no trace."""

import contextlib
import io
import random
import warnings

import nbformat
import numpy as np
import pytest
import torch
from answers.n01_hello_shiny_sun import softmax_by_hand
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from torch import nn

from helpers import checks
from helpers.judge.running import Calls, TookTooLong, is_stub


def line_of(function, offset):
    return function.__code__.co_firstlineno + offset


# ---------------------------------------------------------------- it raises


def test_an_error_with_the_learners_own_line():
    def softmax(scores):
        shifted = scores - scores.max()
        return torch.softmax(shifted, dim=5)

    lines = checks.softmax(softmax).message.split("\n")
    assert lines[0] == "softmax: not yet."
    number = line_of(softmax, 2)
    stops = f"With scores (4,), it stops in line {number}: return torch.softmax(shifted, dim=5)"
    assert lines[1] == stops
    assert lines[2].startswith("IndexError: Dimension out of range")
    assert len(lines) == 3


def test_an_error_in_a_helper_of_the_learner():
    def divide(e):
        return e / e.total()

    result = checks.softmax(lambda scores: divide(scores.exp()))
    assert f"in line {line_of(divide, 1)}: return e / e.total()" in result.message
    assert "AttributeError: 'Tensor' object has no attribute 'total'" in result.message


def test_an_error_in_the_making_of_a_layer():
    class Layer(nn.Module):
        def __init__(self, d_in, d_out, qkv_bias=False):
            self.W_query = nn.Linear(d_in, d_out)

    message = checks.self_attention_module(Layer).message
    number = line_of(Layer.__init__, 1)
    assert f"it stops in line {number}: self.W_query = nn.Linear(d_in, d_out)\n" in message
    assert "cannot assign module before Module.__init__() call\n" in message
    assert message.endswith("\nsuper().__init__() must be the first line of __init__.")


def test_an_error_for_some_inputs_only():
    def softmax(scores):
        if scores.dim() == 3:
            raise ValueError("a batch is too much")
        return scores.softmax(dim=-1)

    message = checks.softmax(softmax).message
    assert "Not for: a batch of matrices.\n" in message
    assert message.endswith('"a batch is too much")\nValueError: a batch is too much')


def test_a_known_mistake_that_raises_tells_its_line_too():
    def merge_heads(x):
        b, heads, t, size = x.shape
        return x.transpose(1, 2).view(b, t, heads * size)

    message = checks.merge_heads(merge_heads).message
    assert "It looks like: view after transpose, no contiguous\n" in message
    assert f"in line {line_of(merge_heads, 2)}: return x.transpose(1, 2).view(b, t," in message


def test_the_wrong_number_of_arguments():
    message = checks.scores(lambda query: query).message
    assert "TypeError: " in message and "takes 1 positional argument but 2 were given" in message
    assert message.endswith("The check calls it with (query, X).")
    message = checks.multi_head(nn.Linear).message
    assert message.endswith("with (d_in, d_out, context_length, dropout, num_heads).")


def raising(error):
    def function(*arguments):
        raise error

    return function


class Odd(BaseException):
    pass


@pytest.mark.parametrize(
    "error", [SystemExit(1), GeneratorExit(), Odd("x" * 1000), StopIteration(), TookTooLong()]
)
def test_errors_of_all_kinds(error):
    result = checks.softmax(raising(error))
    assert not result.passed
    assert result.message.startswith("softmax: not yet.\nWith scores (4,), it ")
    assert len(result.message) < 600


def test_a_message_over_many_lines_or_with_control_characters():
    message = checks.softmax(raising(ValueError("first\nsecond"))).message
    assert message.endswith("ValueError: first")
    assert "\x1b" not in checks.softmax(raising(ValueError("\x1b[31mred"))).message


def test_endless_recursion():
    def softmax(scores):
        return softmax(scores)

    assert "RecursionError: maximum recursion depth exceeded" in checks.softmax(softmax).message


def test_stop_is_for_the_learner():
    with pytest.raises(KeyboardInterrupt):
        checks.softmax(raising(KeyboardInterrupt()))
    assert checks.softmax(softmax_by_hand).passed


# ---------------------------------------------------------------- it prints, draws and warns


def test_what_it_prints_is_told_once(capsys):
    def softmax(scores):
        print("shape:", tuple(scores.shape))
        return scores.sigmoid()

    message = checks.softmax(softmax).message
    assert message.endswith("\nIt printed: shape: (4,)")
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_what_a_layer_prints_is_told_too():
    class Layer(nn.Module):
        def __init__(self, *sizes, **named):
            super().__init__()

        def forward(self, x):
            print("forward", tuple(x.shape))
            return x

    assert checks.dropout_module(Layer).message.endswith("It printed: forward (60, 50)")


def test_much_that_is_printed_is_cut():
    message = checks.softmax(lambda scores: [print("x" * 100) for _ in range(100)] and 1).message
    assert message.endswith(" …") and message.count("x") < 500


def test_what_a_right_answer_prints_is_not_told():
    message = checks.softmax(lambda s: (print("hello"), softmax_by_hand(s))[1]).message
    assert message == "softmax: correct"


def test_warnings_are_not_shown():
    def softmax(scores):
        warnings.warn("careful", stacklevel=1)
        return softmax_by_hand(scores)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert checks.softmax(softmax).passed


def test_random_states_threads_and_gradients_are_left_alone():
    torch.manual_seed(1), np.random.seed(1), random.seed(1)
    states = torch.get_rng_state(), np.random.get_state()[1].copy(), random.getstate()
    threads = torch.get_num_threads()
    with torch.no_grad():
        assert checks.scaled_weights(lambda q, k: (q @ k.T / q.shape[1] ** 0.5).softmax(1)).passed
        assert checks.dropout(lambda w, p: nn.Dropout(p)(w)).passed
        assert checks.multi_head(nn.Linear).attempted
        assert not checks.softmax(lambda scores: scores * np.random.rand() * random.random()).passed
        assert not torch.is_grad_enabled()
    assert torch.equal(torch.get_rng_state(), states[0])
    assert np.array_equal(np.random.get_state()[1], states[1])
    assert random.getstate() == states[2]
    assert torch.get_num_threads() == threads


# ---------------------------------------------------------------- stubs


def documented(x, y=2, *rest, key=None, **named):
    """A docstring."""
    ...


def passing(x):
    pass


def assigning(x):
    y = x  # noqa: F841


def calling(x):
    len(x)


def test_what_counts_as_a_stub():
    assert is_stub(documented) and is_stub(passing) and is_stub(lambda x: ...)
    assert not is_stub(assigning) and not is_stub(calling) and not is_stub(len)


# ---------------------------------------------------------------- shown in a notebook


def test_shown_once_and_with_its_picture(capsys, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    result = checks.softmax(lambda scores: scores.sigmoid())
    assert capsys.readouterr().out == ""  # a check by itself prints nothing
    result._ipython_display_()
    assert capsys.readouterr().out == result.message + "\n"
    assert shown == [result.picture]
    checks.softmax(softmax_by_hand)._ipython_display_()
    assert capsys.readouterr().out == "softmax: correct\n" and len(shown) == 1


CELLS = """
import torch
before = torch.get_rng_state()
from helpers import checks
assert torch.equal(torch.get_rng_state(), before), "an import is to draw no numbers"
from helpers.judge import running
running.LIMIT = 0.5
---
def softmax(scores):
    ...

checks.softmax(softmax)
---
def softmax(scores):
    while True:
        pass

checks.softmax(softmax)
---
def softmax(scores):
    total = scores.sum()
    return scores.divide_by(total)

checks.softmax(softmax)
---
def softmax(scores):
    return scores.sigmoid()

checks.softmax(softmax)
---
checks.progress()
"""


def test_in_a_real_kernel(tmp_path):
    cells = [new_code_cell(source.strip()) for source in CELLS.split("---")]
    notebook = new_notebook(cells=cells)
    NotebookClient(notebook, kernel_name="python3", timeout=60).execute(cwd=str(tmp_path))
    outputs = [cell.outputs for cell in notebook.cells]
    assert outputs[0] == []
    assert outputs[1] == [nbformat.v4.new_output("stream", text="softmax: not attempted yet\n")]
    (looped,) = outputs[2]
    assert "it was still running after 0.5 seconds, in line 2: while True:" in looped.text
    (raised,) = outputs[3]
    assert "it stops in line 3: return scores.divide_by(total)\nAttributeError: " in raised.text
    said, drawn = outputs[4]
    assert said.text.startswith("softmax: not yet.\n")
    assert drawn.output_type == "display_data" and set(drawn.data) == {"image/png", "text/plain"}
    (progress,) = outputs[5]
    assert progress.data["text/plain"].startswith(
        "Notebook 01: 0 of 6 done\n  open   scores\n  tried"
    )


def test_a_call_by_itself():
    calls = Calls(1)
    with contextlib.redirect_stdout(io.StringIO()) as heard:
        assert calls(lambda a, b=0: a + b, 1, b=2) == (3, None)
    assert heard.getvalue() == ""
