"""Rollout: which tokens a place of a layer may have heard of, through all layers below."""

import re
from collections import Counter

import numpy as np


def many(n, w):
    return f"{n:,} {w}s"


ONE = "'{}' is the only layer of its kind, and rollout follows several, one above the other"
OTHERS = "'{}' looks at another sequence, and rollout follows self-attention from layer to layer"
UNEQUAL = "'{}' has {} and {}, and rollout needs as many of both"


def rollouts(calls, averages):
    """For each call its rollout (queries, keys), NaN where nothing is reached; or why there is none.

    averages   of each call over its heads, NaN where hidden

    From the first layer of a stack up to this one, the averages are multiplied, each mixed half and
    half with the identity, for the path past the layer: R = (W/2 + I/2) R of the layer below
    (Abnar and Zuidema, 2020, section 3). Layers are of one stack if their names differ in numbers alone.
    """
    stacks = [
        (re.sub(r"\d+", "*", call.name), call.step, a.shape) for call, a in zip(calls, averages)
    ]
    count, below, found = Counter(stacks), {}, []
    for call, average, stack in zip(calls, averages, stacks):
        why = _why_not(call, average.shape, count[stack])
        if why:
            found.append(why)
            continue
        own = np.eye(len(average), dtype=bool)
        mixed = np.nan_to_num(average) / 2 + own / 2
        mixed /= mixed.sum(1, keepdims=True)  # a query that sees nothing has its own half alone
        reached = ~np.isnan(average) | own
        if stack in below:
            lower, heard = below[stack]
            mixed, reached = mixed @ lower, reached.astype(np.float32) @ heard > 0
        below[stack] = mixed, reached
        found.append(np.where(reached, mixed, np.nan).astype(np.float32))
    return found


def _why_not(call, shape, layers):
    if call.kind == "cross":
        return OTHERS.format(call.name)
    if shape[0] != shape[1]:
        return UNEQUAL.format(call.name, many(shape[0], "query"), many(shape[1], "key"))
    return ONE.format(call.name) if layers < 2 else ""
