"""The Explorer without a browser: its frames, its links, its live mode, and what stands in for it."""

import functools
import io
import itertools
import json
import math
import re
import sys
from base64 import b64decode
from decimal import Decimal
from types import SimpleNamespace

import ipywidgets as widgets
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from helpers.data.sentences import SUNNY, SUNNY_TOKENS
from helpers.explorer import Explorer, widget
from helpers.explorer.controls import MAX_POSITIONS
from helpers.pictures.roles import role_of

pytestmark = pytest.mark.filterwarnings(
    "error",
    "ignore::pytest.PytestUnraisableExceptionWarning",  # what another test left behind
)
WORDS = ["a", "b", "c"]


@pytest.fixture(autouse=True)
def no_widgets_left():
    yield
    widgets.Widget.close_all()


def attend(temperature=1.0):
    return torch.softmax(SUNNY @ SUNNY.T / temperature, dim=1)


def frames(e):
    """The frames as the browser gets them: (positions, numbers in a frame)."""
    panels = e.view.spec["panels"]
    cells = sum(max(1, p["heads"]) * p["tall"] * p["wide"] for p in panels)
    size = cells + len(e.view.spec["numbers"])
    return np.frombuffer(e.view.frames, np.float32).reshape(-1, size)


def followed(e):
    """(widget, its trait) of every control that the view follows in the browser."""
    return list(zip(e.view.controls, e.view.spec["traits"]))


# -- the sweep ----------------------------------------------------------------------------------


def test_every_position_has_a_frame_and_the_last_control_turns_fastest():
    calls = []

    def compute(a, b):
        calls.append((a, b))
        return [[10 * a + b]]

    e = Explorer(compute, ["x"], a=(1, 2), b=(0, 2))
    assert e.swept
    assert frames(e).ravel().tolist() == [10, 11, 12, 20, 21, 22]
    assert calls[1:] == [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]


def decimal_grid(low, high, step):
    """low, low + step, … up to high, in exact decimal arithmetic."""
    low, high, step = (Decimal(repr(x)) for x in (low, high, step))
    return [float(low + i * step) for i in range(int((high - low) / step) + 1)]


@st.composite
def float_sliders(draw):
    step = draw(st.sampled_from([0.05, 0.1, 0.25, 0.3, 0.7]))
    low = draw(st.integers(-20, 20)) / 20
    stops = draw(st.integers(2, 5))
    high = round(low + (stops - 1 + draw(st.sampled_from([0, 0.4]))) * step, 3)
    return (low, high, step), decimal_grid(low, high, step)


@st.composite
def int_sliders(draw):
    low, step = draw(st.integers(-5, 5)), draw(st.integers(1, 3))
    high = low + draw(st.integers(1, 7))
    given = draw(st.sampled_from([(low, high, step), "widget"]))
    positions = list(range(low, high + 1, step))
    if given == "widget":
        given = widgets.IntSlider(min=low, max=high, step=step, value=low)
    return given, positions


choices = st.lists(st.sampled_from(["Hello", "shiny", "sun", "🌞"]), min_size=1, unique=True)
selections = st.tuples(
    st.sampled_from([list, widgets.Dropdown, widgets.ToggleButtons, widgets.RadioButtons]), choices
).map(lambda pair: (pair[1] if pair[0] is list else pair[0](options=pair[1]), pair[1]))
switches = st.sampled_from([True, False]).map(lambda given: (given, [False, True]))
any_control = st.one_of(float_sliders(), int_sliders(), selections, switches)


