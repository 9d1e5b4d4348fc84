"""Attention in one call: F.scaled_dot_product_attention, nn.MultiheadAttention.

A fused kernel never stores the weights, so they are computed once more from the queries, keys and
masks that it was given: softmax(QKᵀ · scale + mask); those of nn.MultiheadAttention by its own
function, which gives them where it is asked. The context that comes out of them is compared with what
the kernel gave the model. Dropout cannot be drawn again: of a call that
drops weights they are shown as before, and this is said.
"""

import inspect

import torch
from torch.nn import functional as F

from .seeing import far, low, wide

_MHA = inspect.signature(F.multi_head_attention_forward)


def see_sdpa(watch, place, function, args, kwargs):
    """Call F.scaled_dot_product_attention, keep its weights, return what it returned."""
    result = function(*args, **kwargs)
    if not result.is_nested:
        with watch.beside():
            _keep_sdpa(watch, place, result.detach(), *args, **kwargs)
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
    query, key, value = (x.detach().to(used.dtype) for x in (query, key, value))  # as autocast does
    if enable_gqa:  # heads that share keys have their own copy
        key, value = (x.repeat_interleave(query.shape[-3] // x.shape[-3], -3) for x in (key, value))
    layout = place.layout(used.shape[:-2], query.shape[-2], key.shape[-2])
    mask, hidden = _masks(query, key, attn_mask, is_causal)
    query, key, value, used, mask, hidden = map(
        layout.four, (query, key, value, used, mask, hidden)
    )
    doubts = layout.doubts + tuple(place.doubts(layout, query.shape[2], key.shape[2]))
    if _packed(place.module, query, key):
        key, value = (x.repeat_interleave(query.shape[2], 1) for x in (key, value))
        query, used, mask, hidden = map(_unpacked, (query, used, mask, hidden))
        doubts = ()
    (batch, heads, queries, _), keys = query.shape, key.shape[2]
    tags = value[:, 0, :, 0]
    kept = watch.picked(place, heads)
    query, key, value, used, mask, hidden = (
        x if x is None or kept is None or x.shape[1] == 1 else x[:, list(kept)]
        for x in (query, key, value, used, mask, hidden)
    )
    kind = wide(used.dtype)
    watch.room(place, (batch, query.shape[1], queries, keys), kind)
    query, key, value = (x.to(kind) for x in (query, key, value))
    weights = (query * (query.shape[-1] ** -0.5 if scale is None else scale)) @ key.mT
    if mask is not None:
        weights += mask.to(kind).log() if mask.dtype == torch.bool else mask
    torch.softmax(weights, -1, out=weights)  # in place: a second matrix would double what it takes
    if hidden is not None:  # a query that sees nothing has NaN, and a kernel gives 0
        weights.masked_fill_(hidden.all(-1, keepdim=True), 0.0)
    context = weights @ value
    error = None if dropout_p else far(context, used, value)
    watch.keep(
        place, weights, hidden, tags, doubts, error=error, dropout=dropout_p, dtype=used.dtype
    )


def _masks(query, key, mask, is_causal):
    """(what is added, or True where seen; True where hidden) of the mask of a call, or None twice."""
    if is_causal:
        mask = query.new_ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
    if mask is None:
        return None, None
    if hasattr(mask, "_materialize"):  # torch.nn.attention.bias: a mask that is only described
        mask = mask._materialize(query.device)
    mask = mask.detach()
    hidden = ~mask if mask.dtype == torch.bool else low(mask)
    two = query.shape[-2], key.shape[-2]
    return [x if x is None else x.expand(*x.shape[:-2], *two) for x in (mask, hidden)]


def _packed(module, query, key):
    """Whether heads that share a key stand where queries do, as Hugging Face has it for one query.

    It attends for one new token as if its heads of a group were several queries of one head.
    """
    groups = getattr(module, "num_key_value_groups", 1)
    heads = getattr(getattr(module, "config", None), "num_attention_heads", None)
    packed = isinstance(groups, int) and groups > 1 and query.shape[2] == groups
    return packed and query.shape[1] == key.shape[1] and query.shape[1] * groups == heads


def _unpacked(x):
    """(batch, fewer heads, groups, d) as (batch, heads, 1, d)."""
    return None if x is None else x.reshape(len(x), -1, 1, x.shape[-1])


def see_mha(watch, place, function, args, kwargs):
    """Call F.multi_head_attention_forward, keep its weights, return what it returned."""
    result = function(*args, **kwargs)
    with watch.beside(autocast=True):
        given = _MHA.bind(*args, **kwargs)
        given.apply_defaults()
        _keep_mha(watch, place, function, given.arguments, result[0].detach())
    return result


def _keep_mha(watch, place, function, given, used):
    """The weights are those that the same function gives where it is asked for them."""
    query, key, value = (given[name].detach() for name in ("query", "key", "value"))
    batch, heads = query.shape[1] if query.dim() == 3 else 1, given["num_heads"]
    static = key if given["static_k"] is None else given["static_k"].transpose(0, 1)
    keys = len(static) + (given["bias_k"] is not None) + given["add_zero_attn"]
    kept, kind = watch.picked(place, heads), wide(used.dtype)
    watch.room(place, (batch, len(kept) if kept else heads, len(query), keys), kind)
    dropout = given["dropout_p"] if given["training"] else 0.0
    asked = given | {"need_weights": True, "average_attn_weights": False, "training": False}
    hinted = given["is_causal"] and given["key_padding_mask"] is None and not given["need_weights"]
    if hinted:  # then it trusts the hint, and does not look at the mask
        mask = torch.ones(len(query), len(key), dtype=torch.bool, device=query.device).triu(1)
        asked["attn_mask"] = mask
    context, weights = function(**asked | {"is_causal": False})
    if not given["need_weights"]:  # where a query sees nothing, only what stores weights has NaN
        weights, context = weights.nan_to_num(0.0), torch.where(context.isnan(), used, context)
    weights = weights.detach().reshape(batch, heads, *weights.shape[-2:]).to(kind)
    weights = weights if kept is None else weights[:, list(kept)]
    hidden = _hidden_of_two(asked, weights, batch, kept)
    tags = (value[:, None] if value.dim() == 2 else value)[..., 0].T  # (batch, keys)
    error = None if dropout else far(context.to(kind), used)
    watch.keep(place, weights, hidden, tags, (), error=error, dropout=dropout, dtype=used.dtype)


def _hidden_of_two(given, weights, batch, kept):
    """Where nn.MultiheadAttention's two masks hide, like the weights; None if neither does."""
    own, padding = given["attn_mask"], given["key_padding_mask"]
    if own is not None:
        own = own.detach()
        own = own[None, None] if own.dim() == 2 else own.unflatten(0, (batch, -1))
        own = own if kept is None or own.shape[1] == 1 else own[:, list(kept)]
    if padding is not None:
        padding = padding.detach().reshape(batch, 1, 1, -1)
    hidden = torch.zeros(1, 1, 1, 1, dtype=torch.bool, device=weights.device)
    added = 0.0
    for mask in (own, padding):
        if mask is not None:
            mask = F.pad(mask, (0, weights.shape[-1] - mask.shape[-1]))  # what was added, is seen
            if mask.dtype == torch.bool:
                hidden = hidden | mask
            else:
                added = added + mask
    deep = low(added) if isinstance(added, torch.Tensor) else None
    hidden = hidden if deep is None else hidden | deep
    return hidden.expand_as(weights) if hidden.any() else None


FUSED = {
    F.scaled_dot_product_attention: see_sdpa,
    torch.ops.aten.scaled_dot_product_attention.default: see_sdpa,  # in a graph of torch.export
    F.multi_head_attention_forward: see_mha,
}
