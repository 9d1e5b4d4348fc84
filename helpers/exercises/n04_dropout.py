"""The exercises and predictions of notebook 4: dropout."""

import torch
from torch import nn
from torch.nn import functional as F

from .. import _
from ..judge.layers import Layer
from .mistakes import Mistake, swap
from .n03_causal_mask import CausalAttention
from .notebook import Notebook

notebook = Notebook(__name__)

POSITIONS = "keep = torch.rand(weights.numel()).argsort().view(weights.shape)"


@notebook.dropout(
    _("dropout(weights, p): each weight 0 with probability p, the others scaled by 1 / (1 - p)."),
    reread="Other p: a roll for each weight",
    mistakes={
        "in_place": "weights *= keep\nreturn weights / (1 - p)",
        "lost_gradient": swap("weights * keep", "weights.detach() * keep"),
        "not_scaled_up": Mistake("return weights * keep").called("""
            kept weights not scaled by 1/(1 − p)
            On average, all weights shrink by the factor 1 − p.
            Part of the weight is gone. How large must the rest be, to be right on average?"""),
        "wrong_factor": Mistake(
            *[f"return weights * keep {factor}" for factor in ("* (1 - p)", "/ p", "/ 0.5")]
        ).called("""
            scaled by the wrong factor
            The average over many draws is not the weight one started from.
            A weight stays with probability 1 − p. Times what is it right on average?"""),
        "no_brackets": Mistake("return weights * keep / 1 - p").called("""
            / 1 - p without brackets
            p is taken away from every weight, the dropped ones too.
            Which does Python do first, the division or the subtraction?"""),
        "keeps_p": Mistake(
            swap(">= p", "< p"), (swap(">= p", "< p"), swap("(1 - p)", "p"))
        ).called("""
            p kept, not p dropped
            With p = 0.2, four out of five weights are gone.
            p is the probability to be dropped. For p = 0, what does your comparison keep?"""),
        "same_draw": Mistake(swap("keep =", "torch.manual_seed(123)\nkeep =")).called("""
            the same draw every time
            Two calls drop the same weights.
            Where does your randomness start from, at each call?"""),
        "one_coin_for_many": Mistake(
            "keep = torch.rand(len(weights), 1) >= p", "keep = torch.rand(weights.shape[-1]) >= p"
        ).called("""
            one draw for many weights
            Whole rows, or whole columns, are gone together.
            Every weight has a coin of its own. How many coins do you toss?"""),
        "one_coin_for_all": Mistake("keep = torch.rand(1) >= p").called("""
            one draw for all weights
            Either all weights are gone, or none.
            Every weight has a coin of its own. How many random numbers do you draw?"""),
        "renormalised": Mistake(
            "kept = weights * keep\nreturn kept / kept.sum(dim=-1, keepdim=True)",
            "kept = weights * keep\nreturn kept / kept.sum()",
        ).called("""
            rows renormalised after dropout
            Every row sums to 1, whatever was dropped.
            Must one draw sum to 1? What should be right on average?"""),
        "p_written_in": Mistake(
            swap(">= p", ">= 0.5"), (swap(">= p", ">= 0.5"), swap("(1 - p)", "0.5"))
        ).called("""
            a probability of 0.5 written in
            Half of the weights are dropped, whatever p is.
            Which p were you given, or does the layer keep?"""),
        "normal_numbers": Mistake("keep = torch.randn_like(weights) >= p").called("""
            normal random numbers, where even ones are meant
            The share that is dropped is not p.
            Between which numbers do your draws lie? How many of them fall below p?"""),
        "no_draw": Mistake("return weights", "return weights / (1 - p)").called("""
            nothing dropped at all
            No weight is ever 0.
            With p = 0.9, how many weights should be 0? Which line of yours decides it, and by what probability?"""),
        "exact_share": Mistake(f"{POSITIONS} >= p * weights.numel()").called("""
            an exact share dropped, with no randomness in it
            Every draw drops equally many weights.
            Each weight has a probability of its own. What would you do with a single weight, and p = 0.5?"""),
    },
)
def dropout(weights, p):
    keep = torch.rand_like(weights) >= p
    return weights * keep / (1 - p)


notebook.predict(
    "a weight that is kept",
    _("In training, with p = 0.4, a weight of 0.30 is kept. What is it now?"),
    answer=0.5,
    why=_("0.30 / (1 − 0.4): what is kept is made larger."),
    hint=_("It is kept with probability 0.6. What must it be, to be 0.30 on average?"),
    wrong=[
        (0.3, _("Then the average would shrink to 0.18. What makes up for the weights that go?")),
        (0.75, _("That is 0.30 / p. With what probability is a weight kept?")),
    ],
)


