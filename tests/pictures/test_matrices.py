"""Still pictures of matrices: tables, and large ones."""

import io
import math
from base64 import b64decode

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from matplotlib.collections import PolyCollection, QuadMesh
from matplotlib.colors import to_hex, to_rgb, to_rgba
from PIL import Image
from words_drawn import assert_all_can_be_read, contrast, names, numbers, titles

from helpers.data.sentences import SUNNY, SUNNY_TOKENS
from helpers.pictures import panels as arranging
from helpers.pictures import picture as drawing
from helpers.pictures import plots
from helpers.pictures.drawings import arrows
from helpers.pictures.labels import Labels
from helpers.pictures.roles import MASKED, MASKED_LINES, ROLES, rounded_up
from helpers.pictures.tables import in_the_dark
from helpers.pictures.text import rounded

WORDS = ["Hello", "shiny", "sun"]
ATTENTION = {
    "scores": SUNNY @ SUNNY.T,
    "weights": torch.softmax(SUNNY @ SUNNY.T, dim=1),
    "context": torch.softmax(SUNNY @ SUNNY.T, dim=1) @ SUNNY,
}
FUTURE = np.triu(np.ones((3, 3)), 1)


def cells(ax):
    """The artist that colours a matrix; if its cells have numbers, masked ones are left out."""
    (found,) = (c for c in ax.collections if isinstance(c, (PolyCollection, QuadMesh)))
    return found


def hatching(ax):
    """The hatched background, which shows where a cell is masked."""
    return [p for p in ax.patches if p.get_hatch()]


# -- every picture --


def test_a_picture_shows_itself_with_its_words_beside_it_and_leaves_matplotlib_alone():
    before, figures = dict(plt.rcParams), plt.get_fignums()
    picture = plots.matrices(ATTENTION, SUNNY_TOKENS)
    data, about = picture._repr_mimebundle_()
    assert data["text/plain"] == about["image/png"]["alt"] == picture.text == repr(picture)
    with Image.open(io.BytesIO(b64decode(data["image/png"]))) as image:
        assert image.format == "PNG"
        assert about["image/png"]["width"] == round(image.width * drawing.SHOWN_DPI / drawing.DPI)
    assert dict(plt.rcParams) == before
    assert plt.get_fignums() == figures  # no open figure that a notebook would show again


def test_a_picture_is_the_same_whatever_ones_own_settings_are(monkeypatch):
    before = plots.matrices(ATTENTION, SUNNY_TOKENS).png()
    for name in ("text.usetex", "axes.grid"):
        monkeypatch.setitem(plt.rcParams, name, True)
    assert plots.matrices(ATTENTION, SUNNY_TOKENS).png() == before


def test_the_alternative_text_tells_what_was_drawn_and_tells_it_once():
    picture = plots.matrices(np.eye(3), WORDS)
    drawn = picture.text
    for text, alt in (("the same", f"the same\n{drawn}"), (f"At first: {drawn}.",) * 2):
        picture.text = text
        data, about = picture._repr_mimebundle_()
        assert (data["text/plain"], about["image/png"]["alt"]) == (text, alt)


def test_a_picture_is_saved_in_the_format_of_its_name(tmp_path):
    picture = plots.matrices(np.eye(3), WORDS)
    for name, start in (("p.svg", b"<?xml"), ("p.png", b"\x89PNG"), ("p.pdf", b"%PDF")):
        picture.save(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start), name


def test_few_colours_are_no_different_to_the_eye_and_every_cell_keeps_its_own(monkeypatch):
    monkeypatch.setattr(drawing, "DPI", 144)
    scores = torch.linspace(-1, 1, 36).view(6, 6)
    table = {"scores": scores, "weights": scores.flip(0).abs(), "context": scores[:, :3]}
    picture = plots.matrices(table, list("abcdef"), masked=torch.ones(6, 6).triu(1))
    full = io.BytesIO()
    picture.save(full)
    image = Image.open(io.BytesIO(picture.png())).convert("RGBA")
    small, full = np.asarray(image, int), np.asarray(Image.open(full), int)
    assert np.abs(small - full).mean() < 1 and small[0, 0, 3] == 0  # a transparent background
    shown = map(cells, picture.figure.axes)
    wanted = np.concatenate([c.to_rgba(c.get_array().compressed()) for c in shown])
    drawn = np.array([colour for _, colour in image.getcolors(image.width * image.height)])
    for colour in np.unique(255 * wanted, axis=0):
        assert np.abs(drawn - colour).max(axis=1).min() < 2


