"""Tiny stories with a long memory, which know the exact probability of every next word.

    ana has a red ball. luis has a blue kite. it rains. luis? kite. ana? ball. luis? kite.

First a story says who has what, then perhaps something about the weather, and then it asks who has
what. Each answer must repeat what was said. Words are split at spaces, so `ana` and `ana?` are two
words. A story ends with END, and its first word follows an END, as in GPT-2's training text.

The grammar is a tree of choices, and the words so far determine the state of a story in it. The
probabilities of the next word are therefore known exactly, not estimated, and so is the entropy: no
model can have a lower loss on new stories (Shannon 1948, "A Mathematical Theory of Communication").
"""

import functools
import math
import random
from typing import NamedTuple

import torch

from .. import _

PADDING, END = "·", "<end>"  # PADDING fills up a short story and is not a word of it

NAMES = ("ana", "luis", "eva", "tom", "mia", "leo", "sara", "ben")
FAVOURITES = {  # colour → what half of the things of that colour are
    "red": "ball.",
    "blue": "kite.",
    "green": "car.",
    "white": "boat.",
    "black": "hat.",
    "golden": "ring.",
}
WEATHER = {  # sentence → how often it occurs, out of 12
    "it rains.": 4,
    "it snows.": 1,
    "the sun shines.": 3,
    "the sun sets.": 1,
    "the wind blows.": 3,
}


class _State(NamedTuple):
    """The state of a story in the grammar."""

    told: tuple = ()  # (name, thing) of each person, in the order of the story
    asked: int = 0  # number of questions so far
    weather: int = 0  # number of sentences about it so far
    sentence: tuple = ()  # the words since the last full stop
    over: bool = False