@settings(max_examples=60, deadline=None, database=None, derandomize=True)
@given(
    st.lists(any_control, max_size=3),
    st.integers(0, 3),
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(0, 2),
    st.sampled_from([np.array, torch.tensor, np.ndarray.tolist]),
)
def test_frames_are_what_compute_gives_at_every_position(
    controls, heads, rows, width, how_many_numbers, kind
):
    names = ["first", "second", "third"][: len(controls)]
    shape = (heads, rows, rows) if heads else (rows, rows)

    def compute(**values):
        def measure(value):
            return len(value) if isinstance(value, str) else float(value)

        x = sum(measure(v) / 7**k for k, v in enumerate(values.values(), 1))
        weights = np.arange(math.prod(shape)).reshape(shape) * 0.1 + x
        context = np.arange(rows * width).reshape(rows, width) - x
        numbers = {f"number {i}": x * i for i in range(how_many_numbers)}
        return {"weights": kind(weights), "context": kind(context)} | numbers

    tokens = [f"t{i}" for i in range(rows)]
    given = {name: control for name, (control, _) in zip(names, controls)}
    e = Explorer(compute, tokens, rows={"context": tokens}, **given)

    expected = []
    for values in itertools.product(*(positions for _, positions in controls)):
        result = compute(**dict(zip(names, values)))
        expected.append(np.concatenate([np.ravel(x) for x in result.values()]))
    assert e.swept
    np.testing.assert_array_equal(frames(e), np.array(expected, np.float32))
    # What it weighs: positions × floats × 4 bytes, and nothing else is sent.
    floats = max(1, heads) * rows * rows + rows * width + how_many_numbers
    positions = math.prod(len(positions) for _, positions in controls)
    assert len(e.view.frames) == positions * floats * 4
    # Where the controls stand is on the grid, linked, and its frame is the one in text and picture.
    assert [len(stops) for stops in e.view.spec["stops"]] == [len(p) for _, p in controls]
    assert all(e.values[name] in p for name, (_, p) in zip(names, controls))
    assert followed(e) == [(c.widget, c.trait) for c in e.controls]
    index = 0
    for i, (name, (_, p)) in enumerate(zip(names, controls)):
        index = index * len(p) + p.index(e.values[name])
        stop = e.view.spec["stops"][i][p.index(e.values[name])]
        assert getattr(e.controls[i].widget, e.controls[i].trait) == stop
    pairs, numbers = e._shown()
    shown = np.concatenate([*(array.ravel() for _, array in pairs), list(numbers.values())])
    np.testing.assert_array_equal(shown, frames(e)[index])
    json.dumps(e.view.spec, allow_nan=False)  # or it never reaches the browser


def positions_of(given, default=None):
    """(positions that compute was called with, the Explorer) for one control."""
    seen = []

    def compute(x=default):
        seen.append(x)
        return [[0.0]]

    return seen, Explorer(compute, ["t"], x=given)


@pytest.mark.parametrize(
    "given, expected",
    [
        ((0.1, 3.0, 0.1), decimal_grid(0.1, 3.0, 0.1)),
        ((-1.0, 1.0, 0.05), decimal_grid(-1.0, 1.0, 0.05)),
        ((0.05, 1.0, 0.1), decimal_grid(0.05, 1.0, 0.1)),
        ((0, 10, 3), [0, 3, 6, 9]),
        ((0.0, 1.0, 0.3), [0.0, 0.3, 0.6, 0.9]),
        ((-3.6, 0.6, 0.3), decimal_grid(-3.6, 0.6, 0.3)),
    ],
)
def test_a_slider_stops_on_its_grid(given, expected):
    seen, e = positions_of(given)
    assert seen[1:] == expected
    assert [repr(x) for x in seen[1:]] == [
        repr(x) for x in expected
    ]  # 0.3, not 0.30000000000000004
    assert e.controls[0].widget.max == expected[-1]  # the handle cannot go past the last frame


@pytest.mark.parametrize(
    "given, readout",
    [((0.0, 1.0, 0.1), ".1f"), ((0.0, 3.0, 0.02), ".2f"), ((0.25, 2.0, 0.5), ".2f")],
)
def test_the_slider_shows_its_own_value_in_full(given, readout):
    assert positions_of(given)[1].controls[0].widget.readout_format == readout


