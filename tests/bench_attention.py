"""How fast and how large the forms of multi-head attention are.

One forward and backward pass at batch 2, width 768, 12 heads, causal. The forms take turns, so that
a busy machine slows them all alike; ratios are medians of each turn's ratio. Peak memory is what
one pass adds to a fresh process. The bars hold at 1024 tokens; 256 and 2048 show the growth.
"""

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import torch
from bench_table import single, timed
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from helpers.models.attention import MultiHeadAttention  # noqa: E402

BATCH, WIDTH, HEADS = 2, 768, 12
BARS = {"explicit": 1 / 2, "bare fused": 1.1, "nn.MultiheadAttention": 1.0}  # ours ≤ bar × it
BARRED = 1024  # tokens
WARMING = 1  # turns that do not count
TURNS = {256: 9, 1024: 9, 2048: 2}  # tokens: turns


class BareFused(nn.Module):
    """Nothing but the projections and the fused kernel: the least such a layer can cost."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (f(x).view(b, t, HEADS, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        context = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(context.transpose(1, 2).reshape(b, t, WIDTH))


def forms(tokens):
    """The competitors, each a function of x, by name."""
    ours = MultiHeadAttention(WIDTH, WIDTH, tokens, 0.0, HEADS)
    torchs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
    future = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)

    def peer(x):
        mask = future[: x.shape[1], : x.shape[1]]
        return torchs(x, x, x, attn_mask=mask, is_causal=True, need_weights=False)[0]

    return {
        "ours": ours,
        "explicit": lambda x: ours(x, return_weights=True)[0],
        "bare fused": BareFused(),
        "nn.MultiheadAttention": peer,
    }


def seconds(form, x):
    """The time of one forward and backward pass."""
    start = time.perf_counter()
    form(x).sum().backward()
    return time.perf_counter() - start


def times(tokens, turns):
    """Seconds by form, a list with one entry for each turn; the order is reversed every turn."""
    x = torch.rand(BATCH, tokens, WIDTH, requires_grad=True)
    rivals = list(forms(tokens).items())
    result = {name: [] for name, _ in rivals}
    for turn in range(WARMING + turns):
        for name, form in rivals[:: 1 if turn % 2 else -1]:
            took = seconds(form, x)
            if turn >= WARMING:
                result[name].append(took)
    return result


def peak_mb(name, tokens):
    """What one pass adds to the memory of a fresh process, in MB (NaN where there is no /proc)."""
    command = [sys.executable, __file__, name, str(tokens)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def print_peak(name, tokens):
    form = forms(tokens)[name]
    x = torch.rand(BATCH, tokens, WIDTH, requires_grad=True)
    seconds(form, x[:, :8])  # libraries load, and gradients get their place, on first use
    try:
        Path("/proc/self/clear_refs").write_text("5")  # sets the high-water mark VmHWM back
        before = status_mb("VmRSS")
        seconds(form, x)
        print(status_mb("VmHWM") - before)
    except OSError:
        print("nan")


def status_mb(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))


def rows():
    """The table, row by row, as it is measured."""
    for tokens, turns in TURNS.items():
        size, took = f"{tokens} tokens", times(tokens, turns)
        for name, seconds_each in took.items():
            yield timed(
                f"attention, there and back: {name}", size, [1000 * s for s in seconds_each]
            )
        for name, bar in BARS.items():
            # Paired: each turn's ratio, then their median, so that a slow spell cancels out.
            ratio = median(a / b for a, b in zip(took["ours"], took[name]))
            at_most = bar if tokens == BARRED else None
            yield single(f"attention: ours / {name}", size, ratio, "×", at_most)
    for name in took:
        yield single(
            f"attention, peak memory: {name}", f"{BARRED} tokens", peak_mb(name, BARRED), "MB"
        )


if __name__ == "__main__":
    print_peak(sys.argv[1], int(sys.argv[2]))
