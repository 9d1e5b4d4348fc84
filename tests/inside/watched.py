"""What the tests of watch share: weights by hand, and a model run with and without a watch."""

import torch
from torch import nn
from torch.overrides import _get_current_function_mode_stack

from helpers.inside import watch
from helpers.models.gpt import GPT

CALL = nn.Module.__call__  # before anything is watched


class Calls(nn.Module):
    """A model whose forward is this function; it may state how many heads it has."""

    def __init__(self, function, heads=None):
        super().__init__()
        self.function = function
        if heads:
            self.num_heads = heads

    def forward(self, *args):
        return self.function(*args)


def heads_of(x, heads=3):
    """x (batch, tokens, heads · d) as (batch, heads, tokens, d)."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def by_hand(query, key, hidden=None, scale=None):
    """The weights (batch, heads, queries, keys) in float64, 0 where a query sees no key.

    Fewer heads of keys are shared, heads that stand together having the same.
    """
    key = key.double().repeat_interleave(query.shape[1] // key.shape[1], 1)
    scores = torch.einsum("bhqd,bhkd->bhqk", query.double(), key)
    shares = (scores * (query.shape[-1] ** -0.5 if scale is None else scale)).exp()
    shares = shares if hidden is None else shares * ~hidden
    return shares / shares.sum(-1, keepdim=True).clamp(min=1e-300)


def outputs(result):
    """All tensors of what a model returned."""
    if isinstance(result, torch.Tensor):
        return [result]
    values = result.values() if hasattr(result, "values") else result
    return [x for value in values if value is not None for x in outputs(value)]


def watched(model, *args, settings=None, **kwargs):
    """Seen of model(*args, **kwargs), which gives to the last bit what it gives without a watch."""
    torch.manual_seed(0)
    plain = outputs(model(*args, **kwargs))
    dice = torch.get_rng_state()
    torch.manual_seed(0)
    with watch(model, **settings or {}) as seen:
        result = outputs(model(*args, **kwargs))
    assert len(plain) == len(result) > 0
    assert all(torch.equal(a, b) for a, b in zip(plain, result))
    assert torch.equal(torch.get_rng_state(), dice)
    assert "weights times values are what the model used" in seen.check()
    return seen


def gpt(**options):
    torch.manual_seed(0)
    return GPT(11, 8, 12, 3, 2, **options)


def left_behind():
    changed = nn.Module.__call__ is not CALL
    changed |= not torch.backends.mha.get_fastpath_enabled()
    return changed, _get_current_function_mode_stack(), torch._dynamo.eval_frame._stance.stance
