"""The exercises and predictions of notebook 4: dropout."""

import torch
from torch import nn
from torch.nn import functional as F

from .. import _
from ..judge.layers import Layer
from .n03_causal_mask import CausalAttention
from .notebook import Notebook

notebook = Notebook(__name__)


@notebook.dropout(
    _("dropout(weights, p): each weight 0 with probability p, the others scaled by 1 / (1 - p)."),
    reread="Other p: a random number for each weight",
    mistakes={
        "not_scaled_up": "return weights * keep / (1 - p) → return weights * keep",
        "wrong_factor": """return weights * keep / (1 - p) → return weights * keep * (1 - p)
            or return weights * keep / (1 - p) → return weights * keep / p
            or return weights * keep / (1 - p) → return weights * keep / 0.5""",
        "no_brackets": "return weights * keep / (1 - p) → return weights * keep / 1 - p",
        "keeps_p": """>= p → < p
            or >= p → < p
            (1 - p) → p""",
        "same_draw": """keep = → torch.manual_seed(123)
            keep =""",
        "one_coin_for_many": """rand_like(weights) → rand(len(weights), 1)
            or rand_like(weights) → rand(weights.shape[-1])""",
        "one_coin_for_all": "keep = torch.rand_like(weights) >= p → keep = torch.rand(1) >= p",
        "renormalised": """return weights * keep / (1 - p) → kept = weights * keep
            return kept / kept.sum(dim=-1, keepdim=True)
            or return weights * keep / (1 - p) → kept = weights * keep
            return kept / kept.sum()""",
        "p_written_in": """>= p → >= 0.5
            or >= p → >= 0.5
            (1 - p) → 0.5""",
        "normal_numbers": "rand_like → randn_like",
        "exact_share": """rand_like(weights) >= p
            → rand(weights.numel()).argsort().view(weights.shape) >= p * weights.numel()""",
        "no_draw": """return weights * keep / (1 - p) → return weights
            or return weights * keep / (1 - p) → return weights / (1 - p)""",
    },
)
def dropout(weights, p):
    keep = torch.rand_like(weights) >= p
    return weights * keep / (1 - p)


notebook.predict(
    "a weight that is kept",
    _("In training, with p = 0.4, a weight of 0.30 stays. What does it become?"),
    answer=0.5,
    why=_("A weight that stays is divided by 1 − p, and 0.30 / (1 − 0.4) = 0.50."),
    hint=_("It stays with probability 0.6. What must it be then, so that it is 0.30 on average?"),
    wrong=[
        (0.3, _("Then its average would be 0.18. What makes up for the times it is dropped?")),
        (0.75, _("That is 0.30 / p. What is the probability that a weight stays?")),
    ],
)


@notebook.dropout(
    _("A class (p), an nn.Module: dropout in training, nothing after eval()."),
    name="dropout_module",
    reread="Training and use",
    mistakes={
        "not_scaled_up": "keep / (1 - self.p) if → keep if",
        "wrong_factor": """(1 - self.p) → self.p
            or / (1 - self.p) → / 0.5""",
        "one_coin_for_all": "torch.rand_like(weights) → not self.training or torch.rand(1)",
        "keeps_p": "rand_like(weights) >= → rand_like(weights) <",
        "never_drops": "weights * keep / (1 - self.p) if self.training else weights → weights",
        "same_draw": """keep = torch.rand_like(weights) >= self.p → torch.manual_seed(123)
            keep = torch.rand_like(weights) >= self.p""",
        "drops_in_use": "weights * keep / (1 - self.p) if self.training else weights → F.dropout(weights, self.p)",
        "exact_share": """rand_like(weights) >= self.p
                → rand(weights.numel()).argsort().view(weights.shape) >= self.p * weights.numel()""",
        "mode_inverted": """weights * keep / (1 - self.p) if self.training else weights
                → F.dropout(weights, self.p, not self.training)""",
        "drops_no_more": """keep = → self.p = self.p * self.training
            keep =""",
        "p_written_in": """rand_like(weights) >= self.p → rand_like(weights) >= 0.5
            or rand_like(weights) >= self.p → rand_like(weights) >= 0.5
            (1 - self.p) → 0.5""",
    },
)
class Dropout(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, weights):
        keep = torch.rand_like(weights) >= self.p
        return weights * keep / (1 - self.p) if self.training else weights


DROPPING = {  # mistakes in every layer with dropout on its weights, here and in notebook 5
    "never_drops": "self.training → False",
    "drops_in_use": ", self.training →",
}


@notebook.layer(
    _("The forward of causal_attention by the fast kernel, which drops its weights in training."),
    name="causal_dropout",
    drops=True,
    calls="scaled_dot_product_attention",
    cases={
        _("2 sentences of 5 tokens"): Layer(5, 3, 4, 2),
        _("the weights themselves"): Layer(4, 5, 4, 1, xray=True),
        _("qkv_bias=True"): Layer(4, 3, 2, 3, qkv_bias=True),
    },
    reread="Further: Dropout in the fast kernel · 3 min",
    mistakes={
        "no_fast_kernel": """F.scaled_dot_product_attention(query, key, value, dropout_p=p, is_causal=True)
                → super().forward(x)""",
        "no_mask": ", is_causal=True →",
        "mask_convention": "is_causal=True → attn_mask=self.mask[: x.shape[1], : x.shape[1]].bool()",
        "mask_not_cut": "is_causal=True → attn_mask=self.mask",
        "mask_added": "is_causal=True → attn_mask=self.mask[: x.shape[1], : x.shape[1]]",
        "not_on_weights": """value, dropout_p=p → F.dropout(value, p)
            or return F.scaled_dot_product_attention(query, key, value, dropout_p=p, is_causal=True)
                → context = F.scaled_dot_product_attention(query, key, value, is_causal=True)
            return F.dropout(context, p)""",
        "one_matrix": "(query, key, → (key, key,",
        "values_unused": "key, value, d → key, key, d",
        "values_mixed_up": """key, value, d → value, key, d
            or (query, key, value, → (value, key, query,""",
        "scaled_twice": "(query, → (query / key.shape[-1] ** 0.5,",
        "never_drops": "dropout_p=p, is_causal → is_causal",
        "drops_in_use": "dropout_p=p → dropout_p=self.dropout",
        "mode_inverted": "if self.training → if not self.training",
        "keeps_p": "p = self.dropout if → p = 1 - self.dropout if",
    },
)
class FastAttention(CausalAttention):
    def forward(self, x):
        p = self.dropout if self.training else 0.0
        query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)
        return F.scaled_dot_product_attention(query, key, value, dropout_p=p, is_causal=True)
