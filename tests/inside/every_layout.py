"""A watch over 2,600 layouts of attention, drawn by chance: which order of axes, which product?

    python -m tests.inside.every_layout [how many]

Sizes are small, so that many coincide. "wrong" is a map that is not the one computed by hand, with
no doubt stated; "alarm" is a doubt about a map that is right.
"""

import random
import sys
import warnings
from collections import Counter

import torch
from torch import nn
from torch.nn import functional as F

from helpers.inside import watch

SIZES = (1, 2, 3, 4, 5, 6, 7)
LETTERS = (
    "bhqk,bhkd->bhqd", "bhqk,bhkd->bqhd", "bqhk,bkhd->bqhd", "hbqk,bhkd->bhqd", "qkbh,kbhd->qbhd",
    "bhqk,bkhd->bqhd", "hbqk,kbhd->qbhd",
)  # fmt: skip
WAYS = ("kernel", "matmul", "flat", "einsum")


class Attends(nn.Module):
    """Attention in one of these ways; `batch_second` if its input is (tokens, batch, features)."""

    def __init__(self, dice, heads):
        super().__init__()
        if dice.random() < 0.6:
            self.num_heads = heads
        self.count, self.way = heads, dice.choice(WAYS)
        self.heads_first, self.copied = dice.random() < 0.3, dice.random() < 0.5
        self.letters, self.batch_second = dice.choice(LETTERS), dice.random() < 0.3

    def split(self, x):
        """(batch, heads, tokens, d)."""
        x = x.unflatten(-1, (self.count, -1))
        return x.permute(1, 2, 0, 3) if self.batch_second else x.transpose(1, 2)

    def forward(self, x, context):
        q, k = self.split(x), self.split(context)
        if self.way == "einsum":
            weights, values = self.letters.split("->")[0].split(",")
            orders = (f"{'bhqd'}->{weights.replace('k', 'd')}", f"bhkd->{values}")
            scores = torch.einsum(f"bhqd,bhkd->{weights}", q, k)
            w = scores.softmax(weights.index("k"))
            out = torch.einsum(self.letters, w, torch.einsum(orders[1], k))
            return torch.einsum(f"{self.letters.split('->')[1]}->bqhd", out).flatten(2)
        if self.heads_first:
            q, k = q.transpose(0, 1), k.transpose(0, 1)
        if self.copied:
            q, k = q.contiguous(), k.contiguous()
        lead = q.shape[:2]
        if self.way == "flat":
            q, k = q.flatten(0, 1), k.flatten(0, 1)
        if self.way == "kernel":
            out = F.scaled_dot_product_attention(q, k, k, scale=1.0)
        else:
            out = (q @ k.mT).softmax(-1) @ k
        out = out.reshape(*lead, *out.shape[-2:])
        return (out.transpose(0, 1) if self.heads_first else out).transpose(1, 2).flatten(2)


def one(dice):
    """ "right", "alarm", "doubted", "refused" or "wrong", and a description."""
    batch, heads, queries, keys, d = (dice.choice(SIZES) for _ in range(5))
    keys = queries if dice.random() < 0.6 else keys
    model = Attends(dice, heads)
    x, context = torch.randn(batch, queries, heads * d), torch.randn(batch, keys, heads * d)
    context = x if keys == queries and dice.random() < 0.8 else context
    given = [y.transpose(0, 1) for y in (x, context)] if model.batch_second else [x, context]
    q, k = (model.split(y) for y in given)
    try:
        with watch(model) as seen:
            model(*given)
    except ValueError:
        return "refused", ""
    (call,) = seen.calls
    wanted = (q @ k.mT).softmax(-1)
    same = call.weights.shape == wanted.shape and torch.allclose(call.weights, wanted, atol=1e-5)
    said = {k: v for k, v in vars(model).items() if not k.startswith("_") and k != "training"}
    about = f"{tuple(wanted.shape)} of {d}: {call!r} {said}"
    return {(True, True): "alarm", (True, False): "right", (False, True): "doubted"}.get(
        (same, bool(call.doubts)), "wrong"
    ), about


def main():
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    dice, count = random.Random(0), Counter()
    for _ in range(int(sys.argv[1]) if sys.argv[1:] else 2600):
        what, about = one(dice)
        count[what] += 1
        if what == "wrong":
            print(about)
    print(dict(count))
    return count["wrong"]


if __name__ == "__main__":
    sys.exit(main() > 0)
