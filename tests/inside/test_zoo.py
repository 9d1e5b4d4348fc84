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
IMPLEMENTATIONS = ("sdpa", "eager")


def model_of(name, implementation):
    config = FAMILIES[name][0] | {"attn_implementation": implementation}
    return made(getattr(transformers, name), **config)


def theirs(model, inputs):
    """Their eager weights, layer by layer; a decoder's come before those that cross."""
    model.set_attn_implementation("eager")
    result = model(**inputs, output_attentions=True)
    if "encoder_attentions" not in result:
        return list(result["attentions"])
    pairs = zip(result["decoder_attentions"], result["cross_attentions"])
    return [*result["encoder_attentions"], *(weights for pair in pairs for weights in pair)]


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize("name", FAMILIES)
def test_a_family(name, implementation):
    model, inputs = model_of(name, implementation), FAMILIES[name][1]
    seen = watched(model, **inputs)
    assert not seen.unseen
    wanted = theirs(model, inputs)
    assert len(seen.calls) == len(wanted)
    for call, weights in zip(seen.calls, wanted):
        assert call.weights.shape == weights.shape, call
        assert (call.weights - weights).abs().max() < 2e-6, call
        if call.hidden is not None:
            assert not weights[call.hidden.expand_as(weights)].any(), call
    padding = (VISIBLE[:, None, None] == 0).expand(2, 4, 7, 7)
    if name in ("BertModel", "T5Model"):
        assert torch.equal(seen.calls[0].hidden, padding)
    if name in ("GPT2LMHeadModel", "LlamaForCausalLM"):
        causal = torch.ones(7, 7).triu(1).bool() | padding
        assert all(torch.equal(call.hidden, causal) for call in seen.calls)
    crossing = ["self"] * 2 + ["self", "cross"] * 2
    assert [call.kind for call in seen.calls] == (crossing if name == "T5Model" else ["self"] * 2)


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
