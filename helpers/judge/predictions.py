"""Predictions: questions asked before the cell that answers them, and feedback on each answer.

The answer is one of a few choices, which are buttons on the page, or a number. Answers are judged
here and, if they are given on the page, by explorer/question.js, in the same steps and from the
same data (Prediction.told). A test checks that the two agree.
"""

import re
from dataclasses import dataclass, field

from .. import _, title_of
from .check import Result

NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?", re.IGNORECASE)
WITHIN = 5e-3  # the default tolerance for numbers


@dataclass(kw_only=True)
class Prediction:
    """A question with one right answer: one of its choices, or a number."""

    name: str
    question: str
    answer: object
    why: str  # the feedback on the right answer
    hint: str  # the feedback on a wrong answer that was not foreseen
    form: str = _("a number")  # what an answer looks like, if there are no choices
    wrong: list = field(default_factory=list)  # (a foreseen wrong answer, the feedback on it)
    within: float = WITHIN
    words: tuple = ()  # the choices: texts, numbers, or tuples of numbers such as a shape
    shown: tuple = ()  # pictures: (title, array), or (title, array, the right array)
    head: str = _("prediction: {name}")  # what its title is made from

    title = property(lambda self: self.head.format(name=title_of(self.name)))
    choices = property(lambda self: [str(word) for word in self.words])

    def check(self, answer):
        """The Result for an answer."""
        if answer is None or answer is ...:
            text = _("{title}: not attempted yet", title=self.title)
            return Result(self.title, text, attempted=False)
        came = self._read(answer)
        passed = _alike(came, self._read(self.answer), self.within)
        why = self.why if passed else self._not_yet(came)
        text = _("{title}: correct. {why}") if passed else _("{title}: not yet. {why}")
        message = text.format(title=self.title, why=why)
        return Result(self.title, message, passed=passed, lines=(why,))

    def told(self):
        """The data by which the page judges answers, ready for JSON."""
        return {
            "right": self._read(self.answer),
            "wrong": [(self._read(answer), say) for answer, say in self.wrong],
            "words": [_word(word) for word in self.words],
            "within": [self.within, WITHIN],
            "why": self.why,
            "hint": self.hint,
            "form": self._form(),
            "shown": str(self.answer),
        }

    def _form(self):
        if self.words:
            return _("Answer with one of these: {words}.", words=", ".join(self.choices))
        return _("Answer with {form}.", form=self.form)

    def _read(self, answer):
        """An answer as it is compared: a choice, also by its English word, or a number, or None."""
        if not self.words:
            return _number(answer)
        came = _word(answer)
        return came if came in map(_word, self.words) else _word(_(came))

    def _not_yet(self, came):
        """The feedback on a wrong answer."""
        for foreseen, say in self.wrong:
            if _alike(came, self._read(foreseen)):
                return say
        understood = came in map(_word, self.words) if self.words else came is not None
        return self.hint if understood else self._form()


def _word(answer):
    """A choice as it is compared: a list counts as a tuple, and capitals make no difference."""
    try:
        return str(tuple(answer) if isinstance(answer, list) else answer).strip().lower()
    except Exception:  # an answer may be any object
        return ""


def _number(answer):
    """A number of any kind, or the one that a text such as "0.5" is, as a float; else None."""
    if isinstance(answer, str):
        return float(answer) if NUMBER.fullmatch(answer.strip()) else None
    try:
        return float(answer)
    except Exception:  # an answer may be any object
        return None


def _alike(came, other, within=WITHIN):
    if isinstance(came, float) and isinstance(other, float):
        return abs(came - other) <= within
    return came == other and came is not None
