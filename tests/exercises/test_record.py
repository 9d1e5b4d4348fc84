"""Predictions, the record of what a learner has done, and answers that the notebooks go on with."""

import linecache
import subprocess
import sys
from fractions import Fraction

import attempts
import numpy as np
import pytest
import torch
from torch import nn

from helpers import checks
from helpers.classroom.series import ROOT
from helpers.exercises import NOTEBOOKS, PREDICTIONS
from helpers.judge.card import card


@pytest.fixture(autouse=True)
def a_new_kernel(monkeypatch):
    monkeypatch.setattr(checks, "done", set())
    monkeypatch.setattr(checks, "tried", set())
    monkeypatch.setattr(checks, "right", [])


def test_predictions():
    for book in NOTEBOOKS.values():
        code = (ROOT / "notebooks" / f"{book.file}.ipynb").read_text(encoding="utf-8")
        assert all(f'checks.predict(\\"{name}\\"' in code for name in book.predictions), book.file
    for name, prediction in PREDICTIONS.items():
        title = f"prediction: {name}"
        right = checks.predict(name, prediction.answer)
        assert right.passed and right.message == f"{title}: correct. {prediction.why}"
        for answer, say in prediction.wrong:
            result = checks.predict(name, answer)
            assert not result.passed and result.message == f"{title}: not yet. {say}", name
        for nothing in (None, ...):
            assert not checks.predict(name, nothing).attempted
        odd = checks.predict(name, {"a": 1})
        assert odd.message.startswith(f"{title}: not yet. Answer with ")
        assert all(choice in odd.message for choice in prediction.choices or [prediction.form])
    assert checks.predict("shape of a linear weight", 2, 3).passed
    assert 'There are: "highest' in checks.predict("lowest score", 1).message


@pytest.mark.parametrize(
    "name, right, wrong",
    [
        ("highest score", ("shiny", " Shiny "), ("sun", "itself", 1, "", ["shiny"])),
        ("shape of a linear weight", ((2, 3), [2, 3], "(2, 3)"), ((3, 2), 2, "2, 3")),
        ("best of 72 coins", (15, "15"), (16, "10", 15.5)),
        ("rows 20 and 30", (174, "173.79", torch.tensor(174)), ("1/2", "174,", "x")),
        ("a weight that is kept", (0.5, ".5", Fraction(1, 2), "5e-1"), ("0,5", "one", [0.5], 1j)),
    ],
)
def test_an_answer_is_one_of_the_choices_or_a_number(name, right, wrong):
    assert all(checks.predict(name, answer).passed for answer in right)
    assert not any(checks.predict(name, answer).passed for answer in wrong)


def test_progress_of_what_was_tried():
    assert not checks.progress().done and checks.progress(6).notebooks == {}
    checks.dropout(lambda weights, p: weights)
    checks.dropout_module(nn.Dropout)
    checks.predict("a weight that is kept", 0.5)
    progress = checks.progress(4)
    first, *lines = repr(progress).splitlines()
    assert first.startswith("Notebook 04: 2 of ") and first.endswith(" done")
    for line in (
        "  tried  dropout",
        "  done   dropout module",
        "  open   causal dropout",
        "  done   prediction: a weight that is kept",
    ):
        assert line in lines
    assert progress.done == ["dropout_module", "prediction: a weight that is kept"]
    checks.dropout_module(nn.Identity)  # what is done stays done
    assert "dropout_module" in checks.progress().done
    assert repr(checks.progress(1)).startswith("Notebook 01: 0 of 6 done\n  open   scores\n")


def test_progress_of_the_whole_series_is_a_list_of_links_and_signs():
    checks.dropout(lambda weights, p: weights)
    checks.predict("a weight that is kept", 0.5)
    lines = repr(checks.progress()).splitlines()
    with_exercises = [book for book in NOTEBOOKS.values() if book.exercises]
    assert len(lines) == len(with_exercises)
    assert lines[4].endswith("◐○○●") and lines[1].endswith("○○○○○○")
    shown = checks.progress()._repr_mimebundle_()["text/html"]
    assert all(f'"{book.file}.ipynb"' in shown for book in with_exercises)
    assert shown.count("◐○○●") == 1


def in_a_solution_cell(code):
    """The value of an expression in a cell that begins as the notebooks' solutions do."""
    source, filename = f"# Solution\n{code}\n", "a solution cell"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    return eval(compile(source, filename, "eval"), {"checks": checks})


