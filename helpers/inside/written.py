"""Attention that is written out in Python: a softmax, perhaps dropout, a product with the values.

The result of a softmax is marked, and the mark follows operations that only change its entries one
by one (dropout, another dtype) or its shape. If a marked matrix is multiplied with another one,
these are weights and values, and the product is what the model uses. Products are `@` and its
relatives, and einsum, whose letters name the axes.
"""

from dataclasses import dataclass, field, replace
from string import ascii_uppercase

import torch
from torch import Tensor
from torch.nn import functional as F

from .. import _
from .doubts import doubts
from .fused import low, wide
from .picking import part


@dataclass
class Softmax:
    """One softmax that ran: its layer, its number of entries, its length, and the axes on which it
    met values.

    spread  whether a column of its weights multiplied something entry by entry, as before a sum
    """

    name: str
    size: int
    length: int
    axes: set = field(default_factory=set)  # counted from the end
    spread: bool = False


@dataclass
class Mark:
    """What is known about a tensor that comes from a softmax.

    along    a tensor of its shape that counts along the axis of the softmax and takes no memory:
             every change of shape is applied to it, too, and so it shows where that axis went
    hidden   booleans of its shape, True = hidden, or None
    softmax  the softmax it comes from
    dropout  the share that was dropped
    """

    along: Tensor
    hidden: Tensor | None
    softmax: Softmax
    dropout: float = 0.0

    @property
    def axis(self):
        """Where the axis of the softmax is, counted from the end; None if it was lost."""
        strides, sizes = self.along.stride(), self.along.shape
        axes = [d - len(sizes) for d, n in enumerate(sizes) if n > 1 and strides[d]]
        return axes[0] if len(axes) == 1 else None if axes else -1

    def moved(self, change):
        """The mark after a change of shape."""
        hidden = None if self.hidden is None else change(self.hidden)
        return replace(self, along=change(self.along), hidden=hidden)


def _among(watch, values):
    """The mark of the first of these tensors that are weights; None if none is."""
    found = (watch.marks.get(x) for x in values if isinstance(x, Tensor))
    return next((mark for mark in found if mark), None)


def softmax(watch, function, args, kwargs, result):
    scores = kwargs.get("input", args[0] if args else None)
    axis = kwargs.get("dim", args[1] if len(args) > 1 else None)
    if isinstance(axis, int) and scores.dim():
        along = torch.arange(result.shape[axis])
        along = along.view([-1 if i == axis % result.dim() else 1 for i in range(result.dim())])
        ran = Softmax(watch.stack[-1].name, result.numel(), result.shape[axis])
        watch.softmaxes.append(ran)
        watch.marks[result] = Mark(along.expand(result.shape), low(scores, axis), ran)


def _one_by_one(watch, function, args, kwargs, result):
    """An operation that changes entries one by one: the result still is weights."""
    mark = _among(watch, (*args, *kwargs.values()))
    if mark and isinstance(result, Tensor):
        if result.shape == mark.along.shape:
            watch.marks[result] = mark
        elif mark.softmax and mark.axis == -2 and mark.along.shape[-1] == 1:
            mark.softmax.spread = True


def _dropout(watch, function, args, kwargs, result):
    mark = _among(watch, (*args, *kwargs.values()))
    if mark:
        share = kwargs.get("p", args[1] if len(args) > 1 else 0.5)
        on = kwargs.get("training", kwargs.get("train", args[2] if len(args) > 2 else True))
        watch.marks[result] = replace(mark, dropout=float(share)) if on else mark


def _reshape(watch, function, args, kwargs, result):
    """Apply the same change of shape to the mark."""
    mark = _among(watch, args[:1])
    if mark:
        watch.marks[result] = mark.moved(lambda x: function(x, *args[1:], **kwargs))


def _cut(watch, function, args, kwargs, result):
    """Parts of a result of attention, whose heads may be cut from the batch."""
    mark = _among(watch, args[:1])
    if mark and not mark.softmax:
        for part, along in zip(result, function(mark.along, *args[1:], **kwargs)):
            watch.marks[part] = replace(mark, along=along)


def _join(watch, function, args, kwargs, result):
    """Parts of a result of attention that are joined again."""
    marks = [watch.marks.get(x) for x in (args[0] if args else kwargs["tensors"])]
    if all(marks) and not any(mark.softmax for mark in marks):
        parts = [mark.along for mark in marks]
        watch.marks[result] = marks[0].moved(lambda _: function(parts, *args[1:], **kwargs))


def _keep(watch, mark, weights, values, used, hidden, single=False, across=False):
    """weights (…, queries, keys), values (…, keys, d_v), used (…, queries, d_v).

    single  whether there was no axis of queries, so that the first axis might be the queries
    across  whether the softmax ran over the queries

    Weights and values may have one dimension: then there is one query, or values of one component.
    """
    if values.dim() == 1:
        values, used = values[:, None], used.unsqueeze(-1)
    if weights.dim() == 1:
        weights, used = weights[None], used.unsqueeze(-2)
        hidden = None if hidden is None else hidden[None]
    place, softmax, raw = watch.place(), mark.softmax, used
    if place is None or weights.numel() == softmax.size and mark.axis in softmax.axes:
        return  # the same weights are also applied to positions
    queries, keys = weights.shape[-2:]
    layout = place.layout(used.shape[:-2], queries, keys)
    doubted = doubts(place, layout, queries, keys, values, weights, single)
    softmax.axes.add(mark.axis)
    sums = weights.sum(-1)
    sunk = keys == softmax.length - 1 and sums.max() < 1.01  # a key without values is cut off
    if not (mark.dropout or sunk) and ((sums - 1).abs() > 1e-2).logical_and(sums != 0).any():
        text = _(
            "its rows sum to between {least:.2g} and {most:.2g}, not to 1: the softmax ran "
            "over another axis, or the weights were changed or cut after it"
        )
        doubted.append(text.format(least=sums.min(), most=sums.max()))
    elif across:  # Sinkhorn's steps make rows and columns sum to 1
        doubted.append(_("the softmax ran over its queries, not over its keys"))
    kind = wide(weights.dtype)
    weights, values, used, hidden = map(layout.four, (weights, values, used, hidden))

    def rows_of(heads, rows):
        return part(weights, heads, rows).to(kind, copy=True)

    layout = layout.doubted(doubted)
    watch.keep(place, layout, rows_of, keys, values, used, hidden, mark.dropout, raw=raw)


