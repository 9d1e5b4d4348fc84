"""From what a watch saw to the maps of a view: which heads, which steps, averages and rollout."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import nn

from helpers.inside import Call, Seen, watch
from helpers.inside.maps import layers_of, some

N = 6
WINDOW = ~(torch.ones(N, N).tril().bool() & torch.ones(N, N).triu(-1).bool())  # itself, the last


def call(name, hidden=None, heads=2, seed=0, **known):
    """A Call of random weights (1, heads, N, N); a query that sees nothing has weights 0."""
    scores = torch.randn(1, heads, N, N, generator=torch.manual_seed(seed))
    if hidden is not None:
        scores = scores.masked_fill(hidden, float("-inf"))
        hidden = hidden.expand(scores.shape)
    return Call(name, scores.softmax(-1).nan_to_num(0.0), hidden, **{"kind": "self"} | known)


# ------------------------------------------------------------------ all heads in one


def test_what_one_head_sees_is_not_hidden_in_the_average_and_the_maximum():
    hidden = torch.rand(2, N, N, generator=torch.manual_seed(1)) < 0.5
    hidden[:, 0] = torch.eye(N).bool()[:2]  # a row that is hidden in part
    hidden[:, 1, 1] = True  # by both
    (layer,) = layers_of(Seen([call("a", hidden)]), 0)
    for q in range(N):
        for k in range(N):
            seen = [layer.weights[h, q, k] for h in range(2) if not hidden[h, q, k]]
            got = layer.average[q, k], layer.maximum[q, k]
            if seen:
                assert got == pytest.approx((sum(seen) / 2, max(seen)))
            else:
                assert np.isnan(got).all()


def test_weights_of_two_or_three_dimensions_and_the_first_sequence():
    four = call("a").weights
    for given, heads in ((four[0, 0], 1), (four[0], 2), (four, 2)):
        (layer,) = layers_of({"a": given}, 0)
        assert np.array_equal(layer.weights, four[0, :heads].numpy())


def test_weights_that_are_none_are_told():
    weights = torch.rand(2, 3, N, N)
    weights[1, 2, 3, 4] = float("inf")
    for given, sequence, message in (
        (weights[None], 0, r"shape \(1, 2, 3, 6, 6\); expected \(batch"),
        (weights[:, :, :0], 0, r"shape \(2, 3, 0, 6\); expected \(batch"),
        (weights, 2, "sequence=2, but 'a' saw a batch of 2: give 0 to 1[.]"),
        (weights, -1, "sequence=-1, but 'a' saw a batch of 2: give 0 to 1[.]"),
        (weights[0], 1, "sequence=1, but 'a' saw a batch of 1: give 0[.]"),
        (weights, 1, "'a' has the weight inf in head 2, query 3, key 4"),
    ):
        with pytest.raises(ValueError, match=message):
            layers_of({"a": given}, sequence)
    layers_of({"a": weights}, 0)


def test_names_in_one_line():
    assert some("abcd") == "a, b, c, d" and some("abcde") == "a, b, c, d, … (5 in all)"


# ------------------------------------------------------------------ rollout


def test_rollout_reaches_as_far_as_all_windows_together():
    blind = WINDOW.clone()
    blind[2] = True  # a query that sees nothing hears of itself, past the layer
    seen = Seen([call(f"h.{i}", blind, seed=i) for i in range(3)])
    wanted, reached = torch.eye(N).double(), torch.eye(N).bool()
    for layer, each in zip(layers_of(seen, 0), seen.calls):
        average = each.weights[0].mean(0).double()
        average[2, 2] = 1.0
        wanted = (average + torch.eye(N)) / 2 @ wanted
        step = ~blind | torch.eye(N).bool()
        reached = torch.tensor(
            [
                [any(step[q, m] and reached[m, k] for m in range(N)) for k in range(N)]
                for q in range(N)
            ]
        )
        assert np.array_equal(np.isnan(layer.rollout), ~reached.numpy())
        np.testing.assert_allclose(np.nan_to_num(layer.rollout), wanted.numpy(), atol=1e-6)
        np.testing.assert_allclose(np.nansum(layer.rollout, -1), 1, atol=1e-6)


def test_rollout_wants_all_layers_and_all_heads():
    whole = Seen([call(f"h.{i}") for i in range(2)])
    picked = Seen([replace(each, heads=(0, 4)) for each in whole.calls])
    assert all(isinstance(layer.rollout, np.ndarray) for layer in layers_of(whole, 0))
    for seen, picks in ((whole, {"heads": 0}), (whole, {"layers": "h"}), (picked, {})):
        for layer in layers_of(seen, 0, **picks):
            assert "needs all layers and all heads" in layer.rollout


# ------------------------------------------------------------------ steps


class Translates(nn.Module):
    """An encoder that runs once, and a decoder that keeps what it read: its words come in parts."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        for name in ("encoder", "own", "cross"):
            setattr(self, name, nn.MultiheadAttention(8, 2, batch_first=True))

    def forward(self, x, source=None, start=0):
        if source is not None:
            self.memory = self.encoder(source, source, source)[0]
        end = x.shape[1]
        future = torch.arange(end) > torch.arange(start, end)[:, None]
        own = self.own(x[:, start:], x, x, attn_mask=future)[0]
        return self.cross(own, self.memory, self.memory)[0]


@pytest.mark.parametrize("cuts", ([0, 2, 4], [0, 2, 3, 4]))
def test_a_decoder_with_a_cache_shows_what_it_shows_without(cuts):
    model, x, source = Translates(), torch.randn(2, 4, 8), torch.randn(2, 5, 8)
    with watch(model) as parts:
        for start, end in pairwise(cuts):
            model(x[:, :end], None if start else source, start)
    with watch(model) as whole:
        model(x, source)
    for cached, plain in zip(layers_of(parts, 1), layers_of(whole, 1), strict=True):
        assert cached.name == plain.name
        np.testing.assert_allclose(cached.weights, plain.weights, atol=1e-6)


def test_a_layer_that_asks_the_same_memory_again_and_again_keeps_its_steps():
    """As in a Perceiver whose layers share their weights: nothing is written there."""
    calls = [call("cross", seed=i, kind="cross", step=i) for i in range(2)]
    layers = layers_of(Seen([call("own"), *calls]), 0)
    assert [(layer.name, layer.step) for layer in layers] == [
        ("own", 0),
        ("cross", 0),
        ("cross", 1),
    ]
    assert [layer.by_steps for layer in layers] == [False, True, True]
