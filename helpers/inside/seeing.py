"""What a watch has seen: the weights of each call of attention, in order, and the check of them."""

from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

import torch

from .beside import compact
from .saying import listed, many

# How far weights times values may be from what the model used, beside the largest of the values:
# some ten steps of a type's own rounding, for each kernel adds up in an order of its own.
TOLERANCES = {
    torch.float64: 1e-12,
    torch.float32: 1e-5,
    torch.float16: 1e-2,
    torch.bfloat16: 4e-2,
}


@dataclass(frozen=True, eq=False)
class Call:
    """One call of attention.

    name     the layer in whose forward it happened, as in model.named_modules()
    weights  (batch, heads, queries, keys), float32 or float64: those that the values were
             multiplied with, so after dropout; cut off from the graph of gradients. Further axes
             are put into batch: of 2 pictures with 4 windows each, 0 to 3 are the first's windows
    hidden   booleans that broadcast to the weights, True = a mask hid this key from this query;
             None where there was no mask
    kind     "self" or "cross", None where it cannot be known
    step     how many calls of the same layer came before it
    turn     how many of these came in the same forward of the layer: heads that a loop computes
             one by one are calls of their own, and so are repetitions
    heads    which heads of the layer these are; None: all
    dropout  the share of weights that was dropped; 0.0 where nothing was
    draw     whether the weights show which ones were dropped. False where the kernel's draw could
             not be had again: then they are those before dropout, and cannot be checked
    error    how far weights times values are from what the model used, beside the largest value
    dtype    the type of numbers in which the model computed
    doubts   in words, what the sizes do not tell: which axis is batch, whether keys are tokens
    """

    name: str
    weights: torch.Tensor
    hidden: torch.Tensor | None = None
    kind: str | None = None
    step: int = 0
    heads: tuple | None = None
    dropout: float = 0.0
    draw: bool = True
    error: float = 0.0
    dtype: torch.dtype = torch.float32
    turn: int = 0
    doubts: tuple = ()

    @property
    def right(self):
        """Whether weights times values are what the model used, as far as this can be checked."""
        return not self.draw or self.error <= TOLERANCES[self.dtype]

    def __repr__(self):
        batch, heads, queries, keys = self.weights.shape
        size = f"{batch} × {many(heads, 'head')} × {many(queries, 'query')} × {many(keys, 'key')}"
        size += "".join(f"; not sure: {doubt}" for doubt in self.doubts)
        return f"Call({self.name!r}, step {self.step}, {self.kind or 'self or cross'}, {size})"


