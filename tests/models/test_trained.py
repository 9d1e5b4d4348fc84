"""The small models that one call trains."""

import pytest
import torch
from torch import nn

from helpers.data import gustar
from helpers.models import trained

PAIRS = gustar.pairs(40, seed=0)
SPANISH = trained.words(pair.spanish for pair in PAIRS)
ENGLISH = trained.words(pair.english for pair in PAIRS)


@pytest.fixture
def untrained(monkeypatch):
    """Models before training, with the loss they would be trained with: (model, loss)."""
    made = []
    monkeypatch.setattr(
        trained, "train", lambda model, loss_of, *how: made.append((model, loss_of))
    )
    return made


def test_words_and_ids_are_each_others_inverse():
    assert SPANISH[:3] == ["<pad>", "<sos>", "<eos>"] and SPANISH[3:] == sorted(set(SPANISH[3:]))
    rows = trained.ids([pair.spanish for pair in PAIRS], SPANISH)
    back = [tuple(SPANISH[i] for i in row if i != 0) for row in rows]
    assert back == [pair.spanish for pair in PAIRS]


def test_training_finds_the_least_loss_and_ends_in_eval_mode():
    torch.manual_seed(0)
    model, x = nn.Linear(3, 1), torch.randn(64, 3)
    wanted = x @ torch.tensor([[1.0], [2.0], [-1.0]]) + 0.5
    trained.train(model, lambda step: nn.functional.mse_loss(model(x), wanted), 200, 0.1)
    assert not model.training
    assert torch.allclose(model.weight, torch.tensor([[1.0, 2.0, -1.0]]), atol=0.05)


def test_two_calls_make_one_model(untrained):
    for _ in range(2):
        trained.gpt(lambda n: torch.randint(16, (n, 24)), 16, 24)
    one, again = (torch.cat([p.flatten() for p in m.parameters()]) for m, _ in untrained)
    assert torch.equal(one, again)


def test_padding_is_not_asked_of_the_translator(untrained):
    """A sentence has the same loss by itself as with padding beside a longer one."""
    pair = min(PAIRS, key=lambda pair: len(pair.english))
    longest = max(PAIRS, key=lambda pair: len(pair.english))
    trained.translator([pair], SPANISH, ENGLISH)
    trained.translator([pair, longest], SPANISH, ENGLISH)
    (_, alone), (_, both) = untrained
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(torch, "randint", lambda *_: torch.zeros(1, dtype=torch.long))
        assert alone(0).item() == pytest.approx(both(0).item(), rel=1e-5)


def test_rows_of_letters_repeat_after_their_period_and_not_before():
    torch.manual_seed(0)
    rows, periods = trained.letter_rows(50)
    assert sorted(periods.unique().tolist()) == [5, 6, 7, 8, 9, 10]
    for row, period in zip(rows.tolist(), periods[:, 0].tolist()):
        assert row[period:] == row[:-period] and len(set(row)) == period
    assert (trained.letter_rows(3, period=8)[1] == 8).all()
