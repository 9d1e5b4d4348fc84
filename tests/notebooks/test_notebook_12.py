"""Notebook 12: its functions and its cache behave like those of models.gpt."""

import pytest
import torch
from notebook_cells import run, tagged
from torch.nn import functional as F

from helpers import exercises
from helpers.models import gpt
from helpers.models.gpt import GPT


class NothingPassed:
    """Stands in for `checks`: learners who have solved nothing get the functions of exercises."""

    @staticmethod
    def yours(function, otherwise):
        return otherwise


@pytest.fixture(scope="module")
def taught():
    """The functions and the class that the cells tagged "writing" define."""
    scope = {"torch": torch, "F": F, "exercises": exercises, "checks": NothingPassed}
    scope |= dict.fromkeys(("my_top_k", "my_top_p"))
    return run(tagged("12", "writing"), **scope)


def small(**options):
    torch.manual_seed(0)
    return GPT(11, 9, 8, 2, 3, d_ff=5, **options).eval().requires_grad_(False)


@pytest.mark.parametrize(
    "knobs",
    [
        {},
        {"temperature": 0},
        {"temperature": 0.7},
        {"top_k": 3},
        {"top_p": 0.6},
        {"temperature": 1.5, "top_k": 5, "top_p": 0.8},
    ],
    ids=str,
)
def test_the_probabilities_taught_are_those_of_helpers(taught, knobs):
    scores = 3 * torch.randn(40, 11, generator=torch.manual_seed(1))
    assert torch.allclose(
        taught["next_probabilities"](scores, **knobs), gpt.next_probabilities(scores, **knobs)
    )


@pytest.mark.parametrize("cut", ["top_k", "top_p"])
def test_the_exercises_cut_as_helpers_does(cut):
    scores = 2 * torch.randn(30, 7, generator=torch.manual_seed(2))
    scores[:10] = scores[:10].round()  # with ties
    for limit in (1, 3, 7) if cut == "top_k" else (0.05, 0.5, 0.9, 1.0):
        ours, kept = (getattr(room, cut)(scores, limit) for room in (exercises, gpt))
        assert torch.equal(ours, kept)


def test_the_loop_writes_what_helpers_writes():
    model, ids = small(), torch.tensor([[3, 1], [4, 1]])
    ours = exercises.generate(model, ids, 6, lambda scores: scores.argmax(dim=-1, keepdim=True))
    assert torch.equal(ours, gpt.generate(model, ids, 6, temperature=0))


def test_the_cache_taught_gives_the_scores_of_helpers(taught):
    model, ids = small(), torch.randint(11, (2, 9), generator=torch.manual_seed(3))
    mine, its = taught["Cache"](), gpt.Cache()
    for new in ids.split([4, 1, 3, 1], dim=1):
        scores = taught["next_logits"](model, new, mine)
        assert torch.allclose(scores, model(new, cache=its), atol=1e-5)
    assert torch.allclose(scores[:, -1], model(ids)[:, -1], atol=1e-5)
    assert mine.length == its.length == 9
    for ours, kept in ((mine.keys, its.keys), (mine.values, its.values)):
        assert all(torch.allclose(ours[i], kept[i], atol=1e-5) for i in range(3))
