"""The static pictures: what was drawn (artists, data, labels, limits), never pixels or times."""

import io
import itertools
import math
from base64 import b64decode

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from PIL import Image

from helpers.data.family_tree import Model
from helpers.data.sentences import ALIGNMENT, ENGLISH, GERMAN, SUNNY, SUNNY_TOKENS
from helpers.pictures import plots
from helpers.pictures.labels import Labels
from helpers.pictures.plots import heatmaps
from helpers.pictures.plots import picture as drawing
from helpers.pictures.roles import INK, KEY, MASKED, MASKED_LINES, QUERY, ROLES, VALUE
from helpers.pictures.text import rounded

pytestmark = pytest.mark.filterwarnings(
    "error",
    "ignore::pytest.PytestUnraisableExceptionWarning",  # what another test left behind
)
WORDS = ["Hello", "shiny", "sun"]


@pytest.fixture(autouse=True)
def coarse(monkeypatch):
    """Fewer pixels: what is drawn is the same, and sooner."""
    monkeypatch.setattr(drawing, "DPI", 36)


def test_a_palette_makes_a_picture_smaller_and_no_different_to_the_eye(monkeypatch):
    monkeypatch.setattr(drawing, "DPI", 144)
    weights = torch.softmax(SUNNY @ SUNNY.T, dim=1)
    picture = plots.matrices({"scores": SUNNY @ SUNNY.T, "weights": weights}, SUNNY_TOKENS)
    small = picture.png()
    monkeypatch.setattr(drawing, "with_palette", lambda file: file.getvalue())
    full = picture.png()
    assert len(small) < len(full) / 2
    small, full = [np.asarray(Image.open(io.BytesIO(png)).convert("RGB")) for png in (small, full)]
    assert small.shape == full.shape  # of the 256 levels of a colour, a few are not seen
    assert np.abs(small.astype(int) - full).mean() < 1.5


def test_no_visible_cell_has_the_grey_of_a_masked_one(monkeypatch):
    monkeypatch.setattr(drawing, "DPI", 144)
    scores = torch.linspace(-1, 1, 36).view(6, 6)
    future = torch.ones(6, 6).triu(1).bool()
    table = {"scores": scores, "weights": scores.flip(0).abs(), "context": scores[:, :3]}
    picture = plots.matrices(table, list("abcdef"), masked=future)
    small = np.asarray(Image.open(io.BytesIO(picture.png())).convert("RGB"), int)
    high, wide, _ = small.shape
    for ax in picture.figure.axes:
        image, box = ax.images[0], ax.get_position()
        rows, columns = image.get_array().shape
        for (i, j), x in np.ndenumerate(image.get_array().filled(np.nan)):
            if not np.isnan(x):  # a corner, beside the number
                left = box.x0 + box.width * (j + 0.1) / columns
                top = 1 - box.y1 + box.height * (i + 0.15) / rows
                seen = small[round(high * top), round(wide * left)]
                wanted = 255 * np.array(image.to_rgba(np.array([[x]]))[0, 0, :3])
                assert np.abs(seen - wanted).max() < 2
                assert tuple(seen) != tuple(round(255 * part) for part in to_rgb(MASKED))


def texts(ax):
    return [t.get_text() for t in ax.texts]


def labels(ax, kind):
    """The texts of one kind in the picture of a matrix: "number", "row" or "column"."""
    return [t.get_text() for t in ax.texts if t.get_gid() == kind]


def hatched(ax):
    return [c for c in ax.collections if c.get_hatch()]


def corners_of(axes):
    """The left sides, and the tops, to a thousandth of the figure."""
    boxes = [ax.get_position() for ax in axes]
    return [round(box.x0, 3) for box in boxes], [round(box.y1, 3) for box in boxes]


def ticks(axis):
    return [t.get_text() for t in axis.get_ticklabels()]


def hexes(artists):
    return {to_hex(a.get_color()).upper() for a in artists}


def drawn(picture):
    """The axes that show something, after the picture has been drawn and found to be a PNG."""
    with Image.open(io.BytesIO(picture.png())) as image:
        image.load()
        assert image.format == "PNG"
        assert len(set(image.convert("L").tobytes())) > 5  # not a blank page
    return [ax for ax in picture.figure.axes if ax.axison or ax.texts]


# -- all pictures ---------------------------------------------------------------------------------

