"""Sentences with *gustar*, in Spanish and English: made by rules, with the words that belong together.

    a Ana no le gustan los nachos rojos  →  Ana does not like red nachos

Spanish says *nachos please me*: the verb agrees with the thing, and in English with the person.
The adjective changes sides. The article stays (*la casa*, *the house*), or goes where all of a kind
are meant (*los nachos*, *nachos*). A negation and a question bring *do* or *does*. And *mucho* has
three right translations, of which one is drawn by chance.
"""

import itertools
import random
from dataclasses import dataclass

from .. import _

MOST = 7000  # sentences that can be drawn at once


@dataclass(frozen=True)
class Pair:
    """A sentence in both languages, as tuples of words.

    alignment  pairs (i, j): spanish[i] and english[j] belong together. A Spanish word may have no
               partner (*los* in *los nachos*), an English word has at least one. *do* and *does*
               belong to the verb.
    right      every right translation; `english` is one of them
    """

    spanish: tuple
    english: tuple
    alignment: tuple
    right: tuple


@dataclass(frozen=True)
class _Person:
    english: str
    pronoun: str  # me, te, le …
    named: str = ""  # the word after *a*, as in "a Ana le"
    third: bool = False  # like or likes


@dataclass(frozen=True)
class _Noun:
    """Singular or plural is None where it is not used: nachos come in plural, coffee does not."""

    singular: str | None
    plural: str | None
    english: str | None
    english_plural: str | None
    gender: str
    adjectives: str  # those that make sense, by their first form
    article: str = ""  # where it is not the one of its gender: el agua, but esta agua fría


PERSONS = [
    _Person("I", "me"),
    _Person("you", "te"),
    _Person("we", "nos"),
    _Person("he", "le", "él", third=True),
    _Person("she", "le", "ella", third=True),
    _Person("they", "les", "ellos"),
    _Person("they", "les", "ellas"),
    _Person("Ana", "le", "Ana", third=True),
    _Person("Luis", "le", "Luis", third=True),
]

NOUNS = [
    _Noun(None, "nachos", None, "nachos", "m", "rojo verde picante frío"),
    _Noun("taco", "tacos", "taco", "tacos", "m", "picante frío pequeño grande"),
    _Noun("manzana", "manzanas", "apple", "apples", "f", "rojo verde dulce pequeño grande"),
    _Noun("casa", "casas", "house", "houses", "f", "rojo verde nuevo pequeño grande"),
    _Noun("gato", "gatos", "cat", "cats", "m", "nuevo pequeño grande"),
    _Noun("libro", "libros", "book", "books", "m", "rojo verde nuevo pequeño grande"),
    _Noun("flor", "flores", "flower", "flowers", "f", "rojo nuevo pequeño grande"),
    _Noun("canción", "canciones", "song", "songs", "f", "nuevo dulce"),
    _Noun("café", None, "coffee", None, "m", "dulce frío"),
    _Noun("leche", None, "milk", None, "f", "dulce frío"),
    _Noun("agua", None, "water", None, "f", "frío", article="el"),
]

ADJECTIVES = {
    "rojo": "red",
    "verde": "green",
    "picante": "spicy",
    "frío": "cold",
    "dulce": "sweet",
    "nuevo": "new",
    "pequeño": "small",
    "grande": "big",
}

ACTIVITIES = {"bailar": "dancing", "cantar": "singing", "nadar": "swimming", "leer": "reading"}

DETERMINERS = {  # (gender, plural) → Spanish
    "the": {("m", 0): "el", ("f", 0): "la", ("m", 1): "los", ("f", 1): "las"},
    "this": {("m", 0): "este", ("f", 0): "esta", ("m", 1): "estos", ("f", 1): "estas"},
    "my": {("m", 0): "mi", ("f", 0): "mi", ("m", 1): "mis", ("f", 1): "mis"},
    "your": {("m", 0): "tu", ("f", 0): "tu", ("m", 1): "tus", ("f", 1): "tus"},
}

KINDS = ["statement", "mucho", "negation", "question", "negative question"]
MUCHO = {"really": 0.4, "a lot": 0.3, "very much": 0.3}  # how often each translates mucho


# A sentence is made of words with a mark: the words of both languages that share one belong together.


def _adjective(word, gender, plural):
    if word.endswith("o") and gender == "f":
        word = word[:-1] + "a"
    return word + "s" * plural


