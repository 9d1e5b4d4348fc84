"""The small module behind the notebooks: pictures, one live widget, and the layers they teach."""

import functools
import gettext
import os
import string
from io import BytesIO
from pathlib import Path

TRANSLATIONS = Path(__file__).resolve().parents[1] / "notebooks" / "translations"
MESSAGES = "helpers.po"  # in the folder of each language: what checks, Explorers and errors say
PROGRESS = "progress.json"  # beside a learner's copies: what was right once


def _language():
    """The value of ATTENTION_LANGUAGE, or else the folder of the open copy: my_notebooks/es.

    It is English if there is no such translation. The shell's own LANGUAGE and LANG play no part,
    so that an English page prints English on a Spanish computer.
    """
    asked = os.environ.get("ATTENTION_LANGUAGE") or Path.cwd().name
    return asked if (TRANSLATIONS / asked / MESSAGES).is_file() else "en"


@functools.cache
def catalogue(language, name="helpers"):
    """The translations of helpers' messages, or of the notebook `name`; English if none exist."""
    path = TRANSLATIONS / language / f"{name}.po"
    if not path.is_file():
        return gettext.NullTranslations()
    from babel.messages import mofile, pofile  # imported here: English pages do without it

    with open(path, "rb") as file:
        messages, compiled = pofile.read_po(file, language), BytesIO()
    mofile.write_mo(compiled, messages)  # fuzzy messages are left out and stay English
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


LANGUAGE = _language()
_words = catalogue(LANGUAGE)


class _Format(string.Formatter):
    """Fills in fields; outside English, {n:,} is 1089 and 10\u00a0000 (with a no-break space)."""

    def format_field(self, value, spec):
        text = super().format_field(value, spec)
        if spec != "," or LANGUAGE == "en":
            return text
        return text.replace(",", "\u00a0" if abs(value) >= 10_000 else "")


_filled = _Format().format


def _(message, **fields):
    """The message in the learner's language, with its {fields} filled in.

    Babel finds messages by the name `_`. A message is a plain string; whatever varies is a field.
    """
    text = _words.gettext(message)
    return _filled(text, **fields) if fields else text


def plural(one, many, n, **fields):
    """The form of a message for the number n: plural("{n} query", "{n} queries", n)."""
    return _filled(_words.ngettext(one, many, n), n=n, **fields)


def title_of(name):
    """An exercise's or a prediction's name as a title: "scaled_weights" is "scaled weights"."""
    return _words.gettext(name.replace("_", " "))


from .tools import shorten_tracebacks  # noqa: E402  it needs _ itself

shorten_tracebacks()
