"""From what was seen to a verdict: is it right, and if not, which mistake does it look like?

A check runs the learner's code (an exercise observes it), compares it with the right answer
(outcomes), looks for the mistake whose code does the very same (recognising), and says so (saying).
"""

import functools

import torch
from torch import nn

from ..pictures.text import readable
from . import saying
from .comparing import most_telling, side_by_side
from .lines import Line
from .outcomes import kind, same
from .recognising import observed, recognise
from .running import Calls, argument_names, borrowed, is_begun, is_stub, undisturbed


class Result:
    """What a check found. As a cell's last line it shows itself.

    passed     whether the answer is right
    message    what there is to say, in a few lines
    pitfall    the id of the mistake it looks like, or None
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


def check(exercise, candidate, words):
    """The Result for a learner's answer to an exercise. Whatever the answer does, this returns."""
    try:
        with undisturbed(), torch.enable_grad():  # also for what is compared and remembered
            lines, named = _verdict(exercise, candidate, words)
    except KeyboardInterrupt:
        observed.cache_clear()  # it may have stopped half-way
        raise
    except Exception as error:  # an object that is made to be difficult
        came = f"{type(error).__name__}: {error}"
        lines, named = [Line("could_not", title=_title(exercise), error=came)], {}
    message = "\n".join(readable(x) for line in lines for x in words.text(line).split("\n"))
    return Result(exercise.name, message, **named)


def _title(exercise):
    return exercise.name.replace("_", " ")


def _verdict(exercise, candidate, words):
    """(Lines, what else a Result has)."""
    title = _title(exercise)
    if candidate is None or candidate is ...:
        return [Line("not_attempted", title=title)], {"attempted": False}
    if wrong_thing := _wrong_thing(exercise, candidate):
        return [Line("not_yet_because", title=title, why=wrong_thing)], {}
    calls = Calls()
    seen, expected = list(exercise.observe(candidate, calls)), list(observed(exercise))
    for outcome in seen:
        if outcome.trouble and outcome.trouble.kind == "not attempted":
            return _unfinished(title, outcome, candidate, calls)
    wrong = [i for i, (s, e) in enumerate(zip(seen, expected)) if not same(s, e)]
    if not wrong and not (mistake := exercise.missed(candidate, calls)):
        return [Line("correct", title=title)], {"passed": True}
    slow = seen[-1].trouble is not None and seen[-1].trouble.kind == "slow"
    names = borrowed(candidate)
    # What goes wrong with a matrix or a layer of the notebook's would look like another mistake.
    layers = any(isinstance(value, nn.Module) for value in names.values())
    misled = layers or names and any(seen[i].trouble for i in wrong)
    known = words.mistakes.keys()
    if wrong:
        mistake = None if slow or misled else recognise(exercise, seen, wrong, known)
    rest = [*saying.borrowed(exercise, list(names)), *saying.printed(calls)]
    if mistake:
        wording = words.mistakes[mistake]
        lines = [Line("looks_like", title=title, mistake=wording["name"])]
        lines += saying.named(exercise, wording, seen, wrong)
        return [*lines, *rest], {"pitfall": mistake}
    shown = most_telling(seen, expected, wrong)
    draw = functools.partial(side_by_side, seen[shown], expected[shown], words)
    lines = [Line("not_yet", title=title)]
    if slow:
        lines += saying.stopped(exercise, seen[-1])
    else:
        lines += saying.unnamed(exercise, seen, expected, wrong, shown)
    return [*lines, *rest], {"draw": draw}


def _wrong_thing(exercise, candidate):
    """What is wrong with the thing that was passed, if it is no answer at all."""
    if exercise.asks_for == "number":
        return _not_one_number(candidate)
    if exercise.asks_for == "class" and isinstance(candidate, nn.Module):
        layer = type(candidate).__name__
        return Line("pass_class_not_layer", name=exercise.name, layer=layer)
    if not callable(candidate):
        key = "pass_class" if exercise.asks_for == "class" else "pass_function"
        return Line(key, type=type(candidate).__name__)
    if exercise.asks_for == "function" and isinstance(candidate, type):
        return Line("function_not_class", name=candidate.__name__)
    order = argument_names(candidate)
    if order != exercise.arguments and sorted(order) == sorted(exercise.arguments):
        return Line("other_order", arguments=list(exercise.arguments))
    return None


def _not_one_number(candidate):
    if isinstance(candidate, str):
        return Line("text_for_number", what=kind(candidate))
    several = isinstance(candidate, (tuple, list)) and len(candidate) > 1
    if several and all(isinstance(x, int) for x in candidate):
        text = ",".join(str(x) for x in candidate)
        return Line("commas_in_number", text=text, count=len(candidate))
    return None


def _unfinished(title, outcome, candidate, calls):
    """The verdict on what gave None or `...` back, or came to a NotImplementedError or a `...`."""
    trouble = outcome.trouble
    left = [Line("left_to_write", where=trouble.where)] if trouble.where else []
    if is_stub(getattr(candidate, "forward", candidate)) or "NotImplementedError" in trouble.text:
        if not is_begun(candidate):
            return [Line("not_attempted", title=title), *left], {"attempted": False}
        left = left or [Line("forward_left")]
    elif not left:
        left = [Line("dots_returned" if trouble.text else "gives_none", says=outcome.says)]
    return [Line("not_yet", title=title), *left, *saying.printed(calls)], {}
