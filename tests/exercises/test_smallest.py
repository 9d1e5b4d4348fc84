"""The smallest case on which an answer is wrong: small, wrong in the same way, its sum open."""

import random

import attempts
import pytest
import torch
from test_facts import CALLED, WRONG, spoiled

from helpers.exercises import EXERCISES
from helpers.judge.check import check
from helpers.judge.comparing import Remark, pairs
from helpers.judge.running import Run


@pytest.mark.parametrize("name", CALLED)
def test_the_small_case_shows_the_same_kind_of_difference(name):
    exercise = EXERCISES[name]
    answer = spoiled(exercise, WRONG[random.Random(name).choice(["factor", "rolled", "summed"])], 0)
    small = check(exercise, answer).smallest
    if small is not None:
        mine, wanted = (
            exercise.observe(a, small.mine.case, Run(9)) for a in (answer, exercise.right)
        )
        assert not mine.trouble and not wanted.trouble
        assert pairs(mine, wanted)


def test_the_small_case_is_small_and_its_sum_is_open():
    def far_too_even(queries, keys):
        return torch.softmax(queries @ keys.T / 7, dim=-1)

    result = check(EXERCISES["scaled_weights"], far_too_even)
    queries, keys = result.smallest.mine.case.arguments
    assert queries.numel() <= 4 and keys.numel() <= 4
    assert {*queries.flatten().tolist(), *keys.flatten().tolist()} <= {0, 1, 2}
    weight, score = result.smallest.sums
    assert "weights" in weight and "e^" in weight and "scores" in score and "√" in score
    assert all(line in result.message for line in result.smallest.sums)
    assert "your weights" in result.picture.text and "expected weights" in result.picture.text


@pytest.mark.parametrize("name", ["scores", "softmax", "context", "self_attention", "project",
                                  "masked_weights", "causal_attention", "multi_head"])  # fmt: skip
def test_the_sums_of_the_first_notebooks_open(name):
    exercise = EXERCISES[name]
    wrong = spoiled(exercise, lambda a: a + 1.0) if exercise.returns else plus_one(exercise.right)
    assert check(exercise, wrong).smallest.sums


def plus_one(cls):
    class Plus(cls):
        def forward(self, x):
            return super().forward(x) + 1.0

    return Plus


def test_a_small_case_is_never_another_kind_of_failure():
    def stops_for_small(X):
        if X.numel() < 9:
            raise RuntimeError("too small")
        return EXERCISES["self_attention"].right(2 * X)

    result = check(EXERCISES["self_attention"], stops_for_small)
    assert result.smallest is None or result.smallest.mine.case.arguments[0].numel() >= 9
    assert "too small" not in result.message


def test_a_small_case_has_no_remark_that_the_case_itself_has_not():
    code = """batch, heads, queries, d = query.shape
asked = query.transpose(1, 2).reshape(batch, key.shape[1], -1, d)
weights = (asked @ key.mT / d**0.5).softmax(dim=-1)
return (weights @ value).reshape(batch, heads, queries, -1)"""
    small = check(
        EXERCISES["grouped_attention"], attempts.answer("grouped_attention", code, "small")
    ).smallest
    assert not [v for v in small.mine.values.values() if isinstance(v, Remark)]