class Stories:
    """The language. Other arguments make another one, such as a smaller one to check by hand.

    names, favourites, weather  as NAMES, FAVOURITES and WEATHER above
    people                      the fewest and the most people in a story, all with different names
    questions                   the fewest and the most questions; each number is equally probable
    """

    def __init__(
        self,
        names=NAMES,
        favourites=FAVOURITES,
        weather=WEATHER,
        people=(2, 3),
        questions=(4, 8),
    ):
        self.fewest, self.most = people
        self.names, self.favourites, self.weather = tuple(names), dict(favourites), dict(weather)
        self.questions = questions
        words = [PADDING, END, *names, *(f"{name}?" for name in names), "has", "a", *favourites]
        words += [*favourites.values(), *(word for line in weather for word in line.split())]
        self.words = list(dict.fromkeys(words))  # the vocabulary; a word's index is its id
        # These results are needed again and again while stories are sampled, so they are cached.
        self._openings = functools.cache(self._openings)
        self._things_of = functools.cache(self._things_of)
        self._weather_after = functools.cache(self._weather_after)

    def probabilities(self, beginning=()):
        """The exact probability of each possible next word, {word: probability}; they sum to 1.

        beginning  the words so far, as a list or as a string; empty at the start of a story.
                   Nothing can follow END, so the result is then {}.
        Raises ValueError if no story begins like this.
        """
        beginning = beginning.split() if isinstance(beginning, str) else list(beginning)
        state = _State()
        for i, word in enumerate(beginning):
            choices = self._choices(state)
            if word not in choices:
                text = _("no story continues with {word!r} after {begun!r}; possible: {words}")
                words = ", ".join(choices) or _("nothing, because the story is over")
                begun = " ".join(beginning[:i])
                raise ValueError(text.format(word=word, begun=begun, words=words))
            state = self._after(state, word)
        return dict(self._choices(state))

    def walk(self, story):
        """The probabilities of all words at each position of a story, as a list of dicts."""
        state, found = _State(), []
        for word in story:
            found.append(dict(self._choices(state)))
            state = self._after(state, word)
        return found

    def truth(self, stories):
        """The exact probabilities of every next word of stories, for comparison with a model.

        Returns a tensor (stories, longest, vocabulary), of zeros where a story is over.
        """
        found = torch.zeros(len(stories), max(map(len, stories)), len(self.words))
        for n, story in enumerate(stories):
            for t, probabilities in enumerate(self.walk(story)):
                for word, probability in probabilities.items():
                    found[n, t, self.words.index(word)] = probability
        return found

    def story(self, rng=random):
        """Sample a story, a list of words with END last. A seeded rng makes it reproducible."""
        state, words = _State(), []
        while not state.over:
            choices = self._choices(state)
            words += rng.choices([*choices], [*choices.values()]) if len(choices) > 1 else choices
            state = self._after(state, words[-1])
        return words

    def sample(self, n, seed=0):
        """Sample n stories; a seed always gives the same ones."""
        rng = random.Random(seed)
        return [self.story(rng) for _ in range(n)]

    def encode(self, stories):
        """Stories as ids (n, 1 + longest): END, the story, END, then PADDING, which has id 0."""
        ids = {word: i for i, word in enumerate(self.words)}
        longest = max(map(len, stories))
        rows = [[END, *words, *[PADDING] * (longest - len(words))] for words in stories]
        return torch.tensor([[ids[word] for word in row] for row in rows])

    def decode(self, ids):
        """Rows of ids, each beginning with END → lists of words, each up to its own next END.

        A row without another END is returned whole.
        """
        rows = [[self.words[i] for i in row[1:]] for row in ids.tolist()]
        return [row[: row.index(END) + 1] if END in row else row for row in rows]

    def entropy(self):
        """The expected surprise per word, in nats: that of a story / its expected number of words.

        It is computed along the tree of choices, not estimated. Branches that differ only in names
        and colours are counted once.
        """
        surprise, words = self._ahead(_State())
        return surprise / words

    @property
    def longest(self):
        """The number of words in the longest story, END included."""
        weather = max((len(line.split()) for line in self.weather), default=0)
        return 5 * self.most + weather + 2 * self.questions[1] + 1

    # ------------------------------------------------------------ the grammar

    def _choices(self, state):
        """{word: probability} of the word after this state."""
        if state.over:
            return {}
        if not state.sentence:
            told = tuple(name for name, thing in state.told)
            return self._openings(told, state.asked, state.weather)
        first, *more = state.sentence
        if first in self.names:  # ana has a red ball.
            if len(more) == 3:
                return self._things_of(more[2])
            return [{"has": 1.0}, {"a": 1.0}, _even(self.favourites)][len(more)]
        if first.endswith("?"):  # ana? ball.
            return {thing: 1.0 for name, thing in state.told if f"{name}?" == first}
        return self._weather_after(state.sentence)

    def _openings(self, told, asked, weather):
        """The first word of the next sentence, or END."""
        questions = _even(f"{name}?" for name in told)
        new = _even(name for name in self.names if name not in told)
        if asked:
            fewest, most = self.questions
            end = 0.0 if asked < fewest else 1 / (1 + most - asked)
            return _mix((end, {END: 1.0}), (1 - end, questions))
        if len(told) < self.fewest:
            return new
        go_on = 0.5 if len(told) < self.most and not weather else 0.0
        more = 0.5 if self.weather and not weather else 0.0
        parts = (go_on, new), ((1 - go_on) * more, self._weather_after(()))
        return _mix(*parts, ((1 - go_on) * (1 - more), questions))

    def _things_of(self, colour):
        """Half of the red things are balls; the other half is spread uniformly over all things."""
        favourite = {self.favourites[colour]: 1.0}
        return _mix((0.5, favourite), (0.5, _even(self.favourites.values())))

    def _weather_after(self, begun):
        """The next word of a sentence about the weather that begins with these words."""
        counts, n = {}, len(begun)
        for line, weight in self.weather.items():
            words = tuple(line.split())
            if words[:n] == begun:
                counts[words[n]] = counts.get(words[n], 0) + weight
        return {word: count / sum(counts.values()) for word, count in counts.items()}

    def _after(self, state, word):
        """The state one word later."""
        told, asked, weather, sentence, _over = state
        sentence = (*sentence, word)
        if word == END:
            return _State(told, asked, weather, (), True)
        if not word.endswith("."):
            return _State(told, asked, weather, sentence)
        if sentence[0] in self.names:
            return _State((*told, (sentence[0], word)), asked, weather)
        if sentence[0].endswith("?"):
            return _State(told, asked + 1, weather)
        return _State(told, asked, weather + 1)

    # ------------------------------------------------------------ the entropy

    def _ahead(self, state):
        """(expected surprise, expected number of words) from here to the end."""
        known = {}

        def ahead(state):
            kind = self._kind(state)
            if kind not in known:
                surprise = words = 0.0
                for word, probability in self._choices(state).items():
                    later = ahead(self._after(state, word))
                    surprise += probability * (later[0] - math.log(probability))
                    words += probability * (later[1] + 1)
                known[kind] = surprise, words
            return known[kind]

        return ahead(state)

    def _kind(self, state):
        """What the rest of the story's entropy depends on: counts, and the kind of sentence."""
        sentence = state.sentence
        if sentence and (sentence[0] in self.names or sentence[0].endswith("?")):
            # All colours have one favourite each, and all names are sampled with the same
            # probability.
            sentence = sentence[0].endswith("?"), len(sentence)
        return len(state.told), state.asked, state.weather, sentence, state.over


def _even(words):
    """The same probability for each word."""
    words = list(words)
    return dict.fromkeys(words, 1 / len(words)) if words else {}


def _mix(*parts):
    """A mixture of distributions: the parts are pairs (share, {word: probability})."""
    mixed = {}
    for share, probabilities in parts:
        for word, probability in probabilities.items():
            if share > 0:
                mixed[word] = mixed.get(word, 0.0) + share * probability
    return mixed
