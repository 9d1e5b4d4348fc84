"""Results that are checked many at a time: the same frames, and the same errors, as one by one."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.explorer import sweeps
from helpers.explorer.computation import Computation
from helpers.explorer.controls import Control
from helpers.explorer.sweeps import Sweep
from helpers.matrices.frames import Labels

pytestmark = pytest.mark.filterwarnings("error")
SUMS = {
    "scores": "queries @ K.T / sqrt(d)",
    "weights": "softmax(scores / temperature)",
    "context": "weights @ K",
    "scaled": "scores * d",
    "difference": "weights - scores",
    "total": "sum(weights)",
}
K = torch.randn(3, 4, generator=torch.manual_seed(0))


def attend(temperature, heads=0, masked=False):
    """A result that has a panel of every kind, each sum of SUMS true of it."""
    queries = K.expand(heads, 3, 4) * torch.arange(1, heads + 1)[:, None, None] if heads else K
    d = 4.0
    scores = (queries @ K.T).double() / d**0.5
    seen = scores.masked_fill(~visible(temperature), -torch.inf) if masked else scores
    weights = torch.softmax(seen / temperature, -1)
    return {
        "queries": queries,
        "scores": scores,
        "weights": weights,
        "context": weights @ K.double(),
        "scaled": torch.where(visible(temperature), scores, 0) * d if masked else scores * d,
        "difference": weights - scores,
        "total": weights.sum(-1, keepdim=True),
        "d": d,
    }


def visible(temperature):
    """A mask that is not the same at every position."""
    return torch.ones(3, 3).tril(int(temperature) % 2).bool()


def computation(compute, masked=None, sums=SUMS):
    labels = Labels(["a", "b", "c"])
    controls = [Control("temperature", (1, 1000), 1)]
    made = Computation(compute, masked, labels, sums, {"K": K}, controls)
    made.frame({"temperature": 1})
    return made


def swept(compute, count, **given):
    sweep = Sweep(computation(compute, **given), count)
    for temperature in range(1, count + 1):
        sweep.add({"temperature": temperature})
    return sweep.frames()


def one_by_one(compute, count, **given):
    single = computation(compute, **given)
    return np.array([single.frame({"temperature": t}) for t in range(1, count + 1)])


@pytest.mark.parametrize("heads", [0, 1, 2])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("count", [1, 2, 3, 40])
def test_frames_are_those_of_one_by_one(heads, masked, count):
    def compute(temperature):
        result = attend(temperature, heads, masked)
        return {n: x for n, x in result.items() if not (masked and n == "difference")}

    given = {"masked": lambda temperature: ~visible(temperature)} if masked else {}
    given["sums"] = {
        n: s for n, s in SUMS.items() if not (masked and n in ("difference", "scaled"))
    }
    frames = swept(compute, count, **given)
    assert frames.dtype == np.float32
    np.testing.assert_array_equal(frames, one_by_one(compute, count, **given))
    assert np.isnan(frames).any() == masked


def test_frames_of_more_positions_than_are_checked_together(monkeypatch):
    monkeypatch.setattr(sweeps, "MOST", 8)
    np.testing.assert_array_equal(swept(attend, 30), one_by_one(attend, 30))
    monkeypatch.setattr(sweeps, "MOST_NUMBERS", 10)  # fewer than one result has
    np.testing.assert_array_equal(swept(attend, 5), one_by_one(attend, 5))


def with_nan(result):
    result["scores"] = result["scores"].clone()
    result["scores"][..., 1, 2] = torch.nan


def too_large(result):
    result["context"] = result["context"] * 1e200


def other_sum(result):
    result["weights"] = result["weights"] + torch.eye(3) * 0.01


def other_scalar(result):
    result["d"] = 5.0


def endless(result):
    result["d"] = float("inf")


def smaller(result):
    result["scores"] = result["scores"][..., :2]


def without(result):
    del result["context"]


def one_number_more(result):
    result["more"] = 1.0


def words(result):
    result["weights"] = "abc"


def raising(result):
    raise KeyError("sun")


DEFECTS = [with_nan, too_large, other_sum, other_scalar, endless, smaller, without, words, raising]
DEFECTS += [one_number_more]


@settings(max_examples=50, deadline=None, database=None, derandomize=True)
@given(
    st.dictionaries(st.integers(2, 20), st.sampled_from(DEFECTS), min_size=1, max_size=3),
    st.sampled_from([0, 2]),
)
def test_the_first_mistake_is_told_as_it_is_one_by_one(defects, heads):
    def compute(temperature):
        result = attend(temperature, heads)
        if temperature in defects:
            defects[temperature](result)
        return result

    with pytest.raises((TypeError, ValueError)) as expected:
        one_by_one(compute, 20)
    with pytest.raises((TypeError, ValueError)) as told:
        swept(compute, 20)
    assert str(told.value) == str(expected.value)
    assert f"temperature={min(defects)})" in str(told.value)
    assert type(told.value) is type(expected.value)
    # Nothing in between that a learner would have to read.
    assert told.value.__context__ is None or told.value.__suppress_context__


@pytest.mark.parametrize("shape", [(3, 4), (2, 2), (3,)])
def test_a_mask_of_another_shape_is_told_with_its_position(shape):
    def masked(temperature):
        return np.zeros(shape if temperature == 7 else (3, 3), bool)

    with pytest.raises(ValueError, match=r"temperature=7\): masked has shape"):
        swept(attend, 9, masked=masked)


@pytest.mark.parametrize("missing", [{3}, {1, 4, 6, 7}, set(range(1, 9))])
def test_a_mask_may_be_missing_at_a_position(missing):
    def masked(temperature):
        return None if temperature in missing else ~visible(temperature)

    sums = {"scores": SUMS["scores"]}
    frames = swept(attend, 8, masked=masked, sums=sums)
    np.testing.assert_array_equal(frames, one_by_one(attend, 8, masked=masked, sums=sums))
    assert np.isnan(frames).any(axis=1).tolist() == [t not in missing for t in range(1, 9)]


def test_without_a_mask_no_number_may_be_missing():
    def compute(temperature):
        return torch.full((3, 3), torch.nan if temperature == 4 else 1.0).tril()

    def masked(temperature):
        return None if temperature == 4 else ~visible(temperature)

    with pytest.raises(ValueError, match=r"temperature=4\): nan at row"):
        swept(compute, 5, masked=masked, sums=None)


def one_row(temperature):
    weights = torch.eye(3)
    return {"weights": weights, "scores": weights[:1]}


def test_matrices_of_two_sizes_need_no_mask():
    given = {"masked": lambda temperature: None, "sums": None}
    np.testing.assert_array_equal(swept(one_row, 5, **given), one_by_one(one_row, 5, **given))


def test_a_mask_that_fits_only_one_of_two_matrices_is_told():
    def masked(temperature):
        return np.zeros((3, 3), bool) if temperature == 4 else None

    with pytest.raises(
        ValueError, match=r"temperature=4\): masked has shape .*'scores' is \(1, 3\)"
    ):
        swept(one_row, 5, masked=masked, sums=None)


def test_a_choice_may_have_the_name_of_a_matrix():
    """Which is then the one that a sum means."""
    chosen = {"raw": 1, "doubled": 2}
    labels, controls = Labels(["a", "b", "c"]), [Control("keys", list(chosen), "raw")]

    def compute(keys):
        return {"keys": chosen[keys] * K, "scores": K @ (chosen[keys] * K).T}

    made = Computation(compute, None, labels, {"scores": "X @ keys.T"}, {"X": K}, controls)
    made.frame({"keys": "raw"})
    sweep = Sweep(made, 2)
    for keys in chosen:
        sweep.add({"keys": keys})
    assert sweep.frames()[1] == pytest.approx(2 * sweep.frames()[0])


def test_a_mistake_is_told_before_many_more_positions_are_tried():
    """Where compute takes its time, nobody waits for 1,000 calls to hear of the second."""
    calls = []

    def compute(temperature):
        calls.append(temperature)
        return torch.full((3, 3), torch.nan if temperature == 5 else 1.0)

    with pytest.raises(ValueError, match="temperature=5"):
        swept(compute, 1000, sums=None)
    assert len(calls) < 15


def test_a_matrix_that_compute_uses_again_is_copied_at_once():
    same = torch.zeros(3, 3)

    def compute(temperature):
        return same.fill_(temperature)

    assert swept(compute, 20, sums=None)[:, 0].tolist() == list(range(1, 21))
