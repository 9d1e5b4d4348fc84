"""Asking for a layer: a class is made, filled with known weights, and run.

Every candidate gets the same weights in W_query, W_key and W_value, so all right ones give the same
output. In one case the values form the identity matrix: the output *is* the attention weights.
"""

import re
from dataclasses import dataclass, replace

import torch
from torch import nn

from .called import Called
from .draws import note_dropout, note_mode, note_no_more
from .exercise import STOP, Exercise, wave
from .functions import backward
from .inferring import are_weights, dropped_elsewhere
from .layer_weights import (
    PROJECTIONS,
    fill,
    note_bare_matrices,
    note_missing_bias,
    note_plain_tensors,
    note_refused,
    note_shapes,
    note_unused_bias,
    projections,
    split_xray,
)
from .lines import Line
from .outcomes import Outcome, close, kind
from .running import Trouble

P = 0.2  # how much the layers drop in training: not 0.5, or kept and dropped could be mixed up


@dataclass
class LayerCase:
    """One layer and one input: in words, and in sizes."""

    says: object
    tokens: int
    d_in: int
    d_out: int
    batch: int = 0  # 0: no batch dimension
    context_length: int = 8
    num_heads: int = 1
    qkv_bias: bool = False
    xray: bool = False
    level: float = 0.0  # all numbers near this one: scores are large, and close together
    blank: int | None = None  # the place of a token that is all zeros
    double: bool = False
    dropout: float = 0.0
    training: bool = False

    def x(self):
        if self.xray:
            x = orthonormal(self.tokens, self.d_in)
            return x[None] if self.batch else x
        x = wave(*filter(None, (self.batch, self.tokens, self.d_in)), seed=0.5)
        x = self.level + 0.02 * x if self.level else x
        if self.blank is not None:
            x[..., self.blank, :] = 0
        return x.double() if self.double else x

    def weights(self):
        """What goes into each projection (d_in, d_out), its bias, and out_proj (d_out, d_out)."""
        shape = (self.d_in, self.d_out)
        made = {name: wave(*shape, seed=i) for i, name in enumerate(PROJECTIONS)}
        biases = {name: wave(self.d_out, seed=i + 5) for i, name in enumerate(PROJECTIONS)}
        out_proj = wave(self.d_out, self.d_out, seed=4)
        if self.xray:  # values of 0 and 1
            made["W_value"] = orthonormal(self.tokens, self.d_in).T.repeat(1, self.num_heads)
            out_proj = torch.eye(self.d_out)
        return made, biases, out_proj


UNEVEN = LayerCase("7 numbers in 2 heads", 3, 4, 7, num_heads=2)  # to be refused


def orthonormal(rows, columns):
    """(rows, columns), rows of length 1 at right angles: times its transpose it is the identity."""
    return torch.linalg.qr(wave(columns, columns, seed=11).double())[0][:rows].float()


