"""The layers and the whole Transformer compared with PyTorch's own, and the effects of padding."""

from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import assert_alike, encoder_peer, gap, unlike_the_start, whole_peer

from helpers.models.positions import sinusoidal
from helpers.models.transformer import (
    Attention,
    EncoderLayer,
    Transformer,
    causal_mask,
    padding_mask,
)

few = settings(max_examples=20, deadline=None, derandomize=True)


@st.composite
def drawn_sizes(draw):
    """The sizes of a layer and of its input; the seed determines the weights."""
    size = SimpleNamespace(
        heads=draw(st.integers(1, 4)),
        head_dim=2 * draw(st.integers(1, 3)),
        d_ff=draw(st.integers(1, 20)),
        batch=draw(st.integers(1, 3)),
        source=draw(st.integers(1, 7)),
        target=draw(st.integers(1, 7)),
        norm_first=draw(st.booleans()),
        activation=draw(st.sampled_from(["relu", "gelu"])),
        padded=draw(st.booleans()),
        causal=draw(st.booleans()),
        eps=draw(st.sampled_from([1e-5, 1e-12])),
    )
    torch.manual_seed(draw(st.integers(0, 1000)))
    size.d_model = size.heads * size.head_dim
    return size


def some_padding(batch, tokens):
    """(batch, tokens), True = padding: on the right, and never a whole sentence."""
    lengths = torch.randint(1, tokens + 1, (batch,))
    return torch.arange(tokens) >= lengths[:, None]


# --- Parity ---


@few
@given(size=drawn_sizes())
def test_encoder_layer_is_pytorchs(size):
    ours = EncoderLayer(
        size.d_model, size.heads, size.d_ff, 0.0, size.activation, size.norm_first, size.eps
    )
    theirs = encoder_peer(unlike_the_start(ours))
    x = torch.randn(size.batch, size.source, size.d_model, requires_grad=True)
    padding = some_padding(size.batch, size.source) if size.padded else None
    mask = padding_mask(padding) if size.padded else None
    if size.causal:
        mask = causal_mask(size.source) | mask if size.padded else causal_mask(size.source)
    future = causal_mask(size.source)[0, 0] if size.causal else None
    how = {"src_mask": future, "src_key_padding_mask": padding}
    assert_alike(ours(x, mask), theirs(x, **how), [x])


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")  # a fast path that PyTorch leaves
@settings(max_examples=10, deadline=None, derandomize=True)
@given(layers=st.integers(1, 3), size=drawn_sizes())
def test_the_whole_is_pytorchs(layers, size):
    how = (0.0, size.norm_first)
    ours = Transformer(11, 13, size.d_model, size.heads, layers, size.d_ff, *how)
    theirs = whole_peer(unlike_the_start(ours))
    source = torch.randint(11, (size.batch, size.source))
    target = torch.randint(13, (size.batch, size.target))
    paddings = [some_padding(*ids.shape) if size.padded else None for ids in (source, target)]
    scores = ours(source, target, *paddings)
    peer_output = theirs(
        ours.embed(source, ours.source_embedding),
        ours.embed(target, ours.target_embedding),
        tgt_mask=causal_mask(size.target)[0, 0],
        src_key_padding_mask=paddings[0],
        memory_key_padding_mask=paddings[0],
        tgt_key_padding_mask=paddings[1],
    )
    words = [ours.source_embedding.weight, ours.target_embedding.weight]
    assert_alike(scores, ours.out(peer_output), words)
    scores.sum().backward()
    assert all(parameter.grad is not None for parameter in ours.parameters())


def test_a_word_goes_in_as_its_vector_times_the_root_plus_its_position():
    model = Transformer(9, 7, 16, 2, 1, 16).eval()
    ids = torch.tensor([[4, 4, 1], [0, 6, 4]])
    embedded = model.embed(ids, model.target_embedding)
    wanted = 4 * model.target_embedding.weight[ids] + sinusoidal(3, 16)
    assert gap(embedded, wanted) < 1e-6


# --- The weights, and the two ways through ---


def tiny(**others):
    torch.manual_seed(0)
    model = Transformer(12, 10, 8, 2, 2, 16, **others)
    source, target = torch.randint(2, 12, (3, 6)), torch.randint(2, 10, (3, 5))
    source_padding = torch.arange(6) >= torch.tensor([6, 4, 1])[:, None]
    target_padding = torch.arange(5) >= torch.tensor([2, 5, 3])[:, None]
    return model, source, target, source_padding, target_padding


def test_asking_for_the_weights_changes_no_score():
    model, *inputs = tiny()
    model.eval()
    scores, weights = model(*inputs, return_weights=True)
    assert gap(scores, model(*inputs)) < 1e-6
    shapes = {name: tuple(kept.shape) for name, kept in weights.items()}
    assert shapes == {
        "encoder": (2, 3, 2, 6, 6),  # (layers, batch, heads, queries, keys)
        "decoder": (2, 3, 2, 5, 5),
        "cross": (2, 3, 2, 5, 6),
    }
    _, _, _, source_padding, target_padding = tiny()
    for name, padding in {"encoder": source_padding, "cross": source_padding}.items():
        assert weights[name].sum(dim=-1).allclose(torch.ones(()))
        hidden = padding[:, None, None].expand_as(weights[name][0])
        assert (weights[name][:, hidden] == 0).all() and (weights[name][:, ~hidden] > 0).all()
    hidden = causal_mask(5) | padding_mask(target_padding)
    assert ((weights["decoder"] == 0) == hidden).all()


def test_a_query_that_may_see_nothing_is_no_nan():
    attention, x = Attention(8, 2), torch.randn(2, 3, 8, requires_grad=True)
    mask = padding_mask(torch.tensor([[True] * 3, [False] * 3]))
    for return_weights in (False, True):
        context = attention(x, mask=mask, return_weights=return_weights)
        context = context[0] if return_weights else context
        assert (
            context.isfinite().all() and gap(context[0], attention.out_proj.bias.expand(3, 8)) == 0
        )
        context.sum().backward()
        assert x.grad.isfinite().all()


def test_a_mask_that_is_said_to_be_causal_changes_nothing():
    torch.manual_seed(0)
    layer, x = EncoderLayer(6, 2, 8), torch.randn(2, 5, 6)
    for return_weights in (False, True):
        wanted = layer(x, causal_mask(5), return_weights)
        found = layer(x, causal_mask(5), return_weights, is_causal=True)
        for one, other in zip(wanted, found):
            assert gap(one, other) < 1e-6


def test_dropout_in_training_only_and_everywhere():
    model, *inputs = tiny(dropout=0.5)
    model.train()
    assert gap(model(*inputs), model(*inputs)) > 0.01
    model.eval()
    assert gap(model(*inputs), model(*inputs)) == 0
    layer = model.decoder[0].train()
    asked = []
    for part in (layer.attention, layer.cross_attention):
        _, weights = part(torch.randn(2, 5, 8), return_weights=True)
        asked.append((weights == 0).any())
    assert all(asked)
