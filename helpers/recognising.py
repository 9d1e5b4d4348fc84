"""Which mistake does it look like? The one whose wrong code does the very same, input for input."""

import dataclasses
import functools

from . import pitfalls
from .exercises import EXERCISES
from .outcomes import alike, same
from .running import Calls

UNWATCHED = 600  # seconds for our own code, which ends by itself


@functools.cache
def observed(name, code=None):
    """The Outcomes of our own code, right or wrong; each is worked out once, when asked for."""
    exercise = EXERCISES[name]
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


def recognise(name, seen, wrong):
    """The Pitfall that does what was seen; None if no single one explains it."""
    expected = list(observed(name))
    returns = getattr(EXERCISES[name], "returns", ())
    for only in (None, *(returns if len(returns) > 1 else ())):  # all results, or one of them
        best, found = (0, 0), None
        for pitfall in pitfalls.of(name):
            for code in pitfall.codes(name):
                fit = _fit(seen, wrong, observed(name, code), expected, only)
                if fit > best:
                    best, found = fit, pitfall
        if found:
            return found
    return _by_fact(seen, wrong, expected)


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
        elif not outcome.trouble:
            return 0, 0
    return (results, errors) if results or errors == len(wrong) else (0, 0)


def _part(outcome, only):
    values = {n: array for n, array in outcome.values.items() if only in (None, n)}
    return dataclasses.replace(outcome, values=values)


def _by_fact(seen, wrong, expected):
    """A mistake that shows in a fact alone, with the numbers all right."""
    numbers = [i for i in wrong if seen[i].says != "the gradient"]
    if not numbers:
        return next(p for p in pitfalls.CATALOGUE if p.fact == "gradient")
    if not all(alike(seen[i], expected[i]) for i in numbers):
        return None
    differ = {key for i in numbers for key in seen[i].facts.keys() ^ expected[i].facts.keys()}
    return next((p for p in pitfalls.CATALOGUE if {p.fact} == differ), None)
