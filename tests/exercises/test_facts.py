"""Facts about wrong answers are true, and none is so by chance: each is held to other inputs."""

import random

import attempts
import numpy as np
import pytest
import torch

from helpers.exercises import EXERCISES
from helpers.judge.check import check
from helpers.judge.facts import one_factor, parts, varied
from helpers.judge.running import Run

WRONG = {  # what becomes of one result of a right answer
    "factor": lambda a: a * 2.0,
    "rolled": lambda a: a.roll(1, -1) if a.ndim else a + 1.0,
    "summed": lambda a: a.sum(-1) if a.ndim else a + 1.0,
    "constant": torch.ones_like,
    "mixed": lambda a: a + a.mean(0) if a.ndim else a + 1.0,
    "undefined": lambda a: a / 0.0,
}
CALLED = [  # the exercises that are functions of tensors, with a result to spoil
    name
    for name, e in EXERCISES.items()
    if e.asks_for == "function" and e.returns and not e.how and e.wanted == "float"
]


def spoiled(exercise, spoil, k=0):
    """The right answer, its result number k spoiled."""

    def answer(*arguments):
        result = exercise.right(*arguments)
        several = list(result) if len(exercise.returns) > 1 else [result]
        several[k] = spoil(several[k])
        return tuple(several) if len(exercise.returns) > 1 else several[0]

    return answer


def results(exercise, code, case, name):
    return (exercise.observe(code, case, Run(9)).values or {}).get(name)


def moves(exercise, code, case, name, place):
    """Whether a result, or x[:, 3] of it, changes over random changes of such a place of an input."""
    (name, _, of), (part, _, at) = name.partition("["), place.partition("[")
    of, at = (eval(f"np.s_[{x}") if x else ... for x in (of, at))
    before, found = results(exercise, code, case, name), False
    for seed in range(12):
        drawn = torch.Generator().manual_seed(seed)
        tensor = parts(exercise, case)[part]
        order = torch.randperm(tensor.numel(), generator=drawn)
        new = tensor.flatten()[order].reshape(tensor.shape) if tensor.ndim else tensor + seed
        if seed % 2 and tensor.is_floating_point():
            free = torch.randn(tensor.shape, generator=drawn) * 2 ** (seed / 2)
            new = torch.where(tensor.isfinite(), free, tensor)
        there = tensor.clone()
        there[at] = new[at]
        after = results(exercise, code, varied(exercise, case, {part: there}), name)
        if after is not None:  # what it is changed to may be too large for it
            found |= not np.allclose(before[of], after[of], rtol=1e-3, atol=1e-4, equal_nan=True)
    return found


def holds(fact, exercise, answer, case):
    """Whether a fact is true of a case, found out in another way than by the code that states it."""
    name = fact.about["name"].removesuffix(" of the result")
    codes = answer, exercise.right
    mine, wanted = (results(exercise, code, case, name.split("[")[0]) for code in codes)
    if fact.kind == "not finite":
        return (~np.isfinite(mine)).sum() == fact.about["count"]
    if fact.kind == "factor":
        return np.allclose(mine, float(fact.about["factor"]) * wanted, rtol=1e-3, atol=1e-4)
    if fact.kind == "sums":
        return np.allclose(wanted.sum(-1), 1) and not np.allclose(mine.sum(-1), 1, atol=1e-3)
    moved = [moves(exercise, code, case, name, fact.about["part"]) for code in codes]
    return moved == [fact.kind == "influence", fact.kind != "influence"]


def facts_are_true(exercise, answer):
    result = check(exercise, answer)
    for fact in [fact for fact in result.facts if fact.kind != "one change"]:
        case = next(c for c in exercise.all_cases if f"For {c.says}" in result.message)
        assert holds(fact, exercise, answer, case), (exercise.name, fact)
    return not result.passed


@pytest.mark.parametrize("name", CALLED)
def test_what_is_said_of_a_spoiled_answer_is_true(name):
    for spoil in random.Random(name).sample(sorted(WRONG), 2):
        assert facts_are_true(EXERCISES[name], spoiled(EXERCISES[name], WRONG[spoil]))


def test_the_facts_about_the_attempts_of_beginners_are_true():
    for number, (name, said, code) in enumerate(attempts.read()[::3]):
        exercise = EXERCISES[name]
        if said in ("not named", "a fact") and exercise.returns and not exercise.how:
            assert facts_are_true(exercise, attempts.answer(name, code, number))


@pytest.mark.parametrize(
    "name, code, kinds",
    [
        ("scaled_weights", "return torch.full((len(queries), len(keys)), 1 / len(keys))",
         ["no influence"]),
        ("scaled_weights", "return (queries @ keys.T).sigmoid()", ["sums"]),
        ("pooled", "return torch.tanh(pooler(vectors[:, 0] + vectors[:, 1]))", ["influence"]),
        # Only where scores are far apart, what is cut makes no difference.
        ("softmax", "e = scores.clamp(max=80).exp()\nreturn e / e.sum(dim=-1, keepdim=True)", []),
        ("scaled_weights", "return torch.sqrt(queries @ keys.T - 1e9)", ["not finite"]),
        # What is chosen by the largest score may stay as it is by chance.
        ("hard_attention", "w = (scores / 0.01).softmax(dim=-1)\nreturn w, w @ values", []),
    ],
)  # fmt: skip
def test_what_is_told_and_what_is_not(name, code, kinds):
    result = check(EXERCISES[name], attempts.answer(name, code, f"of {name} {len(code)}"))
    found = {fact.kind for fact in result.facts} - {"one change"}
    assert not result.pitfall and found == {*kinds}, result
    for fact in result.facts[:1]:
        assert result.lines[result.lines.index(fact.says) + 1] == fact.asks


def test_a_factor_needs_numbers_enough_and_the_same_in_every_case():
    a, b = np.array([1.0, 2, 3, 5]), np.array([7.0, 11, 13])
    for pairs, factor in (
        ([(2 * a, a), (2 * b, b)], "2"),
        ([(2 * a, a), (3 * b, b)], None),
        ([(2 * b, b)], None),  # few
        ([(2 * a, a), (2 * a, b)], None),  # other shapes
        ([(a + 1, a)], None),
    ):
        assert [one.about["factor"] for one in one_factor("x", pairs)] == [factor][: bool(factor)]
