"""Which entries before (queries, keys) are the heads of one sequence: those that the model joins.

After attention, a layer puts the vectors of all its heads side by side, as one vector per token. If
sizes do not show which axis is heads, the entries of the result are numbered, and their numbers
follow every change of shape until a row contains all the heads of one sequence.
"""

from dataclasses import dataclass, field, replace

import torch
from torch import nn

from .fused import compact
from .places import batch_first, other_heads
from .written import Mark


@dataclass
class Merge(Mark):
    """The mark of a result of attention (…, queries, d) whose heads are not known yet.

    along   a tensor of its shape with the number of each entry before (queries, d)
    order   these numbers as (batch, heads), as the call was recorded
    calls   the Call, until it is settled
    firsts  (batch, heads, keys), of which a Call has the `tags` of one head
    size    d
    named   the numbers of heads that the layer states
    """

    order: torch.Tensor | None = None
    calls: list = field(default_factory=list)
    firsts: torch.Tensor | None = None
    size: int = 1
    named: set = frozenset()

    def moved(self, change):
        # a view that fits the result need not fit these expanded numbers
        found = replace(self, along=change(self.along.contiguous()))
        joined = _joined(found.along, self.size) if self.calls else None
        if joined is not None and joined.numel() == self.order.numel():
            self._settle(self.calls.pop(), joined)
        return found

    def _settle(self, call, joined):
        """Put the call's batch and heads in the order that the model has shown."""
        place = self.order.flatten().argsort()[joined]
        before = *batch_first(), *other_heads(self.order.shape[1], self.named)
        known = [x for x in call.doubts if x not in before]
        if call.heads is None:
            two = self.order.shape
            call.weights = call.weights.flatten(0, 1)[place]
            if call.hidden is not None:
                hidden = call.hidden.expand(*two, *call.hidden.shape[2:]).flatten(0, 1)
                call.hidden = compact(hidden[place])
            call.tags = self.firsts.flatten(0, 1)[place[:, 0]]
            self.order = joined
        elif not torch.equal(self.order, joined):  # other heads were to be recorded
            known += batch_first()
        call.doubts = (*known, *other_heads(self.order.shape[1], self.named))


def merge_of(place, layout, result, call, values):
    """The mark of this result, or None if its heads are known, or its axes are not these."""
    unsure = layout.doubts or layout.batch == layout.heads > 1
    unsure = unsure and not isinstance(place.module, nn.MultiheadAttention)  # which says it itself
    if not unsure or result is None or result.shape[:-2] != layout.leading:
        return None
    along = torch.arange(layout.batch * layout.heads, dtype=torch.int32, device=result.device)
    along = along.view(*layout.leading, 1, 1)
    order = layout.four(along)[:, :, 0, 0].long()
    firsts, size = values[..., 0].clone(), result.shape[-1]
    named = place.owner.heads
    return Merge(along.expand(result.shape), None, None, 0.0, order, [call], firsts, size, named)


def _joined(along, size):
    """The numbers of all entries as (sequences, heads), if each row joins whole heads; or None."""
    if along.dim() < 2 or not along.numel():
        return None
    rows = along.flatten(0, -2)
    if (rows[:, :1] == rows).all():
        return None
    firsts = {}
    for i, n in enumerate(rows[:, 0].tolist()):
        firsts.setdefault(n, i)
    found = [list(dict.fromkeys(rows[i].tolist())) for i in firsts.values()]
    every = sorted(n for row in found for n in row)
    whole = all(len(row) * size == rows.shape[-1] for row in found)
    return torch.tensor(found) if whole and every == list(range(len(every))) else None
