"""Attention that is written out in Python: a softmax, perhaps dropout, a product with the values.

The result of a softmax is marked, and the mark goes along with what only changes its numbers one
by one (dropout, another type) or its shape. Where a marked matrix is multiplied with another, these
are weights and values, and that product is what the model uses.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.nn import functional as F

from .beside import LOW, far, low, wide


@dataclass
class Mark:
    """What is known of a tensor that comes from a softmax.

    along    of its shape, counts along the axis of the softmax, and takes no memory: whatever is
             done to the shape is done to it, too, and so it tells where that axis went
    hidden   booleans of its shape, True = hidden, or None
    dropout  the share that was dropped
    whole    whether the softmax is done: False after exp, before the division by the sum
    """

    along: Tensor | None
    hidden: Tensor | None = None
    dropout: float = 0.0
    whole: bool = True

    @property
    def axis(self):
        """Where the axis of the softmax is, from the end; None if that is lost."""
        strides = self.along.stride()
        axes = [
            d - len(strides) for d, size in enumerate(self.along.shape) if size > 1 and strides[d]
        ]
        return axes[0] if len(axes) == 1 else None if axes else -1


def _along(shape, axis):
    count = torch.arange(shape[axis])
    sizes = [1] * len(shape)
    sizes[axis] = -1
    return count.view(sizes).expand(shape)


def _marked(watch, *values):
    """The mark of the first of these that has one."""
    marks = (watch.marks.get(x) for x in values if isinstance(x, Tensor))
    return next((mark for mark in marks if mark is not None), None)


def _softmax(watch, function, args, kwargs, result):
    scores = kwargs.get("input", args[0] if args else None)
    axis = kwargs.get("dim", args[1] if len(args) > 1 else None)
    if isinstance(axis, int) and scores.dim():
        watch.softmaxes.append(watch.stack[-1].name)
        watch.marks[result] = Mark(_along(scores.shape, axis), low(scores.detach(), axis))


def _exp(watch, function, args, kwargs, result):
    scores = args[0] if args else kwargs.get("input")
    if scores.dim():
        watch.marks[result] = Mark(None, scores.detach() <= LOW, whole=False)


def _divide(watch, function, args, kwargs, result):
    """exp(scores) divided by its sum is a softmax; weights divided by something are weights still."""
    above, below = (*args, *kwargs.values())[:2]
    mark = _marked(watch, above)
    if mark is None or mark.whole or not isinstance(below, Tensor):
        return _one_by_one(watch, function, args, kwargs, result)
    ours, its = result.shape, below.shape
    its = (1,) * (len(ours) - len(its)) + tuple(its)
    axes = [axis for axis, (a, b) in enumerate(zip(ours, its)) if a != b]
    if len(axes) == 1 and its[axes[0]] == 1:
        hidden = mark.hidden if mark.hidden.any() else None
        watch.marks[result] = Mark(_along(ours, axes[0]), hidden)


def _one_by_one(watch, function, args, kwargs, result):
    mark = _marked(watch, *args, *kwargs.values())
    if mark is None or not mark.whole or not isinstance(result, Tensor):
        return
    if result.shape == mark.along.shape:  # else weights were spread over something larger
        watch.marks[result] = mark


def _multiply(watch, function, args, kwargs, result):
    """Weights times a number or a mask; or weights (…, keys, 1) times values, soon to be summed."""
    _one_by_one(watch, function, args, kwargs, result)
    two = (*args, *kwargs.values())[:2]
    for weights, values in (two, two[::-1]):
        mark = _marked(watch, weights)
        if mark is None or not mark.whole or weights.shape == result.shape:
            continue
        if mark.axis == -2 and weights.shape[-1] == 1 and weights.dim() == result.dim():
            watch.spread[result] = mark, weights, values


def _sum(watch, function, args, kwargs, result):
    """(weights * values).sum(over the keys): the same as weights @ values, of a single query."""
    product = args[0] if args else kwargs["input"]
    found = watch.spread.get(product)
    axes = kwargs.get("dim", kwargs.get("axis", args[1] if len(args) > 1 else None))
    axes = [axes] if isinstance(axes, int) else list(axes or [])
    if found is None or [axis % product.dim() for axis in axes] != [product.dim() - 2]:
        return
    mark, weights, values = found
    hidden = None if mark.hidden is None else mark.hidden.mT
    used = result if result.dim() == product.dim() else result.unsqueeze(-2)
    mark = replace(mark, along=mark.along.mT, hidden=hidden)
    _keep(watch, mark, weights.mT, values.expand_as(product), used, None)


def _dropout(watch, function, args, kwargs, result):
    mark = _marked(watch, *args, *kwargs.values())
    if mark is not None and mark.whole:
        share = kwargs.get("p", args[1] if len(args) > 1 else 0.5)
        on = kwargs.get("training", kwargs.get("train", args[2] if len(args) > 2 else True))
        watch.marks[result] = replace(mark, dropout=float(share)) if on else mark


def _fill(watch, function, args, kwargs, result):
    """A mask that comes after the softmax, and sets weights to 0, hides, too."""
    mark = _marked(watch, *args[:1])
    if mark is None or not mark.whole or result.shape != mark.along.shape:
        return
    mask, number = (*args[1:], *kwargs.values())[:2]
    if float(number) == 0.0:
        mask = mask.detach().expand(result.shape)
        mark = replace(mark, hidden=mask if mark.hidden is None else mask | mark.hidden)
    watch.marks[result] = mark


def _reshape(watch, function, args, kwargs, result):
    """The same is done to the mark. With torch.split and the like, the results are several."""
    whole = args[0] if args else kwargs["input"]
    watch.divided(whole, result)
    mark = _marked(watch, whole)
    if mark is None or not mark.whole:
        return

    def again(x):
        made = None if x is None else function(x, *args[1:], **kwargs)
        return made if isinstance(made, tuple | list) else [made]

    results = result if isinstance(result, tuple | list) else [result]
    alongs, hiddens = again(mark.along), again(mark.hidden)
    for i, one in enumerate(results):
        hidden = hiddens[i] if mark.hidden is not None else None
        watch.marks[one] = replace(mark, along=alongs[i], hidden=hidden)


def _product(watch, function, args, kwargs, result):
    """weights @ values; or, turned, valuesᵀ @ weightsᵀ."""
    left, right = (*args, *kwargs.values())[:2]
    mark = _marked(watch, left)
    if mark is not None and mark.whole:
        values = right[:, None] if right.dim() == 1 else right
        weights = left[None] if left.dim() == 1 else left
        used = result.unsqueeze(-1) if right.dim() == 1 else result
        used = used.unsqueeze(-2) if left.dim() == 1 else used
        along, hidden = mark.along, mark.hidden
        if left.dim() == 1:
            hidden = None if hidden is None else hidden[None]
            along = along[None]
        mark = replace(mark, along=along, hidden=hidden)
        if mark.axis in (-1, -2):
            _keep(watch, mark, weights, values, used, result)
        return
    mark = _marked(watch, right)
    if mark is not None and mark.whole and min(left.dim(), right.dim()) > 1 and mark.axis == -2:
        hidden = None if mark.hidden is None else mark.hidden.mT
        mark = replace(mark, along=mark.along.mT, hidden=hidden)
        _keep(watch, mark, right.mT, left.mT, result.mT, result)


def _einsum(watch, function, args, kwargs, result):
    """einsum over the keys: brought into the order (…, queries, keys) · (…, keys, d_v)."""
    equation, *operands = args
    if len(operands) == 1 and isinstance(operands[0], tuple | list):
        operands = operands[0]
    spelled_out = isinstance(equation, str) and "->" in equation and "..." not in equation
    if not spelled_out or len(operands) != 2:
        return
    terms, out = equation.replace(" ", "").split("->")
    terms = terms.split(",")
    if not _weighs(watch, terms[0], terms[1], operands[0], out):
        terms, operands = terms[::-1], operands[::-1]
        if not _weighs(watch, terms[0], terms[1], operands[0], out):
            return
    (own, other), (weights, values) = terms, operands
    mark = _marked(watch, weights)
    lead = "".join(x for x in own if x in out and x in other)
    free = "".join(x for x in other if x not in own)
    query = next(x for x in own if x not in other)
    key = own[mark.axis]
    rows = lead + query + key

    def turned(x, letters, wanted):
        return torch.einsum(f"{letters}->{wanted}", x)

    hidden = None if mark.hidden is None else turned(mark.hidden, own, rows)
    mark = replace(mark, along=turned(mark.along, own, rows), hidden=hidden)
    values = turned(values, other, lead + key + free).flatten(len(lead) + 1)
    used = turned(result, out, lead + query + free).flatten(len(lead) + 1)
    _keep(watch, mark, turned(weights, own, rows), values, used, None)


def _weighs(watch, own, other, weights, out):
    """Whether these letters sum values over the keys: (…, query, key) with (…, key, anything)."""
    mark = _marked(watch, weights)
    if mark is None or not mark.whole or mark.axis is None:
        return False
    key = own[mark.axis]
    lonely = [x for x in own if x not in other]
    return (
        key in other
        and key not in out
        and len(lonely) == 1
        and set(out) == (set(own) | set(other)) - {key}
    )


def _keep(watch, mark, weights, values, used, result):
    """weights (…, queries, keys), values (…, keys, d_v), used (…, queries, d_v), leading alike.

    result  what the model got, where its first dimension can be batch and heads in one
    """
    place = watch.place()
    if place is None:
        return
    weights, values, used = weights.detach(), values.detach(), used.detach()
    leading, (queries, keys) = used.shape[:-2], weights.shape[-2:]
    batch, heads = place.batch_and_heads(leading, queries, keys)
    picked = watch.picked(place, heads)

    def four(x):
        x = x.expand(*leading, *x.shape[-2:]).reshape(batch, heads, *x.shape[-2:])
        return x if picked is None else x[:, list(picked)]

    kind = wide(weights.dtype)
    watch.room(place, (batch, len(picked) if picked else heads, queries, keys), kind)
    hidden = None if mark.hidden is None else four(mark.hidden)
    weights = four(weights).to(kind, copy=True)
    values = four(values).to(kind)
    known = {"error": far(weights @ values, four(used), values), "dtype": used.dtype}
    leading = () if result is None else leading
    watch.keep(place, weights, hidden, result, leading, dropout=mark.dropout, **known)


_NAMES = {
    _softmax: "softmax",
    _exp: "exp exp_",
    _one_by_one: "clone detach contiguous alias to type type_as float double half bfloat16 cpu cuda"
    " nan_to_num nan_to_num_ where add add_ __add__ __radd__ __iadd__ _to_copy",
    _multiply: "mul mul_ multiply __mul__ __rmul__ __imul__",
    _sum: "sum",
    _divide: "div div_ divide true_divide __truediv__ __itruediv__",
    _dropout: "dropout dropout_",
    _fill: "masked_fill masked_fill_",
    _reshape: "view view_as reshape reshape_as unsqueeze squeeze transpose permute swapaxes t"
    " swapdims movedim moveaxis expand expand_as flatten unflatten narrow select unbind chunk split"
    " tensor_split split_with_sizes slice adjoint __getitem__",
    _product: "matmul bmm mm mv __matmul__",
    _einsum: "einsum",
}
_BY_NAME = {name: see for see, names in _NAMES.items() for name in names.split()}
_BY_FUNCTION = {
    getattr(home, name): see
    for name, see in _BY_NAME.items()
    for home in (torch, Tensor, F)
    if hasattr(home, name)
}
_BY_FUNCTION |= dict.fromkeys(
    (getattr(Tensor, x).__get__ for x in ("T", "mT", "H", "mH")), _reshape
)
_BY_FUNCTION[torch.special.softmax] = _softmax


def written(function):
    """What sees a call of this function, or None."""
    if isinstance(function, OpOverload):  # what a graph of torch.export calls
        return _BY_NAME.get(function._opname) if function.namespace == "aten" else None
    return _BY_FUNCTION.get(function)
