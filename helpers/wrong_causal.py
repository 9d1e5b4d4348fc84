"""Mistakes in the mask, the dropout and the heads of a layer: steps that go in front of the right
ones of wrong_layers.py.

The line that makes the mistake stands above a comment with the line that mends it.
"""

import torch
from torch import nn
from torch.nn import functional as F

# ---------------------------------------------------------------- mask


class MaskOfNan:
    def hide(self, scores):
        mask = torch.triu(torch.ones(scores.shape[-2:]), diagonal=1) * float("-inf")
        # mend: mask = torch.full(scores.shape[-2:], float("-inf")).triu(diagonal=1)
        return scores + mask


class Diagonal0:
    def hidden(self, scores):
        return torch.ones(scores.shape[-2:]).triu(diagonal=0).bool()
        # mend: return torch.ones(scores.shape[-2:]).triu(diagonal=1).bool()


class Diagonal2:
    def hidden(self, scores):
        return torch.ones(scores.shape[-2:]).triu(diagonal=2).bool()
        # mend: return torch.ones(scores.shape[-2:]).triu(diagonal=1).bool()


class Tril:
    def hidden(self, scores):
        return torch.ones(scores.shape[-2:]).tril().bool()
        # mend: return torch.ones(scores.shape[-2:]).triu(diagonal=1).bool()


class ThePast:
    def hidden(self, scores):
        return torch.ones(scores.shape[-2:]).tril(diagonal=-1).bool()
        # mend: return torch.ones(scores.shape[-2:]).triu(diagonal=1).bool()


class TrueIsVisible:
    """The fused kernel, given a mask in which True means hidden."""

    def forward(self, x):
        queries, keys, values = self.project(x)
        hidden = torch.ones(x.shape[-2], x.shape[-2]).triu(diagonal=1).bool()
        mask = {"attn_mask": hidden, "dropout_p": self.dropout if self.training else 0.0}
        # mend: mask = {"attn_mask": ~hidden, "dropout_p": self.dropout if self.training else 0.0}
        return self.finish(F.scaled_dot_product_attention(queries, keys, values, **mask))


class ByZero:
    def hide(self, scores):
        return scores * ~self.hidden(scores)
        # mend: return scores.masked_fill(self.hidden(scores), float("-inf"))


class AfterSoftmax:
    def attend(self, scores):
        return self.drop(self.softmax(scores).masked_fill(self.hidden(scores), 0.0))
        # mend: return self.drop(self.softmax(self.hide(scores)))


class MaskOfScores:
    def hidden(self, scores):
        return torch.triu(scores, diagonal=1).bool()
        # mend: return torch.triu(torch.ones_like(scores), diagonal=1).bool()


class NoMask:
    def hide(self, scores):
        return scores
        # mend: return scores.masked_fill(self.hidden(scores), float("-inf"))


class PlainMask:
    def keep(self, mask):
        self.mask = mask
        # mend: self.register_buffer("mask", mask)


class NotCut:
    def hidden(self, scores):
        return self.mask.bool()
        # mend: return self.mask[: scores.shape[-1], : scores.shape[-1]].bool()


class CutByBatch:
    def hidden(self, scores):
        tokens = scores.shape[0]
        # mend: tokens = scores.shape[-1]
        return self.mask[:tokens, :tokens].bool()


# ---------------------------------------------------------------- dropout


class DropsInUse:
    def drop(self, weights):
        return F.dropout(weights, self.dropout)
        # mend: return F.dropout(weights, self.dropout, self.training)


class FusedDropsInUse:
    def forward(self, x):
        queries, keys, values = self.project(x)
        p = self.dropout
        # mend: p = self.dropout if self.training else 0.0
        named = {"is_causal": True, "dropout_p": p}
        return self.finish(F.scaled_dot_product_attention(queries, keys, values, **named))


class NeverDrops:
    def drop(self, weights):
        return weights
        # mend: return F.dropout(weights, self.dropout, self.training)


class DropsNotScaled:
    def drop(self, weights):
        if not self.training:
            return weights
        return weights * (torch.rand_like(weights) >= self.dropout)
        # mend: return weights * (torch.rand_like(weights) >= self.dropout) / (1 - self.dropout)


class DropsScores:
    def attend(self, scores):
        return self.softmax(self.hide(self.drop(scores)))
        # mend: return self.drop(self.softmax(self.hide(scores)))


class DropsMaskedScores:
    def attend(self, scores):
        return self.softmax(self.drop(self.hide(scores)))
        # mend: return self.drop(self.softmax(self.hide(scores)))


class DropsContext:
    def forward(self, x):
        queries, keys, values = self.project(x)
        weights = self.softmax(self.hide(self.score(queries, keys)))
        return self.finish(self.drop(weights @ values))
        # mend: return self.finish(self.drop(weights) @ values)


# ---------------------------------------------------------------- heads


class SplitByView:
    def split(self, x):
        b, t, _ = x.shape
        return x.view(b, self.num_heads, t, self.head_dim)
        # mend: return x.view(b, t, self.num_heads, self.head_dim).transpose(1, 2)


class SplitInterleaved:
    def split(self, x):
        b, t, _ = x.shape
        return x.view(b, t, self.head_dim, self.num_heads).permute(0, 3, 1, 2)
        # mend: return x.view(b, t, self.num_heads, self.head_dim).transpose(1, 2)


class SplitNotTurned:
    """Attention then runs over the heads of each token, not over its tokens."""

    def split(self, x):
        b, t, _ = x.shape
        return x.view(b, t, self.num_heads, self.head_dim)
        # mend: return x.view(b, t, self.num_heads, self.head_dim).transpose(1, 2)


class MergeNotTurned:
    def merge(self, context):
        b, _, t, _ = context.shape
        return context.reshape(b, t, self.d_out)
        # mend: return context.transpose(1, 2).reshape(b, t, self.d_out)


class MergeNotContiguous:
    def merge(self, context):
        b, _, t, _ = context.shape
        return context.transpose(1, 2).view(b, t, self.d_out)
        # mend: return context.transpose(1, 2).contiguous().view(b, t, self.d_out)


class Uneven:
    def divided(self, d_out, num_heads):
        return d_out // num_heads
        # mend: return super().divided(d_out, num_heads)


class OutProjOfDIn:
    def last(self, d_in, d_out):
        return nn.Linear(d_in, d_out)
        # mend: return nn.Linear(d_out, d_out)


class NoOutProj:
    def finish(self, context):
        return self.merge(context)
        # mend: return self.out_proj(self.merge(context))


class EveryHeadWhole:
    """d_out numbers for every head, as in the wrapper."""

    def projection(self, d_in, d_out, qkv_bias):
        return nn.Linear(d_in, d_out * self.heads_made, bias=qkv_bias)
        # mend: return nn.Linear(d_in, d_out, bias=qkv_bias)

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        object.__setattr__(self, "heads_made", num_heads)
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