EVERY = {
    "matrices": lambda words: plots.matrices(np.eye(3), words),
    "bars": lambda words: plots.bars({"softmax": [0.1, 0.2, 0.7]}, words),
    "lines": lambda words: plots.lines([1, 2, 3], {"one": [1, 2, 3]}, xlabel="x", ylabel="y"),
    "plane": lambda words: plots.plane([[1, 2], [-1, 0.5], [0, 0]], words, query=1),
    "word_order": lambda words: plots.word_order(words, words, [(0, 1), (1, 0), (2, 2)]),
    "bottleneck": lambda words: plots.bottleneck(words, words),
    "flow": lambda words: plots.flow({word: (0, i) for i, word in enumerate(words)}, []),
    "timeline": lambda words: plots.timeline(
        [Model((2020, 1), word, word, "both", None, word) for word in words]
    ),
}
every_picture = pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)


@every_picture
def test_a_picture_shows_itself_with_its_words_beside_it(make):
    picture = make(WORDS)
    data, about = picture._repr_mimebundle_()
    assert data["text/plain"] == about["image/png"]["alt"] == picture.text == repr(picture)
    with Image.open(io.BytesIO(b64decode(data["image/png"]))) as image:
        image.load()
        assert image.format == "PNG"
        assert about["image/png"]["width"] == round(image.width * drawing.SHOWN_DPI / drawing.DPI)


@every_picture
def test_where_the_text_is_replaced_the_alternative_text_still_tells_what_was_drawn(make):
    picture = make(WORDS)
    drawn, picture.text = picture.text, "the same on every machine"
    data, about = picture._repr_mimebundle_()
    assert data["text/plain"] == repr(picture) == "the same on every machine"
    assert about["image/png"]["alt"] == f"the same on every machine\n{drawn}"


@every_picture
def test_a_text_that_only_adds_to_what_was_drawn_is_not_told_twice(make):
    picture = make(WORDS)
    picture.text = f"At the first position: {picture.text}."
    _, about = picture._repr_mimebundle_()
    assert about["image/png"]["alt"] == picture.text


@every_picture
def test_a_picture_leaves_matplotlib_as_it_was(make):
    before, figures = dict(plt.rcParams), plt.get_fignums()
    make(WORDS).png()
    assert dict(plt.rcParams) == before
    assert plt.get_fignums() == figures  # nothing for a notebook to show a second time


ODD_WORDS = [
    ["<img src=x onerror=alert(1)>", "$x$", r"\frac{1}{$"],
    ["🌞", "👩‍💻" * 30, "太陽"],
    ["مرحبا", "\u202eשלום", "x" * 60],
    ["", "\n\x00", "\ud800"],
]


@pytest.mark.parametrize("name", [name for name in EVERY if name != "lines"])
@pytest.mark.parametrize("words", ODD_WORDS, ids=ascii)
def test_odd_words_are_drawn_without_a_warning(name, words):
    for ax in drawn(EVERY[name](words)):
        labels = [*ax.texts, *ax.xaxis.get_ticklabels(), *ax.yaxis.get_ticklabels()]
        shown = [t.get_text() for t in labels]
        # A box of a map has room for a name, a timeline for a phrase.
        longest = {"flow": 28, "timeline": 40}.get(name, 14)
        assert all(len(text) <= longest for text in shown)
        if "$x$" in words:
            assert "$x$" in shown
            assert not any(t.get_parse_math() for t in labels if t.get_text() == "$x$")


def test_names_with_dollar_signs_are_no_formulas():
    picture = plots.matrices({"$a{$ b": [[1.0]], "cost $x{$": 2.0}, ["t"])
    (ax,) = drawn(picture)
    assert ax.get_title() == "$a{$ b"
    assert picture.figure.get_supxlabel() == "cost $x{$ = 2.00"


@pytest.mark.parametrize("colour", [QUERY, KEY, VALUE])
def test_the_colours_of_the_roles_are_okabe_and_itos(colour):
    assert colour in {"#0072B2", "#D55E00", "#009E73"}
    cycle = plt.matplotlib.rc_params_from_file(drawing.STYLE)["axes.prop_cycle"].by_key()["color"]
    assert colour.lstrip("#") in [c.lstrip("#") for c in cycle[:3]]


# -- matrices -------------------------------------------------------------------------------------

ATTENTION = {
    "scores": SUNNY @ SUNNY.T,
    "weights": torch.softmax(SUNNY @ SUNNY.T, dim=1),
    "context": torch.softmax(SUNNY @ SUNNY.T, dim=1) @ SUNNY,
}


def test_matrices_side_by_side():
    picture = plots.matrices(ATTENTION, SUNNY_TOKENS, decimals=4)
    axes = drawn(picture)
    assert [ax.get_title() for ax in axes] == ["scores", "weights", "context"]
    for ax, expected in zip(axes, ATTENTION.values()):
        (image,) = ax.images
        np.testing.assert_array_equal(image.get_array(), expected.numpy())
        assert labels(ax, "number") == [f"{x:.4f}" for x in expected.ravel().tolist()]
        places = [(j, i) for i in range(3) for j in range(3)]
        assert [t.get_position() for t in ax.texts[:9]] == places
        assert labels(ax, "row") == SUNNY_TOKENS
        assert not hatched(ax)
    assert [labels(ax, "column") for ax in axes] == [SUNNY_TOKENS, SUNNY_TOKENS, ["x1", "x2", "x3"]]
    assert "0.3990  0.3854  0.8610" in picture.text  # the context vector of shiny


