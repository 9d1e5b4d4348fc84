"""watch itself: models run as they do without it, nothing is left behind, and it says what it sees."""

import gc
import weakref
from contextlib import nullcontext

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint
from watched import Calls, gpt, left_behind, watched

from helpers.inside import watch
from helpers.models.attention import (
    CausalAttention,
    MultiHeadAttention,
    MultiHeadAttentionWrapper,
    SelfAttention,
)
from helpers.models.transformer import Transformer, greedy

IDS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])
FUTURE = torch.ones(5, 5).triu(1).bool()


# Our layers: what they give with return_weights is the oracle.

OURS = {
    "SelfAttention": (lambda: SelfAttention(4, 6), 1),
    "CausalAttention": (lambda: CausalAttention(4, 6, 9, 0.3), 1),
    "MultiHeadAttentionWrapper": (lambda: MultiHeadAttentionWrapper(4, 6, 9, 0.3, 2), 2),
    "MultiHeadAttention": (lambda: MultiHeadAttention(4, 6, 9, 0.3, 3), 1),
}


@pytest.mark.parametrize("shape", ((2, 5, 4), (1, 5, 4), (5, 4)))
@pytest.mark.parametrize("training", (True, False))
@pytest.mark.parametrize("name", OURS)
def test_the_layers_of_the_series(name, training, shape):
    make, calls = OURS[name]
    layer = make().train(training)
    x = torch.randn(shape)
    for return_weights in (True, False):
        seen = watched(layer, x, return_weights=return_weights)
        assert len(seen.calls) == calls
        weights = torch.cat([call.weights for call in seen.calls], dim=1)
        torch.manual_seed(0)
        _, wanted = layer(x, return_weights=True)
        wanted = wanted[None] if x.dim() == 2 else wanted
        wanted = wanted[:, None] if wanted.dim() == 3 and weights.shape[1] == 1 else wanted
        wanted = wanted.reshape(weights.shape)
        if not training or return_weights:
            assert (weights - wanted).abs().max() < 1e-6
        causal = [None if name == "SelfAttention" else FUTURE[None, None]] * calls
        for call, hidden in zip(seen.calls, causal):
            assert call.hidden is None if hidden is None else torch.equal(call.hidden, hidden)
            assert call.kind == "self" and call.dropout == (
                0.3 * training if causal[0] is not None else 0
            )


def test_a_translator():
    torch.manual_seed(0)
    model = Transformer(11, 11, 12, 3, 2, 16).eval()
    padding = torch.arange(5) >= torch.tensor([[5], [3]])
    target = IDS[:, :3]
    seen = watched(model, IDS, target, source_padding=padding)
    _, wanted = model(IDS, target, source_padding=padding, return_weights=True)
    own, cross = wanted["decoder"], wanted["cross"]
    wanted = [*wanted["encoder"], own[0], cross[0], own[1], cross[1]]
    assert all((a.weights - b).abs().max() < 1e-6 for a, b in zip(seen.calls, wanted, strict=True))
    assert [call.kind for call in seen.calls] == ["self"] * 2 + ["self", "cross"] * 2
    assert torch.equal(seen.calls[-1].hidden, padding[:, None, None])
    assert torch.equal(seen.calls[-2].hidden[0, 0], FUTURE[:3, :3])


def test_a_decoder_that_writes_is_kept_step_by_step():
    torch.manual_seed(0)
    model = Transformer(11, 11, 12, 3, 1, 16)
    plain = greedy(model, IDS, 1, 0, 4)
    with watch(model) as seen:
        written = greedy(model, IDS, 1, 0, 4)
    assert torch.equal(plain, written)
    steps = seen.steps("decoder.0.attention")
    assert [call.step for call in steps] == list(range(len(steps)))
    assert [call.weights.shape[2] for call in steps] == list(range(1, len(steps) + 1))
    assert seen.weights["decoder.0.attention"] is steps[-1].weights
    assert list(seen.weights) == [
        "encoder.0.attention", "decoder.0.attention", "decoder.0.cross_attention"
    ]  # fmt: skip
    for ask in (seen.steps, seen.joined):
        with pytest.raises(ValueError, match="nothing was seen of 'out'; there is 'encoder.0.att"):
            ask("out")


# The model runs as it does without a watch.

AROUND = {
    "plain": nullcontext,
    "no_grad": torch.no_grad,
    "inference_mode": torch.inference_mode,
    "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
}


DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
MODES = [(around, dtype) for around in list(AROUND)[:3] for dtype in DTYPES]