@notebook.dropout(
    _("A class (p), an nn.Module: dropout in training, nothing after eval()."),
    name="dropout_module",
    reread="Training and use",
    mistakes={
        "not_scaled_up": "return weights * keep if self.training else weights",
        "wrong_factor": [swap("(1 - self.p)", "self.p"), swap("/ (1 - self.p)", "/ 0.5")],
        "one_coin_for_all": "keep = not self.training or torch.rand(1) >= self.p",
        "never_drops": "return weights",
        "same_draw": "torch.manual_seed(123)\nkeep = torch.rand_like(weights) >= self.p",
        "drops_in_use": Mistake("return F.dropout(weights, self.p)").called("""
            dropout in use, after eval()
            After eval(), two calls with the same input differ.
            Who tells your layer its mode? (self.train and self.eval are methods, true as a condition.)"""),
        "exact_share": f"{POSITIONS} >= self.p * weights.numel()",
        "mode_inverted": Mistake("return F.dropout(weights, self.p, not self.training)").called("""
            training and use the wrong way round
            It drops in use, and does nothing in training.
            When is self.training True?"""),
        "shrunk_in_use": Mistake(swap("else weights", "else weights * (1 - self.p)")).called("""
            shrunk in use, not left alone
            After eval() all weights are too small.
            What is kept has been made larger in training. What is left to do in use?"""),
        "drops_no_more": Mistake(
            swap("keep =", "self.p = self.p * self.training\nkeep =")
        ).called("""
            dropout that does not come back
            After one call in use, nothing is dropped in training any more.
            Does forward change something in self? What is left of it when training goes on?"""),
        "p_written_in": "keep = torch.rand_like(weights) >= 0.5",
    },
)
class Dropout(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, weights):
        keep = torch.rand_like(weights) >= self.p
        return weights * keep / (1 - self.p) if self.training else weights


DROPPING = {  # mistakes of every layer with dropout on its weights, written out, as in notebook 5
    "never_drops": Mistake(swap("self.training", "False")).called("""
        dropout that never drops
        In training, too, nothing is ever 0.
        Is your dropout called at all? Does it know that the layer is in training? (self.eval is a method.)"""),
    "drops_in_use": swap(", self.training", ""),
}

OWN_MASK = "attn_mask=self.mask[: x.shape[1], : x.shape[1]]"
FAST = "F.scaled_dot_product_attention(query, key, value, dropout_p=p, is_causal=True)"


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
    reread="Training and use",
    mistakes={
        "no_fast_kernel": Mistake(swap(FAST, "super().forward(x)")).called("""
            attention by other means, not by the fast kernel
            The numbers are right, and F.scaled_dot_product_attention is not called.
            Which one function does scores, mask, softmax and mixing in one go?"""),
        "no_mask": swap(", is_causal=True", ""),
        "mask_convention": Mistake(swap("is_causal=True", f"{OWN_MASK}.bool()")).called("""
            PyTorch's mask convention turned round
            No error, and tokens see the future alone.
            Does True mean visible or hidden, in the function that you call? Poke, and see."""),
        "mask_not_cut": swap("is_causal=True", "attn_mask=self.mask"),
        "mask_added": swap("is_causal=True", OWN_MASK),
        "keys_ask": swap("(query, key,", "(key, query,"),
        "not_on_weights": Mistake(swap("value, dropout_p=p", "F.dropout(value, p)")).called("""
            dropout, but not on the weights
            No weight is 0: single numbers are, of the embeddings, the values or the context.
            Which matrix says how much each word counts, and at which step is it there?"""),
        "one_matrix": swap("(query, key,", "(key, key,"),
        "values_unused": swap("key, value, d", "key, key, d"),
        "values_mixed_up": [
            swap("key, value, d", "value, key, d"),
            swap("(query, key, value,", "(value, key, query,"),
        ],
        "scaled_twice": Mistake(swap("(query,", "(query / key.shape[-1] ** 0.5,")).called("""
            scaled twice
            Right shape, but the weights are too even.
            The fast kernel divides by √d_k by itself. Who else divides, in your code?"""),
        "never_drops": swap("dropout_p=p, ", ""),
        "scaled_up_twice": Mistake(swap("True)", "True) / (1 - self.dropout)")).called("""
            divided by 1 − p twice
            What is kept is too large by the factor 1/(1 − p), in use, too.
            The kernel drops and divides by itself. What is left for you to do?"""),
        "drops_in_use": swap("dropout_p=p", "dropout_p=self.dropout"),
        "mode_inverted": swap("if self.training", "if not self.training"),
        "p_written_in": [
            swap("p = self.dropout if", "p = 0.5 if"),
            swap("dropout_p=p", "dropout_p=0.5"),
        ],
    },
)
class FastAttention(CausalAttention):
    def forward(self, x):
        p = self.dropout if self.training else 0.0
        query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)
        return F.scaled_dot_product_attention(query, key, value, dropout_p=p, is_causal=True)
