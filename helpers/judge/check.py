"""The verdict on an answer, in words: right, or which mistake gives the same results."""

import contextlib
import functools
import inspect
import textwrap
from dataclasses import dataclass

import numpy as np
import torch

from .. import _, title_of
from . import cells
from .advice import needs_arrays, stopped
from .card import Labelled, card, link_to, side_by_side
from .comparing import Remark, difference, differing, pairs, same, some
from .exercise import OURS, argument_names
from .facts import facts
from .one_change import one_change
from .running import LIMIT, Run, is_stub
from .smallest import smallest

WHOLE_WORDS = {"break_long_words": False, "break_on_hyphens": False}


@dataclass(repr=False)
class Result:
    """What a check found. As the last line of a cell, it is shown as a card."""

    name: str
    message: str  # the verdict, in a few lines of text
    passed: bool = False
    pitfall: str | None = None  # the id of the recognised mistake
    attempted: bool = True  # False if there is nothing to check yet
    facts: tuple = ()  # Facts about an answer that no mistake explains
    smallest: object = None  # the Smallest case on which the answer is wrong
    draw: object = None  # makes the picture, if there are two arrays to compare
    lines: tuple = ()  # the sentences that the card shows under its title
    count: str = ""  # on the card of a right answer: how much of the notebook is done
    asked: str = ""  # the name of a prediction in code, where `name` is its title in some language
    by_solution: bool = False  # whether a solution cell of the notebook ran the check

    @functools.cached_property
    def picture(self):
        return self.draw() if self.draw else None

    def add(self, sentence):
        self.message, self.lines = f"{self.message}\n{sentence}", (*self.lines, sentence)

    def __bool__(self):
        """Whether the answer is right, so that `assert checks.scores(f)` asserts that it is."""
        return self.passed

    def __repr__(self):
        return self.message

    def _repr_mimebundle_(self, **kwargs):
        """The card and the text; and, in the metadata of the output, the verdict as data.

        classroom/handed_in.py reads it in the notebooks of a class. Whoever compares outputs, as
        nbval does, does not compare their metadata.
        """
        verdict = {
            "name": self.asked or self.name,
            "attempted": self.attempted,
            "right": self.passed,
            "mistake": self.pitfall,
            "solution": self.by_solution,
        }
        data = {"text/plain": in_lines(self.message), "text/html": card(self)}
        return data, {"check": verdict}


def in_lines(text):
    """Wrap text at 90 characters, since JupyterLab breaks within words; leave code as it is."""
    lines = text.split("\n")
    return "\n".join(x if x[:1] == " " else textwrap.fill(x, 90, **WHOLE_WORDS) for x in lines)


def check(exercise, answer):
    """The Result for a learner's answer; no error that the answer raises gets through."""
    title = title_of(exercise.name)
    try:
        if answer is None or answer is ... or is_stub(getattr(answer, "forward", answer)):
            message = _("{title}: not attempted yet", title=title)
            return Result(exercise.name, message, attempted=False)
        if not (reason := _no_answer(exercise, answer)):
            lines, found = _verdict(exercise, answer)
    except Exception as error:  # an object may raise whatever is done with it
        came = f"{type(error).__name__}: {error}"
        reason = _("It could not be checked ({error}).", error=came)
    lines, found = ([reason], {}) if reason else (lines, found)
    if "passed" in found:
        first, rest = _("{title}: correct", title=title), lines
    elif reason or "pitfall" in found:  # the first line says what is wrong
        first, rest = _("{title}: not yet. {why}", title=title, why=lines[0]), lines[1:]
    else:
        first, rest = _("{title}: not yet.", title=title), lines
    return Result(exercise.name, "\n".join([first, *rest]), lines=tuple(lines), **found)


def _no_answer(exercise, answer):
    """The reason why what was passed cannot be an answer; None if it can."""
    kind = type(answer).__name__
    if (device := torch.get_default_device().type) != "cpu":
        text = _(
            "The default device is {device}, and checks need the CPU: write "
            'torch.set_default_device("cpu") instead, and restart the kernel.'
        )
        return text.format(device=device)
    if inspect.iscoroutinefunction(getattr(answer, "forward", answer)):
        return _("Its call only makes a coroutine, which nothing runs: write def, without async.")
    if exercise.asks_for == "number":
        if isinstance(answer, str):
            return _("A number is asked for, and this is a text: leave out the quotation marks.")
        if isinstance(answer, (tuple, list)) and len(answer) > 1:
            return _("Write it without commas: Python reads commas as several numbers.")
        return None
    if isinstance(answer, tuple):
        return _("A check takes one answer, and {count} came.", count=len(answer))
    if exercise.asks_for == "class" and not inspect.isclass(answer):
        return _("Pass the class itself, without brackets: this is of type {kind}.", kind=kind)
    if not callable(answer):
        return _("Pass the function itself, without brackets: this is of type {kind}.", kind=kind)
    order = argument_names(answer)
    if order != exercise.arguments and sorted(order) == sorted(exercise.arguments):
        names = ", ".join(exercise.arguments)
        return _("Its arguments stand in another order: it is called with ({names}).", names=names)
    return None


