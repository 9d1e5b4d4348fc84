"""Bad input: the Explorer says plainly what is wrong, or works; it never appears incomplete."""

import math

import ipywidgets as widgets
import numpy as np
import pytest
import torch
from ipywidgets.widgets.widget import _instances
from swept import no_widgets_left  # noqa: F401

from helpers.explorer import Explorer
from helpers.explorer.browser import MatrixView

pytestmark = pytest.mark.filterwarnings(
    "error",
    "ignore::pytest.PytestUnraisableExceptionWarning",  # left behind by another test
)
WORDS = ["Hello", "shiny", "sun"]
EYE = np.eye(3)
NAN_IN_FRONT = np.where(np.eye(3, k=2), math.nan, 1.0)


def refused(names, compute=lambda: EYE, tokens=WORDS, **given):
    """The error of this Explorer, which names the fault; and no view was created."""
    before = set(_instances)  # what other tests have left
    with pytest.raises((TypeError, ValueError)) as caught:
        Explorer(compute, tokens, **given)
    message = str(caught.value)
    assert message.startswith("Explorer: ") and message.count("Explorer: ") == 1, message
    assert names in message, message
    new = [_instances[name] for name in _instances.keys() - before]
    assert not [widget for widget in new if isinstance(widget, (MatrixView, Explorer))]
    return caught.value


def attend(temperature, scale=1.0):
    return EYE * temperature * scale


CONTROLS = {  # what the message names → the controls
    "temprature": {"temprature": (0.1, 1.0, 0.1)},
    "needs 'temperature'": {},
    "temperature=None": {"temperature": None},
    "('a', 'b')": {"temperature": ("a", "b")},
    "temperature=(3, 1)": {"temperature": (3, 1)},
    "temperature=(0, 1, 0)": {"temperature": (0, 1, 0)},
    "max=inf": {"temperature": widgets.FloatSlider(max=math.inf)},
    "Button": {"temperature": widgets.Button()},
    "no choices": {"temperature": []},
    "'temperature' has 10,000,001 settings": {"temperature": (0, 1, 1e-7)},
    "10,000 settings": {"temperature": (0, 99), "scale": (0, 99)},
    "masked takes no argument 'temperature'": {"temperature": (0, 1), "masked": lambda a: EYE},
}


@pytest.mark.parametrize("names", CONTROLS)
def test_controls_that_do_not_fit(names):
    refused(names, compute=attend, **CONTROLS[names])


@pytest.mark.parametrize(
    "compute, names",
    [(torch.nn.Linear, "the class Linear"), ("attend", "str"), (lambda *x: EYE, "argument 'x'")],
)
def test_what_is_no_function_of_the_controls(compute, names):
    refused(names, compute=compute, x=(0, 1))


@pytest.mark.parametrize("error", [ValueError("too hot"), StopIteration()], ids=repr)
def test_compute_raises_at_one_position(error):
    def at_half(temperature, causal):
        if temperature == 0.5 and causal:
            raise error
        return EYE

    words = f"at_half(temperature=0.5, causal=True) raised {type(error).__name__}: {error}"
    given = {"temperature": (0.1, 1.0, 0.1), "causal": False}
    assert refused(words, compute=at_half, **given).__cause__ is error


RESULTS = {  # what the message names → two results, of which the second does not fit
    "'weights' (2, 3)": [EYE, EYE[:2]],
    "'n'": [{"weights": EYE, "n": 1}, EYE],
    "'scores' (3, 3)": [{"weights": EYE, "n": 1}, {"scores": EYE, "n": 1}],
    "None": [EYE, None],
    "a tuple": [EYE, (EYE, EYE)],
    "float 3.0": [EYE, 3.0],
    "list [[1, 2], [3]]": [EYE, [[1, 2], [3]]],
    "complex": [EYE, EYE * 1j],
    "(heads, rows, columns)": [EYE, np.zeros((2, 2, 3, 3))],
    "row 'Hello', column 'sun' of 'weights'": [EYE, NAN_IN_FRONT],
    "inf at row 'Hello'": [EYE, EYE * 1e300],
    "column 'sun', head 2": [[EYE] * 2, [EYE, NAN_IN_FRONT]],
    "'n' is -inf": [{"a": EYE, "n": 1}, {"a": EYE, "n": -math.inf}],
}


@pytest.mark.parametrize("names", RESULTS)
def test_a_result_that_is_no_matrix_or_another_one(names):
    def f(x):
        return RESULTS[names][x]

    assert str(refused(names, compute=f, x=[0, 1])).startswith("Explorer: f(x=1): ")


NO_FIT = {  # what the message names → labels or settings
    "2 labels": {"tokens": ["a", "b"]},
    "tokens is empty": {"tokens": []},
    "tokens='Hello'": {"tokens": "Hello"},
    "['Hello', 2, 'sun']": {"tokens": ["Hello", 2, "sun"]},
    "rows must be a dict": {"rows": WORDS},
    "columns['weights']='abc'": {"columns": {"weights": "abc"}},
    "rows names 'x'": {"rows": {"x": WORDS}},
    "scores, vectors": {"roles": {"weights": "query"}},
    "limits['weights']=0": {"limits": {"weights": 0}},
    "decimals=11": {"decimals": 11},
    "masked has shape (2, 2)": {"masked": np.eye(2)},
    "masked() raised ZeroDivisionError": {"masked": lambda: 1 / 0},
    "'masked' is str 'causal'": {"masked": "causal"},
    "'X' is str 'abc'": {"operands": {"X": "abc"}},
    "operands['X'], of shape (3, 3)": {"operands": {"X": EYE + math.nan}},
    "operands['X'], of shape (1, 1, 1)": {"operands": {"X": np.zeros((1, 1, 1))}},
    "operands has 'weights'": {"operands": {"weights": EYE}},
    "sums has 'scores'": {"sums": {"scores": "X @ X"}},
    "weights; bars cannot": {
        "compute": lambda: {"weights": EYE, "probabilities": EYE[0]},
        "sums": {"probabilities": "softmax(weights)"},
    },
    "'weights' is not softmax(weights)": {"sums": {"weights": "softmax(weights)"}},
    "divides by 't'": {"sums": {"weights": "weights @ weights / t"}},
    "Known numbers: none": {
        "compute": lambda t: EYE,
        "sums": {"weights": "weights @ weights / t"},
        "t": widgets.FloatText(1),  # a number that is typed: only the kernel would know it
    },
    "overview=('a', 'b')": {"overview": ("a", "b")},
}


@pytest.mark.parametrize("names", NO_FIT)
def test_labels_and_settings_that_fit_nothing(names):
    refused(names, **NO_FIT[names])


def test_a_sum_that_is_false_at_one_position_only():
    def compute(t):
        return {"scores": EYE, "weights": EYE * (2 if t == 3 else 1)}

    words = "compute(t=3): 'weights' is not scores @ scores"
    refused(words, compute=compute, sums={"weights": "scores @ scores"}, t=(1, 4))


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
    "token, shown", [("\n", r"\n"), ("\x1b[31m", r"\x1b[31m"), ("\ud800", r"\ud800")]
)
def test_tokens_that_cannot_be_seen_are_spelt_out(token, shown):
    e = Explorer(lambda: EYE, [token, "b", "c"])
    assert e.view.spec["panels"][0]["rows"] == [[shown, "b", "c"]]
