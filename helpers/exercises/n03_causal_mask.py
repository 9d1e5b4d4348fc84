"""The exercises and predictions of notebook 3: the causal mask, and a test for leaks."""

import torch
from torch import nn
from torch.nn import functional as F

from .. import _, plural
from ..data.sentences import JOURNEY_TOKENS
from ..judge.exercise import Case, wave
from ..judge.layers import Layer
from .leak_tests import MISTAKES, cases
from .mistakes import Mistake, swap
from .n02_trainable_qkv import ONE_HEAD, PROJECTED, SCALED, SOFTMAX
from .notebook import Notebook

notebook = Notebook(__name__)
CAUSAL_SCALED = SCALED | {"weights": "softmax(causal scores)"}
CUT = "weights = scores.softmax(dim=-1) * ~hidden"
SHARED = f"{CUT}\nreturn weights / weights.sum(dim=-1, keepdim=True)"
HALF = {"rtol": 1e-2, "atol": 5e-3}  # float16
MASK_OF_SCORES = "hidden = torch.triu(scores, diagonal=1).bool()"


@notebook.ask(
    _("causal_mask(tokens): True and False (tokens, tokens), True = hidden."),
    returns="mask",
    wanted="bool",
    cases=[Case(plural("{n} token", "{n} tokens", n), n) for n in (4, 1)],
    reread="Hide the future",
    mistakes={
        "diagonal_0": Mistake(swap("diagonal=1", "diagonal=0")).called("""
            diagonal=0
            Tokens may not see themselves; the first one sees nothing, and a softmax makes its row nan.
            May a token see itself? Where does your triangle start?"""),
        "tril_for_triu": Mistake(swap("triu(diagonal=1)", "tril()")).called("""
            tril in place of triu
            The past is hidden, and the future shows.
            Here True means hidden. Which triangle is the future: lower left, or upper right?"""),
        "not_booleans": Mistake("return torch.ones(tokens, tokens).triu(diagonal=1)").called("""
            a mask of numbers, not of True and False
            The pattern may be right, but its cells are numbers.
            What is the dtype of your mask, and which method turns it into True and False?"""),
    },
)
def causal_mask(tokens):
    return torch.ones(tokens, tokens).triu(diagonal=1).bool()


notebook.predict(
    "first causal row",
    _("Three tokens, causal weights: what is the first row?"),
    form=_("a list of three numbers"),
    answer=(1, 0, 0),
    why=_("The first token sees itself alone, and gives itself all its weight."),
    hint=_("Whom may the first token see? Its weights sum to 1."),
    wrong=[
        ((1 / 3, 1 / 3, 1 / 3), _("So it would be with no mask. Whom may the first token see?")),
        ((0, 0, 0), _("It may see itself. And what must a row of weights sum to?")),
    ],
)
notebook.predict(
    "row that keeps its sum",
    _("The future gets zeros after the softmax, nothing is divided. Which row still sums to 1?"),
    form=_('the word of that row, such as "with"'),
    answer="step",
    why=_("The last token has no future, so its row has lost nothing."),
    hint=_("Which row has lost nothing?"),
    same=("last", "the last", "last row", "the last row", 6),
    words=JOURNEY_TOKENS,
    wrong=[
        ("your", _("It has lost most of all: all of the others are its future.")),
        ("all", _("A row that has lost something sums to less than 1. Which has lost nothing?")),
    ],
)


def masked_by_adding(scores):
    mask = torch.full(scores.shape[-2:], float("-inf")).triu(diagonal=1)
    return torch.softmax(scores + mask, dim=-1)


