"""From what was seen to what is said: is it right, which mistake does it look like, what to try.

A check runs the learner's code (exercises), compares it with the right answer (outcomes), looks
for the pitfall whose wrong code does the very same (recognise), and puts it into words.
"""

import functools

import torch
from torch import nn

from .comparing import most_telling, side_by_side
from .exercises import EXERCISES
from .frames import readable
from .outcomes import alike, difference, same
from .recognising import observed, recognise
from .running import Calls, argument_names, borrowed, is_stub, undisturbed

NOTEBOOKS = {
    1: "01_hello_shiny_sun",
    2: "02_trainable_qkv",
    3: "03_causal_mask",
    4: "04_dropout",
    5: "05_multi_head",
}
SHOWN = 4  # inputs named in a line


class Result:
    """What a check found. As a cell's last line it shows itself.

    passed     whether the answer is right
    message    what there is to say, in a few lines
    pitfall    the name of the mistake it looks like, or None
    attempted  False where there is nothing to check yet
    """

    def __init__(self, name, message, passed=False, pitfall=None, attempted=True, draw=None):
        self.name, self.message, self.passed = name, message, passed
        self.pitfall, self.attempted = pitfall, attempted
        self._draw = draw

    @functools.cached_property
    def picture(self):
        """Yours beside the expected, as a Picture; None where there is nothing to compare."""
        return self._draw() if self._draw else None

    def __repr__(self):
        return self.message

    def _ipython_display_(self):
        print(self.message)
        if self.picture is not None:
            from IPython.display import display

            display(self.picture)


def check(name, candidate):
    """The Result for a learner's answer to an exercise. Whatever the answer does, this returns."""
    try:
        with undisturbed(), torch.enable_grad():  # also for what is compared and remembered
            return _check(EXERCISES[name], candidate)
    except KeyboardInterrupt:
        observed.cache_clear()  # it may have stopped half-way
        raise
    except Exception as error:  # an object that is made to be difficult
        title = name.replace("_", " ")
        text = f"{title}: not yet. It could not be checked ({type(error).__name__}: {error})."
        return Result(name, text)


def _check(exercise, candidate):
    name, title = exercise.name, exercise.name.replace("_", " ")
    if candidate is None or candidate is ...:
        return Result(name, f"{title}: not attempted yet", attempted=False)
    if wrong_thing := _wrong_thing(exercise, candidate):
        return Result(name, f"{title}: not yet. {wrong_thing}")
    calls = Calls()
    seen, expected = list(exercise.observe(candidate, calls)), list(observed(name))
    for outcome in seen:
        if outcome.trouble and outcome.trouble.kind == "not attempted":
            return _unfinished(name, title, outcome, candidate, calls)
    wrong = [i for i, (s, e) in enumerate(zip(seen, expected)) if not same(s, e)]
    if not wrong:
        return Result(name, f"{title}: correct", passed=True)
    names = borrowed(candidate)
    # An error then speaks of a matrix of the notebook's, and would look like another mistake.
    misled = names and any(seen[i].trouble for i in wrong)
    pitfall = None if _slow(seen) or misled else recognise(name, seen, wrong)
    lines = [f"{title}: not yet." + (f" It looks like: {pitfall.name}" if pitfall else "")]
    draw = None
    if pitfall:
        lines += _named(exercise, pitfall, seen, wrong)
    else:
        shown = most_telling(seen, expected, wrong)
        lines += _unnamed(exercise, seen, expected, wrong, shown)
        draw = functools.partial(side_by_side, seen[shown], expected[shown])
    lines += _borrowed(exercise, names)
    lines += _printed(calls)
    message = "\n".join(readable(line) for text in lines for line in text.split("\n"))
    return Result(name, message, pitfall=pitfall.name if pitfall else None, draw=draw)


def _slow(seen):
    return seen[-1].trouble is not None and seen[-1].trouble.kind == "slow"


def _wrong_thing(exercise, candidate):
    """What is wrong with the thing that was passed, if it is no answer at all."""
    call = f"checks.{exercise.name}"
    if exercise.asks_for == "number":
        return ""
    if exercise.asks_for == "class" and isinstance(candidate, nn.Module):
        return (
            f"Pass the class itself, not a layer made from it: {call}({type(candidate).__name__})"
        )
    if not callable(candidate):
        what = type(candidate).__name__
        return f"Pass the {exercise.asks_for} itself, with no brackets after it; this is a {what}."
    if exercise.asks_for == "function" and isinstance(candidate, type):
        return f"A function is asked for, and {candidate.__name__} is a class."
    order = argument_names(candidate)
    if order != exercise.arguments and sorted(order) == sorted(exercise.arguments):
        return f"Its arguments stand in another order: it is called with {_arguments(exercise)}."
    return ""


def _arguments(exercise):
    """(query, X)"""
    return f"({', '.join(exercise.arguments)})"


