"""Bad input: the Explorer says plainly what is wrong, or works; it never appears incomplete."""

import json
import math

import ipywidgets as widgets
import numpy as np
import pytest
import torch
from ipywidgets.widgets.widget import _instances
from swept import no_widgets_left  # noqa: F401

from helpers.explorer import Explorer, MatrixView

pytestmark = pytest.mark.filterwarnings(
    "error",
    "ignore::pytest.PytestUnraisableExceptionWarning",  # left behind by another test
)
WORDS = ["Hello", "shiny", "sun"]
EYE = np.eye(3)
NAN_IN_FRONT = np.where(np.eye(3, k=2), math.nan, 1.0)


def refused(kind, words, compute=lambda: EYE, tokens=WORDS, **given):
    """The error of this Explorer: exactly this type, with these words, and no view was created."""
    with pytest.raises(kind) as caught:
        Explorer(compute, tokens, **given)
    message = str(caught.value)
    assert caught.type is kind
    assert message.startswith("Explorer: ") and message.count("Explorer: ") == 1, message
    assert words in message
    assert not [w for w in _instances.values() if isinstance(w, (MatrixView, Explorer))]
    return caught.value


def attend(temperature, scale=1.0):
    return EYE * temperature * scale


CONTROLS = [
    ({"temprature": (0.1, 1.0, 0.1)}, "attend takes no argument 'temprature'; it takes: temp"),
    ({}, "attend needs 'temperature', but no control sets it. Add one, such as temperature=("),
    ({"temperature": None}, "temperature=None is not understood. Give (lowest, highest, step)"),
    ({"temperature": ("a", "b")}, "not understood"),
    ({"temperature": len}, "not understood"),
    ({"temperature": (3, 1)}, "cannot be made into a slider"),
    ({"temperature": math.nan}, "cannot be made into a slider"),
    ({"temperature": (0, 1, 0)}, "cannot be made into a slider"),
    ({"temperature": []}, "the control 'temperature' has no choices"),
    ({"temperature": widgets.Button}, "is of type Button, which has no value to move"),
    ({"temperature": (0, 1), "masked": lambda causal: EYE}, "masked takes no argument 'temp"),
]


@pytest.mark.parametrize("given, words", CONTROLS)
def test_controls_that_do_not_fit(given, words):
    if given.get("temperature") is widgets.Button:
        given = {"temperature": widgets.Button()}
    refused(TypeError, words, compute=attend, **given)


@pytest.mark.parametrize(
    "compute, words",
    [
        (torch.nn.Linear, "expected a function, got the class Linear; give the name of one"),
        ("attend", "got str"),
        (lambda *x: EYE, "takes no argument 'x'; it takes: nothing"),
    ],
)
def test_what_is_no_function_of_the_controls(compute, words):
    refused(TypeError, words, compute=compute, x=(0, 1))


@pytest.mark.parametrize("error", [ValueError("too hot"), StopIteration()], ids=repr)
def test_compute_raises_at_one_position(error):
    def at_half(temperature, causal):
        if temperature == 0.5 and causal:
            raise error
        return EYE

    words = f"at_half(temperature=0.5, causal=True) raised {type(error).__name__}: {error}"
    given = {"temperature": (0.1, 1.0, 0.1), "causal": False}
    assert refused(ValueError, words, compute=at_half, **given).__cause__ is error


RESULTS = [  # the second result does not fit the first
    (
        [EYE, EYE[:2]],
        "'weights' (2, 3), but for the first setting it was 'weights' (3, 3). Keep the sh",
    ),
    ([{"weights": EYE, "n": 1}, EYE], "but for the first setting it was 'weights' (3, 3), 'n'"),
    ([{"weights": EYE, "n": 1}, {"scores": EYE, "n": 1}], "'scores' (3, 3)"),
    ([EYE, None], "got None; does the function end in a return?"),
    ([EYE, (EYE, EYE)], 'got a tuple; name its matrices: return {"scores": …'),
    ([EYE, 3.0], "got float 3.0; return a matrix, or a dict of named matrices"),
    ([EYE, [[1, 2], [3]]], "'weights' is list [[1, 2], [3]]; expected a matrix of numbers"),
    ([EYE, EYE * 1j], "'weights' holds complex numbers; expected real ones"),
    ([EYE, np.zeros((2, 2, 3, 3))], "expected (rows, columns) or (heads, rows, columns)"),
    ([EYE, NAN_IN_FRONT], "nan at row 'Hello', column 'sun' of 'weights'"),
    ([EYE, EYE * 1e300], "inf at row 'Hello', column 'Hello'"),
    ([[EYE] * 2, [EYE, NAN_IN_FRONT]], "column 'sun', head 2 of 'weights'"),
    ([{"a": EYE, "n": 1}, {"a": EYE, "n": -math.inf}], "the number 'n' is -inf"),
]


@pytest.mark.parametrize("results, words", RESULTS)
def test_a_result_that_is_no_matrix_or_another_one(results, words):
    def f(x):
        return results[x]

    error = (
        TypeError
        if "got" in words or "expected a matrix" in words or "complex" in words
        else ValueError
    )
    message = str(refused(error, words, compute=f, x=[0, 1]))
    assert message.startswith("Explorer: f(x=1): ")