KINDS = {
    "slider of whole numbers": (lambda: (0, 3), [0, 1, 2, 3], "value"),
    "IntSlider": (lambda: widgets.IntSlider(min=2, max=6, step=2), [2, 4, 6], "value"),
    "FloatSlider": (lambda: widgets.FloatSlider(min=0, max=1, step=0.5), [0.0, 0.5, 1.0], "value"),
    "one whole number": (lambda: 2, [-2, -1, 0, 1, 2, 3, 4, 5, 6], "value"),
    "True": (lambda: True, [False, True], "value"),
    "Checkbox": (widgets.Checkbox, [False, True], "value"),
    "ToggleButton": (widgets.ToggleButton, [False, True], "value"),
    "choices": (lambda: ["Hello", "sun"], ["Hello", "sun"], "index"),
    "named choices": (lambda: {"flat": 3.0, "sharp": 0.1}, [3.0, 0.1], "index"),
    "array of choices": (lambda: np.array([0.5, 2.0]), [0.5, 2.0], "index"),
    "Dropdown": (lambda: widgets.Dropdown(options=[("one", 1), ("two", 2)]), [1, 2], "index"),
    "SelectionSlider": (lambda: widgets.SelectionSlider(options=[1, 10]), [1, 10], "index"),
    "ToggleButtons": (lambda: widgets.ToggleButtons(options=["x", "y"]), ["x", "y"], "index"),
    "RadioButtons": (lambda: widgets.RadioButtons(options=[1, 2]), [1, 2], "index"),
    "Select": (lambda: widgets.Select(options=[1, 2]), [1, 2], "index"),
}


@pytest.mark.parametrize("make, positions, trait", KINDS.values(), ids=KINDS)
def test_every_kind_of_control_with_stops_is_swept(make, positions, trait):
    seen, e = positions_of(make())
    assert e.swept
    assert seen[1:] == positions
    assert followed(e) == [(e.controls[0].widget, trait)]
    assert e.children[-1] is e.view
    beside = e.children[0].children if len(positions) > 2 else [e.children[0]]  # with its buttons
    assert beside[0] is e.controls[0].widget


def test_no_control_at_all_is_one_picture():
    e = Explorer(lambda: np.eye(3), WORDS)
    assert frames(e).tolist() == [np.eye(3).ravel().tolist()]
    assert e.children == (e.view,)
    assert repr(e).startswith("Explorer of <lambda>(); 1 position, all tried")


@pytest.mark.parametrize(
    "given, default, start",
    [
        ((0.1, 3.0, 0.1), 1.0, 1.0),
        ((0.1, 3.0, 0.1), 0.72, 0.7),
        ((0, 10, 3), 5, 6),
        ((0, 10, 3), 9, 9),
        ([1, 2, 3], 3, 3),
        ([1, 2, 3], 7, 1),
        (False, True, False),  # a single value is where to start, as in interact
    ],
)
def test_it_starts_at_the_default_of_the_argument(given, default, start):
    seen, e = positions_of(given, default)
    assert e.values == {"x": start}
    assert seen[0] == start
    assert e.controls[0].widget.value == start


def test_a_widget_starts_where_it_stands():
    slider = widgets.FloatSlider(min=0, max=1, step=0.25, value=0.8)
    assert positions_of(slider, 0.0)[1].values == {"x": 0.75} == {"x": slider.value}
    buttons = widgets.ToggleButtons(options=["a", "b"], index=None)
    assert positions_of(buttons, "b")[1].values == {"x": "a"} == {"x": buttons.value}


class Attention:
    """Something callable that is no function."""

    def __call__(self, x=0.5):
        return [[x]]

    def method(self, x=0.5):
        return [[x]]

    @staticmethod
    def static(x=0.5):
        return [[x]]


class Module(torch.nn.Module):
    def forward(self, x):
        return torch.full((1, 1), x)


def scaled(by, x=0.5):
    return [[by * x]]


@pytest.mark.parametrize(
    "compute, name",
    [
        (lambda x=0.5: [[x]], "<lambda>"),
        (lambda *, x=0.5: [[x]], "<lambda>"),
        (lambda **values: [[values["x"]]], "<lambda>"),
        (lambda x=0.5, unused=3, *rest: [[x]], "<lambda>"),
        (Attention(), "Attention"),
        (Attention().method, "method"),
        (Attention.static, "static"),
        (functools.partial(scaled, 1), "scaled"),
        (functools.partial(scaled, by=1), "scaled"),
        (functools.lru_cache(scaled.__get__(1)), "scaled"),
        (Module(), "Module"),
    ],
)
def test_whatever_can_be_called_by_name_is_a_function(compute, name):
    e = Explorer(compute, ["t"], x=(0.0, 1.0, 0.5))
    assert frames(e).ravel().tolist() == [0.0, 0.5, 1.0]
    assert e.values == {"x": 0.5}
    assert repr(e).startswith(f"Explorer of {name}(x=0.5)")


