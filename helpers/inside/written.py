"""Attention that is written out in Python: a softmax, perhaps dropout, a product with the values.

The result of a softmax is marked, and the mark goes along with what only changes its numbers one
by one (dropout, another type) or its shape. Where a marked matrix is multiplied with another, these
are weights and values, and that product is what the model uses. Products are `@` and its kind;
einsum, whose letters tell the axes; and the sum over the keys of weights times values.
"""

from dataclasses import dataclass, field, replace
from string import ascii_uppercase

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.nn import functional as F

from .. import _
from .places import Layout
from .seeing import LOW, far, low, wide


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


def _mark(watch, result, axis, hidden):
    along = torch.arange(result.shape[axis])
    along = along.view([-1 if i == axis % result.dim() else 1 for i in range(result.dim())])
    softmax = Softmax(watch.stack[-1].name, result.numel())
    watch.softmaxes.append(softmax)
    watch.marks[result] = Mark(along.expand(result.shape), hidden, softmax=softmax)


def weights_among(watch, values):
    """The mark of the first of these that are weights; None if none is."""
    found = (watch.marks.get(x) for x in values if isinstance(x, Tensor))
    return next((mark for mark in found if mark and mark.softmax and not mark.values), None)


# What begins a mark, and what it goes along with.


def _softmax(watch, function, args, kwargs, result):
    scores = kwargs.get("input", args[0] if args else None)
    axis = kwargs.get("dim", args[1] if len(args) > 1 else None)
    if isinstance(axis, int) and scores.dim():
        _mark(watch, result, axis, low(scores, axis))


def _exp(watch, function, args, kwargs, result):
    scores = args[0] if args else kwargs.get("input")
    if scores.dim():
        watch.marks[result] = Mark(None, scores <= LOW)


def _divide(watch, function, args, kwargs, result):
    """exp(scores) divided by its sum is a softmax; weights divided by something are weights still."""
    above, below = (*args, *kwargs.values())[:2]
    mark = watch.marks.get(above) if isinstance(above, Tensor) else None
    if mark is None or mark.softmax or not isinstance(below, Tensor):
        return _one_by_one(watch, function, args, kwargs, result)
    its = (1,) * (result.dim() - below.dim()) + tuple(below.shape)
    axes = [axis for axis, (a, b) in enumerate(zip(result.shape, its)) if a != b]
    if len(axes) == 1 and mark.hidden.shape == result.shape:
        _mark(watch, result, axes[0], mark.hidden if mark.hidden.any() else None)


def _one_by_one(watch, function, args, kwargs, result):
    """What changes numbers one by one: the result is weights still."""
    mark = weights_among(watch, (*args, *kwargs.values()))
    if mark and isinstance(result, Tensor) and result.shape == mark.along.shape:
        watch.marks[result] = mark  # else weights were spread over something larger


def _dropout(watch, function, args, kwargs, result):
    mark = weights_among(watch, (*args, *kwargs.values()))
    if mark:
        share = kwargs.get("p", args[1] if len(args) > 1 else 0.5)
        on = kwargs.get("training", kwargs.get("train", args[2] if len(args) > 2 else True))
        watch.marks[result] = replace(mark, dropout=float(share)) if on else mark


def _fill(watch, function, args, kwargs, result):
    """A mask that comes after the softmax, and sets weights to 0, hides, too; else it shows."""
    mark = weights_among(watch, args[:1])
    if not mark or result.shape != mark.along.shape:
        return
    mask, number = *args[1:], *kwargs.values()
    hidden = torch.zeros_like(mask) if mark.hidden is None else mark.hidden
    hidden = mask | hidden if float(number) == 0.0 else hidden & ~mask
    watch.marks[result] = replace(mark, hidden=hidden.expand(result.shape))


def _reshape(watch, function, args, kwargs, result):
    """The same is done to the mark. With torch.split and the like, the results are several."""
    mark = weights_among(watch, [args[0] if args else kwargs["input"]])
    if not mark:
        return

    def again(x):
        made = None if x is None else function(x, *args[1:], **kwargs)
        return made if isinstance(made, tuple | list) else [made]

    results = result if isinstance(result, tuple | list) else [result]
    alongs, hiddens = again(mark.along), again(mark.hidden)
    for i, one in enumerate(results):
        hidden = hiddens[i] if mark.hidden is not None else None
        watch.marks[one] = replace(mark, along=alongs[i], hidden=hidden)


# Products with the values.


def _product(watch, function, args, kwargs, result):
    """weights @ values; or, turned, valuesᵀ @ weightsᵀ."""
    left, right = (*args, *kwargs.values())[:2]
    mark = weights_among(watch, [left])
    if mark:
        if mark.axis in (-1, -2):
            _keep(watch, mark, left, right, result, mark.hidden)
        return
    mark = weights_among(watch, [right])
    if mark and mark.axis == -min(right.dim(), 2):
        turned = [x if x is None or x.dim() < 2 else x.mT for x in (right, left, mark.hidden)]
        result = result.mT if min(left.dim(), right.dim()) > 1 else result
        _keep(watch, mark, *turned[:2], result, turned[2])


def _multiply(watch, function, args, kwargs, result):
    """Weights times a number or a mask; or weights (…, keys, 1) times values, soon to be summed."""
    two = (*args, *kwargs.values())[:2]
    for weights, values in (two, two[::-1]):
        mark = weights_among(watch, [weights])
        if mark and weights.shape == result.shape:
            watch.marks[result] = mark
        elif mark and mark.axis == -2 and weights.shape[-1] == 1 and weights.dim() == result.dim():
            watch.marks[result] = replace(mark, values=(weights, values))


