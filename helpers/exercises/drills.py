"""Drills: what a mistake in an earlier exercise gives, beside what is right. Which mistake is it?"""

import random

import numpy as np
import torch

from .. import _
from ..judge.comparing import Remark, alike, same
from ..judge.predictions import Prediction
from ..judge.running import Run

LARGEST = 24  # numbers that are looked at one by one: what goes in, and what comes out
HIGHEST = 20  # a number that two decimals show well
LAG = 5  # with nothing done, notebook 7 asks about notebook 2
SECONDS = 60  # for our own code, which ends by itself
drawn = []  # (notebook, name of an exercise, id of its mistake), as long as the kernel runs


def draw(books, notebook, done, slips):
    """A Prediction whose answer is the name of a mistake, in an exercise before this notebook.

    books   number → Notebook
    done    names of exercises that the learner has got right: others only where there are none
    slips   (exercise, mistake) that the learner has made: these come first, then earlier notebooks

    The first draw is the same on every run, as long as nothing is done.
    """
    notebook = notebook or max(books) + 1
    before = [(n, e) for n, book in books.items() if n < notebook for e in book.exercises.values()]
    known = [(n, e) for n, e in before if e.name in done]
    start, dice = (1 if known else notebook - LAG), random.Random(f"{notebook} {len(drawn)}")

    def order(found):
        n, exercise, mistake = found
        asked = (n, exercise.name, mistake.id) in drawn
        slip = (exercise.name, mistake.id) in slips and not asked
        often = sum(n == other for other, *_rest in drawn)
        return asked, not slip, often, (n - start) % len(books), dice.random()

    every = sorted(((n, e, m) for n, e in known or before for m in e.mistakes.values()), key=order)
    for n, exercise, mistake in every:
        if asks := _question(exercise, mistake, dice):
            drawn.append((n, exercise.name, mistake.id))
            return Prediction(name=f"{notebook}.{len(drawn)}", head=_("drill"), **asks)
    raise ValueError(_("There is no notebook before {number} to ask about.", number=notebook))


def _question(exercise, mistake, dice):
    """What is asked about a mistake, on the smallest case that shows it; None if none is small."""
    run, cases = Run(SECONDS), exercise.all_cases if exercise.how is None else []
    for case in sorted((c for c in cases if _is_small(c)), key=lambda c: _size(c.arguments)):
        wanted, came = (exercise.observe(f, case, run) for f in (exercise.right, mistake.ways[0]))
        shown = _beside(came, wanted) if wanted.values and came.values else ()
        if not shown:
            continue
        others = [m for m in exercise.mistakes.values() if m is not mistake]
        dice.shuffle(others)
        seen = ((m, exercise.observe(m.ways[0], case, run)) for m in others)
        apart = (m for m, other in seen if not same(other, came) and not same(other, wanted))
        three = [m for m, _three in zip(apart, range(3))]
        choices = dice.sample([mistake, *three], 1 + len(three))
        title, line = exercise.name.replace("_", " "), mistake.line.partition("\n")[0]
        no = _("That one would show like this: {symptom}")
        given = zip(exercise.arguments, case.arguments)
        return len(three) == 3 and {
            "question": _("An answer to “{name}” has a mistake in it. Which one?", name=title),
            "shown": [*((name, _rows(np.atleast_1d(x))) for name, x in given), *shown],
            "answer": mistake.name,
            "words": tuple(m.name for m in choices),
            "form": _("one of these"),
            "why": _("{symptom} The line: {line}", symptom=mistake.shows, line=line),
            "hint": mistake.hint,
            "wrong": [(m.name, no.format(symptom=m.shows)) for m in three],
        }
    return None


def _is_small(case):
    """Whether all that goes in can be looked at: numbers, and a few of them."""
    there = all(isinstance(x, (torch.Tensor, int, float)) for x in case.arguments)
    few = there and case.how is None and _size(case.arguments) <= LARGEST
    return few and all(np.abs(np.asarray(x)).max(initial=0) <= HIGHEST for x in case.arguments)


def _size(arguments):
    return sum(np.asarray(x).size for x in arguments)


def _beside(came, wanted):
    """(title, rows) of the first array that differs, of both; () if none is small enough."""
    for name, right in wanted.values.items():
        wrong = came.values.get(name)
        if isinstance(right, Remark) or not isinstance(wrong, np.ndarray) or alike(wrong, right):
            continue
        if 0 < min(right.size, wrong.size) and max(right.size, wrong.size) <= LARGEST:
            titles = _("right: {name}", name=name), _("with the mistake: {name}", name=name)
            return list(zip(titles, (_rows(right), _rows(wrong, right))))
    return ()


def _rows(x, right=None):
    """Rows of texts; a ≠ after those that differ from what is right."""
    x = np.asarray(x)
    off = np.zeros(x.shape, bool)
    if right is not None and right.shape == x.shape:
        off = ~np.isclose(x, right, rtol=1e-4, atol=1e-5, equal_nan=True)
    number = (
        str if x.dtype == bool else "{:g}".format if (x == x.round()).all() else "{:.2f}".format
    )
    pairs = zip(
        (x.round(2) + 0).ravel().tolist() if x.dtype != bool else x.flat, off.ravel().tolist()
    )
    texts = [number(n) + " ≠" * differs for n, differs in pairs]
    wide = x.shape[-1] if x.ndim else 1
    return [texts[i : i + wide] for i in range(0, len(texts), wide)]
