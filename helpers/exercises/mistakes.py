"""A mistake: its words, and what it is in code: an edit of the right answer.

    "over_queries": Mistake("return scores.softmax(dim=0)").called(…)

    "return scores.softmax(dim=0)"     this line, in place of the one that begins alike
    swap("shape[-1]", "shape[0]")      these characters in place of those
    (one, another)                     several edits, all of them at once

The words stand where the id is used first; other exercises give their edits alone. A text of several
lines replaces the one line that one of them begins alike; a line left empty goes. Of several right
forms, that one is edited which the edit fits best. A function is taken as it is.
"""

import functools
import inspect
import itertools
import linecache
import os.path
import sys
import textwrap
from dataclasses import dataclass
from difflib import SequenceMatcher

from .. import _

WORDS = {}  # id → (name, how it shows, hint)
ENGLISH = {}  # id → its name in English, as code in a notebook writes it
NUMBERS = itertools.count()  # of what is compiled


@dataclass(frozen=True)
class swap:  # noqa: N801  it reads as a verb
    old: str
    new: str


class Mistake:
    """The ways to make a mistake, and its words."""

    def __init__(self, *ways):
        self.ways, self.words, self.english = ways, (), ""

    def called(self, words):
        """The same, with its words: its name, how it shows, what a teacher asks; a line each."""
        words = inspect.cleandoc(words)
        self.words, self.english = tuple(_(words).split("\n")), words.partition("\n")[0]
        return self


class Made:
    """A mistake in one exercise: its words, and its ways as code, made when asked for."""

    def __init__(self, key, given, forms):
        self.id, self.forms = key, forms
        self.edits = list(self._edits(given))

    def _edits(self, given):
        """The edits of what an exercise gives, one, a list, or a Mistake, whose words are kept."""
        if isinstance(given, Mistake):
            if WORDS.setdefault(self.id, given.words) != given.words:
                raise ValueError(f"the words of {self.id!r} stand twice")
            ENGLISH.setdefault(self.id, given.english)
            given = list(given.ways)
        if not isinstance(given, list):
            yield given
        else:
            for way in given:
                yield from self._edits(way)

    name = property(lambda self: WORDS[self.id][0])
    shows = property(lambda self: WORDS[self.id][1])
    hint = property(lambda self: WORDS[self.id][2])
    line = property(lambda self: self._lines[0], doc="the lines that make it, the first way")
    mend = property(lambda self: self._lines[1], doc="the lines that mend it")

    @functools.cached_property
    def ways(self):
        return [way if callable(way) else compiled(*edited(self.forms, way)) for way in self.edits]

    @functools.cached_property
    def _lines(self):
        way, form = self.edits[0], self.forms[0]
        if callable(way):
            wrong = source_of(way).replace(way.__name__, form.__name__)
        else:
            form, wrong = edited(self.forms, way)
        return changed_lines(source_of(form), wrong)


@functools.cache
def source_of(code):
    """How a function or class is written, without its decorator and blank lines."""
    lines = textwrap.dedent(inspect.getsource(code)).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(("def ", "class ")))
    return _no_blanks("\n".join(lines[start:]))


def _no_blanks(source):
    return "\n".join(line for line in source.splitlines() if line.strip())


def edited(forms, way):
    """(form, its source with the edits): of the form that they fit best.

    Raises ValueError if they fit none, or fit more than one place of it.
    """
    edits = way if isinstance(way, tuple) else (way,)
    fit, form, source = max((_edited(form, edits) for form in forms), key=lambda found: found[0])
    if not fit:
        raise ValueError(f"these edits fit no form of {form.__name__} exactly once: {way}")
    return form, source


def _edited(form, edits):
    """(how many characters fit, form, its source with the edits); 0 if one of them does not fit."""
    source, fit = source_of(form), 0
    for edit in edits:
        source, fits = (_swapped if isinstance(edit, swap) else _replaced)(source, edit)
        if not fits:
            return 0, form, source
        fit += fits
    return fit, form, source


def _swapped(source, edit):
    """(the new source, how many characters fit); 0 if they do not stand there exactly once."""
    if source.count(edit.old) != 1:
        return source, 0
    before, _, after = source.partition(edit.old)
    line = before.rpartition("\n")[2]
    indent = line[: len(line) - len(line.lstrip())]
    return _no_blanks(before + edit.new.replace("\n", f"\n{indent}") + after), len(edit.old)


def _replaced(source, text):
    """(the new source, how many characters fit); 0 if not exactly one line begins alike."""
    lines, new = source.splitlines(), text.splitlines()
    fits = [max(_alike(line.strip(), other.strip()) for other in new) for line in lines]
    best = max(fits)
    if best == 0 or fits.count(best) > 1:
        return source, 0
    at = fits.index(best)
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    lines[at : at + 1] = [indent + line for line in new]
    return "\n".join(lines), best


def _alike(line, other):
    """How many characters two lines have in common at their beginning; 0 if less than a word."""
    common = len(os.path.commonprefix([line, other]))
    return common if common >= len(other.split()[0]) else 0


def compiled(form, source):
    """The function or class that the source defines, in the module of its right form."""
    space = dict(vars(sys.modules[form.__module__]))
    file, lines = f"<{form.__name__} {next(NUMBERS)}>", source.splitlines(True)
    linecache.cache[file] = (len(source), None, lines, file)  # for tracebacks
    exec(compile(source, file, "exec"), space)
    return space[form.__name__]


def changed_lines(right, wrong):
    """(the lines of `wrong` that are not in `right`, the lines there instead)."""
    before, after = ([x.strip() for x in text.splitlines()] for text in (right, wrong))
    made, mended = [], []
    for what, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what != "equal":
            made += after[k:m]
            mended += before[i:j] or [f"# leave out: {line}" for line in after[k:m]]
    return "\n".join(made), "\n".join(mended)
