"""Views as shapes, without a browser: what is packed for the page is what the view draws."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from drawn import DRAWN, paths, weights
from pixels import shapes_in
from swept import WORDS, no_widgets_left  # noqa: F401

from helpers.explorer import Explorer
from helpers.pictures import ideas, plots, stories
from helpers.pictures.shapes import Shape, disc, is_seen, line, shapes_at, text, wide


@pytest.mark.parametrize("name", DRAWN)
def test_the_page_gets_the_shapes_of_every_setting(name):
    e = DRAWN[name]()
    for i, panel in enumerate(e.view.spec["panels"]):
        for view in panel["scenes"]:
            numbers, _ = e._film.numbers(i)
            sheets = numbers.looks()[view].sheets(numbers)
            for setting in range(len(e._film.frames)):
                wanted = [
                    shapes_at([s for s in shapes if is_seen(s).any()], setting) for shapes in sheets
                ]
                sent = shapes_in(
                    e.view.spec, e.view.frames, e.view.moves, panel["scenes"][view], setting
                )
                for mine, theirs in zip(wanted, sent, strict=True):
                    for shape, (came, numbers, word) in zip(mine, theirs, strict=True):
                        cell = tuple(came[side] for side in ("head", "row", "column"))
                        assert (cell, word) == (shape.cell, shape.words)
                        for look in ("kind", "ink", "align", "tip", "active", "grip"):
                            assert came.get(look, getattr(Shape, look, "")) == getattr(shape, look)
                        assert shape.numbers == pytest.approx(numbers, abs=6e-3)


def at_each(name, panel=0):
    """(the panel with its numbers at one setting, its shapes there) at every setting."""
    numbers, _ = DRAWN[name]()._film.numbers(panel)
    sheets = numbers.looks()[numbers.view].sheets(numbers)
    for setting in range(numbers.x.shape[-1]):
        shapes = [shape for shapes in sheets for shape in shapes_at(shapes, setting)]
        yield replace(numbers, x=numbers.x[..., setting]), shapes


def test_arcs_are_as_thick_as_weights_and_those_to_keys_that_follow_lie_below():
    for panel, shapes in at_each("arcs"):
        arcs = {shape.cell: shape for shape in shapes if shape.kind == "path"}
        assert arcs.keys() == {tuple(cell) for cell in np.argwhere(~np.isnan(panel.x)).tolist()}
        for (head, row, column), arc in arcs.items():
            assert arc.width == pytest.approx(10 * panel.x[head, row, column])
            assert (arc.at[3] > arc.at[1]) == (column > row)


def test_arcs_of_a_growing_sentence_go_back_only_unless_the_mask_is_off():
    for setting, (_panel, shapes) in enumerate(at_each("sentence")):
        length, mask = 1 + setting // 2, setting % 2 == 1
        arcs = {shape.cell[1:]: shape.at[3] < 0 for shape in shapes if shape.kind == "path"}
        ahead = [(i, j) for i, j in itertools.combinations(range(length), 2) if not mask]
        assert sorted(cell for cell, is_above in arcs.items() if not is_above) == ahead
        assert len(arcs) == length * (length - 1) // (2 if mask else 1)
        curtain = min(
            shape.at[0] for shape in shapes if shape.kind == "rectangle" and not shape.active
        )
        written = [shape.at[0] for shape in shapes if shape.kind == "text" and shape.words in WORDS]
        assert len(written) == length and max(written) < curtain


def test_words_share_a_bar():
    for panel, shapes in at_each("one bar"):
        bars = [shape.at for shape in shapes if shape.kind == "rectangle"]
        assert [wide for _x, _y, wide, _tall in bars] == pytest.approx(
            [max(0, ideas.LONG * weight - 2) for weight in panel.x.ravel()]
        )


def test_a_trail_is_there_as_far_as_its_slider_has_gone():
    found = [
        [shape for shape in shapes if not shape.tip and shape.opacity < 0.5]
        for _panel, shapes in at_each("trails")
    ]
    assert [len(trail) for trail in found] == [4 * step for step in range(13)]
    for trail, (_panel, shapes) in zip(found[1:], list(at_each("trails"))[1:]):
        tips = {shape.cell: shape.at[2:] for shape in shapes if shape.tip}
        assert {shape.cell: shape.at[2:] for shape in trail} == tips


def test_arrows_end_at_the_vectors_and_the_angle_is_that_between_them():
    for panel, shapes in at_each("planes"):
        arrows = [shape for shape in shapes if shape.tip]
        origin, vectors = arrows[0].at[:2], panel.x.reshape(-1, 2)
        ends = np.array([np.subtract(arrow.at[2:], origin) for arrow in arrows])
        assert ends * [1, -1] == pytest.approx(vectors * ends[0, 0] / vectors[0, 0])
        assert [shape.words for shape in shapes].count("57°") == 2  # 1 radian


def test_no_word_of_a_plane_covers_another():
    for _panel, shapes in at_each("close"):
        words = [(*shape.at, shape) for shape in shapes if shape.kind == "text"]
        for (x, y, one), (right, down, other) in itertools.combinations(words, 2):
            sides = {"middle": 0, "end": -0.5}
            x += sides[one.align] * wide(one.words)
            right += sides[other.align] * wide(other.words)
            room = (wide(one.words) + wide(other.words)) / 2
            assert abs(x - right) > room or abs(y - down) > 13, (one.words, other.words)


def test_the_dot_of_a_chart_stands_on_its_curve_where_the_slider_stands():
    for setting, (panel, shapes) in enumerate(at_each("chart")):
        (dot,) = (shape for shape in shapes if shape.kind == "disc")
        curve = [shape.at for shape in shapes if shape.cell == (0, 0, 0) and shape.kind == "line"]
        points = [place[:2] for place in curve] + [curve[-1][2:]]
        assert dot.at[:2] == pytest.approx(points[setting // 3])
        assert f"{panel.x.item():.2f}" in [shape.words for shape in shapes]


def test_a_branch_is_as_thick_as_what_is_along_it_and_each_word_keeps_its_place():
    places = {}
    for (panel, shapes), step in zip(at_each("tree"), [1, 2, 3] * 2, strict=True):
        along = {}
        for label, share in zip(paths(1, step), panel.x[0].sum(axis=1)):
            for k in range(1, 1 + len(label.split())):
                begun = tuple(label.split()[:k])
                along[begun] = along.get(begun, 0) + share
        widths = [shape.width for shape in shapes if shape.kind == "path"]
        assert sorted(widths) == pytest.approx(sorted(9 * share for share in along.values()))
        words = [shape for shape in shapes if shape.kind == "text" and shape.words.isalpha()]
        assert sorted(word.words for word in words) == sorted(begun[-1] for begun in along)
        assert all(places.setdefault(word.words, word.at) == word.at for word in words)


def test_induction_names_what_followed_the_same_letter():
    for position, (_panel, shapes) in zip((3, 4, 5), at_each("induction"), strict=True):
        asked, found = "abcabc"[position], "abcabc"[position - 2]
        told = [shape.words for shape in shapes if shape.kind == "text"]
        assert {f"after {asked}", f"after {asked}?"} <= set(told)
        (answer,) = (s for s in shapes if s.kind == "text" and s.opacity == pytest.approx(0.9))
        assert answer.words == found and answer.at[0] == position * stories.APART


def test_boxes_of_a_cache_pile_up_and_the_bar_is_as_long_as_their_sum():
    for k, name in enumerate(("with", "without")):
        for step, (panel, shapes) in enumerate(at_each("cache", k), 1):
            bright = [
                s for s in shapes if s.kind == "rectangle" and s.ink != "word" and s.opacity == 1
            ]
            assert len(bright) == 2 * (1 if name == "with" else step)
            (bar,) = (s for s in shapes if (s.kind, s.ink, s.opacity) == ("rectangle", "word", 1))
            assert bar.at[2] == 3 * np.nansum(panel.x)


def test_bars_in_a_window_are_its_scores_and_gauges_show_what_is_carried():
    for panel, shapes in at_each("window"):
        bars = {s.cell[2]: s.at[3] for s in shapes if s.kind == "rectangle" and s.ink == "vector"}
        scores = {k: abs(x) for k, x in enumerate(panel.x[0, 0]) if not np.isnan(x)}
        assert bars.keys() == scores.keys()
        ratios = [bars[k] / scores[k] for k in bars]
        assert ratios == pytest.approx([ratios[0]] * 2)
    for panel, shapes in at_each("gauges", 1):
        tall = [s.at[3] for s in shapes if s.kind == "rectangle" and s.cell[2] is not None]
        before, kept, now = panel.x[0, 0]
        assert tall == pytest.approx(150 / 1.2 * np.array([before, kept, now - kept]), abs=1e-3)


def test_each_weight_lies_over_its_patch_as_dense_as_it_is_large():
    for panel, shapes in at_each("patches"):
        side = ideas.PICTURE / 2
        over = {s.cell: (*s.at[:2], s.opacity) for s in shapes if s.ink == "term"}
        assert over == {
            (h, i, j): pytest.approx((side * j, side * i, 0.85 * x))
            for (h, i, j), x in np.ndenumerate(panel.x)
        }
        dark = [s.at[:2] for s in shapes if s.ink == "word" and s.opacity]
        assert dark[:4] == [(side / 2 * k, side / 2 * k) for k in range(4)]


def test_the_hand_of_a_dial_is_where_sine_and_cosine_say():
    for panel, shapes in at_each("dial"):
        ends = [s.at[2:] for s in shapes if s.kind == "line" and s.ink == "vector"]
        assert ends == pytest.approx(62 * panel.x.reshape(-1, 2) * [1, -1], abs=1e-3)


@pytest.mark.parametrize(
    "view, said",
    [
        (lambda panel: None, "needs a name of its own"),
        (lambda panel: [disc(0, 0, 5, ink="green")], "ink='green', expected one of: word, quiet"),
        (lambda panel: [disc(0, 0, 5, ink=["key", "query"])], "draw one shape for each ink"),
        (lambda panel: [disc(0, 0, 5 if panel.x[0, 0, 0] > 0 else 1)], "write np.where in place of if"),
        (lambda panel: [disc(0, 0, 5, cell=(0, 1))], "cell=(0, 1), expected (head, row, column)"),
        (lambda panel: panel.y, "my_view(panel) raised AttributeError"),
        (lambda panel: None, r"my_view(panel) returned NoneType; expected a list of shapes"),
        (lambda panel: [(1, 2)], r"my_view(panel) returned tuple; expected a list of shapes"),
        (lambda panel: [line(0, 0, 1, panel.x[0, 0])], "a line has numbers of shape (3, 3)"),
        (lambda panel: [text(0, 0, ["a"])], "a text has numbers of shape (1,)"),
    ],
)  # fmt: skip
def test_an_error_of_a_view_says_what_to_do(view, said):
    view.__name__ = "<lambda>" if "name of its own" in said else "my_view"
    with pytest.raises(ValueError) as told:
        Explorer(weights, WORDS, view={"weights": view}, sharp=[0.5, 1.0, 2.0], mask=[True])
    assert str(told.value).startswith("Explorer: ") and said in str(told.value)


def test_a_view_may_draw_nothing_and_a_large_matrix():
    def nothing(panel):
        return [disc(np.nan, 0, 5)]

    large = np.eye(17)
    e = Explorer(lambda k: {"large": large * k}, ["a"] * 17, view={"large": nothing}, k=[0.5, 1.0])
    (panel,) = e.view.spec["panels"]
    assert panel["view"] == "nothing" and panel["scenes"]["nothing"][0]["shapes"] == []
    assert e._still().png()


def test_a_view_of_the_name_of_another_or_for_all_panels_is_refused():
    def lines(panel):
        return []

    for view in ({"weights": lines}, stories.dial):
        with pytest.raises((TypeError, ValueError)):
            plots.matrices({"weights": np.eye(3)}, WORDS, view=view)
