"""Where colours would show next to nothing: what is said, and the closer scale that is offered."""

import numpy as np
import pytest

from helpers.explorer import Explorer
from helpers.pictures import plots


def words(n):
    return [f"w{i}" for i in range(n)]


def offer(*largest, start=0, name="weights", size=3, **options):
    """What a panel offers whose largest number is this at each position of a slider, which stands at `start`."""
    matrices = [x * np.eye(size) for x in largest]
    positions = (0, len(largest) - 1)
    e = Explorer(
        lambda at=start: {name: matrices[at]},
        words(size),
        columns={name: words(size)},
        at=positions,
        **options,
    )
    (panel,) = e.view.spec["panels"]
    return panel["offer"]


@pytest.mark.parametrize(
    "largest, end", [(0.0873, 0.088), (0.04, 0.04), (0.1, 0.1), (0.0991, 0.1), (3e-7, 3e-7)]
)
def test_the_scale_that_is_offered_ends_above_the_largest_number(largest, end):
    assert offer(largest)["end"] == end
    assert offer(largest)["says"] == f"all weights are at most {end:g}: pale on a scale to 1"


@pytest.mark.parametrize("largest", [0.2, 1.0, 7.0, 0.0])
def test_nothing_is_offered_where_something_shows_or_there_is_nothing_to_show(largest):
    assert offer(largest) is None


def test_the_largest_of_all_positions_counts_so_that_all_can_be_compared():
    assert offer(0.02, 0.15, 0.04)["end"] == 0.15


@pytest.mark.parametrize("start, end", [(0, 0.02), (2, 0.04)])
def test_where_some_position_shows_well_the_first_one_seen_decides(start, end):
    found = offer(0.02, 0.9, 0.04, start=start, size=20)
    assert found["end"] == end
    assert found["says"] == f"numbers up to {end} are pale on a scale to 1"
    assert found["taken"].endswith("; what is beyond is as dark")
    assert offer(0.02, 0.9, 0.04, start=1, size=20) is None
    assert offer(0.02, 0.9, 0.04, start=start) is None  # a table has numbers


def test_scores_and_vectors_are_pale_on_either_side_of_0():
    assert offer(-0.3, name="scores")["says"] == "all numbers are within ±0.3: pale on a scale to 2"
    assert offer(-0.3, name="context") is None
    assert offer(-0.3, name="context", limits={"context": 10})["end"] == 0.3
    assert offer(0.1, limits={"weights": 0.4}) is None


def test_masked_cells_do_not_count():
    hidden = np.eye(3)
    e = Explorer(lambda x=1: 0.5 * x * np.eye(3) + 0.01, words(3), masked=hidden, x=(0, 1))
    assert e.view.spec["panels"][0]["offer"]["end"] == 0.01


def test_live_the_first_result_decides_and_no_more_is_said():
    e = Explorer(lambda word: np.full((1, 1), len(word) / 100), ["t"], word="sun")
    assert e.view.spec["panels"][0]["offer"]["says"].startswith("numbers up to 0.03 are pale")


def note(matrix):
    """What stands under the still picture of a matrix."""
    picture = plots.matrices({"weights": matrix}, words(len(matrix)))
    return picture.figure.get_supxlabel()


def test_a_still_picture_that_shows_next_to_nothing_says_so():
    assert (
        note(np.full((25, 25), 0.04))
        == "weights: all weights are at most 0.04: pale on a scale to 1"
    )
    assert note(np.eye(25)) == ""
    assert note(np.full((5, 5), 0.04)) == ""  # its numbers can be read