ODD = [
    ["<img src=x>", "$x$", r"\frac{1}{$"],
    ["🌞", "👩‍💻" * 30, "مرحبا"],
    ["", "\n\x00", "\ud800"],
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("words", ODD, ids=ascii)
def test_odd_words_are_drawn_as_they_are(words):
    pictures = {
        "matrices": plots.matrices(
            {"$a{$ b": np.eye(3), "cost $x{$": 2.0}, words, columns={"$a{$ b": words}
        ),
        "bars": plots.bars({"softmax": [0.1, 0.2, 0.7]}, words),
        "probabilities": plots.matrices({"probabilities": [0.1, 0.2, 0.7]}, words),
        "lines": plots.matrices(np.eye(3), words, view={"weights": "lines"}),
        "arrows": plots.matrices({"keys": np.eye(3)[:, :2]}, words, view={"keys": arrows}),
        "flow": plots.flow([words, [(word, "$") for word in words]], [[(0, 2)], []], title="$"),
    }
    for name, picture in pictures.items():
        assert picture.png().startswith(b"\x89PNG"), name
        shown = [t.get_text().strip() for t in picture.figure.findobj(plt.Text)]
        assert "$x$" not in words or "$x$" in shown, name
        assert all(len(text) <= 50 for text in shown), name


# -- tables --


def test_matrices_side_by_side():
    picture = plots.matrices(ATTENTION, SUNNY_TOKENS, decimals=4)
    axes = picture.figure.axes
    assert titles(axes) == ["scores", "weights", "context"]
    for ax, expected in zip(axes, ATTENTION.values()):
        np.testing.assert_array_equal(cells(ax).get_array().ravel(), expected.numpy().ravel())
        assert numbers(ax) == [f"{x:.4f}" for x in expected.ravel().tolist()]
        assert [t.get_position() for t in ax.texts] == [(j, i) for i in range(3) for j in range(3)]
        assert names(ax.yaxis) == SUNNY_TOKENS and not hatching(ax)
    assert [names(ax.xaxis) for ax in axes] == [SUNNY_TOKENS, SUNNY_TOKENS, ["x1", "x2", "x3"]]
    assert "0.3990  0.3854  0.8610" in picture.text  # the context vector of shiny


@pytest.mark.parametrize(
    "role", [role for role in ROLES if role != "probabilities"]
)  # these are bars
def test_colours_run_from_low_through_white_to_high_and_numbers_can_be_read_on_them(role):
    low, high, limit = ROLES[role].low, ROLES[role].high, ROLES[role].limit
    values = np.linspace(0 if low == "#FFFFFF" else -limit, limit, 15)[None]
    labels = list("abcdefghijklmno")
    given = {"roles": {"m": role}, "columns": {"m": labels}, "limits": {"m": limit}}
    picture = plots.matrices({"m": values}, labels, **given)
    (ax,) = picture.figure.axes
    first, middle, last = (to_hex(cells(ax).to_rgba(x)).upper() for x in (values[0, 0], 0, limit))
    assert (first, middle, last) == (low, "#FFFFFF", high)
    for text, x in zip(ax.texts, values[0], strict=True):
        ink, ground = to_rgb(text.get_color()), cells(ax).to_rgba(x)[:3]
        assert contrast(ink, ground) >= 4.5
        assert contrast(*map(in_the_dark, (ink, ground))) >= 4.5


@pytest.mark.parametrize("masked", [FUTURE.tolist(), FUTURE.astype(bool), torch.tensor(FUTURE)])
def test_masked_cells_are_hatched_in_weights_and_scores_only(masked):
    result = {name: np.where(FUTURE, 9.0, 0.25) for name in ("weights", "scores", "context")}
    picture = plots.matrices(result, WORDS, masked=masked)
    *hidden, context = picture.figure.axes
    for ax in hidden:
        (ground,) = hatching(ax)
        assert (*ground.get_xy(), ground.get_width(), ground.get_height()) == (-0.5, -0.5, 3, 3)
        colours = ground.get_facecolor(), ground.get_edgecolor()
        assert colours == (to_rgba(MASKED), to_rgba(MASKED_LINES))
        corners = {tuple(path.vertices.min(axis=0) + 0.5) for path in cells(ax).get_paths()}
        assert corners == {
            (j, i) for i in range(3) for j in range(i + 1)
        }  # the others are translucent
        assert numbers(ax) == ["0.25"] * 6
    assert not hatching(context) and numbers(context).count("9.00") == 3
    assert picture.text.splitlines()[2].split() == ["Hello", "0.25", "·", "·"]


def test_a_large_matrix_has_no_numbers_and_names_some_tokens():
    tokens, hidden = [f"t{i}" for i in range(40)], np.triu(np.ones((40, 40), bool), 1)
    (ax,) = plots.matrices(np.full((40, 40), 0.5), tokens, masked=hidden).figure.axes
    assert not numbers(ax) and names(ax.xaxis) == names(ax.yaxis) == tokens[::3]
    assert ax.get_xticks().tolist() == list(range(0, 40, 3))
    assert (cells(ax).get_array().mask == hidden).all() and len(hatching(ax)) == 1
    (ax,) = plots.matrices(np.eye(17), tokens[:17]).figure.axes
    assert not hatching(ax)


@pytest.mark.parametrize(
    "count, columns, lines", [(6, 3, 2), (4, 3, 1), (2, 7, 1), (4, 7, 2), (3, 40, 2)]
)
def test_panels_too_many_or_too_wide_for_a_page_take_another_line(count, columns, lines):
    vectors = {f"m{i}": np.full((2, columns), i) for i in range(count)}
    picture = plots.matrices(vectors, ["red", "blue"])
    axes = picture.figure.axes
    assert titles(axes) == list(vectors)
    assert [cells(ax).get_array().max() for ax in axes] == list(range(count))
    assert len({round(ax.get_position().y1, 3) for ax in axes}) == lines
    assert picture.figure.get_size_inches()[0] <= arranging.WIDEST


TROUBLESOME = {
    "long names": lambda: plots.matrices({"a name that is long": [[1.0]], "b": [[1.0]]}, ["t"]),
    "large": lambda: plots.matrices(np.eye(50), ["W" * 7] * 50),
    "sixteen long tokens": lambda: plots.matrices(np.eye(16), ["something"] * 16, decimals=4),
    "heads": lambda: plots.matrices(np.zeros((5, 20, 20)), [f"token {i}" for i in range(20)]),
    "a long note": lambda: plots.matrices({"w": [[1.0]], "a number with a long name": 1.0}, ["t"]),
    "probabilities": lambda: plots.matrices({"probabilities": np.ones((3, 3)) / 3, "weights": np.eye(3)}, WORDS,
                                      rows={"probabilities": ["true", "model", "guessed"]}),
    "long series": lambda: plots.matrices({"probabilities": np.ones((2, 3)) / 3}, WORDS, rows={
        "probabilities": ["left: a sentence that is longer than all its bars", "both sides"]}),
}  # fmt: skip


@pytest.mark.filterwarnings("error")  # a failing layout warns
@pytest.mark.parametrize("make", TROUBLESOME.values(), ids=TROUBLESOME)
def test_no_text_covers_another_or_is_cut(make):
    picture = make()
    assert_all_can_be_read(picture)
    assert picture.figure.get_figwidth() <= arranging.WIDEST
    smallest = min(text.get_size() for text in picture.figure.findobj(plt.Text) if text.get_text())
    assert smallest >= (8.5 if len(picture.figure.axes[0].get_xticks()) == 16 else 9.5)


@pytest.mark.parametrize(
    "role, values, ends",
    [
        ("weights", [0.5, 0.1], ["0", "1"]),
        ("scores", [-1.8, 0.5], ["−2", "0", "2"]),
        ("vectors", [0.5, 2.5], ["0", "3"]),
        ("weights", [0, 1], []),
    ],
)
def test_a_table_without_numbers_has_a_scale(role, values, ends):
    array = np.resize(values, (20, 2))
    hidden = np.arange(40).reshape(20, 2) > 37
    rows = [f"t{i}" for i in range(20)]
    told = {"rows": {"m": rows}, "columns": {"m": ["a", "b"]}, "roles": {"m": role}}
    picture = plots.matrices({"m": array}, rows, masked=hidden, **told)
    (ax,) = picture.figure.axes
    assert [text.get_text() for text in ax.texts if text.get_gid() == "scale"] == ends
    assert len(ax.images) == bool(ends)
    if ends:
        (bar,), table = ax.images, cells(ax)
        assert bar.get_clim() == table.get_clim() and bar.cmap == table.cmap
        assert min(bar.get_extent()[2:]) > 19.5  # below the last row
    assert_all_can_be_read(picture)
    pixels = np.asarray(Image.open(io.BytesIO(picture.png())).convert("RGBA"), int)[..., :3]
    darkest = np.multiply(255, to_rgba(ROLES[role].high)[:3])
    assert np.abs(pixels - darkest).max(axis=2).min() < 4  # rare, but not merged with a grey


def test_numbers_and_a_note_stand_underneath():
    picture = plots.matrices({"weights": np.eye(3), "entropy": 1.25, "n": -0.001}, WORDS)
    assert picture.figure.get_supxlabel() == "entropy = 1.25     n = 0.00"
    assert picture.text.splitlines()[-2:] == ["entropy = 1.25", "n = 0.00"]
    panel = Labels(WORDS).panel("weights", (3, 3))
    picture = plots.panels([(panel, np.eye(3))], {"n": 1.0}, 1, note="t = 2   (run the cell)")
    assert picture.figure.get_supxlabel() == "n = 1.0     t = 2   (run the cell)"


def test_a_vector_is_one_row():
    for rows, label in (("shiny", "shiny"), (None, "")):
        (ax,) = plots.matrices({"weights": [0.2, 0.3, 0.5]}, WORDS, rows=rows).figure.axes
        assert (names(ax.yaxis), names(ax.xaxis)) == ([label], WORDS)


@pytest.mark.parametrize(
    "x, decimals, text",
    [(0.125, 2, "0.13"), (-0.125, 2, "-0.13"), (-0.004, 2, "0.00"), (2.5, 0, "3"),
     (math.nan, 2, "·"), (np.float32(0.1), 4, "0.1000"), (1e20, 1, "100000000000000000000.0")],
)  # fmt: skip
def test_how_a_number_is_written(x, decimals, text):
    assert rounded(x, decimals) == text


@pytest.mark.parametrize(
    "x, end", {0: 0, 1: 1, 1.01: 1.5, 0.1000001: 0.1, 8.1: 10, 0.061: 0.08, 250: 300}.items()
)
def test_a_scale_ends_at_a_number_that_can_be_read(x, end):
    assert rounded_up(x) == end
