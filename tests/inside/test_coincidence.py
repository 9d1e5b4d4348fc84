"""Words and axes that only a coincidence of sizes supports: shown as doubtful, or refused."""

import pytest
import torch
import transformers
from torch import nn
from torch.nn import functional as F
from watched import SMALL, Calls, gpt, heads_of, made, watched

from helpers.inside import Inside, watch
from helpers.models.attention import SelfAttention

generator = torch.Generator().manual_seed(0)
WORDS = [f"w{i}" for i in range(12)]
NUMBERS = [str(i) for i in range(12)]


def random(*shape):
    return torch.randn(*shape, generator=generator)


# Words.


class Parts(nn.Module):
    """A layer that reads a text in parts, as windows of a picture, or two sentences."""

    def __init__(self):
        super().__init__()
        self.attention = SelfAttention(8, 8)

    def forward(self, *parts):
        return torch.cat([self.attention(part) for part in parts], 1)


@pytest.mark.parametrize("sizes", ((4, 4, 4), (3, 4, 5), (12, 5)))
def test_parts_of_a_text_do_not_get_the_words_of_its_beginning(sizes):
    view = Inside(Parts().eval(), tuple(random(1, size, 8) for size in sizes), WORDS)
    for step, size in enumerate(sizes):
        layer = view._layers["attention", step, 0]
        assert layer.rows == layer.columns == (WORDS if size == 12 else NUMBERS[:size])
    assert "positions are numbered" in repr(view) and "attends" in repr(view)


def test_texts_one_after_another_do_not_get_the_words_of_the_last():
    model = Parts().eval()
    with watch(model) as seen:
        for size in (3, 5, 12):
            model(random(1, size, 8))
    layers = Inside(seen, tokens=WORDS)._layers
    assert [layers["attention", i, 0].rows for i in range(3)] == [NUMBERS[:3], NUMBERS[:5], WORDS]


# Axes: in each case only sizes support what is shown.


def channels(x):
    q = x.mT
    return F.scaled_dot_product_attention(q, q, q).mT


def of_channels(x):
    """As in XCiT: (batch, heads, channels, tokens)."""
    q = heads_of(x).mT
    return ((q @ q.mT).softmax(-1) @ q).mT


def of_a_picture(x):
    """As in DANet: (batch, channels, height, width)."""
    q = x.flatten(2)
    return ((q @ q.mT).softmax(-1) @ q).view_as(x)


def streams(x):
    return x.mean(-1, keepdim=True).expand(*x.shape[:3], x.shape[2]).softmax(-1) @ x


def streams_by_sinkhorn(x, mask=None):
    """As in DeepSeek-V4, whose rows and columns both sum to 1."""
    mix = (x @ x.mT / 8).softmax(-1)
    for _ in range(20):
        mix = mix / mix.sum(-1, keepdim=True)
        mix = mix / mix.sum(-2, keepdim=True)
    return mix.mT @ x


def linear(x):
    """Efficient attention: no map of tokens is ever computed."""
    q = heads_of(x)
    return q.softmax(-1) @ (q.softmax(-2).mT @ q)


def layers_mixed(x):
    return torch.einsum("l,lbtd->btd", torch.ones(3).softmax(0), x.expand(3, *x.shape))


def nearest(x):
    """Each token attends to 3 others of its own."""
    near = torch.stack([x.roll(i, 1) for i in range(3)], 2)  # (batch, tokens, 3, d)
    return (x[:, :, None] @ near.mT).softmax(-1) @ near


def nearest_with_heads(x):
    near = torch.stack([x.roll(i, 1) for i in range(3)], 2).unflatten(-1, (2, -1)).transpose(2, 3)
    q = x.unflatten(-1, (2, 1, -1))
    return ((q @ near.mT).softmax(-1) @ near).flatten(2)


DOUBTED = {
    "channels": (channels, (1, 50, 8)),
    "channels of heads": (of_channels, (2, 7, 12)),
    "channels, as many as tokens": (of_channels, (2, 4, 12)),
    "channels, batch as many as heads": (of_channels, (3, 7, 12)),
    "channels of a picture": (of_a_picture, (2, 8, 5, 5)),
    "residual streams": (streams, (1, 7, 4, 8)),
    "residual streams, a batch": (streams, (2, 7, 4, 8)),
    "linear": (linear, (2, 7, 12)),
    "linear, as many tokens as features": (linear, (2, 4, 12)),
    "layers that are mixed": (layers_mixed, (3, 7, 12)),
    "three nearest of three sentences": (nearest, (3, 7, 12)),
    "three nearest of two sentences": (nearest, (2, 7, 12)),
    "three nearest, with heads": (nearest_with_heads, (3, 7, 12)),
    "three nearest, two sentences, with heads": (nearest_with_heads, (2, 7, 12)),
}


