"""The view of a model, without a browser: which maps it holds, what it sends, what it says of bad input."""

import base64
from collections import UserDict

import numpy as np
import pytest
import torch
from pixels import map_of
from torch import nn
from watched import Calls

from helpers.inside import Inside, watch
from helpers.inside.film import EXACT_BYTES, UNIT
from helpers.inside.maps import layers_of
from helpers.inside.rollout import rollouts

WORDS = "the cat sat and it slept".split()


def weights(*shape, seed=0):
    return torch.softmax(3 * torch.randn(*shape, generator=torch.manual_seed(seed)), -1)


@pytest.fixture(scope="module")
def by_name():
    return {f"h.{i}.attn": weights(3, 6, 6, seed=i) for i in range(2)}


def encoder(layers=2):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.5, batch_first=True)
    return nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)


def frame(view, index, layer=0):
    """One map as the browser unpacks it: (queries, keys)."""
    return map_of(view.view.spec, view.view.frames, layer, index)


# ------------------------------------------------------------------ what is sent


def test_every_head_and_all_heads_together_are_sent_as_they_are(by_name):
    view = Inside(by_name, tokens=WORDS)
    assert view.view.spec["unit"] == 0
    assert [group["title"] for group in view.view.spec["groups"]] == ["h.*.attn"]
    for i, w in enumerate(by_name.values()):
        for head in range(3):
            assert np.array_equal(frame(view, head, i), w[head].numpy())
        np.testing.assert_allclose(frame(view, 3, i), w.mean(0).numpy(), atol=1e-7)
        assert np.array_equal(frame(view, 4, i), w.max(0).values.numpy())


def test_of_many_weights_each_is_off_by_half_a_ten_thousandth_at_most():
    large = {f"{i}": weights(8, 128, 128, seed=i) for i in range(8)}
    view = Inside(large)
    assert view.view.spec["unit"] == UNIT
    assert len(view.view.frames) == 2 * 8 * (8 + 3) * 128 * 128 > EXACT_BYTES / 2
    for i, w in enumerate(large.values()):
        sent = frame(view, 5, i)
        assert np.abs(sent - w[5].numpy()).max() <= UNIT / 2 + 1e-8
        assert np.array_equal(sent, view._film.map(i, 5))


def test_weights_that_are_no_shares_are_never_rounded():
    large = {f"{i}": 9 * weights(8, 128, 128) - 1 for i in range(8)}
    view = Inside(large, layers=["0", "1", "2", "3", "4"])
    assert view.view.spec["unit"] == 0
    assert np.array_equal(frame(view, 2), large["0"][2].numpy())


def test_what_is_hidden_is_nan_in_every_map_and_never_counts():
    model = encoder().eval()
    causal = nn.Transformer.generate_square_subsequent_mask(6)
    with watch(model) as seen:
        model(torch.randn(1, 6, 8), mask=causal)
    view = Inside(seen, tokens=WORDS)
    for index in range(2 + 3):  # rollout too: nothing comes from a later token
        assert np.array_equal(np.isnan(frame(view, index)), np.isinf(causal.numpy())), index
        np.testing.assert_array_less(0.999, np.nansum(frame(view, index), -1))
    assert "·" in repr(view)


def test_the_film_of_a_large_model_is_within_its_bytes():
    large = {f"{i}": weights(16, 128, 128) for i in range(24)}
    view = Inside(large, tokens=[f"w{i}" for i in range(128)])
    assert len(view.view.frames) == 2 * 24 * (16 + 3) * 128 * 128 < 15_000_000


# ------------------------------------------------------------------ models


def test_a_model_is_run_once_as_it_is_used_and_left_as_it_was():
    model, x = encoder(), torch.randn(2, 6, 8)
    model.layers[0].eval()
    modes = [module.training for module in model.modules()]
    view = Inside(model, x, WORDS, sequence=1)
    assert [module.training for module in model.modules()] == modes
    model.eval()
    with watch(model) as seen:
        model(x)
    for i, w in enumerate(seen.weights.values()):
        np.testing.assert_allclose(frame(view, 1, i), w[1, 1].numpy(), atol=1e-6)
    assert repr(view).startswith("Inside TransformerEncoder: 2 layers of 2 heads\nlayers.0")


