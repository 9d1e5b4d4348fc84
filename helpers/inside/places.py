"""Where a call of attention happens, and which of its dimensions are batch and heads."""

import inspect
import math
from dataclasses import dataclass
from functools import cached_property

import torch

# What layers call the vectors of another sequence, those that are looked at in cross-attention.
OTHERS = {
    "context",
    "cross_attention_states",
    "enc_output",
    "encoder_hidden_states",
    "encoder_out",
    "encoder_output",
    "encoder_outputs",
    "key_value_states",
    "memory",
}
PAIRS = ({"query", "key"}, {"queries", "keys"}, {"q", "k"})
CACHES = ("past", "cache")  # in the name of an argument
CROSS = ("cross", "encdec", "enc_dec", "encoder_attn")  # in the name of a layer


@dataclass(eq=False)
class Place:
    """A module in whose forward we are: its qualified name, and what it was called with.

    outer  the Place that it is called in, or None
    turn   how many calls of attention this forward has had so far
    """

    name: str
    module: torch.nn.Module
    args: tuple
    kwargs: dict
    outer: "Place | None" = None
    turn: int = 0

    @cached_property
    def handed(self):
        """Whether it has no weights of its own: then it is handed what an outer layer has made."""
        return next(self.module.parameters(), None) is None

    @cached_property
    def given(self):
        """All that it was called with, by the name of the argument."""
        try:
            signature = inspect.signature(self.module.forward)
            bound = signature.bind(*self.args, **self.kwargs).arguments
            kinds = {name: each.kind.name for name, each in signature.parameters.items()}
        except (TypeError, ValueError):
            bound, kinds = {str(i): x for i, x in enumerate(self.args)} | self.kwargs, {}
        named = {}
        for name, value in bound.items():
            if kinds.get(name) == "VAR_KEYWORD":
                named |= value
            elif kinds.get(name) == "VAR_POSITIONAL":
                named |= {f"{name}[{i}]": each for i, each in enumerate(value)}
            else:
                named[name] = value
        return named

    @property
    def inputs(self):
        """The tensors among them."""
        return {k: v for k, v in self.given.items() if isinstance(v, torch.Tensor)}

    @property
    def caches(self):
        """Whether it was handed a cache of keys and values, as far as names tell."""
        return any(x is not None and _is_cache(name) for name, x in self.given.items())

    def kind(self, queries, keys, goes_on=False):
        """ "self" or "cross", or None if that cannot be known from the names and the inputs.

        goes_on  whether these keys are those of the call before, and one more for each query
        """
        if any(word in self.name.rsplit(".", 1)[-1].lower() for word in CROSS):
            return "cross"
        if self.handed and self.outer is not None:
            return self.outer.kind(queries, keys, goes_on)
        inputs = self.inputs
        first = next(iter(inputs.values()), None)
        others = [value for name, value in inputs.items() if name in OTHERS]
        if not self.handed:  # else query and key differ in any case
            others += [inputs[min(pair)] for pair in PAIRS if pair <= inputs.keys()]  # the key's
        if others:
            return "self" if all(_same(other, first) for other in others) else "cross"
        like = [
            x
            for name, x in inputs.items()
            if x.dtype == first.dtype
            and x.dim() == first.dim()
            and "mask" not in name
            and not _is_cache(name)
        ]
        # Queries of a parameter, or keys of a table, are as many as they like; a cache has more keys.
        fits = queries == keys or goes_on or queries < keys and self.caches
        return "self" if fits and like and all(_same(x, first) for x in like) else None

    def heads_first(self, leading, queries, keys):
        """Whether of two sizes before (queries, keys) the first is heads, and the second batch.

        So it is if the layer was called with a batch as large as the second, and none as the first.
        """
        return self.batches(leading, queries, keys) == [False, True]

    def batches(self, leading, queries, keys):
        """Of each size before (queries, keys), whether the layer was called with such a batch."""
        if len(leading) == 2 and self.handed and self.outer is not None:
            return self.outer.batches(leading, queries, keys)
        pairs = {
            tuple(x.shape[:2])
            for x in self.inputs.values()
            if x.dim() == (3 if x.is_floating_point() else 2)
        }
        return [
            any((size, n) in pairs or (n, size) in pairs for n in (queries, keys))
            for size in leading
        ]

    def lengths(self):
        """What may be numbers of tokens, among the sizes of the inputs."""
        if self.handed and self.outer is not None:
            return self.outer.lengths()
        found = set()
        for x in self.inputs.values():
            sizes = x.shape[:-1] if x.is_floating_point() else x.shape
            found |= set(sizes[1:] if len(sizes) > 1 else sizes)
        return found

    def in_groups(self, leading, queries, keys):
        """Whether of many sizes the first alone is batch, and the others are groups of heads.

        So it is if the layer was called with (batch, tokens, d) that are looked at whole.
        """
        if self.handed and self.outer is not None:
            return self.outer.in_groups(leading, queries, keys)
        whole = [(leading[0], n) for n in (queries, keys)]
        return any(
            x.shape[:2] in whole and x.dim() == (3 if x.is_floating_point() else 2)
            for x in self.inputs.values()
        )

    def batch_of_blocks(self, leading, queries, keys):
        """The batch, if the last of many sizes counts blocks of queries, behind the heads; or None.

        So it is if these blocks make up the tokens of a layer that was called with (batch,
        tokens, d), and what stands before them cannot.
        """
        if self.handed and self.outer is not None:
            return self.outer.batch_of_blocks(leading, queries, keys)
        called = [
            x.shape[:2]
            for x in self.inputs.values()
            if x.dim() == (3 if x.is_floating_point() else 2)
        ]
        tokens = {n for _, n in called}
        if len(leading) < 2 or queries == 1 or leading[-1] == 1 or {queries, keys} & tokens:
            return None
        if leading[-2] * queries in tokens:
            return None
        whole = leading[-1] * queries
        return next((b for b, n in called if n == whole and math.prod(leading) % b == 0), None)

    def batch_and_heads(self, leading, queries, keys):
        """(batch, heads) for the sizes that stand before (queries, keys).

        Two or more: the last one is heads, the others are batch, or groups of heads. One alone
        can be either, or both in one, batch first: what the layer was called with tells how
        large a batch is.
        """
        inputs = list(self.inputs.values())
        if len(leading) != 1:
            batch, heads = math.prod(leading[:-1]), math.prod(leading[-1:])
            if batch == 1 and any(x.shape[:-1] == (heads, queries) for x in inputs):
                return heads, 1  # (1, batch, queries, d), as kernels want four dimensions
            if len(leading) > 2 and self.in_groups(leading, queries, keys):
                return leading[0], math.prod(leading[1:])
            return batch, heads
        (both,) = leading
        batch = _batch(inputs, queries, keys)
        if batch == both and self.handed and self.outer is not None:
            return self.outer.batch_and_heads(leading, queries, keys)
        return (batch, both // batch) if batch and both % batch == 0 else (both, 1)


def _is_cache(name):
    return any(word in name.lower() for word in CACHES)


def _batch(inputs, queries, keys):
    """How large a batch these inputs are; None if they do not tell."""
    floats = [x for x in inputs if x.is_floating_point()]
    for tokens in (keys, queries):
        for x in floats:
            if x.dim() == 3 and tokens in x.shape[:2]:  # (batch, tokens, d) or (tokens, batch, d)
                return x.shape[0 if x.shape[1] == tokens else 1]
    if floats:
        return 1 if floats[0].dim() == 2 else floats[0].shape[0]  # (tokens, d), one sentence
    return None if not inputs else inputs[0].shape[0] if inputs[0].dim() > 1 else 1


def _same(other, first):
    """Whether these are the same vectors, or end with them: a cache holds those before, too."""
    if other is first:
        return True
    if other.dim() != first.dim() or other.dtype != first.dtype:
        return False
    for axis in range(min(2, other.dim() - 1)):  # (batch, tokens, d) or (tokens, batch, d)
        size = first.shape[axis]
        if other.shape[axis] >= size:
            end = other.narrow(axis, other.shape[axis] - size, size)
            if end.shape == first.shape and torch.equal(end, first):
                return True
    return False
