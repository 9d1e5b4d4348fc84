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

from helpers import exercises
from helpers.models import large
from helpers.models.positions import rotary
from helpers.models.transformer import Attention, causal_mask

NEAR = {torch.float32: 1e-4, torch.float64: 1e-11}
exact = pytest.mark.parametrize("dtype", NEAR, ids=str)


@pytest.fixture(scope="module")
def taught():
    names = run(tagged("15", "large-class"), torch=torch, nn=nn, F=F, rotary=rotary)
    return SimpleNamespace(**names)


def drawn(*shape, dtype=torch.float32):
    torch.manual_seed(0)
    return torch.randn(shape, dtype=dtype).requires_grad_()


def assert_alike(one, other, leaves):
    """The same numbers, and the same gradients for the leaves."""
    near = NEAR[one.dtype]
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


def test_the_small_changes_are_in_the_models_that_the_notebook_names():
    has = {
        transformers.Gemma2Config().attn_logit_softcapping: 50,
        transformers.Qwen3NextConfig().rope_parameters["partial_rotary_factor"]: 0.25,
        transformers.Glm4Config().rope_parameters["partial_rotary_factor"]: 0.5,
        transformers.Gemma3nTextConfig().num_kv_shared_layers: 15,
        transformers.Gemma3nTextConfig().num_hidden_layers: 35,
        transformers.GptOssConfig().rope_parameters["factor"]: 32,
    }
    assert all(came == wanted for came, wanted in has.items())
    assert transformers.GptOssConfig().rope_parameters["rope_type"] == "yarn"
    oss = transformers.models.gpt_oss.modeling_gpt_oss
    assert hasattr(oss.GptOssAttention(transformers.GptOssConfig(hidden_size=64), 0), "sinks")
    qwen = transformers.models.qwen3.modeling_qwen3
    assert hasattr(qwen.Qwen3Attention(transformers.Qwen3Config(hidden_size=64), 0), "q_norm")


def test_the_patterns_of_layers_are_those_that_the_notebook_names():
    oss = transformers.GptOssConfig()
    assert oss.sliding_window == 128
    assert oss.layer_types[:4] == ["sliding_attention", "full_attention"] * 2
    gemma = transformers.Gemma3TextConfig().layer_types
    assert gemma[:6] == ["sliding_attention"] * 5 + ["full_attention"]
    qwen = transformers.Qwen3NextConfig().layer_types
    assert qwen[:4] == ["linear_attention"] * 3 + ["full_attention"]
    v3, v32 = transformers.DeepseekV3Config(), transformers.DeepseekV32Config()
    sizes = v3.num_hidden_layers, v3.num_attention_heads, v3.kv_lora_rank, v3.qk_rope_head_dim
    assert sizes == (61, 128, 512, 64)
    assert (v32.index_topk, v32.index_n_heads, v32.index_head_dim) == (2048, 64, 128)


def test_what_fills_in_for_an_answer_is_what_helpers_has():
    names = "tiled_attention grouped_attention window_mask linear_step chosen_attention"
    for name in names.split():
        assert getattr(exercises, name) is getattr(large, name)
