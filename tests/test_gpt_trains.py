"""What notebook 11 says of trained models, over seeds: rows of letters, and the stories."""

import functools
import math

import pytest
import torch
from torch.nn import functional as F

from helpers.gpt import GPT
from helpers.languages.stories import Stories

LANGUAGE = Stories()
LETTERS, LENGTH = 24, 32


@functools.cache
def learned(seed):
    """Gap to the entropy, and share of right answers, after 400 steps, on 300 new stories."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    model = GPT(len(LANGUAGE.words), LANGUAGE.longest + 1, 64, 4, 2, d_ff=64, tied=False)
    book = LANGUAGE.draw(64 * 400, seed)
    optimiser = torch.optim.AdamW(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 0.005, total_steps=400, pct_start=0.1)
    for step in range(400):
        ids = LANGUAGE.encode(book[64 * step : 64 * step + 64])
        loss = F.cross_entropy(model(ids[:, :-1]).mT, ids[:, 1:], ignore_index=0)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    new = LANGUAGE.draw(300, seed=1000 + seed)
    ids = LANGUAGE.encode(new)
    with torch.no_grad():
        log_q = model(ids[:, :-1]).log_softmax(dim=-1)
    place = {word: i for i, word in enumerate(LANGUAGE.words)}
    extra, right, words = 0.0, [], 0
    for row, answers, story in zip(log_q, ids[:, 1:], new):
        for t, chances in enumerate(LANGUAGE.walk(story)):
            extra += sum(p * (math.log(p) - row[t, place[w]].item()) for w, p in chances.items())
            words += 1
            if t and story[t - 1].endswith("?"):
                right.append(row[t].argmax() == answers[t])
    return extra / words / LANGUAGE.entropy(), sum(right).item() / len(right)


@pytest.mark.weekly
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_gap_to_the_entropy_is_below_4_percent_and_the_answers_are_right(seed):
    gap, right = learned(seed)
    assert 0 < gap < 0.04
    assert right > 0.97


def share_right(layers, seed, n_steps=260):
    """Where all is settled, in rows that begin again after 8 to 16 letters."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    model = GPT(LETTERS, LENGTH, 64, 2, layers, d_ff=64, tied=False)
    optimiser, right = torch.optim.AdamW(model.parameters(), lr=0.005), []
    for _ in range(n_steps):
        periods = torch.randint(8, 17, (64, 1))
        ids = torch.rand(64, LETTERS).argsort(dim=1).gather(1, torch.arange(LENGTH) % periods)
        scores = model(ids[:, :-1])
        loss = F.cross_entropy(scores.mT, ids[:, 1:])
        settled = torch.arange(LENGTH - 1) >= periods
        right.append((scores.argmax(-1) == ids[:, 1:])[settled].float().mean().item())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return sum(right[-20:]) / 20


@pytest.mark.weekly
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_two_layers_can_and_one_cannot(seed):
    assert share_right(1, seed) < 0.5
    assert share_right(2, seed) > 0.75
