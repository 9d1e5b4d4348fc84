"""How fast and how large the forms of multi-head attention are: `python tests/bench_attention.py`.

One forward and backward pass at batch 2, width 768, 12 heads, causal. The forms take turns, so that
a busy machine slows them all alike; medians of the turns. Peak memory is what one pass adds to a
fresh process. The bars hold at 1024 tokens; 256 and 2048 are there to show the growth.
"""

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import torch
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from helpers.attention import MultiHeadAttention  # noqa: E402

BATCH, WIDTH, HEADS = 2, 768, 12
BARS = [("explicit", 1 / 2), ("bare fused", 1.1), ("nn.MultiheadAttention", 1.0)]  # ours ≤ bar × it
TURNS = {256: 21, 1024: 11, 2048: 5}  # tokens: turns


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
    for turn in range(turns + 2):
        for name, form in rivals[:: 1 if turn % 2 else -1]:
            took = seconds(form, x)
            if turn >= 2:  # the first turns warm up
                result[name].append(took)
    return result


def peak_mb(name, tokens):
    """What one pass adds to the memory of a fresh process, in MB (NaN where there is no /proc)."""
    command = [sys.executable, __file__, "--peak", name, str(tokens)]
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


def main():
    print(
        f"forward + backward, batch {BATCH}, width {WIDTH}, {HEADS} heads, causal, "
        f"{torch.get_num_threads()} threads, torch {torch.__version__}"
    )
    print(f"{'tokens':>6}  {'form':<22}{'ms':>8}{'ours / it':>11}{'peak MB':>9}")
    failed = False
    for tokens, turns in TURNS.items():
        took = times(tokens, turns)
        for name in took:
            # Paired: each turn's ratio, then their median, so that a slow spell cancels out.
            ratio = median(a / b for a, b in zip(took["ours"], took[name]))
            bar = dict(BARS).get(name) if tokens == 1024 else None
            verdict = "" if bar is None else f"  ≤ {bar:.2f} {'✓' if ratio <= bar else '✗'}"
            failed |= bar is not None and ratio > bar
            print(
                f"{tokens:>6}  {name:<22}{median(took[name]) * 1000:>8.1f}{ratio:>11.2f}"
                f"{peak_mb(name, tokens):>9.0f}{verdict}",
                flush=True,
            )
    return int(failed)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peak"]:
        print_peak(sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(main())
