"""Attention in one call: the weights that a watch computes, against weights by hand."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F
from watched import Calls, by_hand, watched

from helpers.inside import watch

few = settings(max_examples=15, deadline=None, derandomize=True)
FAR = {torch.float64: 1e-12, torch.float32: 1e-6, torch.bfloat16: 1e-6, torch.float16: 1e-6}


def close(weights, wanted, dtype=torch.float32):
    assert weights.shape == wanted.shape
    assert weights.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)
    assert (weights - wanted).abs().max() < FAR[dtype]


def attention(**options):
    return Calls(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, **options))


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
LOWEST = {"infinity": float("-inf"), "smallest": torch.finfo(torch.float32).min, "-1e9": -1e9}


@pytest.mark.parametrize("dtype", FAR)
@pytest.mark.parametrize("name", MASKS)
def test_a_mask_of_booleans(name, dtype):
    query, key, value = qkv(dtype=dtype)
    hidden = MASKS[name]
    (call,) = watched(attention(attn_mask=~hidden), query, key, value).calls
    close(call.weights, by_hand(query, key, hidden), dtype)
    assert torch.equal(call.hidden.expand(2, 4, 3, 5), hidden.expand(2, 4, 3, 5))
    assert call.dtype == dtype


@pytest.mark.parametrize("lowest", LOWEST)
@pytest.mark.parametrize("name", ("causal", "padding", "by head"))
def test_a_mask_of_numbers(name, lowest):
    query, key, value = qkv()
    mask = torch.zeros(MASKS[name].shape).masked_fill(MASKS[name], LOWEST[lowest])
    (call,) = watched(attention(attn_mask=mask), query, key, value).calls
    close(call.weights, by_hand(query, key, MASKS[name]))
    shown = torch.zeros(2, 4, 3, 5).bool() if call.hidden is None else call.hidden
    blind = MASKS[name].all(dim=-1, keepdim=True)
    wanted = MASKS[name] if lowest == "infinity" else MASKS[name] & ~blind
    assert torch.equal(shown.expand(2, 4, 3, 5), wanted.expand(2, 4, 3, 5))


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
    (call,) = watched(attention(**options), query, key, value).calls
    hidden = torch.ones(queries, keys).triu(1).bool() if causal else None
    close(call.weights, by_hand(query, key, hidden, scale=scale))
    assert (call.hidden is None) == (not causal or not hidden.any())


def test_fewer_and_more_dimensions():
    query, key, value = qkv()
    for cut in (lambda x: x[:, 0], lambda x: x[0, 0], lambda x: x[:, None], lambda x: x[0]):
        q, k, v = map(cut, (query, key, value))
        (call,) = watched(attention(), q, k, v).calls
        four = [x.reshape(-1, 1, *x.shape[-2:]) if x.dim() == 3 else x for x in (q, k)]
        four = [
            x.reshape(-1, *x.shape[-3:]) if x.dim() > 3 else x[(None,) * (4 - x.dim())]
            for x in four
        ]
        close(call.weights, by_hand(*four))
        hidden = cut(MASKS["by head"].expand(2, 4, 3, 5))
        (call,) = watched(attention(attn_mask=~hidden), q, k, v).calls
        hidden = hidden.reshape(call.weights.shape)
        close(call.weights, by_hand(*four, hidden))
        assert torch.equal(call.hidden.expand_as(hidden), hidden)


def test_what_broadcasts():
    query, key, value = qkv()
    (call,) = watched(attention(), query, key[:1, :1], value[:, :1]).calls
    close(call.weights, by_hand(query, key[:1, :1].expand(2, 4, 5, 6)))


def test_weights_that_a_kernel_drops_are_shown_as_before():
    query, key, value = qkv()
    seen = watched(attention(dropout_p=0.4), query, key, value)
    (call,) = seen.calls
    close(call.weights, by_hand(query, key))
    assert call.dropout == 0.4 and call.error is None and "before dropout" in seen.check()
    layer, inputs = multi_head(dropout=0.4)
    (call,) = watched(layer, *inputs, need_weights=False).calls
    _, wanted = layer.eval()(*inputs, average_attn_weights=False)
    assert (call.weights - wanted).abs().max() < 1e-6 and call.dropout == 0.4
    (call,) = watched(layer.train(), *inputs).calls  # where it stores them, they can be seen
    assert call.dropout == 0.4 and (call.weights == 0).any() and call.error < 1e-6


def test_autocast_computes_in_another_type():
    query, key, value = qkv()
    with torch.autocast("cpu", torch.bfloat16):
        (call,) = watched(attention(), query, key, value).calls
    close(call.weights, by_hand(query.bfloat16(), key.bfloat16()))
    assert call.dtype == torch.bfloat16


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
    "keys added": {"add_bias_kv": True, "add_zero_attn": True},
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
        assert not wanted[call.hidden.expand_as(wanted)].any()
        assert wanted[~call.hidden.expand_as(wanted)].all()


def test_a_query_that_sees_nothing_is_as_the_model_has_it():
    layer, (query, key, value) = multi_head()
    hidden = torch.zeros(4, 6).bool()
    hidden[1] = True
    (call,) = watched(layer, query, key, value, attn_mask=hidden, need_weights=False).calls
    assert not call.weights[:, :, 1].any()
    with_nan, _ = layer(query, key, value, attn_mask=hidden)
    assert with_nan[1].isnan().all()
    with watch(layer) as seen:
        layer(query, key, value, attn_mask=hidden)
    assert seen.calls[0].weights[:, :, 1].isnan().all()
    assert seen.check()


def test_the_function_behind_it_with_two_masks():
    layer, (query, *_) = multi_head()
    future, padding = torch.ones(4, 4).triu(1).bool(), PADDING[:, 2:]
    out = layer.out_proj

    def attend(x):
        return F.multi_head_attention_forward(
            x, x, x, 12, 3, layer.in_proj_weight, layer.in_proj_bias, None, None, False, 0.0,
            out.weight, out.bias, training=False, key_padding_mask=padding, attn_mask=future,
        )  # fmt: skip

    (call,) = watched(Calls(attend), query).calls
    _, wanted = layer(
        *[query] * 3, attn_mask=future, key_padding_mask=padding, average_attn_weights=False
    )
    assert (call.weights - wanted).abs().max() < 1e-6
    assert torch.equal(call.hidden, (future | padding[:, None])[:, None])


def test_a_hint_beside_padding_does_not_count():
    layer, (query, *_) = multi_head()
    none, padding = torch.zeros(4, 4).bool(), PADDING[:, 2:]
    for padded, need_weights in ((True, False), (True, True), (False, True)):
        options = {"key_padding_mask": padding if padded else None, "need_weights": need_weights}
        options |= {"attn_mask": none, "is_causal": True}
        (call,) = watched(layer, *[query] * 3, **options).calls
        shown = torch.zeros(1).bool() if call.hidden is None else call.hidden
        wanted = padding[:, None, None] & padded
        assert torch.equal(shown.expand(2, 3, 4, 4), wanted.expand(2, 3, 4, 4))


def heads_first(x):
    """Heads of x (batch, tokens, 8), with two of them in front of the batch."""
    return x.unflatten(-1, (2, 4)).movedim(2, 0)  # (heads, batch, tokens, 4)


@pytest.mark.parametrize("batch", (1, 3))  # with as many as heads, nothing tells
def test_heads_before_the_batch(batch):
    hidden = torch.arange(5) >= torch.tensor([4, 3, 4])[:batch, None]  # padding

    def attend(x):
        heads = heads_first(x)
        out = F.scaled_dot_product_attention(heads, heads, heads, ~hidden[None, :, None])
        return out.movedim(0, 2).flatten(2)

    x = torch.randn(batch, 5, 8)
    (call,) = watched(Calls(attend), x).calls
    heads, hidden = heads_first(x).transpose(0, 1), hidden[:, None, None]
    close(call.weights, by_hand(heads, heads, hidden))
    assert torch.equal(call.hidden.expand(batch, 2, 5, 5), hidden.expand(batch, 2, 5, 5))
    assert not call.doubts