@pytest.mark.parametrize("scale", [0.01, 1, 100])
def test_the_colour_scale_belongs_to_the_role_never_to_the_data(scale):
    result = {name: np.full((3, 3), scale) for name in ("weights", "scores", "context")}
    weights, scores, context = plots.matrices(result, WORDS).figure.axes
    assert weights.images[0].get_clim() == (0, 1)
    assert scores.images[0].get_clim() == (-2, 2)
    assert context.images[0].get_clim() == (-1, 1)


def test_limits_and_roles_can_be_given():
    result = {"a": np.eye(3), "scores": np.eye(3)}
    a, scores = plots.matrices(
        result, WORDS, roles={"a": "weights"}, limits={"a": 0.5, "scores": 4}
    ).figure.axes
    assert a.images[0].get_clim() == (0, 0.5)
    assert scores.images[0].get_clim() == (-4, 4)


@pytest.mark.parametrize("role", [role for role in ROLES if role != "chances"])  # which are bars
def test_the_colours_run_from_low_through_white_to_high(role):
    (ax,) = plots.matrices(
        {"m": np.eye(3)}, WORDS, roles={"m": role}, columns={"m": WORDS}
    ).figure.axes
    image, about = ax.images[0], ROLES[role]
    zero = 0.0 if about.span[0] == 0 else 0.5
    colours = [to_hex(image.cmap(x)).upper() for x in (0.0, zero, 1.0)]
    assert colours[0] == about.low and colours[2] == about.high
    assert min(to_rgb(colours[1])) > 0.99
    assert image.get_clim() == about.span


def contrast(one, other):
    """The ratio of luminances that the Web Content Accessibility Guidelines speak of."""

    def luminance(colour):
        linear = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    lights = sorted([luminance(one), luminance(other)])
    return (lights[1] + 0.05) / (lights[0] + 0.05)


@pytest.mark.parametrize("role", [role for role in ROLES if role != "chances"])  # which are bars
def test_numbers_can_be_read_on_every_shade(role):
    low, high = ROLES[role].span
    values = np.linspace(low, high, 16).reshape(1, 16)
    labels = [str(i) for i in range(16)]
    picture = plots.matrices({"m": values}, labels, roles={"m": role}, columns={"m": labels})
    (ax,) = picture.figure.axes
    image = ax.images[0]
    for text, x in zip(ax.texts[:16], values.ravel(), strict=True):
        assert text.get_color() in (INK, "white")
        assert contrast(text.get_color(), image.cmap(image.norm(x))[:3]) >= 3


def test_masked_cells_are_hatched_in_weights_and_scores_only():
    masked = np.triu(np.ones((3, 3)), 1)
    result = {name: np.where(masked, 9.0, 0.25) for name in ("weights", "scores", "context")}
    picture = plots.matrices(result, WORDS, masked=masked)
    *hidden, context = drawn(picture)
    for ax in hidden:
        (hatching,) = hatched(ax)
        assert hatching.get_hatch() == "////"
        patches = [path.get_extents() for path in hatching.get_paths()]
        assert all((p.width, p.height) == (1, 1) for p in patches)
        assert {(p.y0 + 0.5, p.x0 + 0.5) for p in patches} == {(0, 1), (0, 2), (1, 2)}
        assert {to_hex(c).upper() for c in hatching.get_edgecolor()} == {MASKED_LINES}
        assert np.isnan(ax.images[0].get_array().filled(np.nan)).sum() == 3
        assert to_hex(ax.images[0].cmap(np.ma.masked)).upper() == MASKED
        assert labels(ax, "number") == ["0.25"] * 6
    assert not hatched(context) and labels(context, "number").count("9.00") == 3
    assert picture.text.splitlines()[2].split() == ["Hello", "0.25", "·", "·"]


@pytest.mark.parametrize(
    "masked",
    [[[0, 1], [0, 0]], [[False, True], [False, False]], torch.ones(2, 2).triu(1).bool()],
    ids=["list", "truth values", "tensor"],
)
def test_a_mask_may_be_of_any_kind(masked):
    (ax,) = plots.matrices(
        {"scores": [[1, math.nan], [1, 1]]}, ["a", "b"], masked=masked
    ).figure.axes
    (hatching,) = hatched(ax)
    assert len(hatching.get_paths()) == 1


