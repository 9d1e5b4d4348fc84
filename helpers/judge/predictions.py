"""Predictions: questions asked before the cell that answers them, and feedback on each answer.

Answers are judged here and, if they are given on the page, by explorer/question.js, in the same
steps and from the same data (Prediction.told). A test checks that the two agree.
"""

import re
from dataclasses import dataclass, field
from numbers import Number

import numpy as np

from .. import _, title_of
from .check import Result
from .comparing import NUMBERS, to_array

EDGES = re.compile(r"^[\s\"'`“”‘’]+|[\s\"'`“”‘’.!?]+$")  # ignored around a text
NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(?:/([1-9]\d*))?")
WITHIN = 5e-3  # the default tolerance for numbers


@dataclass(kw_only=True)
class Prediction:
    """A question with one right answer: a word, a number, or a list of numbers."""

    name: str
    question: str
    answer: object
    why: str  # the feedback on the right answer
    hint: str  # the feedback on a wrong answer that was not foreseen
    form: str = _("a number")  # what an answer looks like
    wrong: list = field(default_factory=list)  # (a foreseen wrong answer, the feedback on it)
    within: float = WITHIN
    same: tuple = ()  # other forms of the right answer
    words: tuple = ()  # all possible answers, if there are only a few
    shown: tuple = ()  # pictures: (title, array), or (title, array, the right array)
    head: str = _("prediction: {name}")  # what its title is made from

    title = property(lambda self: self.head.format(name=title_of(self.name)))

    def check(self, answer):
        """The Result for an answer."""
        if answer is None or answer is ...:
            text = _("{title}: not attempted yet", title=self.title)
            return Result(self.title, text, attempted=False)
        came = self._read(answer)
        if any(_alike(came, self._read(x), self.within) for x in (self.answer, *self.same)):
            message = _("{title}: correct. {why}", title=self.title, why=self.why)
            return Result(self.title, message, passed=True, lines=(self.why,))
        why = self._not_yet(came)
        message = _("{title}: not yet. {why}", title=self.title, why=why)
        return Result(self.title, message, lines=(why,))

    def told(self):
        """The data by which the page judges answers, ready for JSON."""
        right = [_listed(self._read(answer)) for answer in (self.answer, *self.same)]
        wrong = [(_listed(self._read(answer)), say) for answer, say in self.wrong]
        told = {"right": right, "wrong": wrong, "within": [self.within, WITHIN], "why": self.why}
        told |= {"words": [*map(_word, self.words)], "hint": self.hint, "numbers": NUMBERS}
        return told | {"sentences": self._sentences(), "shown": str(self.answer)}

    def _sentences(self):
        comma = _("Write a decimal with a point, as in 0.5: a comma separates two numbers.")
        order = _("The numbers are right, their order is not. {hint}", hint=self.hint)
        return {"form": _("Answer with {form}.", form=self.form), "comma": comma, "order": order}

    def _read(self, answer):
        """An answer in the form in which it is compared: a word or an array.

        A number may stand for one of the words, counted from 0. None if the question asks for
        numbers and the answer contains none.
        """
        if not isinstance(self.answer, str):
            return _numbers(answer)
        word, others = _word(answer), map(_word, self.same)
        counts = word.isdecimal() and word not in others and int(word) < len(self.words)
        return _word(self.words[int(word)]) if counts else word

    def _not_yet(self, came):
        """The feedback on a wrong answer."""
        right, sentences = self._read(self.answer), self._sentences()
        for foreseen, say in self.wrong:
            if _alike(came, self._read(foreseen)):
                return say
        if isinstance(right, str):
            return self.hint if came in map(_word, self.words) else sentences["form"]
        if came is None or came.shape != right.shape:
            pair = came is not None and came.shape == (2,) and right.shape == (1,)
            return sentences["comma" if pair and (came == came.round()).all() else "form"]
        return sentences["order"] if _alike(np.sort(came), np.sort(right)) else self.hint


def _word(answer):
    """A text or a number in lower case, without quotation marks and full stop."""
    if isinstance(answer, (list, tuple)) and len(answer) == 1:
        return _word(answer[0])
    return EDGES.sub("", str(answer) if isinstance(answer, (str, Number)) else "").lower()


def _numbers(answer):
    """An array from numbers, fractions, a list of them, or the numbers in a text; else None."""
    try:
        array = to_array(sorted(answer) if isinstance(answer, set) else answer).astype(float)
        return array.reshape(1) if array.size == 1 else array
    except Exception:  # an answer may be any object
        parts = [answer] if isinstance(answer, (str, Number)) else answer
    if not isinstance(parts, (list, tuple)) or not all(isinstance(x, (str, Number)) for x in parts):
        return None
    text = re.sub(r"[()\[\]{}]", " ", " , ".join(map(_word, parts))).replace("−", "-")
    numbers = [_number(part) for part in re.split(r"[\s,;×]+", text) if part]
    return None if None in numbers or not numbers else np.array(numbers)


def _number(text):
    """The number that a text such as "0.5", "1/2" or "two" stands for, or None."""
    if text in NUMBERS:
        return float(NUMBERS.index(text))
    found = NUMBER.fullmatch(text)
    return float(found[1]) / float(found[2] or 1) if found else None


def _listed(read):
    return read if isinstance(read, str) else read.tolist()


def _alike(came, other, within=WITHIN):
    if isinstance(came, np.ndarray) and isinstance(other, np.ndarray):
        return came.shape == other.shape and np.allclose(came, other, atol=within)
    return isinstance(came, str) and came == other
