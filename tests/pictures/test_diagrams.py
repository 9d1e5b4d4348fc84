"""Words and boxes: everything is where it should be."""

import itertools

from words_drawn import assert_all_can_be_read

from helpers.data.sentences import ENGLISH, GERMAN
from helpers.pictures import plots


def words_at(ax, height):
    return [t.get_text() for t in ax.texts if t.get_position()[1] == height]


def test_the_bottleneck_joins_every_state_as_it_says():
    heard, said = GERMAN[:5], ENGLISH[:5]
    picture = plots.bottleneck(heard, said)
    left, right = picture.figure.axes
    chains = [*itertools.pairwise(heard), *itertools.pairwise(said)]
    through = [(heard[-1], "one vector"), ("one vector", said[0])]
    assert sorted(linked(left)) == sorted(chains + through)
    assert sorted(linked(right)) == sorted([*chains, *((word, said[1]) for word in heard)])
    for ax in (left, right):
        above, below = (list(filter(None, words_at(ax, height))) for height in (1, 0))
        assert (above, below) == ([*heard, "encoder"], [*said, "decoder"])
    assert "Above: the states of 5 words" in picture.text
    assert_all_can_be_read(picture)


def linked(ax):
    """(the word in the box where an arrow starts, and where it ends) of every arrow."""
    words = {t.get_bbox_patch(): t.get_text() for t in ax.texts if t.get_bbox_patch()}
    arrows = [t.arrow_patch for t in ax.texts if getattr(t, "arrow_patch", None)]
    return [(words[arrow.patchA], words[arrow.patchB]) for arrow in arrows]


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
