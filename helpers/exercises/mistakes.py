"""A mistake: its words, and what it is in code: an edit of the right answer.

    "over_queries": Mistake("return scores.softmax(dim=0)").called(…)

    "return scores.softmax(dim=0)"     this line, in place of the one that begins alike
    swap("shape[-1]", "shape[0]")      these characters in place of those
    (one, another)                     several edits, all of them at once

The words stand where the id is used first; other exercises give their edits alone. A text of several
lines replaces the one line that one of them begins alike; a line left empty goes. Of several right
forms, that one is edited which the edit fits best. A function or class is taken as it is.
"""

import functools
import inspect
import linecache
import os.path
import sys
import textwrap
from dataclasses import dataclass
from difflib import SequenceMatcher

from .. import _

WORDS = {}  # id → (name, how it shows, hint)


@dataclass(frozen=True)
class swap:  # noqa: N801  it reads as a verb
    old: str
    new: str


class Mistake:
    """The ways to make a mistake, and its words."""

    def __init__(self, *ways):
        self.ways, self.words = ways, ()

    def called(self, words):
        """The same, with its words: its name, how it shows, what a teacher asks; a line each."""
        self.words = tuple(_(inspect.cleandoc(words)).split("\n"))
        return self


class Made:
    """A mistake in one exercise: id, name, shows, hint; and its ways as code, made when asked for.

    line, mend  the lines that make it, and those that mend it, of the first way to make it
    """

    def __init__(self, key, given, forms):
        self.id, self.forms, self.edits = key, forms, []
        self._take(given)

    def _take(self, given):
        """Keep the edits, and the words, of what an exercise gives: one, a list, or a Mistake."""
        if isinstance(given, Mistake):
            if WORDS.setdefault(self.id, given.words) != given.words:
                raise ValueError(f"the words of {self.id!r} stand twice")
            given = list(given.ways)
        if not isinstance(given, list):
            self.edits.append(given)
            return
        for way in given:
            self._take(way)

    name = property(lambda self: WORDS[self.id][0])
    shows = property(lambda self: WORDS[self.id][1])
    hint = property(lambda self: WORDS[self.id][2])
    line = property(lambda self: self._lines[0])
    mend = property(lambda self: self._lines[1])

    @functools.cached_property
    def ways(self):
        return [
            way if callable(way) else compiled(*edited(self.forms, way), f"{self.id} {i}")
            for i, way in enumerate(self.edits)
        ]

    @functools.cached_property
    def _lines(self):
        way = self.edits[0]
        if callable(way):
            return changed_lines(*(_body(source_of(code)) for code in (self.forms[0], way)))
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


def _body(source):
    """The lines under a function's first line and docstring."""
    return "\n".join(line for line in source.splitlines()[1:] if '"""' not in line)


def edited(forms, way):
    """(form, its source with the edits): of the form that they fit best.

    Raises ValueError if they fit none, or fit more than one place of it.
    """
    best, found = 0, None
    for form in forms:
        source, fit = source_of(form), 0
        for edit in way if isinstance(way, tuple) else (way,):
            make = _swapped if isinstance(edit, swap) else _replaced
            source, fits = make(source, edit)
            if not fits:
                break
            fit += fits
        else:
            if fit > best:
                best, found = fit, (form, source)
    if found is None:
        raise ValueError(f"these edits fit no form of {forms[0].__name__} exactly once: {way}")
    return found


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


def compiled(form, source, name):
    """The function or class that the source defines, in the module of its right form."""
    space = dict(vars(sys.modules[form.__module__]))
    file, lines = f"<{form.__name__}: {name}>", source.splitlines(True)
    while file in linecache.cache and linecache.cache[file][2] != lines:
        file += "'"  # the same mistake of another exercise
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
