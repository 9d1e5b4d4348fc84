"""Attention of large models: equal to PyTorch's, Hugging Face's and Keras's, forward and backward."""

import pytest
import torch
from torch.nn import functional as F
from transformers import DeepseekV3Config, LlamaConfig, MistralConfig
from transformers.masking_utils import create_sliding_window_causal_mask
from transformers.models.deepseek_v3 import modeling_deepseek_v3 as deepseek
from transformers.models.llama import modeling_llama as llama

from helpers.models import large
from helpers.models.keras_on_torch import keras
from helpers.models.transformer import causal_mask

NEAR = {torch.float32: 1e-5, torch.float64: 1e-12}
exact = pytest.mark.parametrize("dtype", NEAR, ids=str)


def drawn(*shapes, dtype=torch.float32, spread=1.0):
    torch.manual_seed(0)
    return [(spread * torch.randn(shape, dtype=dtype)).requires_grad_() for shape in shapes]


def assert_alike(one, other, leaves):
    """The same numbers, and the same gradients for the leaves."""
    near = NEAR[one.dtype] * 10
    torch.testing.assert_close(one, other, atol=near, rtol=near)
    weigh = torch.sin(torch.arange(one.numel(), dtype=one.dtype)).view_as(one)
    found = [
        torch.autograd.grad((x * weigh).sum(), leaves, retain_graph=True) for x in (one, other)
    ]
    for mine, its in zip(*found):
        torch.testing.assert_close(mine, its, atol=10 * near, rtol=10 * near)


def angles(tokens, d, dtype):
    """The cosines and sines of rotary, as Hugging Face hands them over, (1, tokens, d) each."""
    turns = torch.arange(tokens)[None, :, None] * 1e4 ** -(torch.arange(0, d, 2, dtype=dtype) / d)
    return [torch.cat([z, z], dim=-1) for z in (turns.cos(), turns.sin())]


@exact
@pytest.mark.parametrize("tile", [1, 3, 4, 12, 50])
@pytest.mark.parametrize("spread", [1, 12])  # at 12 scores pass 100: exp alone would overflow
def test_tiles_give_what_one_softmax_gives(dtype, tile, spread):
    given = drawn((2, 5, 4), (2, 12, 4), (2, 12, 3), dtype=dtype, spread=spread)
    assert_alike(large.tiled_attention(*given, tile), F.scaled_dot_product_attention(*given), given)


@exact
@pytest.mark.parametrize("key_heads", [1, 2, 6])
def test_grouped_heads_are_those_of_pytorch(dtype, key_heads):
    given = drawn((2, 6, 3, 4), (2, key_heads, 5, 4), (2, key_heads, 5, 7), dtype=dtype)
    theirs = F.scaled_dot_product_attention(*given, enable_gqa=True)
    assert_alike(large.grouped_attention(*given), theirs, given)


@exact
@pytest.mark.parametrize("key_heads", [1, 2, 4])
def test_the_grouped_layer_is_llamas(dtype, key_heads):
    config = LlamaConfig(
        hidden_size=24, num_attention_heads=4, num_key_value_heads=key_heads, head_dim=6
    )
    config._attn_implementation = "sdpa"  # eager, softmax is in float32
    theirs = llama.LlamaAttention(config, 0).to(dtype)
    ours = large.GroupedAttention(24, 4, key_heads, rotated=True).to(dtype)
    pairs = zip("query key value".split(), (theirs.q_proj, theirs.k_proj, theirs.v_proj))
    for mine, its in [*((getattr(ours, f"W_{n}"), p) for n, p in pairs)] + [
        (ours.out_proj, theirs.o_proj)
    ]:
        mine.weight, mine.bias.data[:] = its.weight, 0  # Llama has no biases
    (x,), mask = drawn((2, 7, 24), dtype=dtype), causal_mask(7)
    hidden = torch.zeros(1, 1, 7, 7, dtype=dtype).masked_fill(mask, float("-inf"))
    wanted = theirs(x, angles(7, 6, dtype), hidden)[0]
    for context in (ours(x, mask=mask), ours(x, mask=mask, return_weights=True)[0]):
        assert_alike(context, wanted, [x, *theirs.parameters()])


def test_as_many_key_heads_as_heads_is_the_attention_of_notebook_9_and_others_are_refused():
    theirs = large.Attention(8, 4)
    ours = large.GroupedAttention(8, 4, 4)
    ours.load_state_dict(theirs.state_dict())
    x, mask = torch.randn(2, 5, 8), causal_mask(5)
    torch.testing.assert_close(ours(x, mask=mask), theirs(x, mask=mask))
    with pytest.raises(ValueError, match="num_heads=4 is not divisible by key_heads=3"):
        large.GroupedAttention(8, 4, 3)


