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
CROSS = ("cross", "encdec", "enc_dec", "encoder_attn")  # in the name of a layer


@dataclass(eq=False)
class Place:
    """A module in whose forward we are: its qualified name, and what it was called with.

    outer  the Place that it is called in, or None
    """

    name: str
    module: torch.nn.Module
    args: tuple
    kwargs: dict
    outer: "Place | None" = None

    @cached_property
    def handed(self):
        """Whether it has no weights of its own: then it is handed what an outer layer has made."""
        return next(self.module.parameters(), None) is None

    @cached_property
    def inputs(self):
        """The tensors that it was called with, by the name of the argument."""
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
        return {k: v for k, v in named.items() if isinstance(v, torch.Tensor)}

    def kind(self):
        """ "self" or "cross", or None if that cannot be known from the names and the inputs."""
        if any(word in self.name.rsplit(".", 1)[-1].lower() for word in CROSS):
            return "cross"
        if self.handed and self.outer is not None:
            return self.outer.kind()
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
            if x.dtype == first.dtype and x.dim() == first.dim() and "mask" not in name
        ]
        return "self" if like and all(_same(x, first) for x in like) else None

    def batch_and_heads(self, leading, queries, keys):
        """(batch, heads) for the sizes that stand before (queries, keys).

        Two or more: the last one is heads, the others are batch. One alone can be either, or both
        in one, batch first: what the layer was called with tells how large a batch is.
        """
        inputs = list(self.inputs.values())
        if len(leading) != 1:
            batch, heads = math.prod(leading[:-1]), math.prod(leading[-1:])
            if batch == 1 and any(x.shape[:-1] == (heads, queries) for x in inputs):
                return heads, 1  # (1, batch, queries, d), as kernels want four dimensions
            return batch, heads
        (both,) = leading
        batch = _batch(inputs, queries, keys)
        if batch == both and self.handed and self.outer is not None:
            return self.outer.batch_and_heads(leading, queries, keys)
        return (batch, both // batch) if batch and both % batch == 0 else (both, 1)


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
