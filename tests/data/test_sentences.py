"""The running examples. tests/notebooks/test_notebooks.py checks the table of "Hello shiny sun"."""

from helpers.data import sentences


def test_the_translation_pairs_every_word_once():
    german, english = zip(*sentences.ALIGNMENT)
    assert sorted(german) == list(range(len(sentences.GERMAN)))
    assert sorted(english) == list(range(len(sentences.ENGLISH)))
    pairs = {sentences.GERMAN[i]: sentences.ENGLISH[j] for i, j in sentences.ALIGNMENT}
    assert (pairs["mir"], pairs["Satz"], pairs["übersetzen"]) == ("me", "sentence", "translate")
