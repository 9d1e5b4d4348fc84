"""Answers to the exercises of notebook 2, as learners write them."""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from helpers.models import attention

from .n01_hello_shiny_sun import softmax_by_hand, softmax_numpy

NAMES = ("W_query", "W_key", "W_value")


def project_by_loop(x, W_query, W_key, W_value):
    return [torch.stack([row @ W for row in x]) for W in (W_query, W_key, W_value)]


def project_at_once(x, W_query, W_key, W_value):
    return (x @ torch.cat([W_query, W_key, W_value], dim=1)).chunk(3, dim=1)


def weights_by_loop(queries, keys):
    root = math.sqrt(len(keys[0]))
    scores = [torch.stack([sum(a * b for a, b in zip(q, k)) / root for k in keys]) for q in queries]
    return torch.stack([softmax_by_hand(row) for row in scores])


def weights_numpy(queries, keys):
    queries, keys = np.array(queries), np.array(keys)
    return softmax_numpy(queries @ keys.T / np.sqrt(keys.shape[1]))


def weights_fused(queries, keys):
    eye = torch.eye(len(keys), dtype=keys.dtype)
    return F.scaled_dot_product_attention(queries[None], keys[None], eye[None])[0]


def copy_in_no_grad(from_parameters, to_linear):
    with torch.no_grad():
        for name in NAMES:
            getattr(to_linear, name).weight.copy_(getattr(from_parameters, name).T)


def copy_as_new_parameters(from_parameters, to_linear):
    to_linear.W_query.weight = nn.Parameter(from_parameters.W_query.detach().T.clone())
    to_linear.W_key.weight = nn.Parameter(from_parameters.W_key.detach().T.clone())
    to_linear.W_value.weight = nn.Parameter(from_parameters.W_value.detach().T.clone())
    return to_linear


def copy_the_data(from_parameters, to_linear):
    for name in NAMES:
        getattr(to_linear, name).weight.data = getattr(from_parameters, name).data.T.clone()


def copy_the_name(from_parameters, to_linear):
    for name in NAMES:
        getattr(to_linear, name).weight.data = getattr(from_parameters, name).data.T


def copy_a_state(from_parameters, to_linear):
    state = from_parameters.state_dict()
    to_linear.load_state_dict({f"{name}.weight": W.T for name, W in state.items()})


@torch.no_grad()
def copy_number_by_number(from_parameters, to_linear):
    for name in NAMES:
        source, target = getattr(from_parameters, name), getattr(to_linear, name).weight
        for i in range(source.shape[0]):
            for j in range(source.shape[1]):
                target[j, i] = source[i, j]


def three(d_in, d_out, bias):
    return [nn.Linear(d_in, d_out, bias=bias) for _ in range(3)]


