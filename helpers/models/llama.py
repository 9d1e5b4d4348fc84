"""The architecture of Llama as notebook 17 teaches it, and a reader of GGUF, the format of llama.cpp.

Sources: Touvron et al. 2023, "LLaMA"; Ainslie et al. 2023 for the shared keys; the specification
of GGUF, and of its kinds of tensors, in the project ggml.
"""

import io
import math
import struct

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from .positions import rotary


class Attention(nn.Module):
    """Causal attention with rotary positions; several query heads share each key head."""

    layout = "pairs"  # which dimensions rotate together: neighbours

    def __init__(self, d_model, num_heads, key_heads):
        super().__init__()
        self.head_dim = d_model // num_heads
        self.W_query = nn.Linear(d_model, d_model, bias=False)
        self.W_key = nn.Linear(d_model, key_heads * self.head_dim, bias=False)
        self.W_value = nn.Linear(d_model, key_heads * self.head_dim, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, cache=None, layer=0):
        """x (batch, new, d_model) → (batch, new, d_model); `layer` is its index in the Cache."""
        new, earlier = x.shape[1], 0 if cache is None else cache.length
        projections = self.W_query(x), self.W_key(x), self.W_value(x)
        q, k, v = (z.unflatten(-1, (-1, self.head_dim)).transpose(1, 2) for z in projections)
        positions = torch.arange(earlier, earlier + new)
        # (batch, heads, new, 64); keys and values have fewer heads
        both = rotary(torch.cat([q, k], dim=1), positions, self.layout, base=100_000.0)
        q, k = both.split([q.shape[1], k.shape[1]], dim=1)
        if cache is not None:
            k, v = cache.extend(layer, k, v)  # (batch, key heads, earlier + new, 64)
        # True = may look; a single new token may look at all.
        visible = None if new == 1 else torch.ones(new, earlier + new).tril(earlier).bool()
        context = F.scaled_dot_product_attention(q, k, v, attn_mask=visible, enable_gqa=True)
        return self.out_proj(context.transpose(1, 2).flatten(2))  # (batch, new, d_model)


class Block(nn.Module):
    """Pre-norm: attention, then SwiGLU, each with a residual connection."""

    def __init__(self, d_model, num_heads, key_heads, d_ff):
        super().__init__()
        self.norm1 = nn.RMSNorm(d_model, eps=1e-5)
        self.attention = Attention(d_model, num_heads, key_heads)
        self.norm2 = nn.RMSNorm(d_model, eps=1e-5)
        self.W_gate = nn.Linear(d_model, d_ff, bias=False)
        self.W_up = nn.Linear(d_model, d_ff, bias=False)
        self.W_down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x, cache=None, layer=0):
        x = x + self.attention(self.norm1(x), cache, layer)
        h = self.norm2(x)
        return x + self.W_down(F.silu(self.W_gate(h)) * self.W_up(h))


class Llama(nn.Module):
    """Token ids → at each position, a logit for every token that may come next.

    Its sizes are those of SmolLM2-135M. `generate` of helpers.models.gpt takes it.
    """

    def __init__(self):
        super().__init__()
        self.context_length = 8_192
        self.word = nn.Embedding(49_152, 576)
        self.blocks = nn.ModuleList(Block(576, 9, 3, 1_536) for _ in range(30))
        self.norm = nn.RMSNorm(576, eps=1e-5)

    def forward(self, ids, cache=None, last_only=False):
        """ids (batch, new) → logits (batch, new, vocabulary), or (batch, 1, vocabulary)."""
        x = self.word(ids)  # (batch, new, d_model)
        for layer, block in enumerate(self.blocks):
            x = block(x, cache, layer)
        if cache is not None:
            cache.length += ids.shape[1]
        return self.norm(x[:, -1:] if last_only else x) @ self.word.weight.T


NAMES = {  # of the matrices and scales in GGUF → ours
    "token_embd": "word",
    "output_norm": "norm",
    "attn_norm": "norm1",
    "attn_q": "attention.W_query",
    "attn_k": "attention.W_key",
    "attn_v": "attention.W_value",
    "attn_output": "attention.out_proj",
    "ffn_norm": "norm2",
    "ffn_gate": "W_gate",
    "ffn_up": "W_up",
    "ffn_down": "W_down",
}
KINDS = dict(enumerate("BbHhIif?")) | {10: "Q", 11: "q", 12: "d"}  # code → its name in `struct`
TEXT, LIST = 8, 9
Q8_0 = np.dtype([("scale", "<f2", (1,)), ("numbers", "i1", 32)])  # a block of 32 numbers
Q4_1 = np.dtype([("scale", "<f2", (1,)), ("minimum", "<f2", (1,)), ("pairs", "u1", 16)])


def read_gguf(content):
    """(settings, tensors) of the bytes of a GGUF file: {name: value}, {name: float32 tensor}.

    Raises ValueError for bytes that are no GGUF, and for tensors that are not F32, Q4_1 or Q8_0.
    """
    file = io.BytesIO(content)

    def take(kind):
        return struct.unpack("<" + kind, file.read(struct.calcsize("<" + kind)))[0]

    def setting(kind):
        if kind == TEXT:
            return file.read(take("Q")).decode()
        if kind == LIST:
            kind, length = take("I"), take("Q")
            return [setting(kind) for _ in range(length)]
        return take(KINDS[kind])

    if file.read(4) != b"GGUF":
        raise ValueError("these bytes are no GGUF file: they do not begin with GGUF")
    _version, tensors, settings = take("I"), take("Q"), take("Q")
    settings = {setting(TEXT): setting(take("I")) for _ in range(settings)}
    stored = {}
    for _ in range(tensors):
        name = setting(TEXT)
        shape = [take("Q") for _ in range(take("I"))][::-1]  # GGUF begins with the innermost axis
        stored[name] = shape, take("I"), take("Q")
    start = (file.tell() + 31) // 32 * 32  # the numbers begin at a multiple of 32 bytes
    return settings, {
        name: _numbers(content, start + at, kind, shape)
        for name, (shape, kind, at) in stored.items()
    }


def _numbers(content, start, kind, shape):
    """The float32 tensor of this shape whose bytes begin at `start`."""
    count = math.prod(shape)
    if kind == 0:  # F32
        numbers = np.frombuffer(content, "<f4", count, start)
    elif kind == 8:
        block = np.frombuffer(content, Q8_0, count // 32, start)
        numbers = block["scale"].astype("f4") * block["numbers"]
    elif kind == 3:
        block = np.frombuffer(content, Q4_1, count // 32, start)
        numbers = np.concatenate([block["pairs"] % 16, block["pairs"] // 16], axis=1)
        numbers = block["scale"].astype("f4") * numbers + block["minimum"].astype("f4")
    else:
        raise ValueError(f"tensors of kind {kind} are not read; F32, Q4_1 and Q8_0 are")
    return torch.from_numpy(np.array(numbers)).view(*shape)
