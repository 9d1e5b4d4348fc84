"""The attention layers against loops, published figures, and what must never happen."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from helpers.models.attention import (
    CausalAttention,
    MultiHeadAttention,
    MultiHeadAttentionWrapper,
    SelfAttention,
    scaled_dot_product_attention,
)

CAUSAL = [CausalAttention, MultiHeadAttentionWrapper, MultiHeadAttention]
LAYERS = [SelfAttention, *CAUSAL]
TIGHT = {torch.float32: 1e-5, torch.float64: 1e-10}
few = settings(deadline=None, derandomize=True, max_examples=25)
# Five sizes that all differ: a mixed-up axis cannot hide.
five_sizes = st.permutations([1, 2, 3, 4, 5, 7]).map(lambda sizes: sizes[:5])


def make(cls, d_in=3, head_dim=4, length=8, heads=2, dropout=0.0, qkv_bias=False):
    """A layer of any class, whose heads have head_dim each."""
    if cls is SelfAttention:
        return cls(d_in, head_dim, qkv_bias)
    if cls is CausalAttention:
        return cls(d_in, head_dim, length, dropout, qkv_bias)
    d_out = head_dim if cls is MultiHeadAttentionWrapper else heads * head_dim
    return cls(d_in, d_out, length, dropout, heads, qkv_bias)


def context_of(layer, return_weights):
    """The layer as a function of x to its context, by one path or the other."""
    return lambda x: layer(x, return_weights=True)[0] if return_weights else layer(x)


def gap(a, b):
    """The largest difference; the shapes must be the same, not only fit for broadcasting."""
    b = torch.as_tensor(b, dtype=torch.float64)
    assert a.shape == b.shape
    return (a.double() - b).abs().max().item()


# --- The oracle: plain Python, one number at a time ---


def attend(query, key, value, hidden):
    """(context, weights) of lists of rows; hidden(i, j): may query i not see key j?"""
    contexts, weights = [], []
    for i, q in enumerate(query):
        exps = {}
        for j, k in enumerate(key):
            if not hidden(i, j):
                exps[j] = math.exp(sum(a * b for a, b in zip(q, k)) / math.sqrt(len(q)))
        row = [exps.get(j, 0.0) / sum(exps.values()) if exps else 0.0 for j in range(len(key))]
        weights.append(row)
        contexts.append([sum(w * v for w, v in zip(row, column)) for column in zip(*value)])
    return contexts, weights


def project(rows, linear):
    bias = [0.0] * linear.out_features if linear.bias is None else linear.bias.tolist()
    matrix = linear.weight.tolist()
    return [[sum(map(float.__mul__, w, r)) + b for w, b in zip(matrix, bias)] for r in rows]


def loop_heads(layer, x, heads, hidden):
    """Attention over each head's own slice of the projections: (merged context, all weights)."""
    projections = [project(x, w) for w in (layer.W_query, layer.W_key, layer.W_value)]
    size = len(projections[0][0]) // heads
    slices = [slice(h * size, (h + 1) * size) for h in range(heads)]
    results = [attend(*([r[s] for r in rows] for rows in projections), hidden) for s in slices]
    return [sum(rows, []) for rows in zip(*(c for c, _ in results))], [w for _, w in results]


def by_loops(layer, x, heads):
    """(context, weights) of one sequence, a list of embeddings."""
    if isinstance(layer, SelfAttention):
        context, weights = loop_heads(layer, x, 1, lambda i, j: False)
        return context, weights[0]
    if isinstance(layer, MultiHeadAttentionWrapper):
        results = [by_loops(head, x, 1) for head in layer.heads]
        return [sum(rows, []) for rows in zip(*(c for c, _ in results))], [w for _, w in results]
    many = isinstance(layer, MultiHeadAttention)
    context, weights = loop_heads(layer, x, heads if many else 1, lambda i, j: j > i)
    return (project(context, layer.out_proj), weights) if many else (context, weights[0])


@pytest.mark.parametrize("dtype", TIGHT)
@pytest.mark.parametrize("cls", LAYERS)
@given(sizes=five_sizes, spare=st.integers(0, 2), qkv_bias=st.booleans(), seed=st.integers(0, 99))
@few
def test_layers_against_loops(cls, dtype, sizes, spare, qkv_bias, seed):
    batch, tokens, d_in, head_dim, heads = sizes
    torch.manual_seed(seed)
    layer = make(cls, d_in, head_dim, tokens + spare, heads, qkv_bias=qkv_bias).to(dtype)
    x = torch.randn(batch, tokens, d_in, dtype=dtype)
    context, weights = zip(*(by_loops(layer, rows, heads) for rows in x.tolist()))
    got, got_weights = layer(x, return_weights=True)
    assert gap(got, context) < TIGHT[dtype]
    assert gap(got_weights, weights) < TIGHT[dtype]
    assert gap(layer(x), context) < TIGHT[dtype]
    # One sequence without its batch dimension gives the same.
    assert gap(layer(x[0]), context[0]) < TIGHT[dtype]
    got, got_weights = layer(x[0], return_weights=True)
    assert gap(got, context[0]) < TIGHT[dtype]
    assert gap(got_weights, weights[0]) < TIGHT[dtype]


