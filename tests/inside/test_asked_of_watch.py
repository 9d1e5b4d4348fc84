"""What a watch is asked for, and what it says: picks, limits, what it cannot see, its check."""

import warnings

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.overrides import _get_current_function_mode_stack
from watched import Calls, gpt, left_behind, watched

from helpers.inside import watch
from helpers.inside.seeing import Call, Seen
from helpers.models.attention import SelfAttention

IDS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])
CLEAN = (False, [], "default")


# Which layers, which heads, how much.


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


def test_a_map_that_is_too_large_is_refused_before_memory_is_taken():
    class Large(nn.Module):
        """4,096 tokens, 32 heads: the numbers would be 1 GB, were they there."""

        def forward(self, x):
            with torch.device("meta"):
                x = torch.empty(1, 32, 4096, 64)
            return F.scaled_dot_product_attention(x, x, x)

    model = Large()
    with pytest.raises(ValueError) as said, watch(model):
        model(None)
    text = str(said.value)
    for part in (
        "'Large' take 1,073.7 MB",
        "32 heads × 4,096 queries",
        "500.0 MB",
        "limit=",
    ):
        assert part in text, text


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
    "a number of a layer": (lambda: watch(gpt(), [1]), r"layers=\[1\].*names"),
    "no layers": (lambda: watch(gpt(), []), r"layers=\[\]"),
    "a limit of words": (lambda: watch(gpt(), limit="1 GB"), "limit='1 GB' is not a size"),
    "all calls count": (lambda: run_with(limit=1000), "take 0.0 MB.*after 0.0 MB of other"),
    "never called": (never_called, "GPT was not called in the block. Call it there"),
    "no attention": (
        lambda: run_with(nn.Linear(4, 4), torch.rand(2, 4)),
        "was seen when Linear ran",
    ),
    "none in this layer": (lambda: run_with(layers="norm"), "when GPT ran. Leave out layers="),
    "a softmax alone": (lambda: run_with(SOFTMAX, torch.rand(2, 4)), "ran in 'Sequential', but no"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_and_nothing_is_left_behind(name):
    ask, text = WRONG[name]
    with pytest.raises((TypeError, ValueError), match=text):
        ask()
    assert _get_current_function_mode_stack() == []


# What cannot be seen is said.


class LinearAttention(nn.Module):
    """Attention with no weights to see: no matrix (queries, keys) is ever made."""

    def forward(self, x):
        feature = F.elu(x) + 1
        return feature @ (feature.mT @ x)


def test_attention_that_is_not_seen_is_named():
    model = nn.Sequential(SelfAttention(4, 4), LinearAttention())
    with pytest.warns(UserWarning, match="nothing was seen of '1'.*set_attn_implementation"):
        with watch(model) as seen:
            model(torch.rand(2, 5, 4))
    assert seen.unseen == ("1",) and list(seen.weights) == ["0"]
    with pytest.raises(ValueError, match="nothing was seen of 'LinearAttention'"):
        with watch(model[1]):
            model(torch.rand(2, 5, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with watch(model, layers="0"):  # who picks layers knows what they want
            model(torch.rand(2, 5, 4))


def test_what_goes_wrong_in_watching_does_not_stop_the_model(monkeypatch):
    monkeypatch.setattr("helpers.inside.fused._masks", lambda *_: 1 / 0)
    model = gpt()
    with pytest.raises(ValueError, match="not follow.*'blocks.0.attention' does: ZeroDivision"):
        with watch(model):
            result = model(IDS)
    assert torch.equal(result, model(IDS)) and left_behind(model) == CLEAN
    model = nn.ModuleList([gpt(), Calls(lambda x: (x @ x.mT).softmax(-1) @ x)])
    with pytest.warns(UserWarning, match="not follow"), watch(model) as seen:
        model[0](IDS)
        model[1](torch.rand(2, 5, 4))
    assert seen.unseen == ("0.blocks.0.attention", "0.blocks.1.attention")
    assert list(seen.weights) == ["1"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:Converting a tensor")
def test_what_torch_jit_made():
    x = torch.rand(2, 5, 4)
    traced = torch.jit.trace(SelfAttention(4, 4).eval(), x, check_trace=False)
    with pytest.raises(ValueError, match="torch.jit"), watch(traced):
        traced(x)
    model = nn.Sequential(SelfAttention(4, 4), traced)
    with pytest.warns(UserWarning, match="nothing was seen of '1'"), watch(model) as seen:
        model(x)
    assert list(seen.weights) == ["0"]


@pytest.mark.weekly  # what compiles takes seconds to import
def test_a_compiled_model_runs_uncompiled_in_the_block():
    model = gpt().eval()
    compiled = torch.compile(model, backend="eager")
    plain = compiled(IDS)
    with watch(compiled) as seen:
        result = compiled(IDS)
    assert (plain - result).abs().max() < 1e-6
    assert list(seen.weights) == ["blocks.0.attention", "blocks.1.attention"]
    assert left_behind(model) == CLEAN
    model = nn.Sequential(SelfAttention(4, 4), torch.compile(SelfAttention(4, 4), backend="eager"))
    assert list(watched(model, torch.rand(2, 5, 4)).weights) == ["0", "1"]


# The check.


def call_of(error=0.0, dtype=torch.float32):
    return Call("one", torch.rand(1, 1, 2, 2), error=error, dtype=dtype)


def test_the_check_can_fail():
    assert "1 of 1 calls, weights times values are" in Seen([call_of()]).check()
    assert "within 0.04" in Seen([call_of(0.03, dtype=torch.bfloat16), call_of()]).check()
    with pytest.raises(ValueError, match="1 of 2 calls.*'one'.*off by 1.0e-03.*Do not trust"):
        Seen([call_of(), call_of(0.001)]).check()
    with pytest.raises(ValueError, match="off by nan"):
        Seen([call_of(float("nan"))]).check()
    with pytest.raises(ValueError, match="nothing was seen yet"):
        Seen().check()
    text = Seen([call_of(), call_of(None)]).check()
    assert "1 of 2 calls" in text and "model.eval()" in text


def test_a_kernel_that_does_something_else_is_found_out(monkeypatch):
    """The weights are compared with what the model used, whatever the kernel is said to do."""
    from helpers.inside import fused

    def other(query, key, value, *args, **kwargs):
        return query.softmax(-1) @ value[..., : query.shape[-1], :]

    kernel = F.scaled_dot_product_attention
    monkeypatch.setitem(
        fused.FUSED, kernel, lambda w, p, f, a, k: fused.see_sdpa(w, p, other, a, k)
    )
    with watch(model := gpt().eval()) as seen:
        model(IDS)
    with pytest.raises(ValueError, match="2 of 2 calls"):
        seen.check()
