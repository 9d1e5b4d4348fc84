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
    "encoder_hidden_states",
    "encoder_out",
    "encoder_output",
    "encoder_outputs",
    "enc_output",
    "key_value_states",
    "memory",
}
CROSS = ("cross", "encdec", "encoder_attn", "enc_dec")  # in the name of a layer


@dataclass(eq=False)
class Place:
    """A module in whose forward we are: its qualified name, and what it was called with."""

    name: str
    module: torch.nn.Module
    args: tuple
    kwargs: dict

    @cached_property
    def inputs(self):
        """The tensors that it was called with, by the name of the argument."""
        try:
            signature = inspect.signature(self.module.forward)
            bound = signature.bind(*self.args, **self.kwargs).arguments
        except (TypeError, ValueError):
            bound = dict(enumerate(self.args)) | self.kwargs
        named = {}
        for name, value in bound.items():
            if isinstance(value, dict):  # **kwargs
                named |= value
            elif isinstance(value, tuple) and name not in ("position_embeddings",):  # *args
                named |= {f"{name}[{i}]": each for i, each in enumerate(value)}
            else:
                named[name] = value
        return {k: v for k, v in named.items() if isinstance(v, torch.Tensor)}

    @cached_property
    def first(self):
        """The first tensor of numbers that it was called with, or None."""
        floats = (x for x in self.inputs.values() if x.is_floating_point() and x.dim() > 1)
        return next(floats, None)

    def kind(self):
        """ "self" or "cross", or None if that cannot be known from the names and the inputs."""
        if any(word in self.name.rsplit(".", 1)[-1].lower() for word in CROSS):
            return "cross"
        inputs = self.inputs
        others = [value for name, value in inputs.items() if name in OTHERS]
        if {"query", "key"} <= inputs.keys():
            others.append(inputs["key"])
        if others:
            same = all(other is self.first for other in others)
            return "self" if same else "cross"
        like = [
            x
            for x in inputs.values()
            if x.is_floating_point() and self.first is not None and x.dim() == self.first.dim()
        ]
        return "self" if len(like) == 1 else None

    def batch_and_heads(self, leading, queries):
        """(batch, heads) for the sizes that stand before (queries, keys).

        Two or more: the last one is heads, the others are batch. One alone can be either, or both
        in one, batch first: what the layer was called with tells how large a batch is.
        """
        x = self.first
        if len(leading) != 1:
            batch, heads = math.prod(leading[:-1]), math.prod(leading[-1:])
            if batch == 1 and x is not None and x.shape[:-1] == (heads, queries):
                return heads, 1  # (1, batch, queries, d), as kernels want four dimensions
            return batch, heads
        (both,) = leading
        if x is None:
            return both, 1
        if x.dim() == 2:  # one sentence (tokens, d), no batch
            return 1, both
        batch = x.shape[0]
        if x.dim() == 3 and x.shape[0] == queries != x.shape[1]:  # (tokens, batch, d)
            batch = x.shape[1]
        return (batch, both // batch) if batch and both % batch == 0 else (both, 1)
