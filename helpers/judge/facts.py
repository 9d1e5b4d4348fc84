"""Facts about a wrong answer that no mistake explains, each of which one case shows at a glance.

A fact states what was observed. What may be so by chance is told only if enough numbers and all
wrong cases bear it out.
"""

from dataclasses import dataclass

import numpy as np

from .. import _
from .comparing import alike, is_measured, pairs

ENOUGH = 4  # as many numbers are not alike by chance

FACTS = {  # kind → the observation, and the question that it leads to
    "one change": _(
        "One change in line {line} makes everything right, at: {text}\nWhat does this do here?"
    ),
    "not finite": _(
        "{count} of {size} numbers of {name} are not finite.\n"
        "Where is a division by 0, ∞ / ∞, 0 · ∞, ∞ − ∞, or a root or logarithm of too small a number?"
    ),
    "factor": _("{name} is {factor} times what is expected.\nWhere does {factor} come from here?"),
    "sums": _("Rows of {name} sum to {sums}, not to 1.\nWhat do you divide by, along which axis?"),
}


@dataclass(frozen=True)
class Fact:
    """Something true of an answer, as data and as a sentence, and the question it leads to."""

    kind: str
    about: dict
    says: str
    asks: str


def fact(kind, **about):
    return Fact(kind, about, *FACTS[kind].format(**about).split("\n"))


def facts(exercise, mine, wanted, tried):
    """The Facts on one case, the most telling first, each of another kind.

    mine, wanted   the Seen of the answer, and that of the right answer, on this case
    tried          the same, as pairs, of each case that is wrong
    """
    names = [n for n, (got, _right) in pairs(mine, wanted).items() if not is_measured(n, got)]
    if exercise.asks_for == "number" or not names:
        return []
    found = []
    with np.errstate(all="ignore"):
        for name in names:
            both = [(m.values.get(name), w.values[name]) for m, w in tried
                    if m.values and w.values and name in w.values]  # fmt: skip
            if all(isinstance(got, np.ndarray) for got, _right in both):
                got, right = mine.values[name], wanted.values[name]
                found += not_finite(name, got, right)
                found += one_factor(name, both) + row_sums(name, got, [w for _m, w in both])
    return [one for i, one in enumerate(found) if one.kind not in [f.kind for f in found[:i]]]


def not_finite(name, got, right):
    count = int((~np.isfinite(got)).sum()) if np.isfinite(right).all() else 0
    return [fact("not finite", name=name, count=count, size=got.size)] if count else []


def one_factor(name, both):
    """The result is a multiple of the right one, with one factor in all cases that are wrong."""
    if any(got.shape != right.shape or got.dtype == bool for got, right in both):
        return []
    a, b = (np.concatenate([arrays[i].ravel() for arrays in both]) for i in (0, 1))
    telling = np.isfinite(b) & (b != 0)
    factor = np.median(a[telling] / b[telling]) if len(np.unique(b)) >= ENOUGH else 0
    fits = factor and np.isfinite(factor) and alike(a, factor * b)
    return [fact("factor", name=name, factor=f"{factor:.4g}")] if fits else []


def row_sums(name, got, rights):
    """Rows that do not sum to 1, where all right ones do, and not only as whole numbers do."""
    shares = [r.ndim and (r >= 0).all() and np.allclose(r.sum(-1), 1, atol=1e-3) for r in rights]
    whole = not any((right % 1).any() for right in rights)
    if whole or not all(shares) or got.ndim != rights[0].ndim or not np.isfinite(got).all():
        return []
    sums = got.sum(-1)
    ends = " … ".join(dict.fromkeys(f"{x:.3g}" for x in (sums.min(), sums.max())))
    wrong = not np.allclose(sums, 1, atol=5e-3)  # float16 is as close as this
    return [fact("sums", name=name, sums=ends)] if wrong else []
