"""Attention in one call: F.scaled_dot_product_attention and F.multi_head_attention_forward.

A fused kernel never stores the weights, so they are computed once more from the queries and keys
that it was given: softmax(QKᵀ · scale + mask). Then they are multiplied with the values, and
compared with what the kernel gave the model.
"""

import inspect
from functools import partial

import torch
from torch.nn import functional as F

from .asked import Asked, as_one_call, projected
from .beside import Dice, beside, far
from .seeing import TOLERANCES

_MHA = inspect.signature(F.multi_head_attention_forward)


def see_sdpa(watch, place, function, args, kwargs):
    """Call F.scaled_dot_product_attention, keep its weights, return what it returned."""
    dropout = kwargs.get("dropout_p", args[4] if len(args) > 4 else 0.0)
    dice = Dice(kwargs.get("query", args[0] if args else None).device) if dropout else None
    result = function(*args, **kwargs)
    with beside():
        if not result.is_nested:
            asked, used = as_one_call(place, result.detach(), *args, **kwargs)
            attend = partial(_kernel, asked, function)
            _keep(watch, place, asked, used, lambda x: x, dice, partial(asked.drawn, attend))
    return result


def see_mha(watch, place, function, args, kwargs):
    """Call F.multi_head_attention_forward, keep its weights, return what it returned."""
    given = _MHA.bind(*args, **kwargs)
    given.apply_defaults()
    given = given.arguments
    dice = Dice(given["query"].device) if given["training"] and given["dropout_p"] else None
    result = function(*args, **kwargs)
    with beside():
        used = result[0].detach()
        used = used[:, None] if used.dim() == 2 else used  # (queries, batch, d_model)
        asked = projected(given, used.dtype)
        kind = asked.kind
        weight, bias = (
            None if x is None else x.detach().to(used.dtype).to(kind)
            for x in (given["out_proj_weight"], given["out_proj_bias"])
        )

        def mix(context):  # (batch, heads, queries, head_dim) → (queries, batch, d_model)
            return F.linear(context.permute(2, 0, 1, 3).flatten(2), weight, bias)

        attend = partial(_kernel, asked, F.scaled_dot_product_attention)
        draw = asked.drawn_explicitly if given["need_weights"] else partial(asked.drawn, attend)
        _keep(watch, place, asked, used, mix, dice, draw, mixed=True)
    return result


def _kernel(asked, function, value):
    """What the kernel makes of the same queries and keys, and other values."""
    mask = asked.mask()
    shared = {"enable_gqa": True} if asked.query.shape[1] != value.shape[1] else {}
    query, key, scale = asked.query, asked.key, asked.scale
    return function(query, key, value, mask, asked.dropout, scale=scale, **shared)


def _keep(watch, place, asked: Asked, used, mix, dice, draw, mixed=False):
    """Weigh, compare with what the model used, and keep.

    mix    context (batch, heads, queries, d_v) → what the model got
    mixed  whether that mixes the heads, so that a part of them cannot be compared with it
    draw   which weights the kernel did not drop, for some heads
    """
    picked = watch.picked(place, asked.query.shape[1])
    only = asked.only(picked)
    hidden = only.shown()
    watch.room(place, only.shape, only.kind, 0 if hidden is None else hidden.nbytes)
    weights = only.weights()
    if dice is not None:
        whole = weights.clone()
        weights = _drop(weights, draw(dice, picked), asked.dropout)
    if mixed and picked is not None:
        error = far(mix(_all_heads(asked, dice, draw)), used)
    else:
        part = used if picked is None or mixed else used[:, list(picked)]
        error = far(mix(only.context(weights)), part, None if mixed else only.value)
    drawn = dice is None or error <= TOLERANCES[used.dtype]
    watch.keep(
        place,
        weights if drawn else whole,
        hidden,
        dropout=asked.dropout,
        draw=drawn,
        error=error,
        dtype=used.dtype,
    )


def _drop(weights, kept, share):
    """The weights after dropout: those that are kept grow, so that the mean stays."""
    return weights.mul_(kept).div_(1 - share) if share < 1 else weights.zero_()


def _all_heads(asked, dice, draw):
    """The context of every head, one after the other: their weights are never there at once."""
    contexts = []
    for head in range(asked.query.shape[1]):
        one = asked.only((head,))
        weights = one.weights()
        if dice is not None:
            weights = _drop(weights, draw(dice, (head,)), asked.dropout)
        contexts.append(one.context(weights))
    return torch.cat(contexts, dim=1)


FUSED = {
    F.scaled_dot_product_attention: see_sdpa,
    F.multi_head_attention_forward: see_mha,
}
