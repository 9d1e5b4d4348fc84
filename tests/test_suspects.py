"""The layers to be found out in notebook 06: one mistake in each, and nothing that gives it away."""

import pytest
import torch

from helpers import pitfalls, suspects
from helpers.checking import check
from helpers.suspects import _MISTAKES as MISTAKES

every = pytest.mark.parametrize("name, mistake", MISTAKES.items())


@every
def test_a_suspect_has_the_one_mistake_it_is_charged_with(name, mistake):
    assert check("multi_head", type(suspects.layer(name))).pitfall == mistake


@every
def test_nothing_gives_the_mistake_away(name, mistake):
    layer = suspects.layer(name)
    code = pitfalls.find(mistake).codes("multi_head")[0]
    assert type(layer).__name__ == f"Suspect{name}"
    assert code.__name__ not in repr(layer) and mistake not in repr(layer)


@every
def test_a_suspect_is_the_same_whatever_the_seed(name, mistake):
    made = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        made.append(suspects.layer(name, 3, 6, num_heads=2).state_dict())
    assert all(torch.equal(made[0][key], made[1][key]) for key in made[0])


def test_the_list_of_charges_holds_the_guilty_and_as_many_innocent():
    assert len(set(suspects.CHARGES)) == len(suspects.CHARGES) == 12
    assert len(set(MISTAKES.values())) == 6
    assert set(MISTAKES.values()) < set(suspects.CHARGES)
    assert all("multi_head" in pitfalls.find(charge).wrong for charge in suspects.CHARGES)


@every
def test_only_the_right_name_is_found_correct(name, mistake):
    for charge in suspects.CHARGES:
        said = suspects.found(name, charge)
        assert said.startswith(f"{name}: correct." if charge == mistake else f"{name}: not that")
        assert pitfalls.find(charge).symptom in said
        assert charge == mistake or mistake not in said


@pytest.mark.parametrize("answer", [None, ...])
def test_no_answer_yet(answer):
    assert suspects.found("A", answer) == "A: not attempted yet"


@pytest.mark.parametrize("answer", ["no masks", 3, ["no mask"], torch.ones(2)])
def test_an_answer_that_is_no_charge(answer):
    said = suspects.found("B", answer)
    assert said.startswith("B: ") and "is not on the list. Copy a name" in said


def test_a_suspect_that_is_none():
    assert suspects.found("G", "no mask") == "There is no suspect 'G'. There are: A, B, C, D, E, F."
    with pytest.raises(ValueError, match="There is no suspect 'G'. There are: A, B"):
        suspects.layer("G")
