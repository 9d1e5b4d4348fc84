"""The exercises and predictions of notebook 2: trainable queries, keys, values; scaling."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: F401  used in the edits below

from .. import _
from ..judge.comparing import Remark, kind
from ..judge.exercise import Case, wave
from ..judge.layers import PROJECTIONS as NAMES
from ..judge.layers import Layer
from ..judge.running import WrongKind
from .notebook import Notebook
from .small_models import filled

notebook = Notebook(__name__)
PROJECTED = {"queries": "x @ W_query", "keys": "x @ W_key", "values": "x @ W_value"}
SCALED = {"scores": "queries @ keys.T / sqrt(d_k)", "weights": "softmax(scores)"}
SCALES = {  # mistakes in every exercise that scales scores, here and in later notebooks
    "no_scale": "T / keys.shape[-1] ** 0.5 → T",
    "by_d_k": "keys.shape[-1] ** 0.5 → keys.shape[-1]",
    "by_tokens": "keys.shape[-1] ** 0.5 → keys.shape[-2] ** 0.5",
    "by_fixed_number": """keys.shape[-1] ** 0.5 → 2**0.5
        or keys.shape[-1] ** 0.5 → 3**0.5""",
    "times_root": "keys.shape[-1] ** 0.5 → keys.shape[-1] ** -0.5",
    "power_first": """keys.shape[-1] ** 0.5 → keys.shape[-1] ** 1 / 2
        or keys.shape[-1] ** 0.5 → (keys.shape[-1] ** 1 / 2)""",
}


@notebook.ask(
    _("project(x, W_query, W_key, W_value): (queries, keys, values), each W (d_in, d_out)."),
    returns=("queries", "keys", "values"),
    sums=PROJECTED,
    cases=[
        Case(_("5 tokens"), wave(5, 3), *wave(3, 3, 2, seed=1)),
        Case(_("as many numbers out as in"), wave(5, 4, seed=2), *wave(3, 4, 4, seed=3)),
        Case(_("one token of 2 numbers"), wave(1, 2, seed=4), *wave(3, 2, 5, seed=5)),
    ],
    reread="Three matrices, by hand",
    mistakes={
        "one_matrix": """W_key, x @ W_value → W_query, x @ W_query
            or W_key, x @ W_value → W_query, x @ W_value""",
        "product_turned": """x @ W_query, x @ W_key, x @ W_value
            → W_query @ x, W_key @ x, W_value @ x""",
        "components_written_in": """x @ W_query, x @ W_key, x @ W_value
            → (sum(x[:, [i]] * W[i] for i in range(3)) for W in (W_query, W_key, W_value))""",
        "w_transposed": "W_query, x @ W_key, x @ W_value → W_query.T, x @ W_key.T, x @ W_value.T",
    },
)
def project(x, W_query, W_key, W_value):
    return x @ W_query, x @ W_key, x @ W_value


notebook.predict(
    "shape of a linear weight",
    _("What is the shape of nn.Linear(3, 2).weight?"),
    answer=(2, 3),
    words=((3, 2), (2, 3), (3, 3)),
    why=_("nn.Linear keeps its weight as (out, in), and multiplies by its transpose."),
    hint=_("It has one weight for each pair of an input and an output."),
    wrong=[((3, 2), _("That is our own layout, (in, out). nn.Linear has another one."))],
)
notebook.predict(
    "variance at 64",
    _(
        "Independent components of mean 0 and variance 1, d_k = 64: what is the variance of q · k, about?"
    ),
    answer=64,
    why=_("Every product adds a variance of 1, and there are 64."),
    hint=_("A dot product is a sum. How many products are in it, and what does each add?"),
    within=10,  # so that a value measured on random numbers is accepted, too
    wrong=[
        (
            8,
            _("8 is its square root, the standard deviation: how far a score tends to lie from 0."),
        ),
        (1, _("That is the variance after dividing by √d_k. What is it before?")),
    ],
)


@notebook.ask(
    _("scaled_weights(queries, keys): softmax(Q Kᵀ / √d_k), both (tokens, d_k)."),
    returns="weights",
    sums=SCALED,
    cases=[
        Case(_("5 tokens and d_k = 6"), wave(5, 6), wave(5, 6, seed=1)),
        Case(_("as many tokens as d_k"), wave(3, 3, seed=2), wave(3, 3, seed=3)),
        Case(_("d_k = 7"), wave(2, 7, seed=4), wave(2, 7, seed=5)),
        # Scores near 1000, close together: exp overflows unless the maximum is subtracted first.
        Case(_("large scores"), torch.tensor([[800.0, 0.3]] * 3), 1 + wave(3, 2, seed=3) / 600),
        Case(
            _("rows far apart"),
            torch.tensor([[600.0, 0.3], [0.2, 1.0]]),
            1 + wave(2, 2, seed=3) / 9,
        ),
    ],
    reread="Why divide by √d_k?",
    mistakes={
        "keys_not_turned": "keys.T → keys",
        "over_queries": "dim=-1 → dim=0",
        **SCALES,
        "keys_ask": "queries @ keys.T → keys @ queries.T",
        "no_exp": "torch.softmax(scores, dim=-1) → scores / scores.sum(dim=-1, keepdim=True)",
        "scaled_after": "torch.softmax(scores, dim=-1) → (queries @ keys.T).softmax(-1) / keys.shape[-1] ** 0.5",
        "scores_returned": "return torch.softmax(scores, dim=-1) → return scores",
        "one_sum": """return torch.softmax(scores, dim=-1) → e = scores.exp()
            return e / e.sum()
            or return torch.softmax(scores, dim=-1) → e = (scores - scores.amax(-1, True)).exp()
            return e / e.sum()""",
        "one_maximum": """return torch.softmax(scores, dim=-1) → e = (scores - scores.max()).exp()
            return e / e.sum(dim=-1, keepdim=True)""",
        "no_maximum": """return torch.softmax(scores, dim=-1) → e = scores.exp()
            return e / e.sum(dim=-1, keepdim=True)""",
        "no_keepdim": """return torch.softmax(scores, dim=-1) → e = scores.exp()
            return e / e.sum(dim=-1)
            or return torch.softmax(scores, dim=-1) → e = (scores - scores.amax(-1, True)).exp()
            return e / e.sum(dim=-1)
            or return torch.softmax(scores, dim=-1) → e = (scores - scores.amax(-1)).exp()
            return e / e.sum(dim=-1)""",
    },
)
def scaled_weights(queries, keys):
    scores = queries @ keys.T / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1)


LAYER = {  # mistakes in every attention layer, here and in later notebooks
    "over_queries": "scores.softmax(dim=-1) → scores.softmax(dim=-2)",
    "reshaped": "keys.mT → keys.reshape(keys.mT.shape)",
    "scores_returned": "scores.softmax(dim=-1) → scores",
    "one_matrix": """queries @ keys.mT → queries @ queries.mT
        or = three → = 3 * [next(three)]""",
    **SCALES,
    "by_d_in": "keys.shape[-1] ** 0.5 → x.shape[-1] ** 0.5",
    "keys_ask": "queries @ keys.mT → keys @ queries.mT",
    "weights_turned": "weights @ values → weights.mT @ values",
    "values_unused": "weights @ values → weights @ keys",
    "values_mixed_up": """queries @ keys.mT → queries @ values.mT
        or queries @ keys.mT → queries @ values.mT
        weights @ values → weights @ keys
        or queries @ keys.mT → values @ keys.mT
        weights @ values → weights @ queries""",
    "bias_ignored": """, bias=qkv_bias →
        or bias=qkv_bias → bias=False
        or = three → = three
        self.W_key.bias = self.W_value.bias = None""",
}
ONE_HEAD = LAYER | {
    "one_matrix": LAYER["one_matrix"]
    + """
        or self.W_query(x), self.W_key(x), self.W_value(x) → 3 * (self.W_query(x),)""",
    "not_mixed": """weights @ values → weights
        or weights @ values → scores""",
    "keys_not_turned": "keys.mT → keys",
    "linear_turned": "nn.Linear(d_in, d_out → nn.Linear(d_out, d_in",
    "w_transposed": """self.W_query(x), self.W_key(x), self.W_value(x)
            → (x @ W.weight for W in (self.W_query, self.W_key, self.W_value))""",
    "values_unused": LAYER["values_unused"] + "\nor weights @ values → weights @ x",
    "bias_unused": """self.W_query(x), self.W_key(x), self.W_value(x)
            → (x @ W.weight.T for W in (self.W_query, self.W_key, self.W_value))""",
}


@notebook.layer(
    _("A class (d_in, d_out, qkv_bias=False) with W_query, W_key, W_value; x (tokens, d_in)."),
    name="self_attention_module",
    sums=PROJECTED | SCALED | {"context": "weights @ values"},
    cases={
        _("6 tokens"): Layer(6, 3, 2),
        _("the weights themselves"): Layer(4, 5, 4, xray=True),
        _("d_out larger than d_in"): Layer(3, 2, 5),
        _("as many numbers out as in"): Layer(5, 3, 3),
        _("qkv_bias=True"): Layer(4, 3, 2, qkv_bias=True),
        _("large numbers"): Layer(3, 4, 2, level=40.0),
    },
    reread="The layer",
    # Why the scores are scaled comes after this exercise.
    reread_on=dict.fromkeys([*SCALES, "by_d_in"], (notebook.file, "One token asks all six")),
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


def two_layers(d_in, d_out):
    """(from_parameters, to_linear): the same three projections in both layouts, other numbers."""
    parameters, linear = nn.Module(), nn.Module()
    for name in NAMES:
        setattr(parameters, name, nn.Parameter(torch.empty(d_in, d_out)))
        setattr(linear, name, nn.Linear(d_in, d_out, bias=False))
    return filled(parameters), filled(linear, seed=20)


def copied(answer, source, target):
    """{name: weight} of where the weights are afterwards, whatever came back."""
    answer(source, target)
    came, passed_over = {}, []
    for name in NAMES:
        linear, given = getattr(target, name, None), getattr(source, name, None)
        if not isinstance(linear, nn.Linear):
            text = _("to_linear.{name} is now {kind}, no longer an nn.Linear.")
            raise WrongKind(text.format(name=name, kind=kind(linear)))
        came[f"{name}.weight"] = linear.weight.detach().double().numpy().copy()
        if not (linear.weight.requires_grad and linear.weight.is_leaf):
            passed_over.append(name)
        turned = isinstance(given, torch.Tensor) and torch.equal(given.T, linear.weight)
        if turned and given.data_ptr() == linear.weight.data_ptr():
            text = _("The two layers share one memory: to train one changes the other.")
            came["shares_memory"] = Remark(text)
    if passed_over:
        text = _("An optimiser could not train {names}.", names=", ".join(passed_over))
        came["not_trained"] = Remark(text)
    return came


def copy_as_parameters(from_parameters, to_linear):
    for name in NAMES:
        W = getattr(from_parameters, name).detach().T.clone()
        getattr(to_linear, name).weight = nn.Parameter(W)


@notebook.ask(
    _("copy_weights(from_parameters, to_linear): three nn.Parameters into three nn.Linear."),
    how=copied,
    fills=("to_linear",),
    cases=lambda: [
        Case(_("3 numbers to 2"), *two_layers(3, 2)),
        Case(_("3 numbers to 3"), *two_layers(3, 3)),
        Case(_("5 numbers to 4"), *two_layers(5, 4)),
    ],
    also=[copy_as_parameters],
    reread="Further: What does nn.Linear add? · 3 min",
    mistakes={
        "copied_without_t": """.detach().T → .detach()
            or name).T) → name))""",
        "shares_memory": ".detach().T.clone() → .detach().T",
        "copied_while_watched": "with torch.no_grad(): → if True:",
        "gradient_left_off": """with torch.no_grad(): → to_linear.requires_grad_(False)
            if True:
            name).T) → name).detach().T)""",
        "no_parameter": "nn.Parameter(W) → W",
        "values_mixed_up": """name in NAMES → name, other in zip(NAMES, ("W_query", "W_value", "W_key"))
            to_linear, name → to_linear, other""",
        "nothing_arrives": ".weight.copy_ → .weight.clone().copy_",
    },
)
def copy_weights(from_parameters, to_linear):
    with torch.no_grad():
        for name in NAMES:
            getattr(to_linear, name).weight.copy_(getattr(from_parameters, name).T)
