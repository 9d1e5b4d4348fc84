"""Greedy decoding equals itself row by row; beam search is compared with all sentences."""

import itertools

import pytest
import torch
from torch import nn

from helpers.models.transformer import Transformer, beam, greedy

START, END, WORDS = 0, 1, 4
LONGEST = 4


def tiny(seed, vocabulary=WORDS):
    torch.manual_seed(seed)
    model = Transformer(9, vocabulary, 8, 2, 1, 16, dropout=0.3)
    # Initial logits are uniform; with all weights larger, one token would be repeated forever.
    for words in (model.target_embedding, model.out):
        nn.init.normal_(words.weight)
    return model, torch.randint(9, (1, 5))


def log_probability(model, source, ids):
    """The log-probability of a whole sentence from a single pass: the sum over its tokens."""
    with torch.no_grad():
        model.eval()
        log_probabilities = model(source, ids[None, :-1])[0].log_softmax(dim=-1)
    return log_probabilities.gather(1, ids[1:, None]).sum().item()


def every_sentence(words=WORDS, longest=LONGEST):
    """Every sentence that ends with END, and every sentence of the longest length without END."""
    others = [word for word in range(words) if word != END]
    for length in range(longest + 1):
        for beginning in itertools.product(others, repeat=length):
            if length < longest:
                yield torch.tensor([START, *beginning, END])
            else:
                yield torch.tensor([START, *beginning])


@pytest.mark.parametrize("seed", range(2))
def test_a_wide_beam_is_exhaustive_search(seed):
    model, source = tiny(seed)
    found = beam(model, source, START, END, WORDS**LONGEST, LONGEST)
    truth = [(ids, log_probability(model, source, ids)) for ids in every_sentence()]
    truth.sort(key=lambda s: s[1], reverse=True)
    assert len(found) == len(truth)
    assert abs(sum(torch.tensor(probability).exp() for _, probability in found) - 1) < 1e-4
    by_chance = {tuple(ids.tolist()): probability for ids, probability in found}
    for ids, probability in truth:
        assert abs(by_chance[tuple(ids.tolist())] - probability) < 1e-4
    assert found[0][0].tolist() == truth[0][0].tolist()
    ranks = [probability for _, probability in found]
    assert ranks == sorted(ranks, reverse=True)


def test_a_beam_of_one_is_greedy():
    for seed in range(10):
        model, source = tiny(seed, 7)
        (ids, probability), *more = beam(model, source, START, END, 1, 6)
        assert not more and ids.tolist() == greedy(model, source, START, END, 6)[0].tolist()
        assert abs(probability - log_probability(model, source, ids)) < 1e-4


def padded_batch(model):
    source = torch.randint(9, (6, 7))
    lengths = torch.tensor([7, 3, 5, 1, 4, 6])
    return source, torch.arange(7) >= lengths[:, None], lengths


@pytest.mark.parametrize("seed", range(3))
def test_greedy_one_by_one_is_greedy_in_a_batch(seed):
    model, _ = tiny(seed, 6)
    source, padding, lengths = padded_batch(model)
    together = greedy(model, source, START, END, 8, padding)
    assert (together[:, 0] == START).all()
    for row, length, written in zip(source, lengths, together):
        alone = greedy(model, row[None, :length], START, END, 8)[0]
        assert written[: len(alone)].tolist() == alone.tolist()
        assert (written[len(alone) :] == END).all()


def test_greedy_stops_when_all_have_ended_and_at_the_most():
    model, source = tiny(0)
    model.out.weight.data[:] = 0  # equal logits: argmax takes the first token, START
    assert greedy(model, source, START, END, 5).tolist() == [[START] * 6]
    assert greedy(model, source, END, START, 5).tolist() == [[END, START]]


@pytest.mark.parametrize("training", [True, False])
def test_writing_is_done_in_eval_mode_and_the_mode_comes_back(training):
    model, source = tiny(0, 7)
    model.train(training)
    texts = {str(greedy(model, source, START, END, 6).tolist()) for _ in range(5)}
    probabilities = {beam(model, source, START, END, 3, 6)[0][1] for _ in range(5)}
    assert len(texts) == len(probabilities) == 1 and model.training is training
    with pytest.raises(ValueError):
        greedy(model, source[0], START, END, 6)
    assert model.training is training
    assert all(parameter.grad is None for parameter in model.parameters())
