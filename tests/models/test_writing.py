"""How our GPT writes: which token comes next, and what a cache must not change."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import unlike_the_start
from peers import gpt as theirs
from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from helpers.models.gpt import (
    GPT,
    Cache,
    from_hugging_face,
    generate,
    next_probabilities,
    top_k,
    top_p,
)

few = settings(max_examples=50, deadline=None, derandomize=True)
many = st.lists(st.integers(-6, 6), min_size=1, max_size=12)  # with many equal values


def left(scores):
    """The ids that are left, row by row."""
    return [row.isfinite().nonzero()[:, 0].tolist() for row in scores.flatten(0, -2)]


def small(seed=0, layers=2, heads=2, head_dim=4, **options):
    torch.manual_seed(seed)
    return unlike_the_start(GPT(11, 12, heads * head_dim, heads, layers, **options).eval())


# --- Top-k and top-p ---


@few
@given(scores=many, k=st.integers(1, 14))
def test_top_k_leaves_the_k_best_and_of_equals_the_smaller_id(scores, k):
    scores = torch.tensor(scores, dtype=torch.double)
    best = sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:k]
    before = scores.clone()
    found = top_k(scores, k)
    assert left(found[None]) == [sorted(best)]
    assert torch.equal(found[best], scores[best]) and torch.equal(scores, before)


@few
@given(scores=many, p=st.floats(0.01, 1))
def test_top_p_leaves_the_fewest_that_reach_p(scores, p):
    scores = torch.tensor(scores, dtype=torch.double)
    probabilities = scores.softmax(dim=0).tolist()
    best, reached = [], 0.0
    for i in sorted(range(len(scores)), key=lambda i: (-scores[i], i)):
        if reached < p - 1e-14:
            best.append(i)
        reached += probabilities[i]
    found = top_p(scores, p)
    assert left(found[None]) == [sorted(best)]
    assert torch.equal(found[best], scores[best])


@few
@given(
    temperature=st.floats(0.1, 5),
    k=st.none() | st.integers(1, 40),
    p=st.none() | st.floats(0.05, 0.99),
    seed=st.integers(0, 1000),
)
def test_probabilities_are_those_of_the_warpers_of_hugging_face(temperature, k, p, seed):
    torch.manual_seed(seed)
    scores = torch.randn(4, 30, dtype=torch.double) * 3  # all of them differ
    wanted = TemperatureLogitsWarper(temperature)(None, scores)
    for cut, theirs_of, ours in ((k, TopKLogitsWarper, top_k), (p, TopPLogitsWarper, top_p)):
        if cut is not None:
            assert left(ours(wanted, cut)) == left(theirs_of(cut)(None, wanted))
            wanted = theirs_of(cut)(None, wanted)
    found = next_probabilities(scores, temperature, k, p)
    assert torch.allclose(found, wanted.softmax(dim=-1), atol=1e-12)
    assert torch.allclose(found.sum(dim=-1), torch.ones(4, dtype=torch.double))


def test_temperature_0_is_greedy_and_its_limit():
    scores = torch.tensor([[1.0, 3.0, 3.0, -2.0], [0.0, 5.0, 5.1, 5.0]])
    greedy = next_probabilities(scores, 0)
    assert greedy.tolist() == [[0, 1, 0, 0], [0, 0, 1, 0]]  # among equals, the smaller id
    for least in (2e-38, 1e-30, 1e-60):  # 10.2 / 2e-38 overflows
        assert torch.equal(next_probabilities(scores[1] * 2, least), greedy[1])
    assert torch.equal(next_probabilities(scores, 0, top_k=3, top_p=0.5), greedy)
    assert torch.allclose(next_probabilities(scores, 1e9), torch.full((2, 4), 0.25))


# --- Draws ---


SETTINGS = [{}, {"temperature": 1.5, "top_k": 6, "top_p": 0.9}]


def draws(model, prompt, n=10_000, seed=0, **options):
    ids = torch.tensor([prompt]).expand(n, -1)
    generator = torch.Generator().manual_seed(seed)
    return generate(model, ids, 1, generator=generator, **options)[:, -1]


def differ(words, probabilities):
    """Whether a word was drawn more often, or more rarely, than its probability allows."""
    shares = torch.bincount(words, minlength=len(probabilities)) / len(words)
    allowed = 4.5 * (probabilities * (1 - probabilities) / len(words)).sqrt()
    return ((shares - probabilities).abs() > allowed).any()


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_10000_draws_are_as_the_probabilities_say(options):
    model = small(seed=1)
    wanted = next_probabilities(model(torch.tensor([[1, 2, 3]]))[0, -1].double(), **options)
    assert not differ(draws(model, [1, 2, 3], **options), wanted)
    warmer = {**options, "temperature": 1.5 * options.get("temperature", 1.0)}
    # so a difference would be noticed
    assert differ(draws(model, [1, 2, 3], **warmer), wanted)


# --- generate ---


@settings(max_examples=10, deadline=None, derandomize=True)
@given(
    heads=st.integers(1, 3),
    layers=st.integers(1, 2),
    batch=st.integers(1, 3),
    tokens=st.integers(1, 4),
    tied=st.booleans(),
    ends=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_greedy_ids_are_those_of_hugging_face(heads, layers, batch, tokens, tied, ends, seed):
    peer = theirs(heads * 4, heads, layers, 5, tied, seed, positions=16)
    ids, end = torch.randint(5, (batch, tokens)), 3 if ends else None
    peer.generation_config.eos_token_id = end
    wanted = peer.generate(
        ids, attention_mask=torch.ones_like(ids), max_new_tokens=12, do_sample=False,
        pad_token_id=end,
    )  # fmt: skip
    for cache in (True, False):
        found = generate(from_hugging_face(peer), ids, 12, temperature=0, end=end, cache=cache)
        assert found.tolist() == wanted.tolist()


def test_a_seed_draws_the_same_again_and_greedy_draws_nothing():
    model, ids = small(), torch.zeros(2, 1, dtype=torch.int32)
    before = torch.get_rng_state()
    greedy = generate(model, ids, 5, temperature=0)
    assert torch.equal(torch.get_rng_state(), before) and greedy.dtype == torch.int32
    torch.manual_seed(3)
    text = generate(model, ids, 11)
    assert text.dtype == torch.int32 and not torch.equal(text[:, :6], greedy)
    torch.manual_seed(3)
    assert torch.equal(generate(model, ids, 11), text)


def test_it_writes_in_eval_mode_without_gradients_and_leaves_the_model_as_it_was():
    model, ids = small(dropout=0.5), torch.tensor([[1, 2]])
    wanted = generate(model, ids, 8, temperature=0)
    model.train()
    model.blocks[0].eval()  # a submodule that is not in training mode
    modes = [module.training for module in model.modules()]
    assert len(set(modes)) == 2
    assert torch.equal(generate(model, ids, 8, temperature=0), wanted)
    assert [module.training for module in model.modules()] == modes
    seen = []
    model.norm.register_forward_pre_hook(lambda *_: seen.append(torch.is_grad_enabled()))
    generate(model, ids, 2)
    assert seen == [False, False]


def test_a_text_may_fill_the_context_and_one_word_more():
    model, ids = small(), torch.zeros(1, 4, dtype=torch.long)
    for cache in (True, False):
        assert generate(model, ids, 9, cache=cache).shape == (1, 13)  # the model reads 12 of them
    model.word.register_forward_pre_hook(lambda *_: pytest.fail("something was computed"))
    with pytest.raises(ValueError, match="13 tokens .* context_length=12"):
        generate(model, ids, 10)


# --- With a cache, however a text is split, the logits are the same as without ---


def in_parts(model, parts, **options):
    """The logits of all tokens, computed part by part, and the cache that was used."""
    cache = Cache()
    return [model(part, cache=cache, **options) for part in parts], cache


@settings(few, max_examples=25)
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
