"""The checks: what is right is accepted in any style, what is wrong is not, and the words for it."""

import linecache
import re

import numpy as np
import pytest
import right_functions
import right_layers
import torch
import wrong_answers
from torch import nn

from helpers import checks, predictions
from helpers.checking import check
from helpers.exercises import EXERCISES

RIGHT = right_functions.RIGHT | right_layers.RIGHT


def each(answers):
    """One parameter set for each answer to each exercise."""
    pairs = [(name, answer) for name, those in answers.items() for answer in those]
    ids = [f"{name}-{getattr(a, '__name__', type(a).__name__)}" for name, a in pairs]
    return pytest.mark.parametrize("name, answer", pairs, ids=ids)


@pytest.fixture(autouse=True)
def a_new_kernel(monkeypatch):
    monkeypatch.setattr(checks, "_results", {})


# ---------------------------------------------------------------- right and wrong


def test_every_exercise_has_answers_of_either_kind():
    assert set(RIGHT) == set(wrong_answers.UNKNOWN) == set(EXERCISES)
    assert all(len(answers) >= 5 for answers in RIGHT.values())
    assert all(len(answers) >= 3 for answers in wrong_answers.UNKNOWN.values())


@each(RIGHT)
def test_right_answers_are_accepted(name, answer):
    result = getattr(checks, name)(answer)
    assert result.message == f"{name.replace('_', ' ')}: correct"
    assert result.passed and result.attempted and result.pitfall is None
    assert result.picture is None


@each(wrong_answers.UNKNOWN)
def test_wrong_answers_of_no_known_kind_are_rejected_with_a_comparison(name, answer):
    result = getattr(checks, name)(answer)
    assert not result.passed
    assert result.pitfall is None
    assert result.message.startswith(f"{name.replace('_', ' ')}: not yet.\n")
    if name == "leak_test":
        assert re.search(r"Of .+ you say: (it leaks|no leak)\. In truth: ", result.message)
    elif name == "gpt2_parameters":  # too small or too large: the number itself is not given away
        assert "2,362,368" not in result.message.replace("-2,362,368", "")
        assert re.search(r"is too (small|large)\.$", result.message)
    else:
        titles = result.picture.text
        assert re.search(r"^your ", titles) and re.search(r"^expected ", titles, re.MULTILINE)


@pytest.mark.parametrize("name, answer, pitfall", wrong_answers.OTHER_WORDS)
def test_a_known_mistake_is_named_in_other_words_too(name, answer, pitfall):
    assert check(name, answer).pitfall == pitfall


@each({name: answers[:1] for name, answers in wrong_answers.UNKNOWN.items()})
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
        ("leak_test", lambda layer, x: "yes", "it returns a str 'yes'; the answer is True or False"),
        ("self_attention_module", lambda d_in, d_out: 3, "the class is not an nn.Module"),
        ("dropout_module", lambda p: 3, "the class is not an nn.Module"),
        ("gpt2_parameters", "2,362,368", "parameters is a str '2,362,368', not numbers"),
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
         "reads X, keys from the notebook, not from its arguments: forward gets (x)."),
    ],
)  # fmt: skip
def test_what_is_read_from_the_notebook_is_named(exercise, answer, said):
    cells = {}
    exec(NOTEBOOK, cells)
    result = check(exercise, cells[answer])
    assert result.pitfall is None and f"It {said}" in result.message
    assert "from the notebook" not in check("scores", cells["none"]).message


def test_right_for_some_inputs_and_not_for_others():
    message = checks.softmax(wrong_answers.no_max_numpy).message
    assert (
        "\nRight for: a row of scores, a square matrix, a matrix, a batch of matrices, ….\n"
        in message
    )
    assert "\nNot for: large scores, scores far apart, rows far apart.\n" in message


def test_the_numbers_right_and_the_argument_changed():
    def softmax(scores):
        weights = scores.softmax(dim=-1)
        scores.zero_()
        return weights

    result = checks.softmax(softmax)
    assert result.pitfall == "in-place change of an argument"
    result = checks.project(lambda x, *Ws: [x @ W for W in Ws] + x.zero_()[:0].tolist())
    assert result.pitfall == "in-place change of an argument"  # though not listed for it
    result = checks.scores(lambda query, X: (X @ query + 1, query.zero_())[0])
    assert result.pitfall is None
    assert "It changes query, which belongs to the caller." in result.message


