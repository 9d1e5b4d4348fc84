"""The attention layers against their peers: the book's classes, PyTorch's own, Keras's."""

import copy

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from helpers.models.attention import (
    CausalAttention,
    MultiHeadAttention,
    MultiHeadAttentionWrapper,
    SelfAttention,
    scaled_dot_product_attention,
)

BUILD = {
    SelfAttention: lambda: SelfAttention(3, 4, qkv_bias=True),
    CausalAttention: lambda: CausalAttention(3, 4, 7, qkv_bias=True),
    MultiHeadAttentionWrapper: lambda: MultiHeadAttentionWrapper(3, 4, 7, 0.0, 2, qkv_bias=True),
    MultiHeadAttention: lambda: MultiHeadAttention(3, 10, 7, 0.0, 2, qkv_bias=True),
}
layers = pytest.mark.parametrize("cls", BUILD)


def gap(a, b):
    """The largest difference; the shapes must be the same, not only fit for broadcasting."""
    assert a.shape == b.shape
    return (a.double() - b.double()).abs().max().item()


# --- The two ways through a layer ---


@layers
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("shape", [(2, 6, 3), (6, 3), (2, 1, 3)])
def test_both_paths_agree_forward_and_backward(cls, training, shape):
    torch.manual_seed(0)
    layer, results = BUILD[cls]().train(training), []
    x, pull = torch.randn(shape), None
    for explicit in (False, True):
        layer.zero_grad()
        leaf = x.clone().requires_grad_()
        context = layer(leaf, return_weights=True)[0] if explicit else layer(leaf)
        pull = torch.randn_like(context) if pull is None else pull
        context.backward(pull)
        grads = [parameter.grad.clone() for parameter in layer.parameters()]
        results.append([context, leaf.grad, *grads])
    for fused, explicit in zip(*results):
        assert gap(fused, explicit) < 1e-5


@layers
@pytest.mark.parametrize("explicit", [False, True])
@pytest.mark.parametrize("shape", [(7, 3), (2, 7, 3)])
def test_only_the_explicit_path_keeps_a_matrix_of_tokens_by_tokens(cls, explicit, shape):
    layer, shapes = BUILD[cls](), []

    def note(tensor):
        shapes.append(tuple(tensor.shape[-2:]))
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        layer(torch.randn(shape, requires_grad=True), return_weights=explicit)
    assert ((7, 7) in shapes) is explicit