def test_inputs_with_names_and_several_of_them_reach_the_model():
    torch.manual_seed(0)
    model = nn.Transformer(8, 2, 1, 2, 16, batch_first=True)
    source, target = torch.randn(1, 7, 8), torch.randn(1, 5, 8)
    words = [f"t{i}" for i in range(5)], [f"s{i}" for i in range(7)]
    view = Inside(model, (source, target), words)
    same = Inside(model, UserDict(src=source, tgt=target), words)  # what a tokenizer gives is one
    assert view.view.frames == same.view.frames
    told = {m["name"]: view.view.spec["groups"][m["group"]] for m in view.view.spec["maps"]}
    sides = {name: (len(g["rows"]), len(g["columns"])) for name, g in told.items()}
    assert sides["encoder.layers.0.self_attn"] == (7, 7)
    assert sides["decoder.layers.1.self_attn"] == (5, 5)
    assert sides["decoder.layers.1.multihead_attn"] == (5, 7)
    assert told["decoder.layers.0.multihead_attn"]["rows"] == words[0]
    assert told["decoder.layers.0.multihead_attn"]["columns"] == words[1]
    assert told["encoder.layers.0.self_attn"]["rows"] == words[1]


def test_two_sequences_of_one_length_are_told_apart_by_name_or_by_dict():
    torch.manual_seed(0)
    model = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
    x, y = torch.randn(2, 1, 4, 8)
    for words in (
        (list("abcd"), list("ABCD")),
        {"encoder": list("ABCD"), "decoder": (list("abcd"), list("ABCD"))},
    ):
        groups = Inside(model, (x, y), words).view.spec["groups"]
        assert [g["rows"] for g in groups] == [list("ABCD"), list("abcd"), list("abcd")]
        assert [g["columns"] for g in groups] == [list("ABCD"), list("abcd"), list("ABCD")]


def test_a_model_that_takes_a_list_is_given_one():
    model = encoder()
    takes = Calls(lambda several: model(torch.stack(several)))
    takes.model = model
    view = Inside(takes, [torch.randn(6, 8)] * 2, WORDS)
    assert view.view.spec["layers"] == ["model.layers.0.self_attn", "model.layers.1.self_attn"]


class Writes(nn.Module):
    """Attention called step by step, on all that is there so far; or with a cache, on the newest alone."""

    def __init__(self, cached):
        super().__init__()
        self.cached = cached
        self.attn = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        for end in range(2, x.shape[1] + 1):
            start = end - 1 if self.cached and end > 2 else 0
            self.attn(x[:, start:end], x[:, :end], x[:, :end])


def test_steps_are_kept_apart_and_their_tokens_grow():
    view = Inside(Writes(cached=False), torch.randn(1, 4, 8), list("abcd?"))  # ?: never read
    for side in ("rows", "columns"):
        assert [g[side] for g in view.view.spec["groups"]] == [list("abcd")[:k] for k in (2, 3, 4)]
    assert view.view.spec["grid"] == [[0, 1, 2]]
    step = next(c for c in view.controls if c.name == "step").widget
    step.index = 1
    assert repr(view).splitlines()[3].split() == list("abc") and len(repr(view).splitlines()) == 7


def test_steps_with_a_cache_are_one_map():
    torch.manual_seed(0)
    model, x = Writes(cached=True), torch.randn(1, 4, 8)
    view = Inside(model, x, list("abcd?"))
    assert [g["rows"] for g in view.view.spec["groups"]] == [list("abcd")]
    with watch(model) as seen:
        model(x)
    last = seen.calls[-1].weights[0].detach().numpy()
    for head in range(2):
        assert np.isnan(frame(view, head)[2, 3])  # not there yet
        np.testing.assert_allclose(frame(view, head)[3], last[head, 0], atol=1e-6)


def test_picks_name_layers_and_heads_from_0(by_name):
    view = Inside(by_name, tokens=WORDS, layers="h.1", heads=[2])
    assert [(m["name"], m["heads"]) for m in view.view.spec["maps"]] == [("h.1.attn", (2,))]
    assert np.array_equal(frame(view, 0), by_name["h.1.attn"][2].numpy())
    model = encoder()
    view = Inside(model, torch.randn(1, 6, 8), WORDS, layers="layers.1", heads=1)
    assert [(m["name"], m["heads"]) for m in view.view.spec["maps"]] == [
        ("layers.1.self_attn", (1,))
    ]
    assert "needs all layers" in view.view.spec["maps"][0]["rollout"]