def _add_up(watch, function, args, kwargs, result):
    """(weights * values).sum(over the keys): the same as weights @ values.

    Values with a place of their own for each query are those of a single one; else all queries
    share them, on the axis before the keys: (…, 1, keys, d_v).
    """
    product = args[0] if args else kwargs["input"]
    mark, dims = watch.marks.get(product), product.dim()
    axes = kwargs.get("dim", kwargs.get("axis", args[1] if len(args) > 1 else None))
    axes = [axes] if isinstance(axes, int) else list(axes or [])
    summed = mark and mark.values and [x % dims for x in axes] == [dims - 2]
    if not summed or watch.place() is None:
        return
    weights, values = mark.values
    sizes, values = (1,) * (dims - values.dim()) + values.shape, values.expand_as(product)
    weights = weights.squeeze(-1)  # (…, keys)
    hidden = None if mark.hidden is None else mark.hidden.squeeze(-1)
    used = result.squeeze(-2) if result.dim() == dims else result  # (…, d_v)
    shared = [i for i, n in enumerate(product.shape[:-2]) if n > sizes[i]]
    if shared == [dims - 3] or not shared and dims > 4 and sizes[-3] == 1:
        return _keep(watch, mark, weights, values.select(-3, 0), used, hidden)
    if shared or dims > 4:
        text = _(
            "it multiplies weights with values {shape} and adds up, and the shapes do not tell which"
            " axis is the queries'; write weights @ values instead"
        )
        raise ValueError(text.format(shape=tuple(sizes)))
    hidden = None if hidden is None else hidden.unsqueeze(-2)
    _keep(watch, mark, weights.unsqueeze(-2), values, used.unsqueeze(-2), hidden, True)


def _einsum(watch, function, args, kwargs, result):
    """einsum over the keys: brought into the order (…, queries, keys) · (…, keys, d_v)."""
    equation, *operands = args
    if len(operands) == 1 and isinstance(operands[0], tuple | list):
        operands = operands[0]
    if not isinstance(equation, str) or "->" not in equation or len(operands) != 2:
        return
    (one, two), out = _spelled_out(equation.replace(" ", ""), operands)
    for own, other, weights, values in ((one, two, *operands), (two, one, *operands[::-1])):
        mark = weights_among(watch, [weights])
        if mark and mark.axis is not None and watch.place() is not None:
            if _weighs(own, other, out, own[mark.axis]):
                return _keep_letters(watch, mark, own, other, out, weights, values, result)


def _spelled_out(equation, operands):
    """(the letters of both operands, those of the result), with letters in place of "..."."""
    terms, out = equation.split("->")
    terms = terms.split(",")
    dots = [x.dim() - len(term.replace("...", "")) for term, x in zip(terms, operands)]
    letters = "".join(x for x in ascii_uppercase if x not in equation)[: max(dots)]
    terms = [term.replace("...", letters[len(letters) - n :]) for term, n in zip(terms, dots)]
    return terms, out.replace("...", letters)


def _weighs(own, other, out, key):
    """Whether these letters sum values over the keys: (…, query, key) with (…, key, anything)."""
    summed = key in other and set(out) == (set(own) | set(other)) - {key}
    return summed and set(own) != set(other)


def _keep_letters(watch, mark, own, other, out, weights, values, result):
    """The axes in order: batch, heads, queries, keys.

    A letter that the values do not have is the queries'; of several, the one as long as the layer's
    tokens, and the others are heads that share values. Without any, there is one query.
    """
    key, lonely = own[mark.axis], [x for x in own if x not in other]
    lengths = {n for _, n in watch.place().owner.sequences}
    query = [x for x in lonely if len(lonely) == 1 or weights.shape[own.index(x)] in lengths]
    lead = [x for x in out if x in own and x in other]
    # What stands behind the tokens, beside d_v, is heads: bqhd, qbhd.
    behind = [
        x for x in lead if other.index(x) > other.index(key) or query and out.index(x) > out.index(query[0])
    ]  # fmt: skip
    alike = [[x for x in term if x in lead] == lead for term in (other, own)]
    told = len(lead) > 1 and behind and (behind != lead or alike[0])
    mixed = len(lonely) > 1 and own[0] in lonely
    if lonely and len(query) != 1 or mixed or not (told or all(alike)):
        text = _("in einsum({equation!r}) the letters do not tell batch, heads and queries apart")
        raise ValueError(text.format(equation=f"{own},{other}->{out}"))
    lead = [x for x in lead if x not in behind] + behind if told else lead
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
    layout, sizes = None, tuple(used.shape[:-2])
    if (told or sharing) and len(sizes) == 2:
        layout = Layout(sizes, sizes, (0, 1), *sizes)
    _keep(watch, mark, weights, values, used, hidden, not query and not layout, layout)


def _keep(watch, mark, weights, values, used, hidden, single=False, layout=None):
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


_NAMES = {
    _softmax: "softmax",
    _exp: "exp exp_",
    _one_by_one: "clone detach contiguous alias to type type_as float double half bfloat16 cpu cuda"
    " nan_to_num nan_to_num_ where add add_ __add__ __radd__ __iadd__ _to_copy",
    _multiply: "mul mul_ multiply __mul__ __rmul__ __imul__",
    _add_up: "sum",
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
BEGINS = (_softmax, _exp)  # all others go on from a mark


def written(function):
    """What sees a call of this function, or None."""
    if isinstance(function, OpOverload):  # what a graph of torch.export calls
        return _BY_NAME.get(function._opname) if function.namespace == "aten" else None
    return _BY_FUNCTION.get(function)