@notebook.ask(
    _("masked_weights(scores): causal weights of scores (..., tokens, tokens)."),
    returns="weights",
    sums={"weights": CAUSAL_SCALED["weights"]},
    trains=True,
    cases=[
        Case(_("4 tokens"), wave(4, 4)),
        Case(_("future scores of exactly 0"), wave(3, 3, seed=1).tril()),
        Case(_("past scores of exactly 0"), wave(3, 3, seed=2).triu(1)),
        Case(_("scores far below 0"), wave(3, 3, seed=8) - 1e5),
        Case(_("a batch"), wave(2, 4, 4, seed=4)),
        Case(_("a future score far above"), 300 * wave(4, 4, seed=7)),
        Case(_("float16"), wave(3, 3, seed=6).half(), close=HALF),
    ],
    also=[masked_by_adding],
    reread="Way 2: add −∞ to the scores, before the softmax",
    mistakes={
        "over_queries": [swap("softmax(dim=-1)", f"softmax(dim={dim})") for dim in (-2, 0)],
        "over_batch": swap("softmax(dim=-1)", "softmax(dim=0 if scores.dim() == 3 else -1)"),
        "dim_1": [
            swap("softmax(dim=-1)", "softmax(dim=1)"),
            f"{CUT}\nreturn weights / weights.sum(dim=1, keepdim=True)",
        ],
        "no_maximum": "e = scores.exp() * ~hidden\nreturn e / e.sum(dim=-1, keepdim=True)",
        "scores_returned": swap(".softmax(dim=-1)", ""),
        "in_place": swap("masked_fill", "masked_fill_"),
        "lost_gradient": swap("scores.masked_fill", "scores.detach().masked_fill"),
        "zero_times_infinity": Mistake(
            "mask = -torch.inf * torch.ones_like(scores).triu(1)"
        ).called("""
            0 times −∞ is nan
            nan on and below the diagonal of the mask, then everywhere.
            Print your mask before you use it. What is 0 · −∞?"""),
        "diagonal_0": "hidden = torch.ones(scores.shape[-2:]).triu(diagonal=0).bool()",
        "diagonal_2": Mistake(swap("diagonal=1", "diagonal=2")).called("""
            diagonal=2
            Every token but the last sees the one after it.
            Draw the mask of three tokens on paper. Where does your triangle start?"""),
        "tril_for_triu": "hidden = torch.ones(scores.shape[-2:]).tril().bool()",
        "scores_times_0": Mistake(
            swap('masked_fill(hidden, float("-inf"))', "mul(~hidden)")
        ).called("""
            scores times 0 and 1, before the softmax
            Rows sum to 1, but the future keeps some weight.
            exp(0) is not 0. Which score becomes a weight of 0?"""),
        "mask_after_softmax": Mistake("return scores.softmax(dim=-1) * ~hidden").called("""
            masked after the softmax, not renormalised
            The future has no weight, but only the last row still sums to 1.
            What the future had is gone. Who should have got it?"""),
        "no_keepdim": f"{CUT}\nreturn weights / weights.sum(dim=-1)",
        "mask_of_scores": Mistake(MASK_OF_SCORES, "hidden = scores.tril() == 0").called("""
            mask built from the scores
            Right, until a future score is exactly 0: then it shows.
            What does your mask depend on? Should it change when a score does?"""),
        "nothing_left": Mistake(SHARED, f"{SHARED}.add(1e-9)").called("""
            way 1: nothing is left to divide by
            Right, until a future score is far above the rest: it takes all the weight, and 0 is divided by 0.
            Which of the three ways hides the future before the softmax shares anything out?"""),
        "no_mask": Mistake("return scores.softmax(dim=-1)").called("""
            no mask
            Every token gives weight to every other, the future too, and every row sums to 1.
            Poke the last token: which outputs should move? If your code does mask, is the result kept?"""),
        "low_number": Mistake(*[swap('float("-inf")', n) for n in ("-1e4", "-1e5")]).called("""
            a low number in place of −∞
            Right, until the scores themselves are as low: then the future gets weight.
            How low may a score be? Which number is lower than all others?"""),
        "billion_in_float16": Mistake(swap('(hidden, float("-inf"))', "(hidden, -1e9)")).called("""
            −1e9 in float16
            Right in float32; in float16, whose numbers end near 65,000, an error.
            Which number is lower than all others, whatever the format?"""),
        "tokens_of_batch": Mistake(swap("scores.shape[-2:]", "2 * [len(scores)]")).called("""
            tokens counted along the batch
            Fine, as long as there are as many sentences as tokens.
            A batch puts a new axis in front. Which number of the shape counts the tokens now?"""),
        "softmax_twice": swap(".softmax(dim=-1)", ".softmax(dim=-1).softmax(dim=-1)"),
        "scaled_twice": swap("scores.masked", "(scores / scores.shape[-1] ** 0.5).masked"),
    },
)
def masked_weights(scores):
    hidden = torch.ones(scores.shape[-2:]).triu(diagonal=1).bool()
    return scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)


