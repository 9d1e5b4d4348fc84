"""Models, parts of layers, padding and attention maps for exercises; fixed weights for any model."""

import contextlib

import torch
from torch import nn
from torch.nn.modules import module

from .. import _
from ..judge.comparing import read
from ..judge.exercise import Remark, wave
from ..models.transformer import Attention, EncoderLayer, FeedForward, causal_mask


def filled(model, seed=0):
    """The same model with the same numbers in every session, in eval mode; no two layers are alike."""
    with torch.no_grad():
        for i, weight in enumerate(model.parameters()):
            weight.copy_(wave(*weight.shape, seed=i + seed))
    return model.eval()


class Parts(nn.Module):
    """The parts of a layer, not yet put together, their weights filled with waves."""

    def __init__(self, d_model=4, num_heads=2, cross=False):
        super().__init__()
        self.attention = Attention(d_model, num_heads)
        if cross:
            self.cross_attention = Attention(d_model, num_heads)
            self.norm3 = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, 2 * d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        filled(self).train()

    def forward(self, *given, **named):
        raise TypeError("these are the parts of a layer, and no layer yet: call parts.attention, …")


def padded(*lengths, tokens):
    """(batch, tokens), True behind the end of each sentence."""
    return torch.arange(tokens) >= torch.tensor(lengths)[:, None]


def encoder(d_model, num_heads, num_layers=2):
    """A stack of PyTorch's own layers, as people have it: "layers.0.self_attn" is one attention."""
    layer = nn.TransformerEncoderLayer(d_model, num_heads, 8, dropout=0.0, batch_first=True)
    return filled(nn.TransformerEncoder(layer, num_layers, enable_nested_tensor=False))


def hooked(model):
    """The same model in training mode, with a hook of somebody else's on each part; they do nothing."""
    for part in filled(model).modules():
        part.register_forward_hook(lambda *_: None)
    return model.train()


class Stopped(Exception):
    """Raised by a model that stops."""


def stopping(model):
    """The same model, which stops with an error when it has computed its output."""

    def stop(*_given):
        raise Stopped

    model.register_forward_hook(stop)
    return model


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
        queries = keys = self.norm(x)  # (batch, tokens, d_model)
        hidden = causal_mask(x.shape[1])[0, 0]
        if self.memory is not None:
            keys, hidden = self.memory.expand(len(x), -1, -1), None
        context, _ = self.look(queries, keys, keys, attn_mask=hidden, need_weights=False)
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


# The hooks that apply to all modules. PyTorch lists them only under these private names.
EVERYWHERE = module._global_forward_pre_hooks, module._global_forward_hooks


def left_as_found(*names):
    """A way to ask for a function (model, …): what it returns, and what it leaves in the model.

    Without names, of a model that stops, only what it leaves counts.
    """

    def ask(answer, model, *arguments):
        before, everywhere = _hooks(model), [set(hooks) for hooks in EVERYWHERE]
        try:
            with contextlib.nullcontext() if names else contextlib.suppress(Stopped):
                result = answer(model, *arguments)
            came = read(result, names) if names else {}
        finally:  # otherwise hooks on all modules would outlive the check
            left = [h.pop(k) for h, old in zip(EVERYWHERE, everywhere) for k in {*h} - old]
        replaced = any(part.forward != type(part).forward.__get__(part) for part in model.modules())
        if left or _hooks(model) - before or replaced:
            text = _("Something is left on the model: a hook, or a replaced forward.")
            came["hook_left"] = Remark(text)
        if before - _hooks(model):
            text = _("Hooks that were on the model before are gone.")
            came["hooks_of_others_gone"] = Remark(text)
        return came

    return ask


def _hooks(model):
    """The hooks on its parts, each by its number, which PyTorch counts on over all parts."""
    return {n for m in model.modules() for n in (*m._forward_hooks, *m._forward_pre_hooks)}
