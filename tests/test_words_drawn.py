"""Still pictures of chances and lines: what was drawn, worked out apart from the drawing."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from helpers.pictures import plots
from helpers.pictures.roles import SERIES

WORDS = ["nachos", "tacos", "the", "a"]
CHANCES = np.array([[0.1, 0.2, 0.7, 0.0], [0.05, 0.05, 0.6, 0.3]])


def drawn(picture):
    (ax,) = picture.figure.axes
    picture.png()
    return ax


def texts(ax, gid):
    return [text.get_text() for text in ax.texts if text.get_gid() == gid]


def bars(ax, series):
    """(top, length) of each bar of a series."""
    found = [p for p in ax.patches if p.get_gid() == f"series {series}"]
    return [(p.get_y(), p.get_width()) for p in found]


@pytest.mark.parametrize("count, shown", [(None, [0, 1, 2, 3]), (2, [2, 1]), (4, [2, 1, 0, 3])])
def test_bars_are_as_long_as_the_chances_and_stand_in_order(count, shown):
    picture = plots.matrices({"chances": CHANCES[0]}, WORDS, bars={"chances": count})
    ax = drawn(picture)
    numbers = [CHANCES[0, k] for k in shown]
    words = [WORDS[k] for k in shown]
    if count == 2:
        numbers, words = [*numbers, 0.1], [*words, "2 others"]
    assert texts(ax, "row") == words
    assert texts(ax, "number") == [f"{x:.2f}" for x in numbers]
    tops, lengths = zip(*bars(ax, 0))
    assert list(tops) == sorted(tops)
    track = max(p.get_width() for p in ax.patches)
    assert np.array(lengths) / track == pytest.approx(np.array(numbers))


def test_series_stand_side_by_side_with_their_names():
    names = {"chances": ["true", "model"]}
    ax = drawn(plots.matrices({"chances": CHANCES}, WORDS, rows=names))
    assert {"true", "model"} <= {text.get_text() for text in ax.texts}
    (_, *true), (_, *model) = (
        bars(ax, 0),
        bars(ax, 1),
    )  # the first of each is the sample in the legend
    track = 1.9
    for series, row in zip((true, model), CHANCES):
        assert [length / track for _, length in series] == pytest.approx(list(row))
    for (upper, _), (lower, _) in zip(true, model):
        assert 0 < lower - upper < 0.3  # of one word, one right below the other
    looks = {p.get_gid(): (to_hex(p.get_edgecolor()), p.get_hatch()) for p in ax.patches}
    assert looks["series 0"][1] is None and looks["series 1"] == (SERIES[1].lower(), "////")


def joined(ax, gid):
    """{(y on the left, y on the right): how thick} of the lines with this gid."""
    (lines,) = [c for c in ax.collections if c.get_gid() == gid]
    ends = [(a[1], b[1]) for a, b in lines.get_segments()]
    return dict(zip(ends, lines.get_linewidths(), strict=True))


def heights(ax, gid):
    return [text.get_position()[1] for text in ax.texts if text.get_gid() == gid]


def test_lines_join_queries_and_keys_as_thick_as_the_weights():
    weights = np.array([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5]])
    picture = plots.matrices(
        {"weights": weights}, list("abc"), rows={"weights": ["x", "y"]}, view="lines"
    )
    ax = drawn(picture)
    assert (texts(ax, "row"), texts(ax, "column")) == (["x", "y"], ["a", "b", "c"])
    found = joined(ax, "lines 0")
    down, across = heights(ax, "row"), heights(ax, "column")
    wanted = {
        (down[i], across[j]): 6.75 * weights[i, j] for i, j in np.argwhere(weights > 0)
    }  # fmt: skip
    assert found.keys() == wanted.keys()
    assert all(found[ends] == pytest.approx(wanted[ends]) for ends in wanted)
    assert (
        picture.text.splitlines()[0] == "weights (queries down, keys across)"
    )  # numbers, as a table


def test_heads_share_a_drawing_and_differ_and_what_is_masked_has_no_line():
    weights = np.stack([np.eye(3), np.full((3, 3), 1 / 3)])
    hidden = np.triu(np.ones((3, 3)), 1)
    picture = plots.matrices({"weights": weights}, list("abc"), masked=hidden, view="lines")
    ax = drawn(picture)
    assert len(joined(ax, "lines 0")) == 3 and len(joined(ax, "lines 1")) == 6
    looks = {}
    for lines in ax.collections:
        kind, head = lines.get_gid().split()
        look = to_hex(lines.get_color()[0]), lines.get_linestyle()[0][1] is None
        assert looks.setdefault(head, look) == look  # the sample as the lines
    assert looks == {"0": (SERIES[0].lower(), True), "1": (SERIES[1].lower(), False)}
    assert {"head 1", "head 2"} <= {text.get_text() for text in ax.texts}


@pytest.mark.parametrize(
    "given, said",
    [
        ({"view": "curves"}, "view='curves', expected one of: table, lines"),
        ({"view": {"weights": "bars"}}, "view='bars', expected one of"),
        ({"view": {"scores": "lines"}}, "'scores', but only weights can be lines"),
        ({"view": {"price": "lines"}}, "view names 'price', but the matrices are"),
        ({"view": ["lines"]}, "view is a dict by name"),
    ],
)
def test_views_that_are_none(given, said):
    with pytest.raises((TypeError, ValueError)) as told:
        plots.matrices({"weights": np.eye(2), "scores": np.eye(2)}, ["a", "b"], **given)
    assert str(told.value).startswith("matrices: ") and said in str(told.value)


def test_too_many_cells_for_lines():
    words = [f"w{i}" for i in range(17)]
    with pytest.raises(ValueError, match="too many cells; up to 16 × 16, and 600 in all"):
        plots.matrices({"weights": np.eye(17)}, words, view={"weights": "lines"})
    plots.matrices({"weights": np.eye(17)}, words, view="lines")  # for all that can be
