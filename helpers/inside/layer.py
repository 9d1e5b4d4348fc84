"""A Layer: its map of each head, of all heads, or rollout, and any part of a map with its words."""

import re
from collections import Counter
from dataclasses import dataclass, replace

import torch
from torch.nn import functional as F

from .picking import SUMMARIES


@dataclass(frozen=True, eq=False)
class Layer:
    """What the heads of one layer attended to, in one call.

    step      index of the call among those of the layer, from 0
    sequence  index in the batch
    heads     indices of these heads in the layer, from 0, or "average" and "maximum"
    weights   a tensor (heads, queries, keys), as it was recorded
    hidden    booleans of its shape, or None
    rows, columns   the words of the queries, and of the keys
    numbered  whether these are positions, because it is unknown which words they belong to
    rollout   a tensor (queries, keys), NaN where nothing is reached; None if there is none
    """

    name: str
    step: int
    sequence: int
    heads: tuple
    weights: torch.Tensor
    hidden: torch.Tensor | None
    rows: list
    columns: list
    numbered: bool = False
    rollout: torch.Tensor | None = None

    def map(self, head, rows=slice(None), columns=slice(None)):
        """The weights of one head, the "average" or "maximum", or "rollout"; None if missing.

        Float32, NaN where hidden. A key that any head sees is not hidden in a summary of heads."""
        here = slice(None), rows, columns
        if head == "rollout":
            return None if self.rollout is None else self.rollout[rows, columns]
        if head in self.heads:
            picked = [self.heads.index(head)]
        elif head in SUMMARIES and not set(SUMMARIES) & set(self.heads):
            picked = range(len(self.heads))
        else:
            return None
        hidden, found = None if self.hidden is None else self.hidden[here], None
        for i in picked:
            one = self.weights[here][i].float()
            one = one if hidden is None else one.masked_fill(hidden[i], 0.0)
            add = torch.maximum if head == "maximum" else torch.add
            found = one if found is None else add(found, one)
        found = found / len(picked) if head == "average" else found
        if hidden is None:
            return found
        return found.masked_fill(hidden[picked].all(0), torch.nan)

    def region(self, head, rows, columns, side):
        """(map, words of queries, of keys) of the tokens in two ranges, with at most `side` of each.

        Of more tokens, several make one cell, with the largest of their weights; None if missing.
        """
        rows, columns = range(len(self.rows))[rows], range(len(self.columns))[columns]
        if not rows or not columns:
            return None
        tall, wide = (max(1, -(-len(x) // side)) for x in (rows, columns))
        across, bands, step = slice(columns.start, columns.stop), [], 64 * tall
        for start in range(rows.start, rows.stop, step):
            band = slice(start, min(start + step, rows.stop))
            found = self.map(head, band, across)
            if found is None:
                return None
            if tall * wide > 1:
                found = found.nan_to_num(-1.0)[None, None]
                found = F.max_pool2d(found, (tall, wide), ceil_mode=True)[0, 0]
                found = found.masked_fill(found < 0, torch.nan)
            bands.append(found)
        words = _blocks(self.rows, rows, tall), _blocks(self.columns, columns, wide)
        return torch.cat(bands).numpy(force=True), *words


def _blocks(words, positions, size):
    """The words at these positions or, of several that make one cell, the first and the last."""
    firsts = positions[::size]
    if size == 1:
        return [words[i] for i in firsts]
    return [f"{words[i]} … {words[min(i + size, positions.stop) - 1]}" for i in firsts]


def with_rollout(layers, calls):
    """The same layers with rollout, for self-attention through several layers.

    The averages of a stack's layers up to this one are multiplied, each mixed half and half with
    the identity, which stands for the residual connection: R = (W/2 + I/2) R of the layer below
    (Abnar and Zuidema, 2020, section 3). Layers form a stack if their names differ only in numbers.
    """
    stacks = [(re.sub(r"\d+", "*", x.name), x.step, x.weights.shape[1:]) for x in layers]
    count, below, found = Counter(stacks), {}, []
    for layer, call, stack in zip(layers, calls, stacks):
        square = call.queries is None and stack[2][0] == stack[2][1]
        if call.kind == "cross" or not square or count[stack] < 2:
            found.append(layer)
            continue
        average = layer.map("average")
        own = torch.eye(len(average), dtype=torch.bool, device=average.device)
        mixed = average.nan_to_num() / 2 + own / 2
        mixed /= mixed.sum(1, keepdim=True)  # a query without keys has only its own half
        reached = ~average.isnan() | own
        if stack in below:
            lower, heard = below[stack]
            mixed, reached = mixed @ lower, reached.float() @ heard.float() > 0
        below[stack] = mixed, reached
        found.append(replace(layer, rollout=mixed.masked_fill(~reached, torch.nan)))
    return found
