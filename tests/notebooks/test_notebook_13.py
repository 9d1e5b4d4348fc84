"""Notebook 13: its classes behave like those of helpers, and its masking is that of the paper."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from notebook_cells import run, tagged
from torch import nn

from helpers.exercises import words_to_guess
from helpers.models.bert import BERT
from helpers.models.transformer import EncoderLayer, padding_mask


def test_the_class_taught_is_the_class_in_helpers():
    names = {"torch": torch, "nn": nn, "EncoderLayer": EncoderLayer, "padding_mask": padding_mask}
    models = []
    for cls in (run(tagged("13", "bert-class"), **names)["BERT"], BERT):
        torch.manual_seed(5)
        models.append(cls(11, 9, 8, 2, 3, d_ff=5))
    taught, kept = models
    assert taught.state_dict().keys() == kept.state_dict().keys()
    taught.load_state_dict(kept.state_dict())
    assert taught.word_head.out.weight is taught.word.weight
    ids, segments = torch.randint(11, (3, 7)), torch.randint(2, (3, 7))
    padding = torch.arange(7) >= torch.tensor([[7], [4], [5]])
    for inputs in [(ids,), (ids, segments), (ids, segments, padding)]:
        for mine, its in zip(taught(*inputs), kept(*inputs), strict=True):
            assert torch.allclose(mine, its, atol=1e-6)


# --- Words hidden for BERT to guess ---

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
