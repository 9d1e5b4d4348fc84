"""The language of stories: its probabilities against samples, its entropy against both."""

import math
import random

import pytest
import torch

from helpers.data.stories import END, PADDING, Stories

LANGUAGE = Stories()
# Small enough to list every story of the language.
SMALL = Stories(
    names=("ana", "luis"),
    favourites={"red": "ball.", "blue": "kite."},
    weather={"it rains.": 2, "the sun shines.": 1, "the sun sets.": 1},
    people=(1, 2),
    questions=(1, 2),
)


def every_story(language, beginning=(), probability=1.0):
    """(story, probability) of every story, found through `probabilities` alone."""
    after = language.probabilities(beginning)
    if not after:
        yield beginning, probability
    for word, share in after.items():
        yield from every_story(language, (*beginning, word), probability * share)


def test_the_entropy_of_a_small_language_is_that_of_all_its_stories():
    stories = dict(every_story(SMALL))
    assert len(stories) > 400
    assert sum(stories.values()) == pytest.approx(1)
    surprises = sum(-p * math.log(p) for p in stories.values())
    words = sum(p * len(story) for story, p in stories.items())
    assert SMALL.entropy() == pytest.approx(surprises / words, rel=1e-12)
    assert max(map(len, stories)) == SMALL.longest


def test_probabilities_sum_to_1_and_agree_with_counted_draws():
    stories = LANGUAGE.sample(4000, seed=4)
    seen = {}
    for story in stories:
        for i, (word, probabilities) in enumerate(zip(story, LANGUAGE.walk(story))):
            assert abs(sum(probabilities.values()) - 1) < 1e-12
            assert min(probabilities.values()) > 0
            if i <= 3:  # longer beginnings are too rare to be compared
                counts = seen.setdefault(tuple(story[:i]), {})
                counts[word] = counts.get(word, 0) + 1
    often = {begun: counts for begun, counts in seen.items() if sum(counts.values()) > 400}
    assert len(often) >= 20
    for begun, counts in often.items():
        n, probabilities = sum(counts.values()), LANGUAGE.probabilities(begun)
        assert counts.keys() <= probabilities.keys()
        for word, p in probabilities.items():
            assert abs(counts.get(word, 0) - n * p) <= 4.5 * math.sqrt(n * p * (1 - p)) + 1e-9


def test_the_truth_of_stories_is_their_probabilities_word_by_word():
    stories = LANGUAGE.sample(3, seed=5)
    true = LANGUAGE.truth(stories)
    for story, rows in zip(stories, true):
        for t, row in enumerate(rows):
            after = LANGUAGE.probabilities(story[:t]) if t < len(story) else {}
            found = {LANGUAGE.words[i]: row[i].item() for i in row.nonzero().flatten()}
            assert found == pytest.approx(after)


BEGINNING = "ana has a red ball. luis has a blue kite."


@pytest.mark.parametrize(
    "beginning, possible",
    [
        (
            "ana has a red ball. luis has a",
            dict.fromkeys("red blue green white black golden".split(), 1 / 6),
        ),
        (BEGINNING + " it rains. ana?", {"ball.": 1.0}),
        (BEGINNING + " it rains. luis? kite.", {"ana?": 0.5, "luis?": 0.5}),
        (BEGINNING + 4 * " ana? ball.", {END: 0.2, "ana?": 0.4, "luis?": 0.4}),
        (BEGINNING + 8 * " ana? ball.", {END: 1.0}),
        (BEGINNING + " it", {"rains.": 0.8, "snows.": 0.2}),
    ],
)
def test_probabilities_that_can_be_worked_out_by_hand(beginning, possible):
    assert LANGUAGE.probabilities(beginning) == pytest.approx(possible)
    assert LANGUAGE.probabilities(beginning.split()) == pytest.approx(possible)


@pytest.mark.parametrize(
    "beginning, says",
    [
        ("ana had", "'had' after 'ana'; possible: has"),
        ("ana has a red ball. ana", "'ana' after 'ana has a red ball.'"),
        (BEGINNING + " luis? ball.", "kite."),
        (BEGINNING + 8 * " ana? ball." + f" {END} ana", "'ana' after"),
    ],
)
def test_what_no_story_says_is_refused_with_its_place(beginning, says):
    with pytest.raises(ValueError) as error:
        LANGUAGE.probabilities(beginning)
    assert says in str(error.value)


def test_stories_are_drawn_again_with_the_same_seed():
    assert LANGUAGE.sample(20, seed=5) == LANGUAGE.sample(20, seed=5) != LANGUAGE.sample(20, seed=6)
    assert LANGUAGE.story(random.Random(5)) == LANGUAGE.sample(1, seed=5)[0]


def test_ids_begin_with_end_and_are_filled_up_with_blanks():
    stories = LANGUAGE.sample(50, seed=7)
    ids = LANGUAGE.encode(stories)
    assert ids.dtype == torch.int64
    assert ids.shape == (50, 1 + max(map(len, stories)))
    for row, story in zip(ids, stories):
        words = [LANGUAGE.words[i] for i in row]
        rest = words[1 + len(story) :]
        assert words[: 1 + len(story)] == [END, *story] and set(rest) <= {PADDING}
    assert LANGUAGE.words.index(PADDING) == 0
    assert LANGUAGE.decode(ids) == stories


def test_what_is_written_after_the_end_is_not_decoded_and_a_story_without_one_comes_whole():
    language = Stories()
    ids = language.encode([["ana", "has", END, "it"], ["eva", "has", "a", "red"]])[:, :5]
    assert language.decode(ids) == [["ana", "has", END], ["eva", "has", "a", "red"]]