def test_heads_are_small_multiples_four_across():
    picture = plots.matrices(np.stack([np.full((3, 3), h / 10) for h in range(6)]), WORDS)
    axes = drawn(picture)
    assert [ax.get_title() for ax in axes] == [f"weights, head {h}" for h in range(1, 7)]
    assert [ax.images[0].get_array().max() for ax in axes] == pytest.approx(
        [h / 10 for h in range(6)]
    )
    left, top = corners_of(axes)
    assert (len(set(left)), len(set(top))) == (4, 2)
    assert picture.text.count("head") == 6


@pytest.mark.parametrize("count, numbers, lines", [(4, 3, 1), (2, 8, 1), (4, 8, 2), (3, 40, 2)])
def test_panels_too_wide_for_a_page_take_another_line(count, numbers, lines):
    vectors = {name: np.zeros((2, numbers)) for name in "abcd"[:count]}
    picture = plots.matrices(vectors, ["red", "blue"])
    axes = drawn(picture)
    assert [ax.get_title() for ax in axes] == list(vectors)
    assert len(set(corners_of(axes)[1])) == lines
    assert picture.figure.get_size_inches()[0] <= heatmaps.WIDEST


def test_panels_in_two_lines_stand_in_columns():
    sizes = {"narrow": 2, "right of it": 8, "below it": 8, "last": 8}  # two lines of two
    result = {name: np.zeros((2, n)) for name, n in sizes.items()}
    axes = drawn(plots.matrices(result, ["red", "blue"]))
    assert axes[2].get_position().width == pytest.approx(axes[1].get_position().width, rel=0.05)
    left, top = corners_of(axes)
    assert left[0] == left[2] < left[1] == left[3]
    assert top[0] == top[1] > top[2] == top[3]


TROUBLESOME = {
    "long names": lambda: plots.matrices({"a name that is long": [[1.0]], "b": [[1.0]]}, ["t"]),
    "long tokens": lambda: plots.matrices(np.eye(3), ["W" * 9] * 3),
    "sixteen tokens": lambda: plots.matrices({"m": np.eye(16)}, ["W" * 7] * 16),
    "many decimals": lambda: plots.matrices({"m": -np.eye(3)}, WORDS, decimals=5),
    "large": lambda: plots.matrices(np.eye(50), ["W" * 7] * 50),
    "heads": lambda: plots.matrices(np.zeros((5, 20, 20)), [f"token {i}" for i in range(20)]),
    "a long note": lambda: plots.matrices({"w": [[1.0]], "a number with a long name": 1.0}, ["t"]),
}


@pytest.mark.parametrize("make", TROUBLESOME.values(), ids=TROUBLESOME)
def test_no_text_covers_another_or_is_cut(make):
    picture = make()
    axes = drawn(picture)
    figure = picture.figure
    figure.draw_without_rendering()
    page = figure.bbox
    words = [t for ax in axes for t in (*ax.texts, ax.title)] + figure.texts
    boxes = [t.get_window_extent() for t in words if t.get_text()]
    assert all(page.x0 <= box.x0 and box.x1 <= page.x1 for box in boxes)
    assert all(page.y0 <= box.y0 and box.y1 <= page.y1 for box in boxes)
    for one, other in itertools.combinations(boxes, 2):
        across = min(one.x1, other.x1) - max(one.x0, other.x0)
        down = min(one.y1, other.y1) - max(one.y0, other.y0)
        assert across <= 0 or down <= 0.15 * min(one.height, other.height)  # room for ascenders


def test_a_large_matrix_has_no_numbers_and_names_some_tokens():
    tokens = [f"t{i}" for i in range(40)]
    masked = np.triu(np.ones((40, 40), bool), 1)
    (ax,) = drawn(plots.matrices(np.full((40, 40), 0.5), tokens, masked=masked))
    assert not labels(ax, "number")
    assert labels(ax, "column") == labels(ax, "row") == tokens[::3]
    named = [t.get_position()[0] for t in ax.texts if t.get_gid() == "column"]
    assert named == list(range(0, 40, 3))
    values, stripes = (image.get_array().filled(np.nan) for image in ax.images)
    assert (np.isnan(values) == masked).all() and (np.isnan(stripes) == ~masked).all()
    assert set(stripes[masked]) == {0, 1}  # two greys: hatched, not pale
    assert not hatched(ax)  # a patch for each of 780 cells would take seconds


def test_a_large_matrix_without_a_mask_has_no_stripes():
    (ax,) = plots.matrices(np.eye(17), [str(i) for i in range(17)]).figure.axes
    assert len(ax.images) == 1


def test_numbers_stand_underneath():
    picture = plots.matrices({"weights": np.eye(3), "entropy": 1.25, "n": -0.001}, WORDS)
    assert picture.figure.get_supxlabel() == "entropy = 1.25     n = 0.00"
    assert picture.text.splitlines()[-2:] == ["entropy = 1.25", "n = 0.00"]


