"""Frames as they travel to the browser, read by an oracle of the tests, and shown."""

import numpy as np
from pixels import decoded

from helpers.explorer import Explorer


def ramp(n):
    return np.arange(n * n).reshape(n, n) / (n * n)


def explore(matrices, **options):
    """An Explorer of matrices that grow with a slider of three positions."""
    rows = {name: [f"w{i}" for i in range(np.shape(m)[-2])] for name, m in matrices.items()}
    columns = {name: [f"w{i}" for i in range(np.shape(m)[-1])] for name, m in matrices.items()}

    def grow(by=1):
        return {name: by * np.asarray(m) for name, m in matrices.items()}

    return Explorer(grow, ["t"], columns=columns, rows=rows, by=(0, 2), **options)


def test_tables_and_pictures_side_by_side_come_back_from_their_buffer():
    hidden = np.triu(np.ones((20, 20), bool), 1)
    given = {"weights": ramp(20), "table": np.array([[1.0, -2.0]])}
    e = explore(given, masked=hidden)
    for index, by in enumerate((0, 1, 2)):
        found, numbers = decoded(e.view.spec, e.view.frames, index)
        assert numbers == {}
        for panel, cells in found:
            wanted = by * given[panel["name"]]
            assert panel["picture"] is (panel["name"] == "weights")
            if panel["picture"]:
                wanted = np.where(hidden, np.nan, wanted)
            np.testing.assert_allclose(cells[0], wanted, rtol=1e-6)


def test_the_still_picture_is_of_the_position_where_the_slider_stands():
    e = explore({"weights": ramp(20)})
    e.controls[0].widget.value = 2
    ((_, shown),), _ = e._shown()
    np.testing.assert_allclose(shown, 2 * ramp(20), rtol=1e-7)
