"""Attention in one call: F.scaled_dot_product_attention, and nn.MultiheadAttention, which calls it.

A fused kernel never stores the weights, so they are computed again from the queries, keys and masks
of the call: softmax(QKᵀ · scale + mask). Their product with the values is compared with the
kernel's result. Dropout cannot be repeated, so for a call that drops weights, the weights before
dropout are shown, and a note says so.
"""

import math
from contextlib import nullcontext
from types import FunctionType

import torch
from torch import nn
from torch.nn import functional as F

from .doubts import doubts
from .picking import part

LOW = -9e3  # entries this low, in a mask or among scores, hide their key: BERT's are -10,000
FAST = (nn.TransformerEncoder, nn.TransformerEncoderLayer, nn.MultiheadAttention)


def see_sdpa(watch, place, function, args, kwargs):
    """Call F.scaled_dot_product_attention, record its weights, and return what it returned."""
    result = function(*args, **kwargs)
    if not result.is_nested:
        with watch.beside():
            _keep_sdpa(watch, place, result, *args, **kwargs)
    return result


def _keep_sdpa(
    watch,
    place,
    used,
    query,
    key,
    value,
    attn_mask=None,
    dropout_p=0.0,
    is_causal=False,
    scale=None,
    enable_gqa=False,
):
    raw = used
    query, key, value = (x.to(used.dtype) for x in (query, key, value))  # as autocast does
    if place.packs(query, key):
        packed, enable_gqa = query.shape[1:3], True
        query, used, attn_mask = (
            x if x is None or x.shape[1:3] != packed else x.flatten(1, 2).unsqueeze(2)
            for x in (query, used, attn_mask)
        )
    if enable_gqa:  # each head gets a copy of the keys that it shares
        key, value = (x.repeat_interleave(query.shape[-3] // x.shape[-3], -3) for x in (key, value))
    mask, hidden = _masks(query, key, attn_mask, is_causal)
    queries, keys, kind = query.shape[-2], key.shape[-2], wide(used.dtype)
    layout = place.layout(used.shape[:-2], queries, keys)
    layout = layout.doubted(doubts(place, layout, queries, keys, value))
    query, key, value, used, mask, hidden = map(
        layout.four, (query, key, value, used, mask, hidden)
    )
    query, key, hidden = query.to(kind), key.to(kind), compact(hidden)
    scale = query.shape[-1] ** -0.5 if scale is None else scale

    def rows_of(heads, rows):
        unseen = None if hidden is None else part(hidden, heads, rows)
        end = max(1, reach_of(unseen, keys))  # the keys behind it are hidden from all of these
        some = part(query, heads, rows) @ part(key, heads, slice(None))[:, :, :end].mT
        some = some.mul_(scale)
        if mask is not None:
            some += part(mask, heads, rows)[..., :end]
        elif unseen is not None:
            some.masked_fill_(unseen[..., :end], -math.inf)
        some = some.softmax(-1)  # in place, it takes twice as long
        blind = None if unseen is None else unseen.all(-1, keepdim=True)
        if blind is not None and blind.any():  # softmax gives NaN there, but a kernel 0
            some.masked_fill_(blind, 0.0)
        return some

    watch.keep(place, layout, rows_of, keys, value, used, hidden, dropout_p, not dropout_p, raw)


def _masks(query, key, mask, is_causal):
    """(what a mask adds to the scores, True where it hides); None for each that does not exist."""
    if is_causal:
        mask = query.new_ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
    if mask is None:
        return None, None
    if hasattr(mask, "_materialize"):  # torch.nn.attention.bias: a mask that is only described
        mask = mask._materialize(query.device)
    two = query.shape[-2], key.shape[-2]
    added, hidden = (None, ~mask) if mask.dtype == torch.bool else (mask, low(mask))
    return [x if x is None else x.expand(*x.shape[:-2], *two) for x in (added, hidden)]


def see_mha(watch, place, function, args, kwargs):
    """Run the body of F.multi_head_attention_forward, and watch what it calls.

    It calls the kernel, which is replaced, or, if weights are requested, a softmax and a product,
    which the mode sees. The body first asks whether a mode wants to handle the call instead; here
    the answer is no.
    """

    def kernel(*args, **kwargs):
        return see_sdpa(watch, place, F.scaled_dot_product_attention, args, kwargs)

    names = {"has_torch_function": lambda tensors: False, "scaled_dot_product_attention": kernel}
    body = FunctionType(function.__code__, vars(F) | names, argdefs=function.__defaults__)
    with watch.mode if kwargs.get("need_weights", True) else nullcontext():
        return body(*args, **kwargs)


def has_fast_path(module, args, kwargs):
    """Whether, unwatched, other functions with another result would compute this.

    PyTorch's own encoder has such a path in eval mode; it sets padded positions to 0.
    """
    if module.training or not isinstance(module, FAST):
        return False
    if not torch.backends.mha.get_fastpath_enabled():
        return False
    given = [x for x in (*args, *kwargs.values()) if isinstance(x, torch.Tensor)]
    if not any(x.dtype == torch.bool or x.dim() == 2 for x in given):
        return False
    return not any(x._forward_hooks or x._forward_pre_hooks for x in list(module.modules())[1:])


def wide(dtype):
    """The dtype in which weights are recorded: float64 stays, all others become float32."""
    return torch.float64 if dtype == torch.float64 else torch.float32


def far(context, used, values):
    """The largest difference from what was used, relative to the largest value.

    Where both are NaN, or the same infinity, there is no difference.
    """
    if not used.numel():
        return 0.0
    used = used.to(context.dtype)
    off, size = _largest(context - used), _largest(values)
    if not math.isfinite(off + size):
        same = (context == used) | (context.isnan() & used.isnan())
        off = _largest((context - used).masked_fill(same, 0.0))
        size = _largest(values.nan_to_num(0.0, 0.0, 0.0))
    return off / max(size, 1e-30) if off else 0.0


def _largest(x):
    least, most = torch.aminmax(x)
    return max(-least.item(), most.item())


def low(scores, dim=-1):
    """Which scores, or entries of an additive mask, hide their key; None if none does.

    If all entries of a row are that low, none of them hides its key, except minus infinity.
    """
    hidden = scores <= LOW
    if not hidden.any():
        return None
    return (hidden & ~hidden.all(dim=dim, keepdim=True)) | (scores == float("-inf"))


def reach_of(hidden, keys):
    """The number of keys up to the last one that any query sees: a cache may have spare room."""
    if hidden is None or not hidden[..., -1].all():
        return keys
    seen = (~hidden).flatten(0, 2).any(0).nonzero()
    return int(seen[-1]) + 1 if len(seen) else keys


def compact(hidden):
    """The same booleans (batch, heads, queries, keys), with size 1 where a dimension is constant.

    None if nothing is hidden.
    """
    for dim in range(3) if hidden is not None else ():
        first = hidden.narrow(dim, 0, 1)
        if hidden.shape[dim] > 1 and (hidden.stride(dim) == 0 or (hidden == first).all()):
            hidden = first
    return hidden.clone() if hidden is not None and hidden.any() else None


FUSED = {
    F.scaled_dot_product_attention: see_sdpa,
    F.multi_head_attention_forward: see_mha,
}