@pytest.mark.parametrize("tokens, window", [(1, 1), (6, 1), (6, 3), (6, 6), (6, 9)])
def test_the_window_is_mistrals_and_that_of_keras(tokens, window):
    visible = ~large.window_mask(tokens, window)
    config = MistralConfig(sliding_window=window, num_hidden_layers=1)
    config._attn_implementation = "eager"
    x = torch.randn(2, tokens, 8)
    theirs = create_sliding_window_causal_mask(config, x, None, None)
    assert torch.equal(visible, theirs[0, 0] == 0)
    for use_causal_mask, wanted in ((True, visible), (False, visible | visible.T)):
        layer = keras.layers.MultiHeadAttention(2, 4, sliding_window=window)
        masked = layer(x, x, attention_mask=wanted[None].repeat(2, 1, 1)).detach()
        own = layer(x, x, use_causal_mask=use_causal_mask).detach()
        torch.testing.assert_close(own, masked, atol=1e-5, rtol=1e-5)


def latent_pair(dtype):
    sizes = {"kv_lora_rank": 5, "qk_nope_head_dim": 6, "v_head_dim": 6, "qk_rope_head_dim": 4}
    config = DeepseekV3Config(
        hidden_size=16, num_attention_heads=3, num_key_value_heads=3, q_lora_rank=None, **sizes
    )
    config._attn_implementation = "sdpa"  # eager, softmax is in float32
    theirs = deepseek.DeepseekV3Attention(config, 0).to(dtype)
    ours = large.LatentAttention(16, 3, d_latent=5, head_dim=6, d_rotated=4).to(dtype)
    theirs.kv_a_layernorm.weight.data.uniform_(0.5, 2)
    for mine, its in {
        ours.W_query: theirs.q_proj,
        ours.W_down: theirs.kv_a_proj_with_mqa,
        ours.norm: theirs.kv_a_layernorm,
        ours.W_up: theirs.kv_b_proj,
        ours.out_proj: theirs.o_proj,
    }.items():
        mine.weight = its.weight
    if dtype == torch.float64:
        theirs.kv_a_layernorm = ours.norm  # its own counts in float32
    return ours, theirs


@exact
def test_latent_attention_is_deepseeks_which_makes_the_keys(dtype):
    ours, theirs = latent_pair(dtype)
    (x,) = drawn((2, 7, 16), dtype=dtype)
    hidden = torch.zeros(1, 1, 7, 7, dtype=dtype).masked_fill(causal_mask(7), float("-inf"))
    wanted = theirs(x, angles(7, 4, dtype), hidden)[0]
    assert_alike(ours(x)[0], wanted, [x, *theirs.parameters()])


def test_latent_attention_keeps_little_and_may_be_cut_anywhere():
    ours, _ = latent_pair(torch.float64)
    (x,) = drawn((2, 7, 16), dtype=torch.float64)
    whole, kept = ours(x)
    assert kept.shape == (2, 7, 5 + 4)
    cache, parts = None, []
    for part in x.split([3, 1, 2, 1], dim=1):
        context, cache = ours(part, cache)
        parts.append(context)
    torch.testing.assert_close(torch.cat(parts, dim=1), whole)


@exact
def test_linear_attention_is_a_recurrence(dtype):
    query, key, value = given = drawn((6, 4), (6, 4), (6, 3), dtype=dtype)
    state, total, rows = torch.zeros(4, 3, dtype=dtype), torch.zeros(4, dtype=dtype), []
    for q, k, v in zip(F.elu(query) + 1, F.elu(key) + 1, value):
        context, state, total = large.linear_step(q, k, v, state, total)
        rows.append(context)
    assert_alike(torch.stack(rows), large.linear_attention(*given), given)
    slow = [[(F.elu(query[i]) + 1) @ (F.elu(key[j]) + 1) for j in range(i + 1)] for i in range(6)]
    for i, scores in enumerate(slow):
        wanted = sum(s * value[j] for j, s in enumerate(scores)) / sum(scores)
        torch.testing.assert_close(large.linear_attention(*given)[i], wanted)


def test_after_a_delta_step_the_state_holds_the_value_under_the_key_and_others_as_they_were():
    torch.manual_seed(0)
    keys = torch.linalg.qr(torch.randn(4, 4))[0]  # rows of length 1, none in the way of another
    values, state = torch.randn(4, 3), torch.zeros(4, 3)
    for key, value in zip(keys, values):
        state = large.delta_step(key, value, state)
    state = large.delta_step(keys[1], 5 * values[1], state)
    wanted = values * torch.tensor([1.0, 5, 1, 1])[:, None]
    torch.testing.assert_close(keys @ state, wanted, atol=1e-5, rtol=1e-5)
