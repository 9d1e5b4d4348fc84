"""Notebook 13: the words that are hidden for BERT to guess are chosen as in the paper."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.exercises import words_to_guess

PAD, CLS, SEP, MASK = SPECIAL = range(4)


def masked(rows, seed, vocabulary=24, words=20):
    """(ids, seen, labels) for [CLS] words [SEP] words [SEP] [PAD] …, each (rows, words + 5)."""
    draws = torch.Generator().manual_seed(seed)
    ids = torch.randint(len(SPECIAL), vocabulary, (rows, words + 5), generator=draws)
    ids[:, 0], ids[:, words // 2], ids[:, -3], ids[:, -2:] = CLS, SEP, SEP, PAD
    choice, fate = (torch.rand(ids.shape, generator=draws) for _ in "cf")
    others = torch.randint(len(SPECIAL), vocabulary, ids.shape, generator=draws)
    return ids, *words_to_guess(ids, choice, fate, others)


def test_the_shares_are_those_of_the_paper():
    ids, seen, labels = masked(5_300, seed=0)
    ordinary, chosen = ids >= len(SPECIAL), labels != -100
    n, same = ordinary.sum().item(), seen == ids
    # One in 20 of the random tokens is the original one, because there are 20 ordinary tokens.
    for kind, share in [
        (chosen & (seen == MASK), 0.15 * 0.8),
        (chosen & (seen != MASK) & ~same, 0.15 * 0.1 * 19 / 20),
        (chosen & same, 0.15 * (0.1 + 0.1 / 20)),
    ]:
        assert abs(kind.sum().item() - n * share) < 4 * (n * share * (1 - share)) ** 0.5
    new = seen[chosen & (seen != MASK) & ~same].bincount(minlength=24)[len(SPECIAL) :].double()
    assert ((new - new.mean()).abs() < 4.5 * new.mean() ** 0.5).all()  # all are equally likely


@settings(max_examples=20, deadline=None, derandomize=True)
@given(rows=st.integers(1, 5), vocabulary=st.integers(5, 40), seed=st.integers(0, 1000))
def test_special_tokens_are_never_chosen_and_never_drawn(rows, vocabulary, seed):
    ids, seen, labels = masked(rows, seed, vocabulary)
    chosen, special = labels != -100, ids < len(SPECIAL)
    assert torch.equal(labels[chosen], ids[chosen])  # labels are the original tokens
    assert torch.equal(seen[~chosen], ids[~chosen])  # other tokens do not change
    assert not (chosen & special).any()
    assert (seen[chosen] >= MASK).all() and (seen[chosen] < vocabulary).all()
