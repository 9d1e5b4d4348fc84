"""What the exercises of notebook 12 are asked with: a made-up model, a layer with kept keys, equal scores."""

import numpy as np
import torch
from torch import nn

from ..judge.comparing import read
from ..judge.exercise import on_tensors_or_arrays, wave


class Writer(nn.Module):
    """A made-up model: its scores depend on each word that it reads, and on the order of them."""

    def __init__(self, words, context_length, seed=0):
        super().__init__()
        self.words, self.context_length, self.seed = words, context_length, seed

    def forward(self, ids):
        if ids.dim() != 2:
            raise ValueError(f"ids have shape {tuple(ids.shape)}; expected (batch, tokens)")
        tokens, most = ids.shape[1], self.context_length
        if tokens > most:
            raise ValueError(f"ids have {tokens} tokens; at most context_length={most} fit")
        read = wave(self.words, 4, seed=self.seed)[ids] * torch.arange(1, tokens + 1)[:, None]
        return 3 * torch.sin(read.cumsum(dim=1) @ wave(4, self.words, seed=self.seed + 1))


def likeliest(scores):
    return _of_two_axes(scores).argmax(dim=-1, keepdim=True)


def second_best(scores):
    return _of_two_axes(scores).topk(2, dim=-1).indices[:, 1:]


def nearest_to_one(scores):
    """The size of the scores matters here: chances in their place give another word."""
    return (_of_two_axes(scores) - 1).abs().argmin(dim=-1, keepdim=True)


def _of_two_axes(scores):
    if scores.dim() != 2:
        came = f"choose got scores of shape {tuple(scores.shape)}"
        raise ValueError(f"{came}; expected (batch, vocabulary)")
    return scores


def in_one_order(answer, scores, most):
    """{"scores": …}: of equal scores, it does not matter which are kept: they are put in one order."""
    given = scores.double().numpy().copy()
    result = on_tensors_or_arrays(answer, [scores, most])
    came = read(result, ("scores",))
    kept = came["scores"]
    if kept.shape == given.shape:
        order = np.argsort(-given, axis=-1, kind="stable")
        best = np.lexsort((-kept, -given), axis=-1)
        same = np.empty_like(kept)
        np.put_along_axis(same, order, np.take_along_axis(kept, best, axis=-1), axis=-1)
        came["scores"] = same
    return came


class Projections(nn.Module):
    """W_query, W_key, W_value of a layer with one head, the same on every computer."""

    def __init__(self, d=4, d_k=3, d_v=5, seed=0):
        super().__init__()
        for i, (name, size) in enumerate({"W_query": d_k, "W_key": d_k, "W_value": d_v}.items()):
            W = nn.Linear(d, size)
            W.weight.data, W.bias.data = wave(size, d, seed=seed + i), wave(size, seed=seed + 9 + i)
            setattr(self, name, W.requires_grad_(False))


def growing(batch, new, kept, d=4, d_k=3, d_v=5, seed=0):
    """layer, x (batch, new, d), and keys and values of `kept` earlier tokens."""
    layer = Projections(d, d_k, d_v, seed)
    earlier = wave(batch, kept, d, seed=seed + 20)
    x = wave(batch, new, d, seed=seed + 21)
    return layer, x, layer.W_key(earlier), layer.W_value(earlier)


def with_new_names(layer, x, keys, values):
    """The right answer once more: what has grown has names of its own."""
    all_keys = torch.cat([keys, layer.W_key(x)], dim=1)
    all_values = torch.cat([values, layer.W_value(x)], dim=1)
    future = torch.ones(x.shape[1], all_keys.shape[1]).triu(1 + keys.shape[1]).bool()
    scores = layer.W_query(x) @ all_keys.mT / keys.shape[-1] ** 0.5
    scores = scores.masked_fill(future, float("-inf"))
    return scores.softmax(dim=-1) @ all_values, all_keys, all_values


def scores_of(*chances):
    return torch.tensor(chances).log()
