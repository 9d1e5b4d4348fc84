"""A mistake as an edit of the right answer.

    "return scores.softmax(dim=0)"     this line, in place of the one that begins alike
    swap("shape[-1]", "shape[0]")      these characters in place of those; a line left empty goes
    (one, another)                     several edits, all of them at once

A text may have several lines; it replaces the one line that one of them begins alike. An exercise
may have more than one right form, by library and by hand: an edit is made to the form that it fits
best. A whole function or class in place of an edit is taken as it is.
"""

import difflib
import functools
import inspect
import linecache
import os.path
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Swap:
    old: str
    new: str


swap = Swap


class Mistakes(Mapping):
    """id of a mistake → the ways to make it, as code; worked out when asked for.

    forms  right answers: functions or classes of one name
    edits  id → one way to make the mistake, or a list of ways
    """

    def __init__(self, forms, edits):
        self.forms = forms
        self.edits = {
            key: ways if isinstance(ways, list) else [ways] for key, ways in edits.items()
        }
        self._all_made = {}

    def __getitem__(self, key):
        return [code for code, _, _ in self._made(key)]

    def source(self, key):
        """The wrong code as it is written, of the first way to make the mistake."""
        return self._made(key)[0][2]

    def __iter__(self):
        return iter(self.edits)

    def __len__(self):
        return len(self.edits)

    def lines(self, key):
        """(the line that makes the mistake, the line that mends it), of the first way to make it.

        The second is "" where the first is to be left out.
        """
        edit = self.edits[key][0]
        if not callable(edit):
            _, right, _ = self._made(key)[0]
            first = edit[0] if isinstance(edit, tuple) else edit
            return changed_lines(right, applied(right, first)[0])
        return changed_lines(*self._made(key)[0][1:])

    def _made(self, key):
        if key not in self._all_made:
            self._all_made[key] = [self._make(key, edit) for edit in self.edits[key]]
        return self._all_made[key]

    def _make(self, key, edit):
        """(code, source of the right form, source of the code)."""
        if callable(edit):
            return edit, source_of(self.forms[0]), source_of(edit)
        form, right, wrong = edited(self.forms, edit if isinstance(edit, tuple) else (edit,))
        return compiled(form, wrong, f"<{form.__name__}: {key}>"), right, wrong


@functools.cache
def source_of(code):
    """How a function or class is written, without its decorator and blank lines."""
    lines = textwrap.dedent(inspect.getsource(code)).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(("def ", "class ")))
    return _no_blanks("\n".join(lines[start:]))


def _no_blanks(source):
    return "\n".join(line for line in source.splitlines() if line.strip())


def edited(forms, edits):
    """(form, its source, the source with the edits): of the form that they fit best.

    Raises ValueError if they fit none, or fit more than one place of it.
    """
    best, found = 0, None
    for form in forms:
        right = wrong = source_of(form)
        fit = 0
        for edit in edits:
            step = applied(wrong, edit)
            if step is None:
                break
            wrong, fit = step[0], fit + step[1]
        else:
            if fit > best:
                best, found = fit, (form, right, wrong)
    if found is None:
        raise ValueError(f"these edits fit no form of {forms[0].__name__} exactly once: {edits}")
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


def compiled(form, source, filename):
    """The function or class that the source defines, in the module of its right form."""
    space = dict(vars(sys.modules[form.__module__]))
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    exec(compile(source, filename, "exec"), space)
    return space[form.__name__]


def changed_lines(right, wrong):
    """(the first line of `wrong` that is not in `right`, the line there instead, or "")."""
    before, after = ([x.strip() for x in text.splitlines()] for text in (right, wrong))
    for tag, a, b, c, d in difflib.SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        if tag in ("replace", "insert") and after[c:d] != before[a:b]:
            return after[c], before[a] if b > a else ""
    return "", ""
