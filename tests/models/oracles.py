"""References for our layers: PyTorch's own, with the weights of ours."""

import torch
from torch import nn

NEAR = {torch.float32: 1e-4, torch.float64: 1e-11}


def assert_alike(one, other, leaves):
    """The same numbers, and the same gradients for the leaves."""
    near = NEAR[one.dtype]
    torch.testing.assert_close(one, other, atol=near, rtol=near)
    weigh = torch.sin(torch.arange(one.numel(), dtype=one.dtype)).view_as(one)
    found = [
        torch.autograd.grad((x * weigh).sum(), leaves, retain_graph=True) for x in (one, other)
    ]
    for mine, its in zip(*found):
        torch.testing.assert_close(mine, its, atol=10 * near, rtol=10 * near)


def unlike_the_start(module):
    """The same with other weights: biases of 0 and norms of 1 would hide that one was left out."""
    for parameter in module.parameters():
        parameter.data = torch.randn_like(parameter) * 0.5
    return module


def gap(a, b):
    """The largest difference. The shapes must be equal, not only broadcast to each other."""
    b = torch.as_tensor(b, dtype=torch.float64)
    assert a.shape == b.shape
    return (a.double() - b).abs().max().item()


def copy_attention(ours, theirs):
    """Copy our three projections into the one tall matrix of `nn.MultiheadAttention`."""
    projections = (ours.W_query, ours.W_key, ours.W_value)
    theirs.in_proj_weight.data = torch.cat([projection.weight.data for projection in projections])
    theirs.in_proj_bias.data = torch.cat([projection.bias.data for projection in projections])
    theirs.out_proj.load_state_dict(ours.out_proj.state_dict())


def copy_layer(ours, theirs):
    """Copy an encoder layer or a decoder layer."""
    copy_attention(ours.attention, theirs.self_attn)
    if hasattr(ours, "cross_attention"):
        copy_attention(ours.cross_attention, theirs.multihead_attn)
        theirs.norm3.load_state_dict(ours.norm3.state_dict())
    theirs.linear1.load_state_dict(ours.feed_forward.linear1.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.linear2.state_dict())
    theirs.norm1.load_state_dict(ours.norm1.state_dict())
    theirs.norm2.load_state_dict(ours.norm2.state_dict())
    return theirs


def options_of(layer):
    """What PyTorch calls the options of one of our layers."""
    return {
        "dim_feedforward": layer.feed_forward.linear1.out_features,
        "dropout": layer.dropout.p,
        "activation": layer.feed_forward.activation,
        "layer_norm_eps": layer.norm1.eps,
        "batch_first": True,
        "norm_first": layer.norm_first,
    }


def encoder_peer(ours):
    """An `nn.TransformerEncoderLayer` with our weights."""
    size = ours.attention.d_model, ours.attention.num_heads
    return copy_layer(ours, nn.TransformerEncoderLayer(*size, **options_of(ours)))


def whole_peer(ours):
    """An `nn.Transformer` with our weights, without embeddings and last layer."""
    one, layers = ours.encoder[0], (len(ours.encoder), len(ours.decoder))
    theirs = nn.Transformer(ours.d_model, one.attention.num_heads, *layers, **options_of(one))
    for mine, its in ((ours.encoder, theirs.encoder), (ours.decoder, theirs.decoder)):
        for layer, peer in zip(mine, its.layers):
            copy_layer(layer, peer)
    theirs.encoder.norm.load_state_dict(ours.encoder_norm.state_dict())
    theirs.decoder.norm.load_state_dict(ours.decoder_norm.state_dict())
    return theirs
