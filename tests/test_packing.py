"""Frames as they travel to the browser: packed, unpacked by an oracle of the tests, and shown."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from pixels import colours_of, decoded

from helpers.explorer import Explorer
from helpers.frames import Labels
from helpers.packing import Packing, is_picture


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
    assert is_picture(panel) is expected


def test_tables_and_pictures_side_by_side_come_back_from_their_buffers():
    given = {"weights": ramp(20), "table": np.array([[1.0, -2.0]]), "scores": ramp(3)}
    e = explore(given)
    for index, by in enumerate((0, 1, 2)):
        found, numbers = decoded(e.view.spec, e.view.frames, e.view.pictures, index)
        assert numbers == {}
        for panel, cells in found:
            expected = by * given[panel["name"]]
            assert panel["picture"] is (panel["name"] == "weights")
            np.testing.assert_allclose(cells[0], expected, rtol=5e-4 if panel["picture"] else 1e-7)


def test_a_picture_weighs_two_bytes_a_cell_and_a_table_four():
    e = explore({"weights": ramp(20), "scores": ramp(3)})
    assert len(e.view.pictures) == 3 * 20 * 20 * 2
    assert len(e.view.frames) == 3 * 3 * 3 * 4
    assert e.view.spec["drawn_as"] == "float16"


def test_numbers_past_the_range_of_float16_are_kept_whole():
    e = explore({"scores": ramp(20, 1e6)})
    assert e.view.spec["drawn_as"] == "float32"
    ((_, cells),), _ = decoded(e.view.spec, e.view.frames, e.view.pictures, 2)
    np.testing.assert_allclose(cells[0], 2 * ramp(20, 1e6), rtol=1e-7)


def test_masked_cells_of_a_picture_stay_masked():
    hidden = np.triu(np.ones((20, 20)), 1)
    e = explore({"weights": ramp(20)}, masked=hidden)
    ((_, cells),), _ = decoded(e.view.spec, e.view.frames, e.view.pictures, 1)
    assert (np.isnan(cells[0]) == hidden.astype(bool)).all()


def test_live_a_picture_may_grow_past_any_range():
    def grow(by=1.0, note=""):
        return {"scores": np.full((20, 20), by)}

    e = Explorer(grow, words(20), by=(1.0, 1e6, 1.0), note="")
    assert not e.swept and e.view.spec["drawn_as"] == "float32"
    e.controls[0].widget.value = 1e6
    assert np.frombuffer(e.view.pictures, np.float32).tolist() == [1e6] * 400


def test_the_still_picture_is_of_the_position_where_the_slider_stands():
    e = explore({"weights": ramp(20)})
    e.controls[0].widget.value = 2
    ((_, shown),), _ = e._shown()
    np.testing.assert_allclose(shown, 2 * ramp(20), rtol=5e-4)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 24), st.integers(1, 24)), min_size=1, max_size=4),
    st.integers(0, 3),
    st.integers(1, 4),
)
def test_what_is_packed_comes_back(shapes, n_numbers, positions):
    matrices = {f"m{i}": np.zeros(shape) for i, shape in enumerate(shapes)}
    labels = {
        "rows": {n: words(m.shape[0]) for n, m in matrices.items()},
        "columns": {n: words(m.shape[1]) for n, m in matrices.items()},
    }
    panels = Labels(["w"], **labels).panels(matrices)
    packing = Packing(panels, [f"n{i}" for i in range(n_numbers)])
    size = sum(p.size for p in panels) + n_numbers
    frames = np.arange(positions * size, dtype=np.float32).reshape(positions, size) % 2048
    packed = packing.pack(frames)
    assert sum(map(len, packed.values())) == positions * packing.frame_bytes
    for index in range(positions):
        np.testing.assert_array_equal(packing.unpack(**packed, index=index), frames[index])


def test_float16_changes_a_colour_by_one_level_in_255_at_most():
    x = np.linspace(-1.2, 1.2, 9_999, dtype=np.float32)[None]
    exact = colours_of(x, "#A6611A", "#01665E", 1.0).astype(int)
    halved = colours_of(x.astype(np.float16), "#A6611A", "#01665E", 1.0).astype(int)
    assert np.abs(exact - halved).max() <= 1


def test_a_large_sweep_is_light_enough_to_be_swept_as_pictures():
    """At 4 bytes a cell it would weigh 44 MB, and be computed as the slider moves."""
    e = Explorer(
        lambda by=1: {"weights": torch.full((256, 256), by / 200)}, words(256), by=(1, 170)
    )
    assert e.swept
