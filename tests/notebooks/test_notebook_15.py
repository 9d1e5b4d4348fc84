"""Notebook 15: its latent attention is that of a published model."""

from types import SimpleNamespace

import pytest
import torch
import transformers
from notebook_cells import run, tagged
from torch import nn
from torch.nn import functional as F
from transformers.models.deepseek_v3 import modeling_deepseek_v3 as deepseek

from helpers.models.positions import rotary
from helpers.models.transformer import causal_mask
from tests.models.oracles import NEAR, assert_alike

exact = pytest.mark.parametrize("dtype", NEAR, ids=str)


@pytest.fixture(scope="module")
def taught():
    names = run(tagged("15", "large-class"), torch=torch, nn=nn, F=F, rotary=rotary)
    return SimpleNamespace(**names)


def drawn(*shape, dtype=torch.float32):
    torch.manual_seed(0)
    return torch.randn(shape, dtype=dtype).requires_grad_()


def angles(tokens, d, dtype):
    """The cosines and sines of rotary, as Hugging Face hands them over, (1, tokens, d) each."""
    turns = torch.arange(tokens)[None, :, None] * 1e4 ** -(torch.arange(0, d, 2, dtype=dtype) / d)
    return [torch.cat([z, z], dim=-1) for z in (turns.cos(), turns.sin())]


def future(tokens, dtype):
    return torch.zeros(1, 1, tokens, tokens, dtype=dtype).masked_fill(
        causal_mask(tokens), float("-inf")
    )


def latent_pair(taught, dtype):
    sizes = {"kv_lora_rank": 5, "qk_nope_head_dim": 6, "v_head_dim": 6, "qk_rope_head_dim": 4}
    config = transformers.DeepseekV3Config(
        hidden_size=16, num_attention_heads=3, num_key_value_heads=3, q_lora_rank=None, **sizes
    )
    config._attn_implementation = "sdpa"  # eager, softmax is in float32
    theirs = deepseek.DeepseekV3Attention(config, 0).to(dtype)
    ours = taught.LatentAttention(16, 3, d_latent=5, head_dim=6, d_rotated=4).to(dtype)
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
@pytest.mark.parametrize("absorb", [True, False])
def test_latent_attention_is_deepseeks(taught, dtype, absorb):
    ours, theirs = latent_pair(taught, dtype)
    x = drawn(2, 7, 16, dtype=dtype)
    wanted = theirs(x, angles(7, 4, dtype), future(7, dtype))[0]
    assert_alike(ours(x, absorb=absorb)[0], wanted, [x, *theirs.parameters()])


def test_latent_attention_caches_little_and_may_be_cut_anywhere(taught):
    ours, _ = latent_pair(taught, torch.float64)
    x = drawn(2, 7, 16, dtype=torch.float64)
    whole, cached = ours(x)
    assert cached.shape == (2, 7, 5 + 4)
    cache, parts = None, []
    for part, absorb in zip(x.split([3, 1, 2, 1], dim=1), (False, True, False, True)):
        context, cache = ours(part, cache, absorb)
        parts.append(context)
    torch.testing.assert_close(torch.cat(parts, dim=1), whole)
