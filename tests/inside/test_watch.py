"""watch itself: models run as they do without it, nothing is left behind, and it says what it sees."""

import threading
from contextlib import nullcontext

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from watched import Calls, gpt, left_behind, watched

from helpers.inside import watch
from helpers.inside.seeing import Call, Seen
from helpers.models.attention import CausalAttention, MultiHeadAttention, SelfAttention

IDS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])
FUTURE = torch.ones(5, 5).triu(1).bool()


# Our layers: what they give with return_weights is the oracle.

OURS = {
    "SelfAttention": SelfAttention(4, 6),
    "CausalAttention": CausalAttention(4, 6, 9, 0.3),
    "MultiHeadAttention": MultiHeadAttention(4, 6, 9, 0.3, 3),
}


@pytest.mark.parametrize("shape", ((2, 5, 4), (1, 5, 4), (5, 4)))
@pytest.mark.parametrize("training", (True, False))
@pytest.mark.parametrize("name", OURS)
def test_the_layers_of_the_series(name, training, shape):
    layer, x = OURS[name].train(training), torch.randn(shape)
    for return_weights in (True, False):
        seen = watched(layer, x, return_weights=return_weights)
        assert not seen.unseen
        weights = torch.cat([call.weights for call in seen.calls], dim=1)
        torch.manual_seed(0)
        _, wanted = layer(x, return_weights=True)
        if not training or return_weights:
            assert (weights - wanted.reshape(weights.shape)).abs().max() < 1e-6
        for call in seen.calls:
            assert call.kind == "self" and (call.hidden is None) == (name == "SelfAttention")
            assert call.hidden is None or torch.equal(call.hidden, FUTURE.expand_as(call.weights))


# The model runs as it does without a watch.

AROUND = {
    "plain": nullcontext,
    "no_grad": torch.no_grad,
    "inference_mode": torch.inference_mode,
    "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
}


@pytest.mark.parametrize("around", AROUND)
def test_in_any_mode(around):
    with AROUND[around]():
        seen = watched(gpt(dropout=0.2), IDS)
    for call in seen.calls:
        assert call.dtype == (torch.bfloat16 if around == "autocast" else torch.float32)
        assert call.weights.dtype == torch.float32 and call.error is None
        assert not call.weights.requires_grad and not call.weights.is_inference()


def test_the_weights_are_ours_alone():
    def attend(x):
        weights = (x @ x.mT).softmax(-1)
        context = weights @ x
        weights.zero_()
        return context

    (call,) = watched(Calls(attend), torch.rand(2, 5, 3)).calls
    assert call.weights.sum(-1).allclose(torch.ones(2, 1, 5))


CLEAN = (False, [], "default")


def test_each_watch_sees_its_model_and_no_other_and_can_be_used_again():
    model, other = gpt(), gpt()
    both, alone = watch(nn.ModuleList([model, other])), watch(model)
    with alone as first, both as second:
        with pytest.raises(ValueError, match="open already"), alone:
            pass
        F.scaled_dot_product_attention(*torch.rand(3, 1, 2, 4, 4))
        for each in (other, model, model):
            each(IDS)
    assert left_behind() == CLEAN and [call.step for call in first.calls] == [0, 0, 1, 1]
    assert [call.name[0] for call in second.calls] == list("110000")
    model(IDS)
    with alone as third:
        model(IDS[:, :3])
    assert len(first.calls) == 4 and first.weights["blocks.1.attention"] is first.calls[3].weights
    assert third.calls[0].weights.shape == (2, 3, 3, 3)


def test_calls_in_other_threads_run_as_they_do_and_are_not_seen():
    model, results = gpt().eval(), []
    thread = threading.Thread(target=lambda: results.append(model(IDS)))
    with watch(model) as seen:
        thread.start()
        plain = model(IDS)
        thread.join()
    assert len(seen.calls) == 2 and torch.equal(results[0], plain)


