"""Joins the steps of a decoder as one map; its KV cache may grow, slide or have spare room."""

from itertools import accumulate, pairwise

import torch

from .. import _
from .fused import compact


def _reach(call):
    """The number of keys up to the last one that any query sees: a cache may have spare room."""
    keys = call.weights.shape[3]
    if call.hidden is None or not call.hidden[..., -1].all():
        return keys
    seen = (~call.hidden).flatten(0, 2).any(0).nonzero()
    return int(seen[-1]) + 1 if len(seen) else keys


def after_cache(one, two):
    """For each sequence of `two`, the one of `one` that it continues; beams change their order.

    A sliding cache may have dropped keys. None if the keys are not those of the call before, and
    one more for each query.
    """
    before, reach = _reach(one), _reach(two)
    kept = reach - two.weights.shape[2]
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
    last, rows = calls[-1].weights, [call.weights.shape[2] for call in calls]
    ends = list(accumulate(rows, initial=_reach(calls[0]) - rows[0]))
    keys = last.shape[3] if crosses else ends[-1]
    weights = last.new_zeros(*last.shape[:2], sum(rows), keys)
    hidden = torch.ones(weights.shape, dtype=torch.bool, device=last.device)
    still = beam = torch.arange(len(last), device=last.device)
    for i in reversed(range(len(calls))):
        call, reach = calls[i], _reach(calls[i])
        own, start = ends[i] - ends[0], 0 if crosses else ends[i + 1] - reach
        part = (..., slice(own, own + rows[i]), slice(start, start + reach))
        mask = torch.zeros_like(call.weights) > 0 if call.hidden is None else call.hidden
        weights[part] = call.weights[beam, ..., :reach]
        hidden[part] = mask.expand_as(call.weights)[beam, ..., :reach]
        beam = orders[i - 1][beam] if i else beam
    errors = [call.error for call in calls]
    doubts = dict.fromkeys(doubt for call in calls for doubt in call.doubts)
    if any((order != still).any() for order in orders):
        text = _("these are the beams of the last step, and the words may be those of another beam")
        doubts[text] = None
    error = None if None in errors else max(errors)
    return {"weights": weights, "hidden": compact(hidden), "error": error, "doubts": tuple(doubts)}