def test_a_vector_is_one_row():
    (ax,) = plots.matrices({"weights": [0.2, 0.3, 0.5]}, WORDS, rows="shiny").figure.axes
    assert (labels(ax, "row"), labels(ax, "column")) == (["shiny"], WORDS)
    (ax,) = plots.matrices({"weights": [0.2, 0.3, 0.5]}, WORDS).figure.axes
    assert labels(ax, "row") == [""]


def test_panels_write_a_note_underneath():
    panel = Labels(WORDS).panel("weights", (3, 3))
    picture = plots.panels([(panel, np.eye(3))], {"n": 1.0}, 1, note="t = 2   (run the cell)")
    assert picture.figure.get_supxlabel() == "n = 1.0     t = 2   (run the cell)"


@pytest.mark.parametrize(
    "x, decimals, text",
    [(0.125, 2, "0.13"), (-0.125, 2, "-0.13"), (-0.004, 2, "0.00"), (-0.0, 0, "0"), (2.5, 0, "3"),
     (-0.5, 0, "-1"), (-0.4, 0, "0"), (math.nan, 2, "·"), (np.float32(0.1), 4, "0.1000"),
     (1e20, 1, "100000000000000000000.0"), (1e-20, 3, "0.000"), (0.3, 10, "0.3000000000")],
)  # fmt: skip
def test_how_a_number_is_written(x, decimals, text):
    assert rounded(x, decimals) == text


# -- bars -----------------------------------------------------------------------------------------


def bars_of(ax):
    return [list(container) for container in ax.containers]


def test_bars_side_by_side():
    groups = {"divided by the sum": torch.tensor([0.2, 0.5, 0.3]), "softmax": [0.1, 0.7, -0.2]}
    picture = plots.bars(groups, WORDS, ylabel="share", decimals=1)
    (ax,) = drawn(picture)
    first, second = bars_of(ax)
    assert [b.get_height() for b in first] == pytest.approx([0.2, 0.5, 0.3])
    assert [b.get_height() for b in second] == [0.1, 0.7, -0.2]
    centres = [[b.get_x() + b.get_width() / 2 for b in bars] for bars in (first, second)]
    assert np.mean(centres, axis=0) == pytest.approx([0, 1, 2])  # the pair stands over its word
    edges = sorted((b.get_x(), b.get_x() + b.get_width()) for b in first + second)
    assert all(right < left for (_, right), (left, _) in zip(edges, edges[1:]))  # none overlaps
    assert len({to_hex(bars[0].get_facecolor()) for bars in (first, second)}) == 2
    assert texts(ax) == ["0.2", "0.5", "0.3", "0.1", "0.7", "-0.2"]
    assert (ticks(ax.xaxis), ax.get_ylabel()) == (WORDS, "share")
    (legend,) = picture.figure.legends
    assert [t.get_text() for t in legend.get_texts()] == list(groups)
    assert picture.text.splitlines() == [
        "Bars of share",
        "divided by the sum: Hello 0.2, shiny 0.5, sun 0.3",
        "softmax: Hello 0.1, shiny 0.7, sun -0.2",
    ]


def test_one_group_needs_no_legend():
    picture = plots.bars({"softmax": [1, 2, 3]}, WORDS)
    assert not picture.figure.legends
    assert [
        b.get_x() + b.get_width() / 2 for b in bars_of(picture.figure.axes[0])[0]
    ] == pytest.approx([0, 1, 2])


def test_bars_within_limits():
    (ax,) = plots.bars({"softmax": [0.1, 0.2, 0.3]}, WORDS, limits=(0, 1)).figure.axes
    assert ax.get_ylim() == (0, 1)


@pytest.mark.parametrize(
    "groups, more, kind, words",
    [
        ({"softmax": [1, 2]}, {}, ValueError, "bars: 'softmax' has 2 numbers for 3 labels"),
        (
            {"a": [1, 2, 3], "b": [1, 2, 3, 4]},
            {},
            ValueError,
            "bars: 'b' has 4 numbers for 3 labels",
        ),
        ({"a": [1, math.nan, 3]}, {}, ValueError, "bars: 'a' holds NaN or ±∞"),
        ({"a": [1, math.inf, 3]}, {}, ValueError, "bars: 'a' holds NaN or ±∞"),
        ({"a": "abc"}, {}, TypeError, "bars: 'a' is str 'abc'; expected a matrix of numbers"),
        ({}, {}, TypeError, "bars: expected a dict of at least one group"),
        ([1, 2, 3], {}, TypeError, "bars: expected a dict of at least one group"),
        (
            {"a": [1, 2, 3]},
            {"decimals": 1.5},
            TypeError,
            "bars: decimals=1.5 is not a whole number",
        ),
    ],
)
def test_bars_that_cannot_be_drawn(groups, more, kind, words):
    with pytest.raises(kind) as caught:
        plots.bars(groups, WORDS, **more)
    assert str(caught.value).startswith(words)


