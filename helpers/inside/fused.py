"""Attention in one call: F.scaled_dot_product_attention, flex_attention, nn.MultiheadAttention.

A fused kernel never stores the weights, so they are computed once more from the queries and keys
that it was given: softmax(QKᵀ · scale + mask). Which of them dropout took, the kernel itself tells
(Asked.probed), and so it does where scores may be anything, in flex_attention. Then they are
multiplied with the values, and compared with what the kernel gave the model.
"""

import inspect
from functools import partial

import torch
from torch._ops import HigherOrderOperator
from torch.nn import functional as F

from . import doubts
from .asked import Asked, as_one_call, projected
from .beside import Dice, far
from .seeing import TOLERANCES

_MHA = inspect.signature(F.multi_head_attention_forward)


def see_sdpa(watch, place, function, args, kwargs):
    """Call F.scaled_dot_product_attention, keep its weights, return what it returned."""
    dropout = kwargs.get("dropout_p", args[4] if len(args) > 4 else 0.0)
    dice = Dice(kwargs.get("query", args[0] if args else None).device) if dropout else None
    result = function(*args, **kwargs)
    if not result.is_nested:
        with watch.careful():
            asked, used = as_one_call(place, result.detach(), *args, **kwargs)
            draw = dice and partial(_drawn, asked, dice)
            _keep(watch, place, asked, used, result, draw=draw)
    return result


def see_flex(watch, place, function, args, kwargs):
    """Call what flex_attention comes down to, keep its weights, return what it returned."""
    from torch.nn.attention.flex_attention import create_mask  # slow to import

    result = function(*args, **kwargs)
    with watch.careful():
        used = result[0].detach()
        asked = Asked(*(x.detach().to(used.dtype) for x in args[:3]))
        visible = args[4][-1]  # a function of batch, head, query and key
        asked.hidden = ~create_mask(visible, *asked.shape, device=used.device)

        def attend(values):
            return function(asked.query, asked.key, values, *args[3:], **kwargs)[0]

        _keep(watch, place, asked, used, result[0], weigh=partial(asked.probed, attend))
    return result


def see_mha(watch, place, function, args, kwargs):
    """Call F.multi_head_attention_forward, keep its weights, return what it returned."""
    given = _MHA.bind(*args, **kwargs)
    given.apply_defaults()
    given = given.arguments
    dice = Dice(given["query"].device) if given["training"] and given["dropout_p"] else None
    result = function(*args, **kwargs)
    with watch.careful():
        used = result[0].detach()
        used = used[:, None] if used.dim() == 2 else used  # (queries, batch, d_model)
        asked = projected(given, used.dtype)
        weight, bias = (
            None if x is None else x.detach().to(used.dtype).to(asked.kind)
            for x in (given["out_proj_weight"], given["out_proj_bias"])
        )

        def mix(context):  # (batch, heads, queries, head_dim) → (queries, batch, d_model)
            return F.linear(context.permute(2, 0, 1, 3).flatten(2), weight, bias)

        drawn = _drawn_explicitly if given["need_weights"] else _drawn
        draw = dice and partial(drawn, asked, dice)
        _keep(watch, place, asked, used, result[0], draw=draw, mix=mix)
    return result


def _drawn(asked, dice, heads):
    """Which weights a kernel kept in its dropout: it is asked again, with the same dice."""
    mask, shared = asked.mask(), asked.query.shape[1] != asked.value.shape[1]

    def attend(values):
        with dice.again():
            return F.scaled_dot_product_attention(
                asked.query,
                asked.key,
                values,
                mask,
                asked.dropout,
                scale=asked.scale,
                enable_gqa=shared,
            )

    return asked.probed(attend, heads) != 0


def _drawn_explicitly(asked, dice, heads):
    """The same for nn.MultiheadAttention where it stores the weights, as (batch · heads, …)."""
    batch, every, queries, keys = asked.shape
    ones = asked.query.new_ones(batch * every, queries, keys)
    with dice.again():
        kept = F.dropout(ones, asked.dropout).view(asked.shape) != 0
    return kept if heads is None else kept[:, list(heads)]


def _keep(watch, place, asked, used, result, weigh=None, draw=None, mix=None):
    """Weigh, compare with what the model used, and keep.

    used   what the model used, laid out as asked; result: the same as the model got it
    weigh  heads → their weights, where this is not softmax(QKᵀ · scale + mask)
    draw   heads → which of their weights dropout kept; None where there is no dropout
    mix    context (batch, heads, queries, d_v) → what the model got, if it mixes the heads
    """
    heads = watch.picked(place, asked.query.shape[1])
    only = asked.only(heads)
    watch.room(place, only.shape, only.kind)
    hidden = only.shown()

    def weights_of(heads, draw):
        weights = (weigh(heads) if weigh else asked.only(heads).weights()).to(asked.kind)
        if draw is None:
            return weights
        share = asked.dropout  # what is kept grows, so that the mean stays
        return weights.mul_(draw(heads)).div_(1 - share) if share < 1 else weights.zero_()

    weights = weights_of(heads, draw)
    if mix is None:
        part = used if heads is None else used[:, list(heads)]
        error = far(only.context(weights), part, only.value)
    elif heads is None:
        error = far(mix(only.context(weights)), used)
    else:  # all heads are needed, one after the other, so that they are never there at once
        every = [(head,) for head in range(asked.query.shape[1])]
        contexts = [asked.only(one).context(weights_of(one, draw)) for one in every]
        error = far(mix(torch.cat(contexts, dim=1)), used)
    drawn = draw is None or error <= TOLERANCES[used.dtype]
    if not drawn:
        weights = weights_of(heads, None)
    known = {"draw": drawn, "error": error, "dtype": used.dtype, "dropout": asked.dropout}
    leading = () if mix else result.shape[:-2]
    if not mix:
        known["doubts"] = (doubts.of_heads(place, *asked.shape),)
    watch.keep(place, weights, hidden, result, leading, **known)


FUSED = {
    F.scaled_dot_product_attention: see_sdpa,
    torch.ops.aten.scaled_dot_product_attention.default: see_sdpa,  # in a graph of torch.export
    F.multi_head_attention_forward: see_mha,
}


def fused(function):
    """What sees a call of this function, or None."""
    if isinstance(function, HigherOrderOperator) and function.name() == "flex_attention":
        return see_flex
    return FUSED.get(function)
