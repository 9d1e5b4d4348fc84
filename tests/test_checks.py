"""The checks: what is right is accepted in any style, what is wrong is not, and the words for it."""

import re

import answers
import numpy as np
import pytest
import torch
from answers import n01_hello_shiny_sun as n01

from helpers import checks
from helpers.exercises import EXERCISES


def check(name, answer):
    return getattr(checks, name)(answer)


def each(answers):
    """One parameter set for each answer to each exercise."""
    pairs = [(name, answer) for name, those in answers.items() for answer in those]
    ids = [f"{name}-{getattr(a, '__name__', type(a).__name__)}" for name, a in pairs]
    return pytest.mark.parametrize("name, answer", pairs, ids=ids)


# ---------------------------------------------------------------- right and wrong


def test_every_exercise_has_answers_of_either_kind():
    assert set(answers.RIGHT) == set(answers.UNKNOWN) == set(EXERCISES)
    assert all(len(those) >= 5 for those in answers.RIGHT.values())
    assert all(len(those) >= 3 for those in answers.UNKNOWN.values())


@each(answers.RIGHT)
def test_right_answers_are_accepted(name, answer):
    result = getattr(checks, name)(answer)
    assert result.message == f"{name.replace('_', ' ')}: correct"
    assert result.passed and result.attempted and result.pitfall is None
    assert result.picture is None


@each(answers.UNKNOWN)
def test_wrong_answers_of_no_known_kind_are_rejected_with_a_comparison(name, answer):
    result = getattr(checks, name)(answer)
    assert not result.passed
    assert result.pitfall is None
    assert result.message.startswith(f"{name.replace('_', ' ')}: not yet.\n")
    if name == "leak_test":
        assert re.search(r"Of .+ you say: (it leaks|no leak)\. In truth: ", result.message)
    elif name == "knows_order":
        assert re.search(
            r"you say: it (knows|does not know) the order\. In truth: ", result.message
        )
    elif name in ("gpt2_parameters", "gpt2_medium"):
        # One number, too small or too large: the right one is not given away.
        for right in ("2,362,368", "354,823,168"):
            assert right not in result.message.replace(f"-{right}", "")
        assert re.search(r"is too (small|large): which part .+\?$", result.message)
    elif name in (
        "loss_without_padding",
        "next_word_loss",
        "masked_word_loss",
    ):  # one number: no matrix to draw
        assert re.search(r"The loss is [-\d.]+; expected [-\d.]+\.$", result.message)
    else:
        titles = result.picture.text
        assert re.search(r"^your ", titles) and re.search(r"^expected ", titles, re.MULTILINE)


@pytest.mark.parametrize("name, answer, pitfall", answers.OTHER_WORDS)
def test_a_known_mistake_is_named_in_other_words_too(name, answer, pitfall):
    assert check(name, answer).pitfall == pitfall


@each({name: those[:1] for name, those in answers.UNKNOWN.items()})
def test_a_message_is_the_same_every_time(name, answer):
    assert check(name, answer).message == check(name, answer).message


# ---------------------------------------------------------------- what is said


def test_the_first_cell_that_differs_and_the_row_sums():
    message = checks.softmax(lambda scores: 2 * scores.softmax(dim=-1)).message
    found = re.fullmatch(
        r"softmax: not yet\.\nFor a row of scores, scores \(4,\):\nThe shape is right\. "
        r"weights\[0\] is (0\.\d{4}|1\.\d{4}); expected (0\.\d{4}) \(4 of 4 differ\)\.\n"
        r"Rows sum to 2\.00; expected 1 each\.",
        message,
    )
    assert float(found[1]) == pytest.approx(2 * float(found[2]), abs=2e-4)


@pytest.mark.parametrize(
    "name, answer, said",
    [
        ("softmax", lambda s: s.softmax(-1)[None], "weights has shape (1, 4); expected (4,)."),
        ("softmax", lambda s: s * np.nan, "4 of 4 cells are nan: not a number."),
        ("softmax", lambda s: s.sort().values.softmax(-1), "Every row sums to 1, as it should."),
        ("softmax", lambda s: torch.rand(s.shape), "Two calls with the same input differ"),
        ("softmax", lambda s: s.softmax(-1).half(), "The numbers are of type float16."),
        ("scores", lambda q, X: (X @ q).long(), "The numbers are of type int64."),
        ("masked_weights", lambda s: s.roll(1, -1).softmax(-1), "weight where it must be 0"),
        ("softmax", lambda s: 2 * s.softmax(-1) - 1 / s.shape[-1], "Some weights are below 0."),
        ("project", lambda x, q, k, v: x @ q, "it returns one thing (a tensor of shape (5, 2)), and 3"),
        ("self_attention", lambda X: (X, X, X), "it returns 3 things, and 2 were asked for."),
        ("leak_test", lambda layer, x: layer(x), "it returns a tensor of shape (2, 5, 4); the answer"),
        ("leak_test", lambda layer, x: "yes", "it returns 'yes' (of type str); the answer is True or False"),
        ("self_attention_module", lambda d_in, d_out: 3, "the class is not an nn.Module"),
        ("dropout_module", lambda p: 3, "the class is not an nn.Module"),
        ("gpt2_parameters", "2,362,368", "'2,362,368' (of type str) is a text, not a number: leave"),
    ],
)  # fmt: skip
def test_what_is_said(name, answer, said):
    result = check(name, answer)
    assert not result.passed
    assert said in result.message


NOTEBOOK = """
import torch
X, keys, T = torch.arange(6.0).reshape(3, 2), torch.ones(3, 2), torch.ones(1)

def scores(query, matrix):
    return X @ query  # the notebook's

def weights(queries, k):
    return [torch.softmax(queries @ row.T, dim=-1) for row in (keys,)][0]

class Layer(torch.nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()

    def forward(self, x):
        return (X @ x.T) @ keys

def elsewhere(queries, keys):
    return torch.softmax(X @ keys.T, dim=-1)

def none(query, X):
    return 3 * X.T.T @ query
"""


@pytest.mark.parametrize(
    "exercise, answer, said",
    [
        ("scores", "scores", "reads X from the notebook: its own argument has another name."),
        ("context", "scores", "reads X from the notebook: its own argument has another name."),
        ("scaled_weights", "weights", "reads keys from the notebook: its own argument has another name."),
        ("scaled_weights", "elsewhere",
         "reads X from the notebook, not from its arguments: it gets (queries, keys)."),
        ("self_attention_module", "Layer",
         "reads X, keys from the notebook. forward gets (x), and what __init__ has kept in self."),
    ],
)  # fmt: skip
def test_what_is_read_from_the_notebook_is_named(exercise, answer, said):
    cells = {}
    exec(NOTEBOOK, cells)
    result = check(exercise, cells[answer])
    assert result.pitfall is None and f"It {said}" in result.message
    assert "from the notebook" not in check("scores", cells["none"]).message


def test_right_for_some_inputs_and_not_for_others():
    message = checks.softmax(n01.no_max_numpy).message
    assert (
        "\nRight for: a row of scores, a square matrix, a matrix, a batch of matrices, ….\n"
        in message
    )
    assert (
        "\nNot for: large scores, scores far apart, scores far below 0, rows far apart.\n"
        in message
    )