@pytest.mark.parametrize("dtype", TIGHT)
@given(sizes=five_sizes, masked=st.booleans(), seed=st.integers(0, 99))
@few
def test_function_against_loops(dtype, sizes, masked, seed):
    """Queries and keys differ in number, d_k from d_v; masks are random, whole rows included."""
    batch, queries, keys, d_k, d_v = sizes
    torch.manual_seed(seed)
    query = torch.randn(batch, queries, d_k, dtype=dtype)
    key = torch.randn(batch, keys, d_k, dtype=dtype)
    value = torch.randn(batch, keys, d_v, dtype=dtype)
    mask = torch.rand(batch, queries, keys) < 0.5 if masked else None
    context, weights = scaled_dot_product_attention(query, key, value, mask)
    hidden = mask if masked else torch.zeros(batch, queries, keys).bool()
    for b, rows in enumerate(hidden.tolist()):
        lists = query[b].tolist(), key[b].tolist(), value[b].tolist()
        want = attend(*lists, lambda i, j, rows=rows: rows[i][j])
        assert gap(context[b], want[0]) < TIGHT[dtype]
        assert gap(weights[b], want[1]) < TIGHT[dtype]


# --- Published figures ---

STEPS = torch.tensor(
    [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
     [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]]
)  # fmt: skip
PUBLISHED = {
    "parameter": "0.2996 0.8053 0.3061 0.8210 0.3058 0.8203 0.2948 0.7939 0.2927 0.7891 "
    "0.2990 0.8040",
    "linear": "-0.0739 0.0713 -0.0748 0.0703 -0.0749 0.0702 -0.0760 0.0685 -0.0763 0.0679 "
    "-0.0754 0.0693",
    "causal": "-0.4519 0.2216 -0.5874 0.0058 -0.6300 -0.0632 -0.5675 -0.0843 -0.5526 -0.0981 "
    "-0.5299 -0.1081",
    "multi-head": "0.3190 0.4858 0.2943 0.3897 0.2856 0.3593 0.2693 0.3873 0.2639 0.3928 "
    "0.2575 0.4028",
}


def published(name):
    return torch.tensor([float(number) for number in PUBLISHED[name].split()]).view(6, 2)


def test_published_figures_of_parameters():
    torch.manual_seed(123)
    matrices = [nn.Parameter(torch.rand(3, 2)) for _ in range(3)]
    context, _ = scaled_dot_product_attention(*(STEPS @ matrix for matrix in matrices))
    assert gap(context, published("parameter")) < 6e-5


@pytest.mark.parametrize(
    "name, seed, build",
    [
        ("linear", 789, lambda: SelfAttention(3, 2)),
        ("causal", 123, lambda: CausalAttention(3, 2, 6)),
        ("multi-head", 123, lambda: MultiHeadAttention(3, 2, 6, 0.0, 2)),
    ],
)
def test_published_figures_of_layers(name, seed, build):
    torch.manual_seed(seed)
    layer = build()
    for context in layer(torch.stack([STEPS, STEPS])):
        assert gap(context, published(name)) < 6e-5
    assert gap(layer(STEPS, return_weights=True)[0], published(name)) < 6e-5


# --- What may depend on what ---


@pytest.mark.parametrize("return_weights", [False, True])
@pytest.mark.parametrize("cls", CAUSAL)
def test_the_future_moves_nothing_and_the_present_does(cls, return_weights):
    torch.manual_seed(0)
    run = context_of(make(cls).double(), return_weights)
    x = torch.randn(2, 7, 3, dtype=torch.float64)
    before = run(x)
    for t in range(7):
        changed = x.clone()
        changed[:, t:] += torch.randn(2, 7 - t, 3, dtype=torch.float64)
        moved = (run(changed) - before).abs().amax(dim=(0, 2))
        assert (moved[:t] < 1e-12).all()
        assert (moved[t:] > 1e-3).all()
        if t > 0:
            assert gap(run(x[:, :t]), before[:, :t]) < 1e-12


@pytest.mark.parametrize("cls", CAUSAL)
def test_causal_weights_look_back_only_and_sum_to_one(cls):
    _, weights = make(cls)(torch.randn(2, 5, 3), return_weights=True)
    visible = torch.ones(5, 5).tril().bool()
    assert (weights[..., ~visible] == 0).all()
    assert (weights[..., visible] > 0).all()
    assert gap(weights.sum(-1), torch.ones(weights.shape[:-1])) < 1e-6


@pytest.mark.parametrize("return_weights", [False, True])
def test_self_attention_does_not_care_about_order(return_weights):
    torch.manual_seed(0)
    x, order = torch.randn(2, 5, 3), torch.tensor([3, 0, 4, 1, 2])
    for cls, equivariant in [(SelfAttention, True), (CausalAttention, False)]:
        run = context_of(make(cls), return_weights)
        assert (gap(run(x[:, order]), run(x)[:, order]) < 1e-6) is equivariant