HIDDEN = "hidden = torch.ones(tokens, tokens).triu(diagonal=1).bool()"
NO_BUFFER = HIDDEN, swap('self.register_buffer("mask", mask)', "")
NOT_KEPT = swap("scores = scores.masked", "scores.masked")
HIDING = 'scores = scores.masked_fill(hidden, float("-inf"))'
BATCH_SECOND = swap("queries, keys, values =", "x = x.transpose(0, 1)\nqueries, keys, values =")

CAUSAL = {  # mistakes of every causal layer, here and in notebook 5
    "over_batch": Mistake(swap(SOFTMAX, "scores.softmax(dim=0)")).called("""
        softmax over the batch
        nan in every row but the last: what is hidden is hidden in all sentences, and none can have the share.
        Which way of counting axes, from the front or the back, still names the keys in a batch?"""),
    "diagonal_0": "hidden = torch.ones(tokens, tokens).triu(diagonal=0).bool()",
    "diagonal_2": "hidden = torch.ones(tokens, tokens).triu(diagonal=2).bool()",
    "tril_for_triu": "hidden = torch.ones(tokens, tokens).tril().bool()",
    "scores_times_0": "scores = scores * ~hidden",
    "mask_after_softmax": (swap(SOFTMAX, f"{SOFTMAX} * ~hidden"), swap(HIDING, "")),
    "mask_of_scores": MASK_OF_SCORES,
    "no_mask": [NOT_KEPT, (NOT_KEPT, *NO_BUFFER)],
    "batch_turned": Mistake(
        (swap("keys.mT", "keys.T"), "tokens = x.shape[1]"), swap("keys.mT", "keys.transpose(0, 1)")
    ).called("""
        the wrong axes swapped, not the last two
        An error, as soon as there is a batch: queries and keys no longer fit together.
        .T reverses all axes. Which two must swap in a key, counted from the end?"""),
    "tokens_of_batch": "tokens = scores.shape[0]",
    "tokens_of_width": "tokens = x.shape[-1]",
    "mask_not_cut": Mistake("hidden = self.mask.bool()").called("""
        mask not cut to the tokens at hand
        Only sentences of exactly context_length tokens get through.
        The mask is made for the longest sentence. How much of it does a short one need?"""),
    "plain_tensor": Mistake(swap('register_buffer("mask", mask)', "mask = mask")).called("""
        mask as a plain attribute
        The numbers are right; when the layer moves to a GPU, the mask stays behind.
        The mask is not trained, and yet it belongs to the layer. What is that called?"""),
    "buffer_assigned": Mistake(swap("self.register", "self.mask = self.register")).called("""
        the result of register_buffer kept as the mask
        self.mask is None.
        register_buffer keeps the mask under its name, and gives nothing back. What does your = replace?"""),
    "across_the_batch": Mistake(
        (BATCH_SECOND, swap("return context", "return context.transpose(0, 1)"))
    ).called("""
        attention across the batch
        A sentence changes with the others in its batch; or an error, where a mask does not fit.
        Which axis does it take for the tokens? Change one sentence: may the others move?"""),
}


