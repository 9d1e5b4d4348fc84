"""What a notebook says about its matrices: which words get bars, what is a table, which errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.explorer import Explorer
from helpers.pictures import plots
from helpers.pictures.labels import Labels
from helpers.pictures.probabilities import as_bars

WORDS = ["nachos", "tacos", "the", "a"]


def probabilities_of(array, words=None, **given):
    array = np.atleast_2d(np.asarray(array, float))
    labels = Labels(words or [f"w{i}" for i in range(array.shape[1])], **given)
    return labels.panel("probabilities", array.shape), array


@settings(max_examples=100, deadline=None, database=None, derandomize=True)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.integers(1, 12))
def test_the_largest_come_first_and_the_first_of_equals(counts, bars):
    array = np.array([counts, counts[::-1]]) / max(1, sum(counts))
    names = {"probabilities": ["a", "b"]}
    panel, array = probabilities_of(array, rows=names, bars={"probabilities": bars})
    shown, numbers = as_bars(panel, array)
    words = shown.rows
    left = list(range(len(counts)))
    for word, row in zip(words[:bars], numbers):
        best = max(left, key=lambda j: (array[0, j], -j))
        assert word == f"w{best}" and (row == array[:, best]).all()
        left.remove(best)
    assert len(left) == max(0, len(counts) - bars) and shown.has_others == bool(left)
    if left:
        assert words[-1] == f"{len(left)} others"
        np.testing.assert_allclose(numbers[-1], array[:, left].sum(axis=1), atol=1e-12)


@pytest.mark.parametrize(
    "words, given, shown",
    [
        (4, {}, None),
        (16, {}, None),
        (17, {}, 10),
        (40, {"probabilities": 5}, 5),
        (40, {"probabilities": None}, None),
    ],
)
def test_how_many_bars(words, given, shown):
    panel, array = probabilities_of(np.full(words, 1 / words), bars=given)
    assert panel.bars == shown
    assert len(as_bars(panel, array)[0].rows) == (shown + 1 if shown else words)
    assert not panel.is_picture


ONE = [[1, 0, 0, 0]]
REFUSED = {  # what the message names → (probabilities, settings)
    "begin at -0.5 and add up to 1": ([[1.5, -0.5, 0, 0]], {}),  # a softmax forgotten
    "add up to 1.5": ([[0.5, 0.5, 0.5, 0]], {}),
    "nan at": ([[0.5, np.nan, 0, 0]], {}),
    "has 2 rows, but there are 1 labels": (ONE * 2, {}),  # without names
    "at most 4 series": (ONE * 5, {}),
    "limits['probabilities']=0 is not": (ONE, {"limits": {"probabilities": 0}}),
    "limits must be a dict": (ONE, {"limits": 3}),
    "limits names 'p'": (ONE, {"limits": {"p": 3}}),
}


@pytest.mark.parametrize("names", REFUSED)
@pytest.mark.parametrize("draw", [plots.matrices, lambda p, *a, **k: Explorer(lambda: p, *a, **k)])
def test_what_is_refused(draw, names):
    given, more = REFUSED[names]
    with pytest.raises((TypeError, ValueError)) as told:
        draw({"probabilities": given}, WORDS, **more)
    assert names in str(told.value)


def test_as_text_in_the_order_of_the_bars():
    given = {"probabilities": [[0.1, 0.2, 0.7, 0], [0.05, 0.05, 0.6, 0.3]]}
    named = dict(rows={"probabilities": ["true", "model"]}, bars={"probabilities": 2})
    assert repr(Explorer(lambda: given, WORDS, **named)).splitlines()[1:] == [
        "probabilities (the 2 largest, by the first series)",
        "          true  model",
        "     the  0.70   0.60",
        "   tacos  0.20   0.05",
        "2 others  0.10   0.35",
    ]


@pytest.mark.parametrize(
    "heads, side, expected",
    [(0, 16, False), (0, 17, True), (2, 14, False), (2, 16, True), (6, 8, False), (8, 8, True)],
)
def test_up_to_16_tokens_and_400_cells_are_a_table(heads, side, expected):
    matrix = np.zeros((heads, side, side) if heads else (side, side))
    (panel,) = Labels([f"w{i}" for i in range(side)]).panels({"weights": matrix})
    assert panel.is_picture is expected is not ("lines" in panel.views)


@pytest.mark.parametrize(
    "given, said",
    [
        ({"view": {"weights": "curves"}}, "'curves', expected one of: table, lines, arcs."),
        ({"view": {"weights": "bars"}}, "'bars', expected one of: table, lines, arcs."),
        ({"view": {"price": "lines"}}, "view names 'price', but the matrices are"),
        ({"view": ["lines"]}, "view must be a dict"),
    ],
)
def test_views_that_are_none(given, said):
    with pytest.raises((TypeError, ValueError)) as told:
        plots.matrices({"weights": np.eye(4)}, WORDS, **given)
    assert str(told.value).startswith("matrices: ") and said in str(told.value)