def test_compute_prints_once_and_not_at_every_position(capsys):
    def compute(x):
        print(f"here at {x}")
        return [[x]]

    e = Explorer(compute, ["t"], x=(0, 50))
    assert capsys.readouterr().out == f"here at {e.values['x']}\n"


def test_compute_may_reuse_its_buffer():
    buffer = torch.zeros(1, 2, dtype=torch.float64)

    def compute(x):
        buffer.fill_(x)
        return {"context": buffer}

    assert frames(Explorer(compute, ["t"], x=(0, 3))).tolist() == [[x, x] for x in range(4)]


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
def test_compute_that_changes_what_the_notebook_holds_is_found_out(kind):
    weights = kind([[1.0, 0.5]])

    def sharpen(by=2):
        weights[:] = weights * by
        return {"context": weights}

    with pytest.raises(
        ValueError, match=r"Explorer: sharpen\(by=2\) gave other numbers when called"
    ):
        Explorer(sharpen, ["t"], by=(1, 3))


def test_what_is_random_needs_a_seed_or_to_say_so():
    def draw(seed):
        generator = np.random.default_rng(seed)
        return {"context": generator.random((1, 3))}

    assert len(frames(Explorer(draw, ["t"], seed=(1, 3)))) == 3
    with pytest.raises(ValueError, match="seed what is random, or pass stable=False"):
        Explorer(draw, ["t"], seed=[None])
    assert len(frames(Explorer(draw, ["t"], seed=[None], stable=False))) == 1


def test_what_the_notebook_changes_later_changes_nothing_here():
    tokens, operand = ["a", "b"], torch.eye(2, dtype=torch.float64)
    e = Explorer(lambda x: torch.eye(2) * x, tokens, operands={"X": operand}, x=(1, 2))
    tokens[0] = "other"
    operand.fill_(9)
    assert e.view.spec["panels"][0]["rows"] == [["a", "b"]]
    assert e.view.spec["operands"]["X"] == [[1, 0], [0, 1]]


# -- what is shown beside the frames --------------------------------------------------------------


def panels(e):
    return {
        p["name"]: SimpleNamespace(**p | {"rows": p["rows"][0], "columns": p["columns"][0]})
        for p in e.view.spec["panels"]
    }


def test_roles_labels_and_limits_go_to_the_view():
    def compute():
        return {
            "attention weights": np.eye(3),
            "Scores": np.eye(3),
            "context": np.zeros((3, 2)),
            "heads": np.zeros((2, 1, 3)),
        }

    e = Explorer(
        compute,
        WORDS,
        rows={"context": ["1", "2", "3"]},
        columns={"Scores": ["k1", "k2", "k3"]},
        roles={"heads": "weights"},
        limits={"Scores": 3},
    )
    p = panels(e)
    assert {n: x.role for n, x in p.items()} == {
        "attention weights": "weights", "Scores": "scores", "context": "vectors", "heads": "weights",
    }  # fmt: skip
    assert p["attention weights"].rows == p["attention weights"].columns == WORDS
    assert (p["context"].rows, p["context"].columns) == (["1", "2", "3"], ["x1", "x2"])
    assert p["Scores"].columns == ["k1", "k2", "k3"]
    assert (p["heads"].heads, p["heads"].rows, p["heads"].columns) == (2, [""], WORDS)
    assert (p["Scores"].limit, p["attention weights"].limit, p["context"].limit) == (3.0, 1.0, 1.0)
    assert p["attention weights"].low == "#FFFFFF" != p["Scores"].low


def test_a_word_for_rows_names_the_single_rows():
    def compute():
        return {"weights": [0.2, 0.3, 0.5], "vectors": np.eye(3)}

    p = panels(Explorer(compute, WORDS, rows="shiny"))
    assert (p["weights"].rows, p["vectors"].rows) == (["shiny"], WORDS)