# PyTorch's encoder, whose fast path sets padding to 0.


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested", "ignore:enable_nested_tensor")
@pytest.mark.parametrize(
    "options", ({}, {"enable_nested_tensor": False}, {"norm": nn.LayerNorm(12)})
)
def test_where_padding_comes_the_encoder_gives_what_it_gives_unwatched(options):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(12, 2, 16, batch_first=True)
    model = nn.Sequential(nn.TransformerEncoder(layer, 2, **options)).eval()
    x = torch.randn(2, 7, 12)
    for lengths in ([[7], [4]], [[7], [7]]):
        padding = torch.arange(7) >= torch.tensor(lengths)
        numbers = torch.zeros(2, 7).masked_fill(padding, float("-inf"))
        for blank in (padding, numbers, padding.flip(1)):
            for around in (torch.no_grad, torch.inference_mode, nullcontext):
                with around():
                    plain = model[0](x, src_key_padding_mask=blank)
                    with watch(model) as seen:
                        result = model[0](x, src_key_padding_mask=blank)
                assert torch.equal(result, plain) and len(seen.calls) == 2
        hidden = padding.flip(1)[:, None, None].expand(2, 2, 7, 7)
        assert torch.equal(seen.weights["0.layers.0.self_attn"] == 0, hidden)


# What a watch is asked for, and what it says.


@pytest.mark.parametrize(
    "layers, names",
    [
        ("*.attention", ["blocks.0.attention", "blocks.1.attention"]),
        (["blocks.0.attention", "blocks.1"], ["blocks.0.attention", "blocks.1.attention"]),
        ("*.0.*", ["blocks.0.attention"]),
    ],
)
def test_layers_by_name_and_pattern(layers, names):
    assert list(watched(gpt(), IDS, settings={"layers": layers}).weights) == names


def never_called():
    with watch(gpt()):
        pass


def run_with(model=None, x=IDS, **settings):
    with watch(model := model or gpt(), **settings):
        model(x)


SOFTMAX = nn.Sequential(nn.Linear(4, 4), nn.Softmax(-1))
WRONG = {
    "a function": (lambda: watch(lambda x: x), "is a function.*pass the model"),
    "no such layer": (lambda: watch(gpt(), "block.0"), "no layer 'block.0'.*'blocks.0.attention'"),
    "too large": (lambda: run_with(limit=500), "blocks.0.*2, 3, 5, 5.*exceed.*higher limit="),
    "the model fails": (lambda: run_with(x=IDS + 11), "12 to 20"),
    "never called": (never_called, "GPT was not called in the block. Call it there"),
    "a softmax alone": (lambda: run_with(SOFTMAX, torch.rand(2, 4)), "seen when Sequential ran"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_and_nothing_is_left_behind(name):
    ask, text = WRONG[name]
    with pytest.raises((TypeError, ValueError), match=text):
        ask()
    assert left_behind() == CLEAN


@pytest.mark.weekly  # what compiles takes seconds to import
def test_a_compiled_model_runs_uncompiled_in_the_block():
    model = gpt().eval()
    compiled = torch.compile(model, backend="eager")
    plain = compiled(IDS)
    with watch(compiled) as seen:
        result = compiled(IDS)
    assert (plain - result).abs().max() < 1e-6
    assert list(seen.weights) == ["blocks.0.attention", "blocks.1.attention"]
    assert left_behind() == CLEAN


def call_of(error=0.0, dtype=torch.float32):
    return Call("one", torch.rand(1, 1, 2, 2), error=error, dtype=dtype)


def test_the_check_can_fail():
    assert "within 0.04" in Seen([call_of(0.03, dtype=torch.bfloat16), call_of()]).check()
    assert "1 of 2 calls" in Seen([call_of(), call_of(None)]).check()
    for calls, text in (([call_of(0.001)], "do not trust.*'one'"), ([], "nothing was seen yet")):
        with pytest.raises(ValueError, match=text):
            Seen(calls).check()
    with pytest.raises(ValueError, match="error=nan"):
        Seen([call_of(), call_of(float("nan"))]).check()
