"""The verdict on an answer: right, or which mistake does the very same; and the words for it."""

import functools
import inspect

import numpy as np
from torch import nn

from .. import _
from ..pictures import plots
from ..pictures.labels import Labels
from ..pictures.roles import role_of
from ..pictures.text import readable
from . import advice
from .comparing import CLOSE, difference, differing, same, same_values
from .exercise import argument_names
from .running import LIMIT, Run, is_stub

OURS = 600  # seconds for our own code, which ends by itself
SHOWN = 4  # inputs named in a line
MOST_DRAWN = 12  # rows and columns of a matrix that is drawn beside another


class Result:
    """What a check found. As a cell's last line it shows itself.

    passed     whether the answer is right
    message    what there is to say, in a few lines
    pitfall    the id of the mistake it looks like, or None
    attempted  False where there is nothing to check yet
    picture    yours beside the expected, as a Picture; None where there is nothing to compare
    """

    def __init__(self, name, message, passed=False, pitfall=None, attempted=True, draw=None):
        self.name, self.message, self.passed = name, message, passed
        self.pitfall, self.attempted, self._draw = pitfall, attempted, draw

    @functools.cached_property
    def picture(self):
        return self._draw() if self._draw else None

    def __repr__(self):
        return self.message

    def _ipython_display_(self):
        print(self.message)
        if self.picture is not None:
            from IPython.display import display

            display(self.picture)


def check(exercise, answer):
    """The Result for a learner's answer to an exercise. Whatever the answer does, this returns."""
    title = exercise.name.replace("_", " ")
    if answer is None or answer is ... or is_stub(getattr(answer, "forward", answer)):
        message = _("{title}: not attempted yet", title=title)
        return Result(exercise.name, message, attempted=False)
    if reason := _no_answer(exercise, answer):
        return Result(exercise.name, _("{title}: not yet. {why}", title=title, why=reason))
    try:
        lines, found = _verdict(exercise, answer, title)
    except Exception as error:  # an object that is made to be difficult
        came = f"{type(error).__name__}: {error}"
        lines = [_("{title}: not yet. It could not be checked ({error}).", title=title, error=came)]
        found = {}
    message = "\n".join(readable(line) for text in lines for line in text.split("\n"))
    return Result(exercise.name, message, **found)


def _no_answer(exercise, answer):
    """What is wrong with the thing that was passed, if it is no answer at all."""
    kind = type(answer).__name__
    if exercise.asks_for == "number":
        if isinstance(answer, str):
            return _("A number is asked for, and this is a text: leave out the quotation marks.")
        if isinstance(answer, (tuple, list)) and len(answer) > 1:
            return _("Write it without commas: Python reads commas as several numbers.")
        return None
    if exercise.asks_for == "class" and isinstance(answer, nn.Module):
        came = {"name": exercise.name, "layer": kind}
        return _("Pass the class itself, not a layer made from it: checks.{name}({layer})", **came)
    if not callable(answer) and exercise.asks_for == "class":
        text = _("Pass the class itself, with no brackets after it; this is of type {type}.")
        return text.format(type=kind)
    if not callable(answer):
        text = _("Pass the function itself, with no brackets after it; this is of type {type}.")
        return text.format(type=kind)
    if exercise.asks_for == "function" and inspect.isclass(answer):
        return _("A function is asked for, and {name} is a class.", name=answer.__name__)
    order = argument_names(answer)
    if order != exercise.arguments and sorted(order) == sorted(exercise.arguments):
        names = ", ".join(exercise.arguments)
        return _("Its arguments stand in another order: it is called with ({names}).", names=names)
    return None


def _verdict(exercise, answer, title):
    """(sentences, what else a Result has): run → compare → recognise → say."""
    run = Run(LIMIT)
    seen, expected = list(exercise.observe(answer, run)), list(observed(exercise, exercise.right))
    wrong = [i for i, mine in enumerate(seen) if not same(mine, expected[i])]
    if not wrong:
        return [_("{title}: correct", title=title)], {"passed": True}
    printed = run.printed.replace("\n", "\n    ")
    printed = [_("It printed: {text}", text=printed)] if printed else []
    not_yet, right_for = _("{title}: not yet.", title=title), _right_for(seen, wrong)
    first, wanted = seen[wrong[0]], expected[wrong[0]]
    trouble = first.trouble.kind if first.trouble else ""
    if trouble == "unfinished":
        return [not_yet, advice.unfinished(first), *printed], {}
    borrowed = advice.borrowed(answer, exercise)
    mistake = None
    if not borrowed and trouble != "slow":
        mistake = recognise(exercise, seen, expected, wrong)
    if mistake:
        named = _("{title}: not yet. It looks like: {name}", title=title, name=mistake.name)
        lines = [named, *right_for, *_on_mistake(exercise, mistake, first), *printed]
        return lines, {"pitfall": mistake.id}
    lines = [not_yet, *right_for, *_how_it_differs(exercise, first, wanted), *borrowed, *printed]
    return lines, {"draw": functools.partial(side_by_side, first, wanted)}


@functools.cache
def observed(exercise, code):
    """What is seen of our own code, right or wrong: each input is tried once, when it is asked for."""
    return Lazily(exercise.observe(code, Run(OURS)))


