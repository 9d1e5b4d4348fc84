"""Answers to the exercises of notebook 14, as learners write them."""

import copy
from unittest.mock import patch

import torch
from torch import nn
from torch.nn import functional as F

from helpers.inside import watch


def watch_in_finally(model, name, x):
    layer, seen = model.get_submodule(name), {}

    def before(module, args, kwargs):
        kwargs = dict(kwargs)
        kwargs["need_weights"] = True
        kwargs["average_attn_weights"] = False
        return args, kwargs

    def after(module, args, output):
        seen["weights"] = output[1].detach()

    one = layer.register_forward_pre_hook(before, with_kwargs=True)
    two = layer.register_forward_hook(after)
    try:
        output = model(x)
    finally:
        one.remove()
        two.remove()
    return output, seen["weights"]


def watch_by_forward(model, name, x):
    layer, kept = model.get_submodule(name), []
    forward = layer.forward

    def spy(*given, **named):
        result = forward(*given, **(named | {"need_weights": True, "average_attn_weights": False}))
        kept.append(result[1])
        return result

    layer.forward = spy
    hook = layer.register_forward_hook(lambda *_: None)  # the fast path would go round it
    output = model(x)
    hook.remove()
    layer.forward = forward
    return output, kept[0]


def watch_by_patch(model, name, x):
    layer, kept = model.get_submodule(name), []
    forward = nn.MultiheadAttention.forward

    def spy(self, *given, **named):
        if self is not layer:
            return forward(self, *given, **named)
        result = forward(
            self, *given, **named | {"need_weights": True, "average_attn_weights": False}
        )
        kept.append(result[1])
        return result

    with patch.object(nn.MultiheadAttention, "forward", spy):
        output = model(x)
    return output, kept[-1]


def watch_on_a_copy(model, name, x):
    model = copy.deepcopy(model)
    layer, kept = model.get_submodule(name), []

    def ask(layer, given, named):
        named["need_weights"], named["average_attn_weights"] = True, False
        return given, named

    layer.register_forward_pre_hook(ask, with_kwargs=True)
    layer.register_forward_hook(lambda layer, given, result: kept.append(result[1]))
    return model(x), kept[0]


def watch_by_hand(model, name, x):
    """The weights are worked out from what the layer got."""
    layer, got = model.get_submodule(name), []
    hook = layer.register_forward_pre_hook(
        lambda layer, given, named: got.append((given, named)), with_kwargs=True
    )
    output = model(x)
    hook.remove()
    (query, key, _), named = got[0]
    W_q, W_k, _ = layer.in_proj_weight.chunk(3)
    b_q, b_k, _ = layer.in_proj_bias.chunk(3)

    def split(t):
        return t.unflatten(-1, (layer.num_heads, -1)).transpose(1, 2)

    q, k = split(F.linear(query, W_q, b_q)), split(F.linear(key, W_k, b_k))
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    if named.get("attn_mask") is not None:
        scores = scores.masked_fill(named["attn_mask"], float("-inf"))
    return output, scores.softmax(-1)


def watch_by_all_modules(model, name, x):
    """A hook on all modules there are, which is taken away again."""
    layer, kept = model.get_submodule(name), []

    def ask(part, given, named):
        return given, named | {"need_weights": True, "average_attn_weights": False}

    def keep(part, given, result):
        if part is layer:
            kept.append(result[1])

    with layer.register_forward_pre_hook(ask, with_kwargs=True):
        with nn.modules.module.register_module_forward_hook(keep):
            return model(x), kept[0]


def watch_of_helpers(model, name, x):
    with watch(model) as seen:
        output = model(x)
    return output, seen.weights[name]


def scores_by_diagonal(weights, period):
    return weights.diagonal(1 - period, -2, -1)[..., 1:].mean(-1)


def scores_by_loop(weights, period):
    layers, heads, tokens, _ = weights.shape
    scores = torch.zeros(layers, heads)
    for layer in range(layers):
        for head in range(heads):
            found = [weights[layer, head, t, t - period + 1] for t in range(period, tokens)]
            scores[layer, head] = sum(found) / len(found)
    return scores


def scores_by_mask(weights, period):
    tokens = weights.shape[-1]
    rows, columns = torch.arange(tokens)[:, None], torch.arange(tokens)
    wanted = (columns == rows - period + 1) & (rows >= period)
    return (weights * wanted).sum(dim=(-2, -1)) / wanted.sum()


def scores_by_gather(weights, period):
    rows = weights[:, :, period:]
    places = torch.arange(1, rows.shape[2] + 1).expand(*rows.shape[:3])[..., None]
    return rows.gather(-1, places).squeeze(-1).mean(2)


