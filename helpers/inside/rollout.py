"""The maps of a call: each head, the average and the maximum of all heads, and rollout over layers.

A map is an array (queries, keys) in float32, NaN where a mask hides the key.
"""

import re
from collections import Counter

import numpy as np

SUMMARIES = ("average", "maximum", "rollout")


def maps_of(calls):
    """{head or summary: map} for each of these calls, of the first sequence of its batch.

    Rollout is for self-attention in layers that follow each other: those whose names differ only
    in numbers.
    """
    stacks = [(re.sub(r"\d+", "*", x.name), x.step, x.weights.shape[2:]) for x in calls]
    count, below, found = Counter(stacks), {}, []
    for call, stack in zip(calls, stacks):
        weights = call.weights[0].float().numpy(force=True).copy()
        hidden = (
            np.zeros(weights.shape, bool)
            if call.hidden is None
            else call.hidden[0].numpy(force=True)
        )
        every = hidden.all(axis=0)  # a key that any head sees is not hidden in a summary
        weights[np.isnan(weights)] = np.inf  # NaN means hidden: others are told of
        maps = dict(enumerate(np.where(hidden, np.nan, weights)))
        maps["average"] = np.where(every, np.nan, np.where(hidden, 0, weights).mean(axis=0))
        maps["maximum"] = np.where(every, np.nan, np.where(hidden, 0, weights).max(axis=0))
        if call.kind != "cross" and len(every) == every.shape[1] and count[stack] > 1:
            below[stack] = _mixed(maps["average"]) @ below.get(stack, np.eye(len(every)))
            maps["rollout"] = np.where(below[stack] > 0, below[stack], np.nan).astype(np.float32)
        found.append(maps)
    return found


def _mixed(average):
    """What a layer passes on: (W + I) / 2, where I stands for the residual connection.

    The product of these of all layers is rollout (Abnar and Zuidema, 2020, section 3).
    """
    mixed = (np.nan_to_num(average) + np.eye(len(average))) / 2
    return mixed / mixed.sum(axis=1, keepdims=True)  # a query without keys has only its own half
