"""The exercises and predictions of notebook 2: trainable queries, keys and values, and the scale."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: F401  for the edits below

from .. import _
from ..judge.exercise import Case, wave
from ..judge.layers import Layer
from .copied_layers import NAMES, FromParameters, ToLinear, copied
from .mistakes import Mistake, swap
from .notebook import Notebook

notebook = Notebook(__name__)
PROJECTED = {"queries": "x @ W_query", "keys": "x @ W_key", "values": "x @ W_value"}
SCALED = {"scores": "queries @ keys.T / √keys", "weights": "softmax(scores)"}


@notebook.ask(
    _("project(x, W_query, W_key, W_value): (queries, keys, values), each W (d_in, d_out)."),
    returns=("queries", "keys", "values"),
    sums=PROJECTED,
    trains=True,
    cases=[
        Case(_("5 tokens"), wave(5, 3), *wave(3, 3, 2, seed=1)),
        Case(_("as many numbers out as in"), wave(4, 3, seed=2), *wave(3, 3, 3, seed=3)),
        Case(_("one token"), wave(1, 2, seed=4), *wave(3, 2, 5, seed=5)),
    ],
    reread="Three matrices, by hand",
    mistakes={
        "lost_gradient": Mistake(
            "return x @ W_query.data, x @ W_key.data, x @ W_value.data",
            swap("return x", "with torch.no_grad():\n    return x"),
        ).called("""
            lost gradient
            The numbers are right, but training could not get back through all of them.
            Which of detach(), .data, item(), numpy() or torch.no_grad() cuts the way back in your code?"""),
        "results_swapped": "return x @ W_key, x @ W_query, x @ W_value",
        "one_matrix": Mistake("return x @ W_query, x @ W_query, x @ W_query").called("""
            one matrix for two jobs
            The scores are symmetric again, as in notebook 1.
            Count the matrices that your scores are made of. How many should it be?"""),
        "w_transposed": Mistake("return x @ W_query.T, x @ W_key.T, x @ W_value.T").called("""
            W transposed
            An error, unless d_in = d_out: then wrong numbers, in silence.
            Here W is (d_in, d_out); nn.Linear keeps it the other way round. Which does your product expect?"""),
    },
)
def project(x, W_query, W_key, W_value):
    return x @ W_query, x @ W_key, x @ W_value


notebook.predict(
    "shape of a linear weight",
    _("What is the shape of nn.Linear(3, 2).weight?"),
    form=_("two numbers, such as (4, 5)"),
    answer=(2, 3),
    why=_("nn.Linear keeps its weight as (out, in), and multiplies by its transpose."),
    hint=_("It has one weight for each pair of an input and an output."),
    wrong=[((3, 2), _("That is our own layout, (in, out). nn.Linear has another one."))],
)
notebook.predict(
    "variance at 64",
    _("Numbers of variance 1, d_k = 64: what is the variance of q · k, about?"),
    answer=64,
    why=_("Every product adds a variance of 1, and there are 64."),
    hint=_("A dot product is a sum. How many products are in it, and what does each add?"),
    within=10,  # what a draw gives is as good
    wrong=[
        (8, _("8 is its square root: how far a score tends to lie from 0.")),
        (1, _("So it is after dividing by √d_k. And before?")),
    ],
)

SCALE, SOFTMAX, MIX = "keys.shape[-1] ** 0.5", "scores.softmax(dim=-1)", "weights @ values"
BY_HAND = (
    "scores.exp()",
    "(scores - scores.amax(-1, True)).exp()",
    "(scores - scores.amax(-1)).exp()",
    "scores.double().exp()",
)


@notebook.ask(
    _("scaled_weights(queries, keys): softmax(Q Kᵀ / √d_k), both (tokens, d_k)."),
    returns="weights",
    sums=SCALED,
    trains=True,
    cases=[
        Case(_("5 tokens and d_k = 3"), wave(5, 3), wave(5, 3, seed=1)),
        Case(_("as many tokens as d_k"), wave(3, 3, seed=2), wave(3, 3, seed=3)),
        Case(_("d_k = 7"), wave(2, 7, seed=4), wave(2, 7, seed=5)),
        # Scores near 1000 in every row, close together: only exp without the maximum overflows.
        Case(_("large scores"), torch.tensor([[800.0, 0.3]] * 3), 1 + wave(3, 2, seed=3) / 600),
    ],
    reread="Why divide by √d_k?",
    mistakes={
        "keys_not_turned": Mistake("scores = queries @ keys / keys.shape[-1] ** 0.5").called("""
            keys not turned
            An error, unless there are as many tokens as numbers in a key; then wrong numbers, in silence.
            A score pairs two rows, a query and a key. Which two axes of the keys must swap for that?"""),
        "over_queries": "return torch.softmax(scores, dim=0)",
        "no_scale": Mistake("scores = queries @ keys.T").called("""
            no scale
            Right shape, rows sum to 1, but the weights are too sharp.
            Dot products grow with the number of dimensions. What keeps them in bounds?"""),
        "by_d_k": Mistake("scores = queries @ keys.T / keys.shape[-1]").called("""
            divided by d_k, not by √d_k
            Right shape, rows sum to 1, but the weights are too even.
            Of numbers of variance 1, a dot product has variance d_k. By what must you divide to make it 1?"""),
        "times_root": Mistake("scores = queries @ keys.T / keys.shape[-1] ** -0.5").called("""
            multiplied by √d_k
            Right shape, rows sum to 1, but the weights are far too sharp.
            Does your factor shrink the scores, or make them grow? Look at the sign of the power."""),
        "by_tokens": Mistake("scores = queries @ keys.T / keys.shape[0] ** 0.5").called("""
            √tokens in place of √d_k
            The sharpness of the weights changes with the length of the sentence.
            Which axis of the keys do you measure? Print the shape."""),
        "power_first": Mistake("scores = queries @ keys.T / keys.shape[-1] ** 1 / 2").called("""
            d_k**1/2, where d_k**(1/2) is meant
            Right shape, rows sum to 1, but no root is taken.
            Which does Python do first, the power or the division?"""),
        "by_fixed_number": Mistake("scores = queries @ keys.T / 2**0.5").called("""
            a fixed number in place of d_k
            Right as long as keys have two numbers; else too sharp, as a rule.
            Our keys had two numbers. Does your code ask how many there are?"""),
        "scaled_after": Mistake(f"return (queries @ keys.T).softmax(-1) / {SCALE}").called("""
            scaled after the softmax
            Rows sum to less than 1, all by the same factor.
            The scale is to keep the softmax from saturating. Can it, where it stands now?"""),
        "lost_gradient": "return torch.softmax(scores, dim=-1).detach()",
        "reshaped": "scores = queries @ keys.reshape(keys.shape[::-1]) / keys.shape[-1] ** 0.5",
        "scores_returned": "return scores",
        "keys_ask": "scores = keys @ queries.T / keys.shape[-1] ** 0.5",
        "dimensions_compared": "scores = queries.T @ keys / keys.shape[-1] ** 0.5",
        "one_sum": [f"e = {e}\nreturn e / e.sum()" for e in BY_HAND[:2]],
        "no_keepdim": [f"e = {e}\nreturn e / e.sum(dim=-1)" for e in BY_HAND],
    },
)
def scaled_weights(queries, keys):
    scores = queries @ keys.T / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1)


LAYER = {  # mistakes of every attention layer, here and in later notebooks
    "over_queries": swap(SOFTMAX, "scores.softmax(dim=-2)"),
    "reshaped": swap("keys.mT", "keys.reshape(keys.mT.shape)"),
    "scores_returned": swap(SOFTMAX, "scores"),
    "one_matrix": [
        swap("queries @ keys.mT", "queries @ queries.mT"),
        swap("= three", "= 3 * [next(three)]"),
    ],
    "no_scale": swap(f" / {SCALE}", ""),
    "by_d_in": Mistake(swap(SCALE, "x.shape[-1] ** 0.5")).called("""
        √d_in in place of √d_k
        Right as long as a key has as many numbers as x; else the weights are too sharp or too even.
        A score is a sum of how many products? Look at the shape of a key."""),
    "by_tokens": swap(SCALE, "keys.shape[-2] ** 0.5"),
    "by_fixed_number": swap(SCALE, "2**0.5"),
    "values_unused": Mistake(swap(MIX, "weights @ keys")).called("""
        values not used
        The weights are right, and they mix the keys, or the embeddings.
        A token has something to be found by, and something to hand over. Which of them do you mix?"""),
    "bias_ignored": Mistake(
        swap(", bias=qkv_bias", ""),
        swap("bias=qkv_bias", "bias=False"),
        swap("= three", "= three\nself.W_key.bias = self.W_value.bias = None"),
    ).called("""
        qkv_bias has no effect
        There is a bias whatever qkv_bias says, or a projection never has one.
        Where does your qkv_bias arrive? (By default nn.Linear has a bias; an nn.Parameter never has.)"""),
}
THREE = "self.W_query(x), self.W_key(x), self.W_value(x)"
ONE_HEAD = LAYER | {
    "one_matrix": [*LAYER["one_matrix"], swap(THREE, "3 * (self.W_query(x),)")],
    "not_mixed": Mistake(swap(MIX, "weights"), swap(MIX, "scores")).called("""
        weights returned, nothing mixed
        A number for each pair of tokens comes back, where a context vector for each token is wanted.
        You have the weights. What do they still have to mix?"""),
    "keys_not_turned": swap("keys.mT", "keys"),
    "linear_turned": Mistake(swap("nn.Linear(d_in, d_out", "nn.Linear(d_out, d_in")).called("""
        d_in and d_out the wrong way round
        An error, unless d_in = d_out: the layer waits for d_out numbers, and gets d_in.
        How many numbers of a token go into an nn.Linear, and how many come out? Which does it want first?"""),
    "values_unused": [LAYER["values_unused"], swap(MIX, "weights @ x")],
    "bias_unused": Mistake(
        swap(THREE, "(x @ W.weight.T for W in (self.W_query, self.W_key, self.W_value))")
    ).called("""
        the bias is there, and forward does not use it
        With qkv_bias=True, the output is that of a layer with no bias.
        A product with .weight is not all that an nn.Linear does. What happens when you call it?"""),
}


@notebook.layer(
    _("A class (d_in, d_out, qkv_bias=False) with W_query, W_key, W_value; x (tokens, d_in)."),
    name="self_attention_module",
    sums=PROJECTED | SCALED | {"context": "weights @ values"},
    cases={
        _("6 tokens"): Layer(6, 3, 2),
        _("the weights themselves"): Layer(4, 5, 4, xray=True),
        _("d_out larger than d_in"): Layer(3, 2, 5),
        _("qkv_bias=True"): Layer(4, 3, 2, qkv_bias=True),
        _("large numbers"): Layer(3, 4, 2, level=40.0),
    },
    reread="The layer",
    mistakes=ONE_HEAD,
)
class SelfAttention(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        three = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))
        self.W_query, self.W_key, self.W_value = three

    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = queries @ keys.mT / keys.shape[-1] ** 0.5
        weights = scores.softmax(dim=-1)
        return weights @ values


def copy_as_parameters(from_parameters, to_linear):
    for name in NAMES:
        W = getattr(from_parameters, name).detach().T.clone()
        getattr(to_linear, name).weight = nn.Parameter(W)


@notebook.ask(
    _("copy_weights(from_parameters, to_linear): three nn.Parameters into three nn.Linear."),
    how=copied,
    cases=lambda: [
        Case(_("3 numbers to 2"), FromParameters(3, 2), ToLinear(3, 2)),
        Case(_("3 numbers to 3"), FromParameters(3, 3), ToLinear(3, 3)),
    ],
    also=[copy_as_parameters],
    reread="Exercise: copy weights",
    mistakes={
        "copied_without_t": Mistake(swap(".detach().T", ".detach()")).called("""
            copied without .T
            A shape does not fit, unless d_in = d_out: then wrong numbers, in silence.
            Print both shapes, side by side. In which layout does nn.Linear keep its weight?"""),
        "reshaped": swap(".detach().T", ".detach().reshape(getattr(to_linear, name).weight.shape)"),
        "shares_memory": Mistake(swap(".detach().T.clone()", ".detach().T")).called("""
            shared memory, not a copy
            The numbers are right today; to train one of the layers changes the other.
            Are there two tensors now, or one with two names? (.T makes no new one.) What makes a second?"""),
        "copied_while_watched": Mistake(swap("with torch.no_grad():", "if True:")).called("""
            copied while autograd watches
            RuntimeError: a leaf that requires grad is used in an in-place operation.
            PyTorch records every step, and this one should not be recorded. How do you tell it to look away?"""),
        "no_parameter": Mistake("getattr(to_linear, name).weight = W").called("""
            a tensor where a Parameter belongs
            TypeError: PyTorch will not take a plain tensor as a weight.
            A weight must be trainable. What marks a tensor as one that training may change?"""),
        "one_left_out": Mistake(swap("in NAMES", "in NAMES[:2]")).called("""
            not all three copied
            At least one matrix of to_linear is as it was.
            Query, key and value: which of them does your code come to?"""),
        "values_mixed_up": Mistake(
            (
                'for name, other in zip(NAMES, ("W_query", "W_value", "W_key")):',
                swap("to_linear, name", "to_linear, other"),
            )
        ).called("""
            values mixed up with queries or keys
            Right shapes, wrong numbers: one projection does the work of another.
            Follow W_value through your code. Where do its numbers end up?"""),
        "copy_filled": Mistake(swap(".weight.copy_", ".weight.clone().copy_")).called("""
            only a copy was filled
            No error, and nothing has changed in to_linear.
            Which tensor have you filled: the weight of the layer, or one that you made?"""),
    },
)
def copy_weights(from_parameters, to_linear):
    with torch.no_grad():
        for name in NAMES:
            getattr(to_linear, name).weight.copy_(getattr(from_parameters, name).T)
