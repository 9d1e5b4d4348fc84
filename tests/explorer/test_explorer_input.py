"""Bad input: the Explorer says in plain words what is wrong, or works; it never half appears."""

import functools
import json
import math
import re

import ipywidgets as widgets
import numpy as np
import pytest
import torch
from ipywidgets.widgets.widget import _instances

from helpers.explorer import Explorer, MatrixView
from helpers.pictures import plots
from helpers.pictures.frames import to_array
from helpers.pictures import picture

pytestmark = pytest.mark.filterwarnings(
    "error",
    "ignore::pytest.PytestUnraisableExceptionWarning",  # what another test left behind
)
WORDS = ["Hello", "shiny", "sun"]
EYE = np.eye(3)


@pytest.fixture(autouse=True)
def no_widgets_left(monkeypatch):
    monkeypatch.setattr(picture, "DPI", 36)  # fewer pixels, sooner drawn
    yield
    widgets.Widget.close_all()


def views():
    return [w for w in _instances.values() if isinstance(w, (MatrixView, Explorer))]


def refused(kind, *words, compute=lambda: EYE, tokens=WORDS, **kwargs):
    """The error of an Explorer made so: of this very kind, in plain words, with no view made."""
    before = views()
    with pytest.raises(kind) as caught:
        Explorer(compute, tokens, **kwargs)
    message = str(caught.value)
    assert caught.type is kind
    assert message.startswith("Explorer: ") and message.count("Explorer: ") == 1, message
    for word in words:
        assert word in message, message
    assert views() == before
    return caught.value


def accepted(compute=lambda: EYE, tokens=WORDS, **kwargs):
    """The frames of an Explorer made so."""
    e = Explorer(compute, tokens, **kwargs)
    assert repr(e).startswith("Explorer of ")
    json.dumps(e.view.spec, allow_nan=False).encode()  # or it never reaches the browser
    return np.frombuffer(e.view.frames, np.float32)


# -- controls and arguments -----------------------------------------------------------------------


def attend(temperature, scale=1.0):
    return EYE * temperature * scale


class Attention:
    def __init__(self, temperature):
        self.temperature = temperature

    def __call__(self, temperature):
        return EYE * temperature


class Layer(torch.nn.Module):
    def forward(self, x):
        return x


def test_a_control_that_compute_does_not_take():
    refused(
        TypeError, "attend takes no argument 'temprature'", "it takes: temperature, scale",
        compute=attend, temperature=(0.1, 1.0, 0.1), temprature=(0.1, 1.0, 0.1),
    )  # fmt: skip
    refused(TypeError, "<lambda> takes no argument 'x'; it takes: nothing", x=(0, 1))


def test_an_argument_that_no_control_gives():
    words = ("attend needs 'temperature'", "no control gives it", "temperature=(0.0, 1.0, 0.1)")
    refused(TypeError, *words, compute=attend)
    refused(TypeError, *words, compute=attend, scale=(0.1, 1.0, 0.1))
    keyword = functools.partial(attend, scale=2.0)
    refused(TypeError, "attend needs 'temperature'", compute=keyword)


@pytest.mark.parametrize("compute", [Attention, Layer, dict, torch.nn.Linear])
def test_a_class_by_mistake(compute):
    refused(
        TypeError, f"expected a function, got the class {compute.__name__}", "object made from it",
        compute=compute, temperature=(0.1, 1.0, 0.1),
    )  # fmt: skip


@pytest.mark.parametrize(
    "compute, kind",
    [(EYE, "ndarray"), (torch.eye(3), "Tensor"), (None, "NoneType"), ("attend", "str"), (3, "int")],
    ids=repr,
)
def test_a_result_in_place_of_the_function(compute, kind):
    refused(TypeError, f"expected a function, got {kind}", "without brackets", compute=compute)


