"""Still pictures of values: bars and curves."""

import math

import pytest
import torch
from matplotlib.colors import to_rgba
from words_drawn import assert_all_can_be_read, names, numbers, titles

from helpers.pictures import plots

WORDS = ["Hello", "shiny", "sun"]


def ends(ax):
    return [text.get_text().replace("\n", " ") for text in ax.texts if text.get_gid() == "name"]


def test_bars_of_groups_stand_beside_their_labels():
    groups = {"divided by the sum": [0.2, 0.5, 0.3], "softmax": [0.1, 0.7, 0.2]}
    tensors = {name: torch.tensor(values) for name, values in groups.items()}
    picture = plots.bars(tensors, WORDS, title="share", decimals=1)
    (ax,) = picture.figure.axes
    for series, values in enumerate(groups.values()):
        bars = [patch for patch in ax.patches if patch.get_gid() == f"series {series}"]
        assert [bar.get_width() for bar in bars] == pytest.approx(values)
    assert numbers(ax) == ["0.2", "0.5", "0.3", "0.1", "0.7", "0.2"]
    assert (names(ax.yaxis), titles([ax])) == (WORDS, ["share"])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(groups)
    assert "softmax: Hello 0.1, shiny 0.7, sun 0.2" in picture.text
    assert_all_can_be_read(picture)
    long = ["the vectors of words that are long", "a word-that-is-longer-than-a-line", "a"]
    (ax,) = plots.bars({"one": [1, 20, 3]}, long).figure.axes
    assert names(ax.yaxis) == long and not ax.get_legend()  # one group needs no legend
    assert "0.2" not in plots.bars(groups, WORDS, says="The second is larger.").text


def test_curves():
    curves = {
        "training": torch.tensor([3.0, 2.0, 1.0], requires_grad=True),
        "validation": [3, 2, 2],
    }
    look = {"marker": "o", "xscale": "log", "yscale": "log", "marks": {"$ end of $": 2.5}}
    picture = plots.lines([1, 2, 4], curves, xlabel="step", ylabel="loss", says="Fall.", **look)
    (ax,) = picture.figure.axes
    *drawn, upright = ax.lines
    assert [line.get_ydata().tolist() for line in drawn] == [[3, 2, 1], [3, 2, 2]]
    assert all(line.get_xdata().tolist() == [1, 2, 4] for line in drawn)
    assert {line.get_marker() for line in drawn} == {"o"}
    assert upright.get_xdata() == [2.5, 2.5] and ax.texts[0].get_text() == "$ end of $"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("step", "loss")
    assert (ax.get_xscale(), ax.get_yscale(), ends(ax)) == ("log", "log", list(curves))
    assert (names(ax.xaxis), names(ax.yaxis)[4:7]) == (["1", "2", "4"], ["1", "2", "3"])
    # The values, which are measured, do not appear in the text.
    assert picture.text == "loss against step: training, validation. At 2.5: $ end of $. Fall."
    about = picture._repr_mimebundle_()[1]["image/png"]
    assert about["alt"] == picture.text and about["width"] <= 358  # of a phone
    assert_all_can_be_read(picture)
    assert not ends(plots.lines([1], {"one": [1]}, xlabel="x", ylabel="y").figure.axes[0])


def test_curves_may_have_an_x_of_their_own_and_several_runs():
    x, y = (
        {"runs": [1, 2], "one": [5]},
        {"runs": [[0, 1], [2, math.nan]], "one": torch.tensor([2.0])},
    )
    picture = plots.lines(x, y, xlabel="x", ylabel="y")
    (ax,) = picture.figure.axes
    first, second, mean, one = ax.lines
    assert all(run.get_xdata().tolist() == [1, 2] for run in (first, second, mean))
    assert (first.get_ydata().tolist(), one.get_ydata().tolist()) == ([0, 1], [2])
    assert mean.get_ydata()[0] == 1 and first.get_linewidth() < mean.get_linewidth()
    assert first.get_color() == second.get_color() == mean.get_color() != one.get_color()
    assert ends(ax) == ["runs", "one"]


def test_colour_alone_never_tells_two_curves_apart_and_no_name_of_one_covers_another():
    curves = {f"curve {i}": [1, 1 + (i % 3) / 50] for i in range(12)}
    picture = plots.lines([0, 1], curves, xlabel="x", ylabel="y")
    (ax,) = picture.figure.axes
    styles = [line.get_linestyle() for line in ax.lines]
    assert len(styles) == 12 and all(a != b for a, b in zip(styles, styles[1:]))
    assert len({(line.get_linestyle(), line.get_color()) for line in ax.lines}) == 12
    assert [(t.arrow_patch.get_edgecolor(), *t.xy) for t in ax.texts] == [
        (to_rgba(line.get_color()), 1, line.get_ydata()[-1]) for line in ax.lines
    ]
    assert_all_can_be_read(picture)


@pytest.mark.parametrize(
    "x, ticks",
    [
        ([256, 1024, 4096], ["256", "1,024", "4,096"]),
        ([500, 2000, 64000], ["500", "2k", "64k"]),
        ([0.5, 8], ["0.5", "8"]),
    ],
)
def test_given_numbers_are_written_as_they_are(x, ticks):
    picture = plots.lines(x, {"a": x}, xlabel="x", ylabel="y", xscale="log")
    picture.figure.draw_without_rendering()
    assert names(picture.figure.axes[0].xaxis) == ticks


def lines(x, curves):
    return plots.lines(x, curves, xlabel="x", ylabel="y")


@pytest.mark.parametrize(
    "draw, kind, says",
    [
        (lambda: plots.bars({"a": [1, 2]}, WORDS), ValueError, "bars: 'weight' has 2 columns, but there are 3"),
        (lambda: plots.bars({"a": [1, -2, 0]}, WORDS), ValueError, "bars: 'weight' has -2; a bar begins at 0"),
        (lambda: plots.bars({"a": "abc"}, WORDS), TypeError, "bars: 'weight' is list ['abc']; expected"),
        (lambda: plots.bars({"a": [1]}, ["b"], decimals=1.5), ValueError, "bars: decimals=1.5 is not"),
        (lambda: lines([1, 2], {"b": [1, 2, 3]}), ValueError, "lines: 'b' has 3 values for 2 of x"),
        (lambda: lines("abc", {"a": [1, 2]}), TypeError, "lines: 'x' is str 'abc'"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn(draw, kind, says):
    with pytest.raises(kind) as caught:
        draw()
    assert str(caught.value).startswith(says)