# --- Masks ---


def test_mask_may_be_broadcast():
    torch.manual_seed(0)
    query, key = torch.randn(2, 3, 4, 5), torch.randn(2, 3, 6, 5)
    for shape in [(6,), (4, 6), (4, 1), (1, 4, 6), (3, 1, 6), (2, 1, 4, 6), (2, 3, 4, 6), ()]:
        mask = torch.rand(shape) < 0.4
        small = scaled_dot_product_attention(query, key, key, mask)
        full = scaled_dot_product_attention(query, key, key, mask.expand(2, 3, 4, 6))
        assert torch.equal(small[0], full[0]) and torch.equal(small[1], full[1])
        assert (small[1][mask.expand(2, 3, 4, 6)] == 0).all()


def test_a_query_with_every_key_hidden_has_seen_nothing():
    torch.manual_seed(0)
    query, key, value = (torch.randn(3, 4, requires_grad=True) for _ in range(3))
    mask = torch.tensor([[False, False, True], [True, True, True], [False, True, True]])
    with torch.autograd.set_detect_anomaly(True, check_nan=True):  # raises at any NaN on the way
        context, weights = scaled_dot_product_attention(query, key, value, mask)
        (context.sum() + (weights**2).sum()).backward()
    assert (context[1] == 0).all() and (weights[1] == 0).all()
    assert gap(weights.sum(-1), [1.0, 0.0, 1.0]) < 1e-6
    assert (query.grad[1] == 0).all() and (query.grad[0] != 0).any()
    assert all(torch.isfinite(t.grad).all() for t in (query, key, value))


def test_large_scores_and_the_callers_tensors_survive():
    q = torch.full((2, 4), 1e3)
    mask = torch.tensor([[False, True], [True, True]])
    kept = q.clone(), mask.clone()
    context, weights = scaled_dot_product_attention(q, q, q, mask)
    assert torch.equal(weights, torch.tensor([[1.0, 0.0], [0.0, 0.0]]))
    assert torch.isfinite(context).all()
    assert torch.equal(q, kept[0]) and torch.equal(mask, kept[1])


# --- Dropout ---

P = 0.2  # not 0.5, where p and 1 - p are the same


@pytest.mark.parametrize("cls", CAUSAL)
def test_no_dropout_in_eval(cls):
    torch.manual_seed(0)
    dropping, x = make(cls, dropout=P), torch.randn(2, 7, 3)
    keeping = make(cls)
    keeping.load_state_dict(dropping.state_dict())
    dropping.eval()
    assert torch.equal(dropping(x), keeping(x))
    for a, b in zip(dropping(x, return_weights=True), keeping(x, return_weights=True)):
        assert torch.equal(a, b)
    dropping.train()
    assert not torch.equal(dropping(x), dropping(x))
    assert not torch.equal(dropping(x, True)[1], dropping(x, True)[1])


@pytest.mark.parametrize("cls", CAUSAL)
def test_dropout_zeroes_finished_weights_and_scales_the_rest(cls):
    torch.manual_seed(0)
    layer, x = make(cls, length=64, dropout=P), torch.randn(4, 64, 3)
    used = layer(x, return_weights=True)[1]
    whole = layer.eval()(x, return_weights=True)[1]
    kept = used != 0
    # Had the scores been dropped, what is left would have been renormalised, not scaled.
    assert gap(used[kept], whole[kept] / (1 - P)) < 1e-6
    past = torch.ones(64, 64).tril().bool()
    assert abs(kept[..., past].float().mean().item() - (1 - P)) < 0.02


@pytest.mark.parametrize("return_weights", [False, True])
@pytest.mark.parametrize("cls", CAUSAL)
def test_dropout_leaves_the_mean_alone(cls, return_weights):
    torch.manual_seed(0)
    layer = make(cls, dropout=P)
    if cls is MultiHeadAttention:
        nn.init.eye_(layer.out_proj.weight)
        nn.init.zeros_(layer.out_proj.bias)
    x = torch.randn(5, 3)
    draws = context_of(layer, return_weights)(x.expand(20_000, 5, 3))
    whole = layer.eval()(x)
    assert gap(draws.mean(0), whole) < 0.02
    # The first token sees itself alone, so its value is dropped whole, or scaled whole.
    first = draws[:, 0] / whole[0]
    assert ((first.abs() < 1e-5) | ((first - 1 / (1 - P)).abs() < 1e-4)).all()
    assert abs((first.abs() < 1e-5).float().mean().item() - P) < 0.02


def test_the_functions_dropout_knows_no_mode_and_the_context_uses_it():
    torch.manual_seed(0)
    q = torch.randn(64, 4)
    context, weights = scaled_dot_product_attention(q, q, q, dropout=P)
    assert gap(context, weights @ q) == 0
    assert abs((weights == 0).float().mean().item() - P) < 0.02