# -- lines ----------------------------------------------------------------------------------------


def test_lines():
    curves = {
        "training": torch.tensor([3.0, 2.0, 1.0], requires_grad=True),
        "validation": [3, 2, 2],
    }
    picture = plots.lines(
        [1, 2, 4], curves, xlabel="step", ylabel="loss", title="It learns", marker="o",
        xscale="log", yscale="log", says="Both fall.",
    )  # fmt: skip
    (ax,) = drawn(picture)
    assert [line.get_label() for line in ax.lines] == list(curves)
    assert [line.get_ydata().tolist() for line in ax.lines] == [[3, 2, 1], [3, 2, 2]]
    assert all(line.get_xdata().tolist() == [1, 2, 4] for line in ax.lines)
    assert {line.get_marker() for line in ax.lines} == {"o"}
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("step", "loss", "It learns")
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert [t.get_text() for t in ax.get_legend().get_texts()] == list(curves)
    assert picture.text == "loss against step: training, validation. Both fall."


def test_curves_may_have_an_x_of_their_own():
    x, y = {"one": [1, 2], "two": [5]}, {"one": [0, 1], "two": torch.tensor([2.0])}
    (ax,) = drawn(plots.lines(x, y, xlabel="x", ylabel="y"))
    assert [line.get_xdata().tolist() for line in ax.lines] == [[1, 2], [5]]
    assert [line.get_ydata().tolist() for line in ax.lines] == [[0, 1], [2]]
    with pytest.raises(ValueError, match="'two' has 1 values for 2 of x"):
        plots.lines(x | {"two": [5, 6]}, y, xlabel="x", ylabel="y")
    with pytest.raises(ValueError, match="lines: x has no numbers for 'two'"):
        plots.lines({"one": [1, 2]}, y, xlabel="x", ylabel="y")


def test_measured_numbers_stay_out_of_the_text():
    text = plots.lines([1, 2], {"training": [0.123, 0.456]}, xlabel="x", ylabel="y").text
    assert text == "y against x: training."


def test_a_place_on_the_axis_is_marked_and_named():
    picture = plots.lines(
        [1, 2, 4], {"one": [1, 2, 3]}, xlabel="place", ylabel="share", marks={"$ end of $": 2.5}
    )
    (ax,) = drawn(picture)
    curve, upright = ax.lines
    assert upright.get_xdata() == [2.5, 2.5] and upright.get_ydata() == [0, 1]
    assert [text.get_text() for text in ax.texts] == ["$ end of $"]
    assert picture.text == "share against place: one. At 2.5: $ end of $."


def test_colour_alone_never_tells_two_curves_apart_and_none_is_lost():
    curves = {f"curve {i}": [i, i + 1] for i in range(20)}
    (ax,) = plots.lines([0, 1], curves, xlabel="x", ylabel="y").figure.axes
    assert len(ax.lines) == 20
    styles = [line.get_linestyle() for line in ax.lines]
    assert all(a != b for a, b in zip(styles, styles[1:]))
    looks = [(line.get_linestyle(), line.get_color()) for line in ax.lines]
    assert len(set(looks[:12])) == 12


MANY = {name: [1.0, 0.5] for name in ("none", "learned", "sinusoidal", "rotary", "ALiBi")}
IN_PARTS = {"every draw": [1.0, float("nan")], "their mean": [1.0, 0.5]}


@pytest.mark.parametrize("curves", [MANY, IN_PARTS], ids=["many", "in parts"])
def test_the_legend_of_many_curves_stands_above_them(curves):
    picture = plots.lines([1, 2], curves, xlabel="x", ylabel="y")
    (legend,) = picture.figure.legends
    assert [t.get_text() for t in legend.get_texts()] == list(curves)
    picture.figure.draw_without_rendering()
    box, (ax,) = legend.get_window_extent(), picture.figure.axes
    assert box.y0 >= ax.get_window_extent().y1 and box.width <= picture.figure.bbox.width


def test_one_curve_needs_no_legend():
    assert (
        plots.lines([1], {"one": [1]}, xlabel="x", ylabel="y").figure.axes[0].get_legend() is None
    )