@dataclass(eq=False)
class Seen:
    """What a watch has seen.

    calls   every Call, in the order in which they happened
    unseen  layers that ran and are attention by their name, of which nothing was seen
    """

    calls: list = field(default_factory=list)
    unseen: tuple = ()

    @property
    def weights(self):
        """The weights by the name of the layer, in the order of the first calls.

        Where a layer was called more than once, these are the LAST call's: a decoder that writes
        has then seen most. `steps(name)` has all of them; `joined(name)` makes one of the steps
        of a decoder that keeps keys and values in a cache, and so asks for one word at a time.
        """
        return {call.name: call.weights for call in self.calls}

    def steps(self, name):
        """The calls of one layer, in order. Raises ValueError if nothing was seen of it."""
        calls = [call for call in self.calls if call.name == name]
        if not calls:
            names = ", ".join(map(repr, self.weights)) or "nothing yet"
            raise ValueError(f"steps: nothing was seen of {name!r}; there is {names}")
        return calls

    def joined(self, name):
        """The steps of a decoder that writes with a cache as one Call: queries below each other.

        A key that was not there yet at a query's step has weight 0, and is hidden.
        Raises ValueError if nothing was seen of this layer, and if its calls do not go on from
        each other, as those of a decoder without a cache: there the last call has every query. If
        each call has more queries than the one before, and looks at the same keys, they count as
        such.
        """
        calls = self.steps(name)
        shapes = [tuple(call.weights.shape) for call in calls]
        (batch, heads, _, keys), rows = shapes[-1], [shape[2] for shape in shapes]
        growing = [(batch, heads, n, so_far) for n, so_far in zip(rows, accumulate(rows))]
        crossing = [(batch, heads, n, keys) for n in rows]  # the keys are all there from the start
        crosses = shapes == crossing and calls[0].kind != "self" and not _again(calls)
        if shapes != growing and not crosses:
            came = ", ".join(map(str, shapes[:3]))
            raise ValueError(
                f"joined: the calls of {name!r} do not go on from each other: {came}, …; look at"
                f" them one by one, steps({name!r}), of which the last has seen most"
            )
        weights = calls[-1].weights.new_zeros(batch, heads, sum(rows), keys)
        hidden = torch.ones(weights.shape, dtype=torch.bool, device=weights.device)
        for call, end in zip(calls, accumulate(rows)):
            *_, here, looks = call.weights.shape
            part = (..., slice(end - here, end), slice(looks))
            weights[part] = call.weights
            hidden[part] = False if call.hidden is None else call.hidden
        error = max(call.error for call in calls)
        draw = all(call.draw for call in calls)
        hidden = compact(hidden)
        known = {"error": error, "draw": draw, "step": 0, "turn": 0}
        return replace(calls[-1], weights=weights, hidden=hidden, **known)

    def check(self):
        """Check each call: weights times values are what the model used. Says so in one sentence.

        They were compared when the call happened, as values and result change or go afterwards;
        the tolerances are TOLERANCES, by the type of numbers, of the largest value.
        Raises ValueError if a call's are not, and if there is nothing to check.
        """
        if not self.calls:
            raise ValueError("check: nothing was seen yet; call the model inside the watch")
        wrong = [call for call in self.calls if not call.right]
        if wrong:
            first = wrong[0]
            came = f"{len(wrong)} of {len(self.calls)} calls, the first {first!r}"
            far = f"off by {first.error:.1e} of the largest value"
            raise ValueError(
                f"check: weights times values are not what the model used in {came}, {far};"
                " do not trust them"
            )
        known = [call for call in self.calls if call.draw]
        within = max((TOLERANCES[call.dtype] for call in known), default=0)
        text = f"{len(known)} of {len(self.calls)} calls: weights times values are what the model"
        text += f" used, within {within:g} of the largest value."
        if len(known) < len(self.calls):
            text += (
                " In the others the kernel's dropout cannot be drawn again: their weights are"
                " those before it. After model.eval() all can be checked."
            )
        return text + self.notes()

    def notes(self):
        """In words, what to know before reading the weights; "" if there is nothing."""
        doubted = {}
        for call in self.calls:
            for doubt in call.doubts:
                doubted.setdefault(doubt, {})[call.name] = None
        texts = [f" Not sure of {listed(names)}: {doubt}." for doubt, names in doubted.items()]
        return self.in_turns() + "".join(texts)

    def in_turns(self):
        """In words, which layers were called several times in one forward; "" if none was."""
        most = {}
        for call in self.calls:
            most[call.name] = max(most.get(call.name, 0), call.turn + 1)
        texts = [f" {name!r} attends {n} times in one forward" for name, n in most.items() if n > 1]
        if not texts:
            return ""
        return f"{','.join(texts)}: each is a step, and `weights` has the last alone."

    def __repr__(self):
        calls, layers = many(len(self.calls), "call"), many(len(self.weights), "layer")
        return f"Seen({calls} of {layers}: {', '.join(self.weights)}){self.notes()}"


def _again(calls):
    """Whether some call asks again what the one before it asked, as a decoder without a cache."""
    pairs = [(a.weights, b.weights) for a, b in pairwise(calls)]
    more = [(a, b[:, :, : a.shape[2]]) for a, b in pairs if b.shape[2] > a.shape[2]]
    if pairs and len(more) == len(pairs):
        return True
    return any(torch.allclose(a, b, atol=1e-5) for a, b in more)
