"""Calling the learner's function: every result checked, and every error told with its position."""

import numpy as np
import pytest
import torch

from helpers.explorer.computation import Computation
from helpers.explorer.controls import Control

pytestmark = pytest.mark.filterwarnings(
    "error",
    "ignore::pytest.PytestUnraisableExceptionWarning",  # what another test left behind
)
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
    labels = dict.fromkeys(("rows", "columns"), None) | {"tokens": ["a", "b", "c"]}
    controls = [Control("temperature", (1, 1000), 1)]
    made = Computation(compute, masked, labels, sums, {"K": K}, controls)
    made.at({"temperature": 1})
    return made


def swept(compute, count, **given):
    """The frames at temperature 1, 2, … count."""
    made = computation(compute, **given)
    return np.array([made.at({"temperature": t})[1] for t in range(1, count + 1)])


@pytest.mark.parametrize("heads", [0, 1, 2])
@pytest.mark.parametrize("masked", [False, True])
def test_a_frame_is_all_numbers_in_their_order(heads, masked):
    def compute(temperature):
        result = attend(temperature, heads, masked)
        return {n: x for n, x in result.items() if not (masked and n == "difference")}

    def hidden(temperature):
        return ~visible(temperature)

    sums = {n: s for n, s in SUMS.items() if not (masked and n in ("difference", "scaled"))}
    frames = swept(compute, 4, masked=hidden if masked else None, sums=sums)
    assert frames.dtype == np.float32
    for temperature, frame in enumerate(frames, 1):
        wanted = []
        for name, part in compute(temperature).items():
            part = torch.as_tensor(part, dtype=torch.float64)
            if masked and name in ("scores", "weights"):
                part = part.masked_fill(hidden(temperature), torch.nan)
            wanted += part.flatten().tolist()
        np.testing.assert_allclose(frame, wanted, rtol=1e-6)


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


@pytest.mark.parametrize("heads", [0, 2])
@pytest.mark.parametrize("defect", DEFECTS)
def test_a_mistake_is_told_with_its_position(defect, heads):
    def compute(temperature):
        result = attend(temperature, heads)
        if temperature == 7:
            defect(result)
        return result

    with pytest.raises((TypeError, ValueError), match=r"compute\(temperature=7\)") as told:
        swept(compute, 9)
    # Nothing in between that a learner would have to read, but for an error of their own.
    own = isinstance(told.value.__cause__, KeyError)
    assert told.value.__context__ is None or told.value.__suppress_context__ or own


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

    frames = swept(attend, 8, masked=masked, sums={"scores": SUMS["scores"]})
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
    frames = swept(one_row, 2, masked=lambda temperature: None, sums=None)
    assert frames.tolist() == [[1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0]] * 2


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
    labels, controls = (
        dict.fromkeys(("rows", "columns"), None) | {"tokens": ["a", "b", "c"]},
        [Control("keys", list(chosen), "raw")],
    )

    def compute(keys):
        return {"keys": chosen[keys] * K, "scores": K @ (chosen[keys] * K).T}

    made = Computation(compute, None, labels, {"scores": "X @ keys.T"}, {"X": K}, controls)
    raw, doubled = [made.at({"keys": keys})[1] for keys in chosen]
    assert doubled == pytest.approx(2 * raw)


def test_a_matrix_that_compute_uses_again_is_copied_at_once():
    same = torch.zeros(3, 3)

    def compute(temperature):
        return same.fill_(temperature)

    assert swept(compute, 20, sums=None)[:, 0].tolist() == list(range(1, 21))
