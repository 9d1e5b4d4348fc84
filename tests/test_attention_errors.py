"""What the attention layers refuse, and what they say: who, what came, what to do."""

import ast
import inspect

import pytest
import torch

import helpers.models.attention
from helpers.models.attention import (
    CausalAttention,
    MultiHeadAttention,
    MultiHeadAttentionWrapper,
    SelfAttention,
    scaled_dot_product_attention,
)

LAYERS = [SelfAttention, CausalAttention, MultiHeadAttentionWrapper, MultiHeadAttention]
CAUSAL = LAYERS[1:]
REST = {  # the arguments after (d_in, d_out)
    SelfAttention: {},
    CausalAttention: {"context_length": 6},
    MultiHeadAttentionWrapper: {"context_length": 6, "dropout": 0.0, "num_heads": 2},
    MultiHeadAttention: {"context_length": 6, "dropout": 0.0, "num_heads": 2},
}
layers = pytest.mark.parametrize("cls", LAYERS)
causal = pytest.mark.parametrize("cls", CAUSAL)


def make(cls, **changes):
    return cls(**({"d_in": 3, "d_out": 4} | REST[cls] | changes))


def refused(kind, message, call, *args, **kwargs):
    """The call must raise exactly this kind, with exactly this message."""
    with pytest.raises(Exception) as caught:
        call(*args, **kwargs)
    assert (type(caught.value), str(caught.value)) == (kind, message)


# --- Making a layer ---

SIZES = [(cls, size) for cls in LAYERS for size in ("d_in", "d_out", *REST[cls])]
SIZES = [(cls, size) for cls, size in SIZES if size != "dropout"]


@pytest.mark.parametrize("cls, size", SIZES)
def test_sizes(cls, size):
    name = f"{cls.__name__}: {size}"
    for bad in (0, -1):
        message = f"{name}={bad} is too small; pass 1 or more"
        refused(ValueError, message, make, cls, **{size: bad})
    for bad, kind in [(2.0, "float"), ("2", "str"), (None, "NoneType"), (True, "bool")]:
        message = f"{name}={bad!r} is a {kind}; pass an int, such as {size}=2"
        refused(TypeError, message, make, cls, **{size: bad})


@layers
def test_sizes_of_one_are_fine(cls):
    layer = make(cls, d_in=1, d_out=1, **{size: 1 for size in REST[cls] if size != "dropout"})
    assert layer(torch.ones(1, 1)).shape == (1, 1)
    assert layer(torch.ones(1, 1), return_weights=True)[1].flatten().tolist() == [1.0]


PASS = "pass the share to drop, such as 0.1 for 10 %"


def dropping(call):
    """Everything that takes a dropout, as (its name, a function of the dropout)."""
    x = torch.ones(2, 3)
    if call == "function":
        name = "scaled_dot_product_attention"
        return name, lambda dropout: scaled_dot_product_attention(x, x, x, dropout=dropout)
    return call.__name__, lambda dropout: make(call, dropout=dropout)


@pytest.mark.parametrize("call", [*CAUSAL, "function"])
def test_dropout(call):
    name, run = dropping(call)
    for bad in (1.0, 1, -0.01, 50, float("nan")):
        refused(ValueError, f"{name}: dropout={bad} is outside [0, 1); {PASS}", run, bad)
    for bad, kind in [("0.1", "str"), (None, "NoneType"), (True, "bool"), (False, "bool")]:
        message = f"{name}: dropout={bad!r} is a {kind}, not a number in [0, 1); {PASS}"
        refused(TypeError, message, run, bad)
    for good in (0, 0.0, 0.99):
        run(good)


def test_heads_that_do_not_divide():
    name = "MultiHeadAttention"
    message = f"{name}: d_out=10 is not divisible by num_heads=3; pass a multiple of 3, such as 6"
    refused(ValueError, message, MultiHeadAttention, 3, 10, 6, 0.0, 3)
    message = f"{name}: d_out=2 is not divisible by num_heads=4; pass a multiple of 4, such as 8"
    refused(ValueError, message, MultiHeadAttention, 3, 2, 6, 0.0, 4)
    MultiHeadAttention(3, 9, 6, 0.0, 3)
    MultiHeadAttentionWrapper(3, 10, 6, 0.0, 3)  # d_out for each head: nothing to divide


# --- Calling a layer ---


@layers
@pytest.mark.parametrize("return_weights", [False, True])
def test_inputs(cls, return_weights):
    layer, name = make(cls), f"{cls.__name__}: x"

    def refuses(kind, message, x):
        refused(kind, f"{name} {message}", layer, x, return_weights)

    wrap = "not a tensor; wrap it in torch.tensor()"
    refuses(TypeError, f"is a list, {wrap}", [[1.0, 2.0, 3.0]])
    refuses(TypeError, f"is a NoneType, {wrap}", None)
    hint = "look token ids up in an nn.Embedding, or convert with .float()"
    for dtype in (torch.int64, torch.bool, torch.complex64):
        message = f"holds {dtype}, not floating-point numbers; {hint}"
        refuses(TypeError, message, torch.ones(2, 3).to(dtype))
    hint = "x[None] adds a dimension, x.flatten(0, 1) merges two"
    for shape in [(), (3,), (2, 2, 4, 3), (1, 2, 2, 4, 3)]:
        message = f"has shape {shape}; expected (tokens, 3) or (batch, tokens, 3): {hint}"
        refuses(ValueError, message, torch.ones(shape))
    for size, shape in [(2, (4, 2)), (4, (4, 4)), (5, (2, 3, 5)), (0, (2, 0))]:
        hint = f"pass embeddings of size 3, or make the layer with d_in={size}"
        message = f"has embeddings of size {size}; expected d_in=3: {hint}"
        refuses(ValueError, message, torch.ones(shape))
    for shape in [(0, 3), (2, 0, 3)]:
        message = f"is empty, shape {shape}; pass at least one token"
        refuses(ValueError, message, torch.ones(shape))


