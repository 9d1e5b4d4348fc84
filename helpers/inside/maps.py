"""Turns the calls that a watch saw into maps for a view: weights, hidden cells, words, rollout."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import torch

from .. import _, plural
from ..pictures.frames import to_array
from ..pictures.text import readable
from .seeing import Call, fits, listed

SPACES = str.maketrans("Ġ▁", "␣␣")  # how tokenizers write the space before a word


@dataclass(frozen=True, eq=False)
class Layer:
    """What the heads of one layer attended to, in one call.

    step      index of the call among those of the layer, from 0
    heads     indices of these heads in the layer, from 0
    weights   (heads, queries, keys), float32, NaN where hidden
    rows, columns   the words of the queries, and of the keys
    numbered  whether these are positions, because it is unknown which words they belong to
    rollout   (queries, keys), NaN where nothing is reached; None if there is none
    """

    name: str
    step: int
    heads: tuple
    weights: np.ndarray
    rows: list
    columns: list
    numbered: bool = False
    rollout: np.ndarray | None = None

    def map(self, head):
        """The weights of one head, the "average" or "maximum", or "rollout"; None if missing."""
        if head == "rollout":
            return self.rollout
        if head in ("average", "maximum"):  # a key that any head sees is not hidden
            seen = np.nan_to_num(self.weights)
            seen = seen.mean(0) if head == "average" else seen.max(0)
            return np.where(np.isnan(self.weights).all(0), np.nan, seen).astype(np.float32)
        return self.weights[self.heads.index(head)] if head in self.heads else None


def layers_of(seen, tokens, sequence=0, layers=None, heads=None):
    """A Layer for each call, in order; or, for a decoder with a cache, one for each layer.

    seen      what `watch` saw (its `calls`), or a dict of weights by name
    tokens    as in Inside
    sequence  index of the sequence in the batch, from 0
    layers    which layers: a name, its beginning ("encoder"), a pattern ("*.cross"), or a list of
              them
    heads     which heads: an index from 0, or a list

    Raises ValueError if nothing was seen, a selection matches nothing, batches differ, tokens do
    not fit, or a weight that would be shown is not finite.
    """
    if isinstance(seen, Mapping):
        calls = [Call(str(name), _full(name, weights)) for name, weights in seen.items()]
    else:
        calls = _joined(seen)
    if not calls or any(0 in call.weights.shape for call in calls):
        raise ValueError(_("there are no weights to show: run a model, or give weights by name."))
    calls = _picked(calls, layers)
    batches = {len(call.weights): call.name for call in calls}
    if len(batches) > 1:
        (one, first), (two, second), *_others = batches.items()
        text = _(
            "{first!r} has a batch of {one}, and {second!r} a batch of {two}. Windows and "
            "beams count as sequences, so it is not known which of them belong together; "
            "pick layers with the same batch, layers=[…]"
        )
        raise ValueError(text.format(one=one, first=first, two=two, second=second))
    heads = [heads] if type(heads) is int else heads
    found = [_layer(call, sequence, heads) for call in calls]
    found = [replace(x, **labels) for x, labels in zip(found, _labels(calls, found, tokens))]
    return _with_rollout(found, calls) if layers is None and heads is None else found


def _joined(seen):
    """The calls; with a decoder's cache, one token at a time, the calls of a layer become one."""
    calls = []
    for name in seen.weights:
        try:
            calls.append(seen.joined(name))
        except ValueError:  # they do not continue each other
            calls += seen.steps(name)
    return calls


def _full(name, weights):
    """The same weights with all four axes."""
    array = to_array(str(name), weights)
    if not 2 <= array.ndim <= 4:
        text = _("'{name}' has weights of shape {shape}; expected (batch, heads, queries, keys).")
        raise ValueError(text.format(name=name, shape=array.shape))
    return array[(None,) * (4 - array.ndim)]


def _picked(calls, layers):
    if layers is None:
        return calls
    asked = [layers] if isinstance(layers, str) else list(layers)
    for pick in asked or [""]:
        if not any(fits(call.name, pick) for call in calls):
            names = listed(dict.fromkeys(call.name for call in calls))
            text = _("layers has {pick!r}, but the layers are: {names}.")
            raise ValueError(text.format(pick=pick, names=names))
    return [call for call in calls if any(fits(call.name, pick) for pick in asked)]


def _layer(call, sequence, heads):
    """The Layer of a call, with these heads, and no words yet."""
    name, weights = call.name, call.weights
    if type(sequence) is not int or not 0 <= sequence < len(weights):
        text = _("sequence={n!r}, but '{name}' saw a batch of {batch}; they count from 0.")
        raise ValueError(text.format(n=sequence, name=name, batch=len(weights)))
    array, hidden = to_array(name, weights[sequence]), np.zeros((), bool)
    if call.hidden is not None:
        hidden = to_array("hidden", call.hidden.expand_as(weights)[sequence]) > 0
    if (~np.isfinite(array) & ~hidden).any():
        text = _(
            "'{name}' has weights to show that are not finite: look for a row in which "
            "every key is masked, or for NaN in the inputs."
        )
        raise ValueError(text.format(name=name))
    array = np.where(hidden, np.nan, array).astype(np.float32)
    numbers = tuple(range(len(array)) if heads is None else heads)
    if not numbers or not set(numbers) <= set(range(len(array))):
        text = _("heads has {heads}, but '{name}' has 0 to {last}, counted from 0.")
        raise ValueError(text.format(heads=listed(numbers), name=name, last=len(array) - 1))
    array = array[list(numbers)]
    return Layer(name, call.step, numbers, array, [], [])


