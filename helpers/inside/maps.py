"""From the calls that a watch saw to the maps of a view: each head, and all heads of a layer in one."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from ..pictures.frames import to_array
from ..pictures.text import shortened
from .rollout import rollouts

CROSS = "cross"


@dataclass(frozen=True, eq=False)
class Layer:
    """What one layer's heads looked at, in one call.

    kind      "self" or "cross", None where it cannot be known
    step      which call of the layer, from 0
    by_steps  whether there were several: they may have seen fewer tokens than there are in the end
    weights   (heads, queries, keys), float32, NaN where hidden
    heads     the numbers of these heads in the layer, from 0
    average, maximum   over these heads, (queries, keys)
    rollout   (queries, keys), or why there is none
    """

    name: str
    kind: str | None
    step: int
    by_steps: bool
    weights: np.ndarray
    heads: tuple
    average: np.ndarray
    maximum: np.ndarray
    rollout: np.ndarray | str

    @property
    def stack(self):
        """Which layers it stands in line with: their names differ in numbers alone."""
        return re.sub(r"\d+", "*", self.name), self.kind

    @property
    def maps(self):
        """Its maps in order: each head, average, maximum, and rollout where there is one."""
        rolled = [] if isinstance(self.rollout, str) else [self.rollout]
        return [*self.weights, self.average, self.maximum, *rolled]


@dataclass(frozen=True)
class _Given:
    """Weights that nobody watched, in the form of a call."""

    name: str
    weights: object
    hidden: object = None
    kind: str | None = None
    step: int = 0
    heads: tuple | None = None


def layers_of(seen, sequence, layers=None, heads=None):
    """A Layer for each call, in order; or, of a model that writes with a cache, for each layer.

    seen      what `watch` saw (its `calls`), or a dict of weights by name
    sequence  which sequence of the batch, from 0
    layers    which are kept: a name, how it begins ("encoder"), a pattern ("*.cross"), a list of them
    heads     which are kept: a number from 0, or a list

    Raises ValueError where nothing was seen, a pick names nothing, or a weight in sight is not finite.
    """
    given = isinstance(seen, Mapping)
    every = [_Given(str(n), w) for n, w in seen.items()] if given else seen.calls
    steps = Counter(call.name for call in every)
    calls = every if given else _joined(seen, steps)
    if not calls:
        raise ValueError(
            "there are no weights to show. Inside(model, inputs, tokens) runs a model and watches it; "
            "weights of your own go in by name: {'my layer': weights}."
        )
    calls = _picked(calls, layers)
    heads = [heads] if type(heads) is int else heads
    arrays = [_weights(call, sequence) for call in calls]
    numbers = [call.heads or tuple(range(len(a))) for call, a in zip(calls, arrays)]
    if heads is not None:
        places = [_places(call.name, of, heads) for call, of in zip(calls, numbers)]
        arrays = [a[at] for a, at in zip(arrays, places)]
        numbers = [tuple(of[k] for k in at) for of, at in zip(numbers, places)]
    averages = [_over_heads(np.mean, a, 0) for a in arrays]
    whole = layers is None and heads is None and all(call.heads is None for call in calls)
    rolled = (
        rollouts(calls, averages)
        if whole
        else ["it needs all layers and all heads; leave out layers= and heads="] * len(calls)
    )
    maxima = [_over_heads(np.max, a, -np.inf) for a in arrays]
    rest = zip(calls, arrays, numbers, averages, maxima, rolled)
    return [Layer(c.name, c.kind, c.step, steps[c.name] > 1, *parts) for c, *parts in rest]


def begins(name, start):
    """Whether a layer's name begins so: with "encoder", "encoder.block.1" does, "encoder2" does not."""
    return name == start or name.startswith(f"{start}.")


def some(names, most=4):
    """The first of many names, in one line."""
    shown = ", ".join(shortened(str(name), 40) for name in list(names)[:most])
    return shown + (f", … ({len(names)} in all)" if len(names) > most else "")


def _joined(seen, steps):
    """The calls; of a model that writes with a cache, a word at a time, those of a layer as one."""
    if not any(steps[call.name] > 1 and call.kind == "self" for call in seen.calls):
        return seen.calls
    try:
        return [seen.joined(n) if steps[n] > 1 else seen.steps(n)[0] for n in steps]
    except ValueError:  # they do not go on from each other
        return seen.calls


def _over_heads(how, array, in_place_of_hidden):
    """All heads in one map; what one of them sees is not hidden."""
    hidden = np.isnan(array)
    together = how(np.where(hidden, in_place_of_hidden, array), axis=0)
    return np.where(hidden.all(0), np.nan, together).astype(np.float32)


def _weights(call, sequence):
    """(heads, queries, keys) of one sequence, NaN where hidden."""
    shape = tuple(np.shape(call.weights))
    if not 2 <= len(shape) <= 4 or 0 in shape:
        raise ValueError(
            f"'{call.name}' has weights of shape {shape}; expected (batch, heads, queries, keys), "
            "or the last two or three of these."
        )
    full = (1,) * (4 - len(shape)) + shape
    if type(sequence) is not int or not 0 <= sequence < full[0]:
        raise ValueError(
            f"sequence={sequence!r}, but '{call.name}' saw a batch of {full[0]}: give 0"
            + (f" to {full[0] - 1}." if full[0] > 1 else ".")
        )
    weights = call.weights[sequence] if len(shape) == 4 else call.weights
    array = to_array(call.name, weights).reshape(full[1:])
    hidden = np.zeros((), bool) if call.hidden is None else to_array("hidden", call.hidden) > 0
    hidden = np.broadcast_to(hidden, full)[sequence]
    if (bad := ~np.isfinite(array) & ~hidden).any():
        head, query, key = np.argwhere(bad)[0]
        raise ValueError(
            f"'{call.name}' has the weight {array[head, query, key]} in head {head}, query {query}, "
            f"key {key}. Weights in sight are finite numbers: look for a row that is masked throughout, "
            "or inputs that hold NaN."
        )
    return np.where(hidden, np.nan, array).astype(np.float32)


def _picked(calls, layers):
    if layers is None:
        return calls
    names = list(dict.fromkeys(call.name for call in calls))
    asked = [layers] if isinstance(layers, str) else list(layers)

    def fits(name, pick):
        return begins(name, pick) or fnmatchcase(name, pick)

    for pick in asked or [""]:
        if not any(fits(name, pick) for name in names):
            raise ValueError(f"layers has {pick!r}, but the layers are: {some(names)}.")
    return [call for call in calls if any(fits(call.name, pick) for pick in asked)]


def _places(name, numbers, heads):
    """Where the heads with these numbers are among those there are."""
    for head in heads or [None]:
        if head not in numbers:
            raise ValueError(
                f"heads has {head!r}, but '{name}' has {some(numbers, 16)}, counted from 0."
            )
    return [numbers.index(head) for head in heads]
