"""The running examples: the published table of "Hello shiny sun", from plain Python arithmetic."""

import math

import pytest

from helpers.data import sentences
from helpers.data.sentences import SUNNY, SUNNY_TOKENS

QUERY = SUNNY_TOKENS.index("shiny")


PUBLISHED = {
    "scores": "0.7842 1.3569 1.2487",
    "powers": "2.1907 3.8841 3.4858",
    "sum of powers": "9.5606",
    "weights": "0.2291 0.4063 0.3646",
    "weighted Hello": "0.0779 0.0504 0.1237",
    "weighted shiny": "0.2153 0.1381 0.3981",
    "weighted sun": "0.1057 0.1969 0.3391",
    "context": "0.3990 0.3854 0.8610",
}


def test_every_step_of_the_table_to_four_decimals_and_in_torch():
    rows = [[round(x, 2) for x in row] for row in SUNNY.tolist()]
    scores = [math.fsum(a * b for a, b in zip(rows[QUERY], row)) for row in rows]
    powers = [math.exp(score) for score in scores]
    weights = [power / math.fsum(powers) for power in powers]
    weighted = [[w * x for x in row] for w, row in zip(weights, rows)]
    context = [math.fsum(column) for column in zip(*weighted)]
    steps = [scores, powers, [math.fsum(powers)], weights, *weighted, context]
    for (step, published), numbers in zip(PUBLISHED.items(), steps, strict=True):
        assert " ".join(f"{x:.4f}" for x in numbers) == published, step
    in_torch = (SUNNY @ SUNNY[QUERY]).softmax(dim=0) @ SUNNY
    assert in_torch.tolist() == pytest.approx(context, abs=1e-6)


def test_the_translation_pairs_every_word_once():
    german, english = zip(*sentences.ALIGNMENT)
    assert sorted(german) == list(range(len(sentences.GERMAN)))
    assert sorted(english) == list(range(len(sentences.ENGLISH)))
    pairs = {sentences.GERMAN[i]: sentences.ENGLISH[j] for i, j in sentences.ALIGNMENT}
    assert (pairs["mir"], pairs["Satz"], pairs["übersetzen"]) == ("me", "sentence", "translate")