def test_a_solution_cell_says_whose_answer_is_right_and_is_no_progress():
    ours = in_a_solution_cell('checks.predict("highest score", "shiny")')
    assert "Our solution: right" in card(ours) and not ours.count
    wrong = in_a_solution_cell('checks.predict("highest score", "sun")')
    assert "Our solution" not in card(wrong)
    assert not checks.tried
    assert "Our solution" not in card(checks.predict("highest score", "shiny"))
    assert checks.tried == {"prediction: highest score"}


def shares_of_arrays(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def test_a_function_found_correct_is_yours_and_any_other_is_not():
    assert checks.softmax(shares_of_arrays).passed
    assert checks.yours(shares_of_arrays, otherwise=None).__wrapped__ is shares_of_arrays
    assert checks.yours(len, otherwise="solution") == "solution"


FOR_ARRAYS = {  # exercise → the code of a right answer, and where it stops at a tensor
    "context": ("out = np.zeros(X.shape[1])\nfor w, x in zip(weights, X):\n    out += w * x\nreturn out",
                "tensor it stops in line 4: out += w * x\ntorch.zeros would do."),
    "scores": ("return np.array([np.dot(query, x) for x in X])", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", FOR_ARRAYS)
def test_of_a_right_answer_that_stops_at_a_tensor_this_is_said(name):
    code, told = FOR_ARRAYS[name]
    result = getattr(checks, name)(attempts.answer(name, code, f"in NumPy: {name}"))
    assert result.passed and told in result.message
    assert ("tensor" in result.message) == bool(told)


def test_numpy_warns_of_no_tensor():
    ended = subprocess.run(
        [sys.executable, "-c", "from helpers import checks\nimport numpy, torch\n"
         "numpy.dot(torch.ones(2), torch.ones(2)), numpy.exp(torch.ones(2))"],
        capture_output=True, text=True)  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "")


def test_that_our_version_runs_is_said_once_and_again_where_it_was_said(monkeypatch, capsys):
    monkeypatch.setattr(checks, "announced_in", {})
    cells = [compile("checks.yours(len, None)", f"cell {i}", "exec") for i in range(2)]
    for i, said in ((0, 1), (1, 0), (0, 1)):
        exec(cells[i], {"checks": checks})
        assert len(capsys.readouterr().out.splitlines()) == said


@pytest.mark.parametrize(
    "answer",
    [
        shares_of_arrays,
        lambda scores: shares_of_arrays(scores.numpy()).tolist(),
        lambda scores: [row.exp() / row.exp().sum() for row in scores],
    ],
    ids=["arrays", "lists", "a list of tensors"],
)
def test_what_is_right_goes_on_as_tensors(answer):
    checks.right.append(answer)
    scores = torch.randn(3, 3, requires_grad=True)
    with torch.no_grad():
        weights = checks.yours(answer, otherwise=None)(scores)
    assert weights.dtype == torch.float32
    assert torch.allclose(weights, scores.softmax(dim=-1), atol=1e-6)


def test_what_else_comes_back_goes_on_as_a_notebook_needs_it():
    def both(x):
        return x.numpy(), x.tolist()

    def broken(scores):
        return scores.no_such_thing

    checks.right += [torch.Tensor.int, both, bool, broken]
    ids = checks.yours(torch.Tensor.int, None)(torch.tensor([1, 2]))
    assert ids.dtype == torch.int64  # which a loss takes
    assert all(isinstance(part, torch.Tensor) for part in checks.yours(both, None)(torch.eye(2)))
    assert checks.yours(bool, None)(1) is True
    with pytest.raises(AttributeError, match="'Tensor' object"):
        checks.yours(broken, otherwise=None)(torch.eye(2))


def test_what_keeps_no_gradient_is_not_trained_with(capsys):
    detach, leaf = torch.Tensor.detach, torch.ones(2, requires_grad=True)
    checks.right.append(detach)
    trained = checks.yours(detach, otherwise=torch.Tensor.exp)
    for _again in range(2):
        assert trained(leaf).requires_grad
    assert capsys.readouterr().out.count("our version runs") == 1
    with torch.no_grad():
        assert (trained(leaf) == 1).all()
    assert not trained(leaf.data).requires_grad
    assert (checks.yours(detach, otherwise=detach)(leaf) == 1).all()
