"""Wrong answers to the exercises that ask for a layer.

The three layers at the top are right, and written in steps. Each class below them, and in
wrong_causal.py, replaces one step with a mistake, and goes in front of a layer: `made(NotScaled,
MultiHeadAttention)`.
Above each comment `# mend:` stands the line that makes the mistake; the comment mends it.
"""

import torch
from torch import nn
from torch.nn import functional as F

NAMES = ("W_query", "W_key", "W_value")


class SelfAttention(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.d_in, self.d_out = d_in, d_out
        for name in NAMES:
            setattr(self, name, self.projection(d_in, d_out, qkv_bias))

    def projection(self, d_in, d_out, qkv_bias):
        return nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        queries, keys, values = self.project(x)
        weights = self.attend(self.score(queries, keys))
        return self.finish(self.mix(weights, values))

    def project(self, x):
        return self.W_query(x), self.W_key(x), self.W_value(x)

    def score(self, queries, keys):
        return queries @ keys.mT / keys.shape[-1] ** 0.5

    def attend(self, scores):
        return self.drop(self.softmax(self.hide(scores)))

    def hide(self, scores):
        return scores

    def softmax(self, scores):
        return scores.softmax(dim=-1)

    def drop(self, weights):
        return weights

    def mix(self, weights, values):
        return weights @ values

    def finish(self, context):
        return context


class CausalAttention(SelfAttention):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__(d_in, d_out, qkv_bias)
        self.dropout = dropout
        self.keep(torch.ones(context_length, context_length).triu(diagonal=1))

    def keep(self, mask):
        self.register_buffer("mask", mask)

    def hidden(self, scores):
        tokens = scores.shape[-1]
        return self.mask[:tokens, :tokens].bool()

    def hide(self, scores):
        return scores.masked_fill(self.hidden(scores), float("-inf"))

    def drop(self, weights):
        return F.dropout(weights, self.dropout, self.training)


class MultiHeadAttention(CausalAttention):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        self.num_heads = num_heads
        self.head_dim = self.divided(d_out, num_heads)
        self.out_proj = self.last(d_in, d_out)

    def divided(self, d_out, num_heads):
        if d_out % num_heads != 0:
            raise ValueError(f"{d_out=} does not divide into {num_heads=}")
        return d_out // num_heads

    def last(self, d_in, d_out):
        return nn.Linear(d_out, d_out)

    def project(self, x):
        return [self.split(part) for part in super().project(x)]

    def split(self, x):
        b, t, _ = x.shape
        return x.view(b, t, self.num_heads, self.head_dim).transpose(1, 2)

    def finish(self, context):
        return self.out_proj(self.merge(context))

    def merge(self, context):
        b, _, t, _ = context.shape
        return context.transpose(1, 2).reshape(b, t, self.d_out)


def made(mistake, layer):
    """The layer, with this mistake in it."""
    return type(mistake.__name__, (mistake, layer), {"__module__": __name__, "mistake": mistake})


# ---------------------------------------------------------------- projections


class BiasAlways:
    def projection(self, d_in, d_out, qkv_bias):
        return nn.Linear(d_in, d_out)
        # mend: return nn.Linear(d_in, d_out, bias=qkv_bias)


class BiasNever:
    def projection(self, d_in, d_out, qkv_bias):
        return nn.Linear(d_in, d_out, bias=False)
        # mend: return nn.Linear(d_in, d_out, bias=qkv_bias)


class PlainTensors:
    def __init__(self, d_in, d_out, qkv_bias=False):
        nn.Module.__init__(self)
        for name in NAMES:
            setattr(self, name, torch.rand(d_in, d_out))
            # mend: setattr(self, name, nn.Linear(d_in, d_out, bias=qkv_bias))

    def project(self, x):
        return [W(x) if isinstance(W, nn.Linear) else x @ W for W in self.all_three()]

    def all_three(self):
        return [getattr(self, name) for name in NAMES]


class QueryIsData:
    def project(self, x):
        return x, self.W_key(x), self.W_value(x)
        # mend: return self.W_query(x), self.W_key(x), self.W_value(x)


class OneProjection:
    def project(self, x):
        queries, keys, values = super().project(x)
        return queries, queries, values
        # mend: return queries, keys, values


class ValuesSwapped:
    def project(self, x):
        queries, keys, values = super().project(x)
        return queries, values, keys
        # mend: return queries, keys, values


class KeysMixed:
    def project(self, x):
        queries, keys, values = super().project(x)
        return queries, keys, keys
        # mend: return queries, keys, values


class InputsMixed:
    def project(self, x):
        queries, keys, values = super().project(x)
        return queries, keys, x
        # mend: return queries, keys, values


class AcrossTheBatch:
    def forward(self, x):
        return super().forward(x.transpose(0, 1)).transpose(0, 1)
        # mend: return super().forward(x)


# ---------------------------------------------------------------- scores and softmax


class NotScaled:
    def score(self, queries, keys):
        return queries @ keys.mT
        # mend: return queries @ keys.mT / keys.shape[-1] ** 0.5


class ByDk:
    def score(self, queries, keys):
        return queries @ keys.mT / keys.shape[-1]
        # mend: return queries @ keys.mT / keys.shape[-1] ** 0.5


class TimesRoot:
    def score(self, queries, keys):
        return queries @ keys.mT / keys.shape[-1] ** -0.5
        # mend: return queries @ keys.mT / keys.shape[-1] ** 0.5


class ByDIn:
    def score(self, queries, keys):
        return queries @ keys.mT / self.d_in**0.5
        # mend: return queries @ keys.mT / keys.shape[-1] ** 0.5


class ByTokens:
    def score(self, queries, keys):
        return queries @ keys.mT / keys.shape[-2] ** 0.5
        # mend: return queries @ keys.mT / keys.shape[-1] ** 0.5


class ByTwo:
    def score(self, queries, keys):
        return queries @ keys.mT / 2**0.5
        # mend: return queries @ keys.mT / keys.shape[-1] ** 0.5


class ByDOut:
    def score(self, queries, keys):
        return queries @ keys.mT / self.d_out**0.5
        # mend: return queries @ keys.mT / self.head_dim**0.5


class KeysAsk:
    def score(self, queries, keys):
        return keys @ queries.mT / keys.shape[-1] ** 0.5
        # mend: return queries @ keys.mT / keys.shape[-1] ** 0.5


class OverQueries:
    def softmax(self, scores):
        return scores.softmax(dim=-2)
        # mend: return scores.softmax(dim=-1)


class OverBatch:
    def softmax(self, scores):
        return scores.softmax(dim=0)
        # mend: return scores.softmax(dim=-1)


class OverHeads:
    def softmax(self, scores):
        return scores.softmax(dim=1)
        # mend: return scores.softmax(dim=-1)


class NoExp:
    def softmax(self, scores):
        return scores / scores.sum(dim=-1, keepdim=True)
        # mend: return scores.softmax(dim=-1)


class NoSoftmax:
    def softmax(self, scores):
        return scores
        # mend: return scores.softmax(dim=-1)


class Unstable:
    def softmax(self, scores):
        e = scores.exp()
        # mend: e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
        return e / e.sum(dim=-1, keepdim=True)


class WeightsTurned:
    def mix(self, weights, values):
        return weights.mT @ values
        # mend: return weights @ values


class Detached:
    def mix(self, weights, values):
        return weights.detach() @ values
        # mend: return weights @ values


LAYERS = {
    "self_attention_module": SelfAttention,
    "causal_attention": CausalAttention,
    "causal_dropout": CausalAttention,
    "multi_head": MultiHeadAttention,
}


def in_layers(mistake, *exercises):
    """exercise → [the layer with this mistake in it], for these exercises, or for all."""
    chosen = exercises or ("self_attention_module", "causal_attention", "multi_head")
    return {name: [made(mistake, LAYERS[name])] for name in chosen}
