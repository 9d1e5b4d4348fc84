"""Long texts: what is picked while watching, in which precision, and the parts of a large map."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F
from watched import Calls, gpt, heads_of

from helpers.inside import Inside, picking, view, watch
from helpers.inside.maps import layers_of

T, H = 9, 3
X = torch.randn(2, T, 12, generator=torch.manual_seed(0))
FUTURE = torch.ones(T, T, dtype=torch.bool).triu(1)
OF_HEADS = torch.rand(2, H, T, T, generator=torch.manual_seed(1)) > 0.7
OF_HEADS[0, 0, 2] = True  # a query to which one head hides all keys


def fused(**options):
    return Calls(lambda x: F.scaled_dot_product_attention(*[heads_of(x)] * 3, **options))


def written(x):
    x = heads_of(x)
    return (x @ x.mT).masked_fill(FUTURE, -torch.inf).softmax(-1) @ x


MODELS = {
    "causal": fused(is_causal=True),
    "heads hide each their own": fused(attn_mask=~OF_HEADS),
    "added": fused(attn_mask=torch.randn(T, T).masked_fill(FUTURE, -torch.inf)),
    "a bias": fused(attn_mask=torch.randn(2, H, T, T)),
    "heads in front": Calls(
        lambda x: F.scaled_dot_product_attention(*[heads_of(x).transpose(0, 1)] * 3)
    ),
    "written": Calls(written),
}


def seen_of(model, x=X, **picks):
    with watch(model, **picks) as seen:
        model(x)
    assert seen.check()
    return seen


def shown(call):
    hidden = torch.zeros(1) > 0 if call.hidden is None else call.hidden
    return call.weights.masked_fill(hidden.expand_as(call.weights), torch.nan)


@pytest.mark.parametrize("at_once", (1, 100, 10**6))  # one query at a time, some, or all
@pytest.mark.parametrize("name", MODELS)
def test_what_is_picked_is_what_the_whole_has_there(name, at_once, monkeypatch):
    (whole,) = seen_of(MODELS[name]).calls
    monkeypatch.setattr("helpers.inside.watching.AT_ONCE", at_once)
    hidden = torch.zeros_like(whole.weights) > 0 if whole.hidden is None else whole.hidden
    hidden = hidden.expand_as(whole.weights)
    every = hidden.all(1)
    for heads, queries in ((None, None), ([2, 0], slice(3, None)), (1, [-1, 4])):
        rows = range(T)[queries or slice(None)] if type(queries) is not list else [8, 4]
        (call,) = seen_of(MODELS[name], heads=heads, queries=queries).calls
        wanted = shown(whole)[:, [heads] if type(heads) is int else heads or slice(None)]
        torch.testing.assert_close(shown(call), wanted[:, :, list(rows)], equal_nan=True)
    (call,) = seen_of(MODELS[name], heads=["maximum", 1, "average"], queries=slice(2, 4)).calls
    parts = whole.weights.amax(1), whole.weights[:, 1], whole.weights.mean(1)
    masks = every, hidden[:, 1], every
    wanted = [x.masked_fill(mask, torch.nan)[:, 2:4] for x, mask in zip(parts, masks)]
    torch.testing.assert_close(shown(call), torch.stack(wanted, 1), equal_nan=True)


def test_large_maps_are_recorded_in_half_the_memory(monkeypatch):
    exact = seen_of(gpt(), torch.arange(8)[None]).calls
    monkeypatch.setattr(picking, "LARGE", 8 * 8 - 1)
    seen = seen_of(gpt(), torch.arange(8)[None])
    for call, whole in zip(seen.calls, exact):
        assert (call.weights.dtype, whole.weights.dtype) == (torch.float16, torch.float32)
        torch.testing.assert_close(call.weights.float(), whole.weights, atol=5e-4, rtol=1e-3)


def test_picked_queries_of_a_cache_are_joined():
    def steps(**picks):
        kept = []

        def attend(x):
            kept.append(x)
            keys = torch.cat(kept, 1)
            mask = torch.ones(x.shape[1], keys.shape[1], dtype=torch.bool)
            return F.scaled_dot_product_attention(
                *map(heads_of, (x, keys, keys)), attn_mask=mask.tril(keys.shape[1] - x.shape[1])
            )

        model = Calls(attend)
        with watch(model, **picks) as seen:
            for part in X.split((6, 1, 2), 1):
                model(part)
        return seen

    whole, last = steps().joined("Calls"), steps(queries=-1, heads=[1]).joined("Calls")
    assert last.queries == (5, 6, 8) and last.heads == (1,)
    torch.testing.assert_close(last.weights, whole.weights[:, 1:2, [5, 6, 8]])
    (layer,) = layers_of(steps(queries=-1), list("abcdefghi"))
    assert layer.rows == list("fgi") and layer.columns == list("abcdefghi")


WRONG = (
    ({"heads": 3}, "heads has 3, but 'Calls' has 0 to 2, counted from 0"),
    ({"heads": "mean"}, "heads='mean'"),
    ({"heads": []}, r"heads=\[\]"),
    ({"queries": [9]}, r"without any of queries=\[9\]"),
    ({"queries": "last"}, "queries='last'"),
    ({"limit": 100}, "MB. Give layers=, heads=, queries=, a smaller batch, fewer tokens, or raise"),
    (
        {"limit": 100, "heads": [0], "layers": "Calls", "queries": slice(4)},
        "MB. Give a smaller batch, fewer tokens, or raise",
    ),
)


@pytest.mark.parametrize("picks, message", WRONG)
def test_a_wrong_pick_is_told_and_nothing_that_was_done_is_advised(picks, message):
    with pytest.raises((TypeError, ValueError), match=message):
        seen_of(MODELS["causal"], **picks)


def test_a_large_map_is_shown_whole_and_any_part_of_it_in_full(monkeypatch):
    monkeypatch.setattr(view, "MAX_BYTES", 4 * 4 * 10 * 10)  # room for 10 × 10 of each of 4 maps
    weights = torch.rand(2, 25, 25, generator=torch.manual_seed(0))
    words = [f"w{i}" for i in range(25)]
    inside = Inside({"a": weights}, tokens=words)
    assert inside.view.spec["overview"] and len(inside._film.frames) == 4
    menus = {control.name: control.widget for control in inside.controls}

    def now():
        ((panel, array),), _ = inside._shown()
        return panel, array

    panel, array = now()
    blocks = F.max_pool2d(weights[:1], 3, ceil_mode=True)[0]
    assert np.array_equal(array, blocks.numpy()) and panel.rows[0] == "w0 … w2"
    menus["queries"].value, menus["keys"].value = (4, 12), (20, 24)
    panel, array = now()
    assert np.array_equal(array, weights[0, 4:13, 20:].numpy())
    assert (panel.rows, panel.columns) == (words[4:13], words[20:])
    menus["head"].label = "average"  # each head from what was recorded
    assert np.array_equal(now()[1], weights.mean(0)[4:13, 20:].numpy())
    assert inside.view.error == "" and "up to 10 queries and keys" in inside.view.spec["note"]


def test_summaries_that_were_recorded_are_shown_in_place_of_those_of_picked_heads():
    seen = seen_of(MODELS["causal"], heads=[1, "average"])
    inside = Inside(seen)
    heads = next(c for c in inside.controls if c.name == "head").positions
    assert heads == [1, "average"]
    (layer,) = layers_of(seen, None)
    (whole,) = layers_of(seen_of(MODELS["causal"]), None)
    torch.testing.assert_close(layer.map("average"), whole.map("average"), equal_nan=True)
    assert layer.map("maximum") is None