@pytest.mark.parametrize(
    "masked",
    [
        [[0, 1, 1], [0, 0, 1], [0, 0, 0]],
        np.triu(np.ones((3, 3)), 1),
        lambda t: torch.ones(3, 3).triu(1).bool(),
    ],
)
def test_masked_cells_are_hidden_in_weights_and_scores_of_every_head_only(masked):
    def compute(t):
        weights = np.tril(np.ones((2, 3, 3)))
        scores = np.where(np.triu(np.ones((3, 3)), 1), -np.inf, t)  # −∞ is fine behind the mask
        return {"weights": weights, "scores": scores, "context": np.full((3, 3), 7.0)}

    e = Explorer(compute, WORDS, masked=masked, t=(1, 2))
    weights, scores, context = np.split(frames(e)[1], [18, 27])
    hidden = np.triu(np.ones((3, 3), bool), 1)
    assert (np.isnan(weights.reshape(2, 3, 3)) == hidden).all()
    assert (np.isnan(scores.reshape(3, 3)) == hidden).all()
    assert (scores.reshape(3, 3)[~hidden] == 2).all()
    assert (context == 7).all()


def test_the_mask_may_change_with_the_controls():
    masked = lambda future: np.triu(np.ones((3, 3)), 1 + 9 * future)  # noqa: E731
    e = Explorer(lambda future: np.ones((3, 3)), WORDS, masked=masked, future=False)
    assert np.isnan(frames(e)).sum(axis=1).tolist() == [3, 0]


def dragged(t=1.0):
    scores = SUNNY @ SUNNY.T
    weights = torch.softmax(scores / t, dim=1)
    return {"scores": scores, "weights": weights, "context": weights @ SUNNY, "entropy": 1.5}


SUMS = {"scores": "X @ X.T", "weights": "softmax(scores / t)", "context": "weights @ X"}


def test_true_sums_reach_the_view_with_all_that_they_name():
    e = Explorer(dragged, SUNNY_TOKENS, sums=SUMS, operands={"X": SUNNY}, t=(0.5, 2.0, 0.5))
    found = {n: p.sum for n, p in panels(e).items()}
    assert (
        found["scores"] | {"kind": "dot", "a": "X", "b": "X", "transposed": True} == found["scores"]
    )
    assert found["weights"] | {"kind": "softmax", "a": "scores", "divisor": "t"} == found["weights"]
    assert found["context"] | {"kind": "dot", "a": "weights", "b": "X"} == found["context"]
    assert e.view.spec["operands"]["X"] == [pytest.approx(row) for row in SUNNY.tolist()]
    assert e.view.spec["values"][e.view.spec["controls"]["t"]] == [0.5, 1.0, 1.5, 2.0]


def test_a_vector_operand_is_a_matrix_of_one_row():
    e = Explorer(
        lambda: {"scores": SUNNY @ SUNNY[1]},
        SUNNY_TOKENS,
        sums={"scores": "q @ X.T"},
        operands={"q": SUNNY[1], "X": SUNNY},
    )
    assert np.shape(e.view.spec["operands"]["q"]) == (1, 3)


def test_a_causal_example_with_every_sum():
    hidden = torch.ones(3, 3).triu(1).bool()

    def causal(t=1.0):
        scores = (SUNNY @ SUNNY.T).masked_fill(hidden, -math.inf)
        weights = torch.softmax(scores / t, dim=1)
        return {"scores": scores, "weights": weights, "context": weights @ SUNNY}

    e = Explorer(
        causal, SUNNY_TOKENS, masked=hidden, sums=SUMS, operands={"X": SUNNY}, t=(0.5, 2.0, 0.5)
    )
    assert len(frames(e)) == 4


# -- live ---------------------------------------------------------------------------------------


def half_and(x):
    if x > 1:
        raise ValueError("above 1")
    return [[x, 1 - x]]


def live(**kwargs):
    return Explorer(half_and, ["t"], roles={"weights": "vectors"}, **kwargs)


def test_a_grid_too_large_is_computed_on_demand_and_says_so_once(capsys):
    e = Explorer(lambda a, b: [[a * b]], ["t"], a=(0, 99), b=(0, 99))
    assert not e.swept
    assert "10,000 positions are too many to try beforehand" in e.view.spec["note"]
    assert len(e.view.frames) == 4
    assert followed(e) == []
    assert capsys.readouterr() == ("", "")
    e.controls[0].widget.value, e.controls[1].widget.value = 7, 6
    assert frames(e).tolist() == [[42.0]]
    assert repr(e).startswith("Explorer of <lambda>(a=7, b=6); computed as you move")