def _unfinished(name, title, outcome, candidate, calls):
    """The Result for what gave None or `...` back, or came to a NotImplementedError or a `...`."""
    trouble = outcome.trouble
    if not trouble.text and not is_stub(getattr(candidate, "forward", candidate)):
        none = f"For {outcome.says}, it gives None back: does it end in a return?"
        return Result(name, "\n".join([f"{title}: not yet.", none, *_printed(calls)]))
    left = [f"There is something left to write {trouble.where}"] if trouble.where else []
    return Result(name, "\n".join([f"{title}: not attempted yet", *left]), attempted=False)


def _printed(calls):
    return ["It printed: " + calls.printed.replace("\n", "\n    ")] if calls.printed else []


# ---------------------------------------------------------------- words


def _named(exercise, pitfall, seen, wrong):
    """Lines on a mistake that was recognised."""
    first = seen[wrong[0]]
    lines = _where_it_is_right(seen, wrong)
    lines += _stopped(exercise, first) if first.trouble else []
    notebook, section = pitfall.reread
    read = f"Read again: notebook {NOTEBOOKS[notebook][:2]}, “{section}”"
    return [*lines, f"How it shows: {pitfall.symptom}", f"Try: {pitfall.hint}", read]


def _unnamed(exercise, seen, expected, wrong, shown):
    """Lines on an answer that is wrong in a way nobody foresaw."""
    if _slow(seen):
        return _stopped(exercise, seen[-1])
    first = wrong[0]
    of_layers = "says" in expected[first].facts  # a leak test is told of every layer
    lines = [] if of_layers else _where_it_is_right(seen, wrong)
    lines += _how_it_differs(exercise, seen, expected, first)
    if shown != first and exercise.asks_for == "class":
        lines.append("The picture shows the attention weights that your layer must have used.")
    return lines


def _borrowed(exercise, names):
    """A line on what it reads from the notebook: the usual slip where cells share their names."""
    if not names:
        return []
    renamed = [name for name in names if name in exercise.arguments]
    reads = f"It reads {', '.join(renamed or names)} from the notebook"
    if renamed:
        return [f"{reads}: its own argument has another name."]
    of_class = exercise.asks_for == "class"
    gets = "forward gets (x)" if of_class else f"it gets {_arguments(exercise)}"
    return [f"{reads}, not from its arguments: {gets}."]


def _where_it_is_right(seen, wrong):
    right = [s.says for i, s in enumerate(seen) if i not in wrong and not s.skipped]
    # What any answer gets right is no news; the notebook's own example, which comes first, is.
    if len(right) < len(wrong) and 0 in wrong:
        return []
    return [f"Right for: {_some(right)}.", f"Not for: {_some([seen[i].says for i in wrong])}."]


def _some(words):
    return ", ".join(words[:SHOWN]) + (", …" if len(words) > SHOWN else "")


def _stopped(exercise, outcome):
    trouble = outcome.trouble
    if trouble.kind == "result":
        return [f"With {outcome.given}: {trouble.text}." if outcome.given else f"{trouble.text}."]
    given = f"With {outcome.given}" if outcome.given else f"For {outcome.says}"
    if trouble.kind == "slow":
        return [f"{given}, {trouble.text}, {trouble.where}".rstrip(", ")]
    lines = [f"{given}, it stops {trouble.where}".rstrip(), trouble.text]
    if not trouble.where and "argument" in trouble.text:
        lines.append(f"The check calls it with {_arguments(exercise)}.")
    return lines


def _how_it_differs(exercise, seen, expected, first):
    outcome, wanted = seen[first], expected[first]
    if outcome.trouble:
        return _stopped(exercise, outcome)
    lines = []
    if not alike(outcome, wanted):
        given = f", {outcome.given}" if outcome.given else ""
        lines = [f"For {outcome.says}{given}:"] if exercise.asks_for != "number" else []
        lines += difference(outcome, wanted)
    told = set()
    for outcome, wanted in list(zip(seen, expected))[first:]:
        lines += _facts(outcome, wanted, told)
    return lines


def _facts(outcome, wanted, told):
    """Lines on facts that differ; each kind of fact once, and then it is in `told`."""
    yours, theirs = outcome.facts, wanted.facts
    lines = []
    for key in [*theirs, *(k for k in yours if k not in theirs)]:
        mine, right = yours.get(key), theirs.get(key)
        if mine == right or outcome.trouble or outcome.skipped or key in told:
            continue
        told |= {key} - {"says"}
        if key == "changes":
            lines.append(f"It changes {', '.join(mine)}, which belongs to the caller.")
        elif key == "dtype":
            wanted_too = " True and False are wanted." if outcome.values.keys() == {"mask"} else ""
            lines.append(f"The numbers are of type {mine}.{wanted_too}")
        elif key in ("two calls", "two calls in use") and right is None:
            at = f"For {outcome.says}, two" if key == "two calls in use" else "Two"
            lines.append(f"{at} calls with the same input differ: where does chance come in?")
        elif key == "says":
            lines.append(f"Of {outcome.says} you say: {mine}. In truth: {right}.")
        elif mine is not None:
            expected = f"; expected {right}" if right is not None else ""
            lines.append(f"For {outcome.says}, {key}: {mine}{expected}.")
    return lines
