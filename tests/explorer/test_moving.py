"""Labels that depend on the setting of the controls, and matrices that grow with them."""

import ipywidgets as widgets
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pixels import cells_at, decoded, labels_at
from swept import no_widgets_left  # noqa: F401

from helpers.explorer import Explorer

SOURCE = ["me", "gustan", "los", "nachos"]
WRITTEN = ["<sos>", "I", "like", "nachos"]


def look(step=1, gain=1):
    """Numbers that show where they come from."""
    return {"weights": gain * np.arange(4 * step).reshape(step, 4), "own weights": np.eye(step)}


def written(step):
    return WRITTEN[:step]


def explore(**changes):
    given = dict(
        rows={"weights": written, "own weights": written},
        columns={"own weights": written},
        step=(1, 4),
    )
    return Explorer(look, SOURCE, **given | changes)


def sent(e, index):
    """{panel: (its numbers where it has cells, rows, columns)} at one setting, in the browser."""
    pairs, _ = decoded(e.view.spec, e.view.frames, index)
    for panel, array in pairs:
        rows, columns = labels_at(panel, index)
        there = cells_at(panel, index)
        assert np.isnan(array[~there]).all()
        yield panel["name"], (array[there].reshape(-1, len(rows), len(columns)), rows, columns)


@settings(max_examples=30, deadline=None, database=None, derandomize=True)
@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=6),
    st.integers(0, 2),
)
def test_any_sizes_in_any_order_come_back(sizes, heads):
    def matrix(at):
        rows, columns = sizes[at]
        shape = (heads, rows, columns) if heads else (rows, columns)
        return np.arange(np.prod(shape)).reshape(shape) + at

    e = Explorer(
        lambda at: {"scores": matrix(at), "weights": np.full((1, 1), at), "step": at},
        ["a"],
        rows={"scores": lambda at: [f"r{i}" for i in range(sizes[at][0])]},
        columns={"scores": lambda at: [f"c{at}{i}" for i in range(sizes[at][1])]},
        at=list(range(len(sizes))),
    )  # fmt: skip
    for at, (rows, columns) in enumerate(sizes):
        found = dict(sent(e, at))
        cells = matrix(at)
        np.testing.assert_array_equal(found["scores"][0], cells if heads else cells[None])
        assert len(found["scores"][1]) == rows
        assert found["scores"][2] == [f"c{at}{i}" for i in range(columns)]
        assert found["weights"] == ([[[at]]], ["a"], ["a"])
        assert decoded(e.view.spec, e.view.frames, at)[1] == {"step": at}
    widgets.Widget.close_all()


def test_masks_and_sums_fit_the_size_of_the_position():
    def attend(step=1):
        scores = np.zeros((step, step))
        weights = np.tril(np.ones((step, step)))
        return {"scores": scores, "weights": weights / weights.sum(1, keepdims=True)}

    def hidden(step):
        return np.triu(np.ones((step, step)), 1)

    e = Explorer(attend, written, masked=hidden, sums={"weights": "softmax(scores)"}, step=(1, 4))
    for step in range(1, 5):
        cells = dict(sent(e, step - 1))["weights"][0][0]
        np.testing.assert_array_equal(np.isnan(cells), hidden(step).astype(bool))


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"rows": {"weights": lambda step: WRITTEN[:step] if step < 3 else ["a"], "own weights": written}},
         r"Explorer: look\(step=3\): 'weights' has 3 rows, but there are 1 labels"),
        ({"rows": {"weights": lambda step: 1 / 0, "own weights": written}},
         r"Explorer: rows\['weights'\]\(step=1\) raised ZeroDivisionError"),
        ({"rows": {"weights": lambda place: WRITTEN, "own weights": written}},
         r"Explorer: rows\['weights'\] needs 'place', but no control sets it"),
    ],
)  # fmt: skip
def test_labels_that_do_not_fit_are_told_with_their_position(changes, said):
    with pytest.raises((TypeError, ValueError), match=said):
        explore(**changes)