NO_CONTROLS = {
    "None": (lambda: None, "not understood"),
    "an empty tuple": (lambda: (), "not understood"),
    "a tuple of words": (lambda: ("a", "b"), "not understood"),
    "one end": (lambda: (1,), "not understood"),
    "four numbers": (lambda: (0, 1, 0.1, 5), "not understood"),
    "a complex number": (lambda: 1j, "not understood"),
    "a function": (lambda: len, "not understood"),
    "a widget's class": (lambda: widgets.FloatSlider, "not understood"),
    "ends the wrong way round": (lambda: (3, 1), "makes no slider"),
    "a step backwards": (lambda: (0.0, 1.0, -0.1), "has step -0.1"),
    "a step of 0": (lambda: (0.0, 1.0, 0.0), "has step 0.0"),
    "NaN": (lambda: math.nan, "makes no slider"),
    "a tensor of one number": (lambda: torch.tensor(0.3), "makes no slider"),
    "infinity": (lambda: math.inf, "not understood"),
    "up to infinity": (lambda: (0.0, math.inf, 0.1), "makes no slider"),
    "no choices": (lambda: [], "has no choices"),
    "no named choices": (lambda: {}, "has no choices"),
    "Dropdown without choices": (widgets.Dropdown, "has no choices"),
    "ToggleButtons without choices": (widgets.ToggleButtons, "has no choices"),
    "Button": (widgets.Button, "of type Button, which has no value to move"),
    "VBox": (widgets.VBox, "of type VBox, which has no value to move"),
    "Output": (widgets.Output, "of type Output, which has no value to move"),
    "Layout": (widgets.Layout, "of type Layout, which has no value to move"),
    "fixed": (lambda: widgets.fixed(3), "of type fixed, which has no value to move"),
}


@pytest.mark.parametrize("make, words", NO_CONTROLS.values(), ids=NO_CONTROLS)
def test_what_makes_no_control(make, words):
    refused(TypeError, "the control", "temperature", words, compute=attend, temperature=make())


# -- compute at one position ----------------------------------------------------------------------


class Unusual(Exception):
    def __init__(self, a, b):
        super().__init__(a, b)


