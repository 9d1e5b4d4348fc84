"""A map of weights over a picture: what is drawn, what stands beside it, what is refused."""

import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex

from helpers.pictures import plots
from helpers.pictures.plots import picture as drawing
from helpers.pictures.roles import ROLES

DIGIT = torch.zeros(16, 12)
DIGIT[2:12, 4:7] = 1
MAP = torch.arange(12.0).view(4, 3) / 66  # rows and columns differ, and the sum is 1


@pytest.fixture(autouse=True)
def coarse(monkeypatch):
    monkeypatch.setattr(drawing, "DPI", 36)


def drawn(ax, gid):
    return [part for part in [*ax.patches, *ax.texts] if part.get_gid() == gid]


def test_each_weight_lies_over_its_patch_as_dense_as_it_is_large():
    picture = plots.over_picture(DIGIT, {"head 0": MAP, "head 1": MAP.flip(1)}, limit=0.2)
    plain, first, second = picture.figure.axes
    assert [ax.get_title() for ax in picture.figure.axes] == ["the picture", "head 0", "head 1"]
    assert not drawn(plain, "weight")
    for ax, weights in ((first, MAP), (second, MAP.flip(1))):
        patches = drawn(ax, "weight")
        assert len(patches) == 12
        for patch, (place, weight) in zip(patches, np.ndenumerate(weights.numpy())):
            assert patch.get_xy() == (place[1] * 4, place[0] * 4)
            assert (patch.get_width(), patch.get_height()) == (4, 4)
            assert patch.get_alpha() == pytest.approx(0.85 * weight / 0.2)
            assert to_hex(patch.get_facecolor()) == ROLES["weights"].high.lower()
        texts = [text.get_text() for text in drawn(ax, "number")]
        assert texts == [f"{weight:.2f}" for weight in weights.flatten().tolist() if weight]


def test_the_picture_lies_below_the_same_way_round():
    for ax in plots.over_picture(DIGIT, {"head 0": MAP}).figure.axes:
        (image,) = ax.images
        assert np.array_equal(image.get_array(), DIGIT.numpy())
        assert image.get_extent() == [0, 12, 16, 0]


def test_the_scale_is_told_and_the_words_have_no_number_of_a_map():
    picture = plots.over_picture(DIGIT, {"head 0": MAP}, limit=0.2, says="It looks below.")
    assert picture.figure.get_supxlabel() == "full colour: 0.2"
    assert picture.text == "A picture, 16 × 12. Over it: head 0. It looks below."
    assert picture.png().startswith(b"\x89PNG")


def test_more_maps_than_fit_a_line_go_on_below():
    maps = {f"head {h}": MAP for h in range(7)}
    axes = plots.over_picture(DIGIT, maps).figure.axes
    assert len({round(ax.get_subplotspec().rowspan.start) for ax in axes}) == 2


def test_a_picture_alone_has_no_scale():
    picture = plots.over_picture(DIGIT, title="a one")
    assert len(picture.figure.axes) == 1 and picture.figure.get_supxlabel() == ""
    assert picture.text == "A picture, 16 × 12."


@pytest.mark.parametrize(
    "given, maps, limit, kind, says",
    [
        (DIGIT[None], {}, 1, ValueError, "Of a batch pass one"),
        (DIGIT * float("nan"), {}, 1, ValueError, "finite numbers"),
        (DIGIT, [MAP], 1, TypeError, "name each map"),
        (DIGIT, {"a": torch.ones(5, 3) / 15}, 1, ValueError, r"'a' has shape \(5, 3\)"),
        (DIGIT, {"a": torch.ones(13) / 13}, 1, ValueError, "leave out"),
        (DIGIT, {"a": MAP}, 0.1, ValueError, "expected 0 to limit=0.1"),
        (DIGIT, {"a": -MAP}, 1, ValueError, "expected 0 to limit=1"),
    ],
)
def test_what_cannot_be_drawn(given, maps, limit, kind, says):
    with pytest.raises(kind, match=says):
        plots.over_picture(given, maps, limit=limit)


def test_bars_that_tell_in_words():
    told = plots.bars({"score": [0.25, 0.5]}, ["one", "two"], says="The second is larger.")
    assert told.text == "Bars of weight\nscore: for one, two. The second is larger."
