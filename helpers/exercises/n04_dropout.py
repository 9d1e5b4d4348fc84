"""The exercises and predictions of notebook 4: dropout."""

import torch
from torch import nn
from torch.nn import functional as F

from ..judge.layers import LayerCase
from .edits import swap
from .n02_trainable_qkv import MIX, SOFTMAX
from .n03_causal_mask import FUSED, CausalAttention
from .notebook import Notebook

notebook = Notebook(__name__)

PLACES = "keep = torch.rand(weights.numel()).argsort().view(weights.shape)"


@notebook.dropout(
    "dropout(weights, p): each weight 0 with chance p, the others scaled by 1 / (1 - p).",
    mistakes={
        "in_place": "weights *= keep\nreturn weights / (1 - p)",
        "lost_gradient": swap("weights * keep", "weights.detach() * keep"),
        "not_scaled_up": "return weights * keep",
        "wrong_factor": [
            "return weights * keep * (1 - p)",
            "return weights * keep / (p or 1)",
            "return weights * keep / p",
            "return weights * keep / 0.5",
        ],
        "keeps_p": [
            "keep = torch.rand_like(weights) < p",
            ("keep = torch.rand_like(weights) < p", "return weights * keep / (p or 1)"),
            ("keep = torch.rand_like(weights) < p", "return weights * keep / p"),
        ],
        "same_draw": "torch.manual_seed(123)\nkeep = torch.rand_like(weights) >= p",
        "one_coin_for_many": [
            "keep = torch.rand(len(weights), 1) >= p",
            "keep = torch.rand(weights.shape[-1]) >= p",
        ],
        "one_coin_for_all": "keep = torch.rand(1) >= p",
        "renormalised": [
            "kept = weights * keep\nreturn kept / kept.sum(dim=-1, keepdim=True)",
            "kept = weights * keep\nreturn kept / kept.sum()",
        ],
        "no_brackets": "return weights * keep / 1 - p",
        "p_written_in": [
            "keep = torch.rand_like(weights) >= 0.5",
            ("keep = torch.rand_like(weights) >= 0.5", "return weights * keep / 0.5"),
        ],
        "normal_numbers": "keep = torch.randn_like(weights) >= p",
        "no_draw": ["return F.dropout(weights, p, training=False)", "return weights / (1 - p)"],
        "exact_share": [
            f"{PLACES} >= p * weights.numel()",
            f"{PLACES} > p * weights.numel() - 0.5",
        ],
    },
)
def dropout(weights, p):
    keep = torch.rand_like(weights) >= p
    return weights * keep / (1 - p)


notebook.predict(
    "a weight that is kept",
    "In training, with p = 0.4, a weight of 0.30 is kept. What is it now?",
    form="a number",
    answer=0.5,
    why="0.30 / (1 − 0.4): what is kept is made larger.",
    hint="It is kept with chance 0.6. What must it be, to be 0.30 on average?",
    wrong=[
        (0.3, "Then the average would shrink to 0.18. What makes up for the weights that go?"),
        (0.75, "That is 0.30 / p. With what chance is a weight kept?"),
        (0.18, "That makes it smaller still. On average, 0.30 is to come out."),
    ],
)

# ---------------------------------------------------------------- the modules


ALWAYS_THE_SAME = "torch.rand(weights.shape, generator=torch.Generator().manual_seed(123))"


class DropoutByHand(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, weights):
        keep = torch.rand_like(weights) >= self.p
        return weights * keep / (1 - self.p) if self.training else weights


@notebook.dropout(
    "A class (p), an nn.Module: dropout in training, nothing after eval().",
    name="dropout_module",
    also=[DropoutByHand],
    mistakes={
        "not_scaled_up": "return weights * keep if self.training else weights",
        "wrong_factor": [
            swap("(1 - self.p)", "self.p"),
            swap("/ (1 - self.p)", "/ 0.5"),
            swap("/ (1 - self.p)", "* (1 - self.p)"),
        ],
        "one_coin_for_many": "keep = torch.rand(len(weights), 1) >= self.p",
        "one_coin_for_all": "keep = torch.rand(1) >= self.p",
        "keeps_p": "keep = torch.rand_like(weights) < self.p",
        "same_draw": swap("torch.rand_like(weights)", ALWAYS_THE_SAME),
        "never_drops": "return F.dropout(weights, self.p, training=False)",
        "drops_in_use": "return F.dropout(weights, self.p)",
        "exact_share": f"{PLACES} >= self.p * weights.numel()",
        "mode_is_method": [
            swap("if self.training", "if self.train"),
            swap("if self.training", "if not self.eval"),
            swap("if self.training", "if self.train()"),
        ],
        "mode_inverted": "return F.dropout(weights, self.p, not self.training)",
        "drops_no_more": "self.p = self.p if self.training else 0.0\n"
        "return F.dropout(weights, self.p)",
        "shrunk_in_use": [
            "return weights * keep if self.training else weights * (1 - self.p)",
            swap("else weights", "else weights * (1 - self.p)"),
        ],
        "p_written_in": [
            "return F.dropout(weights, 0.5, self.training)",
            "keep = torch.rand_like(weights) >= 0.5",
        ],
    },
)
class Dropout(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, weights):
        return F.dropout(weights, self.p, self.training)


DROPPED = "F.dropout({}, self.dropout, self.training)"

