"""Inside, without a browser: which maps it holds, their words, and what it says of bad input."""

import base64
from collections import UserDict

import numpy as np
import pytest
import torch
from ipywidgets.widgets.widget import _instances
from torch import nn
from watched import Calls, gpt

from helpers.inside import Call, Inside, Seen, watch
from helpers.inside import view as module

WORDS = "the cat sat and it slept".split()


def weights(*shape, seed=0):
    return torch.softmax(3 * torch.randn(*shape, generator=torch.manual_seed(seed)), -1)


def seen_of(*several, hidden=None):
    """What a watch would have seen of these weights (heads, queries, keys), layer by layer."""
    return Seen([Call(f"h.{i}.attn", w[None], hidden, "self") for i, w in enumerate(several)])


TWO = seen_of(weights(3, 6, 6, seed=0), weights(3, 6, 6, seed=1))


def encoder(layers=2):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.5, batch_first=True)
    return nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)


def go(view, **to):
    """Move these menus, by their labels; the (panel, array) that is then shown."""
    menus = {control.name: control.widget for control in view.controls}
    for name, label in to.items():
        menus[name].label = label
    ((panel, array),), _ = view._shown()
    return panel, array


def test_every_head_and_all_heads_together_are_sent_as_they_are():
    view = Inside(TWO, tokens=WORDS)
    assert not view._live and view.view.spec["overview"] == [0, 1]
    for name, w in TWO.weights.items():
        w = w[0]
        for head in range(3):
            assert np.array_equal(go(view, layer=name, head=str(head))[1], w[head].numpy())
        np.testing.assert_allclose(go(view, head="average")[1], w.mean(0).numpy(), atol=1e-7)
        assert np.array_equal(go(view, head="maximum")[1], w.max(0).values.numpy())
    go(view, head="rollout")
    assert "leaves out the values" in repr(view) and "leaves out" in view.view.spec["note"]
    data, _ = view._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert data["text/plain"] == repr(view)
    assert repr(Inside(TWO, tokens=WORDS, stable=False)).endswith("weights: 6 × 6")


def test_what_is_hidden_is_nan_in_every_map_and_never_counts():
    model = encoder().eval()
    causal = nn.Transformer.generate_square_subsequent_mask(6)
    with watch(model) as seen:
        model(torch.randn(1, 6, 8), mask=causal)
    view = Inside(seen, tokens=WORDS)
    for head in ("0", "1", "average", "maximum", "rollout"):  # nothing comes from a later token
        _, shown = go(view, head=head)
        assert np.array_equal(np.isnan(shown), np.isinf(causal.numpy())), head
        np.testing.assert_array_less(0.999, np.nansum(shown, -1))


def test_rollout_reaches_as_far_as_all_windows_together():
    blind = torch.ones(7, 7).triu(1).bool() | torch.ones(7, 7).tril(-2).bool()
    blind[2] = True  # a query that sees nothing hears of itself, past the layer
    layers = [(weights(2, 7, 7, seed=i) * ~blind) for i in range(3)]
    view = Inside(seen_of(*layers, hidden=blind.expand(1, 2, 7, 7)))
    wanted = torch.eye(7)
    for i, layer in enumerate(layers):
        mixed = layer.mean(0) + torch.eye(7)
        wanted = mixed / mixed.sum(-1, keepdim=True) @ wanted
        _, shown = go(view, layer=f"h.{i}.attn", head="rollout")
        assert np.array_equal(np.isnan(shown), (wanted == 0).numpy())
        np.testing.assert_allclose(np.nan_to_num(shown), wanted, atol=1e-6)


def test_there_is_no_rollout_of_cross_attention():
    both = Inside(nn.Transformer(8, 2, 2, 2, 16, batch_first=True), (*torch.randn(2, 1, 4, 8),))
    panel, shown = go(both, layer="decoder.layers.1.multihead_attn", head="rollout")
    assert "no such map" in panel.rows[0]
    assert np.isnan(shown).all() and shown.shape == (1, 1)


def test_a_model_is_run_once_as_it_is_used_and_left_as_it_was():
    model, x = encoder(), torch.randn(2, 6, 8)
    model.layers[0].eval()
    modes = [module.training for module in model.modules()]
    view = Inside(model, x, WORDS)
    assert list(Inside(model, x, WORDS, layers="layers.1")._layers) == [("layers.1.self_attn", 0)]
    assert [module.training for module in model.modules()] == modes
    with watch(model.eval()) as seen:
        model(x)
    for name, w in seen.weights.items():
        np.testing.assert_allclose(go(view, layer=name, head="1")[1], w[0, 1].numpy(), atol=1e-6)
    assert repr(view).startswith(
        "Inside TransformerEncoder: 2 layers of 2 heads\nShown is the first of 2"
    )
    takes = Calls(lambda several: model(torch.stack(several)))
    takes.model = model  # a model that takes a list is given one
    assert len(Inside(takes, [torch.randn(6, 8)] * 2, WORDS)._layers) == 2


