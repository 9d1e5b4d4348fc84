"""What a mistake is called, how it shows, and what a teacher asks who sees it: a line each."""

import inspect
from typing import NamedTuple

from .. import _


class Description(NamedTuple):
    name: str
    shows: str
    hint: str
    english: str  # the name in English, as code in a notebook writes it


def described(text):
    """A Description in the learner's language, of three lines in English."""
    text = inspect.cleandoc(text)
    return Description(*_(text).split("\n"), text.partition("\n")[0])
