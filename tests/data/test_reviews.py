"""The language of reviews: who liked the thing, what reveals it, and how often."""

import math

from helpers.data import reviews

MANY = reviews.sample(4000, seed=1)


def test_what_was_said_and_done_tells_what_they_thought():
    for review in MANY:
        *start, degree, adjective = review.first
        assert start[0] == "the" and start[1] in reviews.THINGS and start[2] == "was"
        assert (adjective in reviews.GOOD) != (adjective in reviews.BAD)
        assert review.liked == ((adjective in reviews.GOOD) != (degree == "not"))  # reversed
        assert review.second[:2] == ("so", "i")
        assert review.second[2] in (reviews.LIKED if review.liked else reviews.DISLIKED)


def test_shares_are_as_told_and_a_seed_draws_the_same_again():
    assert reviews.sample(30, seed=2) == reviews.sample(30, seed=2) != reviews.sample(30, seed=3)
    n = len(MANY)
    shares = [(sum(review.liked for review in MANY), 0.5)]
    shares += [(sum(review.first[3] == "not" for review in MANY), reviews.NOT)]
    for words, place in [(reviews.THINGS, 1), ((*reviews.GOOD, *reviews.BAD), 4)]:
        for word in words:
            shares += [(sum(review.first[place] == word for review in MANY), 1 / len(words))]
    for count, share in shares:
        assert abs(count - n * share) < 4.5 * math.sqrt(n * share * (1 - share))


def test_the_vocabulary_is_what_is_said():
    said = {word for review in MANY for word in review.first + review.second}
    assert sorted(said) == reviews.words()
