"""The language of reviews: who liked it, what gives it away, and how often."""

import math

from helpers.data import reviews

MANY = reviews.draw(4000, seed=1)


def near(count, n, p):
    return abs(count - n * p) < 4.5 * math.sqrt(n * p * (1 - p))


def test_a_seed_gives_the_same_and_another_seed_others():
    assert reviews.draw(30, seed=2) == reviews.draw(30, seed=2) != reviews.draw(30, seed=3)


def test_what_somebody_did_tells_what_they_thought():
    for review in MANY:
        assert review.second[:2] == ("so", "i")
        assert (review.second[2] in reviews.LIKED) == review.liked
        assert (review.second[2] in reviews.DISLIKED) != review.liked


def test_not_turns_the_adjective_round():
    for review in MANY:
        the, thing, was, degree, adjective = review.first
        assert (the, was) == ("the", "was") and thing in reviews.THINGS
        praise = adjective in reviews.GOOD
        assert praise != (adjective in reviews.BAD)
        assert review.liked == (praise if degree != "not" else not praise)


def test_shares_are_as_told():
    n = len(MANY)
    assert near(sum(review.liked for review in MANY), n, 0.5)
    assert near(sum(review.first[3] == "not" for review in MANY), n, reviews.NOT)
    for word in reviews.THINGS:
        assert near(sum(review.first[1] == word for review in MANY), n, 1 / 4)
    for word in (*reviews.GOOD, *reviews.BAD):
        assert near(sum(review.first[4] == word for review in MANY), n, 1 / 8)


def test_every_first_sentence_is_there_and_told_rightly():
    every = reviews.every_first()
    assert len(every) == 4 * 4 * 8 and sum(every.values()) == 64
    for review in MANY:
        assert every[review.first] == review.liked
    assert {review.first for review in MANY} == set(every)


def test_the_vocabulary_is_what_is_said():
    said = {word for review in MANY for word in review.first + review.second}
    assert sorted(said) == reviews.words()
