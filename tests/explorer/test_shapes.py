"""Views as shapes, without a browser: what is packed for the page is what the view draws."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from pixels import shapes_in
from swept import WORDS, no_widgets_left  # noqa: F401

from helpers.explorer import Explorer
from helpers.pictures import plots
from helpers.pictures.shapes import disc, is_seen, line, shapes_at, text, wide

FUTURE = np.triu(np.ones((3, 3)), 1)


def softmax(x):
    powers = np.exp(x)
    return powers / powers.sum(-1, keepdims=True)


def weights(sharp, mask=True):
    scores = sharp * np.sin(np.arange(18)).reshape(2, 3, 3)
    return {"weights": softmax(np.where(FUTURE * mask, -np.inf, scores))}


def growing(step):
    return {"weights": softmax(np.cos(np.arange(3 * step)).reshape(step, 3))}


def planes(turn):
    angles = turn + np.arange(4).reshape(2, 2)
    return {"clocks": np.stack([np.cos(angles), np.sin(angles)], axis=-1)}


def close(turn):
    angles = turn + np.array([0, 0.1, 0.2, 3, 3.1])
    return {"context": np.stack([np.cos(angles), np.sin(angles)], axis=-1)}


def summed(sharp):
    shares = softmax(sharp * np.sin(np.arange(9)).reshape(3, 3))
    return {"weights": shares, "context": shares @ np.array([[1, 0.5], [-0.5, 1], [0, -1]])}


def beam(width, step):
    found = [["she"], ["she likes", "she really"], ["she likes this", "she really"]][step - 1]
    shares = {"she": 0.9, "she likes": 0.5, "she really": 0.4, "she likes this": 0.45}
    lost = ["she really"] if width == 1 and step > 1 else []
    kept = [[shares[path] * ((path in lost) == is_lost) for path in found] for is_lost in (0, 1)]
    return {"probabilities": kept}


def paths(width, step):
    return [["she"], ["she likes", "she really"], ["she likes this", "she really"]][step - 1]


def my_dots(panel):
    """A disc for each weight, which shows it by its area."""
    shapes = [text(-15, 24 * i, word, align="end") for i, word in enumerate(panel.rows)]
    for head, row, column in np.ndindex(panel.x.shape[:3]):
        radius = 11 * np.sqrt(panel.x[head, row, column])
        shapes.append(disc(24 * column, 24 * row, radius, ink="term", cell=(head, row, column)))
    return shapes


def masked(sharp, mask):
    return FUTURE * mask


X = np.array([[1, 0.5], [-0.5, 1], [0, -1]])
DRAWN = {
    "arcs": lambda: Explorer(weights, WORDS, view="arcs", masked=masked, sharp=(0.5, 2.0), mask=True),
    "above the limit": lambda: Explorer(
        weights, WORDS, view="lines", masked=masked, limits={"weights": 0.3}, sharp=(0.5, 2.0), mask=True
    ),
    "lines": lambda: Explorer(
        growing, WORDS, view="lines", rows={"weights": lambda step: ["c", "a", "b"][:step]}, step=(1, 3)
    ),
    "one word": lambda: Explorer(
        growing, WORDS, view="arcs", rows={"weights": lambda step: WORDS[-step:]}, step=(1, 3)
    ),
    "planes": lambda: Explorer(planes, ["query", "key"], view="arrows", turn=(0.0, 6.0, 0.5)),
    "arrows": lambda: Explorer(
        summed, WORDS, view={"context": "arrows"}, operands={"X": X}, sums={"context": "weights @ X"},
        sharp=(0.5, 2.0),
    ),
    "close": lambda: Explorer(
        close, ["Feige", "gap", "ver", "Apfel", "fig"], view="arrows",
        columns={"context": ["sin", "cos"]}, turn=(0.0, 6.0, 0.5),
    ),
    "chart": lambda: Explorer(
        lambda rate, decay: {"loss": (rate - 1) ** 2 + decay}, ["run"], view={"loss": "chart"},
        rate=(0.0, 2.0, 0.25), decay=(0.0, 1.0, 0.5),
    ),
    "tree": lambda: Explorer(
        beam, paths, rows={"probabilities": ["kept", "dropped"]}, view={"probabilities": "tree"}, width=(1, 2),
        step=(1, 3),
    ),
    "own": lambda: Explorer(weights, WORDS, view={"weights": my_dots}, sharp=(0.5, 2.0), mask=True),
}  # fmt: skip
STRETCHED = ["arcs", "above the limit", "chart", "lines", "one word", "tree"]


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
                    for shape, (look, place, numbers, word) in zip(mine, theirs, strict=True):
                        assert (look["head"], *place, word) == (*shape.cell, shape.words)
                        assert all(
                            getattr(shape, key) == look[key] for key in look.keys() - {"head"}
                        )
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
            assert arc.width == pytest.approx(5 * panel.x[head, row, column])
            assert (arc.at[3] > arc.at[1]) == (column > row)


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
        curve = [shape.at for shape in shapes if shape.ink == "series 0" and shape.kind == "line"]
        points = [place[:2] for place in curve] + [curve[-1][2:]]
        assert dot.at[:2] == pytest.approx(points[setting // 3])
        assert f"{panel.x.item():.2f}" in [shape.words for shape in shapes]


def test_a_branch_is_as_thick_as_what_is_along_it_and_each_word_keeps_its_place():
    places = {}
    for (panel, shapes), step in zip(at_each("tree"), [1, 2, 3] * 2, strict=True):
        along = {}
        for label, share in zip(paths(1, step), panel.x[0].sum(axis=0)):
            for k in range(1, 1 + len(label.split())):
                begun = tuple(label.split()[:k])
                along[begun] = along.get(begun, 0) + share
        widths = [shape.width for shape in shapes if shape.kind == "path"]
        assert sorted(widths) == pytest.approx(sorted(9 * share for share in along.values()))
        words = [shape for shape in shapes if shape.kind == "text" and shape.words.isalpha()]
        assert sorted(word.words for word in words) == sorted(begun[-1] for begun in along)
        assert all(places.setdefault(word.words, word.at) == word.at for word in words)


@pytest.mark.parametrize(
    "view, said",
    [
        (lambda panel: None, "needs a name of its own"),
        (lambda panel: [disc(0, 0, 5, ink="blue")], "ink='blue', expected one of: word, quiet"),
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


def test_a_view_may_draw_nothing():
    def nothing(panel):
        return [disc(np.nan, 0, 5)]

    e = Explorer(weights, WORDS, view={"weights": nothing}, sharp=[0.5, 1.0], mask=[True])
    assert e.view.spec["panels"][0]["scenes"]["nothing"][0]["shapes"] == [] and e._still().png()


def test_a_view_of_the_name_of_another_or_for_all_panels_is_refused():
    def lines(panel):
        return []

    for view in ({"weights": lines}, my_dots):
        with pytest.raises((TypeError, ValueError)):
            plots.matrices({"weights": np.eye(3)}, WORDS, view=view)
