"""What is not known is not shown, but named: coincidences of sizes, operations, kernels."""

import warnings

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from watched import Calls, heads_of, watched

from helpers.inside import Inside, watch
from helpers.models.attention import SelfAttention

generator = torch.Generator().manual_seed(0)
TABLE = nn.Parameter(torch.randn(7, 12, generator=generator))


def random(*shape):
    return torch.randn(*shape, generator=generator)


def of_channels(x):
    """As in XCiT: (batch, heads, channels, tokens)."""
    q = heads_of(x).mT
    return ((q @ q.mT).softmax(-1) @ q).mT


def of_a_picture(x):
    """As in DANet: (batch, channels, height, width)."""
    q = x.flatten(2)
    return ((q @ q.mT).softmax(-1) @ q).view_as(x)


def streams(x):
    return x.mean(-1, keepdim=True).expand(*x.shape[:3], x.shape[2]).softmax(-1) @ x


def linear(x):
    """Efficient attention: no map of tokens is ever computed."""
    q = heads_of(x)
    return q.softmax(-1) @ (q.softmax(-2).mT @ q)


def nearest(x, heads=1):
    """Each token attends to 3 others of its own."""
    near = torch.stack([x.roll(i, 1) for i in range(3)], 2)  # (batch, tokens, 3, d)
    near = near.unflatten(-1, (heads, -1)).transpose(2, 3)
    return ((x.unflatten(-1, (heads, 1, -1)) @ near.mT).softmax(-1) @ near).flatten(2)


def shares(x, n):
    """A softmax over n classes or experts, for each token."""
    return (x @ torch.linspace(-1, 1, 12 * n).view(12, n)).softmax(-1)


def pools(kernel):
    """As in Inkling 2: at each position, one query over what earlier layers computed there."""

    def attend(x):
        kept, query = torch.stack([x, x.roll(1, 0)], 2), x[:, :, None]
        if kernel:
            return F.scaled_dot_product_attention(query, kept, kept)
        return (query @ kept.mT).softmax(-1) @ kept

    return attend


def scores(x):
    return heads_of(x) @ heads_of(x).mT / 2


def blocks(x):
    """Local attention: each block of 3 sees itself and the one before it."""
    q = x.unflatten(1, (5, 3))
    k = torch.cat([q.roll(1, 1), q], 2)
    return (q @ k.mT).softmax(-1) @ k


B, T = (2, 7, 12), (3, 7, 12)
BY_SIZES = {  # each case with the shape of its input
    "channels": (lambda x: F.scaled_dot_product_attention(x.mT, x.mT, x.mT).mT, (1, 50, 8)),
    "channels, as many as tokens": (of_channels, (2, 4, 12)),
    "channels, batch as many as heads": (of_channels, T),
    "channels of a picture": (of_a_picture, (2, 8, 5, 5)),
    "channels look at channels": (lambda x: ((x.mT @ x).softmax(-1) @ x.mT).mT, B),
    "residual streams": (streams, (1, 7, 4, 8)),
    "linear, as many tokens as features": (linear, (2, 4, 12)),
    "layers that are mixed": (
        lambda x: torch.einsum("l,lbtd->btd", torch.ones(3).softmax(0), x.expand(3, *x.shape)),
        T,
    ),
    "three nearest of three sentences": (nearest, T),
    "three nearest, with heads": (lambda x: nearest(x, 2), B),
    **{f"pools, {b}, {k}": (pools(k), (b, 7, 12)) for b in (1, 2, 3) for k in (True, False)},
    "classes and prototypes": (lambda x: shares(x, 9) @ torch.ones(9, 5), B),
    "features look at tokens": (lambda x: x.mT.softmax(-1) @ x, B),
    "a table as long as a sentence": (lambda x: shares(x, 7) @ TABLE, B),
    "experts": (lambda x: shares(x, 5)[:, :, None] @ torch.stack([x * k for k in range(5)], 2), B),
    "groups of heads": (lambda x: scores(x)[:, None].softmax(-1).expand(-1, 2, -1, -1, -1)
                        @ heads_of(x)[:, None], B),
    "heads before the batch": (
        lambda x: scores(x).softmax(-1).transpose(0, 1) @ heads_of(x).transpose(0, 1), B
    ),
    "blocks": (blocks, (2, 15, 12)),
}  # fmt: skip
BY_OPERATION = {
    "heads mixed": lambda x: torch.einsum("bhqk,gh->bgqk", scores(x).softmax(-1), torch.rand(3, 3)),
    "heads or queries": lambda x: torch.einsum("bhqk,bkd->bqhd", scores(x).softmax(-1), x),
    "over the queries": lambda x: scores(x).softmax(-2) @ heads_of(x),
    "one of two": lambda x: scores(x).softmax(-1) @ heads_of(x) + linear(x),
    "changed": lambda x: (scores(x).softmax(-1) * 2) @ heads_of(x),
    "sorted": lambda x: scores(x).softmax(-1).argsort(-1).float() @ heads_of(x),
    "a sum in the same step": lambda x: torch.baddbmm(x, (x @ x.mT).softmax(-1), x),
    "a softmax by hand": lambda x: (e := scores(x).exp()) / e.sum(-1, keepdim=True) @ heads_of(x),
    "a sum of products": lambda x: (x.sum(-1).softmax(1)[..., None] * x).sum(1),
    "no values": lambda x: scores(x).softmax(-1).sum(),
    "vmap": lambda x: torch.vmap(lambda y: (y @ y.mT).softmax(-1) @ y)(x),
}


