"""What the tests of watch share: weights by hand, and a model run with and without a watch."""

import torch
from torch import nn
from torch.overrides import _get_current_function_mode_stack

from helpers.inside import watch
from helpers.models.gpt import GPT

SMALL = {
    "vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 20, "max_position_embeddings": 32, "bos_token_id": 1, "eos_token_id": 2,
    "pad_token_id": 0,
}  # fmt: skip


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


def by_hand(query, key, hidden=None, bias=None, scale=None):
    """Each weight by itself, in float64: (batch, heads, queries, keys) from four dimensions.

    Fewer heads of keys are shared, heads that stand together having the same.
    """
    query, key = query.double(), key.double()
    batch, heads, queries, d = query.shape
    keys = key.shape[2]
    own = heads // key.shape[1]
    weights = torch.zeros(batch, heads, queries, keys, dtype=torch.float64)
    shape = weights.shape
    hidden = torch.zeros(shape, dtype=torch.bool) if hidden is None else hidden.expand(shape)
    bias = weights.clone() if bias is None else bias.double().expand(shape)
    for b in range(batch):
        for h in range(heads):
            for q in range(queries):
                seen = [k for k in range(keys) if not hidden[b, h, q, k]]
                if seen:
                    scores = [
                        (query[b, h, q] @ key[b, h // own, k])
                        * (d**-0.5 if scale is None else scale)
                        + bias[b, h, q, k]
                        for k in seen
                    ]
                    weights[b, h, q, seen] = torch.stack(scores).softmax(0)
    return weights


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


def made(kind, **config):
    """A model of a class of Hugging Face with random weights, not in training."""
    torch.manual_seed(0)
    model = kind(kind.config_class(**config)).eval()
    for parameter in model.parameters():  # as made, weights are small, and all looks even
        parameter.data = torch.randn_like(parameter) * 0.3
    return model


def gpt(**options):
    torch.manual_seed(0)
    return GPT(11, 8, 12, 3, 2, **options)


def left_behind(model):
    changed = nn.Module.__call__ is not CALL
    changed |= not torch.backends.mha.get_fastpath_enabled()
    return changed, _get_current_function_mode_stack(), torch._dynamo.eval_frame._stance.stance
