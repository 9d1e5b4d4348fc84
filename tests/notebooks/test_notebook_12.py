"""What notebook 12 writes out is what models.gpt holds; what it says of written stories, over seeds."""

import functools

import pytest
import torch
from notebook_cells import run, tagged
from torch.nn import functional as F

from helpers import exercises
from helpers.data.stories import Stories
from helpers.models import gpt
from helpers.models.gpt import GPT


class NothingPassed:
    """In place of `checks`: a learner who has solved nothing gets the functions of exercises."""

    @staticmethod
    def yours(function, otherwise):
        return otherwise


@pytest.fixture(scope="module")
def taught():
    """The functions and the class of the cells tagged "writing"."""
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
def test_the_chances_taught_are_those_of_helpers(taught, knobs):
    scores = 3 * torch.randn(40, 11, generator=torch.manual_seed(1))
    assert torch.allclose(
        taught["next_chances"](scores, **knobs), gpt.next_chances(scores, **knobs)
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
        scores = taught["next_scores"](model, new, mine)
        assert torch.allclose(scores, model(new, cache=its), atol=1e-5)
    assert torch.allclose(scores[:, -1], model(ids)[:, -1], atol=1e-5)
    assert mine.length == its.length == 9
    for ours, kept in ((mine.keys, its.keys), (mine.values, its.values)):
        assert all(torch.allclose(ours[i], kept[i], atol=1e-5) for i in range(3))


# ---------------------------------------------------------------- what is said of written stories

LANGUAGE = Stories()
END = LANGUAGE.words.index("<end>")


@functools.cache
def trained(seed):
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    model = GPT(len(LANGUAGE.words), LANGUAGE.longest + 1, 64, 4, 2, d_ff=64, tied=False)
    book = LANGUAGE.draw(64 * 300, seed)
    optimiser = torch.optim.AdamW(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 0.005, total_steps=300, pct_start=0.1)
    for step in range(300):
        ids = LANGUAGE.encode(book[64 * step : 64 * step + 64])
        loss = F.cross_entropy(model(ids[:, :-1]).mT, ids[:, 1:], ignore_index=0)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    assert loss < 1.1 * LANGUAGE.entropy()
    return model


def stories(seed, **knobs):
    start, chance = torch.full((256, 1), END), torch.Generator().manual_seed(seed)
    ids = gpt.generate(trained(seed), start, LANGUAGE.longest, end=END, generator=chance, **knobs)
    return LANGUAGE.decode(ids)


def is_right(story):
    try:
        LANGUAGE.chances(story)
    except ValueError:
        return False
    return story[-1] == "<end>"


def right_and_varied(seed, **knobs):
    found = stories(seed, **knobs)
    return sum(map(is_right, found)) / 256, len({tuple(story[:5]) for story in found})


def favourites(found):
    pairs = [p for story in found for p in zip(story, story[1:]) if p[0] in LANGUAGE.favourites]
    return sum(LANGUAGE.favourites[colour] == thing for colour, thing in pairs) / len(pairs)


@pytest.mark.weekly
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_top_p_is_right_and_varied_and_a_cold_writer_is_not_true_to_life(seed):
    greedy, plain, hot, nucleus = (
        right_and_varied(seed, **knobs)
        for knobs in ({"temperature": 0.0}, {}, {"temperature": 1.8}, {"top_p": 0.9})
    )
    assert greedy == (1.0, 1)
    assert hot[0] < 0.2 < plain[0] < 0.9
    assert 1 - nucleus[0] < (1 - plain[0]) / 2
    varied = sum(len({tuple(s[:5]) for s in LANGUAGE.draw(256, n)}) for n in range(10)) / 10
    assert plain[1] > 0.8 * varied and nucleus[1] > 0.75 * varied
    assert favourites(stories(seed, temperature=0.5)) > 0.8
    assert abs(favourites(stories(seed, top_p=0.9)) - 0.583) < 0.17
    for knobs in (
        {"top_k": 3},
        {"top_k": 6},
        {"temperature": 0.8},
    ):  # at about as much variety, or less
        right, many = right_and_varied(seed, **knobs)
        assert right < nucleus[0] and many < 1.1 * nucleus[1]
