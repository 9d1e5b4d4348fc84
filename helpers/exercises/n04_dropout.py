"""The exercises and predictions of notebook 4: dropout."""

import torch
from torch import nn
from torch.nn import functional as F

from ..judge.layers import LayerCase
from .edits import swap
from .n02_trainable_qkv import MIX, SOFTMAX
from .n03_causal_mask import CAUSAL, DROPS, FUSED, CausalAttention
from .notebook import Notebook

notebook = Notebook(__name__)


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
        "renormalised": "kept = weights * keep\nreturn kept / kept.sum(dim=-1, keepdim=True)",
        "normal_numbers": "keep = torch.randn_like(weights) >= p",
        "never_drops": "return F.dropout(weights, p, training=False)",
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
        "mode_inverted": "return F.dropout(weights, self.p, not self.training)",
        "shrunk_in_use": "return weights * keep if self.training else weights * (1 - self.p)",
    },
)
class Dropout(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, weights):
        return F.dropout(weights, self.p, self.training)


DROPPING = {  # mistakes of every layer with dropout on its weights, here and in notebook 5
    "not_scaled_up": swap(
        f"F.dropout({SOFTMAX}, self.dropout, self.training)",
        f"{SOFTMAX} * (torch.rand_like(scores) >= self.dropout if self.training else 1)",
    ),
    "never_drops": swap("self.dropout, self.training)", "self.dropout, training=False)"),
    "drops_in_use": [
        swap("self.dropout, self.training)", "self.dropout)"),
        swap(MIX, f"{FUSED}is_causal=True, dropout_p=self.dropout)"),
    ],
    "mode_inverted": swap("self.dropout, self.training)", "self.dropout, not self.training)"),
    "drops_scores": [
        (
            swap(
                "scores.masked_fill", "F.dropout(scores, self.dropout, self.training).masked_fill"
            ),
            f"weights = {SOFTMAX}",
        ),
        "weights = F.dropout(scores, self.dropout, self.training).softmax(dim=-1)",
    ],
    "drops_context": (
        swap(MIX, "F.dropout(weights @ values, self.dropout, self.training)"),
        f"weights = {SOFTMAX}",
    ),
}

notebook.layer(
    "The class of causal_attention, with dropout on its weights in training.",
    name="causal_dropout",
    drops=True,
    cases=[
        LayerCase("2 sentences of 5 tokens", 5, 3, 4, 2),
        LayerCase("the weights themselves", 4, 5, 4, 1, xray=True),
    ],
    mistakes=DROPPING
    | {
        "no_mask": swap(MIX, f"{FUSED}{DROPS}"),
        "mask_convention": CAUSAL["mask_convention"],
        "mask_added": CAUSAL["mask_added"],
        "mask_not_cut": swap(MIX, f"{FUSED}attn_mask=self.mask, {DROPS}"),
    },
)(CausalAttention)
