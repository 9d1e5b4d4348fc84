"""Answers to the exercises of notebook 5, as learners write them."""

import copy
import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from helpers.models import attention

from .causal_layers import CausalBuffer
from .n02_trainable_qkv import Bare
from .n03_causal_mask import future


def split_by_slices(x, num_heads):
    size = x.shape[-1] // num_heads
    return torch.stack([x[:, :, h * size : (h + 1) * size] for h in range(num_heads)], dim=1)


def split_by_loop(x, num_heads):
    b, t, d = x.shape
    heads = torch.zeros(b, num_heads, t, d // num_heads, dtype=x.dtype)
    for i in range(d):
        heads[:, i // (d // num_heads), :, i % (d // num_heads)] = x[:, :, i]
    return heads


def merge_by_loop(x):
    b, heads, t, size = x.shape
    merged = torch.zeros(b, t, heads * size, dtype=x.dtype)
    for h in range(heads):
        merged[:, :, h * size : (h + 1) * size] = x[:, h]
    return merged


def torch_by_sentence(layer, x):
    hidden = future(x[0] @ x[0].T)
    found = [layer(s, s, s, attn_mask=hidden, average_attn_weights=False) for s in x]
    return torch.stack([c for c, _ in found]), torch.stack([w for _, w in found])


def torch_turned(layer, x):
    x = x.transpose(0, 1)
    mask = nn.Transformer.generate_square_subsequent_mask(len(x))
    context, weights = layer(x, x, x, attn_mask=mask, average_attn_weights=False)
    return context.transpose(0, 1), weights


def torch_batch_first(layer, x):
    """On a copy: the layer is the caller's."""
    layer = copy.deepcopy(layer)
    layer.batch_first = True
    hidden = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
    named = {"attn_mask": hidden, "is_causal": True, "average_attn_weights": False}
    return layer(x, x, x, **named)


def torch_by_hand(layer, x):
    d, heads = layer.embed_dim, layer.num_heads
    qkv = F.linear(x, layer.in_proj_weight, layer.in_proj_bias)
    q, k, v = (part.unflatten(-1, (heads, -1)).transpose(1, 2) for part in qkv.split(d, dim=-1))
    scores = q @ k.mT / k.shape[-1] ** 0.5
    weights = scores.masked_fill(future(scores), -torch.inf).softmax(dim=-1)
    return layer.out_proj((weights @ v).transpose(1, 2).flatten(2)), weights


def torch_functional(layer, x):
    x = x.permute(1, 0, 2)
    context, weights = F.multi_head_attention_forward(
        x, x, x, layer.embed_dim, layer.num_heads, layer.in_proj_weight, layer.in_proj_bias, None,
        None, False, 0.0, layer.out_proj.weight, layer.out_proj.bias, average_attn_weights=False,
        attn_mask=future(torch.zeros(len(x), len(x))),
    )  # fmt: skip
    return context.permute(1, 0, 2), weights


class Heads(CausalBuffer):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        if d_out % num_heads:
            raise ValueError(f"d_out={d_out} must be divisible by num_heads={num_heads}")
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        b, t, _ = x.shape
        shape = (b, t, self.num_heads, self.head_dim)
        q = self.W_query(x).view(shape).transpose(1, 2)
        k = self.W_key(x).view(shape).transpose(1, 2)
        v = self.W_value(x).view(shape).transpose(1, 2)
        scores = q @ k.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:t, :t].bool(), -torch.inf)
        context = (self.dropout(scores.softmax(dim=-1)) @ v).transpose(1, 2)
        return self.out_proj(context.contiguous().view(b, t, -1))


class HeadsByLoop(Heads):
    """Each head with its slice of the projections, then side by side."""

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        hidden = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
        heads = []
        for h in range(self.num_heads):
            part = slice(h * self.head_dim, (h + 1) * self.head_dim)
            scores = q[..., part] @ k[..., part].mT / math.sqrt(self.head_dim)
            weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
            heads.append(self.dropout(weights) @ v[..., part])
        return self.out_proj(torch.cat(heads, dim=-1))


class HeadsEinsum(Heads):
    def forward(self, x):
        q, k, v = (
            W(x).unflatten(-1, (self.num_heads, self.head_dim))
            for W in (self.W_query, self.W_key, self.W_value)
        )
        scores = torch.einsum("bihd,bjhd->bhij", q, k) / self.head_dim**0.5
        scores = scores + torch.full(scores.shape[-2:], -torch.inf).triu(1)
        weights = self.dropout(scores.softmax(dim=-1))
        return self.out_proj(torch.einsum("bhij,bjhd->bihd", weights, v).flatten(2))


class HeadsFused(Heads):
    def forward(self, x):
        q, k, v = (
            torch.stack(W(x).chunk(self.num_heads, dim=-1), dim=1)
            for W in (self.W_query, self.W_key, self.W_value)
        )
        p = self.dropout.p if self.training else 0.0
        context = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=p)
        return self.out_proj(context.permute(0, 2, 1, 3).flatten(2))


