"""The running examples: the published table of "Hello shiny sun", from plain Python arithmetic."""

import math

import pytest
import torch

from helpers.data import sentences
from helpers.data.sentences import JOURNEY, JOURNEY_TOKENS, SUNNY, SUNNY_TOKENS

QUERY = SUNNY_TOKENS.index("shiny")


@pytest.fixture(scope="module")
def by_hand():
    """Every step of the example, one number at a time, without torch."""
    rows = [[round(x, 2) for x in row] for row in SUNNY.tolist()]
    scores = [math.fsum(a * b for a, b in zip(rows[QUERY], row)) for row in rows]
    powers = [math.exp(score) for score in scores]
    weights = [power / math.fsum(powers) for power in powers]
    weighted = [[w * x for x in row] for w, row in zip(weights, rows)]
    context = [math.fsum(column) for column in zip(*weighted)]
    return {
        "scores": scores,
        "powers": powers,
        "sum of powers": [math.fsum(powers)],
        "weights": weights,
        "weighted Hello": weighted[0],
        "weighted shiny": weighted[1],
        "weighted sun": weighted[2],
        "context": context,
    }


def test_the_embeddings_are_the_published_ones():
    assert dict(zip(SUNNY_TOKENS, SUNNY.tolist())) == {
        "Hello": pytest.approx([0.34, 0.22, 0.54]),
        "shiny": pytest.approx([0.53, 0.34, 0.98]),
        "sun": pytest.approx([0.29, 0.54, 0.93]),
    }
    assert list(zip(JOURNEY_TOKENS, JOURNEY.tolist())) == [
        ("Your", pytest.approx([0.43, 0.15, 0.89])),
        ("journey", pytest.approx([0.55, 0.87, 0.66])),
        ("starts", pytest.approx([0.57, 0.85, 0.64])),
        ("with", pytest.approx([0.22, 0.58, 0.33])),
        ("one", pytest.approx([0.77, 0.25, 0.10])),
        ("step", pytest.approx([0.05, 0.80, 0.55])),
    ]


@pytest.mark.parametrize(
    "step, published",
    {
        "scores": "0.7842 1.3569 1.2487",
        "powers": "2.1907 3.8841 3.4858",
        "sum of powers": "9.5606",
        "weights": "0.2291 0.4063 0.3646",
        "weighted Hello": "0.0779 0.0504 0.1237",
        "weighted shiny": "0.2153 0.1381 0.3981",
        "weighted sun": "0.1057 0.1969 0.3391",
        "context": "0.3990 0.3854 0.8610",
    }.items(),
)
def test_every_step_of_the_table_to_four_decimals(by_hand, step, published):
    assert " ".join(f"{x:.4f}" for x in by_hand[step]) == published


def test_the_weights_sum_to_one(by_hand):
    assert math.fsum(by_hand["weights"]) == pytest.approx(1, abs=1e-15)


def test_torch_gives_the_same(by_hand):
    scores = SUNNY @ SUNNY[QUERY]
    weights = torch.softmax(scores, dim=0)
    assert scores.tolist() == pytest.approx(by_hand["scores"], abs=1e-6)
    assert weights.tolist() == pytest.approx(by_hand["weights"], abs=1e-6)
    assert (weights @ SUNNY).tolist() == pytest.approx(by_hand["context"], abs=1e-6)


def test_the_widely_copied_context_is_off_by_rounding(by_hand):
    copied = [0.3992, 0.3858, 0.8610]
    off = [abs(a - b) for a, b in zip(copied, by_hand["context"])]
    assert 1e-4 < max(off) < 5e-4


def test_the_translation_pairs_every_word_once():
    german, english = zip(*sentences.ALIGNMENT)
    assert sorted(german) == list(range(len(sentences.GERMAN)))
    assert sorted(english) == list(range(len(sentences.ENGLISH)))
    pairs = {sentences.GERMAN[i]: sentences.ENGLISH[j] for i, j in sentences.ALIGNMENT}
    assert pairs == {
        "Kannst": "Can",
        "du": "you",
        "mir": "me",
        "helfen": "help",
        "diesen": "this",
        "Satz": "sentence",
        "zu": "to",
        "übersetzen": "translate",
    }


def test_the_gap_of_the_cinema_has_its_word():
    assert "cine" in sentences.CINEMA_TOKENS
