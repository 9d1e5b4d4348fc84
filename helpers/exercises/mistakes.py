"""A mistake: edits of the right answer, and the description that its id has in described_*.py.

    softmax(dim=-1) → softmax(dim=0)        one way to make it, with one edit
    or softmax(dim=-1) → softmax(dim=-2)    another way, with two edits
    scores = keys → scores = queries

A line with an arrow is an edit, `old → new`, and `old` stands exactly once in the source of the right
answer. A line that begins with "or" is another way to make the same mistake; the edits of one way are
made together. With nothing behind the arrow `old` goes, and so does a line of which nothing is left.
A line without an arrow belongs to the `new` above it, and is indented as the line that is edited. A
long edit is broken before its arrow. Of several right answers the first that the edits fit is edited.
"""

import functools
import inspect
import itertools
import linecache
import re
import sys
import textwrap
from difflib import SequenceMatcher

import torch

from . import (
    described_01_02,
    described_03_to_05,
    described_07_08,
    described_09_10,
    described_11_12,
    described_13_to_15,
    described_16,
)

PARTS = (
    described_01_02, described_03_to_05, described_07_08, described_09_10, described_11_12,
    described_13_to_15, described_16,
)  # fmt: skip
DESCRIPTIONS = {key: text for part in PARTS for key, text in part.DESCRIPTIONS.items()}
if len(DESCRIPTIONS) < sum(len(part.DESCRIPTIONS) for part in PARTS):
    raise ValueError("an id is described twice")
NUMBERS = itertools.count()  # of what is compiled


class Mistake:
    """A mistake in one exercise: its description, and its ways as code, made when asked for."""

    def __init__(self, key, text, forms):
        """text: the ways to make it; forms: the right answers, as functions or classes."""
        self.id, self.forms, self.description = key, forms, DESCRIPTIONS[key]
        self.edits = edits(text)

    name = property(lambda self: self.description.name)
    shows = property(lambda self: self.description.shows)
    hint = property(lambda self: self.description.hint)
    line = property(lambda self: self._lines[0], doc="the lines that make it, the first way")
    mend = property(lambda self: self._lines[1], doc="the lines that mend it")

    @functools.cached_property
    def ways(self):
        return [compiled(*edited(self.forms, way)) for way in self.edits]

    @functools.cached_property
    def _lines(self):
        form, wrong = edited(self.forms, self.edits[0])
        return changed_lines(source_of(form), wrong)


class General:
    """A mistake in any exercise: something that is done to each tensor that comes back."""

    def __init__(self, key, right, *done):
        self.id, self.ways = key, [_with(right, change) for change in done]
        self.name, self.shows, self.hint, _english = DESCRIPTIONS[key]


def general(right):
    """{id: General} of what can go wrong in the exercise with this right answer."""
    made = [
        General("lost_gradient", right, torch.Tensor.detach),
        General("squeezed", right, lambda t: t.squeeze(0), torch.Tensor.squeeze),
    ]
    return {mistake.id: mistake for mistake in made}


def _with(right, change):
    def one(part):
        return change(part) if isinstance(part, torch.Tensor) else part

    def forward(*given, **named):
        result = (right.forward if isinstance(right, type) else right)(*given, **named)
        return tuple(map(one, result)) if isinstance(result, tuple) else one(result)

    if not isinstance(right, type):
        return forward
    return type(right.__name__, (right,), {"forward": forward} if hasattr(right, "forward") else {})


@functools.cache
def source_of(code):
    """How a function or class is written, without its decorator and blank lines."""
    lines = textwrap.dedent(inspect.getsource(code)).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(("def ", "class ")))
    return _no_blanks("\n".join(lines[start:]))


def _no_blanks(source):
    return "\n".join(line for line in source.splitlines() if line.strip())


def edits(text):
    """[{old: new} of one way] of all ways that a text holds."""
    ways = []
    for line in re.sub(r"\n\s*→", " →", inspect.cleandoc(text)).split("\n"):
        if not ways or line.startswith("or "):
            ways.append({})
            line = line.removeprefix("or ")
        if "→" in line:
            old, new = map(str.strip, line.split("→"))
            ways[-1][old] = new
        else:
            ways[-1][old] += f"\n{line}"
    return ways


def edited(forms, way):
    """(form, its source with the edits {old: new}): of the first form that all of them fit.

    Raises ValueError if there is none.
    """
    form = next((f for f in forms if all(source_of(f).count(old) == 1 for old in way)), None)
    if form is None:
        raise ValueError(f"these edits do not fit {forms[0].__name__} exactly once: {way}")
    source = source_of(form)
    for old in sorted(way, key=source.index, reverse=True):  # from the end: no place moves
        before, after = source[: source.index(old)], source[source.index(old) + len(old) :]
        line = before.rpartition("\n")[2]
        indent = line[: len(line) - len(line.lstrip())]
        source = before + way[old].replace("\n", f"\n{indent}") + after
    return form, _no_blanks(source)


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
