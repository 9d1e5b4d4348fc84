"""The functions of torch in which attention is seen, and the handler of each.

F.scaled_dot_product_attention and the function of nn.MultiheadAttention *are* attention. A fused
kernel never stores the weights, so they are computed again.

Attention that is written out is a softmax whose result is multiplied with the values, over the axis
of the softmax. That result is marked, and the mark follows operations that change entries one by
one, or the shape, and nothing else.
"""

from dataclasses import dataclass, replace
from types import FunctionType

import torch
from torch import Tensor
from torch.nn import functional as F

from .. import _
from .places import Refused, stated, unknown

LOW = -9e3  # entries this low, in a mask or among scores, hide their key: BERT's are -10,000


@dataclass
class Mark:
    """What is known of a tensor that comes from a softmax. All changes of shape are made to both:

    along    a tensor of its shape that counts along the axis of the softmax, and takes no memory
    hidden   booleans of its shape, True = a mask hid this key; None: no mask
    """

    along: Tensor
    hidden: Tensor | None
    softmax: int  # in the order in which they ran

    @property
    def axis(self):
        """Where the axis of the softmax is, counted from the end; None if it was lost."""
        pairs = zip(self.along.shape, self.along.stride())
        axes = [d - self.along.dim() for d, (n, step) in enumerate(pairs) if n > 1 and step]
        return axes[0] if len(axes) == 1 else None if axes else -1

    def moved(self, change):
        """The mark after a change of shape."""
        hidden = None if self.hidden is None else change(self.hidden)
        return replace(self, along=change(self.along), hidden=hidden)


def low(scores, axis=-1):
    """Which scores, or entries of an additive mask, hide their key; None if none does.

    If all entries of a row are that low, none of them hides its key, except minus infinity.
    """
    hidden = scores <= LOW
    if not hidden.any():
        return None
    return (hidden & ~hidden.all(axis, keepdim=True)) | (scores == -torch.inf)


def mark_softmax(watch, function, args, kwargs, result):
    scores = kwargs.get("input", args[0] if args else None)
    axis = kwargs.get("dim", args[1] if len(args) > 1 else None)
    if isinstance(axis, int) and scores.dim():
        sizes = [-1 if i == axis % result.dim() else 1 for i in range(result.dim())]
        along = torch.arange(result.shape[axis]).view(sizes).expand(result.shape)
        watch.softmaxes.append(watch.stack[-1].name)
        watch.marks[result] = Mark(along, low(scores, axis), len(watch.softmaxes) - 1)


def one_by_one(watch, function, args, kwargs, result):
    """An operation that changes entries one by one: the result still is weights."""
    mark = watch.mark_among(args, kwargs)
    if isinstance(result, Tensor) and result.shape == mark.along.shape:
        watch.marks[result] = mark


def reshape(watch, function, args, kwargs, result):
    if mark := watch.mark_among(args[:1], {}):
        watch.marks[result] = mark.moved(lambda x: function(x, *args[1:], **kwargs))


def product(watch, function, args, kwargs, result):
    """weights @ values, or its transpose, valuesᵀ @ weightsᵀ."""
    left, right = (*args, *kwargs.values())[:2]
    if mark := watch.marks.get(left):
        keep(watch, mark, left, right, result)
    elif right.dim() > 1 and left.dim() > 1:
        keep(watch, watch.marks[right].moved(lambda x: x.mT), right.mT, left.mT, result.mT)


def einsum(watch, function, args, kwargs, result):
    """An einsum over the keys, such as "bhqk,bkhd->bqhd", whatever its letters."""
    equation, weights, values = args
    terms, out = equation.replace(" ", "").split("->")
    own, other = terms.split(",")
    if weights not in watch.marks:
        own, other, weights, values = other, own, values, weights
    mark = watch.marks[weights]
    key = "" if mark.axis is None else own[mark.axis]
    query, size = ([x for x in one if x not in two] for one, two in ((own, other), (other, own)))
    lead = [x for x in out if x in own and x in other]
    if {*own, *other} - {*out} != {key} or (len(query), len(size)) != (1, 1) or key not in other:
        raise unknown(watch.stack, weights, values)

    def ordered(x, letters, *last):
        return x.permute([letters.index(letter) for letter in (*lead, *last)])

    mark = mark.moved(lambda x: ordered(x, own, *query, key))
    values, result = ordered(values, other, key, *size), ordered(result, out, *query, *size)
    keep(watch, mark, ordered(weights, own, *query, key), values, result)


