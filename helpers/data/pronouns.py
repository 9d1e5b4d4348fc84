"""Sentences in which *it* may mean either of two nouns, and the last word decides which one.

    The bird did not cross the street because it was too tired.   it = bird
    The bird did not cross the street because it was too wide.    it = street

The form is Winograd's (1972), as Levesque et al. (2012) made a test of it. The sentences are ours, but
for the bird and the street, which are Uszkoreit's (2017, with an animal), and the trophy and the
suitcase, which are Levesque's. Each sentence comes with both endings, so whoever always takes the
first noun, or always the nearer one, is right half the time.
"""

from typing import NamedTuple


class Pronoun(NamedTuple):
    """text: the sentence; right: the noun that *it* means; other: the noun that it does not mean."""

    text: str
    right: str
    other: str


FIRST = """
The bird did not cross the street because it was too (tired|wide).
The trophy did not fit in the suitcase because it was too (big|small).
The ball broke the window because it was made of (steel|glass).
The truck passed the bus because it was going so (fast|slowly).
The cat did not catch the mouse because it was too (slow|quick).
The box fell through the floor because it was too (heavy|thin).
The water went from the bottle into the cup until it was (empty|full).
The branch hit the tent because it was (rotten|underneath).
The horse did not jump over the fence because it was too (weak|high).
The table did not go through the door because it was too (wide|narrow).
"""
NOUNS = """bird street, trophy suitcase, ball window, truck bus, cat mouse, box floor, bottle cup,
branch tent, horse fence, table door"""
HELD_BACK = """
The robot did not lift the stone because it was too (weak|heavy).
The boat did not pass under the bridge because it was too (tall|low).
The hammer broke the plate because it was so (hard|fragile).
The knife did not cut the bread because it was too (blunt|hard).
The plane did not land on the field because it was too (large|short).
The wolf did not catch the horse because it was too (slow|fast).
The milk went from the can into the glass until it was (empty|full).
The letter did not fit into the envelope because it was too (long|short).
The goat did not climb the hill because it was too (old|steep).
The lamp did not fit under the shelf because it was too (tall|low).
"""
HELD_BACK_NOUNS = """robot stone, boat bridge, hammer plate, knife bread, plane field, wolf horse, can
glass, letter envelope, goat hill, lamp shelf"""


def _both(sentences, nouns):
    """The sentences with each of their endings: a list of Pronouns."""
    found = []
    for line, pair in zip(sentences.split("\n")[1:-1], nouns.split(","), strict=True):
        begun, endings = line.rstrip(").").split("(")
        first, second = pair.split()
        for ending, (right, other) in zip(endings.split("|"), ((first, second), (second, first))):
            found.append(Pronoun(f"{begun}{ending}.", right, other))
    return found


def chosen():
    """The twenty sentences that heads are looked for with."""
    return _both(FIRST, NOUNS)


def held_back():
    """Twenty others, for what was found with the first twenty."""
    return _both(HELD_BACK, HELD_BACK_NOUNS)
