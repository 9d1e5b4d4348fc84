"""Joins the steps of a decoder as one map; its KV cache may grow, slide or have spare room."""

from itertools import accumulate, pairwise

import torch

from .. import _
from .fused import compact
from .picking import kind_of


def after_cache(one, two):
    """For each sequence of `two`, the one of `one` that it continues; beams change their order.

    A sliding cache may have dropped keys. None if the keys are not those of the call before, and
    one more for each query.
    """
    before, reach = one.reach, two.reach
    kept = reach - two.asked
    if not 0 < kept <= before or len(one.tags) != len(two.tags):
        return None
    old, new = one.tags[:, before - kept : before], two.tags[:, :kept]
    if torch.equal(old, new):
        return torch.arange(len(new), device=new.device)
    same = (old[:, None] == new).all(-1)
    return same.int().argmax(0) if same.any(0).all() else None


def orders_of(calls):
    """How these calls of a layer continue each other as the steps of one cache; or None."""
    if len(calls) < 2 or calls[0].kind == "cross":
        return None
    found = [after_cache(*pair) for pair in pairwise(calls)]
    return None if any(order is None for order in found) else found


def join(calls, orders, crosses):
    """The fields of a Call that joins all of these: weights, hidden, error and doubts.

    orders   which sequences are continued, from each step to the next
    crosses  whether the keys never change, as those of another sequence
    """
    last, asked = calls[-1].weights, [call.asked for call in calls]
    ends = list(accumulate(asked, initial=calls[0].reach - asked[0]))
    firsts = list(accumulate((call.weights.shape[2] for call in calls), initial=0))
    keys = last.shape[3] if crosses else ends[-1]
    shape = *last.shape[:2], firsts[-1], keys
    weights = last.new_zeros(shape, dtype=kind_of(last.dtype, *shape[2:]))
    hidden = torch.ones(shape, dtype=torch.bool, device=last.device)
    still = beam = torch.arange(len(last), device=last.device)
    for i in reversed(range(len(calls))):
        call, reach = calls[i], calls[i].reach
        start = 0 if crosses else ends[i + 1] - reach
        where = (..., slice(firsts[i], firsts[i + 1]), slice(start, start + reach))
        mask = torch.zeros_like(call.weights) > 0 if call.hidden is None else call.hidden
        weights[where] = call.weights[beam, ..., :reach].to(weights.dtype)
        hidden[where] = mask.expand_as(call.weights)[beam, ..., :reach]
        beam = orders[i - 1][beam] if i else beam
    errors = [call.error for call in calls]
    doubts = dict.fromkeys(doubt for call in calls for doubt in call.doubts)
    if any((order != still).any() for order in orders):
        text = _("these are the beams of the last step, and the words may be those of another beam")
        doubts[text] = None
    error = None if None in errors else max(errors)
    found = {"weights": weights, "hidden": compact(hidden), "error": error, "doubts": tuple(doubts)}
    if calls[0].queries is not None:
        rows = (end - ends[0] + i for call, end in zip(calls, ends) for i in call.queries)
        found["queries"] = tuple(rows)
    return found | {"asked": sum(asked), "reach": keys}