@dataclass(eq=False, kw_only=True)
class LayerExercise(Exercise):
    """Ask for a class.

    drops   whether dropout is part of what is asked
    buffer  whether the mask is to be kept in a buffer
    calls_for  (id of a mistake, name of the function of PyTorch that is to be called)
    """

    cases: list
    drops: bool = False
    buffer: bool = False
    calls_for: tuple = ()

    def observe(self, candidate, calls):
        """An Outcome for each case, one for the gradient, and more: each is worked out when asked."""
        first = None
        for case in self.cases:
            outcome = self._values(candidate, case, calls)
            first = first or outcome
            yield outcome
            if outcome.trouble and outcome.trouble.kind in STOP:
                return
        if first.trouble or not first.values:
            return
        training = replace(self.cases[0], says=Line("training_mode"), training=True)
        yield self._values(candidate, training, calls)
        yield self._gradient(candidate, self.cases[0], calls)
        if self.drops:
            yield self._training(candidate, calls)
            yield self._in_use(candidate, calls)
        if "num_heads" in self.arguments:
            yield self._uneven(candidate, calls)

    def missed(self, candidate, calls):
        """The id of the mistake if the mask is not kept as it should be, or not what is asked for
        does the work."""
        layer, _ = self._make(candidate, self.cases[0], calls)
        if self.calls_for:
            with Called() as called:
                calls(layer, self.cases[0].x())
            return None if self.calls_for[1] in called.names else self.calls_for[0]
        if self.buffer and all(buffer.dim() < 2 for buffer in layer.buffers()):
            return "no_buffer"
        return None

    def _sizes(self, case):
        return [getattr(case, name) for name in self.arguments]

    def _make(self, cls, case, calls):
        """(layer, Outcome with what there is to say about it already); the layer may be None."""
        sizes = ", ".join(f"{n}={size}" for n, size in zip(self.arguments, self._sizes(case)))
        outcome = Outcome(case.says, f"{sizes}, x {tuple(case.x().shape)}")
        named = {"qkv_bias": True} if case.qkv_bias else {}
        layer, outcome.trouble = calls(cls, *self._sizes(case), **named)
        if outcome.trouble:
            if outcome.trouble.text.startswith("ValueError") and case.num_heads > 1:
                _, refused = calls(cls, *self._sizes(UNEVEN))
                note_refused(outcome, case, makes_uneven=not refused)
            return None, outcome
        if not isinstance(layer, nn.Module):
            outcome.trouble = Trouble("result", Line("no_module"))
            return None, outcome
        layer = (layer.double() if case.double else layer).train(case.training)
        note_plain_tensors(outcome, layer)
        note_missing_bias(outcome, layer)
        note_bare_matrices(outcome, layer, case)
        note_shapes(outcome, layer, case)
        fill(layer, case)
        return layer, outcome

    def _values(self, cls, case, calls):
        layer, outcome = self._make(cls, case, calls)
        if layer is None:
            return outcome
        x = case.x()
        result, outcome.trouble = calls(layer, x)
        if outcome.trouble:
            return outcome
        name = "weights" if case.xray else "context"
        outcome.read(result, (name,))
        if not outcome.trouble and not isinstance(result, torch.Tensor):
            no_tensor = Line("no_tensor", name=name, kind=kind(result))
            several = isinstance(result, tuple)
            line = Line("several", count=len(result), name="context") if several else no_tensor
            outcome.trouble = Trouble("result", line)
        if {"shapes", "shapes_with_heads", "linear_turned"} & outcome.notes.keys():
            outcome.values = {}  # made with random weights: the layer took none of ours
            return outcome
        asked = (*PROJECTIONS, *["out_proj"] * hasattr(self.right(*self._sizes(case)), "out_proj"))
        missing = [name for name in asked if not hasattr(layer, name)]
        if missing and not outcome.trouble:
            outcome.trouble = Trouble("result", Line("projections_missing", names=missing))
        if not torch.equal(x, case.x()):
            outcome.note("in_place", ["x"])
        if outcome.trouble:
            return outcome
        if case.qkv_bias:
            note_unused_bias(outcome, layer, result)
        if case.xray:
            weights = outcome.values["weights"] = split_xray(outcome.values["weights"], case)
            if not self._are_weights(weights, layer, case, calls):
                outcome.note("no_mixture")
        elif case is self.cases[0]:
            again = Outcome("").read(calls(layer, case.x(), seed=1)[0], ("context",))
            if not outcome.agrees(again):
                outcome.note("chance")
        return outcome

    def _are_weights(self, weights, layer, case, calls):
        """Whether what an x-ray shows are weights: the layer mixes other values with them, too."""
        values = wave(case.tokens, case.tokens, seed=6)
        W_value = orthonormal(case.tokens, case.d_in).T @ values
        fill(layer, case, W_value=W_value.repeat(1, case.num_heads))
        mixed = Outcome("").read(calls(layer, case.x())[0], ("context",)).values.get("context")
        return mixed is not None and are_weights(weights, mixed, values.numpy())

    def _gradient(self, cls, case, calls):
        layer, outcome = self._make(cls, case, calls)
        outcome.says, outcome.notes, outcome.of_gradient = Line("the_gradient"), {}, True
        x = case.x().requires_grad_()
        result, trouble = calls(layer.train(), x)
        if trouble or not isinstance(result, torch.Tensor):
            outcome.trouble = trouble
            outcome.skipped = not trouble  # a wrong kind of result was seen before
            return outcome
        found = projections(layer, case)
        leaves = {name: tensor for name, (tensor, _) in found.items() if tensor.requires_grad}
        backward(outcome, [result], {"x": x} | leaves, calls)
        for name, (_, turned) in found.items():
            if turned and f"∂{name}" in outcome.values:
                outcome.values[f"∂{name}"] = outcome.values[f"∂{name}"].T
        return outcome

    # -- dropout ------------------------------------------------------------------------------

    def _training(self, cls, calls):
        """What dropout does to the weights, read off values that are unit vectors."""
        heads, tokens, size = 2 if "num_heads" in self.arguments else 1, 18, 20
        says = Line("training_with_dropout", p=P)
        case = LayerCase(says, tokens, tokens, heads * size, 8, tokens, heads, dropout=P)
        layer, outcome = self._make(cls, case, calls)
        outcome.of_draws = True
        if layer is None:
            return outcome
        x, values = orthonormal(tokens, tokens), orthonormal(tokens, size)
        batch = x.expand(8, tokens, tokens).clone()
        right = self.right(*self._sizes(case)).eval()
        for one in (layer, right):
            W_value = (x.T @ values).repeat(1, heads)
            fill(one, case, W_value=W_value, out_proj=torch.eye(heads * size))
        whole = right(batch).detach()
        drawn = []
        for seed in (0, 1):
            result, outcome.trouble = calls(layer.train(), batch.clone(), seed=seed)
            if outcome.trouble or not isinstance(result, torch.Tensor):
                return outcome
            drawn.append(result.detach().float())
        if drawn[0].shape != whole.shape:
            outcome.note("shape_in_training", tuple(drawn[0].shape))
            return outcome
        whole, *drawn = (t.unflatten(-1, (heads, size)) for t in (whole, *drawn))
        weights, dropped = whole @ values.T, drawn[0] @ values.T
        outcome.notes = {}
        outside = drawn[0] - dropped @ values
        if place := dropped_elsewhere(drawn[0], whole, x, values):
            outcome.note("dropped_elsewhere", place)
        elif outside.abs().max() > 1e-3 or (dropped < -1e-3).any():
            outcome.note("not_on_weights")
        else:
            self._note_weights(outcome, weights, dropped)
        if outcome.notes.get("share_dropped") == 0:
            note_mode(outcome, cls)
        if close(*drawn):
            outcome.note("same_draw")
        return outcome

    def _note_weights(self, outcome, weights, dropped):
        """What became of the weights (batch, tokens, heads, tokens), whose values were at hand."""
        note_dropout(outcome, weights, dropped, P)
        if dropped[weights.abs() < 1e-6].abs().max() > 1e-3:
            outcome.note("future_in_training")
        outcome.shown = {"weights": dropped[0, :5, 0, :5].double().numpy()}  # of the first head

    def _in_use(self, cls, calls):
        """After eval(): nothing is dropped, and two calls agree."""
        case = LayerCase(Line("after_eval"), 5, 3, 4, 2, num_heads=1, dropout=0.5)
        layer, outcome = self._make(cls, case, calls)
        if layer is None:
            return outcome
        note_no_more(outcome, layer, case.x(), calls)
        results = [calls(layer, case.x(), seed=seed) for seed in (0, 1)]
        outcome.trouble = results[0][1] or results[1][1]
        if not outcome.trouble:
            first, again = (Outcome("").read(result, ("context",)) for result, _ in results)
            if not first.agrees(again):
                outcome.note("chance_in_use")
                note_mode(outcome, cls)
            else:
                outcome.values = first.values
        return outcome

    def _uneven(self, cls, calls):
        outcome = Outcome(Line("uneven_heads"))
        _, refused = calls(cls, *self._sizes(UNEVEN))
        if not refused:
            outcome.note("layer_is_made")
        elif not refused.text.startswith("ValueError"):
            is_assert = refused.text.startswith("AssertionError")  # one mistake, whatever it says
            outcome.note("no_value_error", "AssertionError" if is_assert else refused.text)
        elif not {"7", "2"} <= set(re.findall(r"\d+", refused.text)):
            outcome.note("unnamed_sizes", refused.text)
        return outcome
