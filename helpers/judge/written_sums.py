"""The sum behind one cell of a right result: "weights[0, 1] = e^1 / (e^0 + e^1) = 0.73".

An exercise says step by step how its results are computed, in the language of pictures/sums.py:

    {"scores": "queries @ keys.T / sqrt(d_k)", "weights": "softmax(scores)",
     "context": "weights @ values"}

d_k is the dimension of the keys. If the exercise is causal, later scores take no part.
"""

import functools
import math

import numpy as np

from ..pictures.sums import evaluate, parse, terms


def opened(exercise, name, place, known):
    """[the sum behind the cell name[place] and, for a weight, the sum behind its score], or [].

    known   {name: array} of the inputs and the right results; if the steps give other results,
            there is no sum to show
    """
    if name not in exercise.sums or len(place) > 3:
        return []
    if len(place) == 3:  # select the sequence from the batch
        known = {n: a[place[0]] if a.ndim == 3 else a for n, a in known.items()}
    made, lines = {n: np.atleast_2d(a) for n, a in known.items()}, {}
    row, column = (0, *place)[-2:]
    for step, text in exercise.sums.items():
        numbers = {"d_k": made["keys"].shape[-1]} if "keys" in made else {}
        seen = dict(made)
        try:
            claim = parse(step, text, made, numbers)
            if exercise.causal and claim["kind"] == "softmax":
                later = np.triu(np.ones(made[claim["a"]].shape), 1) == 1
                seen[claim["a"]] = np.where(later, np.nan, made[claim["a"]])
            made[step] = evaluate(claim, seen, numbers)
            if step in known and not np.allclose(made[step], known[step], rtol=1e-3, atol=1e-3):
                return []
        except ValueError:  # sizes that do not fit, as where there are several heads
            return []
        lines[step] = functools.partial(_line, claim, seen, numbers)
        if step == name:
            behind = [claim["a"]] if claim["kind"] == "softmax" and claim["a"] in lines else []
            return [
                f"{one}{list(place)} = {lines[one](row, column)} = {short(made[one][row, column])}"
                for one in (name, *behind)
            ]
    return []


def _line(claim, matrices, numbers, row, column):
    """The arithmetic behind a cell: "(1·1 + 0·2) / √2", "e^1 / (e^0 + e^1)"."""
    found = terms(claim, matrices, row, column)
    if claim["kind"] == "softmax":
        own = matrices[claim["a"]][row, column]
        power = "0" if np.isnan(own) else f"e^{short(own)}"
        return f"{power} / ({' + '.join(f'e^{short(x)}' for (x,) in found)})"
    line = " + ".join(f"{short(x)}·{short(y)}" for x, y in found)
    return f"({line}) / √{numbers['d_k']}" if claim["root"] else line


def short(x):
    """A number as text: whole numbers without decimals, others with two."""
    return f"{x + 0.0:.4g}" if not math.isfinite(x) or x == round(x) else f"{x:.2f}"
