"""What it costs to watch a model: time and memory beside the same model unwatched.

A GPT of GPT-2 small's size (12 layers, 12 heads, width 768), random weights, one sentence, no
gradients; our own, with the fused kernel, and the one of Hugging Face with `eager`, which stores
its weights by itself. The runs take turns, so that a busy machine slows both alike; a ratio is the
median of each turn's. Peak memory is what a run adds to a fresh process; the weights that are kept
are part of it, and stand beside it.
"""

import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from statistics import median

import torch
from bench_table import single, timed

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from helpers.inside import watch  # noqa: E402
from helpers.models.gpt import GPT  # noqa: E402

LENGTHS = (128, 512)  # tokens
BARRED = 128  # a sentence or two, of which a picture can be looked at
BARS = {"ours": 1.5, "Hugging Face, eager": 1.5}  # watched ≤ bar × unwatched
TURNS, WARMING = 5, 1
VOCABULARY = 5_000  # the scores of 50,257 words would only blur what is measured


def ours():
    """Our GPT, of GPT-2 small's size."""
    return GPT(VOCABULARY, 1024, 768, 12, 12).eval()


def theirs():
    """The same of Hugging Face, from a config."""
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(vocab_size=VOCABULARY, bos_token_id=0, eos_token_id=0)
    config._attn_implementation = "eager"
    return GPT2LMHeadModel(config).eval()


MODELS = {"ours": ours, "Hugging Face, eager": theirs}


def run(model, ids, watching):
    """(seconds, what was seen or None) of one run."""
    start = time.perf_counter()
    with torch.no_grad(), watch(model) if watching else nullcontext() as seen:
        model(ids)
    return time.perf_counter() - start, seen


def ids_of(tokens):
    return torch.arange(tokens)[None] % VOCABULARY


def times(name, tokens):
    """Seconds without and with a watch, a list for each; the order is reversed every turn."""
    model, ids = MODELS[name](), ids_of(tokens)
    result = {False: [], True: []}
    for turn in range(WARMING + TURNS):
        for watching in (False, True)[:: 1 if turn % 2 else -1]:
            took, _ = run(model, ids, watching)
            if turn >= WARMING:
                result[watching].append(took)
    return result


def memory(name, tokens, watching):
    """(what a run adds to the memory of a fresh process, the weights that it keeps), in MB."""
    command = [sys.executable, __file__, name, str(tokens), str(watching)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return map(float, done.stdout.split()[-2:])


def print_memory(name, tokens, watching):
    from bench_attention import status_mb

    model, ids = MODELS[name](), ids_of(tokens)
    run(model, ids[:, :8], watching)  # libraries load on first use
    try:
        Path("/proc/self/clear_refs").write_text("5")  # sets the high-water mark VmHWM back
        before = status_mb("VmRSS")
        _, seen = run(model, ids, watching)
        peak = status_mb("VmHWM") - before
    except OSError:  # there is no /proc
        (_, seen), peak = run(model, ids, watching), float("nan")
    print(peak, sum(call.weights.nbytes for call in seen.calls) / 2**20 if seen else 0)


def rows():
    """The table, row by row, as it is measured."""
    for name in MODELS:
        for tokens in LENGTHS:
            took, size = times(name, tokens), f"{tokens} tokens"
            for watching, seconds in took.items():
                what = f"GPT-2 small, {name}{', watched' if watching else ''}"
                yield timed(what, size, [1000 * s for s in seconds])
            ratio = median(a / b for a, b in zip(took[True], took[False]))
            at_most = BARS[name] if tokens == BARRED else None
            yield single(f"watched / not: {name}", size, ratio, "×", at_most)
            for watching in (False, True):
                peak, kept = memory(name, tokens, watching)
                what = f"peak memory: {name}{', watched' if watching else ''}"
                yield single(what, size, peak, "MB")
            yield single(f"weights kept: {name}", size, kept, "MB")


if __name__ == "__main__":
    print_memory(sys.argv[1], int(sys.argv[2]), sys.argv[3] == "True")
