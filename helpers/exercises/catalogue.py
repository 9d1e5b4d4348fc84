"""All mistakes that the checks know: what each is called, how it shows, a hint, and its code."""

from dataclasses import dataclass, field

from . import EXERCISES
from .words import WORDS


@dataclass(frozen=True)
class Pitfall:
    """One mistake.

    id        what it is called in code: "no_scale"
    name      in the terms of the field: "no scale"
    symptom   how it shows, for eyes that look at numbers and shapes
    hint      what a good teacher asks; it does not give the line away
    notebook  where to read again: its number; 0 where there is no such section
    heading   … and the heading of the section
    elsewhere exercise → (notebook, heading), for the exercises that are sent to another section
    """

    id: str
    name: str
    symptom: str
    hint: str
    notebook: int
    heading: str
    elsewhere: dict = field(default_factory=dict)

    def place(self, exercise):
        """(notebook, heading) of the section to read again, as this exercise's check says it."""
        return tuple(self.elsewhere.get(exercise, (self.notebook, self.heading)))

    def code(self, exercise):
        """The right answer to an exercise with this mistake in it: a function or a class."""
        return self._mistakes(exercise)[self.id][0]

    def line(self, exercise):
        """The line that makes the mistake; of several, all of them."""
        return self._mistakes(exercise).lines(self.id)[0]

    def mend(self, exercise):
        """What mends it: all lines that differ, and those to be left out as comments."""
        return self._mistakes(exercise).lines(self.id)[1]

    def _mistakes(self, exercise):
        """Those of an exercise; KeyError, with the exercises there are, if this is none of them."""
        mistakes = EXERCISES[exercise].mistakes
        if self.id not in mistakes:
            known = ", ".join(name for name, e in EXERCISES.items() if self.id in e.mistakes)
            raise KeyError(f"{self.name!r} is no mistake of {exercise}; it is one of: {known}")
        return mistakes


def _pitfall(key, name, symptom, hint, reread=(0, ""), reread_in=None):
    return Pitfall(key, name, symptom, hint, *reread, reread_in or {})


CATALOGUE = [_pitfall(key, **words) for key, words in WORDS.mistakes.items()]


def find(key):
    """The pitfall of this id; KeyError, with the ids there are, if there is none."""
    for pitfall in CATALOGUE:
        if pitfall.id == key:
            return pitfall
    raise KeyError(f"no pitfall {key!r}; there are: {', '.join(p.id for p in CATALOGUE)}")


def of(exercise):
    """The pitfalls that can happen in an exercise."""
    return [find(key) for key in EXERCISES[exercise].mistakes]