def _labels(calls, layers, tokens):
    """{"rows": …, "columns": …, "numbered": …} for each call; ValueError if they do not fit."""
    tokens = _checked(tokens)
    for call, layer in zip(calls, layers):
        queries, keys = layer.weights.shape[1:]
        places = [str(i) for i in range(max(queries, keys))]
        numbered = {"rows": places[:queries], "columns": places[:keys]}
        if tokens is None:
            yield numbered
            continue
        crosses = call.kind == "cross" or call.kind is None and queries != keys
        down, across = _two(tokens, call.name, crosses, keys)
        apart = crosses and down is not across
        mine = [x for x in calls if x.name == call.name]
        if len(mine) > 1 and (len(down), len(across)) != (queries, keys):
            if not _asks_again(mine, down, apart):
                known = {"columns": across} if apart and len(across) == keys else {}
                yield numbered | known | {"numbered": True}
                continue
            down, across = down[:queries], across if apart else across[:keys]
        elif call.steps > 1 and len(down) == queries + 1:  # the last word is never a query
            down, across = down[:-1], across if apart else across[:-1]
        for words, count, what in (
            (down, queries, plural("{n} query", "{n} queries", queries)),
            (across, keys, plural("{n} key", "{n} keys", keys)),
        ):
            if len(words) != count:
                raise ValueError(_misfit(call.name, what, words, crosses))
        yield {"rows": down, "columns": across}


def _misfit(name, what, words, crosses):
    text = _(
        "'{name}' has {what}, but {n} tokens were given for them ({some}). Give the "
        "tokens as the model saw them, including special ones such as [CLS]; a "
        "tokenizer gives them as tokenizer.convert_ids_to_tokens(ids)."
    )
    text = text.format(name=name, what=what, n=len(words), some=listed(words))
    return text + (_(" For two sequences, give (the decoder's, the encoder's).") if crosses else "")


def _asks_again(calls, words, apart):
    """Whether each step of a layer begins with the words of the step before, as without a cache.

    Each step must be in a forward of its own, and its keys must begin with those of the step
    before. This is not so if a layer reads one text after another, or a text in parts.
    """
    if len({x.run for x in calls}) < len(calls):
        return False
    if len(words) - calls[-1].weights.shape[2] not in (0, 1):  # the last may not be read
        return False
    for one, two in pairwise(calls):
        (rows, keys), (more, others) = one.weights.shape[2:], two.weights.shape[2:]
        grows = rows < more and (keys == others if apart else keys == rows and others == more)
        if not grows or len(one.tags) != len(two.tags):
            return False
        if not torch.allclose(one.tags, two.tags[:, :keys], rtol=1e-3, atol=1e-4):
            return False
    return True


def _checked(tokens):
    """(words of the decoder, of the encoder), the same list twice for one sequence; or None."""
    if tokens is None:
        return None
    if isinstance(tokens, tuple) and len(tokens) == 2 and not isinstance(tokens[0], (str, int)):
        return tuple(_checked(x)[0] for x in tokens)
    if isinstance(tokens, str | Mapping) or not hasattr(tokens, "__len__"):
        text = _(
            'tokens={given!r} is not a list of words; write tokens=["Hello", …], or for two sequences'
            " tokens=(the decoder's, the encoder's)."
        )
        raise TypeError(text.format(given=tokens))
    words = [readable(word).translate(SPACES) for word in tokens]
    return words, words


def _two(tokens, name, crosses, keys):
    """(words of the queries, words of the keys) for a layer of this name."""
    decoder, encoder = tokens
    if crosses or decoder is encoder:
        return tokens
    mine = [x for x, who in ((decoder, "decoder"), (encoder, "encoder")) if who in name.lower()]
    if not mine and len(decoder) != len(encoder):
        mine = [encoder if len(encoder) == keys else decoder]
    if not mine:
        text = _("'{name}' may belong to either sequence. Pick it alone, layers={name!r}, and give")
        raise ValueError(text.format(name=name) + _(" the tokens of the one that it belongs to."))
    return mine[0], mine[0]


def _with_rollout(layers, calls):
    """The same layers with rollout, for self-attention through several layers.

    The averages of a stack's layers up to this one are multiplied, each mixed half and half with
    the identity, which stands for the residual connection: R = (W/2 + I/2) R of the layer below
    (Abnar and Zuidema, 2020, section 3). Layers form a stack if their names differ only in numbers.
    """
    stacks = [(re.sub(r"\d+", "*", x.name), x.step, x.weights.shape[1:]) for x in layers]
    count, below, found = Counter(stacks), {}, []
    for layer, call, stack in zip(layers, calls, stacks):
        average = layer.map("average")
        if call.kind == "cross" or len(average) != len(average.T) or count[stack] < 2:
            found.append(layer)
            continue
        own = np.eye(len(average), dtype=bool)
        mixed = np.nan_to_num(average) / 2 + own / 2
        mixed /= mixed.sum(1, keepdims=True)  # a query without keys has only its own half
        reached = ~np.isnan(average) | own
        if stack in below:
            lower, heard = below[stack]
            mixed, reached = mixed @ lower, reached.astype(np.float32) @ heard > 0
        below[stack] = mixed, reached
        rolled = np.where(reached, mixed, np.nan).astype(np.float32)
        found.append(replace(layer, rollout=rolled))
    return found
