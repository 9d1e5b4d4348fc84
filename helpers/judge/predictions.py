"""Predictions: a question asked before the cell that answers it, and what an answer tells."""

from dataclasses import dataclass, field

import numpy as np

from .. import _
from .check import Result
from .comparing import kind, to_array


@dataclass(kw_only=True)
class Prediction:
    """A question with one right answer: a word, a number, or a list of numbers."""

    name: str
    question: str
    answer: object
    why: str  # what to say of the right answer
    hint: str  # … and of any other
    form: str = _("a number")  # how to answer
    wrong: list = field(default_factory=list)  # (a foreseen answer, what to say of it)
    within: float = 5e-3  # how far off a right number may be
    same: tuple = ()  # other words for the right answer
    words: tuple = ()  # all that may be the answer, where it is one of a few

    def check(self, answer):
        """The Result for an answer."""
        title = _("prediction: {name}", name=self.name)
        if answer is None or answer is ...:
            return Result(title, _("{title}: not attempted yet", title=title), attempted=False)
        if any(_alike(answer, right, self.within) for right in (self.answer, *self.same)):
            message = _("{title}: correct. {why}", title=title, why=self.why)
            return Result(title, message, passed=True)
        return Result(title, _("{title}: not yet. {why}", title=title, why=self._not_yet(answer)))

    def _not_yet(self, answer):
        """What to say of a wrong answer."""
        for foreseen, say in self.wrong:
            if _alike(answer, foreseen):
                return say
        came, right = _plain(answer), _plain(self.answer)
        strange = self.words and not any(_alike(answer, word) for word in self.words)
        if strange or type(came) is not type(right) or np.shape(came) != np.shape(right):
            found = {"question": self.question, "form": self.form, "kind": kind(answer)}
            return _("{question} Answer with {form}; this is {kind}.", **found)
        if np.ndim(came) == 1 and _alike(np.sort(came), np.sort(right)):
            return _("The numbers are right, their order is not. {hint}", hint=self.hint)
        return self.hint


def _plain(answer):
    """A word in small letters, or an array; None for anything else."""
    if isinstance(answer, str):
        return answer.strip().lower()
    try:
        return to_array(sorted(answer) if isinstance(answer, set) else answer)
    except Exception:  # it may be any object
        return None


def _alike(answer, other, within=5e-3):
    a, b = _plain(answer), _plain(other)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and np.allclose(a, b, atol=within, equal_nan=True)
    return isinstance(a, str) and isinstance(b, str) and a == b