@layers
@pytest.mark.parametrize("explicit", [False, True])
def test_gradients_by_finite_differences(cls, explicit):
    torch.manual_seed(0)
    layer = BUILD[cls]().double()
    names, values = zip(*layer.named_parameters())

    def run(x, *values):
        parameters = dict(zip(names, values))
        return torch.func.functional_call(layer, parameters, (x, explicit))

    x = torch.randn(2, 4, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(run, (x, *values), fast_mode=True)


def test_gradients_of_the_function_by_finite_differences():
    torch.manual_seed(0)
    shapes = [(2, 3, 4), (2, 5, 4), (2, 5, 2)]
    qkv = [torch.randn(s, dtype=torch.float64, requires_grad=True) for s in shapes]
    mask = torch.rand(2, 3, 5) < 0.4
    mask[0, 1] = True  # one query that sees nothing
    assert torch.autograd.gradcheck(lambda *t: scaled_dot_product_attention(*t, mask), qkv)


# --- PyTorch's own ---


def test_against_torchs_function_whose_mask_is_the_other_way_round():
    torch.manual_seed(0)
    query, key, value = torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.randn(2, 3, 5, 6)
    mask = torch.rand(2, 3, 4, 5) < 0.4
    mask[0, 0, 0] = True  # here too a query that sees nothing gets zeros
    context, _ = scaled_dot_product_attention(query, key, value, mask)
    theirs = F.scaled_dot_product_attention
    assert gap(context, theirs(query, key, value, attn_mask=~mask)) < 1e-6
    assert gap(context, theirs(query, key, value, attn_mask=mask)) > 0.1
    context, _ = scaled_dot_product_attention(query, key, value)
    assert gap(context, theirs(query, key, value)) < 1e-6


def as_torchs(layer, heads):
    """nn.MultiheadAttention holding the weights of one of our layers."""
    size = layer.W_query.out_features
    peer = nn.MultiheadAttention(size, heads, batch_first=True)
    ours = [layer.W_query, layer.W_key, layer.W_value]
    with torch.no_grad():
        peer.in_proj_weight.copy_(torch.cat([linear.weight for linear in ours]))
        peer.in_proj_bias.copy_(torch.cat([linear.bias for linear in ours]))
        peer.out_proj.load_state_dict(layer.out_proj.state_dict())
    return peer


@pytest.mark.parametrize("training", [True, False])
def test_multi_head_against_torchs_layer(training):
    torch.manual_seed(0)
    layer = MultiHeadAttention(12, 12, 7, 0.0, 3, qkv_bias=True).train(training)
    peer = as_torchs(layer, 3).train(training)
    x, pull = torch.randn(2, 5, 12), torch.randn(2, 5, 12)
    future = torch.ones(5, 5, dtype=torch.bool).triu(1)  # True = hidden, as in ours
    theirs, their_weights = peer(x, x, x, attn_mask=future, average_attn_weights=False)
    context, weights = layer(x, return_weights=True)
    assert gap(weights, their_weights) < 1e-6
    assert gap(context, theirs) < 1e-5
    assert gap(layer(x), theirs) < 1e-5
    (theirs * pull).sum().backward()
    (layer(x) * pull).sum().backward()
    ours = [linear.weight.grad for linear in (layer.W_query, layer.W_key, layer.W_value)]
    assert gap(torch.cat(ours), peer.in_proj_weight.grad) < 1e-5
    assert gap(layer.out_proj.weight.grad, peer.out_proj.weight.grad) < 1e-5


def test_self_attention_against_one_head_of_torchs():
    torch.manual_seed(0)
    layer = SelfAttention(6, 6, qkv_bias=True)
    layer.out_proj = nn.Linear(6, 6)  # torch's layer always has one: make it do nothing
    nn.init.eye_(layer.out_proj.weight)
    nn.init.zeros_(layer.out_proj.bias)
    x = torch.randn(2, 5, 6)
    theirs, their_weights = as_torchs(layer, 1)(x, x, x)
    assert gap(layer(x), theirs) < 1e-5
    assert gap(layer(x, return_weights=True)[1], their_weights) < 1e-6


def test_the_split_layer_is_the_wrapper_in_one_piece():
    torch.manual_seed(0)
    wrapper = MultiHeadAttentionWrapper(3, 5, 7, 0.0, 4)
    layer = MultiHeadAttention(3, 20, 7, 0.0, 4)
    with torch.no_grad():
        for name in ("W_query", "W_key", "W_value"):
            heads = [getattr(head, name).weight for head in wrapper.heads]
            getattr(layer, name).weight.copy_(torch.cat(heads))
    nn.init.eye_(layer.out_proj.weight)
    nn.init.zeros_(layer.out_proj.bias)
    x = torch.randn(2, 6, 3)
    assert gap(layer(x), wrapper(x)) < 1e-6
    for a, b in zip(layer(x, return_weights=True), wrapper(x, return_weights=True)):
        assert gap(a, b) < 1e-6


# --- Keras ---


def test_multi_head_against_keras(monkeypatch, tmp_path):
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))  # it writes a settings file on import
    keras = pytest.importorskip("keras")
    if keras.backend.backend() != "torch":
        pytest.skip("Keras was imported earlier with another backend")
    torch.manual_seed(0)
    layer = MultiHeadAttention(3, 20, 7, 0.0, 4, qkv_bias=True).eval()
    peer = keras.layers.MultiHeadAttention(num_heads=4, key_dim=5, output_shape=20)
    x = torch.randn(2, 6, 3)
    peer(x, x)  # the first call makes its weights
    shapes = []
    for linear in (layer.W_query, layer.W_key, layer.W_value):
        shapes += [linear.weight.T.reshape(3, 4, 5), linear.bias.view(4, 5)]
    shapes += [layer.out_proj.weight.T.reshape(4, 5, 20), layer.out_proj.bias]
    peer.set_weights([tensor.detach().numpy() for tensor in shapes])
    theirs, their_weights = peer(x, x, use_causal_mask=True, return_attention_scores=True)
    context, weights = layer(x, return_weights=True)
    assert gap(weights, their_weights) < 1e-5
    assert gap(context, theirs) < 1e-5
    assert gap(layer(x), theirs) < 1e-5


# --- Compiled, copied, moved ---


@pytest.mark.parametrize(
    "cls",
    [pytest.param(c, marks=[pytest.mark.weekly] * (c is not MultiHeadAttention)) for c in BUILD],
)
def test_compile_without_a_break(cls):
    """By aot_eager: it traces both passes as inductor would, but needs no C++ compiler."""
    torch.manual_seed(0)
    torch.compiler.reset()
    layer = BUILD[cls]()
    compiled = torch.compile(layer, backend="aot_eager", fullgraph=True)
    for x in (torch.randn(2, 6, 3), torch.randn(2, 5, 3)):
        assert gap(compiled(x), layer(x)) < 1e-6
        for a, b in zip(compiled(x, return_weights=True), layer(x, return_weights=True)):
            assert gap(a, b) < 1e-6
    compiled(x).sum().backward()
    assert all(torch.isfinite(parameter.grad).all() for parameter in layer.parameters())


@layers
def test_a_deep_copy_is_the_same_and_its_own(cls):
    torch.manual_seed(0)
    layer, x = BUILD[cls](), torch.randn(2, 6, 3)
    twin = copy.deepcopy(layer)
    before = layer(x)
    assert torch.equal(twin(x), before)
    with torch.no_grad():
        for parameter in twin.parameters():
            parameter.add_(1.0)
    assert torch.equal(layer(x), before) and not torch.equal(twin(x), before)


