"""What a watch is not sure of, in words: axes have no names, and a softmax may weigh anything.

Weights times values are what the model used in any case; whether these are places that look at
places, sizes alone can tell.
"""

from math import prod

from torch import nn

AXES = "which axis is batch and which is heads, nothing tells: batch is taken to stand first"


def of_values(place, values, batch):
    """Of values (…, keys, d_v): why they may be no tokens; "" if they are as many as some."""
    base = values if values._base is None else values._base
    if isinstance(base, nn.Parameter):
        return "its values are a parameter: its keys are rows of a table, not tokens"
    keys, counts = values.shape[-2], _tokens(place, batch)
    if not counts or keys in counts or _cached(place):
        return ""
    return (
        f"{keys} keys, and no input of this layer has {keys} tokens: they may be classes, features"
        " or experts"
    )


def of_heads(place, batch, heads, queries, keys, single=False):
    """Of a single query: why its heads may be queries; "" if they are not as many as some tokens.

    single  whether it has no axis of its own, so that heads may be queries just as well

    Raises ValueError if there are as many, and either that is so, or the keys are no tokens: then
    each query has its own, such as its neighbours, or the experts that it is sent to.
    """
    if queries > 1 or heads == 1:
        return ""
    counts = _tokens(place, batch)
    own = keys not in counts and not _cached(place)
    if heads in counts and (single or own) or single and heads == keys:
        raise ValueError(
            f"it multiplies {batch} × {heads} × {keys} weights with values, and whether {heads} are"
            " heads or queries, the shapes do not tell; give the queries an axis that the values do"
            " not have"
        )
    return f"{heads} heads or queries, the shapes do not tell" if heads in counts else ""


def _cached(place):
    return any(each.caches for each in _around(place))


def _around(place):
    """The layer that is running, and those that it is called in, from the inside out."""
    while place is not None:
        yield place
        place = place.outer


def _tokens(place, batch):
    """What may be numbers of tokens, or of places of a picture, among the sizes of all inputs."""
    counts = set()
    for each in _around(place):
        for name, x in each.inputs.items():
            if "mask" in name or "bias" in name:  # as many as there are heads, perhaps
                continue
            sizes = list(x.shape[:-1] if x.is_floating_point() and x.dim() < 4 else x.shape)
            if batch in sizes:
                sizes.remove(batch)
            starts = range(len(sizes))
            counts |= {prod(sizes[i : j + 1]) for i in starts for j in starts[i:]}
    return counts