@pytest.mark.parametrize("name", DOUBTED)
def test_it_is_doubted_or_refused(name):
    attend, shape = DOUBTED[name]
    try:
        seen = watched(Calls(attend), random(*shape))
    except ValueError as error:
        assert "could not follow what 'Calls' does" in str(error)
    else:
        assert "Not sure of 'Calls'" in repr(seen)


@pytest.mark.parametrize("batch", (1, 2, 4))
def test_streams_are_doubted_beside_a_mask(batch):
    model = Calls(streams_by_sinkhorn)
    seen = watched(model, random(batch, 7, 4, 8), torch.zeros(batch, 1, 7, 7))
    assert "Not sure of 'Calls'" in repr(seen)


class Heads(nn.Module):
    num_heads = 3

    def __init__(self, kernel=True):
        super().__init__()
        self.kernel = kernel

    def forward(self, x):
        q = heads_of(x).contiguous()
        out = F.scaled_dot_product_attention(q, q, q, scale=0.5)
        return out if self.kernel else (q @ q.mT / 2).softmax(-1) @ q


class Pools(Heads):
    """As in Inkling 2: at each position, one query over what earlier layers have computed there."""

    def forward(self, x):
        kept = torch.stack([x, x.roll(1, 0)], 2)
        query = torch.ones(12).expand(*x.shape[:2], 1, 12)
        if self.kernel:
            return F.scaled_dot_product_attention(query, kept, kept)
        return (query @ kept.mT).softmax(-1) @ kept


@pytest.mark.parametrize("kernel", (True, False))
@pytest.mark.parametrize("batch", (1, 2, 3))
def test_positions_are_not_taken_for_heads(batch, kernel):
    seen = watched(Pools(kernel=kernel), random(batch, 7, 12))
    assert "Not sure of 'Pools'" in seen.notes()


# False alarms.


def test_as_many_sentences_as_heads_is_no_doubt_where_the_layer_names_them():
    assert not watched(Heads(), random(3, 7, 12)).notes()
    small = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "vocab_size": 50}
    small |= {"encoder_ffn_dim": 20, "decoder_ffn_dim": 20, "pad_token_id": 0, "bos_token_id": 1}
    small |= {"encoder_attention_heads": 4, "decoder_attention_heads": 4, "eos_token_id": 2}
    small |= {"decoder_start_token_id": 1}
    ids = torch.randint(3, 50, (4, 6), generator=generator)
    for way in ("sdpa", "eager"):
        bart = made(transformers.BartModel, **small, attn_implementation=way)
        assert not watched(bart, input_ids=ids, decoder_input_ids=ids[:, :5]).notes()
        sizes = {"num_mel_bins": 8, "max_source_positions": 6, "max_target_positions": 20}
        whisper = made(transformers.WhisperModel, **small | sizes, attn_implementation=way)
        assert not watched(whisper, random(4, 8, 12), decoder_input_ids=ids[:, :5]).notes()


def test_a_key_without_values_takes_a_part_of_each_row():
    """As in gpt-oss: an attention sink."""

    def sinks(x):
        x = heads_of(x)
        scores = F.pad(x @ x.mT / 2, (0, 1))
        return scores.softmax(-1)[..., :-1] @ x

    seen = watched(Calls(sinks), random(2, 7, 12))
    assert not seen.notes() and seen.calls[0].weights.sum(-1).max() < 1


def test_two_calls_of_which_the_second_has_more_sentences():
    model = gpt().eval()
    with watch(model) as seen:
        model(torch.zeros(1, 5, dtype=torch.long))
        model(torch.zeros(2, 5, dtype=torch.long))
    assert not seen.notes()


def test_what_follows_attention_and_is_named_after_it():
    model = made(
        transformers.LxmertModel, vocab_size=50, hidden_size=16, num_attention_heads=4, l_layers=1,
        x_layers=1, r_layers=1, intermediate_size=20, visual_feat_dim=6, num_hidden_layers=1,
    )  # fmt: skip
    ids = torch.randint(3, 50, (2, 6), generator=generator)
    seen = watched(model, ids, visual_feats=random(2, 5, 6), visual_pos=random(2, 5, 4))
    assert not seen.unseen and "Not sure" not in seen.notes()


# Models in which it was met.


def test_two_streams_are_not_shown_as_heads():
    small = {
        k: v for k, v in SMALL.items() if not k.startswith("num_") and k != "intermediate_size"
    }
    small |= {"num_encoder_layers": 1, "num_decoder_layers": 1, "encoder_ffn_dim": 20}
    small |= {"num_encoder_attention_heads": 4, "num_decoder_attention_heads": 4, "ngram": 2}
    model = made(transformers.ProphetNetModel, **small, decoder_ffn_dim=20)
    ids = torch.randint(3, 50, (1, 6), generator=generator)
    with pytest.warns(UserWarning, match="ngram|self_attn"), watch(model) as seen:
        model(input_ids=ids, decoder_input_ids=ids[:, :5])
    assert all(call.weights.shape[1] == 4 for call in seen.calls)