def keep(watch, mark, weights, values, used):
    """Record weights (…, queries, keys), which times values (…, keys, d) are `used`.

    Raises Refused if the softmax ran along another axis, or the weights are no shares of 1.
    """
    if watch.softmaxes[mark.softmax] is None:
        return  # the same weights, applied to positions as well
    if weights.dim() < 2 or mark.axis != -1:
        raise unknown(watch.stack, weights, values)
    trains = watch.stack[-1].module.training  # dropout makes the weights that it leaves larger
    if not trains and weights.sum(-1).max() > 1.01:
        raise Refused(_("its weights sum to more than 1: they were changed after the softmax"))
    watch.record(weights.clone(), values, used, mark.hidden)
    watch.softmaxes[mark.softmax] = None


def sdpa(watch, function, args, kwargs, result):
    """Record the weights of a call of F.scaled_dot_product_attention."""
    names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale")
    given = dict(zip(names, args)) | kwargs
    query, key, value = (given[name].to(result.dtype) for name in names[:3])  # as autocast does
    mask, scale, dropout = (given.get(name) for name in ("attn_mask", "scale", "dropout_p"))
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    if _is_packed(watch.stack, query, key):
        query, result = (x.flatten(1, 2)[:, :, None] for x in (query, result))
        mask = mask.flatten(1, 2)[:, :, None] if mask is not None and mask.shape[1] > 1 else mask
    if query.dim() > 3 and key.shape[-3] != query.shape[-3]:  # heads that share keys
        key, value = (x.repeat_interleave(query.shape[-3] // x.shape[-3], -3) for x in (key, value))
    watch.make_room((*query.shape[:-1], key.shape[-2]))
    wide = torch.float64 if result.dtype == torch.float64 else torch.float32
    scores = (query.to(wide) * scale) @ key.to(wide).mT
    if given.get("is_causal"):
        mask = scores.new_ones(scores.shape[-2:], dtype=torch.bool).tril()
    hidden = None
    if mask is not None:
        mask = torch.where(mask, 0.0, -torch.inf) if mask.dtype == torch.bool else mask
        hidden = low(mask)
        scores += mask  # eight times as fast as masked_fill_
    weights = torch.softmax(scores, -1, out=scores)  # in place: such maps are large
    if hidden is not None and (blind := hidden.all(-1, keepdim=True)).any():
        weights.masked_fill_(blind, 0.0)  # softmax gives NaN there, and a kernel 0
    watch.record(weights, value, result, hidden, checked=not dropout)


def _is_packed(stack, query, key):
    """Whether heads that share keys stand where queries do, as transformers arranges one token."""
    one_token = any((len(query), 1) in place.sizes for place in stack)
    shares = query.dim() == 4 and key.shape[1] == query.shape[1] and query.shape[2] > 1
    return one_token and shares and query.shape[1] * query.shape[2] in stated(stack)


def multi_head(watch, function, args, kwargs):
    """Run the body of F.multi_head_attention_forward with the watch on, so that it is seen.

    It first asks whether a mode wants to handle the call instead; here the answer is no.
    """
    names = {"has_torch_function": lambda tensors: False}
    body = FunctionType(function.__code__, vars(F) | names, argdefs=function.__defaults__)
    with watch.mode:
        return body(*args, **kwargs)


_NAMES = {
    mark_softmax: "softmax",
    one_by_one: "dropout dropout_ clone detach contiguous to type type_as float double half bfloat16 "
    "nan_to_num where masked_fill masked_fill_ add add_ __add__ __radd__ __iadd__ div div_ "
    "__truediv__ __itruediv__ mul mul_ __mul__ __rmul__ __imul__",
    reshape: "view view_as reshape unsqueeze squeeze transpose permute swapaxes t movedim "
    "expand expand_as flatten unflatten narrow select __getitem__",
    product: "matmul bmm mm mv __matmul__",
    einsum: "einsum",
    sdpa: "scaled_dot_product_attention",
}
HANDLERS = {
    getattr(home, name): see
    for see, names in _NAMES.items()
    for name in names.split()
    for home in (torch, Tensor, F, torch.special)
    if hasattr(home, name)
}
HANDLERS |= dict.fromkeys((getattr(Tensor, x).__get__ for x in ("T", "mT")), reshape)