def _things():
    """(weight when drawn, plural, Spanish words, English words): everything that one can like."""
    for spanish, english in ACTIVITIES.items():
        yield 1 / len(ACTIVITIES) / 6, 0, [(spanish, "noun")], [(english, "noun")]
    for noun, plural, which in itertools.product(NOUNS, (0, 1), DETERMINERS):
        if not (noun.singular, noun.plural)[plural]:
            continue
        numbers = (noun.singular is not None) + (noun.plural is not None)
        share = {"the": 1 / 2, "this": 1 / 4}.get(which, 1 / 8) / numbers / len(NOUNS) * 5 / 6
        adjectives = noun.adjectives.split()
        yield share / 2, plural, *_noun_phrase(noun, plural, which, None)
        for adjective in adjectives:
            weight = share / 2 / len(adjectives)
            yield weight, plural, *_noun_phrase(noun, plural, which, adjective)


def _noun_phrase(noun, plural, which, adjective):
    """los nachos rojos, red nachos: as lists of (word, mark)."""
    determiner = DETERMINERS[which][noun.gender, plural]
    if which == "the" and noun.article:
        determiner = noun.article
    spanish = [(determiner, "determiner"), ((noun.singular, noun.plural)[plural], "noun")]
    english = [((noun.english, noun.english_plural)[plural], "noun")]
    if adjective:
        spanish.append((_adjective(adjective, noun.gender, plural), "adjective"))
        english.insert(0, (ADJECTIVES[adjective], "adjective"))
    all_of_a_kind = which == "the" and (plural or not noun.plural)
    if not all_of_a_kind:
        word = "these" if which == "this" and plural else which
        english.insert(0, (word, "determiner"))
    return spanish, english


def _spanish(person, kind, plural, thing):
    negative, question = "negati" in kind, "question" in kind
    words = [("¿", "opening")] * question
    words += [("a", "to"), (person.named, "person")] * bool(person.named)
    words += [("no", "not")] * negative + [(person.pronoun, "person")]
    words += [("gustan" if plural else "gusta", "verb")]
    words += [("mucho", "much")] * (kind == "mucho") + thing
    return words + [("?", "end")] * question


def _english(person, kind, thing, much):
    who, to_do = (person.english, "person"), ("does" if person.third else "do", "verb")
    plain = ("like", "verb")
    likes = ("likes", "verb") if person.third else plain
    if kind == "statement":
        return [who, likes, *thing]
    if kind == "mucho" and much == "really":
        return [who, (much, "much"), likes, *thing]
    if kind == "mucho":
        return [who, likes, *thing, *((word, "much") for word in much.split())]
    if kind == "negation":
        return [who, to_do, ("not", "not"), plain, *thing]
    no = [("not", "not")] * (kind == "negative question")
    return [to_do, who, *no, plain, *thing, ("?", "end")]


def _pair(person, kind, thing, much):
    _weight, plural, spanish, english = thing
    spanish = _spanish(person, kind, plural, spanish)
    ways = {way: _english(person, kind, english, way) for way in MUCHO}
    here = ways[much]
    alignment = [(i, j) for i, s in enumerate(spanish) for j, e in enumerate(here) if s[1] == e[1]]
    right = dict.fromkeys(_words(way) for way in ways.values())
    return Pair(_words(spanish), _words(here), tuple(alignment), tuple(right))


def _words(marked):
    return tuple(word for word, mark in marked)


def every_pair():
    """Every pair there is, once for each right translation: about 20,000."""
    for person, kind, thing in itertools.product(PERSONS, KINDS, list(_things())):
        if person.english == "I" and "question" in kind:
            continue  # nobody asks what he likes himself
        for much in MUCHO if kind == "mucho" else ["really"]:
            yield _pair(person, kind, thing, much)


def pairs(n, seed=0):
    """A list of n Pairs, no two with the same Spanish sentence; a seed always gives the same.

    Raises ValueError for more than MOST: there are twice as many, but the rare ones are long to draw.
    """
    if n > MOST:
        text = _("n={n}, but this language can give 0 to {most:,} different sentences at once")
        raise ValueError(text.format(n=n, most=MOST))
    draw, things = random.Random(seed), list(_things())
    weights = [weight for weight, *_ in things]
    found = {}
    while len(found) < n:
        kind = draw.choices(KINDS, [3, 3, 3, 2, 1])[0]
        person = draw.choice(PERSONS[1:] if "question" in kind else PERSONS)
        thing = draw.choices(things, weights)[0]
        much = draw.choices(list(MUCHO), list(MUCHO.values()))[0]
        pair = _pair(person, kind, thing, much)
        found.setdefault(pair.spanish, pair)
    return list(found.values())
