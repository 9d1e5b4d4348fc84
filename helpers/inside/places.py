"""Where attention happens, and which of its axes is batch, heads, queries and keys.

Two things tell: how many heads a layer states, and the sizes of what the running layers were called
with. Where they do not, Refused is raised.
"""

import inspect
import math
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor, nn

from .. import _

HEADS = "num_heads num_attention_heads num_attn_heads n_heads n_head nheads nhead heads".split()
# Names of arguments for the other sequence, which the keys of cross-attention come from.
OTHERS = "context cross_attention_states key_value_states memory enc_output encoder_hidden_states"
OTHERS = {*OTHERS.split(), "encoder_out", "encoder_output", "encoder_outputs"}
CROSS = ("cross", "encdec", "enc_dec", "encoder_attn")  # in the name of a layer
NO_TOKENS = ("mask", "bias", "position", "past", "cache")  # in the name of an argument


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
        function = inspect.unwrap(self.module.forward)
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        names = code.co_varnames[: code.co_argcount] if code else ()
        names = [name for name in names if name != "self"]
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
            axes = x.shape[: x.dim() - x.is_floating_point()]  # without the features
            if len(axes) == 1:
                found.add((1, *axes))
            elif len(axes) == 2:
                found |= (
                    {tuple(axes), tuple(axes)[::-1]} if x.is_floating_point() else {tuple(axes)}
                )
            elif x.dim() == 4:  # a picture, with the channels last or first
                found |= {(len(x), math.prod(x.shape[1:3])), (len(x), math.prod(x.shape[2:]))}
        return found

    @cached_property
    def cached(self):
        """Whether it was called with a cache, or keeps one, as far as names show."""
        names = [name for name, x in self.given.items() if x is not None]
        names += [*vars(self.module), *self.module._buffers]
        return any("past" in name or "cache" in name for name in names)


def axes_of(stack, leading, queries, keys, split):
    """(batch, heads), which the axes before (queries, keys) are in this order.

    stack    the Places that are running, the outermost first
    leading  the sizes of these axes
    split    whether the values stand in memory as one vector for each key, cut into heads

    Raises Refused if it is not known which axis is which, or whether keys and queries are tokens.
    """
    axes = list(leading)
    while len(axes) > 2 and 1 in axes[1:]:  # an axis of size 1 changes nothing
        del axes[axes.index(1, 1)]
    stated = next((place.heads for place in reversed(stack) if place.heads), set())
    sizes = {pair for place in (stack if stated else stack[:1]) for pair in place.sizes}
    batches = {batch for batch, tokens in sizes or {(1, 1)}}
    fit = (x for x in _readings(axes, stated) if x[0] in batches or not axes)
    batch, heads = next(fit, (None, None))
    if batch is None:
        text = _(
            "batch and heads are not known among {axes} axes, of a layer that states {n} heads"
        )
        came, n = (" × ".join(map(str, x)) or "0" for x in (leading, stated))
        raise Refused(text.format(axes=came, n=n))
    tokens = {n for place in stack for first, n in place.sizes if first == batch}
    single = queries == 1 and (stated or heads == 1)  # one query may be a parameter
    cached = keys > queries and any(place.cached for place in stack)
    if not (queries in tokens or single) or not (keys in tokens or split or cached):
        text = _("its {queries} queries and {keys} keys are not known to be tokens of an input")
        raise Refused(text.format(queries=queries, keys=keys))
    return batch, heads


def _readings(axes, stated):
    """What these sizes may be as (batch, heads), the most likely first."""
    if not axes:
        return [(1, 1)]
    if len(axes) == 1:
        return [(axes[0] // n, n) for n in stated or (1, *axes) if axes[0] % n == 0]
    found = [tuple(axes), tuple(axes)[::-1]] if axes[0] == 1 else [tuple(axes)]
    return [x for x in found if len(x) == 2 and (not stated or x[1] in stated)]


def kind_of(stack, queries, keys):
    """ "self" or "cross"; None if names and inputs do not show it."""
    if any(word in stack[-1].name.rsplit(".", 1)[-1].lower() for word in CROSS):
        return "cross"
    # a layer without parameters was handed what another one has computed
    own = (x for x in reversed(stack) if next(x.module.parameters(), None) is not None)
    place = next(own, stack[-1])
    first, *more = place.inputs.values() or [None]
    others = [x for name, x in place.inputs.items() if name in OTHERS]
    if others := more[:1] if isinstance(place.module, nn.MultiheadAttention) else others:
        return "self" if all(same(x, first) for x in others) else "cross"
    alike = all(same(x, first) or (x.dtype, x.dim()) != (first.dtype, first.dim()) for x in more)
    fits = queries == keys or queries < keys and any(place.cached for place in stack)
    return "self" if first is not None and fits and alike else None


def same(one, two):
    """Whether these are the same vectors."""
    return one is two or one.shape == two.shape and torch.equal(one, two)
