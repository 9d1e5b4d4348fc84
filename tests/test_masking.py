"""Words hidden for BERT to guess: the shares of 80, 10 and 10, and what is never touched."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.exercises import words_to_guess  # notebook 13's

PAD, CLS, SEP, MASK = SPECIAL = range(4)
VOCABULARY = 24
few = settings(max_examples=50, deadline=None, derandomize=True)


def sentences(rows, words=20, seed=0, vocabulary=VOCABULARY):
    """[CLS] words [SEP] words [SEP] [PAD] …, ids (rows, words + 5)."""
    draws = torch.Generator().manual_seed(seed)
    ids = torch.randint(len(SPECIAL), vocabulary, (rows, words + 5), generator=draws)
    ids[:, 0], ids[:, words // 2], ids[:, -3], ids[:, -2:] = CLS, SEP, SEP, PAD
    return ids


def masked(ids, seed=0, vocabulary=VOCABULARY):
    draws = torch.Generator().manual_seed(seed)
    choice, fate = (torch.rand(ids.shape, generator=draws) for _ in "cf")
    others = torch.randint(len(SPECIAL), vocabulary, ids.shape, generator=draws)
    return words_to_guess(ids, choice, fate, others)


def fates(ids, seen, labels):
    """How many ordinary tokens were left alone; hidden; made another; chosen, and the same."""
    ordinary, chosen = ids >= len(SPECIAL), labels != -100
    hidden, same = seen == MASK, seen == ids
    kinds = ~chosen, chosen & hidden, chosen & ~hidden & ~same, chosen & same
    return [(kind & ordinary).sum().item() for kind in kinds]


def chance_of(counts, shares):
    """By chi-square: how likely so great a distance from the shares is, or a greater one."""
    counts, wanted = torch.tensor(counts).double(), torch.tensor(shares).double() * sum(counts)
    distance = ((counts - wanted) ** 2 / wanted).sum()
    return torch.special.gammaincc(torch.tensor((len(counts) - 1) / 2).double(), distance / 2)


def test_the_chi_square_is_that_of_the_tables():
    assert chance_of([60, 40], [0.5, 0.5]).item() == pytest.approx(0.0455, abs=1e-4)  # distance 4
    assert chance_of([25] * 4, [0.25] * 4).item() == 1


@pytest.mark.parametrize("seed", range(3))
def test_the_shares_are_those_of_the_paper(seed):
    ids = sentences(5_300, seed=seed)
    tokens = (ids >= len(SPECIAL)).sum().item()
    assert tokens > 100_000
    seen, labels = masked(ids, seed)
    # One in 20 of the random words is the one that was there, for 20 are ordinary.
    shares = [0.85, 0.15 * 0.8, 0.15 * 0.1 * 19 / 20, 0.15 * (0.1 + 0.1 / 20)]
    assert chance_of(fates(ids, seen, labels), shares) > 0.001
    new = seen[(labels != -100) & (seen != MASK) & (seen != ids)]
    counts = new.bincount(minlength=VOCABULARY)[len(SPECIAL) :].tolist()
    assert chance_of(counts, [1 / 20] * 20) > 0.001  # each ordinary word as likely as any other


@few
@given(
    rows=st.integers(1, 5),
    vocabulary=st.integers(5, 40),
    seed=st.integers(0, 1000),
)
def test_special_tokens_are_never_chosen_and_never_drawn(rows, vocabulary, seed):
    ids = sentences(rows, seed=seed, vocabulary=vocabulary)
    before = ids.clone()
    seen, labels = masked(ids, seed, vocabulary)
    assert torch.equal(ids, before)
    assert seen.shape == labels.shape == ids.shape
    chosen, special = labels != -100, ids < len(SPECIAL)
    assert torch.equal(labels[chosen], ids[chosen])  # asked is what stood there
    assert torch.equal(seen[~chosen], ids[~chosen])  # the rest is left alone
    assert not (chosen & special).any()
    assert (seen[chosen] >= MASK).all() and (seen[chosen] < vocabulary).all()
