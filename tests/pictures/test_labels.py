"""Chances as bars: which words, in what order, what is refused, and what stands for them as text."""

import ipywidgets as widgets
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.explorer import Explorer
from helpers.pictures import plots
from helpers.pictures.chances import ranking
from helpers.pictures.labels import Labels

WORDS = ["nachos", "tacos", "the", "a"]


@pytest.fixture(autouse=True)
def no_widgets_left():
    yield
    widgets.Widget.close_all()


def chances_of(array, words=None, **given):
    array = np.atleast_2d(np.asarray(array, float))
    labels = Labels(words or [f"w{i}" for i in range(array.shape[1])], **given)
    return labels.panel("chances", array.shape), array


@settings(max_examples=100, deadline=None, database=None, derandomize=True)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.integers(1, 12))
def test_the_largest_come_first_and_the_first_of_equals(counts, bars):
    array = np.array([counts, counts[::-1]]) / max(1, sum(counts))
    names = {"chances": ["a", "b"]}
    panel, array = chances_of(array, rows=names, bars={"chances": bars})
    order, others = ranking(panel, array)
    left = list(range(len(counts)))
    for k in order:
        best = max(left, key=lambda j: (array[0, j], -j))
        assert k == best
        left.remove(best)
    assert len(order) == min(bars, len(counts))
    if left:
        np.testing.assert_allclose(others, array[:, left].sum(axis=1), atol=1e-12)
    else:
        assert others is None


@pytest.mark.parametrize(
    "words, given, shown",
    [(4, {}, None), (16, {}, None), (17, {}, 10), (40, {"chances": 5}, 5), (40, {"chances": None}, None)],
)  # fmt: skip
def test_how_many_bars(words, given, shown):
    panel, array = chances_of(np.full(words, 1 / words), bars=given)
    assert panel.bars == shown
    assert len(ranking(panel, array)[0]) == (shown or words)
    assert not panel.is_picture


def test_a_vector_and_a_row_are_one_series_and_several_have_names():
    for chances in (torch.tensor([0.5, 0.25, 0.25, 0]), [[0.5, 0.25, 0.25, 0]]):
        e = Explorer(lambda it=chances: {"next-word chances": it}, WORDS)
        (panel,) = e.view.spec["panels"]
        assert (panel["role"], panel["rows"], panel["columns"]) == ("chances", [""], WORDS)
    names = {"p": ["true", "model"]}
    two = {"p": [[0.5, 0.5, 0, 0], [1, 0, 0, 0]]}
    e = Explorer(lambda: two, ["x"], rows=names, columns={"p": WORDS}, roles={"p": "chances"})
    assert e.view.spec["panels"][0]["rows"] == ["true", "model"]


REFUSED = {
    "a softmax forgotten": ([[2.5, 0.1, 0, 0]], {}, "has 2.5 at 'nachos'; a chance is from 0 to 1"),
    "below 0": ([[0.5, 0.1, 0, -0.1]], {}, "has -0.1 at 'a'"),
    "too much in all": ([[0.5, 0.5, 0.5, 0]], {}, "add up to 1.5, more than 1. Chances come from"),
    "nan": ([[0.5, np.nan, 0, 0]], {}, "nan at"),
    "a batch": ([[[0.5, 0.5, 0, 0]]], {}, "(series, words)"),
    "series without names": ([[1, 0, 0, 0]] * 2, {}, "2 series of chances; name them"),
    "many series": ([[1, 0, 0, 0]] * 5, {}, "at most 4 series"),
    "no bars": ([[1, 0, 0, 0]], {"bars": {"chances": 0}}, "is not how many bars"),
    "bars that are no number": ([[1, 0, 0, 0]], {"bars": {"chances": 2.5}}, "is not how many bars"),
    "bars that are no dict": ([[1, 0, 0, 0]], {"bars": 3}, "bars is a dict by name"),
    "bars of what is not there": ([[1, 0, 0, 0]], {"bars": {"p": 3}}, "bars names 'p', but"),
}


@pytest.mark.parametrize("given, more, said", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("how", ["Explorer", "matrices"])
def test_what_is_refused(given, more, said, how):
    with pytest.raises((TypeError, ValueError)) as told:
        if how == "Explorer":
            Explorer(lambda: {"chances": given}, WORDS, **more)
        else:
            plots.matrices({"chances": given}, WORDS, **more)
    assert str(told.value).startswith(how) and said in str(told.value)


def test_other_panels_have_no_bars_and_too_many_words_need_them_told():
    with pytest.raises(ValueError, match="bars names 'weights', which is no panel of chances"):
        Explorer(lambda: np.eye(4), WORDS, bars={"weights": 3})
    many = [f"w{i}" for i in range(100)]
    with pytest.raises(ValueError, match="100 words, too many for a bar each"):
        Explorer(lambda: {"chances": np.full(100, 0.01)}, many, bars={"chances": None})


def test_as_text_in_the_order_of_the_bars():
    given = {"chances": [[0.1, 0.2, 0.7, 0], [0.05, 0.05, 0.6, 0.3]]}
    named = dict(rows={"chances": ["true", "model"]}, bars={"chances": 2})
    e = Explorer(lambda: given, WORDS, **named)
    assert repr(e).splitlines()[1:] == [
        "chances (the 2 largest, by true)",
        "          true  model",
        "     the  0.70   0.60",
        "   tacos  0.20   0.05",
        "2 others  0.10   0.35",
    ]
    assert repr(Explorer(lambda: {"chances": [0.1, 0.2, 0.7, 0]}, WORDS)).splitlines()[1:] == [
        "chances",
        "nachos  0.10",
        " tacos  0.20",
        "   the  0.70",
        "     a  0.00",
    ]


def test_sums_of_chances_are_checked_as_any():
    def next_word(temperature):
        return {"chances": np.exp([0, 1, 2, 3]) / np.exp([0, 1, 2, 3]).sum()}

    given = dict(
        operands={"logits": [[0, 1, 2, 3]]}, sums={"chances": "softmax(logits / temperature)"}
    )
    Explorer(next_word, WORDS, temperature=[1], **given)
    with pytest.raises(ValueError, match="is not softmax"):
        Explorer(next_word, WORDS, temperature=[1, 2], **given)
