"""Asking for a layer: a class is made, filled with known weights, and run.

Every candidate gets the same weights in W_query, W_key and W_value, so all right ones give the same
output. In one case the values form the identity matrix: the output *is* the attention weights.
"""

from dataclasses import dataclass, replace

import torch
from torch import nn

from .asking import STOP, backward, wave
from .layer_weights import PROJECTIONS, fill, missing_bias, plain_tensors, projections, split_xray
from .outcomes import Outcome, close, kind, read
from .running import Trouble

P = 0.2  # how much the layers drop in training: not 0.5, or kept and dropped could be mixed up


@dataclass
class LayerCase:
    """One layer and one input: in words, and in sizes."""

    says: str
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


def orthonormal(rows, columns):
    """(rows, columns), rows of length 1 at right angles: times its transpose it is the identity."""
    return torch.linalg.qr(wave(columns, columns, seed=11).double())[0][:rows].float()


@dataclass
class LayerExercise:
    """Ask for a class.

    arguments   the names of its positional arguments
    drops       whether dropout is part of what is asked
    """

    name: str
    arguments: tuple
    cases: list
    right: object
    drops: bool = False
    asks_for: str = "class"

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
        training = replace(self.cases[0], says="training mode", training=True)
        yield self._values(candidate, training, calls)
        yield self._gradient(candidate, self.cases[0], calls)
        if self.drops:
            yield self._training(candidate, calls)
            yield self._in_use(candidate, calls)
        if "num_heads" in self.arguments:
            yield self._uneven(candidate, calls)

    def _make(self, cls, case, calls):
        """(layer, Outcome with what there is to say about it already)."""
        sizes = ", ".join(f"{name}={getattr(case, name)}" for name in self.arguments)
        outcome = Outcome(case.says, f"{sizes}, x {tuple(case.x().shape)}")
        named = {"qkv_bias": True} if case.qkv_bias else {}
        layer, outcome.trouble = calls(cls, *(getattr(case, n) for n in self.arguments), **named)
        if outcome.trouble:
            return None, outcome
        if not isinstance(layer, nn.Module):
            outcome.trouble = Trouble("result", "the class is not an nn.Module")
            return None, outcome
        layer = (layer.double() if case.double else layer).train(case.training)
        outcome.facts |= plain_tensors(layer) | missing_bias(layer)
        for name, (tensor, _) in projections(layer, case).items():
            if tensor.numel() != case.d_in * case.d_out:
                outcome.facts[f"shape of {name}"] = tuple(tensor.shape)
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
        outcome.values, facts, outcome.trouble = read(result, (name,))
        if not outcome.trouble and not isinstance(result, torch.Tensor):
            text = f"{name} is {kind(result)}, not a tensor"
            if isinstance(result, tuple):
                text = f"it returns {len(result)} things, and one was asked for: the context"
            outcome.trouble = Trouble("result", text)
        outcome.facts |= facts
        if any(fact.startswith("shape of") for fact in outcome.facts):
            outcome.values = {}  # made with random weights: the layer took none of ours
            return outcome
        missing = [name for name in PROJECTIONS if not hasattr(layer, name)]
        if missing and not outcome.trouble:
            text = f"the layer has no {', '.join(missing)}; the check sets weights by these names"
            outcome.trouble = Trouble("result", text)
        if not torch.equal(x, case.x()):
            outcome.facts["changes"] = ("x",)
        if outcome.trouble:
            return outcome
        if case.xray:
            outcome.values["weights"] = split_xray(outcome.values["weights"], case)
        elif case is self.cases[0]:
            again = read(calls(layer, case.x(), seed=1)[0], ("context",))[0]
            if not close(outcome.values["context"], again["context"]):
                outcome.facts["two calls"] = "differ"
        return outcome

    def _gradient(self, cls, case, calls):
        layer, outcome = self._make(cls, case, calls)
        outcome.says, outcome.facts = "the gradient", {}
        x = case.x().requires_grad_()
        result, trouble = calls(layer.train(), x)
        if trouble or not isinstance(result, torch.Tensor):
            outcome.trouble = trouble
            outcome.skipped = not trouble  # a wrong kind of result was seen before
            return outcome
        leaves = {"x": x}
        for name, (tensor, turned) in projections(layer, case).items():
            if tensor.requires_grad:
                leaves[name + (" (turned)" if turned else "")] = tensor
        backward(outcome, [result], leaves, calls)
        turned = " (turned)"
        outcome.values = {
            name.removesuffix(turned): grad.T if name.endswith(turned) else grad
            for name, grad in outcome.values.items()
        }
        return outcome

    # -- dropout ------------------------------------------------------------------------------

    def _training(self, cls, calls):
        """What dropout does to the weights, read off values that are unit vectors."""
        heads, tokens, size = 2 if "num_heads" in self.arguments else 1, 16, 20
        case = LayerCase(
            f"training with dropout={P}", tokens, 18, heads * size, 8, 16, heads, dropout=P
        )
        layer, outcome = self._make(cls, case, calls)
        if layer is None:
            return outcome
        x, values = orthonormal(tokens, 18), orthonormal(tokens, size)
        batch = x.expand(8, tokens, 18).clone()
        right = self.right(*(getattr(case, name) for name in self.arguments)).eval()
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
            outcome.facts["shape in training"] = tuple(drawn[0].shape)
            return outcome
        weights, dropped = (t.unflatten(-1, (heads, size)) @ values.T for t in (whole, drawn[0]))
        outcome.facts = dropout_facts(weights, dropped, P)
        outside = drawn[0].unflatten(-1, (heads, size)) - dropped @ values
        if outside.abs().max() > 1e-3:
            outcome.facts = {"dropout": "not on the weights"}
        if dropped[weights.abs() < 1e-6].abs().max() > 1e-3:
            outcome.facts["the future in training"] = "seen"
        outcome.facts["two calls in training"] = "agree" if close(*drawn) else "differ"
        outcome.shown = {"weights": dropped[0, :5, 0, :5].double().numpy()}  # of the first head
        return outcome

    def _in_use(self, cls, calls):
        """After eval(): nothing is dropped, and two calls agree."""
        case = LayerCase("use after eval()", 5, 3, 4, 2, num_heads=1, dropout=0.5)
        layer, outcome = self._make(cls, case, calls)
        if layer is None:
            return outcome
        results = [calls(layer, case.x(), seed=seed) for seed in (0, 1)]
        outcome.trouble = results[0][1] or results[1][1]
        if not outcome.trouble:
            first, again = (read(result, ("context",))[0] for result, _ in results)
            if first.keys() != again.keys() or not all(close(first[n], again[n]) for n in first):
                outcome.facts["two calls in use"] = "differ"
            else:
                outcome.values = first
        return outcome

    def _uneven(self, cls, calls):
        case = LayerCase("7 numbers in 2 heads", 3, 4, 7, num_heads=2)
        _, trouble = calls(cls, *(getattr(case, name) for name in self.arguments))
        return Outcome(case.says, facts={"the layer is": "refused" if trouble else "made"})


def dropout_facts(weights, dropped, p):
    """In words and round numbers, what became of the weights: the same facts for every draw."""
    seen = weights.abs() > 1e-6
    gone = seen & (dropped.abs() < 1e-6)
    kept = (dropped / torch.where(seen, weights, 1.0))[seen & ~gone]
    share = gone.sum().item() / seen.sum().item()
    share = next((near for near in (0, p, 1 - p, 1) if abs(share - near) < 0.05), round(share, 1))
    factor = round(kept.median().item(), 2) if len(kept) else 0
    if kept.isnan().any():
        factor = "nan"
    elif len(kept) and (kept - kept.median()).abs().max() > 0.02 * kept.median().abs():
        factor = "varying numbers"
        if torch.allclose(dropped.sum(-1), torch.ones_like(dropped.sum(-1)), atol=1e-3):
            factor += ", and each row sums to 1"
    return {"share dropped": round(share, 2), "what is kept is multiplied by": factor}
