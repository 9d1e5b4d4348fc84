"""What a leak test is tried on: layers that leak the future, each in its own way, and some that do not."""

import torch
from torch import nn

from ..attention import CausalAttention, MultiHeadAttention
from ..judge.exercise import wave


class SoFar(nn.Module):
    def forward(self, x):
        counts = torch.arange(1, x.shape[-2] + 1, dtype=x.dtype)
        return x.cumsum(dim=-2) / counts[:, None]


class Faint(CausalAttention):
    def forward(self, x):
        return super().forward(x) + 0.01 * x[..., -1:, :1]


class InOnePlace(CausalAttention):
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


def layers(wrong):
    """What each layer does, in words → the layer. All take (batch, tokens, 3).

    wrong  id of a mistake → ways to make it in a causal layer, as code
    """
    sizes = (3, 4, 8, 0.0)
    made = {
        "causal attention": CausalAttention(*sizes),
        "causal attention with two heads": MultiHeadAttention(*sizes, num_heads=2),
        "a layer for each token by itself": nn.Linear(3, 4),
        "the average of all tokens so far": SoFar(),
        "attention with no mask": wrong["no_mask"][0](*sizes),
        "a mask that is one token late": wrong["diagonal_2"][0](*sizes),
        "weights cut off after the softmax": wrong["mask_after_softmax"][0](*sizes),
        "future scores set to 0, not −∞": wrong["scores_times_0"][0](*sizes),
        "a faint leak of the last token": Faint(*sizes),
        "a leak in the first token only": InOnePlace(*sizes, place=0),
        "a leak in the last token but one": InOnePlace(*sizes, place=-2),
    }
    for layer in made.values():
        with torch.no_grad():  # the same numbers in every session
            for seed, weight in enumerate(layer.parameters()):
                weight.copy_(wave(*weight.shape, seed=seed))
        layer.eval()
    return made
