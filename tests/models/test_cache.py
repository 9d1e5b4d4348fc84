"""With a cache, however a text is split, the logits are the same as without, and as GPT-2's."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.models.gpt import GPT, Cache

few = settings(max_examples=25, deadline=None, derandomize=True)


def small(seed=0, layers=2, heads=2, head_dim=4, **options):
    torch.manual_seed(seed)
    model = GPT(11, 12, heads * head_dim, heads, layers, **options).eval()
    for parameter in model.parameters():  # initial weights are so uniform that errors hardly show
        parameter.data += torch.randn_like(parameter) * 0.3
    return model


def in_parts(model, parts, **options):
    """The logits of all tokens, computed part by part, and the cache that was used."""
    cache = Cache()
    return [model(part, cache=cache, **options) for part in parts], cache


@few
@given(
    parts=st.lists(st.integers(1, 5), min_size=1, max_size=6).filter(lambda p: sum(p) <= 12),
    batch=st.integers(1, 3),
    layers=st.integers(1, 3),
    heads=st.integers(1, 3),
    head_dim=st.integers(1, 4),
    tied=st.booleans(),
    seed=st.integers(0, 1000),
    exact=st.booleans(),
)
def test_cut_anywhere_scores_and_weights_are_those_of_the_whole(
    parts, batch, layers, heads, head_dim, tied, seed, exact
):
    model = small(seed, layers, heads, head_dim, tied=tied)
    model, most = (model.double(), 1e-12) if exact else (model, 1e-5)
    ids = torch.randint(11, (batch, sum(parts)))
    wanted, all_weights = model(ids, return_weights=True)
    found, cache = in_parts(model, ids.split(parts, dim=1))
    assert torch.allclose(torch.cat(found, dim=1), wanted, rtol=0, atol=most)
    explicit, _ = in_parts(model, ids.split(parts, dim=1), return_weights=True)
    at = 0
    for n, (scores, weights) in zip(parts, explicit):
        assert torch.allclose(scores, wanted[:, at : at + n], rtol=0, atol=most)
        seen = all_weights[..., at : at + n, : at + n]
        assert weights.shape == (layers, batch, heads, n, at + n)
        assert torch.allclose(weights, seen, rtol=0, atol=most)
        at += n
    assert cache.length == at
    assert [key.shape for key in cache.keys] == [(batch, heads, at, head_dim)] * layers


def test_the_last_scores_alone_are_the_last_of_all():
    model, ids = small().double(), torch.randint(11, (3, 7))
    scores, weights = model(ids, return_weights=True, last_only=True)
    assert scores.shape == (3, 1, 11) and weights.shape == (2, 3, 2, 7, 7)
    assert torch.allclose(scores, model(ids)[:, -1:], atol=1e-12)
    assert torch.allclose(model(ids, cache=Cache(), last_only=True), scores, atol=1e-12)


def test_no_gradient_goes_through_a_cache():
    model, ids, cache = small(), torch.tensor([[1, 2, 3]]), Cache()
    assert model(ids).requires_grad
    for _ in range(2):
        assert not model(ids, cache=cache).requires_grad
    assert torch.is_grad_enabled()


@pytest.mark.parametrize("kept", [0, 5])
def test_a_pass_that_was_stopped_leaves_the_cache_as_it_was(monkeypatch, kept):
    model, cache, ids = small(layers=3), Cache(), torch.randint(11, (2, 9))
    if kept:
        model(ids[:, :kept], cache=cache)
    with monkeypatch.context() as patch:
        patch.setattr(model.blocks[1], "forward", _stopped)
        with pytest.raises(KeyboardInterrupt):  # in a notebook: the button ■
            model(torch.randint(11, (2 if kept else 3, 4)), cache=cache)
    assert cache.length == kept
    assert torch.allclose(model(ids[:, kept:], cache=cache), model(ids)[:, kept:], atol=1e-5)


def _stopped(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "batch, tokens, model, says",
    [
        (3, 1, small(), "= (2, 2, 2, 8), not (2, 3, 2, 8)"),
        (2, 8, small(), "13 tokens are too many; at most context_length=12"),
        (2, 1, small(layers=1), "= (2, 2, 2, 8), not (1, 2, 2, 8)"),
    ],
)
def test_what_does_not_fit_a_cache_is_refused_and_changes_nothing(batch, tokens, model, says):
    cache = Cache()
    small()(torch.randint(11, (2, 5)), cache=cache)
    before = [held.clone() for held in (*cache.keys, *cache.values)]
    with pytest.raises(ValueError) as error:
        model(torch.randint(11, (batch, tokens)), cache=cache)
    assert says in str(error.value)
    after = [*cache.keys, *cache.values]
    assert all(torch.equal(*pair) for pair in zip(before, after, strict=True))
