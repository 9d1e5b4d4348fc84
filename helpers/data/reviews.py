"""Tiny reviews in two sentences: what was said of a thing, and what somebody did for it.

    the film was not dull  ·  so i laughed

The first sentence praises or blames, and *not* turns it round. The second one gives it away: who
liked it laughs, smiles, claps or cheers; who did not yawns, sighs, leaves or sleeps. So a reader
of many reviews can find out what each adjective means, and what *not* does, though nobody says
which reviews are good ones.
"""

import random
from typing import NamedTuple

THINGS = ("film", "book", "song", "play")
GOOD = ("funny", "clever", "lovely", "great")
BAD = ("dull", "silly", "poor", "awful")
DEGREES = ("very", "quite", "so")
LIKED = ("laughed", "smiled", "clapped", "cheered")
DISLIKED = ("yawned", "sighed", "left", "slept")
NOT = 0.15  # how many of the reviews say *not*


class Review(NamedTuple):
    """first, second: the sentences, as tuples of words; liked: whether it was."""

    first: tuple
    second: tuple
    liked: bool


def sample(n, seed=0):
    """A list of n Reviews; a seed always gives the same.

    Half of them were liked, three in twenty say *not*, and the words that are left are drawn evenly.
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
    """All words of the language, each once."""
    return sorted(
        {"the", "was", "not", "so", "i", *THINGS, *DEGREES, *GOOD, *BAD, *LIKED, *DISLIKED}
    )