def test_two_sequences_have_their_own_words():
    torch.manual_seed(0)
    model = nn.Transformer(8, 2, 1, 2, 16, batch_first=True)
    source, target = torch.randn(1, 7, 8), torch.randn(1, 5, 8)
    t, s = [f"t{i}" for i in range(5)], [f"s{i}" for i in range(7)]
    for view, words in (
        (Inside(model, UserDict(src=source, tgt=target), (t, s)), s),
        (Inside(model, (source[:, :5], target), (t, s[:5])), s[:5]),  # as long as the other
    ):
        for layer, rows, columns in (
            ("encoder.layers.0.self_attn", words, words),
            ("decoder.layers.1.self_attn", t, t),
            ("decoder.layers.1.multihead_attn", t, words),
        ):
            panel, _ = go(view, layer=layer)
            assert (panel.rows, panel.columns) == (rows, columns)


class Tokenizer:
    """As those of Hugging Face."""

    def convert_ids_to_tokens(self, ids):
        return [f"Ġ{i}" for i in ids]


def test_ids_and_a_tokenizer_are_words():
    ids = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 8]])
    assert go(Inside(gpt(), ids, ids[0]))[0].rows == list("1234")
    assert go(Inside(gpt(), ids, Tokenizer()))[0].rows == ["␣1", "␣2", "␣3", "␣4"]


def test_steps_are_numbered_where_it_is_not_known_which_words_they_have():
    words, calls = (list("abcd"), list("uvwxyz")), [Call("encoder", weights(1, 2, 6, 6))]
    for step, n in enumerate((2, 3, 4)):
        calls.append(Call("own", weights(1, 2, n, n), kind="self", step=step))
        calls.append(Call("cross", weights(1, 2, n, 6), kind="cross", step=step))
    view = Inside(Seen(calls), tokens=words)
    for step, rows in enumerate((list("01"), list("012"), words[0])):
        for layer, columns in (("own", rows), ("cross", words[1])):
            panel, _ = go(view, layer=layer, step=str(step + 1))
            assert (panel.rows, panel.columns) == (rows, columns)
    panel, shown = go(view, layer="encoder", step="3")
    assert panel.rows == ["not called in this step"] and np.isnan(shown).all()


def test_a_cache_that_was_filled_before_has_words_of_its_own():
    view = Inside(seen_of(weights(2, 3, 5)), tokens=(list("cde"), list("vwcde")))
    (shown,) = view._layers.values()
    assert (shown.rows, shown.columns) == (list("cde"), list("vwcde"))


def tokenized(text):
    words = text.split()
    torch.manual_seed(len(text))
    return torch.randn(1, len(words), 8), words


def test_another_text_is_read_and_a_wrong_one_leaves_the_last_picture():
    there = len(_instances)
    view = Inside(encoder(), text="so it goes", tokenize=tokenized)
    box = view.controls[0].widget
    assert go(view)[0].rows == ["so", "it", "goes"]
    box.value = "and so on it goes"
    assert view.view.error == "" and go(view)[0].rows == "and so on it goes".split()
    before = view.view.frames
    box.value = ""
    assert view.view.error.startswith("This text cannot be shown.") and view.view.frames == before
    box.value = "one two"
    assert view.view.error == "" and go(view)[0].columns == ["one", "two"]
    view.close()
    assert len(_instances) == there


A = seen_of(weights(2, 6, 6))
BAD = (
    (lambda: Inside(Seen()), "nothing was seen yet"),
    (lambda: Inside(encoder()), "got TransformerEncoder; give a model"),
    (lambda: Inside(nn.Linear(8, 8), torch.ones(1, 8)), "no attention was seen"),
    (lambda: Inside(A, tokens=WORDS[:5]), "has 6 × 6 queries and keys, but 5 × 5.*special ones"),
    (lambda: Inside(A, tokens="the cat"), "no list of words"),
    (lambda: Inside(A, tokens=(WORDS, WORDS[::-1])), "may be of either sequence"),
    (lambda: Inside(A, torch.ones(1), Tokenizer()), "is a Seen, not a torch.nn.Module"),
    (lambda: Inside(seen_of(weights(2, 6, 6) / 0)), "finite"),
    (lambda: Inside(A, layers="h.0"), "got Seen; give a model, its inputs and layers="),
    (lambda: Inside(A, view={"weights": "grid"}), "expected one of: table"),
    (lambda: Inside(encoder(), text="x"), "tokenize"),
)


@pytest.mark.parametrize("make, message", BAD)
def test_bad_input_is_told(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()


def test_what_is_too_large_for_a_page_is_refused(monkeypatch):
    monkeypatch.setattr(module, "MAX_BYTES", 4 * 4 * 5 * 5)
    with pytest.raises(ValueError, match="4 maps of up to 36 weights are too many.*layers="):
        Inside(A)
