"""Attention that is written out, as people write it: what is multiplied with the values is seen."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from watched import Calls, by_hand, watched

from helpers.inside import watch

generator = torch.Generator().manual_seed(0)
Q = torch.randn(2, 3, 5, 4, generator=generator)  # (batch, heads, queries, d)
K = torch.randn(2, 3, 7, 4, generator=generator)
V = torch.randn(2, 3, 7, 6, generator=generator)
X = torch.randn(2, 5, 12, generator=generator)  # what such a layer is called with
FUTURE = torch.ones(5, 7).triu(1).bool()


def scores():
    return Q @ K.mT / 2


FORMS = {
    "the operator": lambda: scores().softmax(-1) @ V,
    "torch.matmul": lambda: torch.matmul(torch.softmax(scores(), dim=-1), V),
    "named arguments": lambda: torch.matmul(F.softmax(input=scores(), dim=3), other=V),
    "torch.special": lambda: torch.special.softmax(scores(), -1) @ V,
    "scores in place": lambda: (Q @ K.mT).div_(2).softmax(-1).mul_(1.0) @ V,
    "another type between": lambda: scores().double().softmax(-1).to(V.dtype) @ V,
    "turned, values first": lambda: (V.mT @ scores().softmax(-1).mT).mT,
    "keys down": lambda: V.mT @ (K @ Q.mT / 2).softmax(-2),
    "keys down, turned back": lambda: (K @ Q.mT / 2).softmax(dim=2).transpose(2, 3) @ V,
    "einsum": lambda: torch.einsum("bhqk,bhkd->bqhd", scores().softmax(-1), V),
    "einsum, spaced out": lambda: torch.einsum(
        "b h i j, b h j d -> b h i d", scores().softmax(-1), V
    ),
    "einsum, dots": lambda: torch.einsum("...qk,...kd->...qd", scores().softmax(-1), V),
    "einsum, dots that broadcast": lambda: torch.einsum(
        "...qk,...kd->q...d", scores().softmax(-1), V[:, :1]
    ),
    "einsum, values with two axes": lambda: torch.einsum(
        "bhqk,bhkij->bhqij", scores().softmax(-1), V.unflatten(-1, (2, 3))
    ),
    "einsum, values first": lambda: torch.einsum("bhkd,bhqk->bhqd", V, scores().softmax(-1)),
    "einsum, heads last": lambda: torch.einsum(
        "nqkh,nkhd->nqhd", scores().permute(0, 2, 3, 1).softmax(2), V.transpose(1, 2)
    ),
    "einsum, a list": lambda: torch.einsum("bhqk,bhkd->bhqd", [scores().softmax(-1), V]),
    "bmm, batch and heads in one": lambda: torch.bmm(
        F.dropout(F.softmax(torch.bmm(Q.flatten(0, 1), K.flatten(0, 1).mT) / 2, -1), 0.0),
        V.flatten(0, 1),
    ),
    "reshaped between": lambda: scores().softmax(-1).reshape(6, 5, 7) @ V.reshape(6, 7, 6),
    "groups of heads": lambda: scores()[:, :, None].softmax(-1)[:, :, 0] @ V,
}


@pytest.mark.parametrize("name", FORMS)
def test_a_form(name):
    (call,) = watched(Calls(lambda x: FORMS[name]()), X).calls
    wanted = by_hand(Q, K)
    assert call.weights.shape == wanted.shape and (call.weights - wanted).abs().max() < 1e-6
    assert call.hidden is None and call.dropout == 0.0 and call.kind is None


MASKINGS = {
    "infinity": lambda: scores().masked_fill(FUTURE, float("-inf")).softmax(-1),
    "added": lambda: (scores() + FUTURE * -10000.0).softmax(-1),
    "in place": lambda: scores().masked_fill_(FUTURE, -1e20).softmax(-1),
    "where": lambda: torch.where(FUTURE, torch.finfo(torch.float32).min, scores()).softmax(-1),
    "in a batch with heads": lambda: (
        scores().masked_fill(FUTURE, float("-inf")).flatten(0, 1).softmax(-1).unflatten(0, (2, 3))
    ),
}


@pytest.mark.parametrize("name", MASKINGS)
def test_a_mask(name):
    (call,) = watched(Calls(lambda x: MASKINGS[name]() @ V), X).calls
    assert (call.weights - by_hand(Q, K, FUTURE)).abs().max() < 1e-6
    assert call.hidden.shape == (1, 1, 5, 7) and torch.equal(call.hidden[0, 0], FUTURE)


FILLS = {  # a mask that comes after the softmax
    "by place": lambda w, mask: w.masked_fill(mask, 0.0),
    "by name": lambda w, mask: w.masked_fill(mask=mask, value=0),
    "of torch": lambda w, mask: torch.masked_fill(w, mask, torch.zeros(())),
    "in place": lambda w, mask: w.masked_fill_(mask, 0.0),
}


@pytest.mark.parametrize("name", FILLS)
def test_a_mask_after_the_softmax(name):
    blind = torch.arange(5)[:, None] > 2
    model = Calls(lambda x: FILLS[name](scores().softmax(-1), blind) @ V)
    (call,) = watched(model, X).calls
    assert torch.equal(call.weights == 0, blind.expand(2, 3, 5, 7))


DROPOUTS = {  # and the share that is dropped
    "by place": (lambda w: F.dropout(w, 0.4), 0.4),
    "by name": (lambda w: F.dropout(input=w, p=0.4, training=True), 0.4),
    "unsaid": (lambda w: F.dropout(w), 0.5),
    "of torch": (lambda w: torch.dropout(w, 0.4, True), 0.4),
    "in place": (lambda w: F.dropout(w, 0.4, inplace=True), 0.4),
    "not in training": (lambda w: F.dropout(w, 0.4, False), 0.0),
    "not in training, by name": (lambda w: torch.dropout(w, p=0.4, train=False), 0.0),
}


@pytest.mark.parametrize("name", DROPOUTS)
def test_dropout_is_what_was_dropped(name):
    (drop, share), kept = DROPOUTS[name], []

    def attend(x):
        kept.append(drop(scores().softmax(-1)))
        return kept[-1] @ V

    (call,) = watched(Calls(attend), X).calls
    assert torch.equal(call.weights, kept[-1]) and call.dropout == share
    assert (call.weights == 0).any() == (share > 0)


ONE = {  # a single query, or values of one number: (keys) in place of a matrix
    "one query": lambda w, v: w[0] @ v,
    "one query, values first": lambda w, v: v.T @ w[0],
    "one number": lambda w, v: w @ v[:, 0],
    "one number, values first": lambda w, v: v[:, 0] @ w.T,
    "both": lambda w, v: w[0] @ v[:, 0],
}


@pytest.mark.parametrize("name", ONE)
def test_one_query_and_values_of_one_number(name):
    hidden = FUTURE if "query" not in name and name != "both" else FUTURE[:1]
    whole = (Q[0, 0] @ K[0, 0].T / 2).masked_fill(FUTURE, -1e9).softmax(-1)
    model = Calls(
        lambda x: ONE[name]((Q[0, 0] @ K[0, 0].T / 2 + FUTURE * -1e9).softmax(-1), V[0, 0])
    )
    (call,) = watched(model, X[0]).calls
    assert torch.allclose(call.weights[0, 0], whole[: len(hidden)])
    assert torch.equal(call.hidden[0, 0], hidden)


@pytest.mark.parametrize("batch", (2, 3))
def test_tokens_before_the_batch(batch):
    def attend(x):  # (tokens, batch, d)
        heads = x.reshape(5, batch * 3, 4).transpose(0, 1)
        return torch.bmm((heads @ heads.mT).softmax(-1), heads)

    x = torch.randn(5, batch, 12)
    (call,) = watched(Calls(attend), x).calls
    q = x.reshape(5, batch, 3, 4).permute(1, 2, 0, 3)
    assert (call.weights - by_hand(q, q, scale=1.0)).abs().max() < 1e-6


class Handed(nn.Module):
    """A layer with no weights of its own: it is handed (batch · heads, tokens, d)."""

    def forward(self, queries, keys, values):
        return torch.bmm(torch.bmm(queries, keys.mT).softmax(-1), values)


class Hands(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_q, self.W_k, self.attend = nn.Linear(8, 8), nn.Linear(8, 8), Handed()

    def forward(self, queries, keys):
        def split(x):
            return x.unflatten(-1, (4, 2)).transpose(1, 2).reshape(-1, x.shape[1], 2)

        q, k = split(self.W_q(queries)), split(self.W_k(keys))
        return self.attend(q, k, k).view(len(queries), 4, -1, 2).transpose(1, 2).flatten(2)


@pytest.mark.parametrize("keys", (5, 6))
@pytest.mark.parametrize("batch", (1, 2, 4))
def test_a_layer_that_is_handed_batch_and_heads_in_one(batch, keys):
    model, x = Hands(), torch.randn(batch, 5, 8)
    y = x if keys == 5 else torch.randn(batch, 6, 8)
    (call,) = watched(model, x, y).calls
    q, k = (w(z).unflatten(-1, (4, 2)).transpose(1, 2) for w, z in ((model.W_q, x), (model.W_k, y)))
    assert call.name == "attend" and call.kind == ("self" if keys == 5 else None)
    assert (call.weights - by_hand(q, k, scale=1.0)).abs().max() < 1e-6


def test_where_self_or_cross_cannot_be_known():
    q, k = torch.randn(2, 2, 5, 4)
    (call,) = watched(Handed(), q, k, k).calls
    assert call.kind is None and "self or cross" in repr(call)
    (call,) = watched(Calls(lambda q, k: (q @ k.mT).softmax(-1) @ k), q, k).calls
    assert call.kind is None


NOT_ATTENTION = {
    "no values": lambda x: scores().softmax(-1).sum(),
    "heads mixed": lambda x: torch.einsum("bhqk,gh->bgqk", scores().softmax(-1), torch.rand(3, 3)),
    "sorted in between": lambda x: scores().softmax(-1).argsort(-1).float() @ V,
    "summed over what are no keys": lambda x: (X.softmax(-1)[..., None] * X[..., None]).sum(1),
    "a weight spread out": lambda x: (scores().softmax(-1)[..., :1] * torch.ones(7)) @ V,
    "heads or queries": lambda x: torch.einsum(
        "bhqk,bkd->bqhd", scores()[:, :, [0] * 3].softmax(-1), V[:, 0]
    ),
    "values of each pair of places": lambda x: torch.einsum(
        "bhqk,qkd->bhqd", scores().softmax(-1), torch.ones(5, 7, 4)
    ),
    "softmax of a number": lambda x: torch.tensor(1.0).softmax(0) * scores() @ V,
    "tensordot over both axes": lambda x: torch.tensordot(scores()[0, 0].softmax(-1), FUTURE * 1.0),
    "a softmax written out": lambda x: (e := scores().exp()) / e.sum(-1, keepdim=True) @ V,
}


@pytest.mark.parametrize("name", NOT_ATTENTION)
def test_what_is_no_attention_is_not_shown(name):
    model = Calls(NOT_ATTENTION[name])
    with (
        pytest.raises(ValueError, match="no attention was seen when Calls ran|do not "),
        watch(model),
    ):
        model(X)