# ------------------------------------------------------------------ rollout


def test_rollout_is_the_product_of_the_averages_with_their_residual_path(by_name):
    first, second = layers_of(by_name, 0)
    one, two = [(w.mean(0) + torch.eye(6)) / 2 for w in by_name.values()]
    np.testing.assert_allclose(first.rollout, one.numpy(), atol=1e-6)
    np.testing.assert_allclose(second.rollout, (two @ one).numpy(), atol=1e-6)
    np.testing.assert_allclose(second.rollout.sum(-1), 1, atol=1e-6)


@pytest.mark.parametrize(
    "given, why",
    [
        ({"a": weights(2, 4, 4)}, "'a' is the only layer of its kind"),
        ({"a.0": weights(2, 3, 4), "a.1": weights(2, 3, 4)}, "'a.0' has 3 queries and 4 keys"),
    ],
)
def test_where_there_is_no_rollout_it_says_why(given, why):
    view = Inside(given)
    assert why in view.view.spec["maps"][0]["rollout"]
    assert "rollout" not in view.view.spec["heads"]


def test_rollout_does_not_follow_into_another_sequence():
    torch.manual_seed(0)
    model = nn.Transformer(8, 2, 2, 2, 16, batch_first=True)
    view = Inside(model, tuple(torch.randn(2, 1, 4, 8)), (list("abcd"), list("ABCD")))
    told = {m["name"]: m["rollout"] for m in view.view.spec["maps"]}
    cross = "decoder.layers.1.multihead_attn"
    assert f"'{cross}' looks at another sequence" in told[cross]
    assert told["encoder.layers.1.self_attn"] is told["decoder.layers.1.self_attn"] is None
    with watch(model.eval()) as seen:
        model(*torch.randn(2, 1, 4, 8))
    own = [call for call in seen.calls if call.name.startswith("decoder") and call.kind == "self"]
    alone = rollouts(own, [call.weights[0].mean(0).numpy() for call in own])
    for layer in layers_of(seen, 0):
        if layer.name == "decoder.layers.1.self_attn":
            np.testing.assert_allclose(layer.rollout, alone[1], atol=1e-6)


# ------------------------------------------------------------------ without a browser


def test_text_and_picture_follow_the_menus(by_name):
    view = Inside(by_name, tokens=WORDS, segments=list("AAAABB"))
    menus = {c.name: c.widget for c in view.controls}
    menus["layer"].index, menus["head"].index = 1, 2
    lines = repr(view).splitlines()
    assert lines[1] == "h.1.attn, head 2"
    assert [float(x) for x in lines[4].split()[1:]] == pytest.approx(
        by_name["h.1.attn"][2, 0].tolist(), abs=0.00501
    )
    menus["from"].index, menus["to"].index = 1, 2
    lines = repr(view).splitlines()
    assert lines[3].split() == ["it", "slept"] and len(lines) == 4 + 4
    assert float(lines[4].split()[1]) == pytest.approx(
        by_name["h.1.attn"][2, 0, 4].item(), abs=0.00501
    )
    menus["head"].index = 5
    assert "leaves out the values" in repr(view)
    data, about = view._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert data["text/plain"] == repr(view) and about["image/png"]["width"] > 100


def test_numbers_that_differ_from_machine_to_machine_can_be_kept_out(by_name):
    assert repr(Inside(by_name, tokens=WORDS, stable=False)).endswith("weights: 6 × 6")


# ------------------------------------------------------------------ a text that changes


def tokenized(text):
    words = text.split()
    torch.manual_seed(len(text))
    return torch.randn(1, len(words), 8), words, ["A"] * (len(words) - 1) + ["B"]