def test_several_runs_of_one_curve_share_its_colour_and_its_name():
    curves = {"runs": [[1, 2], [3, 4], [5, 6]], "one": [0, 0]}
    (ax,) = plots.lines([10, 20], curves, xlabel="x", ylabel="y").figure.axes
    runs, one = ax.lines
    nan = float("nan")
    assert np.allclose(runs.get_xdata(), [10, 20, nan] * 3, equal_nan=True)
    assert np.allclose(runs.get_ydata(), [1, 2, nan, 3, 4, nan, 5, 6, nan], equal_nan=True)
    assert list(one.get_ydata()) == [0, 0]


def test_lines_that_cannot_be_drawn():
    with pytest.raises(ValueError, match="lines: 'b' has 3 values for 2 of x"):
        plots.lines([1, 2], {"a": [1, 2], "b": [1, 2, 3]}, xlabel="x", ylabel="y")
    with pytest.raises(TypeError, match="lines: 'x' is str 'abc'"):
        plots.lines("abc", {"a": [1, 2]}, xlabel="x", ylabel="y")


# -- plane ----------------------------------------------------------------------------------------

VECTORS = [[1.0, 2.0], [-0.5, 0.25], [0.0, -0.004]]


def arrows(ax):
    return [t for t in ax.texts if isinstance(t.arrow_patch, FancyArrowPatch)]


def test_vectors_are_arrows_from_the_origin():
    picture = plots.plane(VECTORS, WORDS, query=1, xlabel="films", ylabel="people")
    (ax,) = drawn(picture)
    assert [a.xy for a in arrows(ax)] == [tuple(v) for v in VECTORS]
    assert [a.get_position() for a in arrows(ax)] == [(0, 0)] * 3
    colours = [to_hex(a.arrow_patch.get_edgecolor()).upper() for a in arrows(ax)]
    assert colours == [KEY, QUERY, KEY]
    names = [t for t in ax.texts if t.get_text()]
    assert [t.get_text() for t in names] == WORDS
    assert [t.xy for t in names] == [tuple(v) for v in VECTORS]
    assert [t.get_color() for t in names] == [KEY, QUERY, KEY]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("films", "people")
    assert picture.text == "Arrows: Hello (1.00, 2.00), shiny (-0.50, 0.25), sun (0.00, 0.00)"


@pytest.mark.parametrize(
    "vectors",
    [VECTORS, [[-1, -2], [-3, -1], [-2, -2]], [[0, 0]] * 3, [[1e6, 1], [0, 0], [-1e6, 2]]],
)
def test_every_arrow_and_the_origin_lie_inside(vectors):
    (ax,) = drawn(plots.plane(vectors, WORDS))
    for x, y in [*vectors, [0, 0]]:
        assert ax.get_xlim()[0] < x < ax.get_xlim()[1]
        assert ax.get_ylim()[0] < y < ax.get_ylim()[1]


@pytest.mark.parametrize(
    "vectors, labels, more, words",
    [
        (
            [1, 2, 3],
            WORDS,
            {},
            r"vectors have shape \(3,\) and there are 3 labels; expected \(3, 2\)",
        ),
        ([[1, 2, 3]] * 3, WORDS, {}, r"vectors have shape \(3, 3\)"),
        ([[1, 2]] * 2, WORDS, {}, r"vectors have shape \(2, 2\) and there are 3 labels"),
        ([], [], {}, r"vectors have shape \(0,\) and there are 0 labels"),
        (
            np.zeros((0, 2)),
            [],
            {},
            r"vectors have shape \(0, 2\) and there are 0 labels; expected \(1, 2\)",
        ),
        ([[1, math.nan]] * 3, WORDS, {}, "vectors hold NaN or ±∞"),
        (VECTORS, WORDS, {"query": 3}, "query=3 is no position among 3 vectors, from 0"),
        (VECTORS, WORDS, {"query": -1}, "query=-1 is no position"),
        (VECTORS, WORDS, {"query": "sun"}, "query='sun' is no position"),
    ],
)
def test_a_plane_that_cannot_be_drawn(vectors, labels, more, words):
    with pytest.raises(ValueError, match=f"plane: {words}"):
        plots.plane(vectors, labels, **more)


# -- word order and bottleneck --------------------------------------------------------------------


def test_the_word_order_of_the_running_example():
    picture = plots.word_order(GERMAN, ENGLISH, ALIGNMENT)
    (ax,) = drawn(picture)
    assert [tuple(line.get_xdata()) for line in ax.lines] == ALIGNMENT
    above = [t.get_text() for t in ax.texts if t.get_position()[1] == 1]
    below = [t.get_text() for t in ax.texts if t.get_position()[1] == 0]
    assert (above, below) == (GERMAN, ENGLISH)
    assert [t.get_position()[0] for t in ax.texts] == [*range(len(GERMAN)), *range(len(ENGLISH))]
    # "Kannst du" keeps its place in "Can you"; every other word crosses one.
    crossing = [line.get_color() == KEY for line in ax.lines]
    assert crossing == [False, False] + [True] * 6
    assert picture.text.startswith("Word order: Kannst du mir helfen")
    assert "helfen – help" in picture.text