def test_frames_too_heavy_for_the_browser_are_computed_on_demand(monkeypatch):
    assert widget.MAX_BYTES >= 1_000_000
    monkeypatch.setattr(widget, "MAX_BYTES", 5 * 9 * 4)
    assert Explorer(lambda x: np.eye(3) * x, WORDS, x=(0, 4)).swept
    assert not Explorer(lambda x: np.eye(3) * x, WORDS, x=(0, 5)).swept


def test_the_limit_of_positions_is_the_same_for_one_slider_and_for_several():
    for top in ((0, MAX_POSITIONS - 1), (0.0, (MAX_POSITIONS - 1) / 8, 0.125)):
        assert Explorer(lambda x: [[x]], ["t"], x=top).swept
    for top in ((0, MAX_POSITIONS), (0.0, MAX_POSITIONS / 8, 0.125)):
        e = Explorer(lambda x: [[x]], ["t"], x=top)
        assert not e.swept
        assert f"{MAX_POSITIONS + 1:,} positions" in e.view.spec["note"]


@pytest.mark.parametrize("given", [(0, 10**12), (0.0, 1e9, 1e-3)], ids=["whole", "decimal"])
def test_a_slider_with_a_million_stops_lists_none_of_them(given):
    seen, e = positions_of(given, 3)
    assert not e.swept
    assert seen[0] == 3
    assert len(seen) < 100
    assert seen[2] == given[0] and seen[-1] == given[1]  # the ends were tried


FREE = {
    "a word": lambda: "Hello",
    "Text": lambda: widgets.Text("Hello"),
    "FloatText": widgets.FloatText,
    "FloatLogSlider": widgets.FloatLogSlider,
    "IntRangeSlider": widgets.IntRangeSlider,
    "SelectMultiple": lambda: widgets.SelectMultiple(options=["a", "b"]),
    "ColorPicker": widgets.ColorPicker,
    "Image": widgets.Image,
    "FloatSlider without steps": lambda: widgets.FloatSlider(step=0),
    "IntSlider without steps": lambda: widgets.IntSlider(step=0),
}


@pytest.mark.parametrize("make", FREE.values(), ids=FREE)
def test_free_input_is_computed_as_it_comes(make):
    e = Explorer(lambda x: [[1.0]], ["t"], x=make())
    assert not e.swept
    assert e.view.spec["note"] == "Computed in the kernel as you type or move."


def test_typing_recomputes():
    e = Explorer(lambda x: [[len(x)]], ["t"], x="sun")
    assert frames(e).tolist() == [[3.0]]
    e.controls[0].widget.value = "shiny"
    assert frames(e).tolist() == [[5.0]]
    assert "(x='shiny')" in repr(e)
    assert "5.00" in repr(e)


def test_an_error_while_live_is_shown_over_the_last_good_picture_until_the_next():
    e = live(x=widgets.FloatText(0.25))
    good = e.view.frames
    e.controls[0].widget.value = 3.0
    assert e.view.error == "Explorer: half_and(x=3.0) raised ValueError: above 1"
    assert e.view.frames == good
    e.controls[0].widget.value = math.nan
    assert "nan at row 't', column 'x1'" in e.view.error
    assert e.view.frames == good
    e.controls[0].widget.value = 0.75
    assert e.view.error == ""
    assert frames(e).tolist() == [[0.75, 0.25]]


def test_a_result_of_another_shape_while_live_is_an_error_too():
    e = Explorer(
        lambda x: np.ones((1, int(x))), ["t"], roles={"weights": "vectors"}, x=widgets.IntText(2)
    )
    e.controls[0].widget.value = 3
    assert "'weights' (1, 3), but at the first position it was 'weights' (1, 2)" in e.view.error
    assert len(frames(e)[0]) == 2


@pytest.mark.parametrize("x", [(0.0, 1.0, 1e-5), (0.0, 1.0, 1e-9)])
def test_live_tries_a_sample_of_positions_beforehand(x):
    assert live(x=x).values["x"] == pytest.approx(0.5, abs=1e-4)


@pytest.mark.parametrize("high", [1.5, 4.0])
def test_a_sampled_position_that_raises_fails_at_the_cell(high):
    with pytest.raises(ValueError, match=r"half_and\(x=.*\) raised ValueError: above 1") as caught:
        live(x=widgets.FloatSlider(value=0.5, min=0.0, max=high, step=1e-5))
    assert str(caught.value.__cause__) == "above 1"


