"""Notebook 17: its class is the one that helpers use, and what it says of the model holds."""

import pytest
import torch
from notebook_cells import cell_with, run
from torch import nn
from torch.nn import functional as F

from helpers import exercises
from helpers.inside import watch
from helpers.models.gpt import Cache, next_probabilities
from helpers.models.published import smollm


@pytest.fixture(scope="module")
def ours():
    return smollm()


def ids_of(text, tokenizer):
    return torch.tensor([tokenizer.encode(text).ids])


@torch.no_grad()
def test_the_class_of_the_notebook_computes_what_that_of_helpers_computes(ours):
    parts = [cell_with("17", f"class {name}(") for name in ("Attention", "Block", "Llama")]
    model, tokenizer = ours
    mine = run(parts, torch=torch, nn=nn, F=F)["Llama"]()
    mine.load_state_dict(model.state_dict())
    ids = ids_of("Hello shiny sun!", tokenizer)
    torch.testing.assert_close(mine(ids), model(ids), rtol=0, atol=1e-4)


@torch.no_grad()
def test_answers_come_late_and_the_head_of_the_first_picture_finds_what_followed(ours):
    model, tokenizer = ours
    first = {}
    for prompt in ("The capital of France is", "The opposite of hot is",
                   "The code is apple river stone. Again: apple river"):  # fmt: skip
        x, said = model.word(ids_of(prompt, tokenizer)), []
        for block in model.blocks:
            x = block(x)
            logits = model.norm(x[:, -1]) @ model.word.weight.T
            said.append(tokenizer.decode(logits.argmax(dim=-1).tolist()).strip())
        first[said[-1]] = said.index(said[-1]) + 1
    assert first == {"Paris": 30, "cold": 29, "stone": 30}
    with watch(model) as seen:
        model(ids_of(prompt, tokenizer))
    looks = seen.weights["blocks.18.attention"][0, 6, -1]
    assert tokenizer.encode(prompt).tokens[looks.argmax()] == "Ġstone" and looks.max() > 0.9


@torch.no_grad()
@pytest.mark.parametrize("seed", [0, 1])
def test_of_random_tokens_the_second_forty_are_looked_up_and_sinks_are_many(ours, seed):
    torch.manual_seed(seed)
    forty = torch.randint(1000, 40_000, (1, 40))
    twice = torch.cat([forty, forty], dim=1)
    with watch(ours[0]) as seen:
        logits = ours[0](twice)[0]
    first, second = (F.cross_entropy(logits[a : a + 39], twice[0, a + 1 : a + 40]) for a in (0, 40))
    assert first > torch.tensor(49_152.0).log() and second < 5
    weights = torch.stack([w[0] for w in seen.weights.values()])
    induction = exercises.induction_scores(weights, 40)
    assert divmod(induction.argmax().item(), 9) == (18, 6) and induction.max() > 0.8
    assert (weights[:, :, 4:, 0].mean(dim=-1) > 0.5).sum() > 80


def test_a_part_of_a_character_waits_until_the_character_is_whole(ours):
    tokenizer, text = ours[1], "Hi 👋🏽 日本"
    coming = iter([*tokenizer.encode(text).ids, 2])  # the last one ends the answer

    def model(new, cache, last_only):
        return 99.0 * F.one_hot(torch.tensor([[next(coming)]]), 49_152)

    names = {"model": model, "tokenizer": tokenizer, "torch": torch, "Cache": Cache, "SYSTEM": {}}
    names |= {"chat_prompt": lambda messages: "", "next_probabilities": next_probabilities}
    names["ids_of"] = lambda text: ids_of("Hi", tokenizer)
    pieces = list(run([cell_with("17", "def reply(")], **names)["reply"]([]))
    assert "".join(pieces) == text and not any("\ufffd" in piece for piece in pieces)