@notebook.layer(
    _("A class (d_in, d_out, context_length, dropout, qkv_bias=False); x (batch, tokens, d_in)."),
    name="causal_attention",
    sums=PROJECTED | CAUSAL_SCALED | {"context": "weights @ values"},
    buffer=True,
    cases={
        _("2 sentences of 5 tokens"): Layer(5, 3, 4, 2),
        _("the weights themselves"): Layer(4, 5, 4, 1, xray=True),
        _("as many tokens as context_length"): Layer(9, 4, 3, 2, context_length=9),
        _("a token that is all zeros"): Layer(4, 3, 2, 2, blank=2),
        _("qkv_bias=True"): Layer(4, 3, 2, 3, qkv_bias=True),
        _("large numbers"): Layer(3, 4, 2, 2, level=40.0),
    },
    reread="The layer",
    mistakes={key: ways for key, ways in ONE_HEAD.items() if key != "over_queries"}
    | CAUSAL
    | {
        "over_queries_in_batch": Mistake(ONE_HEAD["over_queries"]).called("""
            softmax over the queries of each sentence
            In each sentence, columns of the weights sum to 1; rows do not.
            A batch in front moves every axis on by one. Counted from the back, which one holds the keys?"""),
        "no_buffer": Mistake(NO_BUFFER).called("""
            no mask in a buffer
            The numbers are right, and the layer keeps no mask: it makes a new one at every call.
            The mask depends on context_length alone. When could it be made once, and where is it kept?"""),
    },
)
class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        three = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))
        self.W_query, self.W_key, self.W_value = three
        self.dropout = dropout
        mask = torch.ones(context_length, context_length).triu(diagonal=1)
        self.register_buffer("mask", mask)

    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = queries @ keys.mT / keys.shape[-1] ** 0.5
        tokens = scores.shape[-1]
        hidden = self.mask[:tokens, :tokens].bool()
        scores = scores.masked_fill(hidden, float("-inf"))
        weights = F.dropout(scores.softmax(dim=-1), self.dropout, self.training)
        context = weights @ values
        return context


LEAKS = MISTAKES | {
    "one_place": Mistake("for t in [x.shape[1] - 1]:", "for t in [1]:").called("""
        only one place is tried
        A leak somewhere else in the sentence gets through.
        Where else could a leak hide? Does your loop try every place before it says no?"""),
    "no_abs": Mistake("if (layer(poked)[:, :t] - before[:, :t]).max() > 1e-6:").called("""
        only a rise counts as a change
        A leak that lowers the outputs gets through.
        A change may go up or down. What is the largest of your differences, if all of them are below 0?"""),
    "coarse_test": Mistake(swap("atol=1e-6", "atol=0.01")).called("""
        a faint change let through
        All is found, but for what is faint.
        How far apart may two numbers be and count as equal? Is your poke large enough for that?"""),
}
BESIDE = "one_place no_abs coarse_test place_left_out tokens_of_batch tokens_written_in".split()
ADDED = swap("torch.randn_like(poked[:, t:])", "1.0")  # a constant: often a second mistake


def with_a_constant(given):
    """A mistake of a leak test, and the same where a constant is added, too."""
    ways = given.ways if isinstance(given, Mistake) else [given]
    return [given, *((way, ADDED) for way in ways)]


@notebook.ask(
    _("leak_test(layer, x): True if any output of the layer moves with a later token."),
    returns="answer",
    wanted="bool",
    cases=cases,
    reread="Move it: poke a token",
    mistakes=LEAKS | {key: with_a_constant(LEAKS[key]) for key in BESIDE},
)
def leak_test(layer, x):
    before, leaks = layer(x), False
    for t in range(1, x.shape[1]):
        poked = x.clone()
        poked[:, t:] += torch.randn_like(poked[:, t:])
        if not torch.allclose(layer(poked)[:, :t], before[:, :t], atol=1e-6):
            leaks = True
    return leaks