def test_live_tries_every_control_across_its_range():
    seen = set()

    def compute(a, b):
        seen.add((a, b))
        return [[0.0]]

    e = Explorer(compute, ["t"], a=(0, 99), b=(0, 9_999))
    start = e.values
    assert {(0, start["b"]), (99, start["b"]), (start["a"], 0), (start["a"], 9_999)} <= seen
    assert len({a for a, _ in seen}) >= 20 and len({b for _, b in seen}) >= 20


def test_what_compute_prints_while_live_is_not_heard(capsys):
    e = Explorer(lambda x: print("here") or [[len(x)]], ["t"], x="sun")
    assert capsys.readouterr().out == "here\n"
    e.controls[0].widget.value = "Hello"
    assert capsys.readouterr().out == ""


def test_live_a_sum_over_a_control_knows_where_it_stands():
    t = widgets.FloatText(1)
    e = Explorer(dragged, SUNNY_TOKENS, sums=SUMS, operands={"X": SUNNY}, t=t)
    assert panels(e)["weights"].sum["divisor"] == "t"
    assert e.view.at == {"t": 1.0}
    t.value = 2.5
    assert e.view.at == {"t": 2.5}
    with pytest.raises(ValueError, match=r"'weights' is not softmax\(scores / t\)"):
        Explorer(
            lambda t: dragged(),
            SUNNY_TOKENS,
            sums=SUMS,
            operands={"X": SUNNY},
            t=widgets.FloatText(2),
        )


# -- where there is no browser --------------------------------------------------------------------

SUNNY_TEXT = """\
Explorer of attend(temperature=1.0); 30 positions, all tried
weights (queries down, keys across)
       Hello  shiny   sun
Hello   0.27   0.38  0.35
shiny   0.23   0.41  0.36
  sun   0.23   0.39  0.38"""


def test_the_text_is_the_frame_in_words_and_rounded_numbers():
    e = Explorer(attend, SUNNY_TOKENS, temperature=(0.1, 3.0, 0.1))
    assert repr(e) == SUNNY_TEXT
    assert repr(Explorer(attend, SUNNY_TOKENS, temperature=(0.1, 3.0, 0.1))) == SUNNY_TEXT


def test_the_text_follows_the_slider():
    e = Explorer(attend, SUNNY_TOKENS, temperature=(0.1, 3.0, 0.1))
    e.controls[0].widget.value = 0.1
    _, _, _, *rows = repr(e).splitlines()
    assert [row.split()[1:] for row in rows] == [
        [f"{x:.2f}" for x in row] for row in attend(0.1).tolist()
    ]


def test_zeros_have_no_sign_and_masked_cells_are_dots():
    def compute():
        return {"scores": [[-0.001, 5], [-0.0, -0.006]], "n": -0.004}

    e = Explorer(compute, ["a", "b"], masked=[[0, 1], [0, 0]])
    assert repr(e).splitlines()[2:] == [
        "      a      b",
        "a  0.00      ·",
        "b  0.00  -0.01",
        "n = 0.00",
    ]


def test_halves_are_rounded_as_the_browser_rounds_them():
    e = Explorer(lambda: {"scores": [[0.125, -0.125]], "n": 0.375}, ["a", "b"])
    assert repr(e).splitlines()[-2:] == ["  0.13  -0.13", "n = 0.38"]


def test_heads_are_told_apart():
    e = Explorer(lambda: {"weights": np.array([[[0.0]], [[1.0]]])}, ["t"])
    assert repr(e).splitlines()[1:] == [
        "weights, head 1 (queries down, keys across)", "      t", "t  0.00",
        "weights, head 2 (queries down, keys across)", "      t", "t  1.00",
    ]  # fmt: skip


def test_numbers_that_differ_by_machine_stay_out_of_the_text():
    def trained(x):
        return {"weights": np.full((2, 3, 3), 0.123), "loss": 0.456}

    e = Explorer(trained, WORDS, stable=False, x=(1, 2))
    assert repr(e) == "Explorer of trained(x=1); 2 positions, all tried\nweights: 2 × 3 × 3"


