"""Attention in one call: F.scaled_dot_product_attention, and the function of nn.MultiheadAttention.

A fused kernel never stores the weights, so they are computed again from the queries, keys and masks
of the call: softmax(QKᵀ · scale + mask). Dropout cannot be repeated: of a kernel that drops
weights, those before dropout are shown, unchecked.
"""

import math
from types import FunctionType

import torch
from torch import nn
from torch.nn import functional as F

from .. import _
from .marks import low
from .places import Refused

ENCODER = nn.TransformerEncoder.forward


def sdpa(watch, function, args, kwargs, result):
    """Record the weights of a call of F.scaled_dot_product_attention."""
    names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale")
    given = dict(zip(names, args)) | kwargs
    if result.is_nested:
        raise Refused(_("it was called with nested tensors"))
    query, key, value = (given[name].to(result.dtype) for name in names[:3])  # as autocast does
    mask, scale, dropout = (given.get(name) for name in ("attn_mask", "scale", "dropout_p"))
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    if _is_packed(watch.stack, query, key):
        query, result, mask = map(_unpacked, (query, result, mask))
    if query.dim() > 3 and key.shape[-3] != query.shape[-3]:  # heads that share keys
        key, value = (x.repeat_interleave(query.shape[-3] // x.shape[-3], -3) for x in (key, value))
    watch.make_room((*query.shape[:-1], key.shape[-2]))
    wide = torch.float64 if result.dtype == torch.float64 else torch.float32
    scores = (query.to(wide) * scale) @ key.to(wide).mT
    if given.get("is_causal"):
        mask = scores.new_ones(scores.shape[-2:], dtype=torch.bool).tril()
    hidden = None
    if mask is not None and mask.dtype == torch.bool:
        hidden = ~mask
        scores.masked_fill_(hidden, -math.inf)
    elif mask is not None:
        hidden = low(mask)
        scores += mask
    weights = scores.softmax(-1)
    if hidden is not None and (blind := hidden.all(-1, keepdim=True)).any():
        weights.masked_fill_(blind, 0.0)  # softmax gives NaN there, and a kernel 0
    watch.record(weights, value, result, hidden, checked=not dropout)


def _is_packed(stack, query, key):
    """Whether heads that share keys stand where queries do, as transformers arranges one token."""
    place = next((place for place in reversed(stack) if place.heads), None)
    if place is None or query.dim() != 4 or key.shape[1] != query.shape[1]:
        return False
    one_token = (len(query), 1) in place.sizes and query.shape[2] > 1
    return one_token and query.shape[1] * query.shape[2] in place.heads


def _unpacked(x):
    """x (batch, shared, heads, d) as (batch, shared · heads, 1, d)."""
    return x if x is None or x.shape[1] == 1 else x.flatten(1, 2)[:, :, None]


def multi_head(watch, function, args, kwargs):
    """Run the body of F.multi_head_attention_forward with the watch on, so that it is seen.

    It first asks whether a mode wants to handle the call instead; here the answer is no.
    """
    names = {"has_torch_function": lambda tensors: False}
    body = FunctionType(function.__code__, vars(F) | names, argdefs=function.__defaults__)
    with watch.mode:
        return body(*args, **kwargs)


def blank_rows(encoder, src, mask=None, src_key_padding_mask=None, is_causal=None):
    """Which positions PyTorch's own encoder sets to 0 if it is not watched; None if none.

    In eval mode it takes a path of its own, which leaves padding out, under these conditions.
    """
    first, padding = encoder.layers[0], src_key_padding_mask
    if padding is None or mask is not None or src.dim() != 3 or src.is_nested or first.training:
        return None
    if not encoder.use_nested_tensor or not torch.backends.mha.get_fastpath_enabled():
        return None
    learns = any(x.requires_grad for x in (src, *first.parameters()))
    if torch.is_autocast_enabled(src.device.type) or torch.is_grad_enabled() and learns:
        return None
    blank = padding if padding.dtype == torch.bool else padding != 0
    aligned = not encoder.mask_check or torch._nested_tensor_from_mask_left_aligned(src, ~blank)
    return blank if aligned else None
