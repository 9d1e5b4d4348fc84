"""What one call of attention asks, whatever its arguments looked like, and the weights it gives."""

from dataclasses import dataclass, replace

import torch
from torch.nn import functional as F

from .beside import low, wide


@dataclass
class Asked:
    """Queries (batch, heads, queries, d); keys and values (batch, fewer heads, keys, d or d_v)."""

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    bias: torch.Tensor | None = None  # is added to the scores; four dimensions, broadcasts to them
    hidden: torch.Tensor | None = None  # booleans, True = hidden; the same
    scale: float | None = None
    dropout: float = 0.0
    empty: float = 0.0  # what the weights are of a query from which every key is hidden

    @property
    def shape(self):
        """(batch, heads, queries, keys)"""
        return (*self.query.shape[:3], self.key.shape[2])

    @property
    def kind(self):
        """The type that its weights are computed in."""
        return wide(self.query.dtype)

    def only(self, heads):
        """The same with these heads alone; None: all."""
        if heads is None:
            return self
        own = self.query.shape[1] // self.key.shape[1]  # heads that share a key
        heads = torch.tensor(heads, device=self.query.device)
        bias, hidden = (
            mask if mask is None or mask.shape[1] == 1 else mask[:, heads]
            for mask in (self.bias, self.hidden)
        )
        query, key, value = (
            self.query[:, heads],
            self.key[:, heads // own],
            self.value[:, heads // own],
        )
        return replace(self, query=query, key=key, value=value, bias=bias, hidden=hidden)

    def shown(self):
        """Which keys its masks hide from which queries, or None."""
        deep = None if self.bias is None else low(self.bias)
        masks = [mask for mask in (self.hidden, deep) if mask is not None]
        return masks[0] | masks[-1] if masks else None

    def mask(self):
        """Both masks as one to add, or None."""
        if self.hidden is None:
            return self.bias
        none = self.query.new_zeros(())
        bias = none if self.bias is None else self.bias
        return torch.where(self.hidden, none - float("inf"), bias)

    def weights(self):
        """softmax(QKᵀ · scale + mask)."""
        scale = self.query.shape[-1] ** -0.5 if self.scale is None else self.scale
        key = self._for_each_head(self.key)
        scores = (self.query.to(self.kind) * scale) @ key.transpose(-2, -1)
        if self.bias is not None:
            scores += self.bias
        if self.hidden is not None:
            scores.masked_fill_(self.hidden, float("-inf"))
        # In place: a second matrix of this size would double what a watch takes.
        most = scores.amax(dim=-1, keepdim=True)
        blind = most == float("-inf")
        scores.sub_(most.masked_fill_(blind, 0.0)).exp_()
        scores.div_(scores.sum(dim=-1, keepdim=True).masked_fill_(blind, 1.0))
        return scores.masked_fill_(blind, self.empty) if self.empty else scores

    def context(self, weights):
        """weights · values, (batch, heads, queries, d_v)."""
        return weights @ self._for_each_head(self.value)

    def _for_each_head(self, x):
        times = self.query.shape[1] // x.shape[1]
        return (x if times == 1 else x.repeat_interleave(times, dim=1)).to(self.kind)

    def probed(self, attend, heads):
        """The weights that any kernel uses, in its own type: attend(values) → context.

        Its result is linear in the values: asked with the rows of an identity matrix for values,
        it gives the weights, d_v of them at a time.
        """
        keys, size = self.value.shape[-2:]
        parts = []
        for start in range(0, keys, size):
            ones = torch.zeros_like(self.value, memory_format=torch.contiguous_format)
            ones[..., start : start + size, :].diagonal(dim1=-2, dim2=-1).fill_(1)
            part = attend(ones)
            parts.append(part if heads is None else part[:, list(heads)])
        return torch.cat(parts, dim=-1)[..., :keys]


def as_one_call(
    place,
    used,
    query,
    key,
    value,
    attn_mask=None,
    dropout_p=0.0,
    is_causal=False,
    scale=None,
    enable_gqa=False,
):
    """(Asked, used) for a call of F.scaled_dot_product_attention, used as four dimensions, too."""
    query, key, value = (x.detach().to(used.dtype) for x in (query, key, value))  # as autocast does
    mask = attn_mask
    if hasattr(mask, "_materialize"):  # torch.nn.attention.bias: a mask that is only described
        mask = mask._materialize(query.device)
    if is_causal:
        mask = query.new_ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
    leading = used.shape[:-2]
    if mask is not None:
        mask = mask.detach()[(None,) * (len(leading) + 2 - mask.dim())]
    if enable_gqa:
        batch, heads = leading[:-1].numel(), leading[-1]
    else:
        query, key, value = (x.expand(*leading, *x.shape[-2:]) for x in (query, key, value))
        if place.heads_first(leading, query.shape[-2], key.shape[-2]):
            query, key, value, used = (x.transpose(0, 1) for x in (query, key, value, used))
            mask = None if mask is None else mask.transpose(0, 1)
            leading = used.shape[:-2]
        batch, heads = place.batch_and_heads(leading, query.shape[-2], key.shape[-2])
    if mask is not None:
        if leading != (batch, heads):
            one = mask.shape[:-2].numel() == 1
            sizes = (1, 1) if one else (batch, heads)
            full = mask if one else mask.expand(*leading, *mask.shape[-2:])
            mask = full.reshape(*sizes, *mask.shape[-2:])
    if leading != (batch, heads):
        query, used = (x.reshape(batch, heads, *x.shape[-2:]) for x in (query, used))
        key, value = (
            x.reshape(batch, -1 if enable_gqa else heads, *x.shape[-2:]) for x in (key, value)
        )
    if _packed(place.module, query, key):
        query, used = (x.reshape(batch, -1, 1, x.shape[-1]) for x in (query, used))
        if mask is not None and mask.shape[1] != 1:
            mask = mask.expand(*mask.shape[:2], query.shape[1] // key.shape[1], -1)
            mask = mask.reshape(len(mask), -1, 1, mask.shape[-1])
    bias, hidden = (None, ~mask) if mask is not None and mask.dtype == torch.bool else (mask, None)
    return Asked(query, key, value, bias, hidden, scale, dropout_p), used


def _packed(module, query, key):
    """Whether heads that share a key stand where queries do, as Hugging Face has it for one query.

    It attends for one new token as if its heads of a group were several queries of one head.
    """
    groups = getattr(module, "num_key_value_groups", 1)
    config = getattr(module, "config", None)
    heads = getattr(config, "num_attention_heads", None)
    return (
        isinstance(groups, int)
        and groups > 1
        and query.shape[1] == key.shape[1]
        and query.shape[1] * groups == heads
        and query.shape[2] == groups
    )


def projected(given, dtype):
    """Asked for the arguments of F.multi_head_attention_forward, by name.

    dtype  what the model computes in, which under autocast is not what it was given
    """

    def cast(name):
        return None if given[name] is None else given[name].detach().to(dtype)

    query, key, value = cast("query"), cast("key"), cast("value")  # (tokens, batch, d)
    if query.dim() == 2:
        query, key, value = query[:, None], key[:, None], value[:, None]
    if given["use_separate_proj_weight"]:
        matrices = [cast(f"{name}_proj_weight") for name in "qkv"]
    else:
        matrices = cast("in_proj_weight").chunk(3)
    biases = (None,) * 3 if given["in_proj_bias"] is None else cast("in_proj_bias").chunk(3)
    query, key, value = map(F.linear, (query, key, value), matrices, biases)
    batch, heads = query.shape[1], given["num_heads"]
    if given["bias_k"] is not None:
        key = torch.cat([key, cast("bias_k").expand(1, batch, -1)])
        value = torch.cat([value, cast("bias_v").expand(1, batch, -1)])

    def split(x):  # (tokens, batch, d_model) → (batch, heads, tokens, head_dim)
        return x.unflatten(-1, (heads, -1)).permute(1, 2, 0, 3)

    query, key, value = split(query), split(key), split(value)
    for name in "key", "value":
        if given[f"static_{name[0]}"] is not None:
            static = cast(f"static_{name[0]}").unflatten(0, (batch, heads))
            key, value = (static, value) if name == "key" else (key, static)
    if given["add_zero_attn"]:
        key, value = F.pad(key, (0, 0, 0, 1)), F.pad(value, (0, 0, 0, 1))
    bias, hidden = _masks(given, batch, heads, query.shape[2], key.shape[2])
    dropout = given["dropout_p"] if given["training"] else 0.0
    empty = float("nan") if given["need_weights"] else 0.0  # its two paths differ there
    return Asked(query, key, value, bias, hidden, None, dropout, empty)


def _masks(given, batch, heads, queries, keys):
    """(bias, hidden) of nn.MultiheadAttention's two masks; here True means hidden."""
    own, padding = given["attn_mask"], given["key_padding_mask"]
    if own is not None:
        if given["is_causal"] and padding is None and not given["need_weights"]:
            # It then trusts the hint, and does not look at the mask.
            own = own.new_ones(own.shape[-2:], dtype=torch.bool).triu(1)
        own = own.detach()
        own = own[None, None] if own.dim() == 2 else own.unflatten(0, (batch, heads))
    if padding is not None:
        padding = padding.detach()
        padding = (padding[None] if padding.dim() == 1 else padding)[:, None, None]
    bias = hidden = None
    for mask in (own, padding):
        if mask is None:
            continue
        mask = F.pad(mask, (0, keys - mask.shape[-1]))  # what was added, every query sees
        if mask.dtype == torch.bool:
            hidden = mask if hidden is None else hidden | mask
        else:
            bias = mask if bias is None else bias + mask
    return bias, hidden
