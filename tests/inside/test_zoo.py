"""Models of Hugging Face as they come: what a watch sees against their own eager weights.

Those that people know best are tried at every change, and a model of every kind once a week.
"""

import subprocess
import sys
from pathlib import Path

import every_kind
import pytest
import torch
import transformers
from watched import watched

from helpers.inside import watch

IDS = torch.randint(3, 50, (2, 7), generator=torch.Generator().manual_seed(0))
PADDING = torch.arange(7) >= torch.tensor([[7], [5]])
IMPLEMENTATIONS = ("sdpa", "eager")


@pytest.mark.parametrize(
    "kind, calls", {"gpt2": 8, "bert": 8, "t5": 24, "llama": 8, "vit": 8}.items()
)
def test_a_family(kind, calls):
    assert every_kind.look(kind) == ({"right": calls}, [])


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize("kind", ("gpt2", "bert", "t5", "llama"))
def test_what_is_padding_is_hidden(kind, implementation):
    model, decoder = every_kind.made(kind), kind == "t5"
    model.set_attn_implementation(implementation)
    more = {"decoder_input_ids": IDS[:, :4]} if decoder else {}
    seen = watched(model, input_ids=IDS, attention_mask=(~PADDING).long(), **more)
    assert [call.kind for call in seen.calls] == ["self"] * 2 + ["self", "cross"] * 2 * decoder
    future = torch.ones(7, 7).triu(1).bool() if kind in ("gpt2", "llama") else False
    hidden = (PADDING[:, None, None] | future).expand(2, 4, 7, 7)
    for call in seen.calls[:2]:
        assert torch.equal(call.hidden, hidden) and not call.weights[hidden].any()
    for call in seen.calls[3::2]:
        assert torch.equal(call.hidden, PADDING[:, None, None].expand(2, 4, 4, 7))


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize("kind", ("gpt2", "llama"))
def test_writing_with_a_cache(kind, implementation):
    """One query a step, and more keys each time; heads that share a key are each their own."""
    model = every_kind.made(kind, transformers.AutoModelForCausalLM)
    model.set_attn_implementation(implementation)
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
