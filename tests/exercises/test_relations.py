"""Facts about wrong answers are true: each is held to a slow check of its own, over random answers."""

import itertools
import random
import time

import attempts
import numpy as np
import pytest
import torch

from helpers.exercises import EXERCISES
from helpers.judge.check import check
from helpers.judge.comparing import Remark, same
from helpers.judge.dropping import what_dropout_did
from helpers.judge.facts import called
from helpers.judge.inputs import other, parts, varied
from helpers.judge.relations import changed, on_rows, one_factor
from helpers.judge.running import Run
from helpers.judge.trials import CHANGES, on_case

ATTEMPTS = attempts.read()
WRONG = {  # what becomes of one result of a right answer
    "factor": lambda a: a * 2.0,  # a number that even a single one is told
    "shift": lambda a: a + 1.0,
    "transposed": lambda a: a.mT if a.ndim > 1 else a,
    "reversed": lambda a: a.flip(0) if a.ndim else a,
    "rolled": lambda a: a.roll(1, -1) if a.ndim else a,
    "a row of zeros": lambda a: a * (torch.arange(a.shape[0]) > 0).view(-1, *[1] * (a.ndim - 1)),
    "summed": lambda a: a.sum(-1) if a.ndim else a,
    "constant": torch.ones_like,
    "squared": torch.square,
    "cut": lambda a: a[..., :-1] if a.ndim else a,
}
CALLED = [  # the exercises that are functions of tensors, with a result to spoil
    name
    for name, e in EXERCISES.items()
    if e.asks_for == "function" and e.returns and not e.how and e.wanted == "float"
]


def spoiled(exercise, spoil, k):
    """The right answer, its result number k spoiled."""

    def answer(*arguments):
        result = exercise.right(*arguments)
        several = list(result) if len(exercise.returns) > 1 else [result]
        several[k] = spoil(several[k])
        return tuple(several) if len(exercise.returns) > 1 else several[0]

    return answer


def exchanged(exercise, a, b, both=True):
    """The right answer, two of its arguments exchanged; or the first one in both places."""

    def answer(*arguments):
        given = list(arguments)
        given[b] = arguments[a]
        given[a] = arguments[b] if both else arguments[a]
        return exercise.right(*given)

    return answer


def facts_of(exercise, answer, dice=None):
    """(case, what is seen, what is expected, its facts) of the cases on which the answer is wrong."""
    cases = list(exercise.all_cases)
    for case in dice.sample(cases, len(cases)) if dice else cases:
        mine, wanted = (exercise.observe(a, case, Run(9)) for a in (answer, exercise.right))
        if (
            not same(mine, wanted)
            and not mine.trouble
            and mine.values is not None
            and wanted.values is not None
        ):
            end = time.process_time() + 0.5
            with np.errstate(all="ignore"):
                yield case, mine, wanted, list(on_case(exercise, answer, case, mine, wanted, end))


