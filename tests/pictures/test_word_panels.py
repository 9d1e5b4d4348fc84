"""Still pictures of probabilities as bars, and of weights as lines."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from words_drawn import names, numbers, titles

from helpers.pictures import plots
from helpers.pictures.roles import SERIES

FOUR = ["nachos", "tacos", "the", "a"]
PROBABILITIES = np.array([[0.1, 0.2, 0.7, 0.0], [0.05, 0.05, 0.6, 0.3]])


def bars(ax, series):
    """(distance from the top, length) of each bar of a series."""
    found = [p for p in ax.patches if p.get_gid() == f"series {series}"]
    return [(p.get_y() + p.get_height() / 2, p.get_width()) for p in found]


@pytest.mark.parametrize("count, shown", [(None, [0, 1, 2, 3]), (2, [2, 1]), (4, [2, 1, 0, 3])])
def test_bars_are_as_long_as_the_probabilities_and_stand_in_order(count, shown):
    picture = plots.matrices(
        {"probabilities": PROBABILITIES[0]}, FOUR, bars={"probabilities": count}
    )
    (ax,) = picture.figure.axes
    probabilities, words = PROBABILITIES[0, shown].tolist(), [FOUR[k] for k in shown]
    if count == 2:
        probabilities, words = [*probabilities, 0.1], [*words, "2 others"]
    assert names(ax.yaxis) == words and ax.yaxis_inverted()
    assert numbers(ax) == [f"{x:.2f}" for x in probabilities]
    places, lengths = zip(*bars(ax, 0))
    assert places == pytest.approx(range(len(words))) and lengths == pytest.approx(probabilities)
    assert names(ax.xaxis) == ["0", "0.5", "1"]


def test_series_stand_side_by_side_with_their_names():
    named = {"probabilities": ["true", "model"]}
    (ax,) = plots.matrices({"probabilities": PROBABILITIES}, FOUR, rows=named).figure.axes
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["true", "model"]
    for series, row in enumerate(PROBABILITIES):
        assert [length for _, length in bars(ax, series)] == pytest.approx(list(row))
    for (upper, _), (lower, _) in zip(bars(ax, 0), bars(ax, 1)):
        assert 0 < lower - upper < 0.5  # the bars of one word touch, one below the other
    looks = {p.get_gid(): (to_hex(p.get_facecolor()), p.get_hatch()) for p in ax.patches}
    assert looks["series 0"] == (SERIES[0].lower(), None)
    assert looks["series 1"] == (SERIES[1].lower(), "////")


def test_lines_join_queries_and_keys_as_thick_as_the_weights():
    weights = np.array([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5]])
    given = {"rows": {"weights": ["x", "y"]}, "view": "lines", "masked": [[0, 1, 0], [0, 0, 0]]}
    picture = plots.matrices({"weights": weights}, list("abc"), **given)
    (ax,) = picture.figure.axes
    keys = [(t.get_text(), t.get_position()[1]) for t in ax.texts if t.get_gid() == "column"]
    assert names(ax.yaxis) == ["x", "y"] and keys == [("a", 0), ("b", 1), ("c", 2)]
    joined = {tuple(line.get_ydata()): line.get_linewidth() for line in ax.lines}
    thick = {(i, j): 6.75 * weights[i, j] for i, j in ((0, 0), (1, 0), (1, 1), (1, 2))}
    assert joined == pytest.approx(thick)
    assert picture.text.startswith("weights (queries down, keys across)")  # as for a table
    heads = plots.matrices(
        np.stack([weights, 1 - weights]), list("abc"), rows={"weights": ["x", "y"]}, view="lines"
    )
    assert titles(heads.figure.axes) == ["weights, head 1", "weights, head 2"]  # tables
    assert [numbers(ax)[2] for ax in heads.figure.axes] == ["0.00", "1.00"]