def test_words_in_the_same_order_cross_nowhere():
    (ax,) = plots.word_order(["a", "b"], ["c", "d", "e"], [(0, 0), (0, 1), (1, 2)]).figure.axes
    assert KEY not in hexes(ax.lines)
    assert ax.get_xlim()[0] < 0 and ax.get_xlim()[1] > 2  # the longer sentence fits


@pytest.mark.parametrize("pair", [(2, 0), (0, 3), (-1, 0), (0, -1)])
def test_a_pair_outside_the_sentences(pair):
    with pytest.raises(ValueError, match="word_order: the pair .* lies outside 2 and 3 words"):
        plots.word_order(["a", "b"], ["c", "d", "e"], [(0, 0), pair])


def test_the_bottleneck_joins_every_word_as_it_says():
    picture = plots.bottleneck(GERMAN, ENGLISH[:5])
    left, right = drawn(picture)
    assert len(left.lines) == 8 + 5
    assert len(right.lines) == 8 * 5
    middle = [line for line in left.lines if 0.5 in line.get_xdata()]
    assert len(middle) == 8 + 5  # everything goes through the one vector
    assert texts(left) == [*GERMAN, *ENGLISH[:5], "one vector"]
    assert texts(right) == [*GERMAN, *ENGLISH[:5]]
    boxes = [[p for p in ax.patches if isinstance(p, FancyBboxPatch)] for ax in (left, right)]
    assert [len(b) for b in boxes] == [8 + 5 + 1, 8 + 5]
    edges = [to_hex(p.get_edgecolor()).upper() for p in boxes[0]]
    assert edges == [QUERY] * 8 + [VALUE] * 5 + [KEY]
    assert picture.text.startswith("Left: 8 words lead into one vector, and that into 5 outputs.")


@pytest.mark.parametrize("words", [["I"], GERMAN, ["a", "Donaudampfschiff", "b"]])
def test_boxes_stand_side_by_side_under_their_words(words):
    _, ax = plots.bottleneck(words, ["out"]).figure.axes
    boxes = sorted((p.get_x(), p.get_x() + p.get_width()) for p in ax.patches[: len(words)])
    assert all(right < left for (_, right), (left, _) in zip(boxes, boxes[1:]))
    for (low, high), text in zip(boxes, ax.texts):
        assert low < text.get_position()[0] < high
    starts = [line.get_xdata()[0] for line in ax.lines]
    assert starts == pytest.approx([t.get_position()[0] for t in ax.texts[: len(words)]])


@pytest.mark.parametrize("source, target", [([], ["a"]), (["a"], []), ([], [])])
def test_empty_sentences(source, target):
    with pytest.raises(ValueError, match="word_order: a sentence is empty"):
        plots.word_order(source, target, [])
    with pytest.raises(ValueError, match="bottleneck: a sentence is empty"):
        plots.bottleneck(source, target)


# -- maps -----------------------------------------------------------------------------------------

BOXES = {"in": (0, 0), "a part with a long name": (0, 1), "out": (1, 1)}


def test_a_map_has_its_boxes_and_what_flows_along_each_arrow():
    arrows = [
        ("in", "a part with a long name", "(2, 6)"),
        ("a part with a long name", "out", "all"),
    ]
    picture = plots.flow(BOXES, arrows, title="A map")
    (ax,) = drawn(picture)
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    assert len(boxes) == 3
    written = [text.get_text() for text in ax.texts if text.get_text()]
    assert sorted(written) == sorted([*BOXES, "(2, 6)", "all"])
    up, across = [t for t in ax.texts if t.get_text() in ("(2, 6)", "all")]
    assert up.xy == (0, 0.5) and across.xy == (0.5, 1)  # half-way
    assert across.get_color() == KEY != up.get_color()
    arrow_heads = [text for text in ax.texts if getattr(text, "arrow_patch", None)]
    assert [t.xy for t in arrow_heads] == [(0, 0.81), (0.64, 1)]
    assert picture.text == (
        "A map. in → a part with a long name: (2, 6); a part with a long name → out: all."
    )


@pytest.mark.parametrize(
    "boxes, arrows, said",
    [
        ({}, [], "there is no box"),
        ({"a": (0, 0), "b": (0, 0)}, [], "two boxes stand in one place"),
        (BOXES, [("in", "away", "")], "an arrow names 'away', which is none of: 'in', "),
    ],
)
def test_a_map_that_cannot_be_drawn(boxes, arrows, said):
    with pytest.raises(ValueError, match=f"flow: {said}"):
        plots.flow(boxes, arrows)
