"""What once was wrong with nothing said: each is right now, or refused, or doubted in words."""

import warnings

import pytest
import torch
import transformers
from torch import nn
from watched import SMALL, Calls, made, watched

from helpers.inside import Inside, watch
from helpers.models.attention import SelfAttention

X = torch.randn(2, 7, 12, generator=torch.Generator().manual_seed(0))


# 1. The output of the model.


@pytest.mark.parametrize("what", ("encoder", "layer", "attention"))
def test_where_padding_comes_the_model_gives_what_it_gives_unwatched(what):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(12, 2, 16, batch_first=True)
    attention = nn.MultiheadAttention(12, 2, batch_first=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = {"encoder": nn.TransformerEncoder(layer, 2), "layer": layer, "attention": attention}
    model = model[what].eval()
    padding = torch.arange(7) >= torch.tensor([[7], [4]])
    name = "key_padding_mask" if what == "attention" else "src_key_padding_mask"
    args = [X] * 3 if what == "attention" else [X]

    def run(**options):
        result = model(*args, **{name: padding}, **options)
        return result[0] if what == "attention" else result

    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            plain = run()
            with watch(model) as seen:
                assert torch.equal(run(), plain)
        assert torch.equal(seen.calls[0].hidden, padding[:, None, None]) and seen.check()
    with watch(model):  # gradients switch that path off
        result = run()
    assert (result - run()).abs().max() < 1e-6
    hook = model.register_forward_hook(lambda *_: None)  # so does a hook of one's own
    with torch.no_grad():
        plain = run()
        with watch(model):
            assert (run() - plain).abs().max() < 1e-6
    hook.remove()


# 2. Labels of steps with a cache.


def written(model, new=6, **options):
    ids = torch.tensor([[5, 6]])
    options |= {"do_sample": False, "eos_token_id": None, "pad_token_id": 0}
    with warnings.catch_warnings(), watch(model) as seen:
        warnings.simplefilter("ignore")
        ids = model.generate(ids, max_new_tokens=new, **options)
    return seen, [f"w{i}" for i in range(ids.shape[1])]


WRITERS = {
    "a cache": ("LlamaForCausalLM", {"num_key_value_heads": 4}, {}),
    "shared keys": ("LlamaForCausalLM", {"num_key_value_heads": 2}, {}),
    "one key": ("LlamaForCausalLM", {"num_key_value_heads": 1}, {"cache_implementation": "static"}),
    "static": ("LlamaForCausalLM", {"num_key_value_heads": 2}, {"cache_implementation": "static"}),
    "sliding": ("MistralForCausalLM", {"num_key_value_heads": 2, "sliding_window": 3}, {}),
    "static, sliding": (
        "MistralForCausalLM",
        {"num_key_value_heads": 2, "sliding_window": 3},
        {"cache_implementation": "static"},
    ),
}


@pytest.mark.parametrize("padded", (False, True))
@pytest.mark.parametrize("name", WRITERS)
def test_what_is_written_is_one_map_with_its_words(name, padded):
    """Row for row the map that the text gives that is read at once, where padding stands in front."""
    kind, config, options = WRITERS[name]
    model = made(getattr(transformers, kind), **SMALL | config)
    ids = torch.tensor([[5, 6, 7, 8], [0, 0, 9, 3]] if padded else [[5, 6, 7, 8]])
    given = {"input_ids": ids, "attention_mask": (ids != 0).long()}
    options = options | {"do_sample": False, "eos_token_id": None, "pad_token_id": 0}
    with warnings.catch_warnings(), watch(model) as seen:
        warnings.simplefilter("ignore")
        ids = model.generate(**given, max_new_tokens=6, **options)
    with torch.no_grad(), watch(model) as whole:
        model(ids[:, :-1], attention_mask=(ids[:, :-1] != 0).long())
    tokens = [f"w{i}" for i in range(10)]
    for layer, wanted in whole.weights.items():
        call = seen.joined(layer)
        assert call.weights.shape == (len(ids), 4, 9, 9) and not call.doubts, call
        rows = (ids[:, :-1] != 0)[:, None, :, None]  # what padding looks at is nobody's concern
        assert ((call.weights - wanted) * rows).abs().max() < 1e-5
        shown = Inside(seen, tokens=tokens)._layers[layer, 0, 0]
        assert (shown.rows, shown.columns) == (tokens[:9], tokens[:9])


def test_beams_are_joined_as_the_last_step_has_them():
    model, name = made(transformers.GPT2LMHeadModel, **SMALL), "transformer.h.1.attn"
    options = {"do_sample": False, "eos_token_id": None, "pad_token_id": 0}
    with watch(model) as seen:
        texts = model.generate(
            torch.tensor([[5, 6]]), max_new_tokens=6, num_beams=3, num_return_sequences=3, **options
        )
    call = seen.joined(name)
    assert call.weights.shape == (3, 4, 7, 7) and "beams of the last step" in call.doubts[0]
    for text in texts:  # the map of each is that of one of the beams
        with watch(model) as whole:
            model(text[None, :-1])
        off = (call.weights - whole.weights[name]).abs().amax((1, 2, 3))
        assert off.min() < 1e-5


# 3. Which picture, which sentence.


def test_where_batches_differ_a_sequence_is_refused():
    swin = transformers.SwinModel(
        transformers.SwinConfig(
            image_size=16, patch_size=2, embed_dim=8, depths=[1, 1], num_heads=[2, 2], window_size=2
        )
    )
    with torch.no_grad(), watch(swin.eval()) as seen:
        swin(torch.rand(2, 3, 16, 16))
    with pytest.raises(ValueError, match="batch of 32.*of 8.*layers="):
        Inside(seen, sequence=1)
    view = Inside(seen, layers="encoder.layers.1", sequence=1)
    assert "32 sequences, but the model was called with 2" in repr(view)


# 5. Windows and blocks.


def test_blocks_in_one_axis_with_heads_are_doubted():
    class Blocks(nn.Module):
        num_heads = 3

        def forward(self, x):  # (batch, tokens, 12): 3 heads, 5 blocks
            q = x.view(2, 5, 4, 3, 4).transpose(2, 3).flatten(0, 2)
            return torch.bmm((q @ q.mT).softmax(-1), q)

    (call,) = watched(Blocks(), torch.randn(2, 20, 12)).calls
    assert "the layer names 3 heads, but 15 are seen" in repr(call)


# 6. A softmax of a layer that is seen.


def test_a_softmax_of_which_nothing_is_seen_is_told_beside_another():
    class Two(nn.Module):
        def forward(self, x):
            seen = (x @ x.mT).softmax(-1) @ x
            unseen = torch.baddbmm(x, (x @ x.mT).softmax(-1), x)
            return seen + unseen

    seen = watched(Two(), X)
    assert seen.partial == ("Two",) and "A softmax in 'Two' met no values" in repr(seen)
    assert not watched(Calls(lambda x: (x @ x.mT).softmax(-1) @ x), X).partial


# 7. Cross or not.


class Attend(nn.Module):
    def __init__(self):
        super().__init__()
        self.temperature = nn.Parameter(torch.ones(()))

    def forward(self, q, k, v):
        return (q @ k.mT / self.temperature).softmax(-1) @ v


def test_projected_queries_and_keys_are_not_called_cross():
    (call,) = watched(Attend(), X, X + 1, X - 1).calls
    assert call.kind is None
    (call,) = watched(nn.MultiheadAttention(12, 3, batch_first=True), X, X + 1, X + 1).calls
    assert call.kind == "cross"


# 8. and 10. Rows that are no shares, rows that are no tokens.


def test_rows_that_do_not_add_up_to_1_are_told():
    (call,) = watched(Calls(lambda x: (x @ x.mT).softmax(-2) @ x), X).calls
    assert "rows sum to" in call.doubts[0]


def test_features_that_stand_where_queries_do_are_doubted():
    (call,) = watched(Calls(lambda x: x.mT.softmax(-1) @ x), X).calls  # 12 features look at 7
    assert "12 queries, but no input of this layer has 12 tokens" in repr(call)


# 9. and 10. Names and reasons.


def test_heads_that_are_mixed_get_the_right_reason():
    class TalkingAttention(nn.Module):
        def forward(self, x):
            weights = (x @ x.mT).softmax(-1)
            return (weights[:, :1] + weights).mul(2).sub(weights) @ x

    model = nn.Sequential(SelfAttention(12, 12), TalkingAttention())
    with pytest.warns(UserWarning, match="nothing was seen of '1'.*heads that are mixed"):
        with watch(model):
            model(X)
