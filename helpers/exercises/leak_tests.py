"""Layers that leak the future, and layers that do not, on which a leak test is tried.

The leak tests that miss some of them are given as edits of the right one.
"""

import copy

import torch
from torch import nn

from .. import _
from ..judge.comparing import read
from ..judge.exercise import Case, Remark, wave
from ..models.attention import CausalAttention, SelfAttention
from .small_models import filled

ALL = slice(None)


class Leak(CausalAttention):
    """Causal attention in which one token, and no other, sees one number of a later one.

    position, of  which token sees which; of may count from the end
    number     which of that token's numbers it sees
    into       what that number is multiplied by, for each number of the output (d_out,)
    sentences  those that it happens in, a slice
    """

    def __init__(self, d_in, *, position, of, number=0, into=(1, 1, 1, 1), sentences=ALL):
        super().__init__(d_in, 4, 8, 0.0)
        self.position, self.of, self.number = position, of, number
        self.into, self.sentences = torch.tensor(into), sentences
        self.cancels = self.into.sum() == 0  # then the leak replaces the output

    def forward(self, x):
        context, of = super().forward(x), self.of % x.shape[-2]
        if self.position < of < x.shape[-2]:
            leak = torch.zeros_like(context)
            number = x[self.sentences, of, self.number, None]
            leak[self.sentences, self.position] = number.abs() * self.into
            gone = (torch.arange(x.shape[-2]) == self.position)[:, None] & self.cancels
            context = context.masked_fill(gone, 0) + leak
        if self.cancels:  # round to multiples of 1/4096, so that every sum is exact
            context = (4096 * context).round() / 4096 + (context - context.detach())
        return context

    def plainer(self):
        """(in words, the same leak, easier to find in one respect)"""
        faint, ones = 0 < self.into.max() < 1, {"into": torch.ones_like(self.into)}
        easier = {
            _("it is 1 in place of {size}", size=f"{self.into.max():g}"): ones if faint else {},
            _("it comes from the next token"): {"of": self.position + 1},
            _("it raises every number that it reaches"): ones,
            _("it is in every sentence"): {"sentences": ALL},
            _("it comes from a token's number 0"): {"number": 0},
            _("it reaches the first token"): {"position": 0},
        }
        for how, changed in easier.items():
            if all(str(value) == str(vars(self)[name]) for name, value in changed.items()):
                continue  # this leak is as easy to find already
            leak = copy.deepcopy(self)
            vars(leak).update(changed)
            leak.cancels = leak.into.sum() == 0
            yield how, leak


def asked(test, layer, x):
    """{"answer"}, with remarks on what the test changes, and on the leaks that it would find."""
    inputs, given = [], x.clone()
    with layer.register_forward_pre_hook(lambda _layer, args: inputs.append(args[0].clone())):
        came = read(test(layer, x), ("answer",))
    text = _changed(given, inputs)
    if isinstance(layer, Leak) and not came["answer"].any():
        found = [how for how, leak in layer.plainer() if test(leak, given.clone())]
        if found:
            text = _("It misses this leak, and finds it if {how}.", how=found[0])
    return came | {"tried": Remark(text)}


def _changed(x, inputs):
    """Which tokens differ from those of x (batch, tokens, d) in each call of the layer, in words."""
    lines = []
    for given in inputs:
        if given.shape != x.shape:
            lines.append(_("a shape of {shape}", shape=tuple(given.shape)))
        else:
            tokens = (x != given).any(-1).any(0).nonzero().flatten().tolist()
            lines.append(", ".join(map(str, tokens)) or _("none"))
    if not lines:
        return _("It never calls the layer.")
    return _("Tokens that it changes, call by call: {tokens}.", tokens="; ".join(lines[:8]))


def what_is_poked(test, layer, x):
    """As asked, and of a test that knows one answer only, a remark on what it pokes."""
    inputs = []
    # Some of its numbers rise and others fall, so that a test that notices one of these finds it.
    leaking = filled(Leak(x.shape[-1], position=0, of=1, into=(2, -1, 1, -1)))
    given, x = x, x.clone()  # the test gets x itself, so that it shows if the test changes it
    with layer.register_forward_pre_hook(lambda _layer, args: inputs.append(args[0].clone())):
        came = asked(test, layer, given)
    if bool(test(leaking, x.clone())) == bool(came["answer"]):
        text = _("It gives the same answer for causal attention and for a layer that leaks.")
        came[_poked(x, inputs)] = Remark(text)
    if not inputs:
        came["nothing is called"] = Remark(_("It never calls the layer."))
    return came


def _poked(x, inputs):
    """What was changed in x (batch, tokens, d), over all inputs, in a word."""
    if not inputs:
        return "nothing is called"
    if any(x.shape != given.shape for given in inputs):
        return "cut"
    tokens = [(x != given).any(-1) for given in inputs if not torch.equal(x, given)]
    if not tokens:
        return "nothing"
    if all(t.all() for t in tokens):
        return "all tokens"
    return "sentences" if all((t.all(1) == t.any(1)).all() for t in tokens) else "tokens"


class PreNorm(nn.TransformerEncoderLayer):
    """A pre-norm layer with no mask, in which a constant added to a token moves no other, exactly.

    LayerNorm takes the mean out of each token, which would leave the constant's rounding errors. So
    this layer does it first, and rounds the rest to multiples of 1/1024. Its eps is so small that a
    token times 2 moves no other, either.
    """

    def __init__(self):
        super().__init__(8, 2, 16, 0.0, layer_norm_eps=1e-12, batch_first=True, norm_first=True)

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        rest = x - mean
        rest = rest + (on_a_grid(rest) - rest).detach()  # whose gradient is that of x
        return super().forward(rest) + mean


