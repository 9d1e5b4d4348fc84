"""Models of Hugging Face as they come: what a watch sees against their own eager weights.

Small ones from configs, with random weights, `sdpa` and `eager`; the weekly test takes a model of
every kind that can be made so.
"""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
import transformers
from watched import SMALL, made, watched

from helpers.inside import watch

generator = torch.Generator().manual_seed(0)
IDS = torch.randint(3, 50, (2, 7), generator=generator)
VISIBLE = torch.ones(2, 7, dtype=torch.long)
VISIBLE[1, 5:] = 0  # two tokens that only fill up
TEXT = {"input_ids": IDS, "attention_mask": VISIBLE}
BOTH = {**TEXT, "decoder_input_ids": IDS[:, :4]}
PICTURE = {"pixel_values": torch.rand(2, 3, 8, 8, generator=generator)}
TWO = {
    "vocab_size": 50, "d_model": 16, "encoder_layers": 2, "decoder_layers": 2,
    "encoder_attention_heads": 4, "decoder_attention_heads": 2, "encoder_ffn_dim": 20,
    "decoder_ffn_dim": 20, "max_position_embeddings": 32, "bos_token_id": 1, "eos_token_id": 2,
    "pad_token_id": 0, "decoder_start_token_id": 2, "forced_eos_token_id": None,
}  # fmt: skip
T5 = {
    "vocab_size": 50, "d_model": 16, "d_kv": 4, "d_ff": 20, "num_layers": 2, "num_heads": 4,
    "decoder_start_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0,
}  # fmt: skip
SIGHT = {"image_size": 8, "patch_size": 4}

FAMILIES = {  # the class, its config, what it is called with
    "GPT2LMHeadModel": (SMALL | {"n_positions": 32}, TEXT),
    "BertModel": (SMALL, TEXT),
    "T5Model": (T5, BOTH),
    "LlamaForCausalLM": (SMALL | {"num_key_value_heads": 2}, TEXT),
    "ViTModel": (SMALL | SIGHT, PICTURE),
}
MORE = {  # others, of another make
    "BartModel": (TWO, BOTH),
    "DistilBertModel": (SMALL | {"dim": 16, "hidden_dim": 20, "n_layers": 2, "n_heads": 4}, TEXT),
    "RobertaModel": (SMALL | {"max_position_embeddings": 40, "pad_token_id": 1}, TEXT),
    "AlbertModel": (SMALL | {"embedding_size": 8}, TEXT),
    "DebertaV2Model": (SMALL | {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]}, TEXT),
    "GPTNeoXForCausalLM": (SMALL, TEXT),
    "OPTForCausalLM": (SMALL | {"ffn_dim": 20, "word_embed_proj_dim": 16}, TEXT),
    "BloomForCausalLM": (SMALL | {"n_layer": 2, "n_head": 4}, TEXT),
    "MistralForCausalLM": (SMALL | {"num_key_value_heads": 2, "sliding_window": 3}, TEXT),
    "Gemma2ForCausalLM": (SMALL | {"num_key_value_heads": 2, "head_dim": 4}, TEXT),
    "MixtralForCausalLM": (SMALL | {"num_key_value_heads": 2, "num_local_experts": 2}, TEXT),
    "GptOssForCausalLM": (
        SMALL | {"num_key_value_heads": 2, "num_local_experts": 2, "head_dim": 4,
                 "num_experts_per_tok": 2}, TEXT
    ),
    "BeitModel": (SMALL | SIGHT, PICTURE),
    "SwinModel": (
        SIGHT | {"patch_size": 2, "embed_dim": 8, "depths": [1], "num_heads": [2], "window_size": 2},
        PICTURE,
    ),
}  # fmt: skip


def model_of(name, implementation):
    config = {**FAMILIES, **MORE}[name][0] | {"attn_implementation": implementation}
    return made(getattr(transformers, name), **config)


def theirs(model, inputs):
    """Their eager weights, layer by layer; a decoder's come before those that cross."""
    model.set_attn_implementation("eager")
    result = model(**inputs, output_attentions=True)
    if "encoder_attentions" not in result:
        return list(result["attentions"])
    pairs = zip(result["decoder_attentions"], result["cross_attentions"])
    return [*result["encoder_attentions"], *(weights for pair in pairs for weights in pair)]


def compare(name, implementation):
    """The watch's Seen of one model, after each call was found equal to their weights."""
    model, inputs = model_of(name, implementation), ({**FAMILIES, **MORE})[name][1]
    seen = watched(model, **inputs)
    assert not seen.unseen
    wanted = theirs(model, inputs)
    assert len(seen.calls) == len(wanted)
    for call, weights in zip(seen.calls, wanted):
        assert call.weights.shape == weights.shape, call
        assert (call.weights - weights).abs().max() < 2e-6, call
        if call.hidden is not None:
            assert not weights[call.hidden.expand_as(weights)].any(), call
    return seen


IMPLEMENTATIONS = ("sdpa", "eager")


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize("name", FAMILIES)
def test_a_family(name, implementation):
    seen = compare(name, implementation)
    padding = (VISIBLE[:, None, None] == 0).expand(2, 4, 7, 7)
    if name in ("BertModel", "T5Model"):
        assert torch.equal(seen.calls[0].hidden, padding)
    if name in ("GPT2LMHeadModel", "LlamaForCausalLM"):
        causal = torch.ones(7, 7).triu(1).bool() | padding
        assert all(torch.equal(call.hidden, causal) for call in seen.calls)
    crossing = ["self"] * 2 + ["self", "cross"] * 2
    assert [call.kind for call in seen.calls] == (crossing if name == "T5Model" else ["self"] * 2)


@pytest.mark.weekly
@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize("name", MORE)
def test_others(name, implementation):
    try:
        model_of(name, implementation)
    except ValueError as error:  # Hugging Face has no sdpa for it
        assert implementation == "sdpa" and "does not support" in str(error)
        pytest.skip(f"{name} has no {implementation}")
    compare(name, implementation)


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize("name", ("GPT2LMHeadModel", "LlamaForCausalLM"))
def test_writing_with_a_cache(name, implementation):
    """One query a step, and more keys each time; heads that share a key are each their own."""
    model = model_of(name, implementation)
    options = {"max_new_tokens": 3, "do_sample": False, "eos_token_id": None, "pad_token_id": 0}
    with watch(model) as seen:
        written = model.generate(IDS, **options)
    assert torch.equal(written, model.generate(IDS, **options)) and seen.check()
    model.set_attn_implementation("eager")
    options |= {"return_dict_in_generate": True, "output_attentions": True}
    wanted = [weights for step in model.generate(IDS, **options).attentions for weights in step]
    assert [tuple(w.shape) for w in wanted[2:]] == [(2, 4, 1, 8)] * 2 + [(2, 4, 1, 9)] * 2
    for call, weights in zip(seen.calls, wanted, strict=True):
        assert call.weights.shape == weights.shape
        assert (call.weights - weights).abs().max() < 2e-6
    assert [(call.kind, call.step) for call in seen.calls] == [("self", n // 2) for n in range(6)]


@pytest.mark.weekly  # ten minutes
def test_no_kind_of_model_is_seen_wrong_and_nearly_all_are_seen_right():
    command = [sys.executable, "-m", "tests.inside.every_kind"]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert ran.returncode == 0, ran.stdout
