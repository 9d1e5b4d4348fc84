"""Still pictures of probabilities as bars."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from words_drawn import names, numbers

from helpers.explorer import Explorer
from helpers.pictures import plots
from helpers.pictures.roles import OF_BARS

FOUR = ["nachos", "tacos", "the", "a"]
PROBABILITIES = np.array([[0.1, 0.2, 0.7, 0.0], [0.05, 0.05, 0.6, 0.3]])


def bars(ax, series):
    """(distance from the top, length) of each bar of a series."""
    found = [p for p in ax.patches if p.get_gid() == f"series {series}"]
    return [(p.get_y() + p.get_height() / 2, p.get_width()) for p in found]


@pytest.mark.parametrize("count, order", [(None, [0, 1, 2, 3]), (2, [2, 1]), (4, [2, 1, 0, 3])])
def test_bars_are_as_long_as_the_probabilities_and_stand_in_order(count, order):
    some = {"bars": {"probabilities": count}}
    shown = Explorer(lambda: {"probabilities": PROBABILITIES[0]}, FOUR, **some)
    (ax,) = shown._still().figure.axes
    probabilities, words = PROBABILITIES[0, order].tolist(), [FOUR[k] for k in order]
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
    assert looks["series 0"] == (OF_BARS[0].lower(), None)
    assert looks["series 1"] == (OF_BARS[1].lower(), "////")
