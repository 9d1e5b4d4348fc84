"""The exercises and predictions of notebook 5: many heads."""

import torch
from torch import nn
from torch.nn import functional as F

from .. import _
from ..judge.exercise import Case, wave
from ..judge.layers import Layer
from .mistakes import Mistake, swap
from .n02_trainable_qkv import LAYER, PROJECTED, SCALE, SOFTMAX
from .n03_causal_mask import BATCH_SECOND, CAUSAL, CAUSAL_SCALED
from .n04_dropout import DROPPING
from .notebook import Notebook
from .small_models import filled

notebook = Notebook(__name__)
MODE = "self.dropout, self.training"
PLAIN = swap(f"F.dropout({SOFTMAX}, {MODE})", SOFTMAX)


@notebook.ask(
    _("split_heads(x, num_heads): (batch, tokens, d) to (batch, heads, tokens, head_dim)."),
    returns="heads",
    trains=True,
    cases=[
        Case(_("3 heads of 4"), wave(2, 5, 12), 3),
        Case(_("as many heads as tokens"), wave(2, 3, 6, seed=1), 3),
    ],
    reread="One layer, cut into heads",
    mistakes={
        "no_transpose": Mistake("return x.reshape(b, num_heads, t, d // num_heads)").called("""
            view without transpose
            The right shape; the tokens are scrambled into the heads.
            view never moves a number. Number the numbers: what does head 1 get?"""),
        "heads_behind_tokens": Mistake(swap(".transpose(1, 2)", "")).called("""
            heads left behind the tokens
            The shape is (batch, tokens, heads, head_dim).
            The cut is right. Attention needs one matrix for each head: which axes must swap?"""),
        "heads_interleaved": Mistake("return x.view(b, t, -1, num_heads).movedim(3, 1)").called("""
            heads interleaved
            The right shape; each head has numbers from all over a token.
            A head is a block of neighbours, and the last axis counts fastest. Is it head_dim, in and out?"""),
        "heads_and_size_swapped": Mistake(
            swap("num_heads, d // num_heads)", "d // num_heads, num_heads)")
        ).called("""
            num_heads and head_dim in each other's place
            As many heads as a head should have numbers.
            view takes the slow axis first: is that how many heads, or how many numbers in each?"""),
        "turned_before_the_cut": Mistake("return x.mT.reshape(b, num_heads, t, -1)").called("""
            transposed before the cut
            The right shape; a row of a head has numbers of several tokens.
            Cut the numbers of each token first. Which two axes must swap then?"""),
    },
)
def split_heads(x, num_heads):
    b, t, d = x.shape
    return x.reshape(b, t, num_heads, d // num_heads).transpose(1, 2)


notebook.predict(
    "shape after the split",
    _("x is (2, 6, 8), there are 4 heads. What is the shape after the split?"),
    form=_("four numbers, such as (1, 2, 3, 4)"),
    answer=(2, 4, 6, 2),
    why=_("(batch, heads, tokens, head_dim): each head has all tokens, and 8 / 4 numbers of each."),
    hint=_("(batch, heads, tokens, head_dim). How many numbers of a token does a head get?"),
    wrong=[
        ((2, 6, 4, 2), _("That is after view, and before transpose. What is each block now?")),
        ((2, 4, 6, 8), _("A head gets a part of each token, not all 8 numbers.")),
    ],
)


@notebook.ask(
    _("merge_heads(x): (batch, heads, tokens, head_dim) to (batch, tokens, d)."),
    returns="merged",
    trains=True,
    cases=[
        Case(_("3 heads of 4"), wave(2, 3, 5, 4)),
        Case(_("as many heads as tokens"), wave(2, 3, 3, 2, seed=1)),
    ],
    reread="The way back",
    mistakes={
        "heads_interleaved": swap("transpose(1, 2)", "permute(0, 2, 3, 1)"),
        "not_transposed_back": Mistake(swap(".transpose(1, 2)", "")).called("""
            merged without transposing back
            The right shape; the tokens are scrambled on the way out.
            On the way in two axes were swapped. What has become of that on the way out?"""),
        "not_contiguous": Mistake(swap("reshape", "view")).called("""
            view after transpose, no contiguous
            RuntimeError: view refuses.
            transpose moves no number in memory. What writes them down in the new order?"""),
        "other_axes_swapped": Mistake(
            *[swap("(1, 2)", axes) for axes in ("(2, 3)", "(1, 3)", "(0, 1)")]
        ).called("""
            two other axes swapped
            The right shape; the numbers of a token do not stand side by side.
            (batch, heads, tokens, head_dim): which two of the four were swapped on the way in?"""),
        "heads_added_up": Mistake("return x.sum(dim=1)").called("""
            heads added up, not laid side by side
            A token has head_dim numbers, not heads · head_dim.
            No number may be lost. How many does a token have before and after?"""),
    },
)
def merge_heads(x):
    b, heads, t, head_dim = x.shape
    return x.transpose(1, 2).reshape(b, t, heads * head_dim)


@notebook.layer(
    _("A class (d_in, d_out, context_length, dropout, num_heads, qkv_bias=False), with out_proj."),
    name="multi_head",
    sums=PROJECTED | CAUSAL_SCALED | {"mixed": "weights @ values", "context": "mixed @ out_proj"},
    drops=True,
    cases={
        _("2 sentences and 3 heads"): Layer(5, 7, 12, 2, num_heads=3),
        _("the weights themselves"): Layer(4, 5, 8, 1, num_heads=2, xray=True),
        _("as many heads as tokens"): Layer(3, 5, 6, 2, num_heads=3),
        _("a token that is all zeros"): Layer(4, 3, 6, 2, num_heads=2, blank=2),
        _("with qkv_bias=True"): Layer(4, 3, 6, 2, num_heads=2, qkv_bias=True),
        _("large numbers"): Layer(3, 5, 4, 2, num_heads=2, level=40.0),
    },
    reread="One layer, cut into heads",
    mistakes={
        **LAYER,
        **CAUSAL,
        **DROPPING,
        "across_the_batch": (BATCH_SECOND, "return self.out_proj(context).transpose(0, 1)"),
        "no_transpose": "return x.view(b, self.num_heads, t, self.head_dim)",
        "heads_behind_tokens": (
            "return x.view(b, t, self.num_heads, self.head_dim)",
            "tokens = x.shape[1]",
        ),
        "heads_interleaved": "context = context.permute(0, 2, 3, 1).flatten(2)",
        "not_transposed_back": "context = context.reshape(*x.shape[:2], -1)",
        "not_contiguous": "context = context.transpose(1, 2).view(*x.shape[:2], -1)",
        "not_on_weights": (PLAIN, swap("@ values", f"@ F.dropout(values, {MODE})")),
        "over_heads": Mistake(swap(SOFTMAX, "scores.softmax(dim=1)")).called("""
            softmax over the heads
            The weights that all heads give to one word sum to 1; rows do not.
            With heads there are four axes. Which one holds the keys, and what is its number?"""),
        "by_num_heads": Mistake(swap(SCALE, "self.num_heads ** 0.5")).called("""
            √num_heads in place of √head_dim
            Right shape, and right where there are as many heads as numbers in a head.
            After the transpose, which axis is which? A score of one head adds up how many products?"""),
        "no_out_proj": Mistake(swap("self.out_proj(context)", "context")).called("""
            no out_proj
            The heads lie side by side, and never meet.
            Which layer mixes the heads at the end, and is it called?"""),
        "head_dim_for_all": Mistake(swap("(d_in, d_out, b", "(d_in, self.head_dim, b")).called("""
            head_dim in place of d_out
            The projections give the numbers of one head; there are none for the others.
            All heads are cut from one projection. How many numbers must it give to a token, in total?"""),
        "assert_for_error": Mistake(
            swap('raise ValueError(f"{d_out=} is not divisible by {num_heads=}")', "assert False")
        ).called("""
            an assert, where a ValueError is asked for
            The layer does say no, with another kind of error.
            python -O leaves an assert out. Which statement raises an error of a kind that you choose?"""),
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


MATRICES = "return 4 * 768 * 768"


@notebook.count(
    _("How many numbers are trained in the attention of one block of GPT-2 small?"),
    returns="parameters",
    reread="What heads cost",
    mistakes={
        "biases_not_counted": Mistake(
            MATRICES, f"{MATRICES} + 768", f"{MATRICES} + 3 * 768"
        ).called("""
            biases left out
            The count is a little too low, by a few times 768.
            Each matrix of GPT-2 comes with a bias. How many numbers has a bias?"""),
        "bias_of_other_size": Mistake(f"{MATRICES} + 4 * 64", f"{MATRICES} + 4 * 12").called("""
            biases of another size
            The count is a little too low.
            A bias adds a number to each that comes out of a projection. How many come out, in total?"""),
        "out_proj_not_counted": Mistake("return 3 * (768 * 768 + 768)").called("""
            out_proj left out
            The count is a quarter too low.
            Queries, keys, values: and then? Where do the heads meet?"""),
        "all_layers_counted": Mistake("return 12 * 4 * (768 * 768 + 768)").called("""
            all twelve layers counted
            The count is exactly twelve times too high.
            Twelve of what? One block is asked for, with all of its heads."""),
    },
)
def gpt2_parameters():
    return 4 * (768 * 768 + 768)


def torch_layer(d, num_heads):
    """An nn.MultiheadAttention as PyTorch makes it, filled with waves: batch_first is False."""
    return filled(nn.MultiheadAttention(d, num_heads)).train()


SWAPPED = "x = x.transpose(0, 1)  # (tokens, batch, d)"
AS_IT_COMES = swap(SWAPPED, ""), "return context, weights"
AVERAGED = swap(", average_attn_weights=False", "")


@notebook.ask(
    _("torch_heads(layer, x): causal (context, each head's weights) of an nn.MultiheadAttention."),
    returns=("context", "weights"),
    trains=True,
    cases=lambda: [
        Case(_("3 sentences of 5 tokens"), torch_layer(6, 2), wave(3, 5, 6)),
        Case(_("as many sentences as tokens"), torch_layer(4, 2), wave(3, 3, 4, seed=1)),
        Case(_("one token"), torch_layer(4, 4), wave(2, 1, 4, seed=2)),
    ],
    reread="Mistakes people make",
    mistakes={
        "torch_defaults": Mistake((*AS_IT_COMES, AVERAGED, "hidden = None")).called("""
            none of the three habits met
            Weights averaged over the heads, (tokens, batch) taken for (batch, tokens), and no mask.
            What does the layer take for the batch, what may a token see, and whose weights come back?"""),
        "no_mask": ["hidden = None", ("hidden = None", AVERAGED)],
        "mask_added": Mistake("hidden = torch.ones(tokens, tokens).triu(diagonal=1)").called("""
            a mask of 0 and 1, added to the scores
            No error: scores of the future are larger by 1, and nothing is hidden.
            PyTorch adds a mask of numbers to the scores, and hides by one of True and False. Which is yours?"""),
        "mask_convention": "hidden = torch.ones(tokens, tokens).tril().bool()",
        "diagonal_0": "hidden = torch.ones(tokens, tokens).triu(diagonal=0).bool()",
        "results_swapped": [
            "return weights, context.transpose(0, 1)",
            "return weights, context",
            (AVERAGED, "return weights, context"),
        ],
        "batch_second": Mistake(AS_IT_COMES, (*AS_IT_COMES, AVERAGED)).called("""
            batch and tokens in each other's place
            A sentence changes with the others in its batch; or an error, where a mask does not fit.
            With batch_first=False, which shape does x need? Change one sentence: may the others move?"""),
        "reshaped": (
            swap("x = x.transpose(0, 1)", "x = x.reshape(tokens, len(x), -1)"),
            "return context.reshape(len(weights), tokens, -1), weights",
        ),
        "in_place": ("return context, weights", swap(SWAPPED, "layer.batch_first = True")),
        "weights_averaged": Mistake(AVERAGED).called("""
            weights averaged over the heads
            One matrix of weights for each sentence, where one for each head is wanted.
            Look at the arguments of nn.MultiheadAttention's forward: which one is about an average?"""),
        "only_is_causal": Mistake(swap("attn_mask=hidden", "is_causal=True")).called("""
            is_causal without attn_mask
            RuntimeError: need attn_mask.
            Here is_causal is a mere hint that your mask is causal. Where is the mask?"""),
    },
)
def torch_heads(layer, x):
    tokens = x.shape[1]
    hidden = torch.ones(tokens, tokens).triu(diagonal=1).bool()
    x = x.transpose(0, 1)  # (tokens, batch, d)
    context, weights = layer(x, x, x, attn_mask=hidden, average_attn_weights=False)
    return context.transpose(0, 1), weights
