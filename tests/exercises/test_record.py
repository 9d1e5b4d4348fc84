"""Predictions, and the record of what a learner has done."""

import linecache

import numpy as np
import pytest
import torch
from torch import nn

from helpers import checks
from helpers.checks import record
from helpers.exercises import EXERCISES, NOTEBOOKS, PREDICTIONS


@pytest.fixture(autouse=True)
def a_new_kernel(monkeypatch):
    monkeypatch.setattr(record, "done", {})


# ---------------------------------------------------------------- predictions


@pytest.mark.parametrize("prediction", PREDICTIONS.values(), ids=lambda p: p.name)
def test_a_prediction(prediction):
    title = f"prediction: {prediction.name}"
    right = checks.predict(prediction.name, prediction.answer)
    assert right.passed and right.message == f"{title}: correct. {prediction.why}"
    for answer, say in prediction.wrong:
        result = checks.predict(prediction.name, answer)
        assert not result.passed and result.message == f"{title}: not yet. {say}"
    for nothing in (None, ...):
        result = checks.predict(prediction.name, nothing)
        assert result.message == f"{title}: not attempted yet" and not result.attempted
    odd = checks.predict(prediction.name, {"a": 1})
    assert odd.message == (
        f"{title}: not yet. {prediction.question} Answer with {prediction.form}; this is something of type dict."
    )


def test_every_notebook_has_a_prediction():
    assert len(PREDICTIONS) >= 8
    assert all(book.predictions for book in NOTEBOOKS.values() if book.exercises)


@pytest.mark.parametrize(
    "answer", [[1, 0, 0], (1.0, 0.0, 0.0), np.array([1, 0, 0]), torch.eye(3)[0]]
)
def test_a_prediction_in_any_form(answer):
    assert checks.predict("first causal row", answer).passed


def test_a_prediction_that_is_just_wrong():
    message = checks.predict("highest score", "Hello").message
    assert message.startswith("prediction: highest score: not yet. Go through the rows")
    assert checks.predict("highest score", " Shiny ").passed


def test_a_prediction_of_an_unknown_name():
    result = checks.predict("lowest score", 1)
    assert not result.passed
    assert result.message.startswith("There is no prediction 'lowest score'. There are: \"highest")


# ---------------------------------------------------------------- progress


def test_progress_of_what_was_tried():
    assert repr(checks.progress()) == "Nothing tried yet: run a check, then ask again."
    checks.dropout(lambda weights, p: weights)
    checks.dropout_module(nn.Dropout)
    checks.predict("a weight that is kept", 0.5)
    progress = checks.progress()
    assert repr(progress) == (
        "Notebook 04: 2 of 4 done\n"
        "  tried  dropout\n"
        "  done   dropout module\n"
        "  open   causal dropout\n"
        "  done   prediction: a weight that is kept"
    )
    assert progress.done == ["dropout_module", "prediction: a weight that is kept"]
    assert progress.open == ["dropout", "causal_dropout"]


def test_what_is_done_stays_done():
    checks.dropout_module(nn.Dropout)
    checks.dropout_module(nn.Identity)
    assert "dropout_module" in checks.progress().done
    assert list(checks.progress(4).says) == ["dropout_module"]
    assert checks.progress(4).says["dropout_module"].startswith("dropout module: not yet.")


def test_progress_of_one_notebook():
    assert repr(checks.progress(1)).startswith("Notebook 01: 0 of 6 done\n  open   scores\n")
    assert repr(checks.progress("one")).startswith("Nothing tried yet")


def test_there_is_a_check_for_every_exercise_and_it_says_what_it_wants():
    for name in EXERCISES:
        assert getattr(checks, name).__doc__


def test_a_prediction_of_several_numbers_may_come_without_brackets():
    assert checks.predict("shape of a linear weight", 2, 3).passed
    assert checks.predict("shape of a linear weight", (2, 3)).passed
    assert not checks.predict("shape of a linear weight", 3, 2).passed
    assert not checks.predict("shape of a linear weight").attempted


def test_a_function_found_correct_is_yours_and_any_other_is_not():
    def right(weights, X):
        return weights @ X

    def wrong(weights, X):
        return X @ weights

    checks.context(right), checks.context(wrong)
    assert checks.yours(right, otherwise=None).__wrapped__ is right
    assert checks.yours(wrong, otherwise="solution") == "solution"


def test_a_solution_cell_is_no_progress_of_the_learner():
    before = repr(checks.progress(1))
    source = "# Solution\nchecks.self_attention(lambda X: 2 * X)\n"
    filename = "a solution cell"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    exec(compile(source, filename, "exec"), {"checks": checks})
    assert repr(checks.progress(1)) == before
    checks.self_attention(lambda X: 2 * X)
    assert "tried  self attention" in repr(checks.progress(1))


@pytest.mark.parametrize(
    "answer",
    [
        lambda scores: np.exp(scores.numpy()) / np.exp(scores.numpy()).sum(-1, keepdims=True),
        lambda scores: (np.exp(scores.numpy()) / np.exp(scores.numpy()).sum(-1, keepdims=True)).tolist(),
        lambda scores: [row.exp() / row.exp().sum() for row in scores],
    ],
    ids=["NumPy", "lists", "a list of tensors"],
)  # fmt: skip
def test_what_is_right_goes_on_as_tensors(answer):
    record.right.append(answer)
    scores = torch.randn(3, 3, requires_grad=True)
    weights = checks.yours(answer, otherwise=None)(scores)
    assert weights.dtype == torch.float32
    assert torch.allclose(weights, scores.softmax(dim=-1), atol=1e-6)


def test_small_whole_numbers_go_on_as_those_that_a_loss_takes():
    record.right.append(torch.Tensor.int)
    ids = checks.yours(torch.Tensor.int, otherwise=None)(torch.tensor([1, 2]))
    assert ids.dtype == torch.int64
    assert torch.nn.functional.cross_entropy(torch.zeros(2, 3), ids) > 0


def test_several_results_go_on_as_tensors_and_other_things_as_they_are():
    def both(x):
        return x.numpy(), x.tolist()

    def neither(x):
        return True

    record.right += [both, neither]
    assert all(isinstance(part, torch.Tensor) for part in checks.yours(both, None)(torch.eye(2)))
    assert checks.yours(neither, None)(1) is True


def test_what_is_written_for_arrays_is_given_arrays_as_the_check_does():
    def softmax(scores):
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    def broken(scores):
        return scores.no_such_thing

    assert checks.softmax(softmax).passed
    record.right.append(broken)
    scores = torch.randn(3, 3, requires_grad=True)
    weights = checks.yours(softmax, otherwise=None)(scores)
    assert isinstance(weights, torch.Tensor) and torch.allclose(weights, scores.softmax(dim=-1))
    with pytest.raises(AttributeError, match="'Tensor' object"):
        checks.yours(broken, otherwise=None)(scores)
