"""The attention layers compared with their peers, and what must never happen."""

import pytest
import torch
from oracles import copy_attention, gap
from torch import nn
from torch.nn import functional as F

from helpers.models.attention import (
    CausalAttention,
    MultiHeadAttention,
    SelfAttention,
    scaled_dot_product_attention,
)

CAUSAL = [CausalAttention, MultiHeadAttention]
LAYERS = [SelfAttention, *CAUSAL]


def make(cls, d_in=3, head_dim=4, length=8, heads=2, dropout=0.0, qkv_bias=False):
    """A layer of any of the classes, with head_dim dimensions per head."""
    if cls is SelfAttention:
        return cls(d_in, head_dim, qkv_bias)
    if cls is CausalAttention:
        return cls(d_in, head_dim, length, dropout, qkv_bias)
    d_out = heads * head_dim
    return cls(d_in, d_out, length, dropout, heads, qkv_bias)


def context_of(layer, return_weights):
    """The layer as a function from x to its context, by one of its two paths."""
    return lambda x: layer(x, return_weights=True)[0] if return_weights else layer(x)


# --- What may depend on what ---


@pytest.mark.parametrize("return_weights", [False, True])
@pytest.mark.parametrize("cls", LAYERS)
def test_the_future_moves_nothing_and_the_present_does(cls, return_weights):
    torch.manual_seed(0)
    run = context_of(make(cls).double(), return_weights)
    x, order = torch.randn(2, 7, 3).double(), torch.tensor([3, 0, 6, 4, 1, 2, 5])
    before = run(x)
    if cls is SelfAttention:  # it does not depend on the order
        assert gap(run(x[:, order]), before[:, order]) < 1e-12
        return
    for t in range(7):
        changed = x.clone()
        changed[:, t:] += torch.randn(2, 7 - t, 3).double()
        moved = (run(changed) - before).abs().amax(dim=(0, 2))
        assert (moved[:t] < 1e-12).all() and (moved[t:] > 1e-3).all()
        if t > 0:
            assert gap(run(x[:, :t]), before[:, :t]) < 1e-12


# --- Masks ---


def test_a_mask_is_repeated_and_is_the_other_way_round_than_pytorchs():
    """Five sizes that all differ, so that axes that are mixed up cannot go unnoticed."""
    torch.manual_seed(0)
    query, key, value = torch.randn(2, 3, 4, 5), torch.randn(2, 3, 6, 5), torch.randn(2, 3, 6, 7)
    for shape in [(6,), (4, 6), (4, 1), (3, 1, 6), (2, 1, 4, 6), (2, 3, 4, 6), ()]:
        mask = torch.rand(shape) < 0.4
        full = mask.expand(2, 3, 4, 6)
        for given, hidden in ((mask, full), (None, torch.zeros_like(full))):
            context, weights = scaled_dot_product_attention(query, key, value, given)
            theirs = F.scaled_dot_product_attention(query, key, value, attn_mask=~hidden)
            assert gap(context, theirs) < 1e-6 and gap(weights @ value, theirs) < 1e-6
            assert (weights[hidden] == 0).all()


def test_a_query_with_every_key_hidden_has_seen_nothing():
    torch.manual_seed(0)
    query, key, value = (torch.randn(3, 4, requires_grad=True) for _ in range(3))
    mask = torch.tensor([[False, False, True], [True, True, True], [False, True, True]])
    with torch.autograd.set_detect_anomaly(True, check_nan=True):  # raises at any NaN
        context, weights = scaled_dot_product_attention(query, key, value, mask)
        (context.sum() + (weights**2).sum()).backward()
    assert (context[1] == 0).all() and (weights[1] == 0).all()
    assert (query.grad[1] == 0).all() and (query.grad[0] != 0).any()
    assert all(torch.isfinite(t.grad).all() for t in (query, key, value))


# --- Dropout ---

P = 0.2  # not 0.5, which equals 1 - p


@pytest.mark.parametrize("cls", CAUSAL)
def test_dropout_zeroes_finished_weights_and_scales_the_rest_in_training_alone(cls):
    torch.manual_seed(0)
    layer, keeping, x = make(cls, length=64, dropout=P), make(cls, length=64), torch.randn(4, 64, 3)
    keeping.load_state_dict(layer.state_dict())
    used = layer(x, return_weights=True)[1]
    assert not torch.equal(layer(x), layer(x))
    whole = layer.eval()(x, return_weights=True)[1]
    assert torch.equal(layer(x), keeping(x)) and torch.equal(whole, keeping(x, True)[1])
    kept = used != 0
    # If the scores had been dropped, the rest would be renormalised instead of scaled.
    assert gap(used[kept], whole[kept] / (1 - P)) < 1e-6
    past = torch.ones(64, 64).tril().bool()
    assert abs(kept[..., past].float().mean().item() - (1 - P)) < 0.02


