"""The small module behind the notebooks: pictures, one live widget, and the layers they teach."""

import gettext
import os
from pathlib import Path

# The learner's language: English, or one with a catalogue. Never the shell's own LANGUAGE or LANG.
LANGUAGE = os.environ.get("ATTENTION_LANGUAGE", "en")
_catalogue = gettext.translation(
    "helpers", Path(__file__).parent / "translations", [LANGUAGE], fallback=True
)


def _(message, **fields):
    """The message in the learner's language, its {fields} filled in.

    Babel finds messages by this name: the message is a plain string, and what varies is a field.
    """
    text = _catalogue.gettext(message)
    return text.format(**fields) if fields else text


def plural(one, many, n, **fields):
    """The form of a message that goes with the number n: plural("{n} query", "{n} queries", n)."""
    return _catalogue.ngettext(one, many, n).format(n=n, **fields)


from .tools import shorten_tracebacks  # noqa: E402  it may speak to learners, too

shorten_tracebacks()
