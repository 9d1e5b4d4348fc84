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
        if any(self._is(answer, right, self.within) for right in (self.answer, *self.same)):
            return True, self.why
        for foreseen, say in self.wrong:
            if self._is(answer, foreseen):
                return False, say
        strange = self.words and not any(self._is(answer, word) for word in self.words)
        if self._shape(answer) != self._shape(self.answer) or strange:
            came = {"question": self.question, "form": self.form, "kind": self._kind(answer)}
            return False, _("{question} Answer with {form}; this is {kind}.", **came)
        if self._sorted(answer) is not None and self._sorted(answer) == self._sorted(self.answer):
            text = _("The numbers are right, their order is not. {hint}", hint=self.hint)
            return False, text
        return False, self.hint

    def _is(self, answer, other, within=5e-3):
        a, b = self._plain(answer), self._plain(other)
        if isinstance(a, str) or isinstance(b, str):
            return type(a) is type(b) and a == b
        return (
            a is not None and a.shape == b.shape and np.allclose(a, b, atol=within, equal_nan=True)
        )

    def _shape(self, answer):
        plain = self._plain(answer)
        return "word" if isinstance(plain, str) else None if plain is None else plain.shape

    def _kind(self, answer):
        shape = self._shape(answer)
        several = isinstance(answer, (list, tuple)) and shape and len(shape) == 1
        if several and shape[0] == 1:
            return _("a list of one number")
        return _("{count} numbers", count=shape[0]) if several else kind(answer)

    def _sorted(self, answer):
        """The numbers of a list from small to large; None for anything else."""
        plain = self._plain(answer)
        return sorted(plain.tolist()) if getattr(plain, "ndim", 0) == 1 else None

    @staticmethod
    def _plain(answer):
        """A word in small letters, or an array; None for anything else."""
        if isinstance(answer, str):
            return answer.strip().lower()
        try:
            return to_array("answer", answer)
        except (TypeError, ValueError):
            return None
