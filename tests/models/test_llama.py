"""Our Llama with SmolLM2's weights equals Hugging Face's; its reader and its tokenizer are right."""

from importlib import metadata

import pytest
import torch
from llama_peer import llama_of_hugging_face

from helpers.models.gpt import Cache, generate
from helpers.models.llama import read_gguf
from helpers.models.published import GGUF, SMOLLM, smollm, smollm_file

PATH = metadata.distribution(SMOLLM.name).locate_file(f"{SMOLLM.folder}/{GGUF}")
ODD = ["", " ", "\n\n  \t", "naïve café", "Ünïcödé ßtraße", "日本語のテキスト", "👩‍👩‍👧 family", "don't I'll",
       "12345 3.14 1,000", "<|im_start|>user\nHi<|im_end|>\n", "a" * 60, "x=y+z;//", "Łódź — Škofja"]  # fmt: skip


@pytest.fixture(scope="module")
def ours():
    return smollm()


@pytest.fixture(scope="module")
def theirs(ours):
    return llama_of_hugging_face(ours[0])


@torch.no_grad()
def test_logits_are_those_of_hugging_face_at_once_and_with_a_cache(ours, theirs):
    model, tokenizer = ours
    ids = torch.tensor([tokenizer.encode("The code is apple river stone. Again: apple river").ids])
    wanted = theirs(ids).logits
    torch.testing.assert_close(model(ids), wanted, rtol=0, atol=1e-3)
    cache = Cache()
    parts = [model(part, cache=cache) for part in ids.split([4, 1, ids.shape[1] - 5], dim=1)]
    torch.testing.assert_close(torch.cat(parts, dim=1), wanted, rtol=0, atol=1e-3)
    new = generate(model, ids, 8, temperature=0)
    right = theirs.generate(
        ids, max_new_tokens=8, do_sample=False, eos_token_id=None, pad_token_id=2
    )
    assert new.tolist() == right.tolist()


@pytest.mark.weekly  # the package takes long to read the tokenizer
def test_every_tensor_is_as_the_package_gguf_reads_it():
    gguf = pytest.importorskip("gguf")
    _settings, tensors = read_gguf(PATH.read_bytes())
    read = {tensor.name: tensor for tensor in gguf.GGUFReader(PATH).tensors}
    assert tensors.keys() == read.keys()
    for name, tensor in tensors.items():
        theirs = torch.from_numpy(gguf.dequantize(read[name].data, read[name].tensor_type).copy())
        torch.testing.assert_close(tensor, theirs.view_as(tensor), rtol=0, atol=1e-6)


def bytes_as_letters():
    """GPT-2's table: printable bytes stand for themselves, the others for letters from 256 on."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {b: chr(b) for b in shown} | {b: chr(256 + i) for i, b in enumerate(hidden)}


def by_definition(settings):
    """text → its ids, by the definition of byte-level BPE: split, then merge the earliest rule
    until none applies.
    """
    regex = pytest.importorskip("regex")
    tokens = settings["tokenizer.ggml.tokens"]
    index = {token: i for i, token in enumerate(tokens)}
    ranks = {tuple(m.split(" ")): i for i, m in enumerate(settings["tokenizer.ggml.merges"])}
    special = [t for t, kind in zip(tokens, settings["tokenizer.ggml.token_type"]) if kind == 3]
    words = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    letters = bytes_as_letters()

    def ids_of(word):
        symbols = [letters[byte] for byte in word.encode()]
        while pairs := [p for p in zip(symbols, symbols[1:]) if p in ranks]:
            best, merged, i = min(pairs, key=ranks.get), [], 0
            while i < len(symbols):
                both = tuple(symbols[i : i + 2]) == best
                merged.append("".join(best) if both else symbols[i])
                i += 2 if both else 1
            symbols = merged
        return [index[symbol] for symbol in symbols]

    def ids(text):
        found = []
        for piece in regex.split("(" + "|".join(map(regex.escape, special)) + ")", text):
            if piece in special:
                found.append(index[piece])
                continue
            for part in regex.split(r"(\p{N})", piece):  # each digit stands alone
                found += [one for word in regex.findall(words, part) for one in ids_of(word)]
        return found

    return ids


def test_tokens_are_those_of_the_definition_on_odd_strings(ours):
    slow_ids = by_definition(smollm_file()[1])
    odd = ODD + [f"{a} {b}{a}" for a in ODD[:13] for b in ODD[:13]]
    for text in odd:
        assert ours[1].encode(text).ids == slow_ids(text), text
        assert ours[1].decode(ours[1].encode(text).ids, skip_special_tokens=False) == text
