"""Attention that is written out, as people write it: what is multiplied with the values is seen."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from watched import Calls, by_hand, heads_of, watched

from helpers.inside import watch

generator = torch.Generator().manual_seed(0)
X = torch.randn(2, 5, 12, generator=generator)
Y = torch.randn(2, 7, 12, generator=generator)
FUTURE = torch.ones(5, 7).triu(1).bool()


def scores(q, k):
    return q @ k.mT / 2


def softmax(q, k):
    return scores(q, k).softmax(-1)


FORMS = {  # of queries (batch, heads, queries, d) and keys, which are the values, too
    "the operator": lambda q, k: softmax(q, k) @ k,
    "torch.matmul": lambda q, k: torch.matmul(torch.softmax(scores(q, k), dim=-1), k),
    "named arguments": lambda q, k: torch.matmul(F.softmax(input=scores(q, k), dim=3), other=k),
    "torch.special": lambda q, k: torch.special.softmax(scores(q, k), -1) @ k,
    "scores in place": lambda q, k: (q @ k.mT).div_(2).softmax(-1).mul_(1.0) @ k,
    "another type between": lambda q, k: scores(q, k).double().softmax(-1).to(k.dtype) @ k,
    "turned, values first": lambda q, k: (k.mT @ softmax(q, k).mT).mT,
    "keys down": lambda q, k: k.mT @ (k @ q.mT / 2).softmax(-2),
    "keys down, turned back": lambda q, k: (k @ q.mT / 2).softmax(dim=2).transpose(2, 3) @ k,
    "einsum": lambda q, k: torch.einsum("b h q k, b h k d -> b q h d", softmax(q, k), k),
    "einsum, values first": lambda q, k: torch.einsum("bhkd,bhqk->bhqd", k, softmax(q, k)),
    "einsum, heads last": lambda q, k: torch.einsum(
        "nqkh,nkhd->nqhd", scores(q, k).permute(0, 2, 3, 1).softmax(2), k.transpose(1, 2)
    ),
    "einsum, heads before the batch": lambda q, k: torch.einsum(
        "hbqk,bkhd->bqhd", softmax(q, k).transpose(0, 1), k.transpose(1, 2)
    ),
    "bmm, batch and heads in one": lambda q, k: torch.bmm(
        F.dropout(F.softmax(torch.bmm(q.flatten(0, 1), k.flatten(0, 1).mT) / 2, -1), 0.0),
        k.flatten(0, 1),
    ),
    "reshaped between": lambda q, k: softmax(q, k).flatten(0, 1) @ k.flatten(0, 1),
    "applied to positions, too": lambda q, k: (w := softmax(q, k)) @ k + w @ torch.ones(2, 3, 7, 4),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_form(name):
    model = Calls(lambda x, y: FORMS[name](heads_of(x), heads_of(y)), heads=3)
    (call,) = watched(model.eval(), X, Y).calls
    wanted = by_hand(heads_of(X), heads_of(Y))
    assert call.weights.shape == wanted.shape and (call.weights - wanted).abs().max() < 1e-6
    assert call.hidden is None and call.kind is None


MASKINGS = {
    "infinity": lambda s: s.masked_fill(FUTURE, float("-inf")),
    "added": lambda s: s + FUTURE * -10000.0,
    "in place": lambda s: s.masked_fill_(FUTURE, -1e20),
    "where": lambda s: torch.where(FUTURE, torch.finfo(torch.float32).min, s),
    "in a batch with heads": lambda s: s.masked_fill(FUTURE, float("-inf")).flatten(0, 1),
}


@pytest.mark.parametrize("name", MASKINGS)
def test_a_mask(name):
    def attend(x, y):
        weights = MASKINGS[name](scores(heads_of(x), heads_of(y))).softmax(-1)
        return weights.view(2, 3, 5, 7) @ heads_of(y)

    (call,) = watched(Calls(attend, heads=3), X, Y).calls
    assert (call.weights - by_hand(heads_of(X), heads_of(Y), FUTURE)).abs().max() < 1e-6
    assert torch.equal(call.hidden, FUTURE.expand(2, 3, 5, 7))


def test_a_key_without_values_takes_a_part_of_each_row():
    """As in gpt-oss: an attention sink."""

    def sinks(x):
        x = heads_of(x)
        return F.pad(x @ x.mT / 2, (0, 1)).softmax(-1)[..., :-1] @ x

    (call,) = watched(Calls(sinks), X).calls
    assert call.weights.sum(-1).max() < 1


ONE_BATCH = {  # without heads: (batch, queries, keys), or less
    "single head": (lambda x: (x @ x.mT).softmax(-1) @ x, X),
    "one sentence": (lambda x: (x @ x.mT).softmax(-1) @ x, X[0]),
    "one query of the last token": (lambda x: (x[:, -1:] @ x.mT).softmax(-1) @ x, X),
    "tokens before the batch": (
        lambda x: ((y := x.transpose(0, 1)) @ y.mT).softmax(-1) @ y,
        X.transpose(0, 1),
    ),
    "places of a picture": (
        lambda x: ((y := x.flatten(2).mT) @ y.mT).softmax(-1) @ y,
        Y.view(2, 7, 3, 4),
    ),
}


@pytest.mark.parametrize("name", ONE_BATCH)
def test_without_heads(name):
    attend, x = ONE_BATCH[name]
    y = x if x.dim() < 4 else x.flatten(2).mT
    y = y.transpose(0, 1) if "before" in name else y
    y = y if y.dim() > 2 else y[None]
    wanted = (y @ y.mT).softmax(-1)
    (call,) = watched(Calls(attend), x).calls
    torch.testing.assert_close(call.weights[:, 0], wanted[:, -1:] if "last" in name else wanted)


class Handed(nn.Module):
    """A layer with no weights of its own: it is handed (batch · heads, tokens, d)."""

    def forward(self, queries, keys, values):
        return torch.bmm(torch.bmm(queries, keys.mT).softmax(-1), values)


class Hands(nn.Module):
    def __init__(self):
        super().__init__()
        self.W, self.attend, self.n_heads = nn.Linear(8, 8), Handed(), 4

    def forward(self, queries, keys):
        q, k = (heads_of(self.W(x), 4).flatten(0, 1) for x in (queries, keys))
        return self.attend(q, k, k)


@pytest.mark.parametrize("keys", (5, 6))
@pytest.mark.parametrize("batch", (1, 2, 4))
def test_a_layer_that_is_handed_batch_and_heads_in_one(batch, keys):
    model, x = Hands(), torch.randn(batch, 5, 8)
    y = x if keys == 5 else torch.randn(batch, 6, 8)
    (call,) = watched(model, x, y).calls
    q, k = (heads_of(model.W(z), 4) for z in (x, y))
    assert call.name == "attend" and call.kind == ("self" if keys == 5 else None)
    assert (call.weights - by_hand(q, k, scale=1.0)).abs().max() < 1e-6


class Caches(nn.Module):
    def forward(self, x):
        self.cache = torch.cat([getattr(self, "cache", x[:, :0]), x], 1)
        return (x @ self.cache.mT).softmax(-1) @ self.cache


def test_a_cache_of_the_layers_own_explains_more_keys_than_queries():
    x, model = torch.randn(2, 5, 4), Caches()
    model(x[:, :4])
    with watch(model) as seen:
        model(x[:, 4:])
    assert seen.calls[0].kind == "self" and seen.calls[0].weights.shape == (2, 1, 1, 5)


def test_self_or_cross():
    class Looks(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(()))

        def forward(self, x, memory):
            return (x @ memory.mT * self.scale).softmax(-1) @ memory

    class Projected(Looks):
        def forward(self, q, k):
            return super().forward(q, k)

    pytorchs = nn.MultiheadAttention(12, 3, batch_first=True)
    for y in (Y, X + 1):  # of another length, or of the same
        assert watched(Looks(), X, y).calls[0].kind == "cross"
        assert watched(Projected(), X, y).calls[0].kind is None
        assert watched(pytorchs, X, y, y).calls[0].kind == "cross"
    for model, inputs in ((Looks(), 2), (Projected(), 2), (pytorchs, 3)):
        assert watched(model, *[X] * inputs).calls[0].kind == "self"
