"""The mark of what comes from a softmax, and what is kept where it meets its values."""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from .. import _
from .seeing import far, wide


@dataclass
class Softmax:
    """One softmax that ran: in which layer, how many numbers it gave, and what met values.

    axes  over which axes, from the end, values were summed with all of it
    met   whether any part of it was multiplied with values
    """

    name: str
    size: int
    axes: set = field(default_factory=set)
    met: bool = False


@dataclass
class Mark:
    """What is known of a tensor that comes from a softmax.

    along    of its shape, counts along the axis of the softmax, and takes no memory: whatever is
             done to the shape is done to it, too, and so it tells where that axis went
    hidden   booleans of its shape, True = hidden, or None
    dropout  the share that was dropped
    softmax  where it comes from; None after exp, before the division by the sum
    values   of a product of weights and values that is not summed yet: both
    """

    along: Tensor | None
    hidden: Tensor | None = None
    dropout: float = 0.0
    softmax: Softmax | None = None
    values: tuple | None = None

    @property
    def axis(self):
        """Where the axis of the softmax is, from the end; None if that is lost."""
        strides, sizes = self.along.stride(), self.along.shape
        axes = [d - len(sizes) for d, n in enumerate(sizes) if n > 1 and strides[d]]
        return axes[0] if len(axes) == 1 else None if axes else -1


def mark_softmax(watch, result, axis, hidden):
    along = torch.arange(result.shape[axis])
    along = along.view([-1 if i == axis % result.dim() else 1 for i in range(result.dim())])
    softmax = Softmax(watch.stack[-1].name, result.numel())
    watch.softmaxes.append(softmax)
    watch.marks[result] = Mark(along.expand(result.shape), hidden, softmax=softmax)


def weights_among(watch, values):
    """The mark of the first of these that are weights; None if none is."""
    found = (watch.marks.get(x) for x in values if isinstance(x, Tensor))
    return next((mark for mark in found if mark and mark.softmax and not mark.values), None)


def keep_product(watch, mark, weights, values, used, hidden, single=False, layout=None):
    """weights (…, queries, keys), values (…, keys, d_v), used (…, queries, d_v), leading alike.

    single  whether there was no axis of queries, and what stands first might be that
    layout  of batch and heads, where letters told it

    Weights and values may be of one dimension: one query, or values of one number.
    """
    if values.dim() == 1:
        values, used = values[:, None], used.unsqueeze(-1)
    if weights.dim() == 1:
        weights, used = weights[None], used.unsqueeze(-2)
        hidden = None if hidden is None else hidden[None]
    place, softmax = watch.place(), mark.softmax
    if place is None:
        return
    if weights.numel() == softmax.size:
        if mark.axis in softmax.axes:  # the same weights weigh positions, too
            return
        softmax.axes.add(mark.axis)
    queries, keys = weights.shape[-2:]
    layout = layout or place.layout(used.shape[:-2], queries, keys)
    doubts = [*layout.doubts, *place.doubts(layout, queries, keys, values, single)]
    softmax.met = True
    weights, values, used, hidden = (
        x if x is None else layout.four(x.detach()) for x in (weights, values, used, hidden)
    )
    picked, kind = watch.picked(place, layout.heads), wide(weights.dtype)
    tags = values[:, 0, :, 0]
    if picked is not None:
        weights, values, used, hidden = (
            x if x is None else x[:, list(picked)] for x in (weights, values, used, hidden)
        )
    watch.room(place, weights.shape, kind)
    weights, values = weights.to(kind, copy=True), values.to(kind)
    sums = weights.sum(-1)
    if not mark.dropout and ((sums - 1).abs() > 1e-2).logical_and(sums != 0).any():
        text = _(
            "its rows add up to {least:.2g} to {most:.2g}, not to 1: the softmax ran over another"
            " axis, or weights were changed or cut behind it"
        )
        doubts.append(text.format(least=sums.min(), most=sums.max()))
    error = far(weights @ values, used, values)
    known = {"error": error, "dropout": mark.dropout, "dtype": used.dtype}
    watch.keep(place, weights, hidden, tags, doubts, **known)
