"""Tiny reviews of two sentences: what somebody said about a thing, and what they did because of it.

    the film was not dull  ·  so i laughed

The first sentence praises or criticises, and *not* reverses its meaning. The second one reveals
which it was: people who liked the thing laugh, smile, clap or cheer, and the others yawn, sigh,
leave or sleep. From many reviews, a model can therefore learn what each adjective means, and what
*not* does, although no label says which reviews are good ones.
"""

import random
from typing import NamedTuple

THINGS = ("film", "book", "song", "play")
GOOD = ("funny", "clever", "lovely", "great")
BAD = ("dull", "silly", "poor", "awful")
DEGREES = ("very", "quite", "so")
LIKED = ("laughed", "smiled", "clapped", "cheered")
DISLIKED = ("yawned", "sighed", "left", "slept")
NOT = 0.15  # share of the reviews with *not*


class Review(NamedTuple):
    """first, second: the sentences, as tuples of words; liked: whether it was."""

    first: tuple
    second: tuple
    liked: bool


def sample(n, seed=0):
    """A list of n Reviews; a seed always gives the same list.

    Half of the reviewers liked the thing, three reviews in twenty say *not*, and all other words
    are sampled uniformly.
    """
    dice = random.Random(seed)
    return [_review(dice) for _ in range(n)]


def _review(dice):
    liked, turned = dice.random() < 0.5, dice.random() < NOT
    degree = "not" if turned else dice.choice(DEGREES)
    adjective = dice.choice(GOOD if liked != turned else BAD)
    first = ("the", dice.choice(THINGS), "was", degree, adjective)
    return Review(first, ("so", "i", dice.choice(LIKED if liked else DISLIKED)), liked)


def words():
    """The vocabulary: all words of the language, each once."""
    return sorted(
        {"the", "was", "not", "so", "i", *THINGS, *DEGREES, *GOOD, *BAD, *LIKED, *DISLIKED}
    )
