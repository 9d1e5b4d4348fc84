"""The layers to be found out in notebook 06: one mistake in each, and nothing that gives it away."""

import pytest
import torch

from helpers import checks, pitfalls, suspects
from helpers.exercises.n06_break_it import GUILTY

every = pytest.mark.parametrize("name, mistake", GUILTY.items())


@every
def test_a_suspect_has_the_one_mistake_it_is_charged_with(name, mistake):
    assert checks.multi_head(type(suspects.layer(name))).pitfall == mistake


@every
def test_nothing_gives_the_mistake_away(name, mistake):
    layer = suspects.layer(name)
    assert type(layer).__name__ == f"Suspect{name}"
    assert mistake not in repr(layer) and pitfalls.find(mistake).name not in repr(layer)


@every
def test_a_suspect_is_the_same_whatever_the_seed(name, mistake):
    made = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        made.append(suspects.layer(name, 3, 6, num_heads=2).state_dict())
    assert all(torch.equal(made[0][key], made[1][key]) for key in made[0])


def test_the_list_of_charges_holds_the_guilty_and_as_many_innocent():
    assert len(set(suspects.CHARGES)) == len(suspects.CHARGES) == 12
    guilty = {pitfalls.find(mistake).name for mistake in GUILTY.values()}
    assert len(guilty) == 6 and guilty < set(suspects.CHARGES)
    assert set(suspects.CHARGES) <= {pitfall.name for pitfall in pitfalls.of("multi_head")}


@every
def test_only_the_right_name_is_found_correct(name, mistake):
    for pitfall in pitfalls.CATALOGUE:
        if pitfall.name not in suspects.CHARGES:
            continue
        said = suspects.found(name, pitfall.name)
        guilty = pitfall.id == mistake
        assert said.startswith(f"{name}: correct." if guilty else f"{name}: not that")
        assert pitfall.symptom in said
        assert guilty or pitfalls.find(mistake).name not in said


def test_what_a_poke_cannot_tell_apart_the_row_sums_can():
    """Poked, B looks like a layer with no mask: what is said of that charge must not fit B, too."""
    assert "every row sums to 1" in suspects.found("B", pitfalls.find("no_mask").name)
    layer = suspects.layer("B").eval()
    with torch.no_grad():
        for part, weight, bias in (
            (layer.W_value, torch.zeros(4, 3), 1.0),
            (layer.out_proj, torch.eye(4), 0.0),
        ):
            part.weight.copy_(weight)
            part.bias.fill_(bias)
    assert (layer(torch.rand(1, 6, 3))[0, :-1, 0] < 0.99).all()


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


def test_capitals_and_spaces_do_not_matter():
    said = suspects.found("A", pitfalls.find("diagonal_2").name)
    assert suspects.found("A", " Diagonal=2 ") == said and said.startswith("A: correct.")
