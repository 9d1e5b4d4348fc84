"""What it costs to watch a model: time and memory beside the same model unwatched.

A GPT-2 of Hugging Face (12 layers, 12 heads, width 768) with random weights, one sentence, one core: a
forward, and writing with a cache; and a small encoder of PyTorch in training. The runs take turns, so
that a busy machine slows both alike; a ratio is the median of each turn's. Peak memory is what a run
adds to a fresh process; the weights that are kept are part of it, and stand beside it.
"""

import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from statistics import median

import torch
from bench_table import single, timed
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from helpers.inside import watch  # noqa: E402

TOKENS, NEW, TURNS = 256, 24, 5
VOCABULARY = 5_000  # the scores of 50,257 words would only blur what is measured
IDS = torch.arange(TOKENS)[None] % VOCABULARY


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(vocab_size=VOCABULARY, bos_token_id=None, eos_token_id=None)
    return GPT2LMHeadModel(config).eval()


def write(model):
    model.generate(IDS[:, :16], max_new_tokens=NEW, do_sample=False, pad_token_id=0)


def encoder():
    layer = nn.TransformerEncoderLayer(64, 4, 256, batch_first=True)
    return nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)


RUNS = {  # a model, what is done with it, and the bar: watched ≤ bar × unwatched
    f"GPT-2 small, {TOKENS} tokens": (gpt2, lambda model: model(IDS), 1.3),
    f"GPT-2 small writes {NEW} tokens": (gpt2, write, 1.5),
    "a small encoder": (encoder, lambda model: model(torch.ones(8, 32, 64)), 2.5),
}


def seconds(model, run, watching):
    start = time.perf_counter()
    with torch.no_grad(), watch(model) if watching else nullcontext():
        run(model)
    return time.perf_counter() - start


def print_memory(watching):
    from bench_attention import status_mb

    model = gpt2()
    with torch.no_grad(), watch(model) if watching else nullcontext():
        model(IDS[:, :8])  # libraries load on first use
    Path("/proc/self/clear_refs").write_text("5")  # sets the high-water mark VmHWM back
    before = status_mb("VmRSS")
    with torch.no_grad(), watch(model) if watching else nullcontext() as seen:
        model(IDS)
    kept = sum(call.weights.nbytes for call in seen.calls) / 2**20 if seen else 0
    print(status_mb("VmHWM") - before, kept)


def rows():
    """The table, row by row, as it is measured."""
    for name, (make, run, bar) in RUNS.items():
        model, took = make(), {False: [], True: []}
        for turn in range(TURNS + 1):
            for watching in (False, True)[:: 1 if turn % 2 else -1]:
                took[watching].append(seconds(model, run, watching))
        for watching, each in took.items():
            yield timed(name, "watched" if watching else "", [1000 * s for s in each[1:]])
        ratio = median(a / b for a, b in zip(took[True][1:], took[False][1:]))
        yield single(f"watched / not: {name}", "", ratio, "×", bar)
    for watching in (False, True):
        command = [sys.executable, __file__, str(watching)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        peak, kept = map(float, done.stdout.split()[-2:])
        what = f"watched; {kept:.0f} MB are kept" if watching else ""
        yield single("peak memory of GPT-2 small", what, peak, "MB")


if __name__ == "__main__":
    print_memory(sys.argv[1] == "True")