class HeadsOfParameters(Bare):
    """Parameters, and a fully visible batch of heads."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out, qkv_bias)
        if d_out // num_heads * num_heads != d_out:
            raise ValueError(f"{d_out} does not divide into {num_heads} heads")
        self.num_heads, self.p = num_heads, dropout
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (
            part.reshape(b, t, self.num_heads, -1)
            .transpose(1, 2)
            .reshape(b * self.num_heads, t, -1)
            for part in self.project(x)
        )
        scores = torch.bmm(q, k.transpose(1, 2)) / np.sqrt(k.shape[-1])
        weights = scores.masked_fill(~torch.ones(t, t).tril().bool(), -torch.inf).softmax(dim=2)
        context = torch.bmm(F.dropout(weights, self.p, self.training), v)
        context = context.view(b, self.num_heads, t, -1).transpose(1, 2)
        return self.out_proj(context.reshape(b, t, -1))


class HeadsReversed(Heads):
    def forward(self, x):
        out_proj, self.out_proj = self.out_proj, nn.Identity()
        context = super().forward(x)
        self.out_proj = out_proj
        return out_proj(context.unflatten(-1, (self.num_heads, -1)).flip(-2).flatten(-2))


class ProjectedTwice(Heads):
    def forward(self, x):
        return self.out_proj(super().forward(x))


class HeadsBlind(Heads):
    """All heads use the weights of the first."""

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (
            W(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for W in (self.W_query, self.W_key, self.W_value)
        )
        scores = (q @ k.mT / self.head_dim**0.5)[:, :1]
        weights = self.dropout(scores.masked_fill(future(scores), -torch.inf).softmax(dim=-1))
        return self.out_proj((weights @ v).transpose(1, 2).reshape(b, t, -1))


def heads_set_first(layer, x):
    layer.batch_first = True
    return layer(x, x, x, attn_mask=future(x[0] @ x[0].T), average_attn_weights=False)


def right_heads(layer, x):
    return heads_set_first(copy.deepcopy(layer), x)


class Asserts(Heads):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)


class Scrambled(Heads):
    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (
            W(x).reshape(b, self.num_heads, t, -1) for W in (self.W_query, self.W_key, self.W_value)
        )
        p = self.dropout.p if self.training else 0.0
        context = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=p)
        return self.out_proj(context.transpose(1, 2).reshape(b, t, -1))


class DropsAlways(Heads):
    def train(self, mode=True):
        return super().train(True)


RIGHT = {
    "split_heads": [
        lambda x, h: x.view(*x.shape[:2], h, x.shape[2] // h).transpose(1, 2),
        lambda x, h: x.reshape(x.shape[0], x.shape[1], h, -1).permute(0, 2, 1, 3),
        lambda x, h: torch.stack(x.chunk(h, dim=-1), dim=1),
        lambda x, h: np.array(x).reshape(*x.shape[:2], h, -1).swapaxes(1, 2),
        split_by_slices,
        split_by_loop,
    ],
    "merge_heads": [
        lambda x: x.transpose(1, 2).contiguous().view(x.shape[0], x.shape[2], -1),
        lambda x: torch.cat(x.unbind(dim=1), dim=-1),
        lambda x: x.permute(0, 2, 1, 3).flatten(2),
        lambda x: np.concatenate(list(np.array(x).swapaxes(0, 1)), axis=-1),
        lambda x: x.movedim(1, 2).reshape(x.shape[0], x.shape[2], x.shape[1] * x.shape[3]),
        merge_by_loop,
    ],
    "multi_head": [
        attention.MultiHeadAttention,
        Heads,
        HeadsByLoop,
        HeadsEinsum,
        HeadsFused,
        HeadsOfParameters,
    ],
    "gpt2_parameters": [
        2_362_368,
        2_362_368.0,
        np.int64(2_362_368),
        torch.tensor(2_362_368),
        4 * (768**2 + 768),
        12 * 3 * (768 * 64 + 64) + 768 * 768 + 768,
        lambda: sum(p.numel() for p in nn.MultiheadAttention(768, 12).parameters()),
    ],
    "torch_heads": [
        torch_by_sentence,
        torch_turned,
        torch_batch_first,
        torch_by_hand,
        torch_functional,
    ],
}


UNKNOWN = {
    "split_heads": [
        lambda x, h: x.unflatten(-1, (h, -1)).transpose(1, 2).flip(1),
        lambda x, h: x.unflatten(-1, (h, -1)).transpose(1, 2).roll(1, dims=2),
        lambda x, h: x[:, None].expand(-1, h, -1, -1),
    ],
    "merge_heads": [
        lambda x: x.transpose(1, 2).flatten(2).flip(-1),
        lambda x: x.flip(1).transpose(1, 2).flatten(2),
        lambda x: x.transpose(1, 2).flatten(1),
    ],
    "multi_head": [HeadsReversed, ProjectedTwice, HeadsBlind],
    "gpt2_parameters": [117_000_000, 768, 2_362_369, -2_362_368],
    "torch_heads": [
        lambda layer, x: (x, torch.ones(len(x), 2, x.shape[1], x.shape[1])),
        lambda layer, x: [part * 2 for part in right_heads(layer, x)],
        lambda layer, x: (right_heads(layer, x)[0], right_heads(layer, x)[1].flip(1)),
    ],
}


OTHER_WORDS = [
    ("multi_head", Asserts, "assert_for_error"),
    ("multi_head", Scrambled, "no_transpose"),
    ("torch_heads", heads_set_first, "in_place"),
    ("multi_head", DropsAlways, "drops_in_use"),
]
