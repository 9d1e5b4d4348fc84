"""Which axis is heads, if no size and no order in memory shows it: the one that the model joins."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from watched import Calls, by_hand, heads_of, watched

H, T = 3, 5


def written(q):
    return (q @ q.mT / 2).softmax(-1) @ q


WAYS = {
    "kernel": lambda q: F.scaled_dot_product_attention(q, q, q, scale=0.5),
    "written out": written,
    "in one axis": lambda q: written(q.flatten(0, 1)).unflatten(0, q.shape[:2]),
}


class Copies(nn.Module):
    """Self-attention of H heads, perhaps on copies of queries, keys and values, with heads first."""

    def __init__(self, way, heads_first, named, copied=True):
        super().__init__()
        self.way, self.heads_first, self.copied = way, heads_first, copied
        if named:
            self.num_heads = H

    def forward(self, x):
        q = heads_of(x, H)
        q = q.transpose(0, 1) if self.heads_first else q
        q = q.contiguous() if self.copied else q
        out = self.way(q)
        out = out.transpose(0, 1) if self.heads_first else out
        return out.transpose(1, 2).contiguous().view(x.shape)


@pytest.mark.parametrize("batch, tokens", ((2, T), (H, T), (4, T), (H, H), (H, 4), (1, 4), (7, 7)))
@pytest.mark.parametrize("named", (True, False))
@pytest.mark.parametrize("heads_first", (True, False))
@pytest.mark.parametrize("way", WAYS)
def test_what_the_model_joins_are_heads(way, heads_first, named, batch, tokens):
    x = torch.randn(batch, tokens, 12)
    for copied in (True, False):
        (call,) = watched(Copies(WAYS[way], heads_first, named, copied), x).calls
        assert call.weights.shape == (batch, H, tokens, tokens) and call.doubts == ()
        assert (call.weights - by_hand(heads_of(x), heads_of(x))).abs().max() < 1e-6


@pytest.mark.parametrize("batch", (1, 2, H))
def test_heads_may_be_cut_from_the_features_and_put_below_each_other(batch):
    """As in Set Transformer: (heads · batch, tokens, d), with a residual connection for each."""

    def attend(x):
        q = torch.cat(x.split(4, 2))
        return torch.cat((q + written(q)).split(batch), 2)

    x = torch.randn(batch, T, 12)
    (call,) = watched(Calls(attend), x).calls
    assert call.weights.shape == (batch, H, T, T) and call.doubts == ()
    assert (call.weights - by_hand(heads_of(x), heads_of(x))).abs().max() < 1e-6


def test_a_mask_and_the_tags_follow_the_heads():
    hidden = torch.zeros(H, H, T, T).bool()  # (heads, batch, queries, keys)
    hidden[0, 1, :, 2] = hidden[2, 0, 1, 3] = True

    def kernel(q):
        return F.scaled_dot_product_attention(q, q, q, ~hidden, scale=0.5)

    x = torch.randn(H, T, 12)
    (call,) = watched(Copies(kernel, True, True), x).calls
    assert torch.equal(call.hidden.expand_as(call.weights), hidden.transpose(0, 1))
    assert torch.equal(call.tags, heads_of(x)[:, 0, :, 0])


def test_heads_that_were_picked_in_the_wrong_order_are_doubted():
    x = torch.randn(H, T, 12)
    for heads_first in (True, False):
        settings = {"heads": [0]}
        seen = watched(Copies(WAYS["kernel"], heads_first, True), x, settings=settings)
        assert bool(seen.calls[0].doubts) is heads_first
