"""The small language of gustar: a separate grammar checks its agreement and its alignment."""

import itertools

from helpers.data import gustar

EVERY = list(gustar.every_pair())

# A word ends in s in the plural; -o is masculine and -a feminine, but for these.
GENDERS = {
    **{"el": "m", "este": "m", "café": "m"},
    **{"leche": "f", "flor": "f", "flores": "f", "canción": "f", "canciones": "f"},
}
INFINITIVES = {"bailar", "cantar", "nadar", "leer"}
DOUBLED = {"él": "le", "ella": "le", "Ana": "le", "Luis": "le", "ellos": "les", "ellas": "les"}

DICTIONARY = {  # Spanish → the English words that may translate it
    **{"me": "I", "te": "you", "nos": "we", "le": "he she Ana Luis", "les": "they"},
    **{"él": "he", "ella": "she", "Ana": "Ana", "Luis": "Luis", "ellos": "they", "ellas": "they"},
    **{"gusta": "like likes do does", "gustan": "like likes do does", "no": "not", "?": "?"},
    **{"mucho": "really a lot very much", "el": "the", "la": "the"},
    **{"este": "this", "esta": "this", "estos": "these", "estas": "these"},
    **{"bailar": "dancing", "cantar": "singing", "nadar": "swimming", "leer": "reading"},
}
NOUNS = {  # the beginning of a noun → its translation, to which the plural adds an s
    **{"nacho": "nacho", "taco": "taco", "manzana": "apple", "casa": "house", "gato": "cat"},
    **{"libro": "book", "flor": "flower", "canci": "song", "café": "coffee", "leche": "milk"},
    **{"agua": "water"},
}
STEMS = {  # the beginning of a word that only Spanish inflects → its translation
    **{"mi": "my", "tu": "your", "roj": "red", "frí": "cold", "nuev": "new", "pequeñ": "small"},
    **{"verde": "green", "picante": "spicy", "dulce": "sweet", "grande": "big"},
}


def features(word):
    """Number (s, p) and, where it shows, gender (m, f) of a determiner, a noun, an adjective."""
    ending = {"o": "m", "a": "f"}.get(word.removesuffix("s")[-1], "")
    return ("p" if word.endswith("s") else "s") + GENDERS.get(word, ending)


def agree(one, other):
    """Whether two words may stand together: no feature of one contradicts one of the other."""
    clash = [{"s", "p"}, {"m", "f"}]
    return not any(len(pair & {*one, *other}) == 2 for pair in clash)


def check_spanish(words):
    """Read a sentence from left to right, as a grammar does; AssertionError if it is wrong."""
    words = list(words)
    question = words[0] == "¿"
    assert question == (words[-1] == "?")
    words = words[1:-1] if question else words
    named = words[1] if words[0] == "a" else None
    words = words[2:] if named else words
    words = words[1:] if words[0] == "no" else words
    pronoun, verb, *words = words
    assert pronoun == DOUBLED[named] if named else pronoun in {"me", "te", "nos"}
    words = words[1:] if words[0] == "mucho" else words
    if words[0] in INFINITIVES:
        assert verb == "gusta" and len(words) == 1
        return
    determiner, noun, *quality = words
    assert verb == {"s": "gusta", "p": "gustan"}[features(noun)[0]]
    article_of_agua = (noun, determiner) == ("agua", "el")
    assert article_of_agua or agree(features(determiner), features(noun))
    assert (noun, determiner) != ("agua", "la")
    assert len(quality) <= 1
    assert all(agree(features(word), features(noun)) for word in quality)


def test_every_spanish_sentence_agrees():
    for pair in EVERY:
        check_spanish(pair.spanish)


def test_what_belongs_together_is_in_the_dictionary():
    for pair in EVERY:
        for i, j in pair.alignment:
            spanish, english = pair.spanish[i], pair.english[j]
            plural = "s" if spanish.endswith("s") else ""
            ways = [f"{NOUNS[stem]}{plural}" for stem in NOUNS if spanish.startswith(stem)]
            ways += [STEMS[stem] for stem in STEMS if spanish.startswith(stem)]
            assert english in DICTIONARY.get(spanish, "").split() + ways, pair


def test_every_english_word_has_a_partner_and_every_spanish_one_that_means_something():
    """A translation leaves nothing out and adds nothing."""
    silent = {"a", "¿", "el", "la", "los", "las"}  # these may be left out
    for pair in EVERY:
        assert {j for _, j in pair.alignment} == set(range(len(pair.english))), pair
        partners = {i for i, _ in pair.alignment}
        alone = {word for i, word in enumerate(pair.spanish) if i not in partners}
        assert alone <= silent, pair


def test_the_same_words_cross_where_the_adjective_changes_sides():
    (pair,) = [p for p in EVERY if " ".join(p.spanish) == "me gustan los nachos rojos"]
    assert " ".join(pair.english) == "I like red nachos"
    assert pair.alignment == ((0, 0), (1, 1), (3, 3), (4, 2))


def test_mucho_has_three_right_translations_and_all_else_one():
    for pair in EVERY:
        assert len(pair.right) == (3 if "mucho" in pair.spanish else 1)
        assert pair.english in pair.right
    ways = [" ".join(p.english) for p in EVERY if " ".join(p.spanish) == "me gusta mucho bailar"]
    assert ways == ["I really like dancing", "I like dancing a lot", "I like dancing very much"]


def test_no_sentence_means_two_things():
    by_spanish = itertools.groupby(sorted(EVERY, key=lambda p: p.spanish), lambda p: p.spanish)
    assert all(len({pair.right for pair in group}) == 1 for _, group in by_spanish)


def test_pairs_are_all_different_and_the_same_on_every_run():
    drawn = gustar.pairs(3300, seed=1)
    assert len({pair.spanish for pair in drawn}) == 3300
    assert gustar.pairs(3300, seed=1) == drawn != gustar.pairs(3300, seed=2)
    assert set(drawn) <= set(EVERY)
    assert gustar.pairs(100, seed=1) == drawn[:100]
