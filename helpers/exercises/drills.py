"""Drills show the result of a mistake beside the right one, and ask which mistake it is."""

import random

import numpy as np
import torch

from .. import _, title_of
from ..judge.comparing import differing, same
from ..judge.predictions import Prediction
from ..judge.running import Run

LARGEST, HIGHEST = 24, 20  # how many numbers, and how large ones, can be read one by one
LAG = 2  # if nothing is done yet, notebook 7 begins with the sixth exercise that can be asked
SECONDS = 60  # never reached, because our own code ends by itself
drawn = []  # (number of the notebook, name of the exercise, id of the mistake), in this kernel


def draw(books, notebook, done, slips):
    """A Prediction whose answer is the name of a mistake, in an exercise before this notebook.

    books   number → Notebook
    done    names of exercises that the learner has got right: others only where there are none
    slips   (exercise, mistake) that the learner has made: these come first, then earlier notebooks

    The first draw is the same on every run, as long as nothing is done.
    """
    notebook = notebook or max(books) + 1
    before = [(n, e) for n, book in books.items() if n < notebook for e in book.exercises.values()]
    can = [(n, e) for n, e in before if _can_be_asked(e)]
    known = [(n, e) for n, e in can if e.name in done]
    dice = random.Random(f"{notebook} {len(drawn)}")
    # Each notebook begins with another exercise.
    turns = {e.name: (i - notebook + LAG) % len(can) for i, (_n, e) in enumerate(can)}

    def order(found):
        n, exercise, mistake = found
        asked = (n, exercise.name, mistake.id) in drawn
        often = sum(n == other for other, *_rest in drawn)
        no_slip = (exercise.name, mistake.id) not in slips
        return asked, no_slip, often, n if known else turns[exercise.name], dice.random()

    every = [(n, e, m) for n, e in known or can for m in e.mistakes.values()]
    for n, exercise, mistake in sorted(every, key=order):
        if asks := _question(exercise, mistake, dice):
            drawn.append((n, exercise.name, mistake.id))
            return Prediction(name=f"{notebook}.{len(drawn)}", head=_("drill"), **asks)
    raise ValueError(_("There is no exercise before notebook {number}.", number=notebook))


def _can_be_asked(exercise):
    return any(_question(exercise, m, random.Random(0)) for m in exercise.mistakes.values())


def _question(exercise, mistake, dice):
    """What is asked about a mistake, on the smallest case that shows it; None if none is small."""
    cases = [] if exercise.how else [case for case in exercise.all_cases if not case.how]
    for case in sorted(filter(_is_small, cases), key=_size):
        wanted, came = (_seen(exercise, code, case) for code in (exercise.right, mistake.ways[0]))
        off = differing(came, wanted) if wanted.values and came.values else []
        shown = next((n for n in off if n in wanted.values and n in came.values), None)
        sizes = [seen.values[shown].size for seen in (wanted, came)] if shown else [0]
        if not 0 < min(sizes) <= max(sizes) <= LARGEST:
            continue
        others = [m for m in exercise.mistakes.values() if m is not mistake]
        tried = [(m, _seen(exercise, m.ways[0], case)) for m in dice.sample(others, len(others))]
        apart = [m for m, it in tried if not same(it, came) and not same(it, wanted)][:3]
        name, line = title_of(exercise.name), mistake.line.partition("\n")[0]
        right, wrong = wanted.values[shown], came.values[shown]
        no = _("That one would show like this: {symptom}")
        titles = [f"{shown} {tuple(array.shape)}" for array in (right, wrong)]
        return len(apart) == 3 and {
            "question": _("An answer to “{name}” has a mistake in it. Which one?", name=name),
            "shown": [
                *zip(exercise.arguments, case.arguments),
                (_("right: {name}", name=titles[0]), right),
                (_("with the mistake: {name}", name=titles[1]), wrong, right),
            ],
            "answer": mistake.name,
            "words": tuple(m.name for m in dice.sample([mistake, *apart], 4)),
            "why": _("{symptom} The line: {line}", symptom=mistake.shows, line=line),
            "hint": mistake.hint,
            "wrong": [(m.name, no.format(symptom=m.shows)) for m in apart],
        }
    return None


def _seen(exercise, code, case):
    return exercise.observe(code, case, Run(SECONDS))


def _is_small(case):
    """Whether all that goes in can be looked at: numbers, few and none of them large."""
    there = all(isinstance(x, (torch.Tensor, int, float)) for x in case.arguments)
    high = max((np.abs(np.asarray(x)).max() for x in case.arguments), default=0) if there else 0
    return there and _size(case) <= LARGEST and high <= HIGHEST


def _size(case):
    return sum(np.asarray(x).size for x in case.arguments)