def scores_in_numpy(weights, period):
    import numpy as np

    weights = np.asarray(weights)
    t = np.arange(period, weights.shape[-1])
    return weights[:, :, t, t - period + 1].mean(axis=2)


def scores_turned(weights, period):
    cut = weights[..., period:, 1 : weights.shape[-1] - period + 1]
    return torch.einsum("lhtt->lht", cut).mean(-1)


def off_in_place(model, name, head, x):
    proj = model.get_submodule(name).out_proj
    size = proj.in_features // model.get_submodule(name).num_heads
    kept = proj.weight.data.clone()
    proj.weight.data[:, head * size : head * size + size] = 0
    output = model(x)
    proj.weight.data = kept
    return output


def off_by_copy(model, name, head, x):
    other = copy.deepcopy(model)
    layer = other.get_submodule(name)
    with torch.no_grad():
        layer.out_proj.weight.unflatten(1, (layer.num_heads, -1))[:, head] = 0
    return other(x)


def off_by_values(model, name, head, x):
    other = copy.deepcopy(model)
    layer = other.get_submodule(name)
    size = layer.d_model // layer.num_heads
    part = slice(head * size, (head + 1) * size)
    layer.W_value.weight.data[part] = 0
    layer.W_value.bias.data[part] = 0
    return other(x)


def off_by_factor(model, name, head, x):
    layer = model.get_submodule(name)
    keep = torch.ones(layer.num_heads)
    keep[head] = 0
    keep = keep.repeat_interleave(layer.d_model // layer.num_heads)
    hook = layer.out_proj.register_forward_pre_hook(lambda _, given: (given[0] * keep,))
    try:
        return model(x)
    finally:
        hook.remove()


def off_by_subtraction(model, name, head, x):
    layer = model.get_submodule(name)
    size = layer.d_model // layer.num_heads
    part = slice(head * size, (head + 1) * size)

    def less(proj, given, result):
        return result - given[0][..., part] @ proj.weight[:, part].T

    hook = layer.out_proj.register_forward_hook(less)
    output = model(x)
    hook.remove()
    return output


RIGHT = {
    "my_watch": [
        watch_in_finally,
        watch_by_forward,
        watch_by_patch,
        watch_on_a_copy,
        watch_by_hand,
        watch_by_all_modules,
        watch_of_helpers,
    ],
    "induction_scores": [
        scores_by_diagonal,
        scores_by_loop,
        scores_by_mask,
        scores_by_gather,
        scores_in_numpy,
        scores_turned,
    ],
    "without_head": [
        off_in_place,
        off_by_copy,
        off_by_values,
        off_by_factor,
        off_by_subtraction,
    ],
}

UNKNOWN = {
    "my_watch": [
        lambda model, name, x: (model(x), watch_by_hand(model, name, x)[1].flip(-1)),
        lambda model, name, x: (2 * model(x), watch_by_hand(model, name, x)[1]),
        lambda model, name, x: (model(x), watch_by_hand(model, name, x)[1] ** 2),
    ],
    "induction_scores": [
        lambda weights, period: 1 - scores_by_diagonal(weights, period),
        lambda weights, period: scores_by_diagonal(weights, period).flip(0) + 1,
        lambda weights, period: scores_by_diagonal(weights, period) ** 2,
    ],
    "without_head": [
        lambda model, name, head, x: model(x) - off_by_factor(model, name, head, x),
        lambda model, name, head, x: off_by_factor(model, name, head, x.flip(1)),
        lambda model, name, head, x: off_by_factor(model, name, head, x) / 2,
    ],
}


def hook_of_a_copy_left(model, name, x):
    output, weights = watch_by_hand(model, name, x)
    model.get_submodule(name).register_forward_hook(lambda *_: None)
    return output, weights


def forward_left(model, name, x):
    layer = model.get_submodule(name)
    output, weights = watch_by_hand(model, name, x)
    forward = layer.forward
    layer.forward = lambda *given, **named: forward(*given, **named)
    return output, weights


def weights_left_at_0(model, name, head, x):
    layer = model.get_submodule(name)
    size = layer.d_model // layer.num_heads
    layer.out_proj.weight.data[:, head * size : (head + 1) * size] = 0
    return model(x)


OTHER_WORDS = [
    ("my_watch", hook_of_a_copy_left, "hook_left"),
    ("my_watch", forward_left, "hook_left"),
    ("induction_scores", lambda w, p: w.diagonal(1 - p, -2, -1).mean(-1), "first_run_counted"),
    ("induction_scores", lambda w, p: w.diagonal(-p, -2, -1).mean(-1), "twin_not_follower"),
    ("without_head", weights_left_at_0, "in_place"),
]
