"""The catalogue of mistakes: what each is called, the code that makes it, how it shows, a hint.

One catalogue serves the checks, which name a mistake when they see it, and the gallery of broken
layers. The entries are in the four files pitfalls_*.py, the code in wrong_*.py.

    for pitfall in CATALOGUE: print(pitfall.name, list(pitfall.wrong))
    find("no scale").line("scaled_weights"), find("no scale").mend("scaled_weights")
"""

import inspect
import textwrap
from dataclasses import dataclass

from .pitfalls_heads import DROPOUT, HEADS
from .pitfalls_masks import MASKS
from .pitfalls_projections import PROJECTIONS
from .pitfalls_scores import SCORES

MEND = "# mend:"


@dataclass(frozen=True)
class Pitfall:
    """One mistake.

    name     in the terms of the field: "softmax over the queries"
    wrong    exercise → the code that makes the mistake, or a list of ways to make it
    symptom  how it shows, for eyes that look at numbers and shapes
    hint     what a good teacher asks; it does not give the line away
    reread   (number of the notebook, heading of the section)
    fact     what an Outcome notes when this has happened, whatever the numbers: "changes"
    """

    name: str
    wrong: dict
    symptom: str
    hint: str
    reread: tuple
    fact: str = ""

    def codes(self, exercise):
        """All ways to make this mistake in an exercise."""
        wrong = self.wrong.get(exercise, [])
        return wrong if isinstance(wrong, list) else [wrong]

    def source(self, exercise):
        """The wrong code as it is written, without the comment that mends it."""
        lines = _written(self.codes(exercise)[0]).splitlines()
        return "\n".join(line for line in lines if MEND not in line)

    def line(self, exercise):
        """The line that makes the mistake."""
        return _lines(self.codes(exercise)[0])[0]

    def mend(self, exercise):
        """The line that mends it; "" where the wrong line is to be left out."""
        return _lines(self.codes(exercise)[0])[1]


def _written(code):
    """The source of a function, or of the step that a layer has wrong."""
    return textwrap.dedent(inspect.getsource(getattr(code, "mistake", code)))


def _lines(code):
    lines = [line.strip() for line in _written(code).splitlines()]
    at = next(i for i, line in enumerate(lines) if line.startswith(MEND))
    return lines[at - 1], lines[at].removeprefix(MEND).strip()


CATALOGUE = [Pitfall(**entry) for entry in [*SCORES, *PROJECTIONS, *MASKS, *DROPOUT, *HEADS]]


def find(name):
    """The pitfall of this name; KeyError, with the names there are, if there is none."""
    for pitfall in CATALOGUE:
        if pitfall.name == name:
            return pitfall
    raise KeyError(f"no pitfall {name!r}; there are: {', '.join(p.name for p in CATALOGUE)}")


def of(exercise):
    """The pitfalls that can happen in an exercise."""
    return [pitfall for pitfall in CATALOGUE if exercise in pitfall.wrong]
