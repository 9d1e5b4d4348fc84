"""The mark of a tensor that comes from a softmax, and what is kept where it meets its values."""

from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from . import doubts
from .beside import far, wide


@dataclass
class Mark:
    """What is known of a tensor that comes from a softmax.

    along    of its shape, counts along the axis of the softmax, and takes no memory: whatever is
             done to the shape is done to it, too, and so it tells where that axis went
    hidden   booleans of its shape, True = hidden, or None
    dropout  the share that was dropped
    whole    whether the softmax is done: False after exp, before the division by the sum
    size     how many numbers the softmax gave
    used     over which axes, from the end, values were summed with all of it: what derives from
             one softmax shares this set
    """

    along: Tensor | None
    hidden: Tensor | None = None
    dropout: float = 0.0
    whole: bool = True
    size: int = 0
    used: set = field(default_factory=set)

    @property
    def axis(self):
        """Where the axis of the softmax is, from the end; None if that is lost."""
        strides = self.along.stride()
        axes = [
            d - len(strides) for d, size in enumerate(self.along.shape) if size > 1 and strides[d]
        ]
        return axes[0] if len(axes) == 1 else None if axes else -1


def counted(shape, axis):
    """Counts along this axis, in this shape, without memory for the others."""
    count = torch.arange(shape[axis])
    sizes = [1] * len(shape)
    sizes[axis] = -1
    return count.view(sizes).expand(shape)


def marked(watch, *values):
    """The mark of the first of these that has one."""
    marks = (watch.marks.get(x) for x in values if isinstance(x, Tensor))
    return next((mark for mark in marks if mark is not None), None)


def one_by_one(watch, function, args, kwargs, result):
    """What changes numbers one by one: the result is weights still, or that of an unsure call."""
    if not isinstance(result, Tensor):
        return
    for x in (*args, *kwargs.values()):
        if isinstance(x, Tensor) and x in watch.unsure and x.shape == result.shape:
            number, leading, strides = watch.unsure[x]
            if strides == x.stride():  # else its axes were moved, and a copy's do not tell
                watch.unsure[result] = number, leading, result.stride()
    mark = marked(watch, *args, *kwargs.values())
    if mark is None or not mark.whole:
        return
    if result.shape == mark.along.shape:  # else weights were spread over something larger
        watch.marks[result] = mark


def kept(watch, mark, weights, values, used, result=None, told=False, single=False):
    """weights (…, queries, keys), values (…, keys, d_v), used (…, queries, d_v), leading alike.

    result  what the model got, if what it does next can tell which axis is batch
    told    whether it is known that batch stands first, and heads last
    single  whether there was no axis of queries, and what stands first might be that

    Raises ValueError where queries cannot be told from heads.
    """
    place = watch.place()
    if place is None or _used_again(mark, weights):
        return
    if not told:
        mark, weights, values, used = _blocks_first(place, mark, weights, values, used)
    hidden = mark.hidden
    weights, used = weights.detach(), used.detach()
    leading, (queries, keys) = used.shape[:-2], weights.shape[-2:]
    untold = () if told else leading
    turned = not told and place.heads_first(leading, queries, keys)
    if turned:
        weights, values, used, hidden = (
            x if x is None else x.expand(*leading, *x.shape[-2:]).transpose(0, 1)
            for x in (weights, values, used, hidden)
        )
        leading = used.shape[:-2]
    batch, heads = place.batch_and_heads(leading, queries, keys)
    doubt = (
        doubts.of_heads(place, batch, heads, queries, keys, single),
        "" if watch.goes_on(place, queries, keys) else doubts.of_values(place, values, batch),
    )
    values = values.detach()
    picked = watch.picked(place, heads)

    def four(x):
        x = x.expand(*leading, *x.shape[-2:]).reshape(batch, heads, *x.shape[-2:])
        return x if picked is None else x[:, list(picked)]

    kind = wide(weights.dtype)
    watch.room(place, (batch, len(picked) if picked else heads, queries, keys), kind)
    hidden = None if hidden is None else four(hidden)
    weights = four(weights).to(kind, copy=True)
    values = four(values).to(kind)
    known = {"error": far(weights @ values, four(used), values), "dtype": used.dtype}
    known |= {"dropout": mark.dropout, "doubts": doubt}
    watch.keep(place, weights, hidden, result, untold, **known)


def _used_again(mark, weights):
    """Whether all of a softmax was multiplied with values before, and now is with others.

    So it is with values that stand for relative positions: the weights are the same.
    """
    if weights.numel() != mark.size:
        return False
    again = mark.axis in mark.used
    mark.used.add(mark.axis)
    return again


def _blocks_first(place, mark, weights, values, used):
    """The same, with blocks of queries brought from behind the heads to the batch."""
    leading, (queries, keys) = used.shape[:-2], weights.shape[-2:]
    batch = place.batch_of_blocks(leading, queries, keys)
    if batch is None:
        return mark, weights, values, used

    def apart(x):
        x = x.expand(*leading, *x.shape[-2:])
        return x.reshape(batch, -1, leading[-1], *x.shape[-2:]).transpose(1, 2)

    hidden = None if mark.hidden is None else apart(mark.hidden)
    return replace(mark, hidden=hidden), apart(weights), apart(values), apart(used)