def _product(watch, function, args, kwargs, result):
    """weights @ values, or its transpose, valuesᵀ @ weightsᵀ."""
    left, right = (*args, *kwargs.values())[:2]
    mark = _among(watch, [left])
    if mark and mark.softmax:
        if mark.axis in (-1, -2):
            _keep(watch, mark, left, right, result, mark.hidden, across=mark.axis == -2)
        return
    mark = _among(watch, [right])
    if mark and mark.softmax and mark.axis == -min(right.dim(), 2):
        turned = [x if x is None or x.dim() < 2 else x.mT for x in (right, left, mark.hidden)]
        result = result.mT if min(left.dim(), right.dim()) > 1 else result
        _keep(watch, mark, *turned[:2], result, turned[2])


def einsum(watch, function, args, kwargs, result):
    """An einsum over the keys, brought into the order (…, queries, keys) · (…, keys, d_v)."""
    equation, *operands = args
    if len(operands) == 1 and isinstance(operands[0], tuple | list):
        operands = operands[0]
    if not isinstance(equation, str) or "->" not in equation or len(operands) != 2:
        return
    terms, out = equation.replace(" ", "").split("->")
    terms = terms.split(",")
    dots = [x.dim() - len(term.replace("...", "")) for term, x in zip(terms, operands)]
    letters = "".join(x for x in ascii_uppercase if x not in equation)[: max(dots)]
    one, two = (term.replace("...", letters[len(letters) - n :]) for term, n in zip(terms, dots))
    out = out.replace("...", letters)
    for own, other, weights, values in ((one, two, *operands), (two, one, *operands[::-1])):
        mark = _among(watch, [weights])
        if mark and mark.softmax and mark.axis is not None:
            # The sum over the values runs over the keys alone.
            key, both = own[mark.axis], set(own) | set(other)
            if key in other and set(out) == both - {key} and set(own) != set(other):
                return _keep_letters(watch, mark, own, other, out, weights, values, result)


def _keep_letters(watch, mark, own, other, out, weights, values, result):
    """The axes in order: batch, heads, queries, keys.

    A letter that the values lack belongs to the queries. If there are several, it is the one as
    long as the layer's tokens, and the others are heads that share values. If there is none, there
    is one query.
    """
    if watch.place() is None:
        return
    key, lonely = own[mark.axis], [x for x in own if x not in other]
    lengths = {n for _, n in watch.place().owner.sequences}
    query = [x for x in lonely if len(lonely) == 1 or weights.shape[own.index(x)] in lengths]
    lead = [x for x in out if x in own and x in other]
    if lonely and (len(query) != 1 or own[0] in lonely and lonely[1:]):
        text = _("in einsum({equation!r}) the letters do not tell batch, heads and queries apart")
        raise ValueError(text.format(equation=f"{own},{other}->{out}"))
    # Letters behind the tokens, other than d_v, are heads: bqhd, qbhd.
    after = other.index(key), out.index(query[0]) if query else len(out)
    lead.sort(key=lambda x: other.index(x) > after[0] or out.index(x) > after[1])
    sharing = [x for x in lonely if x not in query]
    free = [x for x in other if x not in own]
    rows = [*lead, *sharing, *query]

    def ordered(x, letters, wanted, kept=None):
        if x is None:
            return None
        x = torch.einsum(f"{letters}->{''.join(wanted)}", x)
        x = x if kept is None else x.reshape(*x.shape[:kept], -1)
        return x if query or letters == other else x.unsqueeze(-2)

    values = ordered(values, other, [*lead, key, *free], len(lead) + 1)
    values = values[(..., *[None] * len(sharing), slice(None), slice(None))]
    used = ordered(result, out, [*rows, *free], len(rows))
    weights, hidden = (ordered(x, own, [*rows, key]) for x in (weights, mark.hidden))
    _keep(watch, mark, weights, values, used, hidden, not query)


_NAMES = {
    softmax: "softmax",
    _one_by_one: "clone detach contiguous to type type_as float double half bfloat16 cpu cuda "
    "nan_to_num nan_to_num_ where masked_fill masked_fill_ add add_ __add__ __radd__ __iadd__ div div_ "
    "divide true_divide __truediv__ __itruediv__ mul mul_ multiply __mul__ __rmul__ __imul__",
    _dropout: "dropout dropout_",
    _reshape: "view view_as reshape reshape_as unsqueeze squeeze transpose permute swapaxes t "
    "swapdims movedim moveaxis expand expand_as flatten unflatten narrow select adjoint __getitem__",
    _cut: "split chunk unbind",
    _join: "cat concat stack",
    _product: "matmul bmm mm mv __matmul__",
    einsum: "einsum",
}
WRITTEN = {  # the function that handles a call of each of these
    getattr(home, name): see
    for see, names in _NAMES.items()
    for name in names.split()
    for home in (torch, Tensor, F)
    if hasattr(home, name)
}
WRITTEN |= dict.fromkeys((getattr(Tensor, x).__get__ for x in ("T", "mT", "H", "mH")), _reshape)
WRITTEN[torch.special.softmax] = softmax
