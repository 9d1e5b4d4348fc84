"""Which weights of a call are recorded: all of them, or those of some heads and queries.

A map has as many entries as queries times keys, so a long text has large maps. They are therefore
computed a few queries at a time, and only what was picked is recorded, large maps in float16.
"""

import torch

from .. import _

SUMMARIES = ("average", "maximum")
LARGE = 2**18  # a map with more entries is recorded in float16, whose rounding no picture shows
AT_ONCE = 2**20  # weights that are computed at a time


def kind_of(dtype, queries, keys):
    """The dtype in which weights are recorded that were computed in this one."""
    return torch.float16 if queries * keys > LARGE else dtype


class Picks:
    """The heads and queries that are recorded; None for all.

    heads    indices from 0, "average" and "maximum", or a list of these
    queries  an index, a list of indices, or a slice, of the queries of each call
    """

    def __init__(self, heads, queries):
        given = [heads] if isinstance(heads, int | str) else heads
        known = (x for x in given or () if type(x) is int and x >= 0 or x in SUMMARIES)
        if given is not None and (not given or len(list(known)) < len(given)):
            text = _('watch: heads={x!r}; pass indices from 0, "average" or "maximum", or a list')
            raise TypeError(text.format(x=heads))
        rows = [queries] if isinstance(queries, int) else queries
        indices = isinstance(rows, list | tuple | range) and set(map(type, rows)) == {int}
        if not (indices or rows is None or isinstance(rows, slice)):
            text = _("watch: queries={x!r}; pass indices, such as [0, -1], or a slice")
            raise TypeError(text.format(x=queries))
        self.heads, self.queries = given and list(dict.fromkeys(given)), rows

    def computed(self, heads):
        """The heads whose weights are needed, as an index."""
        if self.heads is None or set(self.heads) & set(SUMMARIES):
            return slice(None)
        return self.heads

    def rows(self, queries):
        """The positions of the recorded queries among so many; None for all."""
        if self.queries is None:
            return None
        every = range(queries)
        if isinstance(self.queries, slice):
            return tuple(every[self.queries])
        return tuple(every[i] for i in self.queries if -queries <= i < queries)

    def misfit(self, name, heads, rows):
        """A message if the call does not have what was picked, else None."""
        wanted = [x for x in self.heads or () if x not in SUMMARIES and x >= heads]
        if wanted:
            text = _("watch: heads has {x}, but {name!r} has 0 to {last}, counted from 0")
            return text.format(x=wanted[0], name=name, last=heads - 1)
        if rows is not None and not rows:
            text = _("watch: {name!r} was called without any of queries={x!r}")
            return text.format(name=name, x=self.queries)
        return None

    def of(self, weights):
        """Of the weights of the computed heads, what is recorded."""
        if self.heads is None or not set(self.heads) & set(SUMMARIES):
            return weights
        return torch.cat([self._one(weights, head) for head in self.heads], 1)

    def _one(self, weights, head):
        if head == "average":
            return weights.mean(1, keepdim=True)
        return weights.amax(1, keepdim=True) if head == "maximum" else weights[:, head, None]

    def hidden(self, hidden, rows):
        """The same of booleans whose axes may have size 1; a summary hides what all heads hide."""
        if hidden is None:
            return None
        if self.heads is not None and hidden.shape[1] > 1:
            every = hidden.all(1, keepdim=True)
            parts = [every if x in SUMMARIES else hidden[:, x, None] for x in self.heads]
            hidden = torch.cat(parts, 1)
        return hidden[:, :, list(rows)] if rows is not None and hidden.shape[2] > 1 else hidden

    def advice(self, layers, batch):
        """What would make the recorded weights fewer and has not been done yet."""
        said = [_("layers=") if layers is None else "", _("heads=") if not self.heads else ""]
        said += [_("queries=") if self.queries is None else ""]
        said += [_("a smaller batch") if batch > 1 else "", _("fewer tokens")]
        return ", ".join(filter(None, said))


def part(x, heads, rows):
    """x (batch, heads, queries, …) of some heads and queries; an axis of size 1 serves them all."""
    x = x[:, heads] if x.shape[1] > 1 else x
    return x[:, :, rows] if x.shape[2] > 1 else x
