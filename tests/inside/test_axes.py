"""Which axis is batch, heads or queries: letters, shapes or inputs show it, or it is refused."""

import warnings

import pytest
import torch
from torch import nn
from watched import Calls, by_hand, heads_of, watched

from helpers.inside import watch

H, T = 3, 7


def softmax_of(x):
    """Weights (batch, heads, queries, keys) that a model computes from x as queries and keys."""
    q = heads_of(x)
    return (q @ q.mT / 2).softmax(-1)


def einsums(own, other, out):
    """A layer that arranges its heads as these letters say: b, h, q, k, d."""

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
    "times and sum": lambda x: (softmax_of(x)[..., None] * heads_of(x)[:, :, None]).sum(3),
    "times and sum, values first": lambda x: (
        heads_of(x)[:, :, None] * softmax_of(x).unsqueeze(-1)
    ).sum(dim=-2),
}


# as many sentences as heads
AS_MANY = [n for n in LAYOUTS if "matmul" not in n and "through" not in n]


@pytest.mark.parametrize(
    "name, batch", [*((n, b) for n in LAYOUTS for b in (1, 2)), *((n, H) for n in AS_MANY)]
)
def test_a_layout(name, batch):
    x = torch.randn(batch, T, 12)
    (call,) = watched(Calls(LAYOUTS[name]), x).calls
    assert call.weights.shape == (batch, H, T, T) and call.kind == "self"
    assert (call.weights - by_hand(heads_of(x), heads_of(x))).abs().max() < 1e-6


GROUPS = {  # of heads that share keys and values: (batch, groups, heads, queries, keys)
    "matmul": lambda w, v: w @ v.unsqueeze(2),
    "einsum": lambda w, v: torch.einsum("bghqk,bgkd->bghqd", w, v),
    "einsum, groups last": lambda w, v: torch.einsum("bghqk,bkgd->bqghd", w, v.transpose(1, 2)),
}


@pytest.mark.parametrize("batch", (1, 2, 4))
@pytest.mark.parametrize("name", GROUPS)
def test_groups_of_heads_are_heads(name, batch):
    x = torch.randn(batch, T, 12)
    q = x.unflatten(-1, (4, 3)).transpose(1, 2)
    k = q[:, :2].contiguous()  # two heads share each of the two keys

    def attend(x):
        weights = (q.unflatten(1, (2, 2)) @ k.unsqueeze(2).mT).softmax(-1)
        return GROUPS[name](weights, k)

    (call,) = watched(Calls(attend), x).calls
    assert call.weights.shape == (batch, 4, T, T)
    assert (call.weights - by_hand(q, k, scale=1.0)).abs().max() < 1e-6


BLOCKS = {  # of 3 queries, with the heads before them: (batch, heads, blocks, queries, d)
    "beside the heads": lambda q, k: (q @ k.mT).softmax(-1) @ k,
    "batch and heads in one": lambda q, k: (
        (q.flatten(0, 1) @ k.flatten(0, 1).mT).softmax(-1) @ k.flatten(0, 1)
    ).view_as(q),
}


@pytest.mark.parametrize("batch", (1, 2))
@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_of_queries_are_no_heads(name, batch):
    """Local attention: each block sees itself and the one before it."""

    def parts(x):
        q = x.unflatten(-1, (2, 6)).transpose(1, 2).unflatten(2, (5, 3))
        return q, torch.cat([q.roll(1, 2), q], 3)

    x = torch.randn(batch, 15, 12)
    (call,) = watched(Calls(lambda x: BLOCKS[name](*parts(x))), x).calls
    q, k = (part.transpose(1, 2).flatten(0, 1) for part in parts(x))
    assert call.weights.shape == (batch * 5, 2, 3, 6)
    assert (call.weights - by_hand(q, k, scale=1.0)).abs().max() < 1e-6


def test_weights_that_weigh_positions_too_are_one_call():
    """Relative positions as in Shaw et al. (2018): each query has its own vectors for them."""

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

    def times(x):
        return (weights(x)[..., None] * heads_of(x)[:, :, None]).sum(3)

    def letters(x):
        return torch.einsum(
            "hbqk,hbkd->hbqd", weights(x).transpose(0, 1), heads_of(x).transpose(0, 1)
        )

    x = torch.randn(2, T, 12)
    for attend in (times, letters):
        (call,) = watched(Calls(attend), x).calls
        assert (call.weights - by_hand(heads_of(x), heads_of(x), hidden)).abs().max() < 1e-6
        assert torch.equal(call.hidden.expand_as(call.weights), hidden.expand(2, H, T, T))


def test_a_single_query_with_heads_times_and_sum():
    def attend(x):
        q = heads_of(x)
        weights = (q[:, :, -1:] @ q.mT / 2).softmax(-1)
        return (weights[..., None] * q[:, :, None]).sum(3)

    x = torch.randn(2, T, 12)
    (call,) = watched(Calls(attend), x).calls
    q = heads_of(x)
    assert (call.weights - by_hand(q[:, :, -1:], q)).abs().max() < 1e-6


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
    """For each of 7 tokens, the values of 4 others: (batch, tokens, 4, d)."""
    return torch.stack([x.roll(i, 1) for i in range(4)], 2)


UNTOLD = {
    "repeated values": lambda x: (
        softmax_of(x)[..., None] * heads_of(x)[:, :, None].repeat(1, 1, T, 1, 1)
    ).sum(3),
    "neighbours": lambda x: (near(x).sum(-1).softmax(-1).unsqueeze(-1) * near(x)).sum(2),
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
    with warnings.catch_warnings(), watch(model, layers="known"):  # the other layer is left out
        warnings.simplefilter("error")
        model["untold"](x)
        model["known"](x)
    with pytest.raises(ValueError, match="not follow what 'Calls' does: .*do not show"):
        with watch(model["untold"]):
            model["untold"](x)