class Compact(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query, self.W_key, self.W_value = three(d_in, d_out, qkv_bias)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        return (q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5).softmax(dim=-1) @ v


class Bare(nn.Module):
    """Parameters, and biases under names of their own."""

    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
        self.qkv_bias = qkv_bias
        if qkv_bias:
            self.b_query = nn.Parameter(torch.zeros(d_out))
            self.b_key = nn.Parameter(torch.zeros(d_out))
            self.b_value = nn.Parameter(torch.zeros(d_out))

    def project(self, x):
        q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
        if self.qkv_bias:
            q, k, v = q + self.b_query, k + self.b_key, v + self.b_value
        return q, k, v

    def forward(self, x):
        q, k, v = self.project(x)
        return F.softmax(q @ k.mT / math.sqrt(k.shape[-1]), dim=-1) @ v


class Turned(nn.Module):
    """Parameters in the layout of nn.Linear."""

    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.scale = torch.tensor(d_out**-0.5)
        for name in ("query", "key", "value"):
            setattr(self, f"W_{name}", nn.Parameter(torch.randn(d_out, d_in)))
            bias = nn.Parameter(torch.randn(d_out)) if qkv_bias else None
            self.register_parameter(f"{name}_bias", bias)

    def forward(self, x):
        q = F.linear(x, self.W_query, self.query_bias)
        k = F.linear(x, self.W_key, self.key_bias)
        v = F.linear(x, self.W_value, self.value_bias)
        weights = torch.einsum("...id,...jd->...ij", q, k).mul(self.scale).softmax(dim=-1)
        return torch.einsum("...ij,...jd->...id", weights, v)


class ByLoop(Compact):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        rows = []
        for i in range(len(x)):
            scores = torch.stack([q[i] @ k[j] for j in range(len(x))]) / math.sqrt(k.shape[1])
            weights = scores.softmax(dim=0)
            rows.append(sum(w * row for w, row in zip(weights, v)))
        return torch.stack(rows)


class Fused(Compact):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        return F.scaled_dot_product_attention(q[None], k[None], v[None])[0]


def copy(turn):
    def copied(from_parameters, to_linear):
        for name in NAMES:
            getattr(to_linear, name).weight.data = turn(getattr(from_parameters, name).data)

    return copied


def copy_two_of_three(from_parameters, to_linear):
    for name in NAMES[:2]:
        getattr(to_linear, name).weight.data = getattr(from_parameters, name).data.T


class Residual(Compact):
    def forward(self, x):
        return super().forward(x) + self.W_value(x)


class Temperature(Compact):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        return (2 * q @ k.mT / k.shape[-1] ** 0.5).softmax(dim=-1) @ v


class Pooled(Compact):
    def forward(self, x):
        return super().forward(x).mean(dim=0, keepdim=True).expand(len(x), -1)


class Rectified(Bare):
    def forward(self, x):
        return F.relu(super().forward(x))


def unscaled_numpy(queries, keys):
    e = np.array(queries) @ np.array(keys).T
    e = np.exp(e - e.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


class ForgottenScale(Bare):
    def forward(self, x):
        q, k, v = self.project(x)
        return torch.einsum("ij,jd->id", torch.einsum("id,jd->ij", q, k).softmax(dim=1), v)


RIGHT = {
    "project": [
        lambda x, W_query, W_key, W_value: (x @ W_query, x @ W_key, x @ W_value),
        project_by_loop,
        project_at_once,
        lambda x, *Ws: tuple(np.array(x) @ np.array(W) for W in Ws),
        lambda x, *Ws: [torch.einsum("ti,io->to", x, W) for W in Ws],
        lambda x, *Ws: [F.linear(x, W.T) for W in Ws],
    ],
    "scaled_weights": [
        lambda queries, keys: (queries @ keys.T / keys.shape[1] ** 0.5).softmax(dim=1),
        lambda queries, keys: F.softmax((queries * keys.shape[1] ** -0.5) @ keys.mT, dim=-1),
        lambda q, k: torch.einsum("id,jd->ij", q, k).div(math.sqrt(q.shape[1])).softmax(dim=1),
        weights_by_loop,
        weights_numpy,
        weights_fused,
    ],
    "self_attention_module": [
        attention.SelfAttention,
        Compact,
        Bare,
        Turned,
        ByLoop,
        Fused,
    ],
    "copy_weights": [
        copy_in_no_grad,
        copy_as_new_parameters,
        copy_the_data,
        copy_a_state,
        copy_number_by_number,
    ],
}


UNKNOWN = {
    "project": [
        lambda x, *Ws: tuple(x @ W + 1 for W in Ws),
        lambda x, *Ws: tuple(F.relu(x @ W) for W in Ws),
        lambda x, *Ws: tuple(x.mean(dim=0, keepdim=True) @ W for W in Ws),
    ],
    "scaled_weights": [
        lambda q, k: (q @ k.T / (q.shape[1] + 1) ** 0.5).softmax(dim=1),
        lambda q, k: (q @ k.T / 2).softmax(dim=1),
        lambda q, k: (q @ k.T / q.shape[1] ** 0.5).sigmoid(),
    ],
    "self_attention_module": [Residual, Temperature, Pooled, Rectified],
    "copy_weights": [
        copy(lambda W: 2 * W.T),
        copy(lambda W: W.T.flip(0)),
        copy_two_of_three,
    ],
}


OTHER_WORDS = [
    ("scaled_weights", lambda q, k: (q @ k.T / k.shape[1] ** 1 / 2).softmax(1), "power_first"),
    ("scaled_weights", unscaled_numpy, "no_scale"),
    ("scaled_weights", lambda q, k: (q @ k.T * 0.5 * 2 / len(k.T)).softmax(1), "by_d_k"),
    ("self_attention_module", ForgottenScale, "no_scale"),
    ("copy_weights", copy(lambda W: W.reshape(W.shape[1], W.shape[0])), "reshaped"),
    ("copy_weights", copy_the_name, "shares_memory"),
]
