"""How fast GPT writes, with a cache and without, beside GPT2LMHeadModel with the same weights.

Greedily, one text, one thread: a single token is too little work to share out. With a cache, from
one word to a text of so many tokens; without, the last words of such a text, for there each word
costs a pass over all of it. GPT2LMHeadModel writes in a plain loop, faster than its own `generate`,
which looks at each step for much that is not asked here. The two take turns, so that a busy machine
slows both alike; ratios of their times are medians of each turn's ratio.
"""

import sys
import time
from pathlib import Path
from statistics import median

import torch
from bench_table import single
from transformers import GPT2Config, GPT2LMHeadModel

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from helpers.gpt import from_hugging_face, generate  # noqa: E402

WIDTH, HEADS, LAYERS, PLACES, VOCABULARY = 256, 8, 6, 1024, 5000
BAR = 1.0  # our time ≤ bar × that of GPT2LMHeadModel
TURNS = {64: 9, 256: 5, 1024: 3}  # tokens of the text: turns
WARMING = 1  # turns that do not count
LAST = 4  # words that are written without a cache, at the end of the text


def pair():
    """Theirs and ours, of the same size and with the same weights."""
    config = GPT2Config(
        vocab_size=VOCABULARY, n_positions=PLACES, n_embd=WIDTH, n_head=HEADS, n_layer=LAYERS,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    torch.manual_seed(0)
    theirs = GPT2LMHeadModel(config).eval()
    return theirs, from_hugging_face(theirs)


@torch.no_grad()
def their_loop(model, ids, n_new, cache):
    """Greedy writing, with the least that GPT2LMHeadModel can be asked for."""
    written, new, past = [ids], ids, None
    for _ in range(n_new):
        read = new if cache else torch.cat(written, dim=1)
        out = model(read, past_key_values=past, use_cache=cache, logits_to_keep=1)
        new, past = out.logits[:, -1:].argmax(dim=-1), out.past_key_values
        written.append(new)
    return torch.cat(written, dim=1)


def our_way(model, ids, n_new, cache):
    return generate(model, ids, n_new, temperature=0, cache=cache)


def seconds(write, *arguments):
    start = time.perf_counter()
    write(*arguments)
    return time.perf_counter() - start


def times(rivals, tokens, cache, turns):
    """Seconds for each word by rival, a list with one entry for each turn; the order alternates."""
    n_new = tokens - 1 if cache else LAST
    ids = torch.randint(VOCABULARY, (1, tokens - n_new))
    texts = [write(model, ids, min(n_new, 32), cache) for write, model in rivals.values()]
    assert torch.equal(*texts), "they do not write the same"
    result = {name: [] for name in rivals}
    for turn in range(WARMING + turns):
        for name, (write, model) in list(rivals.items())[:: 1 if turn % 2 else -1]:
            took = seconds(write, model, ids, n_new, cache) / n_new
            if turn >= WARMING:
                result[name].append(took)
    return result


def rows():
    """The table, row by row, as it is measured."""
    theirs, ours = pair()
    rivals = {"ours": (our_way, ours), "GPT2LMHeadModel": (their_loop, theirs)}
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for cache in (True, False):
            what = f"writing, {'with a' if cache else 'no'} cache"
            for tokens, turns in TURNS.items():
                took, size = times(rivals, tokens, cache, turns), f"{tokens} tokens"
                for name, each in took.items():
                    yield single(f"{what}: {name}", size, 1 / median(each), "tok/s")
                ratio = median(a / b for a, b in zip(*took.values()))
                yield single(f"{what}: time, ours / it", size, ratio, "×", BAR)
    finally:
        torch.set_num_threads(threads)
