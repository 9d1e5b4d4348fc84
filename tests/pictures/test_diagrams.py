"""Words and boxes: everything is where it should be."""

import pytest
from words_drawn import assert_all_can_be_read

from helpers.pictures import plots


def test_a_map_draws_what_goes_up_round_and_across():
    columns = [[("in", "(2, 6)"), "part", "+"], [("ids", "(2, 4)"), "norm", "+", "end"]]
    across = [((0, 2), (1, 1), "memory")]
    picture = plots.flow(columns, [[(0, 2)], [(1, 2)]], across, title="A map")
    (ax,) = picture.figure.axes
    boxes = [patch for patch in ax.patches if patch.get_gid() == "rectangle"]
    tops, middles = [box.get_y() for box in boxes], [box.get_center() for box in boxes]
    up, down = [0, 1, 3, 4, 5], [2, 5]  # the boxes at which arrows start, and residual ones end
    tips = [[*text.xyann, *text.xy] for text in ax.texts if getattr(text, "arrow_patch", None)]
    for box in up:  # y points down
        x, bottom = middles[box][0], tops[box + 1] + boxes[box + 1].get_height()
        assert [x, tops[box], x, bottom] in tips
    heights = [middles[box][1] for box in [*down, 4]]  # and the memory's
    level = [tip[3] for tip in tips if tip[1] == tip[3]]
    assert sorted(level) == pytest.approx(sorted(heights)) and len(tips) == 5 + 2 + 1
    assert picture.text == (
        "A map. in (2, 6) → part → +. ids (2, 4) → norm → + → end. + → norm: memory."
        " Residual connections: in → +; norm → +."
    )
    assert_all_can_be_read(picture)
