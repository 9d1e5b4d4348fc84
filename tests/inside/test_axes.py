"""Which axis is batch, heads or queries: told by letters, shapes and inputs, or not shown at all."""

import warnings

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from watched import Calls, by_hand, heads_of, watched

from helpers.inside import watch

H, T = 3, 7


def softmax_of(x):
    """Weights (batch, heads, queries, keys) that a model makes of x, which is queries and keys."""
    q = heads_of(x)
    return (q @ q.mT / 2).softmax(-1)


def einsums(own, other, out):
    """A layer that lays out its heads as these letters say: b, h, q, k, d."""

    def attend(x):
        weights = softmax_of(x).permute(["bhqk".index(letter) for letter in own])
        values = heads_of(x).permute(["bhkd".index(letter) for letter in other])
        return torch.einsum(f"{own},{other}->{out}", weights, values)

    return attend


LAYOUTS = {
    "heads before the batch": einsums("hbqk", "bkhd", "bqhd"),
    "heads before the batch throughout": einsums("hbqk", "hbkd", "hbqd"),
    "tokens before the batch": einsums("hbqk", "kbhd", "qbhd"),
    "heads before the batch at last": einsums("bhqk", "bkhd", "hbqd"),
    "heads that share values": lambda x: torch.einsum("bhqk,bkd->bhqd", softmax_of(x), x),
    "heads that share values, values first": lambda x: torch.einsum(
        "bkd,bqkh->bqhd", x, softmax_of(x).movedim(1, -1)
    ),
    "matmul, heads before the batch": lambda x: (
        softmax_of(x).transpose(0, 1) @ heads_of(x).transpose(0, 1)
    ),
}


AS_MANY = [n for n in LAYOUTS if "matmul" not in n and "through" not in n]  # sentences as heads


@pytest.mark.parametrize(
    "name, batch", [*((n, b) for n in LAYOUTS for b in (1, 2)), *((n, H) for n in AS_MANY)]
)
def test_a_layout(name, batch):
    x = torch.randn(batch, T, 12)
    (call,) = watched(Calls(LAYOUTS[name]), x).calls
    assert call.weights.shape == (batch, H, T, T) and call.kind == "self"
    assert (call.weights - by_hand(heads_of(x), heads_of(x))).abs().max() < 1e-6


MANY = {  # more axes than batch and heads: (batch, groups, heads, …) and (batch, heads, blocks, …)
    "groups": lambda q, x: (q @ q[:, :, :1].mT).softmax(-1) @ q[:, :, :1],
    "groups in letters": lambda q, x: torch.einsum(
        "bghqk,bgkd->bghqd", (q @ q[:, :, :1].mT).softmax(-1), q[:, :, 0]
    ),
    "kernel": lambda q, x: F.scaled_dot_product_attention(q, q, q),
}


@pytest.mark.parametrize("batch", (1, 2, 4))
@pytest.mark.parametrize("name", MANY)
def test_more_axes_than_batch_and_heads_are_refused(name, batch):
    def attend(x):
        return MANY[name](x.unflatten(-1, (2, 2, 3)).movedim(1, 3), x)

    model = Calls(attend)
    with pytest.raises(ValueError, match=f"3 axes before queries and keys .{batch} × 2 × 2."):
        with watch(model):
            model(torch.randn(batch, T, 12))


def test_blocks_that_stand_where_heads_do_are_doubted():
    """Local attention: each block of 3 sees itself and the one before it."""

    def attend(x):
        q = x.unflatten(1, (5, 3))
        k = torch.cat([q.roll(1, 1), q], 2)
        return (q @ k.mT).softmax(-1) @ k

    for batch in (1, 2):
        (call,) = watched(Calls(attend), torch.randn(batch, 15, 12)).calls
        assert any("5 are heads or blocks" in doubt for doubt in call.doubts)