def holds(fact, exercise, answer, case, mine, wanted):
    """Whether a fact is true, found out in another way than by the code that states it."""
    about, a, b = fact.about, mine.values, wanted.values

    def gives(code, changes):
        new = {name: [change(t) for t in inputs[name]] for name, change in changes.items()}
        return exercise.observe(code, varied(exercise, case, new), Run(9)).values

    def close(x, y):
        return x.shape == y.shape and np.allclose(x, y, rtol=2e-3, atol=2e-4, equal_nan=True)

    inputs = parts(exercise, case)
    name = about.get("name", "").removesuffix(" of the result")  # it has the name of an input
    match fact.kind:
        case "factor":
            return close(a[name], about["value"] * b[name])
        case "shift":
            return close(a[name] - about["shift"], b[name])
        case "scores":
            powers = b[name] ** about["value"]
            return close(powers / powers.sum(-1, keepdims=True), a[name])
        case "an input":
            given = inputs[about["part"]][0].double().numpy()
            found = {"unchanged": given} | dict(changed(given, a[name].shape, {}))
            return close(a[name] * 1.0, found[about["how"]])
        case "other result":
            return close(a[about["a"]], b[about["b"]])
        case "same result":
            return close(a[about["a"]], a[about["b"]])
        case "some right":
            return all(
                close(a[n], b[n]) == good
                for good, said in ((True, about["right"]), (False, about["wrong"]))
                for n in said.split(", ")
            )
        case "exchanged" | "in place of":
            one, two = about["a"], about["b"]
            swap = {one: lambda t: next(left)}
            left = iter(inputs[two])
            new = {one: inputs[two]} | ({two: inputs[one]} if fact.kind == "exchanged" else {})
            right = exercise.observe(exercise.right, varied(exercise, case, new), Run(9)).values
            return swap and all(close(right[n], a[n]) for n in exercise.returns)
        case "no influence" | "no influence here" | "influence":
            assert np.isfinite(a[name]).any()
            seen = []
            for seed in (1, 2, 3):
                change = {about["part"]: lambda t: CHANGES[about["how"]](t, seed)}  # noqa: B023
                after = gives(answer, change), gives(exercise.right, change)
                if None not in after:
                    seen.append([not close(x[name], y[name]) for x, y in zip(after, (a, b))])
            return [fact.kind == "influence", fact.kind != "influence"] in seen
        case "expected" | "right once":
            start, end = (b, a) if fact.kind == "expected" else (a, b)
            given = inputs if fact.kind == "expected" else {}
            found = dict(changed(start[name] * 1.0, end[name].shape, given))
            return close(found[about["how"]], end[name] * 1.0)
        case "order":
            return sorted(a[name].ravel().round(3)) == sorted(b[name].ravel().round(3))
        case "not finite":
            return (~np.isfinite(a[name])).sum() == about["count"]
        case "not 0":
            return ((a[name] != 0) & (b[name] == 0)).sum() >= about["count"] > 0
        case "sums":
            sums = [float(x) for x in about["sums"].split(" … ")]
            close_to = [a[name].sum(-1).min(), a[name].sum(-1).max()][-len(sums) :]
            return np.allclose(sums, close_to, rtol=1e-2) and (abs(np.array(sums) - 1) > 1e-3).any()
        case "where":
            left, _, place = about["cell"].partition("[")
            axis = place.count(":")
            return all(
                close(a[left].take(int(i), axis), b[left].take(int(i), axis)) == good
                for good, said in ((True, about["right"]), (False, about["wrong"]))
                for i in said.split(", ")
            )
        case "zero gradient":
            return not any(a[f"∂{n}"].any() for n in about["names"].split(", "))
        case "gradients":
            return all(close(a[f"∂{n}"], b[f"∂{n}"]) for n in about["right"].split(", "))
        case "moved" | "not moved":
            part, _, place = about["part"].partition("[")
            axis, j = place.count(":"), int(place.rstrip("]").split(", ")[-1])

            def nudged(t, k):
                new, drawn = t.clone(), torch.Generator().manual_seed(k)
                at = torch.randperm(t.numel(), generator=drawn)
                numbers = t.flatten()[at].reshape(t.shape) if k % 2 else other(t, 1)
                if t.is_floating_point() and k % 4 == 2:  # as large as those of the case
                    free = t[t.isfinite()].abs().max() * torch.rand(t.shape, generator=drawn)
                    numbers = torch.where(t.isfinite(), free, t)
                new.select(axis, j).copy_(numbers.select(axis, j))
                return new

            out, _, place = about["out"].removesuffix(" of the result").partition("[")
            at = eval(f"np.s_[{place}") if place else ...
            moved = np.array([
                [
                    not close(gives(code, {part: lambda t: nudged(t, k)})[out][at] * 1.0,  # noqa: B023
                              x[out][at] * 1.0)
                    for code, x in ((answer, a), (exercise.right, b))
                ]
                for k in range(12)
            ]).any(0)  # fmt: skip
            return [*moved] == [fact.kind == "moved", fact.kind != "moved"]
        case "side":
            apart = ~np.isclose(a[name], b[name], rtol=1e-4, atol=1e-5)
            return apart.any() and not np.isclose(a[name], b[name]).all()
        case "right for":
            value = inputs[about["part"]][0]
            new = dict(changed(value.double().numpy(), value.shape, {}))[about["how"]]
            new = torch.tensor(np.array(new), dtype=value.dtype)
            right = gives(exercise.right, {about["part"]: lambda t: new})
            return all(close(right[n], a[n]) for n in exercise.returns)
        case "axis" | "axis too many":
            n = inputs[about["part"]][0].shape[about["axis"]]
            mine, right = (x[name].shape.count(n) for x in (a, b))
            if "." in about["part"]:  # an axis of a module's parameters tells a learner nothing
                return False
            return mine == 0 < right if fact.kind == "axis" else right == 0 < mine
    raise AssertionError(f"nothing holds {fact.kind!r} to the truth")


