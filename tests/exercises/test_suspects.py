"""The layers to be found out in notebook 06: one mistake in each, and nothing that gives it away."""

from pathlib import Path

import nbformat
import pytest
import torch

from helpers import checks
from helpers.exercises import EXERCISES, pitfalls, suspects
from helpers.exercises.n06_break_it import GUILTY
from helpers.exercises.n06_break_it import SHOWS as TOLD

NOTEBOOK = Path(__file__).resolve().parents[2] / "notebooks" / "06_break_it.ipynb"

PITFALLS = {pitfall.id: pitfall for pitfall in pitfalls.CATALOGUE}
every = pytest.mark.parametrize("name, mistake", GUILTY.items())


@every
def test_a_suspect_has_its_one_mistake_and_does_not_give_it_away(name, mistake):
    made = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        made.append(suspects.layer(name, 3, 6, num_heads=2))
    assert all(map(torch.equal, *(layer.state_dict().values() for layer in made)))
    assert checks.multi_head(type(made[0])).pitfall == mistake
    assert type(made[0]).__name__ == f"Suspect{name}"
    assert mistake not in repr(made[0]) and PITFALLS[mistake].name not in repr(made[0])


def test_the_list_of_charges_holds_the_guilty_and_as_many_innocent():
    assert len(set(suspects.CHARGES)) == len(suspects.CHARGES) == 12
    guilty = {PITFALLS[mistake].name for mistake in GUILTY.values()}
    assert len(guilty) == 6 and guilty < set(suspects.CHARGES)
    assert set(suspects.CHARGES) <= {m.name for m in EXERCISES["multi_head"].mistakes.values()}


@every
def test_only_the_right_name_or_id_is_found_correct(name, mistake):
    for charge in TOLD:
        said = suspects.found(name, charge)
        assert said.startswith(f"{name}: correct." if charge == mistake else f"{name}: not that")
        assert TOLD[charge] in said
        assert said == suspects.found(name, f" {PITFALLS[charge].name.upper()} ")


def test_what_is_no_answer():
    for nothing in (None, ...):
        assert suspects.found("A", nothing) == "A: not attempted yet"
    for odd in ("no masks", 3, ["no mask"], torch.ones(2)):
        assert "is not on the list. Copy a name" in suspects.found("B", odd)
    assert suspects.found("G", "no mask") == "There is no suspect 'G'. There are: A, B, C, D, E, F."
    with pytest.raises(ValueError, match="There is no suspect 'G'. There are: A, B"):
        suspects.layer("G")


# ---------------------------------------------------------------- what the tools of the notebook show

CELLS = {cell.id: cell.source for cell in nbformat.read(NOTEBOOK, 4).cells}
TOOLS = ("e6267576", "25478a54", "f648afae", "4467157b", "e7a20127")  # set-up, pair, tools 1 to 3
SIZES = torch.tensor([2, 4, 6, 8])


@pytest.fixture(scope="module")
def tools():
    """The functions of notebook 6."""
    space = {}
    for number in TOOLS:
        exec(CELLS[number], space)
    return space


def seen(tools, charge, monkeypatch):
    """What the tools find in a layer with this mistake, heads → …; and a right one, its twin."""
    monkeypatch.setitem(GUILTY, "A", charge)
    poked = {heads: tools["poke"]("A", heads=heads) for heads in (1, 2)}
    agree = {heads: tools["agree"]("A", heads=heads)["agree"][1:].bool() for heads in (1, 2)}
    layer, x = tools["pair"]("A", dropout=0.5)[0], tools["x"]
    twice = [torch.equal(layer.train(mode)(x), layer(x)) for mode in (False, True)]
    return poked, agree, tools["row_sums"]("A"), twice


LENGTHS = torch.arange(2, 7)[:, None]
EYE, PAST = torch.eye(6), torch.ones(6, 6).tril()


def where(agree, one_head, two_heads):
    """Whether it agrees at these sizes, and at no other."""
    at = [torch.zeros(5, 4, dtype=torch.bool) | part for part in (one_head, two_heads)]
    return torch.equal(agree[1], at[0]) and torch.equal(agree[2], at[1])


SHOWS = {  # charge → whether it shows as is told of it
    "diagonal_2": lambda p, a, s, t: torch.equal(p[1]["suspect"], torch.ones(6, 6).tril(1)),
    "mask_after_softmax": lambda p, a, s, t: (
        p[1]["suspect"].all() and s[:-1].max() < 0.99 and s[-1].allclose(torch.ones(()))
    ),
    "drops_in_use": lambda p, a, s, t: not t[0] and not s.isnan().any(),  # nan equals nothing
    "by_tokens": lambda p, a, s, t: where(a, LENGTHS == SIZES, LENGTHS == SIZES // 2),
    "no_transpose": lambda p, a, s, t: (
        torch.equal(p[1]["suspect"], PAST) and (p[2]["suspect"] > PAST).any()
    ),
    "across_the_batch": lambda p, a, s, t: (
        torch.equal(p[1]["suspect"], EYE) and (p[1]["suspect, other sentence"].sum(0) == 1).all()
    ),
    "no_mask": lambda p, a, s, t: p[1]["suspect"].all() and s.allclose(torch.ones(6)),
    "diagonal_0": lambda p, a, s, t: s[0].isnan() and not s[1:].isnan().any(),
    "no_scale": lambda p, a, s, t: where(a, SIZES == 1, SIZES == 2),
    "by_d_in": lambda p, a, s, t: where(a, SIZES == 3, SIZES == 6),
    "over_queries": lambda p, a, s, t: s[:2].max() < 0.99 and s[-2:].min() > 1.01,
    "never_drops": lambda p, a, s, t: all(t),
}


@pytest.mark.parametrize("charge", SHOWS)
def test_a_charge_shows_in_the_tools_as_it_is_told_and_no_other_does(tools, charge, monkeypatch):
    found = seen(tools, charge, monkeypatch)
    assert [name for name, shows in SHOWS.items() if shows(*found)] == [charge]
    assert SHOWS.keys() == TOLD.keys()
