"""Tests a layer: makes it from its sizes, fills it with known weights, and runs it.

Every answer gets the same weights in W_query, W_key and W_value, so that all right answers give
the same output. If the values form the identity matrix, the output *is* the attention weights.
"""

import contextlib
import functools
import re
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import nn

from .. import _
from .comparing import CLOSE_GRADIENTS, Remark, kind
from .dropping import what_dropout_did, what_eval_did
from .exercise import Called, Case, gradients, wave
from .running import Unfinished, WrongKind

PROJECTIONS = ("W_query", "W_key", "W_value")


@dataclass
class Layer:
    """The sizes of one layer and of its input."""

    tokens: int
    d_in: int
    d_out: int
    batch: int = 0  # 0 means that there is no batch dimension
    context_length: int = 8
    num_heads: int = 1
    qkv_bias: bool = False
    xray: bool = False  # the values are orthonormal, so the output shows the weights
    level: float = 0.0  # all of x is near it, so that scores are large and close together
    zeros_at: int | None = None  # the position of a token that is all zeros
    dropout: float = 0.0
    out_proj: bool = False  # several heads always have one
    held: dict = field(default_factory=dict)  # {name: tensor}: replaces x or weights made here

    def __post_init__(self):
        self.out_proj = self.out_proj or self.num_heads > 1

    def tensors(self):
        """{name: tensor} of x and of the weights of the projections."""
        used = [*PROJECTIONS, *["out_proj"][: self.out_proj]]
        return {"x": self.x()} | {name: self.weights()[name] for name in used}

    def holding(self, tensors):
        """The same layer with these tensors in place of its own."""
        return replace(self, held=self.held | tensors)

    def x(self):
        """([batch,] tokens, d_in)"""
        if "x" in self.held:
            return self.held["x"].clone()
        batch = [self.batch] if self.batch else []
        if self.xray:
            return orthonormal(self.tokens, self.d_in).repeat(*batch, 1, 1)
        x = wave(*batch, self.tokens, self.d_in, seed=0.5)
        x = self.level + 0.02 * x if self.level else x
        if self.zeros_at is not None:
            x[..., self.zeros_at, :] = 0
        return x

    def in_words(self):
        heads = f", num_heads={self.num_heads}" if self.num_heads > 1 else ""
        return f"d_in={self.d_in}, d_out={self.d_out}{heads}, x {tuple(self.x().shape)}"

    def weights(self):
        """{name: tensor} of projections (d_in, d_out), biases, and out_proj (d_out, d_out)."""
        made = {"out_proj": wave(self.d_out, self.d_out, seed=4)}
        made["out_proj.bias"] = torch.zeros(self.d_out)
        for i, name in enumerate(PROJECTIONS):
            made[name] = wave(self.d_in, self.d_out, seed=i)
            made[f"{name}.bias"] = wave(self.d_out, seed=i + 5)
        if self.xray:
            W_value = orthonormal(self.tokens, self.d_in).T @ self.values()
            made |= {
                "W_value": W_value.repeat(1, self.num_heads),
                "out_proj": torch.eye(self.d_out),
            }
        return made | {name: self.held[name] for name in made.keys() & self.held.keys()}

    def values(self):
        """(tokens, head_dim): the value of each token in an x-ray."""
        return orthonormal(self.tokens, self.d_out // self.num_heads)


@functools.cache
def orthonormal(rows, columns):
    """A matrix (rows, columns) with orthonormal rows: times its transpose, it is the identity."""
    return torch.linalg.qr(wave(columns, columns, seed=11).double())[0][:rows].float()


def layer_cases(arguments, cases, drops=False, buffer=False, calls=""):
    """The Cases of an exercise that asks for a layer made from `arguments`.

    cases   {in words: Layer}
    drops   whether the layer has dropout, whose effect on the weights is then measured
    buffer  whether the layer must register its mask as a buffer
    calls   the name of the PyTorch function that the layer must call
    """
    ask = Asking(arguments, buffer, calls)
    first = next(iter(cases.values()))
    made = [Case(says, layer, how=ask.output) for says, layer in cases.items()]
    made.append(Case(_("the gradient"), first, how=ask.gradient, close=CLOSE_GRADIENTS))
    if drops:  # with p = 0.5, an answer that swaps kept and dropped would pass
        heads = 2 if "num_heads" in arguments else 1
        large = Layer(18, 18, 20 * heads, 8, 18, heads, xray=True, dropout=0.2)
        made.append(Case(_("training with dropout={p}", p=0.2), large, how=ask.dropped))
        made.append(Case(_("use after eval()"), replace(large, dropout=0.5), how=ask.after_eval))
    if "num_heads" in arguments:
        made.append(Case(_("7 numbers in 2 heads"), Layer(3, 4, 7, num_heads=2), how=ask.refused))
    return made


@dataclass
class Asking:
    """The ways to test a class. Each takes (class, Layer) and returns {name: value}."""

    arguments: tuple
    buffer: bool = False
    calls: str = ""

    def made(self, cls, sizes):
        """A layer of these sizes, filled with known weights; raises WrongKind if it cannot be."""
        given = [getattr(sizes, name) for name in self.arguments]
        layer = cls(*given, **({"qkv_bias": True} if sizes.qkv_bias else {}))
        if not isinstance(layer, nn.Module):
            raise WrongKind(_("the class is not an nn.Module."))
        if missing := ", ".join(name for name in PROJECTIONS if not hasattr(layer, name)):
            text = _("the layer has no {names}; the check sets weights by these names.",
                     names=missing)  # fmt: skip
            raise WrongKind(text)
        fill(layer, sizes.weights())
        return layer

    def output(self, cls, sizes):
        layer, x = self.made(cls, sizes).eval(), sizes.x()
        came = remarks_on(layer, self.buffer)
        with Called() as called:
            result = run(layer, x)
        if sizes.xray:
            came["weights"] = as_weights(result, sizes)
        else:
            came["context"] = result.double().numpy()
        if self.buffer and not same_again(layer, sizes.x(), result):
            text = _("A shorter sentence, given before, spoils this one: what has it changed?")
            came["cut_for_good"] = Remark(text)
        if self.calls and self.calls not in called.names:
            came["no_fast_kernel"] = Remark(_("It does not call {name}.", name=self.calls))
        return came

    def gradient(self, cls, sizes):
        """The gradients in training mode, where without dropout the output is the same."""
        layer, x = self.made(cls, sizes).train(), sizes.x().requires_grad_()
        weights = {name: p for name, p in layer.named_parameters() if name.startswith(PROJECTIONS)}
        run(layer, x)  # an error that occurs only in training mode is raised here
        came = gradients(layer, [x], {"x": x} | weights)
        for name in weights:
            if f"∂{name}" in came:  # its norm, as it may be (d_in, d_out) or transposed
                came[f"∂{name.split('.')[0]}"] = np.linalg.norm(came.pop(f"∂{name}"))
        return came

    def dropped(self, cls, sizes):
        """What dropout does to the weights, which orthonormal values make visible."""
        layer, x = self.made(cls, sizes).train(), sizes.x()
        plain = self.made(cls, replace(sizes, dropout=0.0)).eval()  # eval() itself may be wrong

        def draw(drops=layer):
            return as_weights(run(drops, x), sizes)

        return what_dropout_did(draw(plain), draw, sizes.dropout)

    def after_eval(self, cls, sizes):
        return what_eval_did(self.made(cls, sizes), sizes.x(), "context")

    def refused(self, cls, sizes):
        """{} if 7 numbers in 2 heads raise a ValueError that names both; else a Remark."""
        try:
            self.made(cls, sizes)
        except ValueError as error:
            if {"7", "2"} <= set(re.findall(r"\d+", str(error))):
                return {}
        except Exception as error:
            came = _("It raises {error}; expected a ValueError.", error=type(error).__name__)
            return {"no_value_error": Remark(came)}
        text = _("The layer should raise a ValueError that names both d_out and num_heads.")
        return {"not_refused": Remark(text)}


def run(layer, x):
    """The output of a layer; raises Unfinished, or WrongKind if it is not a tensor."""
    result = layer(x)
    if result is None or result is ...:
        raise Unfinished
    if not isinstance(result, torch.Tensor):
        raise WrongKind(_("the context is {kind}, not a tensor.", kind=kind(result)))
    return result.detach()


def same_again(layer, x, result):
    """Whether x ([batch,] tokens, d_in) gives the same result again, after its first token alone."""
    with contextlib.suppress(Exception):  # at a single token, it may stop for another reason
        layer(x[..., :1, :].clone())
    return torch.allclose(run(layer, x), result, equal_nan=True)


def as_weights(result, sizes):
    """([batch,] heads, tokens, tokens): the weights, from an output with xray=True."""
    if result.shape[-2:] != (sizes.tokens, sizes.d_out):
        return result.numpy()
    heads = result.double().unflatten(-1, (sizes.num_heads, -1)).transpose(-3, -2)
    return (heads @ sizes.values().double().T).numpy()


def remarks_on(layer, wants_buffer):
    """The number of parameters, and a remark if a tensor is not stored as it should be."""
    came = {_("number of parameters"): np.array(sum(p.numel() for p in layer.parameters()))}
    # Parameters and buffers are not in vars(module) itself, but in dicts of their own there.
    kept = [value for module in layer.modules() for value in vars(module).values()]
    if any(isinstance(value, torch.Tensor) and value.dim() >= 2 for value in kept):
        text = _("A tensor of the layer is neither a parameter nor a buffer.")
        came["plain_tensor"] = Remark(text)
    elif wants_buffer and not any(buffer.dim() >= 2 for buffer in layer.buffers()):
        came["no_buffer"] = Remark(_("The mask is not registered as a buffer."))
    return came


@torch.no_grad()
def fill(layer, weights):
    """Copy {name: matrix (in, out) or bias} into the layer, wherever they fit."""
    biases = iter(PROJECTIONS)
    for name, parameter in layer.named_parameters():
        # Beside an nn.Parameter, a bias may have any name, so biases are taken in their order.
        if parameter.dim() == 1 and "." not in name:
            name = f"{next(biases, '')}.bias"
        value = weights.get(name.removesuffix(".weight"))
        if value is None:
            continue
        if name.endswith(".weight") or parameter.shape == value.t().shape:
            value = value.t()  # nn.Linear stores its weight as (out, in)
        if parameter.shape == value.shape:
            parameter.copy_(value)