# --- The two ways through a layer ---


@pytest.mark.parametrize("cls", LAYERS)
def test_both_paths_agree_forward_and_backward(cls):
    torch.manual_seed(0)
    layer = make(cls, qkv_bias=True).double()
    for shape in [(2, 6, 3), (6, 3), (2, 1, 3)]:
        results, x = [], torch.randn(shape).double()
        for explicit in (False, True):
            layer.zero_grad()
            leaf = x.clone().requires_grad_()
            context = context_of(layer, explicit)(leaf)
            context.backward(torch.ones_like(context).cumsum(dim=-1))
            results.append([context, leaf.grad, *(p.grad.clone() for p in layer.parameters())])
        assert all(gap(fused, explicit) < 1e-10 for fused, explicit in zip(*results)), shape


@pytest.mark.parametrize("explicit", [False, True])
@pytest.mark.parametrize("cls", LAYERS)
def test_only_the_explicit_path_keeps_a_matrix_of_tokens_by_tokens(cls, explicit):
    shapes = []

    def note(tensor):
        shapes.append(tuple(tensor.shape[-2:]))
        return tensor

    for shape in [(7, 3), (2, 7, 3)]:
        shapes.clear()
        with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
            make(cls)(torch.randn(shape, requires_grad=True), return_weights=explicit)
        assert ((7, 7) in shapes) is explicit


# --- Peers ---


def without_out_proj(layer):
    nn.init.eye_(layer.out_proj.weight)
    nn.init.zeros_(layer.out_proj.bias)


@pytest.mark.parametrize("cls, heads", [(MultiHeadAttention, 3), (SelfAttention, 1)])
def test_against_torchs_layer(cls, heads):
    torch.manual_seed(0)
    layer = cls(12, 12, 7, 0.0, 3, qkv_bias=True) if heads > 1 else cls(12, 12, qkv_bias=True)
    if heads == 1:
        layer.out_proj = nn.Linear(12, 12)  # torch's layer always has one: make it the identity
        without_out_proj(layer)
    peer = nn.MultiheadAttention(12, heads, batch_first=True)
    copy_attention(layer, peer)
    x, pull = torch.randn(2, 5, 12), torch.randn(2, 5, 12)
    future = torch.ones(5, 5, dtype=torch.bool).triu(1) if heads > 1 else None  # True = hidden
    theirs, their_weights = peer(x, x, x, attn_mask=future, average_attn_weights=False)
    context, weights = layer(x, return_weights=True)
    assert gap(weights.view_as(their_weights), their_weights) < 1e-6
    assert gap(context, theirs) < 1e-5 and gap(layer(x), theirs) < 1e-5
    (theirs * pull).sum().backward()
    (layer(x) * pull).sum().backward()
    ours = [linear.weight.grad for linear in (layer.W_query, layer.W_key, layer.W_value)]
    assert gap(torch.cat(ours), peer.in_proj_weight.grad) < 1e-5


def test_state_dicts_have_the_names_of_the_widely_copied_classes():
    three = ["W_query.weight", "W_key.weight", "W_value.weight"]
    for cls, names in [
        (SelfAttention, three),
        (CausalAttention, ["mask", *three]),
        (MultiHeadAttention, ["mask", *three, "out_proj.weight", "out_proj.bias"]),
    ]:
        assert list(make(cls).state_dict()) == names
    mask = make(MultiHeadAttention, length=3).double().mask
    # it moves with the layer, and is not boolean
    assert mask.tolist() == [[0.0, 1, 1], [0, 0, 1], [0, 0, 0]]
    assert "mask" not in dict(make(CausalAttention).named_parameters())


# --- Types and strides ---


@pytest.mark.parametrize("cls", LAYERS)
def test_a_layer_works_in_any_float_type_under_autocast_and_on_a_strided_input(cls):
    torch.manual_seed(0)
    layer, x = make(cls), torch.randn(6, 2, 3).transpose(0, 1)
    before = layer(x.contiguous())
    assert gap(layer(x), before) < 1e-6
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert gap(layer(x), before) < 0.03 and gap(layer(x, True)[0], before) < 0.03
    for dtype in (torch.float64, torch.bfloat16, torch.float16):
        layer, x = layer.to(dtype), x.to(dtype)
        for context in (layer(x), layer(x, return_weights=True)[0]):
            assert context.dtype == dtype and gap(context, before) < 0.03