def on_a_grid(x):
    return (1024 * x).round() / 1024


def equally_long(case):
    """The same case, its last LayerNorm such that each output sums to 0 and has the same length.

    The outputs are small, so that what rounding does to sums and lengths is far below 1e-6.
    """
    norm = case.arguments[0].norm2
    nn.init.constant_(norm.weight, 1 / 64)
    nn.init.zeros_(norm.bias)
    return case


def cases():
    """A Case for each layer, with an x (batch, tokens, d_in) of its own size.

    Some have five sentences: what counts the sentences differs from what stops at the first position,
    and a faint leak shows in one of them, whatever is drawn.
    """

    def case(says, tokens, layer, batch=2, how=asked):
        x = wave(batch, tokens, next(layer.parameters()).shape[-1], seed=3)
        if isinstance(layer, Leak) and layer.into.abs().max() == 1:
            # So near 0 that a poke in either direction increases the absolute value, which leaks.
            x[:, layer.of, layer.number] = 1e-3
        if isinstance(layer, PreNorm):
            x = on_a_grid(x)
            x[..., -1] = -x[..., :-1].sum(dim=-1)
        return Case(says, filled(layer), x, how=how)

    post_norm = nn.TransformerEncoderLayer(8, 2, 16, 0.0, layer_norm_eps=1e-12, batch_first=True)
    faintly, lower, one, balanced = [0, 0, 0, 1e-4], 4 * [-1], [0, 0, 0, 1], [1, -1, 1, -1]
    return [
        case(_("causal attention"), 5, CausalAttention(3, 4, 8, 0.0), how=what_is_poked),
        case(_("a layer for each token by itself"), 5, nn.Linear(3, 4)),
        case(_("attention with no mask"), 5, SelfAttention(3, 4)),
        case(_("a faint leak of the last token"), 6, Leak(3, position=0, of=-1, into=faintly), batch=5),
        case(_("a leak in the first token only"), 5, Leak(3, position=0, of=1)),
        case(_("a leak from the last token to the first"), 7, Leak(4, position=0, of=-1)),
        case(_("a leak that lowers what it reaches"), 6, Leak(3, position=3, of=4, into=lower), batch=5),
        case(_("a leak from one number to one number"), 6, Leak(4, position=2, of=3, number=3, into=one)),
        case(_("a leak in the second sentence only"), 5, Leak(3, position=1, of=2, sentences=slice(1, 2))),
        case(_("a leak in the last token but two"), 8, Leak(3, position=5, of=6)),
        case(_("a leak in the last token but one"), 8, Leak(3, position=6, of=7)),
        case(_("a pre-norm layer with no mask"), 6, PreNorm()),
        case(_("a leak that keeps the sum of each output"), 6, Leak(3, position=1, of=-1, into=balanced)),
        equally_long(case(_("a post-norm layer with no mask"), 6, post_norm)),
    ]  # fmt: skip


MISTAKES = {
    "layer_not_called": """before, leaks = layer(x), False → return False
        or before, leaks = layer(x), False → return True
        or before, leaks = layer(x), False
            → return type(layer).__name__ not in ("CausalAttention", "Linear")""",
    "sums_compared": """not torch.allclose(layer(poked)[:, :t], before[:, :t], atol=1e-6)
            → (layer(poked)[:, :t] - before[:, :t]).mean().abs() > 1e-6
        or not torch.allclose(layer(poked)[:, :t], before[:, :t], atol=1e-6)
            → layer(poked)[:, :t].mean() != before[:, :t].mean()
        or layer(poked)[:, :t], before[:, :t], → layer(poked)[:, :t].norm(dim=-1), before[:, :t].norm(dim=-1),""",
    "constant_poked": "poked[:, t:] += torch.randn_like(poked[:, t:]) → poked[:, t:] += 1.0",
    "own_output_watched": "[:, :t], before[:, :t] → , before",
    "first_alone": "layer(poked)[:, :t], before[:, :t] → layer(poked)[0, :t], before[0, :t]",
    "position_left_out": """for t in range(1, x.shape[1]): → for t in range(1, x.shape[1] - 1):
        or for t in range(1, x.shape[1]): → for t in range(2, x.shape[1]):""",
    "tokens_of_batch": "for t in range(1, x.shape[1]): → for t in range(1, len(x)):",
    "tokens_written_in": "for t in range(1, x.shape[1]): → for t in range(1, 5):",
    "answered_too_early": """for t in range(1, x.shape[1]): → for t in range(x.shape[1]):
        if not torch.allclose(layer(poked)[:, :t], before[:, :t], atol=1e-6):
            → return not torch.allclose(layer(poked)[:, :t], before[:, :t], atol=1e-6)
        if not torch.allclose(layer(poked), before):""",
    "sentence_poked": """for t in range(1, x.shape[1]): → for t in range(1, x.shape[0]):
        poked[:, t:] += torch.randn_like(poked[:, t:])
            → poked[t:] += torch.randn_like(poked[t:])
        layer(poked)[:, :t], before[:, :t] → layer(poked)[:t], before[:t]""",
    "one_number_only": """poked[:, t:] += torch.randn_like(poked[:, t:])
            → poked[:, t:, 0] += torch.randn_like(poked[:, t:, 0])""",
}