def test_decimals():
    e = Explorer(lambda: {"scores": [[1 / 3]], "n": 2 / 3}, ["t"], decimals=4)
    assert "0.3333" in repr(e) and "n = 0.6667" in repr(e)
    assert e.view.spec["decimals"] == 4


def test_a_choice_without_a_plain_name_is_shown_by_its_label():
    functions = {"softmax": lambda s: s, "divide": lambda s: s}
    e = Explorer(lambda f: f([[1.0]]), ["t"], f=functions)
    assert repr(e).startswith("Explorer of <lambda>(f=softmax); 2 positions")
    e = Explorer(lambda t: [[t]], ["t"], t=np.array([0.5, 2.0]))
    assert repr(e).startswith("Explorer of <lambda>(t=0.5);")


def bundle(e):
    data, about = e._repr_mimebundle_()
    return data, about["image/png"]


@pytest.mark.parametrize("stable", [True, False])
def test_a_page_without_widgets_gets_a_picture_and_its_words(stable):
    e = Explorer(attend, SUNNY_TOKENS, stable=stable, temperature=(0.1, 3.0, 0.1))
    data, about = bundle(e)
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == e.model_id
    assert data["text/plain"] == repr(e)
    assert about["alt"].startswith(repr(e)) and "0.41" in about["alt"]  # what the picture shows
    png = b64decode(data["image/png"])
    with Image.open(io.BytesIO(png)) as image:
        image.load()
        assert image.format == "PNG"
        assert 1 < image.width / about["width"] < 4  # drawn finer than shown
        colours = image.convert("RGB").getcolors(maxcolors=10**6)
    assert len(colours) > 10


def test_colab_hears_where_to_find_what_runs_the_script(monkeypatch):
    """As anywidget says it of a widget that stands alone; Colab shows no others of a public package."""
    address = "https://example.org/manager.js"
    output = SimpleNamespace(
        enable_custom_widget_manager=lambda: None, _widgets=SimpleNamespace(_installed_url=address)
    )
    e = Explorer(attend, SUNNY_TOKENS, temperature=(0.1, 0.3, 0.1))
    monkeypatch.setitem(sys.modules, "google.colab.output", output)
    _, about = e._repr_mimebundle_()
    told = about["application/vnd.jupyter.widget-view+json"]
    assert told == {"colab": {"custom_widget_manager": {"url": address}}}
    assert "alt" in about["image/png"]


def test_the_picture_is_of_the_frame_that_the_sliders_point_at(monkeypatch):
    drawn = []
    real = widget.plots.panels
    monkeypatch.setattr(widget.plots, "panels", lambda *a, **k: drawn.append(a) or real(*a, **k))
    e = Explorer(attend, SUNNY_TOKENS, temperature=(0.1, 3.0, 0.1))
    e.controls[0].widget.value = 2.0
    bundle(e)
    ((_, array),) = drawn[0][0]
    np.testing.assert_allclose(array, attend(2.0).numpy(), atol=1e-6)


def test_the_text_of_a_run_holds_no_address():
    e = Explorer(lambda f, x: [[x]], ["t"], f={"g": object()}, x=(1, 3))
    assert not re.search(r"0x[0-9a-f]{6}", repr(e))
    assert not re.search(r"0x[0-9a-f]{6}", bundle(e)[0]["text/plain"])


def test_a_large_matrix_is_a_corner_in_the_text():
    words = [f"w{i}" for i in range(40)]
    text = repr(Explorer(lambda x=0: np.eye(40) + x, words, x=[0, 1]))
    assert "40 rows × 40 columns" in text
    assert text.splitlines()[-4].split() == ["w0", "1.00", "0.00", "0.00", "0.00"]
    assert "w4" not in text


def test_a_name_gives_its_role_away_word_by_word():
    names = ["weights", "Attention weights", "score", "weighted embeddings", "context", "scored"]
    roles = ["weights", "weights", "scores", "vectors", "vectors", "vectors"]
    assert [role_of(name) for name in names] == roles


def test_columns_of_their_own_are_no_keys():
    result = {"weights": np.ones((1, 2)) / 2, "scores": np.ones((1, 3))}
    text = repr(Explorer(lambda x=0: result, ["a", "b"], columns={"scores": ["c", "d", "e"]}))
    assert "weights (queries down, keys across)" in text
    assert "\nscores\n" in text
