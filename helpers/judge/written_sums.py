"""The sum behind one cell of a right result: "weights[0, 1] = e^1 / (e^0 + e^1) = 0.73".

An exercise says step by step how its results are computed:

    {"scores": "queries @ keys.T / √keys", "weights": "softmax(scores)",
     "context": "weights @ values"}

√keys is the root of the dimension of a key; softmax(causal scores) applies the causal mask.
"""

import math
import re

import numpy as np

PRODUCT = re.compile(r"(\w+) @ (\w+)(\.T)?(?: / √(\w+))?")
SOFTMAX = re.compile(r"softmax\((causal )?(\w+)\)")


def opened(sums, name, place, known):
    """[the sum behind the cell name[place] and, for a weight, the sum behind its score], or [].

    known   {name: array} of the inputs and the right results; if the steps give other results,
            there is no sum to show
    """
    cell, lines = list(place), {}
    if len(place) == 3:  # select the sequence from the batch
        known = {key: a[place[0]] if a.ndim == 3 else a for key, a in known.items()}
        place = place[1:]
    made = dict(known)
    for step, text in sums.items() if name in sums and len(place) < 3 else ():
        try:
            made[step], line = _step(text, made, place if step in (name, "scores") else None)
        except (ValueError, KeyError, IndexError):
            return []
        if step in known and not np.allclose(made[step], known[step], rtol=1e-3, atol=1e-3):
            return []
        if line:
            lines[step] = f"{step}{cell} = {line} = {short(made[step][place])}"
        if step == name:
            behind = "scores" if SOFTMAX.fullmatch(text) and "scores" not in known else name
            return [lines[key] for key in dict.fromkeys((name, behind))]
    return []


def _step(text, made, place):
    """(the array that a step gives, the sum behind the cell at this place or "")."""
    line = ""
    if form := SOFTMAX.fullmatch(text):
        scores = made[form[2]]
        if form[1]:
            scores = np.where(np.triu(np.ones(scores.shape[-2:]), 1) == 1, -np.inf, scores)
        e = np.exp(scores - scores.max(-1, keepdims=True))
        if place:
            powers = [f"e^{short(x)}" if np.isfinite(x) else "0" for x in scores[place[:-1]]]
            line = f"{powers[place[-1]]} / ({' + '.join(p for p in powers if p != '0')})"
        return e / e.sum(-1, keepdims=True), line
    a, b, turned, root = PRODUCT.fullmatch(text).groups()
    left, right = made[a], made[b].T if turned else made[b]
    divisor = made[root].shape[-1] if root else 1
    if place:
        row = left if left.ndim == 1 else left[place[0]]
        column = right if right.ndim == 1 else right[:, place[-1]]
        line = " + ".join(f"{short(x)}·{short(y)}" for x, y in zip(row, column))
        line = f"({line}) / √{divisor}" if root else line
    return left @ right / math.sqrt(divisor), line


def short(x):
    """A number as text: whole numbers without decimals, others with two."""
    return f"{x + 0.0:.4g}" if not math.isfinite(x) or x == round(x) else f"{x:.2f}"
