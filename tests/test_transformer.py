"""The layers and the whole Transformer against PyTorch's own, and what padding must not do."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch_peers import copy_attention, gradients_as_theirs, layer_peer, whole_peer

from helpers.models.positions import sinusoidal
from helpers.models.transformer import (
    Attention,
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    Transformer,
    causal_mask,
    padding_mask,
)

few = settings(max_examples=20, deadline=None, derandomize=True)
SIZES = {
    "heads": st.integers(1, 4),
    "head_dim": st.integers(1, 6),
    "d_ff": st.integers(1, 20),
    "batch": st.integers(1, 3),
    "source": st.integers(1, 7),
    "target": st.integers(1, 7),
    "norm_first": st.booleans(),
    "activation": st.sampled_from(["relu", "gelu"]),
    "padded": st.booleans(),
    "seed": st.integers(0, 1000),
}


def gap(a, b):
    """The largest difference; the shapes must be the same, not only fit for broadcasting."""
    assert a.shape == b.shape
    return (a.double() - b.double()).abs().max().item()


def some_padding(batch, tokens):
    """(batch, tokens), True = only fills up: at the right, never all of a sentence."""
    lengths = torch.randint(1, tokens + 1, (batch,))
    return torch.arange(tokens) >= lengths[:, None]


def unlike_the_start(module):
    """Biases of 0 and norms of 1 would hide what is forgotten of them."""
    for parameter in module.parameters():
        parameter.data = torch.randn_like(parameter) * 0.5
    return module


def same_backwards(ours, theirs, output, peer_output, inputs, peer_inputs):
    pull = torch.randn_like(output)
    output.backward(pull)
    peer_output.backward(pull)
    for mine, its in zip(inputs, peer_inputs):
        assert gap(mine.grad, its.grad) < 1e-5 * max(1, its.grad.abs().max().item())
    for mine, its in gradients_as_theirs(ours, theirs):
        assert gap(mine, its) < 1e-5 * max(1, its.abs().max().item())


def twice(*shape):
    x = torch.randn(shape)
    return x.clone().requires_grad_(), x.clone().requires_grad_()


# --- Parity ---


@few
@given(causal=st.booleans(), eps=st.sampled_from([1e-5, 1e-12]), **SIZES)
def test_encoder_layer_is_pytorchs(
    heads, head_dim, d_ff, batch, source, target, norm_first, activation, padded, seed, causal, eps
):
    torch.manual_seed(seed)
    d_model = heads * head_dim + heads * (heads * head_dim == 1)  # LayerNorm of 1 number is 0
    ours = EncoderLayer(d_model, heads, d_ff, 0.0, activation, norm_first, eps)
    theirs = layer_peer(unlike_the_start(ours), nn.TransformerEncoderLayer)
    x, its_x = twice(batch, source, d_model)
    padding = some_padding(batch, source) if padded else None
    mask = padding_mask(padding) if padded else None
    if causal:
        mask = causal_mask(source) | mask if padded else causal_mask(source)
    output = ours(x, mask)
    peer_output = theirs(
        its_x,
        src_mask=causal_mask(source)[0, 0] if causal else None,
        src_key_padding_mask=padding,
    )
    assert gap(output, peer_output) < 1e-5
    same_backwards(ours, theirs, output, peer_output, [x], [its_x])


@few
@given(causal=st.booleans(), target_padded=st.booleans(), **SIZES)
def test_decoder_layer_is_pytorchs(
    heads,
    head_dim,
    d_ff,
    batch,
    source,
    target,
    norm_first,
    activation,
    padded,
    seed,
    causal,
    target_padded,
):
    torch.manual_seed(seed)
    d_model = heads * head_dim + heads * (heads * head_dim == 1)
    ours = DecoderLayer(d_model, heads, d_ff, 0.0, activation, norm_first)
    theirs = layer_peer(unlike_the_start(ours), nn.TransformerDecoderLayer)
    x, its_x = twice(batch, target, d_model)
    memory, its_memory = twice(batch, source, d_model)
    source_padding = some_padding(batch, source) if padded else None
    target_padding = some_padding(batch, target) if target_padded else None
    mask = causal_mask(target) if causal else None
    if target_padded:
        mask = padding_mask(target_padding) if mask is None else mask | padding_mask(target_padding)
    output = ours(x, memory, mask, padding_mask(source_padding) if padded else None)
    peer_output = theirs(
        its_x,
        its_memory,
        tgt_mask=causal_mask(target)[0, 0] if causal else None,
        tgt_key_padding_mask=target_padding,
        memory_key_padding_mask=source_padding,
    )
    assert gap(output, peer_output) < 1e-5
    same_backwards(ours, theirs, output, peer_output, [x, memory], [its_x, its_memory])


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")  # a fast path that PyTorch leaves
@settings(max_examples=10, deadline=None, derandomize=True)
@given(layers=st.integers(1, 3), final_norm=st.booleans(), **SIZES)
def test_the_whole_is_pytorchs(
    heads,
    head_dim,
    d_ff,
    batch,
    source,
    target,
    norm_first,
    activation,
    padded,
    seed,
    layers,
    final_norm,
):
    torch.manual_seed(seed)
    d_model = 2 * heads * head_dim  # even, for the positions
    ours = Transformer(
        11, 13, d_model, heads, layers, d_ff, 0.0, activation, norm_first, 1e-5, final_norm
    )
    theirs = whole_peer(unlike_the_start(ours))
    source_ids, target_ids = torch.randint(11, (batch, source)), torch.randint(13, (batch, target))
    source_padding = some_padding(batch, source) if padded else None
    target_padding = some_padding(batch, target) if padded else None
    scores = ours(source_ids, target_ids, source_padding, target_padding)
    assert scores.shape == (batch, target, 13)
    peer_output = theirs(
        ours.embed(source_ids, ours.source_embedding),
        ours.embed(target_ids, ours.target_embedding),
        tgt_mask=causal_mask(target)[0, 0],
        src_key_padding_mask=source_padding,
        memory_key_padding_mask=source_padding,
        tgt_key_padding_mask=target_padding,
    )
    peer_scores = ours.out(peer_output)
    assert gap(scores, peer_scores) < 1e-5 * max(1, peer_scores.abs().max().item())
    pull = torch.randn_like(scores)
    ours_grads = torch.autograd.grad(
        scores, [ours.source_embedding.weight, ours.target_embedding.weight], pull
    )
    its_grads = torch.autograd.grad(
        peer_scores, [ours.source_embedding.weight, ours.target_embedding.weight], pull
    )
    for mine, its in zip(ours_grads, its_grads):
        assert gap(mine, its) < 1e-4 * max(1, its.abs().max().item())


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_both_gelus(approximate):
    torch.manual_seed(0)
    ours = FeedForward(4, 8, activation="gelu" if approximate == "none" else "gelu_tanh")
    theirs = nn.Sequential(ours.linear1, nn.GELU(approximate), ours.linear2)
    x = torch.randn(2, 3, 4) * 3
    assert gap(ours(x), theirs(x)) < 1e-6
    other = FeedForward(4, 8, activation="gelu_tanh" if approximate == "none" else "gelu")
    other.load_state_dict(ours.state_dict())
    assert gap(ours(x), other(x)) > 1e-6  # they are not one


# --- Parameters ---


def count(*modules):
    return sum(parameter.numel() for module in modules for parameter in module.parameters())


def test_parameters():
    with torch.device("meta"):
        ours = Transformer(37_000, 37_000)
        parts = (ours.encoder, ours.decoder, ours.encoder_norm, ours.decoder_norm)
        assert count(*parts) == count(nn.Transformer(batch_first=True)) == 44_140_544
        assert count(ours.encoder[0]) == 3_152_384
        assert count(ours.decoder[0]) == 4_204_032
        paper = Transformer(37_000, 37_000, final_norm=False, shared=True)
        assert count(paper) == 63_082_496
        assert count(EncoderLayer(768, 12, 3072)) == 7_087_872  # of GPT-2 and of BERT
        assert (
            count(EncoderLayer(768, 12, 3072)) - count(EncoderLayer(768, 12, 3072, qkv_bias=False))
            == 3 * 768
        )


def test_what_is_not_said_is_as_in_pytorch():
    with torch.device("meta"):
        ours, theirs = Transformer(9, 9), nn.Transformer(batch_first=True)
        pairs = [(EncoderLayer(8, 2, 16), nn.TransformerEncoderLayer(8, 2))]
        pairs += zip(
            [*ours.encoder, *ours.decoder], [*theirs.encoder.layers, *theirs.decoder.layers]
        )
    assert len(pairs) == 13 and ours.encoder_norm.eps == theirs.encoder.norm.eps
    for mine, its in pairs:
        assert (mine.norm1.eps, mine.norm_first) == (its.norm1.eps, its.norm_first)
    assert ours.dropout.p == ours.decoder[0].dropout.p == theirs.decoder.layers[0].dropout.p
    assert EncoderLayer(8, 2, 16).dropout.p == 0  # as in the other layers of the series


def test_a_word_goes_in_as_its_vector_times_the_root_plus_its_place():
    model = Transformer(9, 7, 16, 2, 1, 16).eval()
    ids = torch.tensor([[4, 4, 1], [0, 6, 4]])
    embedded = model.embed(ids, model.target_embedding)
    wanted = 4 * model.target_embedding.weight[ids] + sinusoidal(3, 16)
    assert gap(embedded, wanted) < 1e-6


def test_a_shared_matrix_is_one_matrix():
    model = Transformer(9, 9, 8, 2, 1, 16, shared=True)
    weights = (model.out, model.source_embedding, model.target_embedding)
    assert len({layer.weight.data_ptr() for layer in weights}) == 1
    assert "out.weight" in model.state_dict()


def test_embeddings_do_not_drown_the_positions():
    torch.manual_seed(0)
    model = Transformer(1000, 1000, 64, 2, 1, 16).eval()
    deviation = (model.source_embedding.weight * 8).std().item()
    assert abs(deviation - 1) < 0.05


# --- The weights, and the two ways through ---


def tiny(**others):
    torch.manual_seed(0)
    model = Transformer(12, 10, 8, 2, 2, 16, **others)
    source, target = torch.randint(2, 12, (3, 6)), torch.randint(2, 10, (3, 5))
    source_padding = torch.arange(6) >= torch.tensor([6, 4, 1])[:, None]
    target_padding = torch.arange(5) >= torch.tensor([2, 5, 3])[:, None]
    return model, source, target, source_padding, target_padding


@pytest.mark.parametrize("norm_first", [False, True])
def test_asking_for_the_weights_changes_no_score(norm_first):
    model, *inputs = tiny(norm_first=norm_first)
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


def test_weights_are_nn_multiheadattentions():
    torch.manual_seed(0)
    ours = unlike_the_start(Attention(8, 2))
    theirs = nn.MultiheadAttention(8, 2, batch_first=True)
    copy_attention(ours, theirs)
    x, memory = torch.randn(3, 4, 8), torch.randn(3, 6, 8)
    padding = some_padding(3, 6)
    context, weights = ours(x, memory, padding_mask(padding), return_weights=True)
    its_context, its_weights = theirs(
        x, memory, memory, key_padding_mask=padding, average_attn_weights=False
    )
    assert gap(context, its_context) < 1e-5 and gap(weights, its_weights) < 1e-5


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


def test_only_return_weights_keeps_them():
    model, *inputs = tiny()
    model.eval()
    shapes = []

    def note(tensor):
        shapes.append(tuple(tensor.shape[-2:]))
        return tensor

    for return_weights in (False, True):
        shapes.clear()
        with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
            model(*inputs, return_weights=return_weights)
        assert ((5, 6) in shapes) is return_weights


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


# --- Masks: what must not move ---


@pytest.mark.parametrize("norm_first", [False, True])
def test_padding_changes_nothing(norm_first):
    model, source, target, *_ = tiny(norm_first=norm_first)
    model.eval()
    alone = model(source[:1, :4], target[:1, :3])
    longer_source = torch.cat([source[:1, :4], torch.randint(12, (1, 9))], dim=1)
    longer_target = torch.cat([target[:1, :3], torch.randint(10, (1, 7))], dim=1)
    padded = model(
        longer_source, longer_target, torch.arange(13)[None] >= 4, torch.arange(10)[None] >= 3
    )
    assert gap(alone, padded[:, :3]) < 1e-6
    unmasked = model(longer_source, longer_target)
    assert gap(alone, unmasked[:, :3]) > 1e-3  # the test can see it


def test_padding_at_the_left_of_the_target_changes_what_it_must_only_by_its_place():
    """Left padding moves the places of words, so the layers are asked, not the whole."""
    torch.manual_seed(0)
    layer, x, memory = DecoderLayer(8, 2, 16), torch.randn(1, 3, 8), torch.randn(1, 4, 8)
    padded = torch.cat([torch.randn(1, 2, 8), x], dim=1)
    mask = causal_mask(5) | padding_mask(torch.arange(5)[None] < 2)
    assert gap(layer(x, memory, causal_mask(3)), layer(padded, memory, mask)[:, 2:]) < 1e-6


def test_the_decoder_sees_no_later_word_and_all_of_the_source():
    model, source, target, *_ = tiny()
    model.eval()
    before = model(source, target)
    poked = target.clone()
    poked[:, 3] = (poked[:, 3] + 1) % 10
    moved = (model(source, poked) - before).abs().amax(dim=(0, 2))
    assert (moved[:3] == 0).all() and (moved[3:] > 1e-4).all()
    poked = source.clone()
    poked[:, -1] = (poked[:, -1] + 1) % 12
    assert ((model(poked, target) - before).abs().amax(dim=(0, 2)) > 1e-4).all()


def test_encode_then_decode_is_the_whole():
    model, source, target, source_padding, target_padding = tiny()
    model.eval()
    memory = model.encode(source, source_padding)
    assert memory.shape == (3, 6, 8)
    scores = model.decode(target, memory, source_padding, target_padding)
    assert gap(scores, model(source, target, source_padding, target_padding)) == 0


def test_gradients_by_finite_differences():
    torch.manual_seed(0)
    layer = DecoderLayer(4, 2, 5).double()
    names, values = zip(*layer.named_parameters())
    memory_mask = padding_mask(torch.tensor([[False, False, True]]))

    def run(x, memory, *values):
        arguments = (x, memory, causal_mask(2), memory_mask)
        return torch.func.functional_call(layer, dict(zip(names, values)), arguments)

    x, memory = torch.randn(1, 2, 4).double(), torch.randn(1, 3, 4).double()
    inputs = [tensor.detach().requires_grad_() for tensor in (x, memory, *values)]
    assert torch.autograd.gradcheck(run, inputs)
