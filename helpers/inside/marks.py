"""Attention that is written out in Python: a softmax, perhaps dropout, a product with the values.

The result of a softmax is marked. The mark follows operations that change entries one by one, or
the shape, and nothing else. If a marked matrix is multiplied with another one over the axis of the
softmax, the two are weights and values, and the product is what the model uses.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .. import _
from .places import Refused

LOW = -9e3  # entries this low, in a mask or among scores, hide their key: BERT's are -10,000


@dataclass
class Mark:
    """What is known of a tensor that comes from a softmax.

    along    a tensor of its shape that counts along the axis of the softmax and takes no memory:
             every change of shape is made to it, too, and so it shows where that axis went
    hidden   booleans of its shape, True = a mask hid this key; None: no mask
    softmax  the index of the softmax that it comes from, in the order in which they ran
    """

    along: Tensor
    hidden: Tensor | None
    softmax: int

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
        text = _("einsum({equation!r}) does not show one query and one key for each weight")
        raise Refused(text.format(equation=equation))

    def ordered(x, letters, *last):
        return x.permute([letters.index(letter) for letter in (*lead, *last)])

    mark = mark.moved(lambda x: ordered(x, own, *query, key))
    values, result = ordered(values, other, key, *size), ordered(result, out, *query, *size)
    keep(watch, mark, ordered(weights, own, *query, key), values, result)


def keep(watch, mark, weights, values, used):
    """Record weights (…, queries, keys), which times values (…, keys, d) are `used`.

    Raises Refused if the keys may be no tokens, or the weights no shares of 1.
    """
    if watch.softmaxes[mark.softmax] is None:
        return  # the same weights, applied to positions as well
    base = values if values._base is None else values._base
    if weights.dim() < 2 or values.dim() < weights.dim() or isinstance(base, nn.Parameter):
        raise Refused(_("its values are the same for all sequences: its keys are rows of a table"))
    if mark.axis != -1:
        raise Refused(_("its softmax did not run over the keys"))
    queries, keys, size = *weights.shape[-2:], values.shape[-1]
    turned = any(x.stride(-2) < x.stride(-1) for x in (weights, values))
    if queries == keys == size > 1 and turned:  # in memory, the features of a token are adjacent
        text = _("there are as many tokens as features ({n}), and either may be the keys")
        raise Refused(text.format(n=size))
    trains = watch.stack[-1].module.training  # dropout makes the weights that it leaves larger
    if not trains and weights.sum(-1).max() > 1.01:
        raise Refused(_("its weights sum to more than 1: they were changed after the softmax"))
    watch.record(weights.clone(), values, used, mark.hidden)
    watch.softmaxes[mark.softmax] = None


_NAMES = {
    mark_softmax: "softmax",
    one_by_one: "dropout dropout_ clone detach contiguous to type type_as float double half bfloat16 cpu cuda "
    "nan_to_num nan_to_num_ where masked_fill masked_fill_ add add_ __add__ __radd__ __iadd__ div div_ "
    "divide true_divide __truediv__ __itruediv__ mul mul_ multiply __mul__ __rmul__ __imul__",
    reshape: "view view_as reshape reshape_as unsqueeze squeeze transpose permute swapaxes t "
    "swapdims movedim moveaxis expand expand_as flatten unflatten narrow select adjoint __getitem__",
    product: "matmul bmm mm mv __matmul__",
    einsum: "einsum",
}
MARKS = {  # the function that handles a call of each of these
    getattr(home, name): see
    for see, names in _NAMES.items()
    for name in names.split()
    for home in (torch, Tensor, F)
    if hasattr(home, name)
}
MARKS |= dict.fromkeys((getattr(Tensor, x).__get__ for x in ("T", "mT", "H", "mH")), reshape)
MARKS[torch.special.softmax] = mark_softmax
