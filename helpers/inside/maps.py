"""Turns the calls that a watch saw into Layers for a view: which are shown, with which words."""

from collections.abc import Mapping
from itertools import pairwise

import torch

from .. import _, plural
from ..pictures.frames import to_array
from ..pictures.text import readable
from .layer import Layer, with_rollout
from .seeing import Call, fits, listed

SPACES = str.maketrans("Ġ▁", "␣␣")  # how tokenizers write the space before a word


def layers_of(seen, tokens, sequence=0, layers=None, heads=None):
    """A Layer for each call, in order; or, for a decoder with a cache, one for each layer.

    seen      what `watch` saw (its `calls`), or a dict of weights by name
    tokens    as in Inside
    sequence  index of the sequence in the batch, from 0; None for each of them
    layers    which layers: a name, its beginning ("encoder"), a pattern ("*.cross"), or a list of
              them
    heads     which heads: an index from 0, "average" or "maximum" if recorded, or a list

    Raises ValueError if nothing was seen, a selection matches nothing, batches differ, tokens do
    not fit, or a weight that would be shown is not finite.
    """
    if isinstance(seen, Mapping):
        given = ((str(name), _full(name, weights)) for name, weights in seen.items())
        calls = [Call(name, torch.from_numpy(weights)) for name, weights in given]
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
    heads = [heads] if isinstance(heads, int | str) else heads
    every = layers is None and heads is None and all(call.heads is None for call in calls)
    layers = []
    for one in range(len(calls[0].weights)) if sequence is None else [sequence]:
        labels = _labels(calls, _of_sequence(tokens, one))
        found = [_layer(call, one, heads, **words) for call, words in zip(calls, labels)]
        layers += with_rollout(found, calls) if every else found
    return layers


def words_of(tokens, inputs):
    """The tokens as they are or, for a tokenizer, those of each sequence among the inputs."""
    if not hasattr(tokens, "convert_ids_to_tokens"):
        return tokens
    first = inputs[0] if isinstance(inputs, tuple) else inputs
    given = inputs if isinstance(inputs, Mapping) else {"input_ids": first}
    found = [
        [tokens.convert_ids_to_tokens(ids) for ids in given[name].tolist()]
        for name in ("decoder_input_ids", "input_ids")
        if isinstance(given.get(name), torch.Tensor)
    ]
    if not found:
        text = _("a tokenizer needs inputs with input_ids; give the words: ")
        raise TypeError(text + "tokens=tokenizer.convert_ids_to_tokens(ids)")
    return tuple(found) if len(found) > 1 else found[0]


def _of_sequence(tokens, sequence):
    """The tokens of one sequence, where there is a list of them for each."""
    if isinstance(tokens, tuple) and len(tokens) == 2:
        return tuple(_of_sequence(x, sequence) for x in tokens)
    lists = isinstance(tokens, list) and tokens and all(isinstance(x, list) for x in tokens)
    return tokens[sequence] if lists and sequence < len(tokens) else tokens


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


def _layer(call, sequence, heads, rows, columns, numbered=False):
    """The Layer of a call, with these heads; rows are the words of all its queries."""
    name, weights = call.name, call.weights
    if type(sequence) is not int or not 0 <= sequence < len(weights):
        text = _("sequence={n!r}, but '{name}' saw a batch of {batch}; they count from 0.")
        raise ValueError(text.format(n=sequence, name=name, batch=len(weights)))
    weights = weights[sequence].detach()
    hidden = None if call.hidden is None else call.hidden.expand_as(call.weights)[sequence]
    if not all(x.isfinite() for x in torch.aminmax(weights)):  # else no entry need be looked at
        wrong = ~weights.isfinite()
        if (wrong if hidden is None else wrong & ~hidden).any():
            text = _(
                "'{name}' has weights to show that are not finite: look for a row in which "
                "every key is masked, or for NaN in the inputs."
            )
            raise ValueError(text.format(name=name))
    there = call.heads or tuple(range(len(weights)))
    asked = there if heads is None else tuple(heads)
    if not asked or not set(asked) <= set(there):
        text = _("heads has {heads}, but '{name}' has {there}.")
        few = f"0, …, {there[-1]}" if call.heads is None else listed(there)
        raise ValueError(text.format(heads=listed(asked), name=name, there=few))
    if asked != there:
        index = [there.index(x) for x in asked]
        weights, hidden = weights[index], None if hidden is None else hidden[index]
    rows = rows if call.queries is None else [rows[i] for i in call.queries]
    return Layer(name, call.step, sequence, asked, weights, hidden, rows, columns, numbered)


def _labels(calls, tokens):
    """{"rows": …, "columns": …, "numbered": …} for each call; ValueError if they do not fit."""
    tokens = _checked(tokens)
    for call in calls:
        queries, keys = call.asked, call.weights.shape[3]
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
    if len(words) - calls[-1].asked not in (0, 1):  # the last may not be read
        return False
    for one, two in pairwise(calls):
        rows, keys, more, others = one.asked, one.weights.shape[3], two.asked, two.weights.shape[3]
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
