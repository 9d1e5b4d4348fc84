"""The sentences with a pronoun: twice twenty, each with both endings."""

import pytest

from helpers.data import pronouns

SETS = pytest.mark.parametrize("sentences", [pronouns.chosen(), pronouns.held_back()])


@SETS
def test_each_sentence_has_it_once_and_both_nouns_before_it(sentences):
    assert len(sentences) == 20
    for text, right, other in sentences:
        words = text.rstrip(".").split()
        assert words.count("it") == 1 and words.count(right) == words.count(other) == 1, text
        assert max(words.index(right), words.index(other)) < words.index("it"), text


@SETS
def test_both_endings_change_places_of_the_nouns_so_that_a_fixed_choice_is_right_in_half(sentences):
    for one, two in zip(sentences[0::2], sentences[1::2], strict=True):
        assert (one.right, one.other) == (two.other, two.right)
        begun, ending = one.text.rsplit(" ", 1)
        assert two.text.startswith(begun) and not two.text.endswith(f" {ending}")
    first = [text.index(right) < text.index(other) for text, right, other in sentences]
    assert sum(first) == 10
