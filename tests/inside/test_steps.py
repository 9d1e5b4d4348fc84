"""Self or cross, the steps of a cache, loops over heads; and the compiler is left alone."""

import subprocess
import sys

import pytest
import torch
from torch import nn
from watched import by_hand, heads_of, watched

from helpers.inside import Inside, watch

H, T = 3, 7


class Caches(nn.Module):
    """Self-attention with a cache, of its own or handed to it."""

    def __init__(self):
        super().__init__()
        self.kept = None

    def forward(self, x, past=None):
        before = self.kept if past is None else past
        self.kept = x if before is None else torch.cat([before, x], 1)
        return (x @ self.kept.mT).softmax(-1) @ self.kept


def test_a_cache_explains_more_keys_than_queries():
    x = torch.randn(2, 5, 4)
    model = Caches()
    with watch(model) as seen:
        for start, end in ((0, 3), (3, 4), (4, 5)):
            model(x[:, start:end])
    assert [call.kind for call in seen.calls] == ["self"] * 3
    with watch(model) as seen:
        model(x[:, 4:], past=x[:, :4])
    assert seen.calls[0].kind == "self"


# Steps that are joined, and those that are not.


def test_a_decoder_without_a_cache_asks_again():
    memory = torch.randn(2, 6, 4)

    class Crosses(nn.Module):
        def forward(self, x, memory):
            return (x @ memory.mT).softmax(-1) @ memory

    def run(model, rows):
        x = torch.randn(2, 9, 4)
        with watch(model) as seen:
            for start, end in rows:
                model(x[:, start:end], memory)
        return seen

    name = "Crosses"
    for ends in ((1, 2, 3), (1, 2, 3, 1, 2, 3), (4, 5)):
        with pytest.raises(ValueError, match="do not continue one another"):
            run(Crosses(), [(0, end) for end in ends]).joined(name)
    with pytest.raises(ValueError, match="do not continue one another"):  # no cache grows
        run(Crosses(), [(0, 3), (3, 4), (4, 5)]).joined(name)


class Loop(nn.Module):
    """Heads one by one in a loop: three calls of one forward."""

    def forward(self, x):
        parts = x.chunk(H, -1)
        return torch.cat([(p @ p.mT / 2).softmax(-1) @ p for p in parts], -1)


def test_heads_in_a_loop_are_said_to_be_so():
    x = torch.randn(1, T, 12)
    model = nn.Sequential(Loop(), Loop())
    seen = watched(model, x)
    assert [(call.step, call.run) for call in seen.calls] == [(0, 0), (1, 0), (2, 0)] * 2
    heads = torch.cat([call.weights for call in seen.steps("0")], 1)
    assert (heads - by_hand(heads_of(x), heads_of(x))).abs().max() < 1e-6
    said = "'0' attends 3 times in one forward, '1' attends 3 times in one forward: each call is a step"
    view = Inside(model, x)
    for text in (repr(seen), seen.check(), repr(view), view.view.spec["note"]):
        assert said in text


# The compiler.


@pytest.mark.weekly  # a process of its own, which imports torch
def test_a_watch_does_not_import_the_compiler():
    code = """
import sys, torch
from helpers.models.attention import SelfAttention
from helpers.inside import watch
model = SelfAttention(4, 4)
with watch(model) as seen:
    model(torch.rand(1, 5, 4))
assert len(seen.calls) == 1
assert "torch._dynamo" not in sys.modules, "imported"
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
