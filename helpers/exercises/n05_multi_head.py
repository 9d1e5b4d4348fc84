"""The exercises and predictions of notebook 5: multi-head attention."""

import torch
from torch import nn
from torch.nn import functional as F

from .. import _
from ..judge.exercise import Case, wave
from ..judge.layers import Layer
from .n02_trainable_qkv import LAYER, PROJECTED, SCALED
from .n03_causal_mask import CAUSAL
from .n04_dropout import DROPPING
from .notebook import Notebook
from .small_models import filled

notebook = Notebook(__name__)


@notebook.ask(
    _("split_heads(x, num_heads): (batch, tokens, d) to (batch, heads, tokens, head_dim)."),
    returns="heads",
    cases=[
        Case(_("3 heads of 4"), wave(2, 5, 12), 3),
        Case(_("as many heads as tokens"), wave(2, 3, 6, seed=1), 3),
    ],
    reread="One layer, cut into heads",
    mistakes={
        "no_transpose": """reshape(b, t, num_heads, d // num_heads).transpose(1, 2)
                → reshape(b, num_heads, t, d // num_heads)""",
        "heads_behind_tokens": ".transpose(1, 2) →",
        "heads_interleaved": """reshape(b, t, num_heads, d // num_heads).transpose(1, 2)
                → view(b, t, -1, num_heads).movedim(3, 1)""",
        "other_axes_swapped": """(1, 2) → (0, 1)
            or (1, 2) → (2, 3)
            or (1, 2) → (1, 3)""",
        "turned_before_the_cut": """reshape(b, t, num_heads, d // num_heads).transpose(1, 2)
                → mT.reshape(b, num_heads, t, -1)""",
    },
)
def split_heads(x, num_heads):
    b, t, d = x.shape
    return x.reshape(b, t, num_heads, d // num_heads).transpose(1, 2)


notebook.predict(
    "shape after the split",
    _("x is (2, 6, 8), and there are 4 heads. What is the shape after the split?"),
    answer=(2, 4, 6, 2),
    words=((2, 6, 4, 2), (2, 4, 6, 8), (2, 4, 6, 2), (8, 6, 2)),
    why=_("(batch, heads, tokens, head_dim), and each head has 8 / 4 components of every token."),
    hint=_("(batch, heads, tokens, head_dim). How many components of a token has a head?"),
    wrong=[
        ((2, 6, 4, 2), _("That is the shape after view. Which two axes does transpose swap?")),
        ((2, 4, 6, 8), _("A head gets only a part of each token, not all 8 components.")),
    ],
)


@notebook.ask(
    _("merge_heads(x): (batch, heads, tokens, head_dim) to (batch, tokens, d)."),
    returns="merged",
    cases=[
        Case(_("3 heads of 4"), wave(2, 3, 5, 4)),
        Case(_("as many heads as tokens"), wave(2, 3, 3, 2, seed=1)),
    ],
    reread="The way back",
    mistakes={
        "heads_interleaved": "transpose(1, 2) → permute(0, 2, 3, 1)",
        "not_transposed_back": ".transpose(1, 2) →",
        "not_contiguous": "reshape → view",
        "heads_added": """x.transpose(1, 2).reshape(b, t, heads * head_dim) → x.sum(dim=1)
            or x.transpose(1, 2).reshape(b, t, heads * head_dim) → x.mean(dim=1)""",
        "other_axes_swapped": """(1, 2) → (2, 3)
            or (1, 2) → (1, 3)
            or (1, 2) → (0, 1)""",
    },
)
def merge_heads(x):
    b, heads, t, head_dim = x.shape
    return x.transpose(1, 2).reshape(b, t, heads * head_dim)


@notebook.layer(
    _("A class (d_in, d_out, context_length, dropout, num_heads, qkv_bias=False), with out_proj."),
    name="multi_head",
    sums=PROJECTED | SCALED | {"mixed": "weights @ values", "context": "mixed @ out_proj"},
    causal=True,
    drops=True,
    cases={
        _("2 sentences and 3 heads"): Layer(5, 7, 12, 2, num_heads=3),
        _("the weights themselves"): Layer(4, 5, 8, 1, num_heads=2, xray=True),
        _("as many heads as tokens"): Layer(3, 5, 6, 2, num_heads=3),
        _("a token that is all zeros"): Layer(4, 3, 6, 2, num_heads=2, zeros_at=2),
        _("with qkv_bias=True"): Layer(4, 3, 6, 2, num_heads=2, qkv_bias=True),
        _("large numbers"): Layer(6, 5, 4, 2, num_heads=2, level=40.0),
    },
    reread="One layer, cut into heads",
    mistakes={
        **LAYER,
        **CAUSAL,
        **DROPPING,
        "across_the_batch": """queries, keys, values = → x = x.transpose(0, 1)
            queries, keys, values =
            out_proj(context) → out_proj(context).transpose(0, 1)""",
        "no_transpose": """view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                → view(b, self.num_heads, t, self.head_dim)""",
        "heads_behind_tokens": """view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                → view(b, t, self.num_heads, self.head_dim)
            tokens = scores.shape[-1] → tokens = x.shape[1]""",
        "heads_interleaved": "transpose(1, 2). → permute(0, 2, 3, 1).",
        "not_transposed_back": "transpose(1, 2).flatten(2) → reshape(*x.shape[:2], -1)",
        "not_contiguous": "flatten(2) → view(*x.shape[:2], -1)",
        "not_on_weights": """F.dropout(scores.softmax(dim=-1), self.dropout, self.training)
                → scores.softmax(dim=-1)
            @ values → @ F.dropout(values, self.dropout, self.training)
            or F.dropout(scores.softmax(dim=-1), self.dropout, self.training)
                → scores.softmax(dim=-1)
            context = weights @ values
                → context = F.dropout(weights @ values, self.dropout, self.training)""",
        "by_num_heads": "keys.shape[-1] ** 0.5 → self.num_heads ** 0.5",
        "no_out_proj": "self.out_proj(context) → context",
        "other_error": 'raise ValueError(f"{d_out=} is not divisible by {num_heads=}") → assert False',
        "by_d_out": "keys.shape[-1] ** 0.5 → self.d_out ** 0.5",
        "out_proj_of_d_in": """nn.Linear(d_out, d_out) → nn.Linear(d_in, d_out)
            or nn.Linear(d_out, d_out) → nn.Linear(d_out, d_in)
            or nn.Linear(d_out, d_out) → nn.Linear(d_in, d_in)""",
        "out_proj_without_bias": """nn.Linear(d_out, d_out) → nn.Linear(d_out, d_out, bias=False)
            or nn.Linear(d_out, d_out) → nn.Linear(d_out, d_out, bias=qkv_bias)""",
    },
)
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError(f"{d_out=} is not divisible by {num_heads=}")
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        three = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))
        self.W_query, self.W_key, self.W_value = three
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = dropout
        mask = torch.ones(context_length, context_length).triu(diagonal=1)
        self.register_buffer("mask", mask)

    def split(self, x):
        b, t, _ = x.shape
        return x.view(b, t, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x):
        three = (self.W_query, self.W_key, self.W_value)
        queries, keys, values = (self.split(W(x)) for W in three)
        scores = queries @ keys.mT / keys.shape[-1] ** 0.5
        tokens = scores.shape[-1]
        hidden = self.mask[:tokens, :tokens].bool()
        scores = scores.masked_fill(hidden, float("-inf"))
        weights = F.dropout(scores.softmax(dim=-1), self.dropout, self.training)
        context = weights @ values
        context = context.transpose(1, 2).flatten(2)
        return self.out_proj(context)


