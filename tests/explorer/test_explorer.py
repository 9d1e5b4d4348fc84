"""The Explorer without a browser: its frames, its links, its live mode, and its substitutes."""

import itertools
import json
import math
from decimal import Decimal

import ipywidgets as widgets
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from swept import WORDS, attend, followed, frames, no_widgets_left, panels  # noqa: F401

from helpers.explorer import Explorer

pytestmark = pytest.mark.filterwarnings(
    "error",
    "ignore::pytest.PytestUnraisableExceptionWarning",  # left behind by another test
)
# -- the sweep ----------------------------------------------------------------------------------


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
        kind = draw(st.sampled_from([widgets.IntSlider, widgets.FloatSlider]))
        given = kind(min=low, max=high, step=step, value=low)
    return given, positions


TAKE_A_LIST = [
    lambda words: widgets.Dropdown(options=words),
    lambda words: widgets.RadioButtons(options=words),
    lambda words: widgets.SelectionSlider(options=words),
]
choices = st.lists(st.sampled_from(["Hello", "shiny", "sun", "🌞"]), min_size=1, unique=True)
selections = st.tuples(
    st.sampled_from([*TAKE_A_LIST, list, lambda words: {word: word for word in words}]), choices
).map(lambda pair: (pair[0](pair[1]), pair[1]))
switches = st.booleans().map(lambda given: (given, [False, True]))
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
    assert not e._live
    np.testing.assert_array_equal(frames(e), np.array(expected, np.float32))
    # Its size: settings × floats × 4 bytes, and nothing else is sent.
    floats = max(1, heads) * rows * rows + rows * width + how_many_numbers
    positions = math.prod(len(positions) for _, positions in controls)
    assert len(e.view.frames) == positions * floats * 4
    # The present setting is on the grid and linked, and its frame is the one in text and picture.
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
    json.dumps(e.view.spec, allow_nan=False)  # otherwise it never reaches the browser


@pytest.mark.parametrize(
    "given, default, start",
    [
        ((0.1, 3.0, 0.1), 1.0, 1.0),
        ((0.1, 3.0, 0.1), 0.72, 0.7),
        ((0, 10, 3), 5, 6),
        ((0, 10, 3), 9, 9),
        ([1, 2, 3], 3, 3),
        ([1, 2, 3], 7, 1),
        (False, True, False),  # a single value is the initial one, as in interact
    ],
)
def test_it_starts_at_the_default_of_the_argument(given, default, start):
    seen = []

    def compute(x=default):
        seen.append(x)
        return [[0.0]]

    e = Explorer(compute, ["t"], x=given)
    assert e.values == {"x": start}
    assert seen[0] == start
    assert e.controls[0].widget.value == start


def test_compute_prints_once_and_not_at_every_position(capsys):
    def compute(x):
        print(f"here at {x}")
        return [[x]]

    e = Explorer(compute, ["t"], x=(0, 50))
    assert capsys.readouterr().out == f"here at {e.values['x']}\n"


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
def test_compute_that_changes_what_the_notebook_holds_is_found_out(kind):
    weights = kind([[1.0, 0.5]])

    def sharpen(by=2):
        weights[:] = weights * by
        return {"context": weights}

    with pytest.raises(
        ValueError, match=r"Explorer: sharpen\(by=2\) returned different numbers when"
    ):
        Explorer(sharpen, ["t"], by=(1, 3))


def test_what_is_random_needs_a_seed_or_to_say_so():
    def draw(seed):
        generator = np.random.default_rng(seed)
        return {"context": generator.random((1, 3))}

    assert len(frames(Explorer(draw, ["t"], seed=(1, 3)))) == 3
    with pytest.raises(ValueError, match="or pass stable=False"):
        Explorer(draw, ["t"], seed=[None])
    assert len(frames(Explorer(draw, ["t"], seed=[None], stable=False))) == 1


# -- what is shown beside the frames --------------------------------------------------------------


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


@pytest.mark.parametrize(
    "masked",
    [
        [[0, 1, 1], [0, 0, 1], [0, 0, 0]],
        lambda t: torch.ones(3, 3).triu(1).bool(),
    ],
)
def test_masked_cells_are_hidden_in_weights_and_scores_of_every_head_only(masked):
    def compute(t):
        weights = np.tril(np.ones((2, 3, 3)))
        scores = np.where(np.triu(np.ones((3, 3)), 1), -np.inf, t)  # −∞ is allowed behind the mask
        return {"weights": weights, "scores": scores, "context": np.full((3, 3), 7.0)}

    e = Explorer(compute, WORDS, masked=masked, t=(1, 2))
    weights, scores, context = np.split(frames(e)[1], [18, 27])
    hidden = np.triu(np.ones((3, 3), bool), 1)
    assert (np.isnan(weights.reshape(2, 3, 3)) == hidden).all()
    assert (np.isnan(scores.reshape(3, 3)) == hidden).all()
    assert (scores.reshape(3, 3)[~hidden] == 2).all()
    assert (context == 7).all()
    assert [p["masked"] for p in e.view.spec["panels"]] == ["masked", "masked", ""]
    bare = Explorer(lambda t: t * np.eye(3), WORDS, rows="q", masked=np.zeros((3, 3)), t=(1, 2))
    assert bare.view.spec["panels"][0]["masked"] == ""  # where nothing is, no legend speaks of it


def test_a_scale_ends_where_the_numbers_of_all_positions_do():
    def compute(x=1):
        one = np.array([[0.5, x]])
        return {"a": one, "b": -3 * one, "c": one / 100, "d": one, "scores": 0 * one} | {
            "weights": one / 50,
            "small": one / 100,
        }

    e = Explorer(compute, ["p", "q"], rows="r", limits={"c": 4, "d": 2}, x=(1, 41))
    shown = {panel["name"]: (panel["limit"], panel["span"]) for panel in e.view.spec["panels"]}
    assert shown["a"] == (150, [0, 41]) and shown["b"] == (150, [-123, 0])  # vectors share a scale
    assert (shown["c"][0], shown["d"][0]) == (4, 2)  # as requested
    assert shown["small"][0] == 0.5  # in a tenth of that scale, all would have one tone
    assert shown["scores"] == (2, [0, 0]) and shown["weights"][0] == 1
    still = {panel.name: panel.limit for panel, _ in e._shown()[0]}
    assert still == {name: limit for name, (limit, _) in shown.items()}


def test_numbers_that_are_whole_at_every_setting_are_written_without_decimals():
    def counted(k=1):
        return {"m": torch.ones(2, 2), "cells": 4 * k, "half": k / 2}

    explorer = Explorer(counted, ["a", "b"], k=(1, 3))
    assert repr(explorer).splitlines()[-2:] == ["cells = 4", "half = 0.50"]
