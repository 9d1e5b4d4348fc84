"""Answers that are none yet: stubs, gaps, a return forgotten, the wrong thing passed."""

import pytest
import torch
from answers import n05_multi_head as n05
from torch import nn

from helpers import checks
from helpers.exercises import EXERCISES
from helpers.exercises.checking import record


@pytest.fixture(autouse=True)
def a_new_kernel(monkeypatch):
    monkeypatch.setattr(record, "done", {})


def check(name, answer):
    return getattr(checks, name)(answer)


# ---------------------------------------------------------------- not attempted


def stub_of(exercise):
    if exercise.asks_for == "class":

        class Stub(nn.Module):
            def __init__(self, *sizes, **named):
                super().__init__()
                ...

            def forward(self, x): ...

        return Stub
    return lambda *arguments: ...


@pytest.mark.parametrize("name", [n for n, e in EXERCISES.items() if e.asks_for != "number"])
@pytest.mark.parametrize("kind", ["stub", "ellipsis", "none", "raises"])
def test_a_stub_is_not_attempted_yet(name, kind):
    def raises(*arguments):
        raise NotImplementedError

    answer = {"stub": stub_of(EXERCISES[name]), "ellipsis": ..., "none": None, "raises": raises}[
        kind
    ]
    result = getattr(checks, name)(answer)
    assert result.message.split("\n")[0] == f"{name.replace('_', ' ')}: not attempted yet"
    assert not result.attempted and not result.passed and result.picture is None
    if kind != "raises":
        assert "\n" not in result.message
    assert repr(checks.progress()).startswith("Nothing tried yet")


def test_a_number_that_is_not_there_yet():
    assert checks.gpt2_parameters(...).message == "gpt2 parameters: not attempted yet"
    assert checks.gpt2_parameters().message == "gpt2 parameters: not attempted yet"


def test_a_method_that_torch_has_not_is_no_stub():
    """… although torch raises NotImplementedError."""
    result = checks.masked_weights(lambda scores: (scores > 0).softmax(dim=-1))
    assert result.attempted and "not implemented for 'Bool'" in result.message


def test_arguments_in_another_order():
    def scores(X, query):
        return X @ query

    message = checks.scores(scores).message
    assert message.endswith(
        "not yet. Its arguments stand in another order: it is called with (query, X)."
    )


def test_zeros_of_its_own_are_right():
    """They are float32, and cannot be multiplied with a float64: nobody asked for that."""

    def attention(X):
        scores = torch.zeros(len(X), len(X))
        for i, query in enumerate(X):
            for j, key in enumerate(X):
                scores[i, j] = query @ key
        weights = scores.softmax(dim=1)
        return weights, weights @ X

    assert checks.self_attention(attention).message == "self attention: correct"


def test_the_last_layer_has_a_bias_always():
    class NoBias(n05.Heads):
        def __init__(self, *sizes, **named):
            super().__init__(*sizes, **named)
            self.out_proj = nn.Linear(sizes[1], sizes[1], bias=False)

    message = checks.multi_head(NoBias).message
    assert "For 2 sentences and 3 heads, out_proj has no bias." in message


def test_right_only_for_the_example_of_the_notebook():
    """What is right there is said, for it is the clue, even where most is wrong."""

    def scores(query, X):
        return torch.stack([X[i] @ query for i in range(3)])

    assert "\nRight for: shiny and its three words" in checks.scores(scores).message


def test_half_a_stub():
    def softmax(scores):
        e = ...
        return e / e.sum()

    message = checks.softmax(softmax).message
    assert message.startswith("softmax: not yet.\nThere is something left to write in line ")
    assert message.endswith(": return e / e.sum()")


def test_a_return_that_was_forgotten():
    def softmax(scores):
        print("shares:", scores.softmax(dim=-1).shape)

    result = checks.softmax(softmax)
    assert result.attempted and not result.passed
    assert result.message == (
        "softmax: not yet.\nFor a row of scores, it gives None back: does it end in a return?\n"
        "It printed: shares: torch.Size([4])"
    )


def test_a_class_with_no_forward():
    class Layer(nn.Module):
        def __init__(self, d_in, d_out, qkv_bias=False):
            super().__init__()

    message = checks.self_attention_module(Layer).message
    assert message == "self attention module: not attempted yet"


def test_half_a_tuple():
    result = checks.self_attention(lambda X: ((X @ X.T).softmax(dim=1), ...))
    said = "not yet.\nFor more words than dimensions, there is a ... left in what it gives back."
    assert result.message == f"self attention: {said}"
    assert result.attempted


# ---------------------------------------------------------------- passing the wrong thing


@pytest.mark.parametrize(
    "name, thing, said",
    [
        ("softmax", torch.ones(3), "Pass the function itself, with no brackets after it; this is of type Tensor."),
        ("softmax", "softmax", "Pass the function itself, with no brackets after it; this is of type str."),
        ("softmax", nn.Softmax, "A function is asked for, and Softmax is a class."),
        ("dropout_module", nn.Dropout(0.5),
         "Pass the class itself, not a layer made from it: checks.dropout_module(Dropout)"),
        ("multi_head", 3, "Pass the class itself, with no brackets after it; this is of type int."),
    ],
)  # fmt: skip
def test_the_wrong_thing(name, thing, said):
    result = check(name, thing)
    assert result.message == f"{name.replace('_', ' ')}: not yet. {said}"