DROPPING = {  # mistakes of every layer with dropout on its weights, written out, as in notebook 5
    "not_scaled_up": swap(
        DROPPED.format(SOFTMAX),
        f"{SOFTMAX} * (torch.rand_like(scores) >= self.dropout if self.training else 1)",
    ),
    "never_drops": swap("self.dropout, self.training)", "self.dropout, training=False)"),
    "drops_in_use": [
        swap("self.dropout, self.training)", "self.dropout)"),
        swap(MIX, f"{FUSED}is_causal=True, dropout_p=self.dropout)"),
    ],
    "mode_inverted": swap("self.dropout, self.training)", "self.dropout, not self.training)"),
    "mode_is_method": [
        swap(DROPPED.format(SOFTMAX), f"F.dropout({SOFTMAX}, self.dropout if self.train else 0.0)"),
        swap(DROPPED.format(SOFTMAX), f"F.dropout({SOFTMAX}, 0.0 if self.eval else self.dropout)"),
    ],
    "drops_scores": [
        (
            swap("scores.masked_fill", DROPPED.format("scores") + ".masked_fill"),
            f"weights = {SOFTMAX}",
        ),
        "weights = F.dropout(scores, self.dropout, self.training).softmax(dim=-1)",
    ],
    "drops_values": (
        swap(MIX, "weights @ " + DROPPED.format("values")),
        f"weights = {SOFTMAX}",
    ),
    "drops_context": (swap(MIX, DROPPED.format(MIX)), f"weights = {SOFTMAX}"),
}

# ---------------------------------------------------------------- the fast layer

OWN_MASK = "self.mask[: x.shape[1], : x.shape[1]]"
PLAIN = "(query, key, value, is_causal=True)"
DROPPING_P = "(query, key, value, dropout_p=p, is_causal=True)"


@notebook.layer(
    "The forward of causal_attention by the fast kernel, which drops its weights in training.",
    name="causal_dropout",
    drops=True,
    calls_for=("no_fast_kernel", "scaled_dot_product_attention"),
    cases=[
        LayerCase("2 sentences of 5 tokens", 5, 3, 4, 2),
        LayerCase("the weights themselves", 4, 5, 4, 1, xray=True),
        LayerCase("qkv_bias=True", 4, 3, 2, 3, qkv_bias=True),
    ],
    mistakes={
        "no_fast_kernel": swap(f"F.scaled_dot_product_attention{DROPPING_P}", "super().forward(x)"),
        "no_mask": swap(", is_causal=True", ""),
        "mask_convention": swap("is_causal=True", f"attn_mask={OWN_MASK}.bool()"),
        "mask_added": swap("is_causal=True", f"attn_mask={OWN_MASK}"),
        "mask_not_cut": swap("is_causal=True", "attn_mask=self.mask"),
        "not_projected": swap("(query, key, value,", "(x, x, x,"),
        "keys_ask": swap("(query, key,", "(key, query,"),
        "one_matrix": [swap("(query, key,", "(query, query,"), swap("(query, key,", "(key, key,")],
        "values_unused": swap("key, value, d", "key, key, d"),
        "values_mixed_up": [
            swap("key, value, d", "value, key, d"),
            swap("(query, key, value,", "(value, key, query,"),
            swap("(query, key, value,", "(key, value, query,"),
            swap("(query, key, value,", "(value, query, key,"),
            swap("key, value, d", "key, query, d"),
        ],
        "scaled_twice": swap("(query, key,", "(query / key.shape[-1] ** 0.5, key,"),
        "no_scale": swap("is_causal=True", "is_causal=True, scale=1.0"),
        "times_root": swap("is_causal=True", "is_causal=True, scale=key.shape[-1] ** 0.5"),
        "bias_unused": swap(
            "self.W_query(x), self.W_key(x), self.W_value(x)",
            "(x @ W.weight.T for W in (self.W_query, self.W_key, self.W_value))",
        ),
        "never_drops": swap("dropout_p=p, ", ""),
        "drops_in_use": swap("dropout_p=p", "dropout_p=self.dropout"),
        "mode_inverted": swap("if self.training", "if not self.training"),
        "mode_is_method": [
            swap("if self.training", "if self.train"),
            swap("self.dropout if self.training else 0.0", "0.0 if self.eval else self.dropout"),
        ],
        "keeps_p": swap("p = self.dropout", "p = 1 - self.dropout"),
        "p_written_in": [
            swap("dropout_p=p", "dropout_p=0.5"),
            swap("p = self.dropout if", "p = 0.5 if"),
        ],
        "mode_as_p": swap("dropout_p=p", "dropout_p=self.training"),
        "scaled_up_twice": [
            swap("is_causal=True)", "is_causal=True) / (1 - p)"),
            swap("is_causal=True)", "is_causal=True) / (1 - self.dropout)"),
        ],
        "drops_no_more": swap("p = self.dropout", "self.dropout = p = self.dropout"),
        "drops_scores": swap(
            "(query, key, value, dropout_p=p,", "(F.dropout(query, p), key, value,"
        ),
        "drops_values": swap("value, dropout_p=p", "F.dropout(value, p)"),
        "drops_inputs": (
            swap("else 0.0", "else 0.0\nx = F.dropout(x, p)"),
            swap("dropout_p=p, ", ""),
        ),
        "drops_context": f"return F.dropout(F.scaled_dot_product_attention{PLAIN}, p)",
    },
)
class FastAttention(CausalAttention):
    def forward(self, x):
        p = self.dropout if self.training else 0.0
        query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)
        return F.scaled_dot_product_attention(query, key, value, dropout_p=p, is_causal=True)