@pytest.mark.parametrize("name", CALLED)
def test_what_is_said_of_a_spoiled_answer_is_true_and_something_is_said(name):
    exercise = EXERCISES[name]
    dice, told = random.Random(name), 0
    ways = [(spoil, k, dice) for spoil in WRONG for k in range(len(exercise.returns))]
    for spoil, k, order in [("factor", 0, None), *dice.sample(ways, 2)]:
        answer = spoiled(exercise, WRONG[spoil], k)
        for case, mine, wanted, facts in itertools.islice(facts_of(exercise, answer, order), 1):
            told += len(facts)
            for fact in facts:
                assert holds(fact, exercise, answer, case, mine, wanted), (spoil, fact, case.says)
    assert told


def test_two_arguments_exchanged_are_found():
    for name, a, b in (("scaled_weights", 0, 1), ("project", 1, 3), ("cross_attention", 3, 4)):
        exercise = EXERCISES[name]
        for both, kind in ((True, "exchanged"), (False, "in place of")):
            answer = exchanged(exercise, a, b, both)
            case, mine, wanted, facts = next(facts_of(exercise, answer))
            found = [fact for fact in facts if fact.kind == kind]
            assert found and holds(found[0], exercise, answer, case, mine, wanted), name
            assert {found[0].about["a"], found[0].about["b"]} == {
                exercise.arguments[a],
                exercise.arguments[b],
            }


def test_the_facts_about_the_attempts_of_beginners_are_true():
    for number, (name, said, code) in enumerate(ATTEMPTS):
        exercise = EXERCISES[name]
        if said in ("not named", "a fact") and not exercise.how and exercise.returns:
            answer = attempts.answer(name, code, number)
            for case, mine, wanted, facts in itertools.islice(facts_of(exercise, answer), 1):
                for fact in facts:
                    assert holds(fact, exercise, answer, case, mine, wanted), (name, fact)


def test_factors_have_their_names():
    for value, name in (
        (3**0.5, "√3"), (3**-0.5, "√(1/3)"), (2.0, "2"), (-1.0, "-1"), (1 / 3, "1/3"), (1.2345, "1.234"),
    ):  # fmt: skip
        assert called(np.float64(value))["known"] == name


def test_a_single_number_has_a_factor_only_where_that_has_a_name():
    for factor, kinds in ((0.9622, []), (0.9998, []), (2.0, ["factor"]), (0.5**0.5, ["factor"])):
        found = one_factor("loss", np.array(1.9 * factor), np.array(1.9))
        assert [fact.kind for fact in found] == kinds, factor
    many = np.array([1.9, 0.7])
    assert [f.kind for f in one_factor("x", 0.9622 * many, many)] == ["factor"]
    assert not [*one_factor("x", 0.9998 * many, many)]


def test_a_layer_is_told_which_projections_it_mixes_up():
    class Mixed(EXERCISES["self_attention_module"].right):
        def forward(self, x):
            self.W_query, self.W_value = self.W_value, self.W_query
            try:
                return super().forward(x)
            finally:
                self.W_query, self.W_value = self.W_value, self.W_query

    *_, (fact, *_) = next(facts_of(EXERCISES["self_attention_module"], Mixed))
    assert fact.kind == "exchanged" and {*fact.about.values()} == {"W_query", "W_value"}


def answer_to(name, code):
    return attempts.answer(name, code, f"of a test of {name}")


def kinds(name, code):
    return [fact.kind for fact in check(EXERCISES[name], answer_to(name, code)).facts]


def test_what_is_right_by_chance_on_a_few_booleans_is_not_told():
    compared = "return {0}[..., {1}, {2}] > {0}[..., {1}, other]"
    assert "right for" not in kinds("prefers", compared.format("weights", "right", "pronoun"))
    assert "right for" in kinds("prefers", compared.format("weights.flip(1)", "pronoun", "right"))


def test_numbers_that_are_all_nan_are_not_related_to_the_inputs():
    code = "scores = (queries @ keys.T / keys.shape[-1]) ** 0.5\nreturn scores.softmax(dim=-1)"
    assert "no influence" not in kinds("scaled_weights", code)


