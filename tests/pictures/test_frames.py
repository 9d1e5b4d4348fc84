"""Frames as they travel to the browser, read by an oracle of the tests, and shown."""

import numpy as np
import pytest
from pixels import decoded

from helpers.explorer import Explorer
from helpers.pictures.labels import Labels


def words(n):
    return [f"w{i}" for i in range(n)]


def ramp(n, scale=1.0):
    return scale * np.arange(n * n).reshape(n, n) / (n * n)


def explore(matrices, **options):
    """An Explorer of matrices that grow with a slider of three positions."""
    rows = max(np.shape(m)[-2] for m in matrices.values())
    return Explorer(
        lambda by=1: {name: by * np.asarray(m) for name, m in matrices.items()},
        words(rows),
        columns={name: words(np.shape(m)[-1]) for name, m in matrices.items()},
        rows={name: words(np.shape(m)[-2]) for name, m in matrices.items()},
        by=(0, 2),
        **options,
    )


@pytest.mark.parametrize(
    "heads, side, expected",
    [(0, 16, False), (0, 17, True), (2, 16, False), (3, 16, True), (8, 8, False), (10, 8, True)],
)
def test_up_to_16_tokens_and_600_cells_are_a_table(heads, side, expected):
    matrix = np.zeros((heads, side, side) if heads else (side, side))
    (panel,) = Labels(words(side)).panels({"weights": matrix})
    assert panel.is_picture is expected


def test_tables_and_pictures_side_by_side_come_back_from_their_buffer():
    given = {"weights": ramp(20), "table": np.array([[1.0, -2.0]]), "scores": ramp(3)}
    e = explore(given)
    for index, by in enumerate((0, 1, 2)):
        found, numbers = decoded(e.view.spec, e.view.frames, index)
        assert numbers == {}
        for panel, cells in found:
            expected = by * given[panel["name"]]
            assert panel["picture"] is (panel["name"] == "weights")
            np.testing.assert_allclose(cells[0], expected, rtol=1e-7)


def test_masked_cells_of_a_picture_stay_masked():
    hidden = np.triu(np.ones((20, 20)), 1)
    e = explore({"weights": ramp(20)}, masked=hidden)
    ((_, cells),), _ = decoded(e.view.spec, e.view.frames, 1)
    assert (np.isnan(cells[0]) == hidden.astype(bool)).all()


def test_live_a_picture_may_grow_past_any_range():
    def grow(by=1.0, note=""):
        return {"scores": np.full((20, 20), by)}

    e = Explorer(grow, words(20), by=(1.0, 1e6, 1.0), note="")
    assert not e.swept
    e.controls[0].widget.value = 1e6
    assert np.frombuffer(e.view.frames, np.float32).tolist() == [1e6] * 400


def test_the_still_picture_is_of_the_position_where_the_slider_stands():
    e = explore({"weights": ramp(20)})
    e.controls[0].widget.value = 2
    ((_, shown),), _ = e._shown()
    np.testing.assert_allclose(shown, 2 * ramp(20), rtol=1e-7)
