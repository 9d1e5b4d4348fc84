"""Attention that is written out in Python: a softmax, perhaps dropout, a product with the values.

The result of a softmax is marked, and the mark goes along with what only changes its numbers one
by one (dropout, another type) or its shape. Where a marked matrix is multiplied with another, these
are weights and values, and that product is what the model uses.
"""

from dataclasses import replace

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.nn import functional as F

from .beside import LOW, low
from .marks import Mark, counted, kept, marked, one_by_one
from .sums import add_up, einsum, multiply, tensordot


def _softmax(watch, function, args, kwargs, result):
    scores = kwargs.get("input", args[0] if args else None)
    axis = kwargs.get("dim", args[1] if len(args) > 1 else None)
    if isinstance(axis, int) and scores.dim():
        watch.softmaxes.append(watch.stack[-1].name)
        along, hidden = counted(scores.shape, axis), low(scores, axis)
        watch.marks[result] = Mark(along, hidden, size=result.numel())


def _exp(watch, function, args, kwargs, result):
    scores = args[0] if args else kwargs.get("input")
    if scores.dim():
        watch.marks[result] = Mark(None, scores <= LOW, whole=False)


def _divide(watch, function, args, kwargs, result):
    """exp(scores) divided by its sum is a softmax; weights divided by something are weights still."""
    above, below = (*args, *kwargs.values())[:2]
    mark = marked(watch, above)
    if mark is None or mark.whole or not isinstance(below, Tensor):
        return one_by_one(watch, function, args, kwargs, result)
    ours, its = result.shape, below.shape
    its = (1,) * (len(ours) - len(its)) + tuple(its)
    axes = [axis for axis, (a, b) in enumerate(zip(ours, its)) if a != b]
    if len(axes) == 1 and mark.hidden.shape == ours:
        hidden = mark.hidden if mark.hidden.any() else None
        watch.marks[result] = Mark(counted(ours, axes[0]), hidden, size=result.numel())


def _dropout(watch, function, args, kwargs, result):
    mark = marked(watch, *args, *kwargs.values())
    if mark is not None and mark.whole:
        share = kwargs.get("p", args[1] if len(args) > 1 else 0.5)
        on = kwargs.get("training", kwargs.get("train", args[2] if len(args) > 2 else True))
        watch.marks[result] = replace(mark, dropout=float(share)) if on else mark


def _fill(watch, function, args, kwargs, result):
    """A mask that comes after the softmax, and sets weights to 0, hides, too; else it shows."""
    mark = marked(watch, *args[:1])
    if mark is None or not mark.whole or result.shape != mark.along.shape:
        return
    mask, number = *args[1:], *kwargs.values()
    hidden = mark.hidden
    if float(number) == 0.0:
        mask = mask.expand(result.shape)
        hidden = mask if hidden is None else mask | hidden
    elif hidden is not None:
        hidden = hidden & ~mask
    watch.marks[result] = replace(mark, hidden=hidden)


def _reshape(watch, function, args, kwargs, result):
    """The same is done to the mark. With torch.split and the like, the results are several."""
    whole = args[0] if args else kwargs["input"]
    watch.divided(whole, result)
    mark = marked(watch, whole)
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
    mark = marked(watch, left)
    if mark is not None and mark.whole:
        if mark.axis in (-1, -2):
            _weigh(watch, mark, left, right, result)
        return
    mark = marked(watch, right)
    if mark is not None and mark.whole and mark.axis == -min(right.dim(), 2):
        hidden = None if mark.hidden is None else _turned(mark.hidden)
        both = min(left.dim(), right.dim()) > 1
        result = _turned(result) if both else result
        _weigh(watch, replace(mark, hidden=hidden), _turned(right), _turned(left), result)


def _turned(x):
    return x.mT if x.dim() > 1 else x


def _weigh(watch, mark, weights, values, result):
    """weights @ values, either of which may be of one dimension: one query, or values of one number."""
    used, hidden = result, mark.hidden
    if values.dim() == 1:
        values, used = values[:, None], used.unsqueeze(-1)
    if weights.dim() == 1:
        weights, used = weights[None], used.unsqueeze(-2)
        hidden = None if hidden is None else hidden[None]
    kept(watch, replace(mark, hidden=hidden), weights, values, used, result)


_NAMES = {
    _softmax: "softmax",
    _exp: "exp exp_",
    one_by_one: "clone detach contiguous alias to type type_as float double half bfloat16 cpu cuda"
    " nan_to_num nan_to_num_ where add add_ __add__ __radd__ __iadd__ _to_copy",
    multiply: "mul mul_ multiply __mul__ __rmul__ __imul__",
    add_up: "sum",
    _divide: "div div_ divide true_divide __truediv__ __itruediv__",
    _dropout: "dropout dropout_",
    _fill: "masked_fill masked_fill_",
    _reshape: "view view_as reshape reshape_as unsqueeze squeeze transpose permute swapaxes t"
    " swapdims movedim moveaxis expand expand_as flatten unflatten narrow select unbind chunk split"
    " tensor_split split_with_sizes slice adjoint __getitem__",
    _product: "matmul bmm mm mv __matmul__",
    einsum: "einsum",
    tensordot: "tensordot",
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