def test_what_stays_in_a_hard_choice_by_chance_is_not_told():
    code = "weights = (scores / 0.01).softmax(dim=-1)\nreturn weights, weights @ values"
    assert kinds("hard_attention", code) == ["influence", "where"]


def test_of_ids_nothing_is_told_that_holds_only_if_they_change_places_or_sum_to_1():
    """The first mask depends on how often padding stands in a row, and not on where."""
    counted = "lengths = (ids != pad).sum(dim=1)\nplaces = torch.arange(ids.shape[1])\n"
    counted += "return (places >= lengths[:, None])[:, None, None, :]"
    assert "no influence here" not in kinds("padding_mask", counted)
    assert not [*on_rows("ids", np.array([1.0, 0, 4, 4, 2]), np.array([1.0, 0, 0, 0, 0]))]


def test_where_an_argument_should_come_in_is_asked_only_if_the_code_does_not_name_it():
    code = """written, p = [sos], next_probabilities([sos])
for _ in range(longest):
    written.append(int(p.argmax()))
    if written[-1] == {stop}:
        break
return written"""
    cut = "e = scores.clamp(max=80).exp()\nreturn e / e.sum(dim=-1, keepdim=True)"
    for name, written, kind in (
        ("greedy_decoding", code.replace("{stop}", "2"), ["no influence"]),
        ("greedy_decoding", code.replace("{stop}", "eos"), []),  # an eos of 4 would end it
        ("softmax", cut, ["no influence here"]),
    ):
        assert [k for k in kinds(name, written) if k.startswith("no influence")] == kind


def test_a_share_is_0_only_if_nothing_is_dropped():
    whole = np.linspace(0.1, 1, 300).reshape(20, 15)
    for threshold, share in ((0.05, 0.0), (0.12, pytest.approx(7 / 300))):
        came = what_dropout_did(whole, lambda: whole * (whole > threshold), 0.2)  # noqa: B023
        assert came["share of weights dropped"] == share


def test_of_weights_that_are_nan_only_that_is_said():
    whole = np.full((3, 4), 0.25)
    came = what_dropout_did(whole, lambda: np.full((3, 4), np.nan), 0.2)
    assert all(isinstance(value, Remark) for value in came.values()) and came


def test_which_leaks_a_test_misses_does_not_hang_on_one_draw():
    code = """drawn, before = torch.Generator().manual_seed({seed}), layer(x)
for t in range(1, x.shape[1]):
    poked = x.clone()
    poked[:, t:] += torch.randn(poked[:, t:].shape, generator=drawn)
    moved = (layer(poked)[:, :t] - before[:, :t]){moved}.max() > 1e-6
    {what}
return False"""
    exercise = EXERCISES["leak_test"]
    for moved, what in ((".abs()", "return bool(moved)"), ("", "if moved: return True")):
        missed = set()
        for seed in range(20):
            answer = answer_to("leak_test", code.format(seed=seed, moved=moved, what=what))
            seen = [exercise.observe(answer, case, Run(9)) for case in exercise.all_cases]
            missed.add(tuple(s.says for s in seen if not s.values["answer"]))
        assert len(missed) == 1, missed


def test_a_remark_alone_makes_no_case_wrong():
    code = """before = layer(x)
for t in range(1, x.shape[1]):
    poked = x.clone()
    poked[:, t:] += torch.rand_like(poked[:, t:])
    if (layer(poked)[:, :t] - before[:, :t]).max() > 1e-6:
        return True
return False"""
    exercise = EXERCISES["leak_test"]
    result = check(exercise, answer_to("leak_test", code))
    says = exercise.all_cases[0].says
    *_, wrong = (line for line in result.lines if line.startswith("Not for"))
    assert says not in wrong and exercise.all_cases[6].says in wrong


def test_a_small_case_has_no_remark_that_the_case_itself_has_not():
    code = """batch, heads, queries, d = query.shape
asked = query.transpose(1, 2).reshape(batch, key.shape[1], -1, d)
weights = (asked @ key.mT / d**0.5).softmax(dim=-1)
return (weights @ value).reshape(batch, heads, queries, -1)"""
    small = check(EXERCISES["grouped_attention"], answer_to("grouped_attention", code)).smallest
    assert not [v for v in small.mine.values.values() if isinstance(v, Remark)]