@pytest.mark.parametrize(
    "name, answer",
    [
        ("scaled_weights", lambda q, k: torch.tensor((q @ k.T / q.shape[1] ** 0.5).softmax(1).tolist())),
        ("project", lambda x, q, k, v: (x @ q, x @ k, (x @ v).data)),
        ("split_heads", lambda x, h: x.detach().unflatten(-1, (h, -1)).transpose(1, 2)),
        ("masked_weights", lambda s: torch.from_numpy(right_functions.masked_numpy(s.detach().numpy()))),
    ],
)  # fmt: skip
def test_a_gradient_that_is_lost_where_it_could_be_had(name, answer):
    assert check(name, answer).pitfall == "lost gradient"


def test_a_gradient_that_cannot_be_computed():
    def masked(scores):
        e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
        e *= torch.ones(scores.shape[-2:]).tril()
        return e / e.sum(dim=-1, keepdim=True)

    assert checks.masked_weights(masked).pitfall == "lost gradient"


def test_a_parameter_that_is_never_used():
    class Layer(right_layers.Compact):
        def forward(self, x):
            return super().forward(x) + 0 * self.W_key(x).detach()

    assert checks.self_attention_module(Layer).passed


def test_names_that_the_check_cannot_find():
    class Layer(nn.Module):
        def __init__(self, d_in, d_out, qkv_bias=False):
            super().__init__()
            self.q = nn.Linear(d_in, d_out)

        def forward(self, x):
            return self.q(x)

    message = checks.self_attention_module(Layer).message
    assert (
        "the layer has no W_query, W_key, W_value; the check sets weights by these names" in message
    )


def test_a_layer_of_other_sizes():
    class Layer(right_layers.Compact):
        def __init__(self, d_in, d_out, qkv_bias=False):
            super().__init__(d_in, d_out + 1, qkv_bias)

    message = checks.self_attention_module(Layer).message
    assert message.endswith("\nFor 6 tokens, shape of W_query: (3, 3).\n"
                            "For 6 tokens, shape of W_key: (3, 3).\n"
                            "For 6 tokens, shape of W_value: (3, 3).")  # fmt: skip


def test_a_layer_that_returns_its_weights_too():
    class Layer(right_layers.Compact):
        def forward(self, x):
            return super().forward(x), torch.eye(len(x))

    message = checks.self_attention_module(Layer).message
    assert message.endswith(": it returns 2 things, and one was asked for: the context.")


def test_a_layer_whose_weights_are_drawn_whatever_its_context():
    """The picture is the one of the weights, which tells more than the context vectors."""
    result = checks.causal_attention(wrong_answers.Windowed)
    assert result.message.endswith("shows the attention weights that your layer must have used.")
    assert result.picture.text.startswith("your weights\n")


def test_a_picture_of_nan_and_of_huge_numbers():
    picture = checks.softmax(lambda s: torch.where(s > 0, torch.nan, s)).picture
    assert "·" in picture.text and picture.png().startswith(b"\x89PNG")
    picture = checks.softmax(lambda s: s.softmax(-1) * 1e30).picture
    assert picture.png()
    assert checks.softmax(lambda s: s[:0]).picture is None


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
    class NoBias(right_layers.Heads):
        def __init__(self, *sizes, **named):
            super().__init__(*sizes, **named)
            self.out_proj = nn.Linear(sizes[1], sizes[1], bias=False)

    message = checks.multi_head(NoBias).message
    assert "For 2 sentences and 3 heads, the bias of out_proj: missing." in message


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
    assert message.startswith(
        "softmax: not attempted yet\nThere is something left to write in line "
    )
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
    assert result.message.startswith("self attention: not attempted yet")


# ---------------------------------------------------------------- passing the wrong thing


@pytest.mark.parametrize(
    "name, thing, said",
    [
        ("softmax", torch.ones(3), "Pass the function itself, with no brackets after it; this is a Tensor."),
        ("softmax", "softmax", "Pass the function itself, with no brackets after it; this is a str."),
        ("softmax", nn.Softmax, "A function is asked for, and Softmax is a class."),
        ("dropout_module", nn.Dropout(0.5),
         "Pass the class itself, not a layer made from it: checks.dropout_module(Dropout)"),
        ("multi_head", 3, "Pass the class itself, with no brackets after it; this is a int."),
    ],
)  # fmt: skip
def test_the_wrong_thing(name, thing, said):
    result = check(name, thing)
    assert result.message == f"{name.replace('_', ' ')}: not yet. {said}"


# ---------------------------------------------------------------- predictions


@pytest.mark.parametrize("prediction", predictions.PREDICTIONS, ids=lambda p: p.name)
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
        f"{title}: not yet. {prediction.question} Answer with {prediction.form}; this is a dict."
    )


def test_every_notebook_has_a_prediction():
    assert {p.notebook for p in predictions.PREDICTIONS} == {1, 2, 3, 4, 5}


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
    checks.dropout_module(wrong_answers.Halves)
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
    assert checks.yours(right, otherwise=None) is right
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