def test_weights_that_weigh_positions_too_are_one_call():
    """Relative positions as in Shaw et al. (2018): each query has vectors of its own for them."""

    def attend(x):
        weights, positions = softmax_of(x), torch.randn(T, T, 4)
        context = weights @ heads_of(x)
        turned = weights.permute(2, 0, 1, 3).reshape(T, -1, T) @ positions
        return context + turned.view(T, -1, H, 4).permute(1, 2, 0, 3)

    x = torch.randn(2, T, 12)
    (call,) = watched(Calls(attend), x).calls
    assert (call.weights - by_hand(heads_of(x), heads_of(x))).abs().max() < 1e-6


def test_a_mask_goes_with_its_axes():
    future = torch.ones(T, T).triu(1).bool()
    padding = (torch.arange(T) >= torch.tensor([[7], [4]]))[:, None, None]
    hidden = future | padding

    def weights(x):
        q = heads_of(x)
        return (q @ q.mT / 2).masked_fill(hidden, float("-inf")).softmax(-1)

    def letters(x):
        return torch.einsum(
            "hbqk,hbkd->hbqd", weights(x).transpose(0, 1), heads_of(x).transpose(0, 1)
        )

    x = torch.randn(2, T, 12)
    (call,) = watched(Calls(letters), x).calls
    assert (call.weights - by_hand(heads_of(x), heads_of(x), hidden)).abs().max() < 1e-6
    assert torch.equal(call.hidden.expand_as(call.weights), hidden.expand(2, H, T, T))


POOLS = {
    "einsum": lambda a, x: torch.einsum("bt,btd->bd", a, x),
    "einsum, values first": lambda a, x: torch.einsum("btd,bt->bd", x, a),
    "einsum, tokens before the batch": lambda a, x: torch.einsum(
        "bt,tbd->bd", a, x.transpose(0, 1)
    ),
}


@pytest.mark.parametrize("batch", (1, 2, T))
@pytest.mark.parametrize("name", POOLS)
def test_pooling(name, batch):
    x, query = torch.randn(batch, T, 12), torch.randn(12)
    (call,) = watched(Calls(lambda x: POOLS[name]((x @ query).softmax(-1), x)), x).calls
    assert torch.allclose(call.weights, (x @ query).softmax(-1)[:, None, None])
    assert call.kind is None


def near(x):
    """For each of 7 tokens, the values of 4 others of its own: (batch, tokens, 4, d)."""
    return torch.stack([x.roll(i, 1) for i in range(4)], 2)


UNTOLD = {
    "neighbours in letters": lambda x: torch.einsum(
        "bqk,bqkd->bqd", near(x).sum(-1).softmax(-1), near(x)
    ),
}


@pytest.mark.parametrize("name", UNTOLD)
def test_what_shapes_do_not_tell_is_not_shown_but_named(name):
    model = nn.ModuleDict({"known": Calls(lambda x: softmax_of(x) @ heads_of(x))})
    model["untold"] = Calls(UNTOLD[name])
    x = torch.randn(2, T, 12)
    with pytest.warns(UserWarning, match="not follow what 'untold' does: .*do not show"):
        with watch(model) as seen:
            model["known"](x)
            model["untold"](x)
    assert list(seen.weights) == ["known"] and seen.unseen == ("untold",)
    with warnings.catch_warnings(), watch(model, layers="known"):  # the other is not asked
        warnings.simplefilter("error")
        model["untold"](x)
        model["known"](x)
    with pytest.raises(ValueError, match="not follow what 'Calls' does: .*do not show"):
        with watch(model["untold"]):
            model["untold"](x)


def test_a_sum_of_products_is_not_shown_but_named():
    model = nn.ModuleDict({"known": Calls(lambda x: softmax_of(x) @ heads_of(x))})
    model["pool"] = Calls(lambda x: (x.sum(-1).softmax(1)[..., None] * x).sum(1))
    x = torch.randn(2, T, 12)
    with watch(model) as seen:
        model["known"](x)
        model["pool"](x)
    assert list(seen.weights) == ["known"] and "'pool' met no values" in seen.check()
    with pytest.raises(ValueError, match="no attention was seen.*one by one"), watch(model):
        model["pool"](x)
