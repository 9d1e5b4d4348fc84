"""Former silent errors: each is now right, or refused, or announced as doubtful."""

import warnings

import pytest
import torch
import transformers
from torch import nn
from torch.nn import functional as F
from watched import SMALL, Calls, by_hand, made, watched

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
            with watch(model), watch(model):
                assert torch.equal(run(), plain)
        assert torch.equal(seen.calls[0].hidden, padding[:, None, None]) and seen.check()
    with watch(model):  # gradients switch that path off
        result = run()
    assert (result - run()).abs().max() < 1e-6
    hook = model.register_forward_hook(lambda *_: None)  # and so does any hook
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


def test_where_keys_do_not_count_from_the_first_token_places_are_numbered():
    mistral = made(
        transformers.MistralForCausalLM, **SMALL, sliding_window=3, num_key_value_heads=2
    )
    seen, tokens = written(mistral)
    view = Inside(seen, tokens=tokens)
    name, layers = "model.layers.0.self_attn", view._layers.values()
    last = view._layers[name, max(x.step for x in layers)]
    assert not set(last.rows + last.columns) & set(tokens)
    assert "positions are numbered" in repr(view)


@pytest.mark.parametrize("shared", (1, 2))
def test_heads_that_stand_where_queries_do_are_doubted(shared):
    """With a static cache, Hugging Face treats heads that share keys as queries of one head."""
    model = made(transformers.LlamaForCausalLM, **SMALL, num_key_value_heads=shared)
    seen, _ = written(model, cache_implementation="static")
    assert all("the layer names 4" in call.doubts[0] for call in seen.calls if call.step)


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


# 4. Beams.


def test_a_cache_that_beams_put_in_another_order_is_not_joined():
    model = made(transformers.GPT2LMHeadModel, **SMALL)
    seen, _ = written(model, num_beams=3)
    with pytest.raises(ValueError, match="do not continue one another"):
        seen.joined("transformer.h.0.attn")
    seen, _ = written(model)
    assert seen.joined("transformer.h.0.attn").weights.shape == (1, 4, 7, 7)


# 5. Windows and blocks.


class Windows(nn.Module):
    """Windows of 4 tokens attend to themselves: (batch, heads, windows, tokens, d), as in Hiera."""

    def __init__(self, heads, named=True):
        super().__init__()
        self.split, self.qkv = heads, nn.Linear(12, 12)
        if named:
            self.num_heads = heads

    def forward(self, x):
        q = self.qkv(x).unflatten(1, (-1, 4)).unflatten(-1, (self.split, -1)).permute(0, 3, 1, 2, 4)
        return F.scaled_dot_product_attention(q, q, q).permute(0, 2, 3, 1, 4).flatten(3)


def test_windows_behind_the_heads_are_told_by_the_number_of_heads():
    x = torch.randn(2, 20, 12)
    q = x.view(2, 5, 4, 3, 4).transpose(2, 3)  # (batch, windows, heads, tokens, d)
    wanted = by_hand(q.flatten(0, 1), q.flatten(0, 1))
    for named in (True, False):
        model = Windows(3, named).eval()
        model.qkv = nn.Identity()
        (call,) = watched(model, x).calls
        assert torch.allclose(call.weights.double(), wanted, atol=1e-6) and not call.doubts
        (call,) = watched(Calls(lambda x: model(x.flatten(1, 2))), x.view(2, 4, 5, 12)).calls  # noqa: B023
        right = call.weights.shape == wanted.shape and torch.allclose(
            call.weights.double(), wanted, atol=1e-6
        )
        assert right and named or "are heads; assuming" in call.doubts[0]


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
    (call,) = watched(Calls(lambda x: x.mT.softmax(-1) @ x), X).calls  # 12 features attend to 7
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
