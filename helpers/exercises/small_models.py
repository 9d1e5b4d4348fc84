"""The models and maps that notebook 14 hands to its exercises, filled with waves."""

import torch
from torch import nn

from ..judge.exercise import wave
from ..models.transformer import EncoderLayer, causal_mask


def filled(model):
    """The same model, in eval mode; no two of its layers are alike."""
    with torch.no_grad():
        for seed, weight in enumerate(model.parameters()):
            weight.copy_(wave(*weight.shape, seed=seed))
    return model.eval()


def encoder(d_model, num_heads, num_layers=2):
    """A stack of PyTorch's own layers, as people have it: "layers.0.self_attn" is one attention."""
    layer = nn.TransformerEncoderLayer(d_model, num_heads, 8, dropout=0.0, batch_first=True)
    return filled(nn.TransformerEncoder(layer, num_layers, enable_nested_tensor=False))


def hooked(model):
    """The same model in training mode, with a hook of somebody else's on each part; they do nothing."""
    for part in filled(model).modules():
        part.register_forward_hook(lambda *_: None)
    return model.train()


def maps(layers, heads, tokens, seed=0, causal=True):
    """Weights (layers, heads, tokens, tokens) of a model that there is not."""
    scores = wave(layers, heads, tokens, tokens, seed=seed)
    hidden = torch.ones(tokens, tokens).triu(1).bool() & causal
    return scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)


class Reader(nn.Module):
    """nn.MultiheadAttention in the middle of something: of itself, causal; or of a memory."""

    def __init__(self, d_model, num_heads, memory=0):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.look = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
        self.out = nn.Linear(d_model, 3)
        self.memory = nn.Parameter(torch.empty(memory, d_model)) if memory else None

    def forward(self, x):
        seen = self.norm(x)  # (batch, tokens, d_model)
        if self.memory is None:
            hidden = causal_mask(x.shape[1])[0, 0]
            context, _ = self.look(seen, seen, seen, attn_mask=hidden, need_weights=False)
        else:
            memory = self.memory.expand(len(x), -1, -1)
            context, _ = self.look(seen, memory, memory, need_weights=False)
        return self.out(x + context)


class Writer(nn.Module):
    """A few of our own layers, as in GPT: "blocks.0.attention" is one attention."""

    def __init__(self, d_model, num_heads, num_layers=2):
        super().__init__()
        layers = (EncoderLayer(d_model, num_heads, 8, norm_first=True) for _ in range(num_layers))
        self.blocks = nn.ModuleList(layers)
        self.out = nn.Linear(d_model, 3)

    def forward(self, x):
        for block in self.blocks:
            x = block(x, causal_mask(x.shape[1]))
        return self.out(x)