@causal
@pytest.mark.parametrize("return_weights", [False, True])
def test_context_length(cls, return_weights):
    layer = make(cls)
    for shape in [(7, 3), (2, 7, 3)]:
        hint = "pass fewer, or make the layer with context_length=7"
        message = f"{cls.__name__}: x has 7 tokens; at most context_length=6 fit: {hint}"
        refused(ValueError, message, layer, torch.ones(shape), return_weights)
    layer(torch.ones(6, 3), return_weights)  # exactly as many as fit
    make(SelfAttention)(torch.ones(99, 3), return_weights)  # no mask, no limit


def test_a_subclass_is_named_in_its_own_messages():
    class Mine(CausalAttention):
        pass

    refused(ValueError, "Mine: d_in=0 is too small; pass 1 or more", Mine, 0, 2, 6)


# --- Calling the function ---


def test_queries_keys_and_values():
    name, x = "scaled_dot_product_attention", torch.ones(2, 3)
    for place, label in enumerate(["query", "key", "value"]):

        def call(bad, place=place):
            arguments = [x, x, x]
            arguments[place] = bad
            return scaled_dot_product_attention(*arguments)

        start = f"{name}: {label}"
        refused(TypeError, f"{start} is a list, not a tensor; wrap it in torch.tensor()", call, [1])
        hint = "look token ids up in an nn.Embedding, or convert with .float()"
        message = f"{start} holds torch.int64, not floating-point numbers; {hint}"
        refused(TypeError, message, call, x.long())
        for shape in [(3,), (), (0, 3), (2, 0)]:
            wanted = "expected (..., tokens, d), neither of them 0: x[None] adds a dimension"
            message = f"{start} has shape {shape}; {wanted}"
            refused(ValueError, message, call, torch.ones(shape))


def test_sizes_that_do_not_fit_together():
    name, ones = "scaled_dot_product_attention", torch.ones
    for d_k, keys, hint in [
        (5, 4, "project query and key to the same last size, d_k"),
        (2, 4, "project query and key to the same last size, d_k"),
        (3, 5, "pass one value for each key, from the same tokens"),
        (3, 2, "pass one value for each key, from the same tokens"),
    ]:
        message = f"{name}: query (2, 3), key ({keys}, {d_k}), value (4, 6); {hint}"
        arguments = ones(2, 3), ones(keys, d_k), ones(4, 6)
        refused(ValueError, message, scaled_dot_product_attention, *arguments)
    context, weights = scaled_dot_product_attention(ones(2, 3), ones(4, 3), ones(4, 6))
    assert context.shape == (2, 6) and weights.shape == (2, 4)


def test_an_empty_batch_is_no_mistake():
    context, weights = scaled_dot_product_attention(*torch.ones(3, 0, 4, 2))
    assert context.shape == (0, 4, 2) and weights.shape == (0, 4, 4)
    for cls in LAYERS:
        assert make(cls)(torch.ones(0, 5, 3)).shape[:2] == (0, 5)
        assert make(cls)(torch.ones(0, 5, 3), return_weights=True)[1].shape[-2:] == (5, 5)


def test_masks():
    name, x = "scaled_dot_product_attention: mask", torch.ones(2, 4, 3)

    def call(mask):
        return scaled_dot_product_attention(x, x, x, mask)

    hint = "pass a tensor of booleans, True = hidden: mask.bool()"
    for bad, came in [
        (torch.ones(4, 4), "torch.float32"),
        (torch.ones(4, 4).long(), "torch.int64"),
        ([[True]], "list"),
        (False, "bool"),
    ]:
        refused(TypeError, f"{name} is {came}; {hint}", call, bad)
    hint = "cut it to the tokens at hand, with 1 for a size to repeat"
    for shape in [(6, 6), (4, 5), (3, 4), (3, 1, 4), (2,), (1, 2, 4, 4)]:
        message = f"{name} has shape {shape}, the scores (2, 4, 4); {hint}"
        refused(ValueError, message, call, torch.zeros(shape, dtype=torch.bool))


# --- Signatures and sources ---


def test_signatures():
    tail = "context_length, dropout, num_heads, qkv_bias=False)"
    assert {f: str(inspect.signature(f)) for f in [scaled_dot_product_attention, *LAYERS]} == {
        scaled_dot_product_attention: "(query, key, value, mask=None, dropout=0.0)",
        SelfAttention: "(d_in, d_out, qkv_bias=False)",
        CausalAttention: "(d_in, d_out, context_length, dropout=0.0, qkv_bias=False)",
        MultiHeadAttentionWrapper: f"(d_in, d_out, {tail}",
        MultiHeadAttention: f"(d_in, d_out, {tail}",
    }
    for cls in LAYERS:
        assert str(inspect.signature(cls.forward)) == "(self, x, return_weights=False)"


def test_torch_is_all_it_imports_and_nothing_hangs_on_assert():
    """`python -O` strips assert statements: a check made of one would go with them."""
    nodes = list(ast.walk(ast.parse(inspect.getsource(helpers.models.attention))))
    assert not any(isinstance(node, ast.Assert) for node in nodes)
    names = {a.name for node in nodes if isinstance(node, ast.Import) for a in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} == {"torch"}
