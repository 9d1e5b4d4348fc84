"""The facts that are told of a wrong answer, in words: what was observed, and what to ask oneself."""

import math
from dataclasses import dataclass
from fractions import Fraction

from .. import _

FACTS = {  # kind → the observation, and the question that it leads to
    "zero gradient": _("The gradient of {names} is 0.\nWhat cuts the way back from the result?"),
    "gradients": _(
        "The gradient of {right} is right, that of {wrong} is not.\nWhat differs on the way back?"
    ),
    "not finite": _(
        "{count} of {size} numbers of {name} are not finite.\n"
        "Where is a division by 0, ∞ / ∞, 0 · ∞, ∞ − ∞, or a root or logarithm of too small a number?"
    ),
    "same result": _("Your {a} and your {b} are the same.\nWhich line makes {a}?"),
    "some right": _("{right} is right, {wrong} is not.\nIs {wrong} made from {right} in yours?"),
    "other result": _("Your {a} is what is expected as {b}.\nIn which order are they expected?"),
    "exchanged": _("The result is right if {a} and {b} change places.\nWhere do you use {a}?"),
    "in place of": _("The result is right with {b} in the place of {a}.\nWhere do you use {a}?"),
    "factor": _("{name} is {factor} times what is expected.\nWhere does {known} come from here?"),
    "scores": _(
        "{name} comes from scores {factor} times as large as expected.\n"
        "Where does {known} come from?"
    ),
    "shift": _("{name} is off by {shift:+.4g} everywhere.\nWhat is added, or left out?"),
    "an input": _("{name} is {part} {how}.\nWhich step is missing, or not needed?"),
    "expected": _("{name} is what is expected, {how}.\nWhich step of yours does that?"),
    "right once": _("{name} would be right {how}.\nWhat is missing, or too much?"),
    "order": _("{name} has the right numbers, in the wrong cells.\nWhich step moves them?"),
    "measured": _("{lines}.\nWhich line of yours decides that?"),
    "no influence": _("{name} does not change when {part} {how}.\nWhere should {part} come in?"),
    "no influence here": _(
        "In this case, {name} does not change when {part} {how}.\nWhat does {part} decide in yours?"
    ),
    "influence": _(
        "In this case, {name} should not change when {part} {how}.\nWhat do you do with {part}?"
    ),
    "not 0": _("{count} entries of {name} should be 0 and are not.\nWhich step makes them 0?"),
    "sums": _("Rows of {name} sum to {sums}, not to 1.\nWhat do you divide by, along which axis?"),
    "moved": _(
        "In this case, {out} changes with {part}, and should not.\nWhich step brings them together?"
    ),
    "not moved": _(
        "In this case, {out} does not change with {part}, and should.\nWhat lies between the two?"
    ),
    "right for": _("The result is right with {part} {how}.\nWhat do you do with {part}?"),
    "side": _("{name} is right except {side} its diagonal.\nWhat is different there?"),
    "axis": _("{name} has no axis as long as axis {axis} of {part}.\nWhat becomes of this axis?"),
    "axis too many": _(
        "{name} has an axis as long as axis {axis} of {part}, and should have none.\n"
        "Where must this axis be summed over, or cut?"
    ),
    "times": _("It must be {count} times as large.\nWhat is there {count} times?"),
    "too often": _("It is {count} times too large.\nWhat do you count too often?"),
    "parts": _(
        "It is off by {count} times {part} ({size:,}).\nWhere do these belong, and where not?"
    ),
    "remark": "{says}\n",
    "one change": _(
        "One change in line {line} makes everything right, at: {text}\nWhat does this do here?"
    ),
    "where": _("{cell} is right for i = {right}, wrong for i = {wrong}.\nWhat sets them apart?"),
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


def called(factor):
    """The factor as a number, with its name if it has one, as √3 or 1/2 has."""
    number, known = f"{factor:.4g}", known_factor(factor)
    text = number if known in ("", number) else f"{number} ({known})"
    return {"factor": text, "known": known or number, "value": float(factor)}


def known_factor(factor, within=1e-4):
    """The name of a factor such as √3 or 1/2, whose square is a small fraction; else ""."""
    factor = float(factor)
    square = Fraction(factor**2).limit_denominator(64)
    over, under = square.as_integer_ratio()
    roots = [math.isqrt(n) for n in (over, under)]
    whole = [n * n for n in roots] == [over, under]
    small = whole or 1 in (over, under) or under < 8
    if not small or not math.isclose(square, factor**2, rel_tol=within):
        return ""
    name = str(Fraction(*roots)) if whole else f"√{square}" if under == 1 else f"√({square})"
    return "-"[factor > 0 :] + name
