"""How fast GPT writes, with a cache and without, beside GPT2LMHeadModel with the same weights.

Greedily, one text, one thread: a single token is too little work to share out. Timed are the last
words of a text of so many tokens. With a cache, what stands before them is in it already; without,
each word costs a pass over all of the text. GPT2LMHeadModel writes in a plain loop, which is faster
than its own `generate`. The two take turns, so that a busy machine slows both alike; ratios of their
times are medians of each turn's ratio.
"""

import sys
import time
from pathlib import Path
from statistics import median

import torch
from bench_table import single
from transformers import GPT2Config, GPT2LMHeadModel

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from helpers.models.gpt import Cache, from_hugging_face, generate  # noqa: E402

WIDTH, HEADS, LAYERS, PLACES, VOCABULARY = 256, 8, 6, 1024, 5000
BAR = 1.0  # our time ≤ bar × that of GPT2LMHeadModel
TEXTS = (64, 256, 1024)  # tokens, those included that are written
WORDS = {True: 16, False: 4}  # with a cache or without: how many are written in a turn
TURNS = {True: 40, False: 9}
WARMING = 1  # turns that do not count


def pair():
    """Theirs and ours, of the same size and with the same weights."""
    config = GPT2Config(
        vocab_size=VOCABULARY, n_positions=PLACES, n_embd=WIDTH, n_head=HEADS, n_layer=LAYERS,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    torch.manual_seed(0)
    theirs = GPT2LMHeadModel(config).eval()
    return theirs, from_hugging_face(theirs)


def our_way(model, ids, n_new, cache):
    """A function that writes n_new words after ids, those already in the cache if there is one."""
    kept = Cache() if cache else False
    if cache:
        model(ids[:, :-1], cache=kept)

    def write():
        if cache:
            kept.length = ids.shape[1] - 1  # back to the beginning
        return generate(model, ids, n_new, temperature=0, cache=kept)

    return write


def their_way(model, ids, n_new, cache):
    """The same, with the least that GPT2LMHeadModel can be asked for."""
    with torch.no_grad():
        past = model(ids[:, :-1], use_cache=True).past_key_values if cache else None

    @torch.no_grad()
    def write():
        if cache and past.get_seq_length() >= ids.shape[1]:
            past.crop(ids.shape[1] - 1 - past.get_seq_length())  # a negative number: so many less
        written, new = [ids], ids[:, -1:]
        for _ in range(n_new):
            read = new if cache else torch.cat(written, dim=1)
            out = model(read, past_key_values=past, use_cache=cache, logits_to_keep=1)
            new = out.logits[:, -1:].argmax(dim=-1)
            written.append(new)
        return torch.cat(written, dim=1)

    return write


def seconds(write):
    start = time.perf_counter()
    write()
    return time.perf_counter() - start


def times(theirs, ours, tokens, cache):
    """Seconds for each word by rival, a list with one entry for each turn; the order alternates."""
    n_new = WORDS[cache]
    ids = torch.randint(VOCABULARY, (1, tokens - n_new))
    rivals = {
        "ours": our_way(ours, ids, n_new, cache),
        "GPT2LMHeadModel": their_way(theirs, ids, n_new, cache),
    }
    assert torch.equal(*(write() for write in rivals.values())), "they do not write the same"
    result = {name: [] for name in rivals}
    for turn in range(WARMING + TURNS[cache]):
        for name, write in list(rivals.items())[:: 1 if turn % 2 else -1]:
            took = seconds(write) / n_new
            if turn >= WARMING:
                result[name].append(took)
    return result


def rows():
    """The table, row by row, as it is measured."""
    theirs, ours = pair()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for cache in (True, False):
            what = f"writing, {'with a' if cache else 'no'} cache"
            for tokens in TEXTS:
                took, size = times(theirs, ours, tokens, cache), f"{tokens} tokens"
                for name, each in took.items():
                    yield single(f"{what}: {name}", size, 1 / median(each), "tok/s")
                ratio = median(a / b for a, b in zip(*took.values()))
                yield single(f"{what}: time, ours / it", size, ratio, "×", BAR)
    finally:
        torch.set_num_threads(threads)
