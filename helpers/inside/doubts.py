"""What the sizes of a call of attention do not show, in words: even whether its keys are tokens."""

import math

from torch import nn

from .. import _


def doubts(place, layout, queries, keys, values, weights=None, single=False):
    """Reasons why rows or columns may not be tokens, and heads not heads; a list of messages.

    weights  those of a product that is written out; None for a kernel, whose axes are known
    single   whether the product had no axis of queries, so that heads may be queries as well

    Raises ValueError if the heads of one query may really be as many queries, each with keys of
    its own, such as its neighbours, or the experts to which it is routed.
    """
    heads, owner = layout.heads, place.owner
    if isinstance(place.module, nn.MultiheadAttention):
        return []
    untold = queries == 1 < heads and heads not in owner.heads
    counts, found = _counts(place, layout.batch), []
    known = keys in counts or place.cached
    if untold and (single and heads == keys or heads in counts and (single or not known)):
        text = _(
            "it multiplies {sizes} weights with values, and the shapes do not show whether "
            "{heads} are heads or queries; give the queries an axis that the values do not "
            "have"
        )
        raise ValueError(text.format(sizes=f"{layout.batch} × {heads} × {keys}", heads=heads))
    if untold and heads in counts:
        found.append(_("the shapes do not show whether {n} are heads or queries", n=heads))
    if queries not in counts and heads * queries in counts and heads not in owner.heads:
        found.append(_("the shapes do not show whether {n} are heads or blocks", n=heads))
    lengths, both = {n for _, n in owner.sequences}, {layout.batch, heads}
    if heads > 1 and queries not in lengths and any(both == set(x) for x in owner.sequences):
        found.append(_("the shapes do not show whether {n} are heads or tokens", n=heads))
    found += _features(owner, queries, keys, values, weights)
    if weights is None:
        return found
    none = _("{n} {what}, but no input of this layer has {n} tokens: they may be {else_}")
    if isinstance(values if values._base is None else values._base, nn.Parameter):
        found.append(_("its values are a parameter, so its keys are rows of a table"))
    elif counts and not known and not _split(layout, values):
        kinds = _("classes, features or experts")
        found.append(none.format(n=keys, what=_("keys"), else_=kinds))
    if queries > 1 and counts and queries not in counts:
        found.append(none.format(n=queries, what=_("queries"), else_=_("features")))
    of_inputs = [tuple(x.shape[:-1]) for x in owner.inputs.values() if x.dim() == 4]
    if heads > 1 and heads not in owner.heads and (layout.batch, heads, keys) in of_inputs:
        found.append(_("the shapes do not show whether {n} are heads or tokens", n=heads))
    return found


def _features(owner, queries, keys, values, weights):
    """Messages: features may be taken for tokens, or tokens for features.

    If there are equally many, memory decides: the components of one token are adjacent.
    """
    size = values.shape[-1]
    pictures = [x.shape for x in owner.inputs.values() if x.dim() == 4]
    tokens = {n for x in pictures for n in (x[1] * x[2], x[2] * x[3])}
    tokens |= {n for _, n in owner.sequences}
    if queries == keys == size > 1:
        apart = [x for x in (values, weights) if x is not None and x.stride(-2) < x.stride(-1)]
        said = _("there are as many tokens as features ({n}), and either may be the keys")
        return [said.format(n=size)] if apart else []
    if size > 1 and size in tokens and not tokens & {queries, keys} and not owner.cached:
        said = _("{n} keys may be channels: its values have as many features as there are tokens")
        return [said.format(n=keys)]
    return []


def _split(layout, values):
    """Whether each key has one vector in memory, of which heads are parts, as that of a token."""
    if values.dim() != 4 or tuple(values.shape[:2]) != tuple(layout.leading):
        return False
    apart, (rows, features) = values.stride(0 if layout.heads_first else 1), values.stride()[-2:]
    return features == 1 and apart == values.shape[-1] and rows == apart * layout.heads


def _counts(place, batch):
    """Possible numbers of tokens, or of pixels, from the sizes of all inputs."""
    counts = set() if place.outer is None else _counts(place.outer, batch)
    for name, x in place.inputs.items():
        sizes = list(x.shape[:-1] if x.is_floating_point() and x.dim() < 4 else x.shape)
        # these two sizes also count sequences
        first = (0, 1) if batch not in sizes and len(sizes) > 1 else None
        if batch in sizes:
            sizes.remove(batch)
        spans = ((i, j) for j in range(len(sizes) + 1) for i in range(j))
        if "mask" not in name and "bias" not in name:  # their sizes may include the heads
            counts |= {math.prod(sizes[i:j]) for i, j in spans if (i, j) != first}
    return counts
