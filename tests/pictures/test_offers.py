"""Where colours would show next to nothing: what is said, and the closer scale that is offered."""

import numpy as np
import pytest

from helpers.pictures import plots
from helpers.pictures.labels import Labels
from helpers.pictures.offers import offers


def offer(*largest, start=0, name="weights", size=3, swept=True, **given):
    """What a panel offers whose largest number is this at each position of a slider, at `start`."""
    words = [f"w{i}" for i in range(size)]
    panel = Labels(words, columns={name: words}, **given).panel(name, (size, size))
    frames = np.array([x * np.eye(size).ravel() for x in largest], np.float32)
    frames[:, 1] = np.nan  # masked: it does not count
    (found,) = offers([panel], frames, frames[start], swept)
    return found


def test_the_scale_that_is_offered_ends_above_the_largest_number_of_all_positions():
    for largest, end in {0.0873: 0.088, 0.04: 0.04, 0.1: 0.1, 0.0991: 0.1, 3e-7: 3e-7}.items():
        found = offer(largest)
        assert found["end"] == end
        assert found["says"] == f"all weights are at most {end:g}: pale on a scale to 1"
    assert offer(0.02, 0.15, 0.04)["end"] == 0.15


def test_nothing_is_offered_where_something_shows_or_there_is_nothing_to_show():
    assert not any(offer(largest) for largest in (0.2, 1.0, 7.0, 0.0))
    assert offer(0.1, limits={"weights": 0.4}) is None
    assert offer(0.02, name="chances", rows={"chances": list("abc")}) is None  # bars


@pytest.mark.parametrize("start, end", [(0, 0.02), (2, 0.04)])
def test_where_some_position_shows_well_the_first_one_seen_decides(start, end):
    found = offer(0.02, 0.9, 0.04, start=start, size=20)
    assert found["end"] == end
    assert found["says"] == f"numbers up to {end} are pale on a scale to 1"
    assert found["taken"].endswith("; what is beyond is as dark")
    assert offer(0.02, 0.9, 0.04, start=1, size=20) is None
    assert offer(0.02, 0.9, 0.04, start=start) is None  # a table has numbers
    assert offer(end, swept=False)["says"] == found["says"]  # more may come


def test_scores_and_vectors_are_pale_on_either_side_of_0():
    assert offer(-0.3, name="scores")["says"] == "all numbers are within ±0.3: pale on a scale to 2"
    assert offer(-0.3, name="context") is None
    assert offer(-0.3, name="context", limits={"context": 10})["end"] == 0.3


def test_a_still_picture_that_shows_next_to_nothing_says_so():
    says = "weights: all weights are at most 0.04: pale on a scale to 1"
    # A table says nothing: its numbers can be read.
    for matrix, said in (
        (np.full((25, 25), 0.04), says),
        (np.eye(25), ""),
        (np.full((5, 5), 0.04), ""),
    ):
        picture = plots.matrices({"weights": matrix}, [f"w{i}" for i in range(len(matrix))])
        assert picture.figure.get_supxlabel() == said
