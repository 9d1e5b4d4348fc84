"""Reaching into a learner's layer: find its projections, and put known weights into them."""

import re

import torch
from torch import nn

PROJECTIONS = ("W_query", "W_key", "W_value")


def split_xray(weights, case):
    """(…, tokens, heads · tokens) of an x-ray, as (heads, tokens, tokens), if that is its shape."""
    wanted = (case.tokens, case.num_heads * case.tokens)
    if weights.shape[-2:] != wanted or weights.size != wanted[0] * wanted[1]:
        return weights
    split = weights.reshape(case.tokens, case.num_heads, case.tokens).swapaxes(0, 1)
    return split if case.num_heads > 1 else split[0]


def note_plain_tensors(outcome, layer):
    """Note tensors that are neither parameter nor buffer: they stay behind, and are not trained."""
    found = [
        name
        for module in layer.modules()
        for name, value in vars(module).items()
        if isinstance(value, torch.Tensor) and value.dim() >= 2
    ]
    if plain := [name for name in PROJECTIONS if name in found]:
        outcome.note("not_trained", plain)
    if set(found) - set(PROJECTIONS):
        outcome.note("plain_tensor")
    if any(_looks_like_a_mask(p) for p in layer.parameters(recurse=False)):
        outcome.note("mask_as_parameter")


def _looks_like_a_mask(parameter):
    """Whether its numbers are the upper triangle, or the lower one, of some two numbers."""
    triangle = torch.ones(parameter.shape[-2:]).triu(1).bool() if parameter.dim() > 1 else None
    if triangle is None or triangle.shape[0] != triangle.shape[1] or not triangle.any():
        return False
    values = parameter.detach().float().nan_to_num(9.0)  # 0 times −∞, which is another mistake
    parts = [values.view(-1, *triangle.shape)[:, t] for t in (triangle, ~triangle)]
    return all((part == part.flatten()[0]).all() for part in parts)


def note_bare_matrices(outcome, layer, case):
    """Note it where a bias is asked for, and the projections are bare matrices with no bias beside."""
    bare = all(isinstance(getattr(layer, name, None), nn.Parameter) for name in PROJECTIONS)
    beside = [p for p in layer.parameters(recurse=False) if p.numel() == case.d_out]
    if case.qkv_bias and bare and not beside:
        outcome.note("bare_matrices")


def note_refused(outcome, case, makes_uneven):
    """Note it where a ValueError refuses sizes that fit, and whether those that do not fit are taken."""
    sizes = f"d_out={case.d_out}, num_heads={case.num_heads}"
    named = {f"{case.d_out}", f"{case.num_heads}"} <= set(re.findall(r"\d+", outcome.trouble.text))
    if makes_uneven:
        outcome.note("even_refused", sizes)
    elif named:  # or the error may be about something else
        outcome.note("all_refused", sizes)


def note_missing_bias(outcome, layer):
    """Note it where out_proj has no bias."""
    last = getattr(layer, "out_proj", None)
    if isinstance(last, nn.Linear) and last.bias is None:
        outcome.note("out_proj_without_bias")


def note_shapes(outcome, layer, case):
    """Note the shapes of projections that are too large or too small."""
    wrong, turned = [], []
    for name, (tensor, as_linear) in projections(layer, case).items():
        wanted = (case.d_out, case.d_in) if as_linear else (case.d_in, case.d_out)
        exact = isinstance(getattr(layer, name), nn.Module)  # a bare matrix may lie either way
        if tuple(tensor.shape) != wanted if exact else tensor.numel() != case.d_in * case.d_out:
            wrong.append(f"{name} is {tuple(tensor.shape)}, not {wanted}")
            turned.append(exact and tuple(tensor.shape) == wanted[::-1])
    if wrong and all(turned):
        outcome.note("linear_turned")
    elif wrong:
        outcome.note("shapes_with_heads" if case.num_heads > 1 else "shapes", wrong)


def note_unused_bias(outcome, layer, result):
    """Note it where the projections have biases, and none of them reaches the result."""
    parts = [getattr(layer, name) for name in PROJECTIONS]
    biases = [p.bias for p in parts if isinstance(getattr(p, "bias", None), torch.Tensor)]
    if not biases or not result.requires_grad:
        return
    found = torch.autograd.grad(result.sum(), biases, allow_unused=True)
    if all(gradient is None for gradient in found):
        outcome.note("bias_unused")


def projections(layer, case):
    """name → (tensor, turned): turned is True where it is (d_out, d_in), as nn.Linear keeps it."""
    found = {}
    for name in PROJECTIONS:
        part = getattr(layer, name, None)
        tensor = getattr(part, "weight", None) if isinstance(part, nn.Module) else part
        if isinstance(tensor, torch.Tensor):
            turned = isinstance(part, nn.Module) or tuple(tensor.shape) == (case.d_out, case.d_in)
            found[name] = tensor, turned
    return found


@torch.no_grad()
def fill(layer, case, **instead):
    """Put the weights of the case into the layer, wherever they fit."""
    made, biases, out_proj = case.weights()
    made |= {name: value for name, value in instead.items() if name in made}
    out_proj = instead.get("out_proj", out_proj)
    own = []  # ids of parameters that have been dealt with
    for name, (tensor, turned) in projections(layer, case).items():
        _copy(tensor, made[name].T if turned else made[name])
        bias = getattr(getattr(layer, name), "bias", None)
        if isinstance(bias, torch.Tensor):
            _copy(bias, biases[name])
            own.append(id(bias))
    last = getattr(layer, "out_proj", None)
    if isinstance(last, nn.Module):
        _copy(getattr(last, "weight", None), out_proj.T)
        if isinstance(getattr(last, "bias", None), torch.Tensor):
            last.bias.zero_()
            own.append(id(last.bias))
    elif isinstance(last, torch.Tensor):
        _copy(last, out_proj)
    # Biases under names of their own, next to an nn.Parameter: in the order query, key, value.
    loose = [b for b in layer.parameters() if b.numel() == case.d_out and id(b) not in own]
    if len(loose) == 3 and case.d_out != case.d_in * case.d_out:
        for bias, name in zip(loose, PROJECTIONS):
            bias.copy_(biases[name].reshape(bias.shape))


def _copy(tensor, value):
    if isinstance(tensor, torch.Tensor) and tensor.shape == value.shape:
        tensor.copy_(value)
