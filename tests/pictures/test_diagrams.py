"""Words and boxes: everything is where it should be."""

from words_drawn import assert_all_can_be_read

from helpers.pictures import plots


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