def test_another_text_is_read_and_a_wrong_one_leaves_the_last_picture():
    view = Inside(encoder(), text="so it goes", tokenize=tokenized)
    box = view.controls[0].widget
    assert view.view.spec["groups"][0]["rows"] == ["so", "it", "goes"]
    box.value = "and so on it goes"
    assert view.view.spec["groups"][0]["rows"] == "and so on it goes".split()
    assert frame(view, 0).shape == (5, 5) and view.view.error == ""
    assert view.view.spec["segments"]["of"] == [0, 0, 0, 0, 1]
    view.controls[-1].widget.index = 2  # to B
    assert repr(view).splitlines()[3].split() == ["goes"]
    box.value = "one two"
    assert repr(view).splitlines()[3].split() == ["two"]
    before = view.view.frames
    box.value = ""
    assert view.view.error.startswith("This text cannot be shown.")
    assert view.view.frames == before
    box.value = "so it goes"
    assert view.view.error == "" and frame(view, 0).shape == (3, 3)


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Inside({}), "no weights to show"),
        (lambda: Inside(encoder()), "no inputs to run it on"),
        (lambda: Inside(weights(2, 6, 6)), "got Tensor; give a model and its inputs"),
        (
            lambda: Inside({"a": weights(2, 6, 6)}, torch.ones(1)),
            "got dict; give a model and its inputs",
        ),
        (lambda: Inside(nn.Linear(8, 8), torch.ones(1, 8)), "no attention was seen"),
        (
            lambda: Inside(
                nn.Transformer(8, 2, 1, 1, 16, batch_first=True), [torch.ones(4, 1, 8)] * 2
            ),
            "inputs is a list, and Transformer takes none as its one input.*several inputs as a tuple",
        ),
        (
            lambda: Inside(encoder(), [3, 1, 4]),
            "inputs is a list, and TransformerEncoder .*Give it as a tensor: torch.tensor",
        ),
        (
            lambda: Inside({"a": weights(2, 6, 6)}, tokens=WORDS[:5]),
            "has 6 queries, but 5 tokens came",
        ),
        (
            lambda: Inside({"a": weights(2, 1, 6)}, tokens=(WORDS[:2], WORDS)),
            "1 query, but 2 tokens",
        ),
        (lambda: Inside({"a": weights(2, 6, 1)}, tokens=(WORDS, WORDS[:2])), "1 key, but 2 tokens"),
        (lambda: Inside({"a": weights(2, 6, 6)}, tokens=WORDS[:5]), "special ones such as"),
        (
            lambda: Inside({"a": weights(2, 6, 6)}, tokens=[*WORDS, "?"]),
            "has 6 queries, but .*7 tokens",
        ),
        (lambda: Inside({"a": weights(2, 6, 6)}, tokens="the cat"), "not a list of words"),
        (lambda: Inside({"a": weights(2, 6, 6)}, tokens={"b": WORDS}), "tokens has none for 'a'"),
        (lambda: Inside({"a": weights(6)}), r"shape \(6,\)"),
        (lambda: Inside({"a": weights(2, 6, 6) / 0}), "finite"),
        (
            lambda: Inside({"a": weights(2, 6, 6)}, layers="b"),
            "layers has 'b', but the layers are: a",
        ),
        (
            lambda: Inside({"a": weights(2, 6, 6)}, heads=2),
            "heads has 2, but 'a' has 0, 1, counted",
        ),
        (lambda: Inside({"a": weights(2, 6, 6)}, heads=[]), "heads has None"),
        (lambda: Inside({"a": weights(2, 2, 6, 6)}, sequence=2), "saw a batch of 2: give 0 to 1"),
        (lambda: Inside({"a": weights(2, 6, 6)}, view="bars"), "expected one of: table, lines"),
        (lambda: Inside({"a": weights(2, 6, 6)}, tokens=WORDS, segments="AB"), "segments has 2"),
        (lambda: Inside(encoder(), text="x"), "go together"),
        (
            lambda: Inside(encoder(), text="x", tokenize=lambda text: [text]),
            "tokenize gave list; return",
        ),
        (
            lambda: Inside({f"l.{i}": torch.rand(8, 400, 400) for i in range(12)}),
            r"12 layers of 8 heads, 400 × 400 .* Pick up to 9 layers: layers=\['l.0', …\]",
        ),
        (
            lambda: Inside({"l": torch.rand(12, 1200, 1200)}),
            "Pick one layer and up to 8 of its heads: layers='l', heads=",
        ),
    ],
)
def test_bad_input_is_told(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()
