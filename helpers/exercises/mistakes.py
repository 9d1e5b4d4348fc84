"""A mistake: its words, and what it is in code: an edit of the right answer.

    "over_queries": Mistake("return scores.softmax(dim=0)").called(…)

    "return scores.softmax(dim=0)"     this line, in place of the one that begins alike
    swap("shape[-1]", "shape[0]")      these characters in place of those
    (one, another)                     several edits, all of them at once

The words stand where the id is used
first; other exercises give their edits alone. A text of several lines replaces the one line that one
of them begins alike; a line left empty goes. An exercise may have more than one right form: an edit
is made to the form that it fits best. A whole function or class in place of an edit is taken as is.
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
class Swap:
    old: str
    new: str


swap = Swap


class Mistake:
    """The ways to make a mistake, and its words."""

    def __init__(self, *ways):
        self.ways, self.words = ways, ()

    def called(self, words):
        """The same, with its words: its name, how it shows, what a teacher asks; a line each."""
        self.words = tuple(" ".join(line.split()) for line in _(words).strip().split("\n"))
        return self


class Made:
    """A mistake in one exercise: id, name, shows, hint; and its ways as code, made when asked for.

    line, mend  the lines that make it, and those that mend it, of the first way to make it
    """

    def __init__(self, key, given, forms):
        for words in _words(given):
            if WORDS.setdefault(key, words) != words:
                raise ValueError(f"the words of {key!r} stand twice")
        self.id, self.forms, self.edits = key, forms, list(_flat(given))

    name = property(lambda self: WORDS[self.id][0])
    shows = property(lambda self: WORDS[self.id][1])
    hint = property(lambda self: WORDS[self.id][2])

    @functools.cached_property
    def ways(self):
        return [self._code(f"{self.id} {i}", way) for i, way in enumerate(self.edits)]

    def _code(self, name, way):
        return way if callable(way) else compiled(*edited(self.forms, way), name)

    @property
    def line(self):
        return self._lines()[0]

    @property
    def mend(self):
        return self._lines()[1]

    def _lines(self):
        way = self.edits[0]
        if callable(way):
            return changed_lines(*(_body(source_of(code)) for code in (self.forms[0], way)))
        form, wrong = edited(self.forms, way)
        return changed_lines(source_of(form), wrong)


def _words(given):
    """The words in what an exercise gives for a mistake; another's Mistake may be among its ways."""
    if isinstance(given, Mistake):
        yield given.words
    elif isinstance(given, list):
        for way in given:
            yield from _words(way)


def _flat(given):
    """The edits in what an exercise gives for a mistake: one, a list, or another's Mistake."""
    if isinstance(given, Mistake):
        given = list(given.ways)
    for way in given if isinstance(given, list) else [given]:
        yield from _flat(way) if isinstance(way, (Mistake, list)) else [way]


def _several(way):
    return way if isinstance(way, tuple) else (way,)


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
        for edit in _several(way):
            step = applied(source, edit)
            if step is None:
                break
            source, fit = step[0], fit + step[1]
        else:
            if fit > best:
                best, found = fit, (form, source)
    if found is None:
        raise ValueError(f"these edits fit no form of {forms[0].__name__} exactly once: {way}")
    return found


def applied(source, edit):
    """(the new source, how well the edit fits); None if it does not fit exactly once."""
    return _swapped(source, edit) if isinstance(edit, Swap) else _replaced(source, edit)


def _swapped(source, edit):
    if source.count(edit.old) != 1:
        return None
    before, _, after = source.partition(edit.old)
    line = before.rpartition("\n")[2]
    indent = line[: len(line) - len(line.lstrip())]
    return _no_blanks(before + edit.new.replace("\n", f"\n{indent}") + after), len(edit.old)


def _replaced(source, text):
    lines, new = source.splitlines(), text.splitlines()
    fits = [max(_alike(line.strip(), other.strip()) for other in new) for line in lines]
    best = max(fits)
    if best == 0 or fits.count(best) > 1:
        return None
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
