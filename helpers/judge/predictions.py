"""Predictions: a question asked before the cell that answers it, and what an answer tells."""

from dataclasses import dataclass, field

import numpy as np

from ..pictures.frames import to_array
from .lines import Line
from .outcomes import kind
from .verdicts import Result


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

    def check(self, answer, words):
        """The Result for an answer."""
        title = words.text(Line("prediction", name=self.name))
        if answer is None or answer is ...:
            line = Line("not_attempted", title=title)
            return Result(title, words.text(line), attempted=False)
        passed, say = self._verdict(answer)
        line = Line("prediction_right" if passed else "not_yet_because", title=title, why=say)
        return Result(title, words.text(line), passed)

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
            return False, Line("other_form", **came)
        if self._sorted(answer) is not None and self._sorted(answer) == self._sorted(self.answer):
            return False, Line("other_sequence", hint=self.hint)
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
            return Line("list_of_one")
        return Line("some_numbers", count=shape[0]) if several else kind(answer)

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