@layers
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16])
def test_a_layer_works_in_any_float_type(cls, dtype):
    torch.manual_seed(0)
    layer, x = BUILD[cls](), torch.randn(2, 6, 3)
    before = layer(x)
    layer, x = layer.to(dtype), x.to(dtype)
    for context in (layer(x), layer(x, return_weights=True)[0]):
        assert context.dtype == dtype
        assert gap(context, before) < 0.03


@layers
def test_a_layer_works_under_autocast_and_on_a_strided_input(cls):
    torch.manual_seed(0)
    layer, x = BUILD[cls](), torch.randn(6, 2, 3).transpose(0, 1)
    before = layer(x.contiguous())
    assert gap(layer(x), before) < 1e-6
    assert gap(layer(x, return_weights=True)[0], before) < 1e-6
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert gap(layer(x), before) < 0.03
        assert gap(layer(x, return_weights=True)[0], before) < 0.03


# --- Names, buffers, and state_dicts of the widely copied classes ---


class BookCausal(nn.Module):
    """The names and shapes that published copies of the layer have, forward pass and all."""

    def __init__(self, d_in, d_out, length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(length, length), diagonal=1))

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.transpose(-2, -1)
        scores.masked_fill_(self.mask.bool()[: x.shape[-2], : x.shape[-2]], -torch.inf)
        return torch.softmax(scores / k.shape[-1] ** 0.5, dim=-1) @ v


class BookWrapper(nn.Module):
    def __init__(self, d_in, d_out, length, dropout, heads, qkv_bias=False):
        super().__init__()
        made = [BookCausal(d_in, d_out, length, dropout, qkv_bias) for _ in range(heads)]
        self.heads = nn.ModuleList(made)

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)


class BookMulti(BookCausal):
    def __init__(self, d_in, d_out, length, dropout, heads, qkv_bias=False):
        super().__init__(d_in, d_out, length, dropout, qkv_bias)
        self.heads, self.out_proj = heads, nn.Linear(d_out, d_out)

    def forward(self, x):
        cut = [w(x).chunk(self.heads, dim=-1) for w in (self.W_query, self.W_key, self.W_value)]
        future = self.mask.bool()[: x.shape[-2], : x.shape[-2]]
        contexts = []
        for q, k, v in zip(*cut):
            scores = (q @ k.mT).masked_fill(future, -torch.inf)
            contexts.append(torch.softmax(scores / k.shape[-1] ** 0.5, dim=-1) @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))


BOOK = [
    (BookCausal, CausalAttention, (3, 4, 6, 0.1)),
    (BookWrapper, MultiHeadAttentionWrapper, (3, 4, 6, 0.1, 2)),
    (BookMulti, MultiHeadAttention, (3, 4, 6, 0.1, 2)),
]


@pytest.mark.parametrize("assign", [False, True])
@pytest.mark.parametrize("qkv_bias", [False, True])
@pytest.mark.parametrize("theirs, ours, arguments", BOOK)
def test_state_dicts_go_both_ways(theirs, ours, arguments, qkv_bias, assign):
    torch.manual_seed(5)
    theirs = theirs(*arguments, qkv_bias).eval()
    torch.manual_seed(5)
    same_seed = ours(*arguments, qkv_bias)
    layer = ours(*arguments, qkv_bias).eval()
    layer.load_state_dict(theirs.state_dict(), strict=True, assign=assign)
    states = theirs.state_dict(), layer.state_dict(), same_seed.state_dict()
    for name in states[0] | states[1]:
        assert states[0][name].dtype == states[1][name].dtype
        assert all(torch.equal(states[0][name], state[name]) for state in states)
    theirs.load_state_dict(layer.state_dict(), strict=True)
    x = torch.randn(2, 5, 3)
    assert gap(layer(x), theirs(x)) < 1e-6
    assert gap(layer(x, return_weights=True)[0], theirs(x)) < 1e-6


def test_self_attention_holds_three_projections_alone():
    names = ["W_query.weight", "W_key.weight", "W_value.weight"]
    assert list(SelfAttention(3, 2).state_dict()) == names


@pytest.mark.parametrize("cls", [CausalAttention, MultiHeadAttention])
def test_the_mask_is_a_buffer_and_goes_along(cls):
    layer = cls(3, 2, 3, 0.0, 2) if cls is MultiHeadAttention else cls(3, 2, 3)
    want = torch.tensor([[0.0, 1, 1], [0, 0, 1], [0, 0, 0]])
    assert torch.equal(layer.mask, want)
    assert "mask" in dict(layer.named_buffers()) and "mask" not in dict(layer.named_parameters())
    assert torch.equal(layer.double().mask, want.double())
    assert layer.bfloat16().mask.dtype == torch.bfloat16
    assert layer.to("meta").mask.device.type == "meta"
