"""Attention in one call: the weights that a watch computes, against weights by hand."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F
from watched import Calls, by_hand, watched

few = settings(max_examples=15, deadline=None, derandomize=True)
FAR = {torch.float64: 1e-12, torch.float32: 1e-6, torch.bfloat16: 1e-6, torch.float16: 1e-6}


def close(weights, wanted, dtype=torch.float32):
    assert weights.shape == wanted.shape
    assert weights.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)
    assert (weights - wanted).abs().max() < FAR[dtype]


def attention(heads=4, **options):
    """A layer that is given queries, keys and values (batch, tokens, heads · d), and cuts them."""

    def attend(q, k, v):
        d = q.shape[-1] // heads
        q, k = (x.unflatten(-1, (-1, d)).transpose(1, 2) for x in (q, k))
        v = v.unflatten(-1, (k.shape[1], -1)).transpose(1, 2)
        return F.scaled_dot_product_attention(q, k, v, **options)

    return Calls(attend, heads)


def joined(*several):
    """Heads (batch, heads, tokens, d) side by side, (batch, tokens, heads · d)."""
    return [x.transpose(1, 2).flatten(2) for x in several]


def qkv(batch=2, heads=4, queries=3, keys=5, d=6, d_v=7, shared=1, dtype=torch.float32, seed=0):
    """Queries, keys, values; `shared` heads have one key, and one value, together."""
    generator = torch.Generator().manual_seed(seed)
    sizes = (heads, queries, d), (heads // shared, keys, d), (heads // shared, keys, d_v)
    return [torch.randn(batch, *size, generator=generator).to(dtype) for size in sizes]


MASKS = {  # (1 or batch, 1 or heads, 1 or queries, keys), or fewer dimensions; True = hidden
    "causal": torch.ones(3, 5).triu(1).bool(),
    "padding": (torch.arange(5) >= torch.tensor([[5], [2]]))[:, None, None],
    "by head": torch.rand(1, 4, 3, 5, generator=torch.Generator().manual_seed(1)) < 0.4,
    "one query sees nothing": torch.tensor([0, 0, 1])[:, None].expand(3, 5).bool(),
}
LOWEST = (None, -torch.inf, torch.finfo(torch.float32).min, -1e9)  # None: a mask of booleans
FORMS = [(lowest, torch.float32) for lowest in LOWEST] + [(None, dtype) for dtype in FAR]


@pytest.mark.parametrize("lowest, dtype", dict.fromkeys(FORMS))
@pytest.mark.parametrize("name", MASKS)
def test_a_mask(name, lowest, dtype):
    query, key, value = qkv(dtype=dtype)
    hidden = MASKS[name].expand(2, 4, 3, 5)
    mask = ~hidden if lowest is None else torch.zeros(hidden.shape).masked_fill(hidden, lowest)
    (call,) = watched(attention(attn_mask=mask), *joined(query, key, value)).calls
    blind = hidden.all(-1, keepdim=True)  # the lowest of finite numbers hide no key
    hidden = hidden & ~blind if lowest and lowest > -torch.inf else hidden
    shown, wanted = call.weights, by_hand(query, key, hidden)
    close(shown.masked_fill(blind, 0.0), wanted.masked_fill(blind, 0.0), dtype)
    assert torch.equal(call.hidden, hidden) and call.dtype == dtype
    assert not shown[hidden].any(), "a query that sees nothing has weights of 0"


@few
@given(
    batch=st.integers(1, 3),
    heads=st.integers(1, 3),
    shared=st.integers(1, 3),
    queries=st.integers(1, 4),
    keys=st.integers(1, 4),
    d=st.integers(1, 4),
    scale=st.sampled_from([None, 1.0, 0.3]),
    causal=st.booleans(),
)
def test_sizes_scales_and_keys_that_heads_share(
    batch, heads, shared, queries, keys, d, scale, causal
):
    query, key, value = qkv(batch, heads * shared, queries, keys, d, d + 1, shared)
    options = {"scale": scale, "is_causal": causal, "enable_gqa": shared > 1}
    (call,) = watched(attention(heads * shared, **options), *joined(query, key, value)).calls
    hidden = torch.ones(queries, keys).triu(1).bool() if causal else None
    close(call.weights, by_hand(query, key, hidden, scale=scale))
    assert (call.hidden is None) == (not causal or not hidden.any())


def test_weights_that_a_kernel_drops_are_shown_as_before():
    query, key, value = qkv()
    seen = watched(attention(dropout_p=0.4), *joined(query, key, value))
    (call,) = seen.calls
    close(call.weights, by_hand(query, key))
    assert call.error is None and "In 0 of 1 calls" in seen.check()
    layer, inputs = multi_head(dropout=0.4)
    (call,) = watched(layer, *inputs, need_weights=False).calls
    _, wanted = layer.eval()(*inputs, average_attn_weights=False)
    assert (call.weights - wanted).abs().max() < 1e-6
    (call,) = watched(layer.train(), *inputs).calls  # where it stores them, they can be seen
    assert (call.weights == 0).any() and call.error < 1e-6


# nn.MultiheadAttention: PyTorch's own weights are the oracle, where it gives them.

OWN = {  # attn_mask, True = hidden
    "none": None,
    "booleans": torch.ones(4, 6).triu(2).bool(),
    "numbers": torch.zeros(4, 6).masked_fill(torch.ones(4, 6).triu(2).bool(), float("-inf")),
    "by head": torch.rand(6, 4, 6, generator=torch.Generator().manual_seed(1)) < 0.3,
}
PADDING = torch.arange(6) >= torch.tensor([[6], [4]])
KINDS = {
    "plain": {},
    "batch first": {"batch_first": True},
    "other sizes": {"kdim": 5, "vdim": 7},
    "no bias": {"bias": False},
}


def multi_head(kind="plain", **more):
    torch.manual_seed(1)
    options = KINDS[kind]
    layer = nn.MultiheadAttention(12, 3, **options, **more)
    for parameter in layer.parameters():
        parameter.data = torch.randn_like(parameter) * 0.4
    sizes = (4, 12), (6, options.get("kdim", 12)), (6, options.get("vdim", 12))
    inputs = [torch.randn(2, *size) for size in sizes]
    if not options.get("batch_first"):
        inputs = [x.transpose(0, 1) for x in inputs]
    return layer, inputs


@pytest.mark.parametrize("need_weights", (True, False))
@pytest.mark.parametrize("padded", (True, False))
@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("kind", KINDS)
def test_multihead_attention(kind, own, padded, need_weights):
    layer, inputs = multi_head(kind)
    layer.eval()
    masks = {"attn_mask": OWN[own], "key_padding_mask": PADDING if padded else None}
    if padded and own == "numbers":
        masks["key_padding_mask"] = torch.zeros(2, 6).masked_fill(PADDING, float("-inf"))
    (call,) = watched(layer, *inputs, **masks, need_weights=need_weights).calls
    _, wanted = layer(*inputs, **masks, average_attn_weights=False)
    assert (call.weights - wanted).abs().max() < 1e-6
    assert call.kind == "cross" and call.name == "MultiheadAttention"
    if own == "none" and not padded:
        assert call.hidden is None
    else:
        assert not wanted[call.hidden].any()
        assert wanted[~call.hidden].all()
