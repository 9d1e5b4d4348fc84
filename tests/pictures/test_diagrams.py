"""Words, boxes, and maps over a picture: everything is where it should be."""

import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex
from words_drawn import assert_all_can_be_read

from helpers.pictures import plots
from helpers.pictures.roles import ROLES


def test_a_map_draws_what_goes_up_round_and_across():
    columns = [[("in", "(2, 6)"), "part", "+"], [("ids", "(2, 4)"), "norm", "+", "end"]]
    across = [((0, 2), (1, 1), "memory")]
    picture = plots.flow(columns, [[(0, 2)], [(1, 2)]], across, title="A map")
    (ax,) = picture.figure.axes
    arrows = [patch._path_original.vertices for patch in ax.patches if patch.get_gid() == "arrow"]
    drawn = [patch for patch in ax.patches if patch.get_gid() != "arrow"]
    centres = [patch.get_bbox().get_points().mean(axis=0) for patch in drawn]
    names = [patch.get_gid() for patch in drawn]
    assert names == ["in", "part", "+", "ids", "norm", "+", "end"]
    for before, after in ((0, 1), (1, 2), (3, 4), (4, 5), (5, 6)):  # arrows from box to box
        ends = [a for a in arrows if len(a) == 2 and (a[:, 0] == centres[before][0]).all()]
        assert any(centres[before][1] < a[0, 1] < a[1, 1] < centres[after][1] for a in ends)
    for start, end in ((0, 2), (4, 5)):  # residual connections into a sum
        (path,) = (a for a in arrows if len(a) == 4 and a[0, 0] == centres[start][0])
        assert centres[start][1] < path[0, 1] < centres[start + 1][1]
        assert path[3, 1] == centres[end][1]
    assert len(arrows) == 5 + 2 + 1
    assert picture.text == (
        "A map. in (2, 6) → part → +. ids (2, 4) → norm → + → end. + → norm: memory."
        " Residual connections: in → +; norm → +."
    )
    assert_all_can_be_read(picture)


# -- a map over a picture --

DIGIT = torch.zeros(16, 12)
DIGIT[2:12, 4:7] = 1
MAP = torch.arange(12.0).view(4, 3) / 66  # rows and columns differ, and the sum is 1


def test_each_weight_lies_over_its_patch_as_dense_as_it_is_large():
    picture = plots.over_picture(
        DIGIT, {"head 0": MAP, "head 1": MAP.flip(1)}, says="It looks below."
    )
    axes = picture.figure.axes
    assert [ax.get_title(loc="left") for ax in axes] == ["the picture", "head 0", "head 1"]
    for ax, weights in zip(axes, (None, MAP, MAP.flip(1))):
        below, *above = ax.images
        assert np.array_equal(below.get_array(), DIGIT)
        assert all(image.get_extent() == [0, 12, 16, 0] for image in ax.images)
        if weights is None:
            assert not above and not ax.texts
        else:
            assert above[0].get_alpha() == pytest.approx(0.85 * weights.numpy())
            assert to_hex(above[0].cmap(0)).upper() == ROLES["weights"].high
            texts = {t.get_position(): t.get_text() for t in ax.texts}
            assert texts == {
                (4 * j + 2, 4 * i + 2): f"{x:.2f}"
                for (i, j), x in np.ndenumerate(weights.numpy())
                if x >= 0.05
            }
    assert picture.figure.get_supxlabel() == "full colour: a weight of 1"
    assert picture.text == "A picture, 16 × 12. Over it: head 0, head 1. It looks below."


def test_a_picture_alone_has_no_scale_and_many_maps_go_on_below():
    picture = plots.over_picture(DIGIT, title="a one")
    assert len(picture.figure.axes) == 1 and picture.figure.get_supxlabel() == ""
    assert picture.text == "A picture, 16 × 12."
    picture = plots.over_picture(DIGIT, {f"head {h}": MAP for h in range(7)})
    shown = [ax for ax in picture.figure.axes if ax.images]
    assert [ax.get_subplotspec().rowspan.start for ax in shown] == [0] * 5 + [1] * 3
    assert_all_can_be_read(picture)


@pytest.mark.parametrize(
    "given, maps, kind, says",
    [
        (DIGIT[None], {}, ValueError, "From a batch, pass one"),
        (DIGIT, [MAP], TypeError, "maps must be a dict"),
        (DIGIT, {"a": torch.ones(13) / 13}, ValueError, "leave out"),
        (DIGIT, {"a": 9 * MAP}, ValueError, "between 0 and 1"),  # matplotlib's own message
    ],
)
def test_what_cannot_be_laid_over(given, maps, kind, says):
    with pytest.raises(kind, match=says):
        plots.over_picture(given, maps)
