"""Which axis of weights is batch, heads, queries and keys, and whether keys are another sequence.

Two things tell: how many heads a layer states, and what the running layers were called with.
"""

import inspect
import math
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor, nn

from .. import _

HEADS = "num_heads num_attention_heads num_attn_heads n_heads n_head nheads nhead heads".split()
# In the name of an argument: it is the other sequence, of which the keys are; it holds no tokens.
OTHERS = ("context", "memory", "encoder", "enc_out", "key_value", "cross")
NO_TOKENS = ("mask", "bias", "position", "past", "cache")


class Refused(Exception):
    """Why a call of attention is not shown."""


@dataclass(eq=False)
class Place:
    """A layer that is running: its name in the model, and what it was called with."""

    name: str
    module: nn.Module
    args: tuple
    kwargs: dict

    @cached_property
    def given(self):
        """All its arguments, by name."""
        names = [*inspect.signature(self.module.forward).parameters]
        names += map(str, range(len(names), len(self.args)))
        return dict(zip(names, self.args)) | self.kwargs

    @cached_property
    def inputs(self):
        """The tensors among its arguments that may hold tokens or a picture, by name."""
        tensors = {k: v for k, v in self.given.items() if isinstance(v, Tensor)}
        return {k: v for k, v in tensors.items() if not any(word in k for word in NO_TOKENS)}

    @cached_property
    def heads(self):
        """The numbers of heads that the layer or its config states."""
        for home in (self.module, getattr(self.module, "config", None)):
            if found := {n for n in (getattr(home, x, None) for x in HEADS) if type(n) is int}:
                return found
        return set()

    @cached_property
    def sizes(self):
        """All readings of its inputs as (batch, tokens)."""
        found = set()
        for x in self.inputs.values():
            axes = tuple(x.shape[:-1]) if x.is_floating_point() else tuple(x.shape)
            if len(axes) == 1:
                found.add((1, *axes))
            elif len(axes) == 2:
                found |= {axes, axes[::-1] if x.is_floating_point() else axes}
            elif x.dim() == 4:  # a picture, with the channels last or first
                found |= {(len(x), math.prod(x.shape[1:3])), (len(x), math.prod(x.shape[2:]))}
        return found

    @cached_property
    def cached(self):
        """Whether it was called with a cache, or keeps one, as far as names show."""
        names = [name for name, x in self.given.items() if x is not None]
        names += [*vars(self.module), *self.module._buffers]
        return any("past" in name or "cache" in name for name in names)


def stated(stack):
    """How many heads the innermost layer states that states any; an empty set if none does."""
    return next((place.heads for place in reversed(stack) if place.heads), set())


def unknown(stack, weights, values):
    """The Refused of weights and values whose layout is not known."""
    text = _("weights {w} and values {v} are in no layout that is known; heads stated: {heads}")
    heads = ", ".join(map(str, stated(stack))) or "0"
    return Refused(text.format(w=tuple(weights.shape), v=tuple(values.shape), heads=heads))


def axes_of(stack, weights, values):
    """(batch, heads): what the axes before (queries, keys) of the weights are, in this order.

    Raises Refused if that is not known, or whether keys and queries are tokens.
    """
    *axes, queries, keys = weights.shape
    axes, heads = [n for n in axes if n != 1], stated(stack)
    count = math.prod(axes)  # batch times heads
    pairs = [(count // n, n) for n in heads or (1, *axes[-1:]) if count % n == 0]
    batches = {batch for place in (stack if heads else stack[:1]) for batch, _n in place.sizes}
    pairs = [x for x in pairs if x[0] in batches and (len(axes) < 2 or axes == [*x])]
    batch, n = pairs[0] if pairs else (None, None)
    tokens = {n for place in stack for first, n in place.sizes if first == batch}
    single = queries == 1 and (heads or n == 1)  # one query may be a parameter
    cached = keys > queries and any(place.cached for place in stack)
    # In memory, the features of a token are adjacent; if they are not, they may be the keys.
    turned = any(x.stride(-2) < x.stride(-1) for x in (weights, values))
    base = values if values._base is None else values._base
    if (
        not pairs
        or not (queries in tokens or single)
        or not (keys in tokens or cached)
        or values.dim() < weights.dim()
        or isinstance(base, nn.Parameter)  # a table, whose rows are no tokens
        or (turned and queries == keys == values.shape[-1] > 1)
    ):
        raise unknown(stack, weights, values)
    return batch, n


def kind_of(stack, queries, keys):
    """What a Call says of its kind; None if the inputs and their names do not show it."""
    # A layer without parameters was handed what another one has computed.
    place = next((x for x in reversed(stack) if [*x.module.parameters()]), stack[-1])
    first, *more = place.inputs.values() or [None]
    others = [x for name, x in place.inputs.items() if any(word in name for word in OTHERS)]
    if others := more[:1] if isinstance(place.module, nn.MultiheadAttention) else others:
        return "self" if all(x is first or torch.equal(x, first) for x in others) else "cross"
    more = [x for x in more if (x.dtype, x.dim()) == (first.dtype, first.dim())]
    alike = first is not None and all(x is first or torch.equal(x, first) for x in more)
    fits = queries == keys or queries < keys and any(place.cached for place in stack)
    return "self" if fits and alike else None