class Lazily:
    """What an iterator gives, to be gone through again and again."""

    def __init__(self, items):
        self._kept, self._rest = [], items

    def __iter__(self):
        yield from self._kept
        for item in self._rest:
            self._kept.append(item)
            yield item


def recognise(exercise, seen, expected, wrong):
    """The mistake that gives the very same, input for input; None if no single one does."""
    for alike in (_throughout, _but_for_errors, _at_first):
        for mistake in exercise.mistakes.values():
            for way in mistake.ways:
                if alike(seen, observed(exercise, way), expected, wrong):
                    return mistake
    if all(same_values(seen[i].values, expected[i].values, seen[i].close) for i in wrong):
        keys = {key for i in wrong for key in seen[i].remarks.keys() - expected[i].remarks.keys()}
        return exercise.mistakes.get(min(keys)) if len(keys) == 1 else None
    return None


def _throughout(seen, its, expected, wrong):
    return all(same(mine, other) for mine, other in zip(seen, its))


def _but_for_errors(seen, its, expected, wrong):
    """Each has an error where the other has one, though it reads otherwise; one result is shared."""
    its = list(its)
    alike = all(same(a, b) or _both_stop(a, b) for a, b in zip(seen, its))
    return alike and any(same(seen[i], its[i]) and not seen[i].trouble for i in wrong)


def _both_stop(a, b):
    return a.trouble and b.trouble and a.trouble.kind == b.trouble.kind


def _at_first(seen, its, expected, wrong):
    """It explains the result that is wrong first, and is right wherever the answer is: a second one
    follows. An error or a yes is too little to tell: many mistakes end in the same."""
    pairs = enumerate(zip(seen, its))
    return any(array.dtype != bool for array in seen[wrong[0]].values.values()) and all(
        same(mine, other) if i == wrong[0] else i in wrong or same(other, expected[i])
        for i, (mine, other) in pairs
    )


def _on_mistake(exercise, mistake, first):
    """Sentences on a mistake that was recognised."""
    lines = advice.stopped(first, exercise)[:2] if first.trouble else []
    lines.append(_("How it shows: {text}", text=mistake.shows))
    lines.append(_("Try: {text}", text=mistake.hint))
    if exercise.reread:
        number, heading = exercise.reread
        place = {"notebook": f"{number:02}", "heading": heading}
        lines.append(_("Read again: notebook {notebook}, “{heading}”", **place))
    return lines


def _right_for(seen, wrong):
    right = [s.says for i, s in enumerate(seen) if i not in wrong and not s.skipped]
    if len(right) < len(wrong) and 0 in wrong:  # what any answer gets right is no news
        return []
    not_for = [seen[i].says for i in wrong]
    return [
        _("Right for: {inputs}.", inputs=_some(right)),
        _("Not for: {inputs}.", inputs=_some(not_for)),
    ]


def _some(inputs):
    return ", ".join(inputs[:SHOWN] + ["…"] * (len(inputs) > SHOWN))


def _how_it_differs(exercise, first, wanted):
    """Sentences on an answer that is wrong in a way nobody foresaw."""
    if first.trouble:
        return advice.stopped(first, exercise)
    if exercise.asks_for == "number":  # to be worked out: it is not given away
        (got,), (right,) = first.values.values(), wanted.values.values()
        text = _("{number:,.10g} is too large: which part does not belong, or came twice?")
        if got < right:
            text = _("{number:,.10g} is too small: which part is missing?")
        return [text.format(number=float(got))]
    given = f", {first.given}" if first.given else ""
    return [_("For {says}{given}:", says=first.says, given=given), *difference(first, wanted)]


def side_by_side(mine, wanted):
    """Yours beside the expected, of the first array that differs, as a Picture; None if none is."""
    name = None if mine.trouble else differing(mine, wanted)
    if name is None or mine.values[name].ndim == 0 or not mine.values[name].size:
        return None
    pair = _as_matrices(mine.values[name], wanted.values[name])
    role = "weights" if "weights" in name or name in ("mask", "chances") else role_of(name)
    finite = np.abs(pair[1][np.isfinite(pair[1])])
    limit = 1.0 if role == "weights" else float(np.ceil(finite.max(initial=1.0)))
    shown = []
    for title, array in zip((_("your {name}", name=name), _("expected {name}", name=name)), pair):
        rows, columns = ({title: [str(i) for i in range(n)]} for n in array.shape)
        labels = Labels(["0"], rows, columns, {title: role}, {title: limit})
        array = np.where(np.isfinite(array), array, np.nan).astype(np.float32)  # NaN is hatched
        shown.append((labels.panel(title, array.shape), array))
    return plots.panels(shown)


def _as_matrices(yours, theirs):
    """Both as matrices: of a batch, the first one that differs; of a large one, the corner."""
    if yours.shape == theirs.shape and yours.ndim > 2:
        apart = ~np.isclose(yours, theirs, **CLOSE, equal_nan=True)
        place = tuple(np.argwhere(apart)[0][:-2])
        yours, theirs = yours[place], theirs[place]
    pair = [np.atleast_2d(a).reshape(-1, *np.atleast_2d(a).shape[-2:])[0] for a in (yours, theirs)]
    return [a[:MOST_DRAWN, :MOST_DRAWN].astype(np.float64) for a in pair]
