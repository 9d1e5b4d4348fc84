"""Notebook 15: its layers are those of published models, forward and backward."""

from types import SimpleNamespace

import pytest
import torch
import transformers
from notebook_cells import run, tagged
from torch import nn
from torch.nn import functional as F
from transformers.models.deepseek_v3 import modeling_deepseek_v3 as deepseek
from transformers.models.deepseek_v32 import modeling_deepseek_v32 as sparse
from transformers.models.llama import modeling_llama as llama

from helpers.models import large
from helpers.models.positions import rotary
from helpers.models.transformer import Attention, causal_mask
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


class Rotated(nn.Module):
    """A projection after which every head of head_dim numbers is rotated, as Llama rotates it."""

    def __init__(self, linear, head_dim):
        super().__init__()
        self.linear, self.head_dim = linear, head_dim

    def forward(self, x):
        heads = self.linear(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
        turned = rotary(heads, torch.arange(x.shape[1]), "halves")
        return turned.transpose(1, 2).flatten(2)


@exact
@pytest.mark.parametrize("key_heads", [1, 2, 4])
def test_the_grouped_layer_is_llamas_but_for_the_rotation(taught, dtype, key_heads):
    config = transformers.LlamaConfig(
        hidden_size=24, num_attention_heads=4, num_key_value_heads=key_heads, head_dim=6
    )
    config._attn_implementation = "sdpa"  # eager, softmax is in float32
    theirs = llama.LlamaAttention(config, 0).to(dtype)
    ours = taught.GroupedAttention(24, 4, key_heads).to(dtype)
    for mine, its in {
        ours.W_query: theirs.q_proj,
        ours.W_key: theirs.k_proj,
        ours.W_value: theirs.v_proj,
        ours.out_proj: theirs.o_proj,
    }.items():
        mine.weight, mine.bias.data[:] = its.weight, 0  # Llama has no biases
    ours.W_query, ours.W_key = Rotated(ours.W_query, 6), Rotated(ours.W_key, 6)
    x = drawn(2, 7, 24, dtype=dtype)
    wanted = theirs(x, angles(7, 6, dtype), future(7, dtype))[0]
    for context in (
        ours(x, mask=causal_mask(7)),
        ours(x, mask=causal_mask(7), return_weights=True)[0],
    ):
        assert_alike(context, wanted, [x, *theirs.parameters()])


def test_as_many_key_heads_as_heads_is_the_attention_of_notebook_9(taught):
    theirs, ours = Attention(8, 4), taught.GroupedAttention(8, 4, 4)
    ours.load_state_dict(theirs.state_dict())
    x, memory = drawn(2, 5, 8), drawn(2, 9, 8) + 1
    torch.testing.assert_close(ours(x, mask=causal_mask(5)), theirs(x, mask=causal_mask(5)))
    torch.testing.assert_close(ours(x), theirs(x))
    torch.testing.assert_close(ours(x, memory), theirs(x, memory))  # as cross-attention


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


def indexer(heads, k):
    config = transformers.DeepseekV32Config(
        hidden_size=10, q_lora_rank=6, qk_rope_head_dim=4,
        index_n_heads=heads, index_head_dim=8, index_topk=k,
    )  # fmt: skip
    torch.manual_seed(0)
    return sparse.DeepseekV32Indexer(config, 0)


def of_index(theirs, x, compressed):
    """What the indexer makes of the tokens: queries (heads, tokens, d), keys, weights of heads."""
    queries = theirs.wq_b(compressed).unflatten(-1, (theirs.n_heads, -1)).transpose(0, 1)
    made = [theirs.k_norm(theirs.wk(x)), queries]
    for i, z in enumerate(made):
        turned = rotary(z[..., :4], torch.arange(len(x)), "halves")
        made[i] = torch.cat([turned, z[..., 4:]], dim=-1)
    return made[1], made[0], theirs.weights_proj(x)


@torch.no_grad()
def test_the_index_scores_choose_what_deepseeks_indexer_chooses(taught):
    theirs, x, compressed = indexer(heads=5, k=4), drawn(9, 10), drawn(9, 6)
    chosen = theirs(x[None], compressed[None], angles(9, 4, x.dtype), future(9, x.dtype)[0], None)[
        0
    ].long()
    scores = taught.index_scores(*of_index(theirs, x, compressed))
    scores = scores.masked_fill(causal_mask(9)[0, 0], float("-inf"))
    ours, its = scores.topk(4, dim=1).values, scores.gather(1, chosen).sort(1, descending=True)[0]
    torch.testing.assert_close(ours, its)  # not the indices: scores of 0 may be equal
    assert not torch.equal(scores[:, :4], ours)  # it does choose


@torch.no_grad()
def test_chosen_attention_attends_to_what_an_indexer_of_one_head_chooses():
    theirs, x, compressed = indexer(heads=1, k=3), drawn(9, 10), drawn(9, 6).abs()
    theirs.wq_b.weight.abs_()
    theirs.k_norm.bias.fill_(4)  # all products are above 0, so that the ReLU changes none
    still = torch.ones(1, 9, 4), torch.zeros(1, 9, 4)  # no rotation, for the same reason
    chosen = theirs(x[None], compressed[None], still, future(9, x.dtype)[0], None)[0].long()
    weight, bias = theirs.weights_proj.weight, theirs.weights_proj.bias
    sign = F.linear(x, weight, bias).sign()  # a negative weight turns the order round
    visible = torch.zeros(9, 9, dtype=torch.bool).scatter(1, chosen, True) & ~causal_mask(9)[0, 0]
    query, key, value = drawn(3, 9, 6)
    wanted = F.scaled_dot_product_attention(query[None], key[None], value[None], visible[None])[0]
    index_key = theirs.k_norm(theirs.wk(x))
    context = large.chosen_attention(
        query, key, value, sign * theirs.wq_b(compressed), index_key, 3
    )
    torch.testing.assert_close(context, wanted, atol=1e-5, rtol=1e-5)