def _verdict(exercise, answer):
    """(sentences, other fields of the Result): run → compare → recognise → say."""
    run, seen = Run(LIMIT), []
    for case in exercise.all_cases:
        seen.append(exercise.observe(answer, case, run))
        if seen[-1].trouble and seen[-1].trouble.kind == "slow":
            break  # no time is left
    ours = functools.partial(_ours, exercise, exercise.right)
    expected = [ours(i) for i in range(len(seen))]
    wrong = [i for i, mine in enumerate(seen) if not same(mine, expected[i])]
    if not wrong:
        return needs_arrays(exercise, answer), {"passed": True}
    lines = _right_for(exercise, seen, wrong, expected)
    if mistake := recognise(exercise, seen, wrong):
        lines = [Labelled(_("It looks like: {name}"), name=mistake.name), *lines]
        if seen[wrong[0]].trouble:
            lines += stopped(seen[wrong[0]], exercise)[:2]
        lines += _on_mistake(exercise, mistake)
        found = {"pitfall": mistake.id}
    else:
        place = []
        with contextlib.suppress(Exception):  # without it, what follows still helps
            place = one_change(exercise, answer, ours, seen, wrong)
        more, found = _on_result(exercise, answer, [(seen[i], expected[i]) for i in wrong], place)
        lines += more
    lines += cells.borrowed(answer, exercise)
    if run.printed:
        printed = run.printed.replace("\n", "\n    ")
        lines.append(Labelled(_("It printed: {text}"), text=printed))
    return lines, found


@functools.cache
def _ours(exercise, code, i):
    """What our own code, right or wrong, does with one input; cached, so that it runs once."""
    return exercise.observe(code, exercise.all_cases[i], Run(OURS))


def recognise(exercise, seen, wrong):
    """The mistake that gives the same result as the answer for every input; None if none does.

    If no mistake matches on every input, the answer may contain two mistakes. Then accept one
    that matches on the first two wrong inputs and is right wherever the answer is right. This
    needs numbers to compare: an error or a bare True is shared by too many mistakes to identify
    one.
    """
    first = seen[wrong[0]].values or {}
    beside = {i for i in wrong if exercise.all_cases[i].apart} if len(wrong) > 1 else ()
    asked = [[i for i in range(len(seen)) if i not in beside]]
    if any(not isinstance(value, Remark) and value.dtype != bool for value in first.values()):
        asked.append([i for i in asked[0] if i not in wrong[2:]])

    def alike(i, way, strict):
        mine, ours = seen[i], _ours(exercise, way, i)
        both = mine.trouble and ours.trouble and not strict  # whatever the two errors say
        return both or same(mine, ours)

    for cases in asked:
        for mistake in [*exercise.mistakes.values(), *exercise.general.values()]:
            for way in mistake.ways:
                if all(alike(i, way, i == wrong[0] or cases is asked[0]) for i in cases):
                    return mistake
    return None


def _on_mistake(exercise, mistake):
    """Sentences on a recognised mistake."""
    lines = [
        Labelled(_("How it shows: {text}"), text=mistake.shows),
        Labelled(_("Try: {text}"), text=mistake.hint),
    ]
    if section := exercise.reread_on.get(mistake.id, exercise.reread):
        file, heading = section
        place = {"number": int(file[:2]), "heading": _(heading)}
        text = _("Read again: notebook {number:02}, “{heading}”")
        lines.append(Labelled(text, link_to(file, place["heading"], exercise.reread[0]), **place))
    return lines


def _right_for(exercise, seen, wrong, expected):
    """Two sentences: for which inputs the answer is right, and for which its results are not.

    Where only a remark was made, the results are right, so that such a case stands in neither. Nor
    does a case that is cut from a wrong one.
    """

    def is_unlike(mine, right):
        differ = [] if mine.trouble else differing(mine, right)
        return mine.trouble or any(isinstance(right.values.get(n), np.ndarray) for n in differ)

    if not (unlike := [i for i in wrong if is_unlike(seen[i], expected[i])]):
        return []
    right = [s.case.says for i, s in enumerate(seen) if i not in wrong and s.values is not None]
    # If few inputs come out right, and not even the first, any answer would get those right.
    if len(right) < len(wrong) and 0 in wrong:
        return []
    cases = [seen[i].case for i in wrong]
    whole = [seen[i].case.says for i in unlike if seen[i].case.of not in cases]
    return [
        Labelled(_("Right for: {inputs}."), inputs=some(right)),
        Labelled(_("Not for: {inputs}."), inputs=some(whole)),
    ]


def _on_result(exercise, answer, tried, place):
    """(sentences, other fields of the Result) on a result that no mistake explains.

    tried   [(the Seen of the answer, that of the right answer)] of each case that is wrong
    place   [the Fact on the place where one change makes it right], or []
    """
    told, small, stops = list(place), None, tried[0][0].trouble
    mine, wanted = next((both for both in tried if pairs(*both) and not stops), tried[0])
    if not stops:
        with contextlib.suppress(Exception):  # without facts, the comparison still helps
            told = [*place, *facts(exercise, answer, mine, wanted, tried)][:2]
            small = smallest(exercise, answer, mine, wanted)
    drawn = (small.mine, small.wanted) if small else (mine, wanted)
    found = {"facts": tuple(told), "smallest": small}
    found["draw"] = functools.partial(side_by_side, *drawn)
    if stops:
        return stopped(mine, exercise) + [one.says for one in told], found
    lines = [one.says for one in told]
    lines[1:1] = [one.asks for one in told[:1]]  # the question follows the fact that leads to it
    if exercise.asks_for == "number":  # a learner is to work it out, so do not reveal it
        (got,), (right,) = mine.values.values(), wanted.values.values()
        text = _("{number:,.10g} is too large: which part does not belong, or came twice?")
        if got < right:
            text = _("{number:,.10g} is too small: which part is missing?")
        return [text.format(number=float(got)), *lines], found
    given = f", {mine.given}" if mine.given else ""
    head = _("For {says}{given}:", says=mine.case.says, given=given)
    if not small:
        return [head, *lines, *difference(mine, wanted)], found
    lines = [head, *lines] if lines else []
    lines.append(Labelled(_("A small case: {given}."), given=small.given))
    lines += difference(small.mine, small.wanted)
    return lines + [Labelled(_("Expected: {sum}"), sum=line) for line in small.sums], found
