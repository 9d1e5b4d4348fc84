"""The catalogue of mistakes: the name of each, how it shows, a hint, and the code that has it.

for pitfall in CATALOGUE: print(pitfall.id, pitfall.name)
pitfall = find("no_mask")
pitfall.line("scaled_weights"), pitfall.corrected("scaled_weights")
"""

from dataclasses import dataclass

from .. import _
from . import EXERCISES
from .mistakes import DESCRIPTIONS


@dataclass(frozen=True)
class Pitfall:
    """One mistake: its id, its name, its symptom, a hint that does not give the line away."""

    id: str
    name: str
    symptom: str
    hint: str

    def code(self, exercise):
        """The right answer to an exercise with this mistake in it: a function or a class."""
        return self._made(exercise).ways[0]

    def line(self, exercise):
        """The line that makes the mistake; of several, all of them."""
        return self._made(exercise).line

    def corrected(self, exercise):
        """The correct lines instead: all that differ, and those to be left out as comments."""
        return self._made(exercise).corrected

    def _made(self, exercise):
        if self.id in EXERCISES[exercise].mistakes:
            return EXERCISES[exercise].mistakes[self.id]
        known = ", ".join(name for name, e in EXERCISES.items() if self.id in e.mistakes)
        text = _("{name!r} is no mistake of {exercise}; it is one of: {known}")
        raise KeyError(text.format(name=self.name, exercise=exercise, known=known))


CATALOGUE = [Pitfall(key, *text[:3]) for key, text in DESCRIPTIONS.items()]
BY_NAME = {key: pitfall for pitfall in CATALOGUE for key in (pitfall.id, pitfall.name)}


def find(name):
    """The mistake of this id, such as "no_mask", or of this name. Raises KeyError if there is none."""
    return BY_NAME[name]