@pytest.mark.parametrize("heads", (None, 3))
@pytest.mark.parametrize("name", [*BY_SIZES, *BY_OPERATION])
def test_it_is_not_shown_but_named(name, heads):
    attend, shape = BY_SIZES[name] if name in BY_SIZES else (BY_OPERATION[name], B)
    model = nn.ModuleDict({"known": SelfAttention(12, 12), "attn": Attention(attend, heads)}).eval()
    with pytest.warns(UserWarning, match="nothing is shown of 'attn'"), watch(model) as seen:
        model["known"](random(2, 7, 12))
        model["attn"](random(*shape))
    assert list(seen.weights) == ["known"] and seen.unseen == ("attn",)
    assert "'attn'" in repr(seen) and "Not all is shown of 'attn'" in repr(Inside(seen))


class Attention(Calls):
    """Named like attention, so that it is missed."""


class LinearAttention(nn.Module):
    """Attention with no weights to see: no matrix (queries, keys) is ever made."""

    def forward(self, x):
        feature = F.elu(x) + 1
        return feature @ (feature.mT @ x)


def test_attention_without_a_softmax_is_named_unless_layers_were_picked():
    model = nn.Sequential(SelfAttention(4, 4), LinearAttention())
    with pytest.warns(UserWarning, match="of '1'.*set_attn_implementation"), watch(model) as seen:
        model(torch.rand(2, 5, 4))
    assert seen.unseen == ("1",) and list(seen.weights) == ["0"]
    with pytest.raises(ValueError, match="shown of 'LinearAttention'"), watch(model[1]):
        model[1](torch.rand(2, 5, 4))
    with warnings.catch_warnings(), watch(model, layers="0"):
        warnings.simplefilter("error")
        model(torch.rand(2, 5, 4))


def test_a_second_softmax_of_a_layer_that_is_seen_is_named():
    def attend(x):
        return (
            scores(x).softmax(-1) @ heads_of(x) + torch.baddbmm(x, (x @ x.mT).softmax(-1), x).sum()
        )

    model = Calls(attend)
    with pytest.warns(UserWarning, match="a softmax met no values"), watch(model) as seen:
        model(random(2, 7, 12))
    assert seen.unseen == tuple(seen.weights) == ("Calls",)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:Converting a tensor")
def test_what_torch_jit_made_is_named():
    x = torch.rand(2, 5, 4)
    traced = torch.jit.trace(SelfAttention(4, 4).eval(), x, check_trace=False)
    model = nn.Sequential(SelfAttention(4, 4), traced)
    with pytest.warns(UserWarning, match="nothing is shown of '1'"), watch(model) as seen:
        model(x)
    assert list(seen.weights) == ["0"]


def test_a_classifier_is_no_attention():
    model = nn.Sequential(SelfAttention(12, 12), nn.Linear(12, 9), nn.Softmax(-1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not watched(model, random(2, 7, 12)).unseen


def test_an_error_of_ours_stops_no_model(monkeypatch):
    monkeypatch.setattr("helpers.inside.watching.far", lambda *_: 1 / 0)
    model, x = SelfAttention(4, 4).eval(), torch.rand(2, 5, 4)
    with pytest.raises(ValueError, match="'SelfAttention', or not all: division by zero"):
        with watch(model):
            result = model(x)
    assert torch.equal(result, model(x))