NO_FIT = [
    (ValueError, "'weights' has 3 rows, but there are 2 labels for them (a, b)", {"tokens": ["a", "b"]}),
    (ValueError, "tokens is empty; give at least one word", {"tokens": []}),
    (TypeError, "tokens='Hello' is not a list of words", {"tokens": "Hello"}),
    (TypeError, "is not a list of words", {"tokens": ["Hello", 2, "sun"]}),
    (TypeError, "rows must be a dict", {"rows": WORDS}),
    (TypeError, "columns['weights']='abc' is not a list of words", {"columns": {"weights": "abc"}}),
    (ValueError, "rows names 'x', but the matrices are: weights", {"rows": {"x": WORDS}}),
    (ValueError, "expected one of: weights, scores, vectors", {"roles": {"weights": "query"}}),
    (ValueError, "limits['weights']=0 must be a number above 0", {"limits": {"weights": 0}}),
    (ValueError, "decimals=11 is not between 0 and 10", {"decimals": 11}),
    (ValueError, "masked has shape (2, 2), but 'weights' is (3, 3)", {"masked": np.eye(2)}),
    (ValueError, "masked() raised ZeroDivisionError", {"masked": lambda: 1 / 0}),
    (TypeError, "'masked' is str 'causal'", {"masked": "causal"}),
    (TypeError, "'X' is str 'abc'; expected a matrix of numbers", {"operands": {"X": "abc"}}),
    (ValueError, "operands['X'] is not a matrix of finite", {"operands": {"X": EYE + math.nan}}),
    (ValueError, "operands['X'] is not a matrix: its shape", {"operands": {"X": np.zeros((1,) * 4)}}),
    (ValueError, "operands has 'weights', but the function returns", {"operands": {"weights": EYE}}),
    (ValueError, "sums has 'scores', which the function does not return", {"sums": {"scores": "X @ X"}}),
    (ValueError, "'weights' is not softmax(weights), although sums", {"sums": {"weights": "softmax(weights)"}}),
    (ValueError, "divides by 't', which is neither a number", {"sums": {"weights": "weights @ weights / t"}}),
    (ValueError, "overview=('a', 'b') does not name two controls", {"overview": ("a", "b")}),
]  # fmt: skip


@pytest.mark.parametrize("kind, words, given", NO_FIT)
def test_labels_and_settings_that_fit_nothing(kind, words, given):
    refused(kind, words, **given)


def test_a_sum_that_is_false_at_one_position_only():
    def compute(t):
        return {"scores": EYE, "weights": EYE * (2 if t == 3 else 1)}

    words = "compute(t=3): 'weights' is not scores @ scores, although sums says"
    refused(ValueError, words, compute=compute, sums={"weights": "scores @ scores"}, t=(1, 4))


# -- what looks odd and works -----------------------------------------------------------------------


GRADIENT = torch.tensor([[0.5, 0.25], [1.0, 0.0]], requires_grad=True)


@pytest.mark.parametrize(
    "result",
    [
        GRADIENT,
        GRADIENT.bfloat16(),
        [row.half() for row in GRADIENT],
        [GRADIENT[0], [True, False]],
    ],
)
def test_every_kind_of_matrix_works(result):
    e = Explorer(lambda: {"weights": result, "n": GRADIENT[0, 0]}, ["a", "b"])
    assert np.frombuffer(e.view.frames, np.float32).tolist() == [0.5, 0.25, 1.0, 0.0, 0.5]


def test_the_order_of_the_results_does_not_matter():
    def compute(x):
        pairs = [("weights", [[x]]), ("context", [[10 + x]]), ("n", 20 + x), ("m", 30 + x)]
        return dict(pairs if x else pairs[::-1])

    e = Explorer(compute, ["t"], x=[0, 1])
    assert np.frombuffer(e.view.frames, np.float32).tolist() == [10, 0, 30, 20, 11, 1, 31, 21]


@pytest.mark.parametrize(
    "tokens",
    [
        ["<img src=x onerror=alert(1)>", "</script>", "&amp;"],
        ["👩‍💻", "שלום", "\u202eabc"],
        ["x" * 60, "$x$", r"\frac{1}{$\alpha"],
        ["", " ", "\u00a0"],
        ["a", "a", "%s {x}"],
    ],
)
def test_odd_tokens_go_in_as_they_are(tokens):
    e = Explorer(lambda: EYE, iter(tokens))
    panel = e.view.spec["panels"][0]
    assert panel["rows"] == panel["columns"] == [tokens]
    json.dumps(e.view.spec, allow_nan=False).encode()  # otherwise it never reaches the browser
    data, _ = e._repr_mimebundle_()
    assert data["text/plain"] == repr(e) and data["image/png"]
    for token, line in zip(tokens, repr(e).splitlines()[3:], strict=True):
        assert token[:11] in line and len(line) < 60


@pytest.mark.parametrize(
    "token, shown", [("\n", r"\n"), ("\x1b[31m", r"\x1b[31m"), ("\ud800", r"\ud800")]
)
def test_tokens_that_cannot_be_seen_are_spelt_out(token, shown):
    e = Explorer(lambda: EYE, [token, "b", "c"])
    assert e.view.spec["panels"][0]["rows"] == [[shown, "b", "c"]]
