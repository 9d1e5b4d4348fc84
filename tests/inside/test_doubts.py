"""What sizes do not tell is said, or what the model does next tells it: no wrong map without a word."""

import warnings

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from watched import Calls, heads_of, watched

from helpers.inside import Inside, watch
from helpers.models.attention import SelfAttention

B, T, H = 2, 7, 3
X = torch.randn(B, T, 12, generator=torch.Generator().manual_seed(0))
TABLE = nn.Parameter(torch.randn(T, 12, generator=torch.Generator().manual_seed(1)))


# A softmax that weighs no tokens.


def shares(x, n):
    """A softmax over n classes or experts, for each token."""
    return (x @ torch.linspace(-1, 1, 12 * n).view(12, n)).softmax(-1)


def experts(x, n, dim):
    """What n experts make of each token."""
    return torch.stack([x * k for k in range(n)], dim)


NO_TOKENS = {
    "classes and prototypes": (lambda x: shares(x, 9) @ torch.ones(9, 5), "9 keys"),
    "classes of a sentence": (lambda x: shares(x.mean(1), 9) @ torch.ones(9, 5), "9 keys"),
    "an expected number": (lambda x: shares(x.mean(1), 9) @ torch.arange(9.0), "9 keys"),
    "features": (lambda x: x.softmax(-1) @ torch.ones(12, 5), "12 keys"),
    "channels look at channels": (lambda x: ((x.mT @ x).softmax(-1) @ x.mT).mT, "12 keys"),
    "layers that are mixed": (
        lambda x: torch.einsum("l,lbtd->btd", torch.ones(4).softmax(0), x.expand(4, *x.shape)),
        "4 keys",
    ),
    "a table as long as a sentence": (lambda x: shares(x, T) @ TABLE, "rows of a table"),
    "turned": (lambda x: shares(x, T) @ TABLE.T.mT, "rows of a table"),
}


@pytest.mark.parametrize("name", NO_TOKENS)
def test_keys_that_may_be_no_tokens_are_said_to_be_so(name):
    attend, doubt = NO_TOKENS[name]
    seen = watched(Calls(attend), X)
    (call,) = seen.calls
    for text in (repr(seen), seen.check(), repr(Inside(seen)), Inside(seen).view.spec["note"]):
        assert "Not sure of 'Calls': " in text and doubt in text
    assert "; not sure: " in repr(call) and doubt in repr(call)
    assert doubt != "9 keys" or call.kind is None  # no one looks at itself


OWN_KEYS = {  # each token has keys of its own: tokens would be shown as heads
    "einsum": lambda x: torch.einsum("bte,betd->btd", shares(x, 5), experts(x, 5, 1)),
    "matmul": lambda x: (shares(x, 5)[:, :, None] @ experts(x, 5, 2)).squeeze(2),
    "bmm": lambda x: torch.bmm(
        shares(x, 5).flatten(0, 1)[:, None], experts(x, 5, 2).flatten(0, 1)
    ).view(x.shape),
    "kernel": lambda x: F.scaled_dot_product_attention(
        x[:, :, None], experts(x, 5, 2), experts(x, 5, 2)
    ),
}


@pytest.mark.parametrize("name", OWN_KEYS)
def test_experts_and_neighbours_are_not_shown_as_heads(name):
    model = nn.ModuleDict({"known": SelfAttention(12, 12), "own": Calls(OWN_KEYS[name])})
    with pytest.warns(UserWarning, match="not follow what 'own' does: .*7 are heads or queries"):
        with watch(model) as seen:
            model["known"](X)
            model["own"](X)
    assert list(seen.weights) == ["known"]


def test_of_attention_nothing_is_said_nor_of_a_softmax_at_the_end():
    class Classifies(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention, self.out = SelfAttention(12, 12), nn.Linear(12, 9)

        def forward(self, x):
            return self.out(self.attention(x).mean(1)).softmax(-1)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        seen = watched(Classifies(), X)
    assert not seen.notes()


def fewer(x):
    """The heads of some tokens, as of a coarser picture."""
    return heads_of(x[:, ::3].contiguous())


SURE_OF = {
    "keys that are fewer": (lambda x: (heads_of(x) @ fewer(x).mT).softmax(-1) @ fewer(x), X),
    "one query of the last token": (lambda x: (x[:, -1:] @ x.mT).softmax(-1) @ x, X),
    "pooled with heads": (
        lambda x: (heads_of(x)[:, :, :1] @ heads_of(x).mT).softmax(-1) @ heads_of(x),
        X,
    ),
    "places of a picture": (
        lambda x: (x.flatten(2).mT @ x.flatten(2)).softmax(-1) @ x.flatten(2).mT,
        X.view(B, T, 3, 4),
    ),
    "one sentence": (lambda x: (x @ x.mT).softmax(-1) @ x, X[0]),
    "tokens before the batch": (
        lambda x: ((y := x.transpose(0, 1)) @ y.mT).softmax(-1) @ y,
        X.transpose(0, 1),
    ),
}


@pytest.mark.parametrize("name", SURE_OF)
def test_of_what_fits_the_inputs_nothing_is_said(name):
    attend, x = SURE_OF[name]
    assert not watched(Calls(attend), x).notes()


class Biased(nn.Module):
    """As T5 hands its layers numbers of (batch, heads, queries, keys), and a cache."""

    def forward(self, x, position_bias, past):
        q, k = heads_of(x), heads_of(past)
        return (q @ k.mT + position_bias).softmax(-1) @ k


def test_a_mask_tells_no_number_of_tokens():
    (call,) = watched(Biased(), X[:, :1], torch.zeros(1, H, 1, T), past=X).calls
    assert not call.doubts