@pytest.mark.parametrize(
    "error",
    [ValueError("too hot"), TypeError("no"), KeyError("sun"), ZeroDivisionError(), Unusual(1, 2),
     RuntimeError("mat1 and mat2"), AssertionError("rows"), StopIteration(), NotImplementedError(),
     UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad")],
    ids=lambda e: type(e).__name__,
)  # fmt: skip
def test_compute_raises_at_one_position(error):
    def at_half(temperature, causal):
        if temperature == 0.5 and causal:
            raise error
        return EYE

    raised = refused(
        ValueError,
        f"at_half(temperature=0.5, causal=True) raised {type(error).__name__}: {error}",
        compute=at_half,
        temperature=(0.1, 1.0, 0.1),
        causal=False,
    )
    assert raised.__cause__ is error


def test_a_position_of_words_and_functions_is_named_as_the_control_names_it():
    def at(query, function):
        return EYE / 0 if function is math.exp else [[1]] if query == "sun" else EYE

    words = "at(query='sun', function=log): the result is 'weights' (1, 1)"
    functions = {"log": math.log}
    refused(ValueError, words, compute=at, query=WORDS, function=functions)


def shaped(*shapes):
    """compute(x) whose weights take these shapes one after the other."""
    return lambda x: np.zeros(shapes[x])


def test_a_shape_that_changes():
    refused(
        ValueError, "<lambda>(x=1): the result is 'weights' (3, 2)", "first position it was 'weights' (3, 3)",
        compute=shaped((3, 3), (3, 2)), x=[0, 1],
    )  # fmt: skip
    refused(ValueError, "(2, 3, 3)", compute=shaped((3, 3), (2, 3, 3)), x=[0, 1])


@pytest.mark.parametrize(
    "second, words",
    [
        ({"weights": EYE}, "the result is 'weights' (3, 3), but"),
        ({"weights": EYE, "n": 1.0, "m": 2.0}, "'n', 'm'"),
        ({"weights": EYE, "n": EYE}, "'n' (3, 3)"),
        ({"scores": EYE, "n": 1.0}, "'scores' (3, 3)"),
        (EYE, "the result is 'weights' (3, 3), but"),
    ],
)
def test_a_result_that_changes(second, words):
    def compute(x):
        return second if x else {"weights": EYE, "n": 1.0}

    refused(ValueError, "(x=1)", words, compute=compute, x=[0, 1])


def test_the_order_of_the_results_does_not_matter():
    def compute(x):
        pairs = [("weights", [[x]]), ("context", [[10 + x]]), ("n", 20 + x), ("m", 30 + x)]
        return dict(pairs if x else pairs[::-1])

    expected = [10, 0, 30, 20, 11, 1, 31, 21]
    assert accepted(compute, ["t"], x=[0, 1]).tolist() == expected


@pytest.mark.parametrize(
    "result, kind, words",
    [
        (None, TypeError, "got None; does the function end in a return?"),
        (3.0, TypeError, "got float 3.0; return a matrix, or a dict of named matrices"),
        (torch.tensor(3.0), TypeError, "return a matrix, or a dict of named matrices"),
        ({}, TypeError, "got dict {}; return a matrix"),
        ({"loss": 0.5}, TypeError, "return a matrix"),
        ((EYE, EYE), TypeError, 'got a tuple; name its matrices: return {"scores": …'),
        ((torch.eye(3), torch.ones(3, 2)), TypeError, "got a tuple"),
        ("weights", TypeError, "'weights' is str 'weights'; expected a matrix of numbers"),
        ({"scores": None}, TypeError, "'scores' is NoneType None; expected a matrix of numbers"),
        ([[1, 2], [3]], TypeError, "'weights' is list [[1, 2], [3]]; expected a matrix of numbers"),
        ([torch.ones(3), torch.ones(2)], TypeError, "expected a matrix of numbers"),
        ([["a", "b"]], TypeError, "expected a matrix of numbers"),
        (np.array([[None]]), TypeError, "expected a matrix of numbers"),
        ([[10**400]], TypeError, "expected a matrix of numbers"),
        (object(), TypeError, "'weights' is object"),
        (len, TypeError, "'weights' is builtin_function_or_method"),
        (iter([1]), TypeError, "'weights' is list_iterator"),
        ({1, 2}, TypeError, "'weights' is set {1, 2}"),
        (EYE * 1j, TypeError, "'weights' holds complex numbers; expected real ones"),
        (torch.eye(3) * 1j, TypeError, "'weights' holds complex numbers; expected real ones"),
        (torch.eye(3).to_sparse(), TypeError, "'weights' is Tensor"),
        (torch.empty(3, 3, device="meta"), TypeError, "'weights' is Tensor"),
        ([], ValueError, "has shape (1, 0)"),
        (np.zeros((0, 3)), ValueError, "has shape (0, 3)"),
        (np.zeros((2, 2, 3, 3)), ValueError, "expected (rows, columns) or (heads, rows, columns)"),
    ],
    ids=lambda x: re.sub(r" at 0x.*", "", str(x))[:30],
)
def test_a_result_that_is_no_matrix(result, kind, words):
    refused(kind, "f(x=1): ", words, compute=named("f", lambda x: result), x=[1])


def test_what_numpy_said_is_kept_as_the_cause():
    assert "inhomogeneous" in str(refused(TypeError, compute=lambda: [[1], [2, 3]]).__cause__)


def named(name, function):
    function.__name__ = name
    return function


GRADIENT = torch.tensor([[0.5, 0.25], [1.0, 0.0]], requires_grad=True)


@pytest.mark.parametrize(
    "result",
    [
        GRADIENT.tolist(),
        tuple(map(tuple, GRADIENT.tolist())),
        GRADIENT.detach().numpy(),
        GRADIENT.detach().numpy().astype(np.float16),
        GRADIENT.detach().numpy().astype(np.longdouble),
        np.asfortranarray(GRADIENT.detach().numpy())[:, ::-1][:, ::-1],
        GRADIENT,
        torch.nn.Parameter(GRADIENT.detach()),
        GRADIENT.T.contiguous().T,
        GRADIENT.half(),
        GRADIENT.bfloat16(),
        GRADIENT.double(),
        GRADIENT.detach().to(torch.float8_e4m3fn),
        [row for row in GRADIENT],
        [[x for x in row] for row in GRADIENT],
        [row.bfloat16() for row in GRADIENT],
        [GRADIENT[0], [1.0, 0.0]],
        {"weights": GRADIENT},
    ],
    ids=lambda r: f"{type(r).__name__} {getattr(r, 'dtype', '')}",
)
def test_every_kind_of_matrix_works(result):
    assert accepted(lambda: result, ["a", "b"]).tolist() == [0.5, 0.25, 1.0, 0.0]


@pytest.mark.parametrize(
    "result",
    [
        [[True, False], [False, True]],
        torch.eye(2).bool(),
        torch.eye(2).int(),
        np.eye(2, dtype="u1"),
    ],
)
def test_whole_numbers_and_truth_values_work(result):
    assert accepted(lambda: result, ["a", "b"]).tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize(
    "number", [0.5, np.float32(0.5), np.array(0.5), torch.tensor(0.5, requires_grad=True)]
)
def test_plain_numbers_go_underneath(number):
    assert accepted(lambda: {"w": [[1.0]], "n": number, "m": True}, ["a"]).tolist() == [1, 0.5, 1]


# -- NaN and infinity -----------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e300])
@pytest.mark.parametrize("kind", [np.array, torch.tensor])
def test_what_is_not_finite_is_named_by_row_column_panel_and_position(bad, kind):
    def blow_up(temperature, scale):
        context = EYE.copy()
        if (temperature, scale) == (0.5, 2):
            context[2, 1] = bad
        return {"weights": EYE, "context": kind(context)}

    shown = {1e300: "inf"}.get(bad, str(bad))
    refused(
        ValueError,
        f"blow_up(temperature=0.5, scale=2): {shown} at row 'sun', column 'x2' of 'context'",
        compute=blow_up,
        temperature=(0.0, 1.0, 0.5),
        scale=(1, 3),
    )


def test_the_head_is_named_too():
    weights = np.zeros((2, 3, 3))
    weights[1, 0, 2] = math.nan
    refused(ValueError, "row 'Hello', column 'sun', head 2 of 'weights'", compute=lambda: weights)


@pytest.mark.parametrize("bad", [math.nan, -math.inf, 1e300])
def test_a_number_that_is_not_finite(bad):
    words = f"{'inf' if bad == 1e300 else bad} for the number 'entropy'"
    compute = lambda x: {"weights": EYE, "n": 1, "entropy": bad if x else 1}  # noqa: E731
    refused(ValueError, "(x=1): ", words, compute=compute, x=[0, 1])


def test_nan_behind_the_mask_is_fine_and_in_front_is_not():
    future = np.triu(np.ones((3, 3), bool), 1)
    scores = np.where(future, math.nan, 1.0)
    assert np.isnan(accepted(lambda: {"scores": scores}, masked=future)).sum() == 3
    refused(ValueError, "row 'Hello', column 'sun' of 'scores'", compute=lambda: {"scores": scores},
            masked=np.eye(3, k=1))  # fmt: skip
    refused(
        ValueError, "column 'x2' of 'context'", compute=lambda: {"context": scores}, masked=future
    )


@pytest.mark.parametrize(
    "masked, kind, words",
    [
        (True, ValueError, "masked has shape (), but 'weights' is (3, 3)"),
        ([True, False, True], ValueError, "masked has shape (3,)"),
        (np.eye(2), ValueError, "masked has shape (2, 2)"),
        (np.zeros((2, 3, 3)), ValueError, "masked has shape (2, 3, 3)"),
        ("causal", TypeError, "'masked' is str 'causal'"),
        (lambda: "causal", TypeError, "'masked' is str 'causal'"),
        (lambda: 1 / 0, ValueError, "masked() raised ZeroDivisionError: division by zero"),
        (lambda tokens: EYE, TypeError, "masked needs 'tokens'"),
        (np.ndarray, TypeError, "got the class ndarray"),
    ],
)
def test_masks_that_fit_nothing(masked, kind, words):
    refused(kind, words, masked=masked)


def test_a_mask_that_takes_other_arguments():
    masked = lambda causal: EYE  # noqa: E731
    refused(
        TypeError, "masked takes no argument 'temperature'; it takes: causal",
        compute=attend, masked=masked, temperature=(0, 1),
    )  # fmt: skip


# -- tokens and labels ----------------------------------------------------------------------------


@pytest.mark.parametrize("tokens", [["Hello", "shiny"], [*WORDS, "!"], ["sun"]])
def test_more_or_fewer_tokens_than_rows(tokens):
    words = (
        f"'weights' has 3 rows, but there are {len(tokens)} labels for them ({', '.join(tokens)})"
    )
    refused(ValueError, words, 'rows={"weights": […]}', tokens=tokens)


def test_more_or_fewer_tokens_than_columns():
    refused(ValueError, "'weights' has 2 columns, but there are 3", compute=lambda: np.ones((3, 2)))


def test_many_or_long_labels_are_cut_in_the_message():
    raised = refused(ValueError, "but there are 50 labels", tokens=["x" * 60] * 50)
    assert len(str(raised)) < 250


@pytest.mark.parametrize(
    "tokens", [[], (), np.array([]), iter([])], ids=["list", "tuple", "array", "iterator"]
)
def test_no_tokens(tokens):
    refused(ValueError, "tokens is empty; give at least one word", tokens=tokens)


@pytest.mark.parametrize(
    "tokens", [None, 3, "Hello", b"Hello", ["Hello", 2, "sun"], [b"a", b"b", b"c"], EYE], ids=repr
)
def test_tokens_that_are_no_words(tokens):
    refused(TypeError, "tokens=", "is not a list of words; write", tokens=tokens)


@pytest.mark.parametrize(
    "tokens", [tuple(WORDS), np.array(WORDS), iter(WORDS), dict.fromkeys(WORDS)]
)
def test_any_series_of_words_will_do(tokens):
    e = Explorer(lambda: EYE, tokens)
    assert e.view.spec["panels"][0]["rows"][0] == WORDS


ODD_TOKENS = {
    "markup": ["<img src=x onerror=alert(1)>", "</script>", "&amp;"],
    "emoji": ["🌞", "👩‍💻", "☀️"],
    "right to left": ["مرحبا", "שלום", "\u202eabc"],
    "Chinese, Japanese": ["你好", "太陽", "こんにちは"],
    "60 characters": ["x" * 60, "ü" * 60, "🌞" * 60],
    "formulas": ["$x$", "$", r"\frac{1}{$\alpha"],
    "spaces": ["", " ", "\u00a0"],
    "the same": ["a", "a", "a"],
    "format codes": ["%s", "{x}", "_"],
}


@pytest.mark.parametrize("tokens", ODD_TOKENS.values(), ids=ODD_TOKENS)
def test_odd_tokens_go_in_as_they_are(tokens):
    accepted(tokens=tokens)
    e = Explorer(lambda: EYE, tokens)
    data, _ = e._repr_mimebundle_()
    assert data["text/plain"] == repr(e) and data["image/png"]
    assert e.view.spec["panels"][0]["rows"][0] == e.view.spec["panels"][0]["columns"][0] == tokens
    _, _, _, *lines = repr(e).splitlines()
    assert len(lines) == len(tokens)
    for token, line in zip(tokens, lines):
        assert token[:11] in line
        assert len(line) < 60


@pytest.mark.parametrize(
    "token, shown",
    [("\n", r"\n"), ("a\tb", r"a\tb"), ("\x1b[31m", r"\x1b[31m"), ("\x00", r"\x00"),
     ("\u2028", r"\u2028"), ("\ud800", r"\ud800")],
)  # fmt: skip
def test_tokens_that_cannot_be_seen_are_spelt_out(token, shown):
    accepted(tokens=[token, "b", "c"])
    e = Explorer(lambda: EYE, [token, "b", "c"])
    assert e.view.spec["panels"][0]["rows"][0] == [shown, "b", "c"]
    assert shown in e._repr_mimebundle_()[0]["text/plain"]


@pytest.mark.parametrize(
    "labels, kind, words",
    [
        ({"rows": ["a", "b", "c"]}, TypeError, 'rows is a dict by name, such as rows={"weights"'),
        ({"columns": np.array(WORDS)}, TypeError, "columns is a dict by name"),
        ({"columns": "x"}, TypeError, "columns is a dict by name"),
        ({"roles": "weights"}, TypeError, "roles is a dict by name"),
        ({"limits": 3.0}, TypeError, "limits is a dict by name"),
        (
            {"sums": "X @ X.T"},
            TypeError,
            'sums is a dict by name, such as sums={"scores": "X @ X.T"}',
        ),
        ({"operands": torch.eye(3)}, TypeError, "operands is a dict by name"),
        ({"operands": EYE}, TypeError, 'operands is a dict by name, such as operands={"X": X}'),
        ({"rows": {"weights": 3}}, TypeError, "rows['weights']=3 is not a list of words"),
        ({"rows": {"weights": "abc"}}, TypeError, "rows['weights']='abc' is not a list of words"),
        ({"rows": {"weights": ["a"]}}, ValueError, "'weights' has 3 rows, but there are 1 labels"),
        ({"columns": {"weights": "abcd"}}, TypeError, "columns['weights']='abcd'"),
        ({"columns": {"weights": list("abcd")}}, ValueError, "'weights' has 3 columns"),
        (
            {"rows": {"wieghts": WORDS}},
            ValueError,
            "rows names 'wieghts', but the matrices are: weights",
        ),
        ({"columns": {"x": WORDS}}, ValueError, "columns names 'x'"),
        ({"roles": {"x": "scores"}}, ValueError, "roles names 'x'"),
        ({"limits": {"x": 2}}, ValueError, "limits names 'x'"),
        ({"roles": {"weights": "query"}}, ValueError, "expected one of: weights, scores, vectors"),
        ({"limits": {"weights": 0}}, ValueError, "limits['weights']=0 must be a number above 0"),
        ({"limits": {"weights": -1.0}}, ValueError, "must be a number above 0"),
        ({"limits": {"weights": math.nan}}, ValueError, "must be a number above 0"),
        ({"limits": {"weights": math.inf}}, ValueError, "must be a number above 0"),
        ({"limits": {"weights": "3"}}, ValueError, "must be a number above 0"),
        ({"decimals": -1}, ValueError, "decimals=-1 is not between 0 and 10"),
        ({"decimals": 11}, ValueError, "decimals=11 is not between 0 and 10"),
        ({"decimals": 2.5}, TypeError, "decimals=2.5 is not a whole number"),
        ({"decimals": "2"}, TypeError, "decimals='2' is not a whole number"),
        ({"decimals": None}, TypeError, "decimals=None is not a whole number"),
        ({"operands": {"X": "abc"}}, TypeError, "'X' is str 'abc'; expected a matrix of numbers"),
        (
            {"operands": {"X": EYE + math.nan}},
            ValueError,
            "operands['X']",
        ),
        ({"operands": {"X": np.zeros((1, 1, 1, 1))}}, ValueError, "operands['X'] is not a matrix"),
        (
            {"operands": {"weights": EYE}},
            ValueError,
            "operands names 'weights', which compute returns",
        ),
        ({"sums": {"scores": "X @ X"}}, ValueError, "no matrix 'scores', but sums has one"),
        ({"sums": {"weights": "X @ X"}}, ValueError, "sums['weights'] names 'X'"),
        ({"sums": {"weights": "weights + 1"}}, ValueError, "is not understood; write it as"),
        ({"sums": {"weights": 3}}, TypeError, "sums['weights']=3 is not text"),
        (
            {"sums": {"weights": "softmax(weights)"}},
            ValueError,
            "'weights' is not softmax(weights), as sums",
        ),
        ({"sums": {"weights": "weights @ weights / weights"}}, ValueError, "divides by 'weights'"),
    ],
)
def test_labels_and_settings_that_fit_nothing(labels, kind, words):
    refused(kind, words, **labels)


def test_a_sum_that_is_false_at_one_position_only():
    def compute(t):
        return {"scores": EYE, "weights": EYE * (2 if t == 3 else 1)}

    refused(
        ValueError, "compute(t=3): 'weights' is not scores @ scores, as sums says",
        compute=compute, sums={"weights": "scores @ scores"}, t=(1, 4),
    )  # fmt: skip


@pytest.mark.parametrize("given", [["a", "b"], [0.5, math.inf], ["1", "nan"], widgets.Text])
def test_a_sum_cannot_divide_by_a_control_that_is_no_number(given):
    given = given() if callable(given) else given
    refused(
        ValueError, "divides by 't', which is neither a number that compute returns nor a control",
        compute=lambda t: {"weights": EYE}, sums={"weights": "weights @ weights / t"}, t=given,
    )  # fmt: skip


# -- the static pictures take the same care ---------------------------------------------------------


@pytest.mark.parametrize(
    "result, tokens, more, kind, words",
    [
        (EYE, [], {}, ValueError, "matrices: tokens is empty"),
        (EYE, "Hello", {}, TypeError, "matrices: tokens='Hello' is not a list of words"),
        (EYE, ["a", "b"], {}, ValueError, "matrices: 'weights' has 3 rows, but there are 2 labels"),
        (
            EYE + math.nan,
            WORDS,
            {},
            ValueError,
            "matrices: nan at row 'Hello'",
        ),
        (EYE, WORDS, {"masked": np.eye(2)}, ValueError, "matrices: masked has shape (2, 2)"),
        (EYE, WORDS, {"limits": {"x": 3}}, ValueError, "matrices: limits names 'x'"),
        (EYE, WORDS, {"decimals": 2.5}, TypeError, "matrices: decimals=2.5"),
        (None, WORDS, {}, TypeError, "matrices: got None"),
        ([[1], [2, 3]], WORDS, {}, TypeError, "matrices: 'weights' is list"),
    ],
)
def test_matrices_refuses_in_the_same_words(result, tokens, more, kind, words):
    with pytest.raises(kind) as caught:
        plots.matrices(result, tokens, **more)
    assert caught.type is kind
    assert str(caught.value).startswith(words)


def test_an_array_is_always_a_copy():
    for value in (np.eye(2), torch.eye(2, dtype=torch.float64), torch.eye(2)):
        copy = to_array("x", value)
        copy[0, 0] = 9
        assert value[0, 0] == 1
