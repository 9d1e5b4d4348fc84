"""Which mistake does it look like? The one whose code does the very same, input for input."""

import dataclasses
import functools

from .outcomes import alike, same
from .running import Calls

UNWATCHED = 600  # seconds for our own code, which ends by itself


@functools.cache
def observed(exercise, code=None):
    """The Outcomes of our own code, right or wrong; each is worked out once, when asked for."""
    return _Kept(exercise.observe(code or exercise.right, Calls(UNWATCHED)))


class _Kept:
    """What an iterator gives, to be gone through again and again."""

    def __init__(self, items):
        self._kept, self._rest = [], iter(items)

    def __iter__(self):
        yield from self._kept
        for item in self._rest:
            self._kept.append(item)
            yield item


def recognise(exercise, seen, wrong, known):
    """The id of the mistake that does what was seen; None if no single one explains it.

    wrong  the places in `seen` that are not right
    known  all ids: one that an Outcome bears as a note may be no mistake of this exercise's own
    """
    expected = list(observed(exercise))
    returns = getattr(exercise, "returns", ())
    for only in (None, *(returns if len(returns) > 1 else ())):  # all results, or one of them
        best, found = (0, 0), None
        for mistake, ways in exercise.mistakes.items():
            for code in ways:
                fit = _fit(seen, wrong, observed(exercise, code), expected, only)
                if fit > best:
                    best, found = fit, mistake
        if found:
            return found
    return _by_note(seen, wrong, expected, known) or _by_errors(exercise, seen, wrong, expected)


def _fit(seen, wrong, its, expected, only):
    """(inputs explained by results, explained by errors); (0, 0) if anything speaks against it."""
    results = errors = 0
    for i, (outcome, other) in enumerate(zip(seen, its)):
        if outcome.skipped:
            continue
        if i not in wrong:
            if not same(other, expected[i]):
                return 0, 0  # the answer is right where this mistake is not
        elif same(_part(outcome, only), _part(other, only)):
            if only and same(_part(outcome, only), _part(expected[i], only)):
                continue  # this result is right: another one is the trouble
            results += not outcome.trouble
            errors += bool(outcome.trouble)
        elif not outcome.trouble or not other.trouble or outcome.trouble.kind != other.trouble.kind:
            return 0, 0  # an error may read otherwise, but a mistake has to make one
    return (results, errors) if results or errors == len(wrong) else (0, 0)


def _part(outcome, only):
    values = {n: array for n, array in outcome.values.items() if only in (None, n)}
    return dataclasses.replace(outcome, values=values)


def _by_errors(exercise, seen, wrong, expected):
    """A mistake that makes all the errors, and no other: there is a second mistake behind it."""
    if not any(seen[i].trouble for i in wrong):
        return None
    for mistake, ways in exercise.mistakes.items():
        if any(_same_errors(seen, wrong, observed(exercise, code), expected) for code in ways):
            return mistake
    return None


def _same_errors(seen, wrong, its, expected):
    """Errors at the same inputs? The first that speaks against it ends it, for inputs cost time."""
    its = iter(its)
    for i, mine in enumerate(seen):
        other = next(its, None)
        if other is None:
            return False
        if mine.skipped:
            continue
        if mine.trouble or other.trouble:
            if not alike(mine, other):
                return False
        elif i not in wrong and not same(other, expected[i]):
            return False
    return True


def _by_note(seen, wrong, expected, known):
    """A mistake that shows in a note alone, with the numbers all right."""
    numbers = [i for i in wrong if not seen[i].of_gradient]
    if not numbers:
        return "lost_gradient"
    if not all(alike(seen[i], expected[i]) for i in numbers):
        numbers = numbers[:1]  # the first thing to mend, with another mistake behind it
    if not alike(seen[numbers[0]], expected[numbers[0]]):
        return None
    pairs = [(seen[i].notes, expected[i].notes) for i in numbers]
    differ = {
        key for mine, right in pairs for key in mine | right if mine.get(key) != right.get(key)
    }
    return differ.pop() if len(differ) == 1 and differ <= known else None