@pytest.mark.parametrize("around, dtype", [*MODES, ("autocast", torch.float32)])
def test_in_any_mode_and_type(around, dtype):
    model = gpt(dropout=0.2).to(dtype)
    with AROUND[around]():
        seen = watched(model, IDS)
    for call in seen.calls:
        assert call.weights.dtype == (
            torch.float64 if call.dtype == torch.float64 else torch.float32
        )
        assert not call.weights.requires_grad and not call.weights.is_inference()
        assert call.error is None and call.right and call.dropout == 0.2
    assert seen.calls[0].dtype == (torch.bfloat16 if around == "autocast" else dtype)


def test_gradients_of_attention_that_is_written_out_are_the_same():
    def gradient(watching):
        x = torch.linspace(-1, 1, 30).view(2, 5, 3).requires_grad_()
        model = Calls(lambda x: F.dropout((x @ x.mT).softmax(-1), 0.3) @ x)
        torch.manual_seed(1)
        with watch(model) if watching else nullcontext():
            model(x).square().sum().backward()
        return x.grad

    assert torch.equal(gradient(True), gradient(False))


def test_a_layer_that_is_computed_again_on_the_way_back_is_seen_once_a_run():
    layer = nn.Sequential(SelfAttention(4, 4), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
    model = nn.Module()
    model.layer = layer
    model.forward = lambda x: checkpoint(layer, x, use_reentrant=False)
    x = torch.randn(2, 5, 4, requires_grad=True)
    with watch(model) as seen:
        model(x).sum().backward()
        torch.autograd.backward(model(x).sum())
    assert [call.name for call in seen.calls] == ["layer.0"] * 2


def test_the_weights_are_ours_alone():
    def attend(x):
        weights = (x @ x.mT).softmax(-1)
        context = weights @ x
        weights.zero_()
        return context

    (call,) = watched(Calls(attend), torch.rand(2, 5, 3)).calls
    assert call.weights.sum(-1).allclose(torch.ones(2, 1, 5))


# Nothing is left behind.


CLEAN = (False, [], "default")


def test_nothing_is_left_behind():
    model = gpt()
    with watch(model) as seen:
        model(IDS)
        inside = left_behind(model)
    assert inside[0] and left_behind(model) == CLEAN
    model(IDS)
    assert len(seen.calls) == 2


def test_what_layers_were_called_with_is_let_go_at_once():
    """No cycle of ours holds it until the collector comes: that once doubled the memory of a watch."""
    made = []

    def twice(x):
        made.append(weakref.ref(y := 2 * x))
        return y

    model = nn.Sequential(Calls(twice), SelfAttention(4, 4))
    gc.disable()
    try:
        with watch(model), torch.no_grad():
            model(torch.rand(2, 5, 4))
        assert made[0]() is None
    finally:
        gc.enable()


@pytest.mark.filterwarnings("ignore:watch. of 'first' nothing was seen")
def test_an_error_that_the_model_catches_does_not_move_the_names():
    class Tries(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = SelfAttention(4, 4), SelfAttention(4, 4)

        def forward(self, x):
            try:
                self.first(x[..., :3])
            except ValueError:
                pass
            x = (x @ x.mT).softmax(-1) @ x
            return self.second(x)

    seen = watched(Tries(), torch.randn(2, 5, 4))
    assert list(seen.weights) == ["Tries", "second"]


def test_a_second_watch_of_a_model_is_refused_and_two_models_are_closed_in_any_order():
    model, other = gpt(), gpt()
    one, two = watch(model), watch(other)
    first = one.__enter__()
    for again in (watch(model), watch(model, layers="blocks.1"), watch(model.blocks[0])):
        with pytest.raises(ValueError, match="is watched already"), again:
            pass
    second = two.__enter__()
    for each in (model, other):
        each(IDS)
    one.__exit__(None, None, None)
    for each in (model, other):
        each(IDS)
    two.__exit__(None, None, None)
    assert left_behind(model) == CLEAN and torch.backends.mha.get_fastpath_enabled()
    assert (len(first.calls), len(second.calls)) == (2, 4)


def test_a_watch_can_be_used_again_but_not_twice_at_once():
    model = gpt()
    watching = watch(model)
    with watching as first:
        model(IDS)
        with pytest.raises(ValueError, match="open already"), watching:
            pass
        model(IDS)
    with watching as second:
        model(IDS[:, :3])
    assert len(first.calls) == 4 and len(second.calls) == 2
    assert second.calls[0].weights.shape == (2, 3, 3, 3) and second.calls[0].step == 0


def test_another_model_in_the_block_is_not_seen():
    model, other = gpt(), gpt()
    with watch(model) as seen:
        other(IDS)
        F.scaled_dot_product_attention(*torch.rand(3, 1, 2, 4, 4))
        model(IDS)
    assert len(seen.calls) == 2
    with pytest.raises(ValueError, match="GPT was not called"):
        with watch(model):
            other(IDS)
