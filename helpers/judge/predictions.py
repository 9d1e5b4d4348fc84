"""Predictions: a question asked before the cell that answers it, and what an answer tells."""

from dataclasses import dataclass, field

import numpy as np

from .. import _
from ..pictures.frames import to_array
from .check import Result
from .comparing import kind


@dataclass(kw_only=True)
class Prediction:
    """A question with one right answer: a word, a number, or a list of numbers.

    form   how to answer: "a number"
    why    what to say of the right answer; hint, of any other
    wrong  (answer, what to say of it) for the answers that one can foresee
    within how far off a right number may be
    same   other words for the right answer
    words  the words that may be the answer, where it is one of a few
    """

    name: str
    question: str
    form: str
    answer: object
    why: str
    hint: str
    wrong: list = field(default_factory=list)
    within: float = 5e-3
    same: tuple = ()
    words: tuple = ()

    def check(self, answer):
        """The Result for an answer."""
        title = _("prediction: {name}", name=self.name)
        if answer is None or answer is ...:
            return Result(title, _("{title}: not attempted yet", title=title), attempted=False)
        passed, why = self._verdict(answer)
        form = _("{title}: correct. {why}") if passed else _("{title}: not yet. {why}")
        return Result(title, form.format(title=title, why=why), passed)

    def _verdict(self, answer):
        """(whether it is right, what to say)."""
        if any(_alike(answer, right, self.within) for right in (self.answer, *self.same)):
            return True, self.why
        for foreseen, say in self.wrong:
            if _alike(answer, foreseen):
                return False, say
        strange = self.words and not any(_alike(answer, word) for word in self.words)
        if _shape(answer) != _shape(self.answer) or strange:
            came = {"question": self.question, "form": self.form, "kind": _kind(answer)}
            return False, _("{question} Answer with {form}; this is {kind}.", **came)
        if _is_list(answer) and _alike(np.sort(_plain(answer)), np.sort(self.answer)):
            text = _("The numbers are right, their order is not. {hint}", hint=self.hint)
            return False, text
        return False, self.hint


def _plain(answer):
    """A word in small letters, or an array; None for anything else."""
    if isinstance(answer, str):
        return answer.strip().lower()
    try:
        return to_array("answer", answer)
    except (TypeError, ValueError):
        return None


def _alike(answer, other, within=5e-3):
    a, b = _plain(answer), _plain(other)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and np.allclose(a, b, atol=within, equal_nan=True)
    return isinstance(a, str) and isinstance(b, str) and a == b


def _shape(answer):
    plain = _plain(answer)
    return plain.shape if isinstance(plain, np.ndarray) else type(plain).__name__


def _is_list(answer):
    plain = _plain(answer)
    return isinstance(plain, np.ndarray) and plain.ndim == 1


def _kind(answer):
    """An answer in a few words."""
    if isinstance(answer, (list, tuple)) and answer and _is_list(answer):
        one = _("a list of one number")
        return one if len(answer) == 1 else _("{count} numbers", count=len(answer))
    return kind(answer)
