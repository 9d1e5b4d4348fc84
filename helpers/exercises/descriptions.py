"""The name of a mistake, how it shows, and what a teacher would ask about it: a line each."""

import inspect
from typing import NamedTuple

from .. import _


class Description(NamedTuple):
    name: str
    shows: str
    hint: str
    english: str  # the name in English, which code in notebooks uses in every language


def described(text):
    """A Description in the learner's language, of three lines in English."""
    text = inspect.cleandoc(text)
    return Description(*_(text).split("\n"), text.partition("\n")[0])