@notebook.count(
    _("How many numbers are trained in the attention of one block of GPT-2 small?"),
    returns="parameters",
    reread="Further: What heads cost · 3 min",
    mistakes={
        "biases_not_counted": """return 4 * (768 * 768 + 768) → return 4 * 768 * 768
            or return 4 * (768 * 768 + 768) → return 4 * 768 * 768 + 768
            or return 4 * (768 * 768 + 768) → return 4 * 768 * 768 + 3 * 768""",
        "bias_of_other_size": """return 4 * (768 * 768 + 768) → return 4 * 768 * 768 + 4 * 64
            or return 4 * (768 * 768 + 768) → return 4 * 768 * 768 + 4 * 12""",
        "head_of_64": """return 4 * (768 * 768 + 768) → return 12 * 4 * (64 * 64 + 64)
            or return 4 * (768 * 768 + 768)
                → return 12 * 3 * (64 * 64 + 64) + 768 * 768 + 768""",
        "out_proj_not_counted": "return 4 * (768 * 768 + 768) → return 3 * (768 * 768 + 768)",
        "all_layers_counted": "return 4 → return 12 * 4",
    },
)
def gpt2_parameters():
    return 4 * (768 * 768 + 768)


@notebook.ask(
    _("torch_heads(layer, x): causal (context, each head's weights) of an nn.MultiheadAttention."),
    returns=("context", "weights"),
    cases=lambda: [
        Case(_("3 sentences of 5 tokens"), filled(nn.MultiheadAttention(6, 2)), wave(3, 5, 6)),
        Case(
            _("as many sentences as tokens"),
            filled(nn.MultiheadAttention(4, 2)),
            wave(3, 3, 4, seed=1),
        ),
        Case(_("one token"), filled(nn.MultiheadAttention(4, 4)), wave(2, 1, 4, seed=2)),
    ],
    reread="Further: Three habits of nn.MultiheadAttention · 3 min",
    mistakes={
        "torch_defaults": """x = x.transpose(0, 1)  # (tokens, batch, d) →
            return context.transpose(0, 1), weights → return context, weights
            , average_attn_weights=False →
            torch.ones(tokens, tokens).triu(diagonal=1).bool() → None""",
        "no_mask": """torch.ones(tokens, tokens).triu(diagonal=1).bool() → None
            or torch.ones(tokens, tokens).triu(diagonal=1).bool() → None
            , average_attn_weights=False →""",
        "mask_added": "triu(diagonal=1).bool() → triu(diagonal=1)",
        "mask_convention": "triu(diagonal=1) → tril()",
        "diagonal_0": "diagonal=1 → diagonal=0",
        "batch_second": """x = x.transpose(0, 1)  # (tokens, batch, d) →
            return context.transpose(0, 1), weights → return context, weights
            or x = x.transpose(0, 1)  # (tokens, batch, d) →
            return context.transpose(0, 1), weights → return context, weights
            , average_attn_weights=False →
            or x = x.transpose(0, 1)  # (tokens, batch, d) →
            return context.transpose(0, 1), weights → return context, weights
            tokens = x.shape[1] → tokens = x.shape[0]
            or x = x.transpose(0, 1)  # (tokens, batch, d) →
            return context.transpose(0, 1), weights → return context, weights
            tokens = x.shape[1] → tokens = x.shape[0]
            , average_attn_weights=False →""",
        "reshaped": """x = x.transpose(0, 1) → x = x.reshape(tokens, len(x), -1)
            transpose(0, 1), → reshape(len(weights), tokens, -1),""",
        "heads_averaged_away": """, average_attn_weights=False →
            or , average_attn_weights=False →
            (0, 1), weights → (0, 1), weights[:, None].expand(-1, layer.num_heads, -1, -1)""",
        "only_is_causal": "attn_mask=hidden → is_causal=True",
    },
)
def torch_heads(layer, x):
    tokens = x.shape[1]
    hidden = torch.ones(tokens, tokens).triu(diagonal=1).bool()
    x = x.transpose(0, 1)  # (tokens, batch, d)
    context, weights = layer(x, x, x, attn_mask=hidden, average_attn_weights=False)
    return context.transpose(0, 1), weights
