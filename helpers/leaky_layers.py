"""Layers that leak the future, each in its own way, and layers that do not: food for a leak test."""

import torch
from torch import nn

from . import attention
from .asking import wave


def layers():
    """What each layer does, in words → (the layer, whether it leaks). All take (batch, tokens, 3)."""
    causal = attention.CausalAttention(3, 4, context_length=8)
    heads = attention.MultiHeadAttention(3, 4, 8, 0.0, num_heads=2)
    made = {
        "causal attention": (causal, False),
        "causal attention with two heads": (heads, False),
        "a layer for each token by itself": (nn.Linear(3, 4), False),
        "the average of all tokens so far": (SoFar(), False),
        "attention with no mask": (attention.SelfAttention(3, 4), True),
        "a mask that is one token late": (OneTokenLate(3, 4, 8), True),
        "weights cut off after the softmax": (CutOff(3, 4, 8), True),
        "future scores set to 0, not −∞": (ZeroScores(3, 4, 8), True),
        "a faint leak of the last token": (Faint(3, 4, 8), True),
        "a leak in the first token only": (InOnePlace(3, 4, 8, place=0), True),
        "a leak in the last token but one": (InOnePlace(3, 4, 8, place=-2), True),
    }
    for layer, _ in made.values():
        with torch.no_grad():  # the same numbers in every session
            for seed, weight in enumerate(layer.parameters()):
                weight.copy_(wave(*weight.shape, seed=seed))
    return made


class SoFar(nn.Module):
    def forward(self, x):
        counts = torch.arange(1, x.shape[-2] + 1, dtype=x.dtype)
        return x.cumsum(dim=-2) / counts[:, None]


class OneTokenLate(attention.CausalAttention):
    """Each token sees one that comes after it."""

    def forward(self, x):
        hidden = torch.ones(x.shape[-2], x.shape[-2]).triu(diagonal=2).bool()
        return self.mix(x, hidden, float("-inf"))

    def mix(self, x, hidden, instead):
        query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = (query @ key.mT / key.shape[-1] ** 0.5).masked_fill(hidden, instead)
        return scores.softmax(dim=-1) @ value


class ZeroScores(OneTokenLate):
    def forward(self, x):
        return self.mix(x, torch.ones(x.shape[-2], x.shape[-2]).triu(1).bool(), 0.0)


class CutOff(attention.CausalAttention):
    """The future gets no weight, and yet it takes some away from the others."""

    def forward(self, x):
        query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)
        return (query @ key.mT / key.shape[-1] ** 0.5).softmax(dim=-1).tril() @ value


class Faint(attention.CausalAttention):
    def forward(self, x):
        return super().forward(x) + 0.01 * x[..., -1:, :1]


class InOnePlace(attention.CausalAttention):
    """One token, and no other, sees the one that comes next. `place` may count from the end."""

    def __init__(self, *sizes, place):
        super().__init__(*sizes)
        self.place = place

    def forward(self, x):
        tokens = x.shape[-2]
        at = self.place % tokens
        seen = torch.zeros(tokens, 1)
        seen[at] = 1.0
        return super().forward(x) + seen * x[..., [min(at + 1, tokens - 1)], :1]
