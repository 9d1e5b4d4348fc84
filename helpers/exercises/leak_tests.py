"""What a leak test is tried on, layers that leak the future and layers that do not; and the leak
tests that miss some of them, as edits of the right one."""

import torch
from torch import nn

from .. import _
from ..judge.comparing import read
from ..judge.exercise import Case, Remark, wave
from ..models.attention import CausalAttention, MultiHeadAttention
from .mistakes import Mistake, swap


class SoFar(nn.Module):
    def forward(self, x):
        counts = torch.arange(1, x.shape[-2] + 1, dtype=x.dtype)
        return x.cumsum(dim=-2) / counts[:, None]


class Faint(CausalAttention):
    def forward(self, x):
        return super().forward(x) + 2e-4 * x[..., -1:, :1]


class InOnePlace(CausalAttention):
    """One token, and no other, sees another one, if both are there.

    place, of  which token sees which; both may count from the end
    feature    which of that token's numbers it sees
    into       what that number is multiplied by, for each number of the output (d_out,)
    """

    def __init__(self, *sizes, place, of, feature=0, into=(1.0, 1.0, 1.0, 1.0)):
        super().__init__(*sizes)
        self.place, self.of, self.feature = place, of, feature
        self.register_buffer("into", torch.tensor(into))

    def forward(self, x):
        tokens = x.shape[-2]
        place, of = (at + tokens if at < 0 else at for at in (self.place, self.of))
        if max(place, of) >= tokens:
            return super().forward(x)
        seen = torch.zeros(tokens, 1)
        seen[place] = 1.0
        return super().forward(x) + seen * x[..., [of], self.feature, None] * self.into


def what_is_poked(test, layer, x):
    """{"answer"}; of a test that knows one answer only, a remark on what it pokes as well."""
    inputs = []

    def keep(_layer, given):
        inputs.append((x, given[0].clone()))

    leaking = InOnePlace(x.shape[-1], 4, 8, 0.0, place=0, of=1)
    given = x.clone()
    with layer.register_forward_pre_hook(keep):
        came = read(test(layer, given), ("answer",))
    if bool(test(leaking, x.clone())) == bool(came["answer"]):
        came[_poked(inputs)] = Remark(_("It gives the same answer for every layer."))
    return came


def _poked(inputs):
    """What was changed in x, over all inputs, in a word."""
    if not inputs:
        return "nothing is called"
    if any(x.shape != given.shape for x, given in inputs):
        return "cut"
    differ = [x != given for x, given in inputs if not torch.equal(x, given)]  # (batch, tokens, d)
    if not differ:
        return "nothing"
    if all(d.any(-1).all() and not d.all() for d in differ):
        return "numbers"
    tokens = [d.any(-1) for d in differ]  # (batch, tokens)
    if all((t.all(1) == t.any(1)).all() and not t.any(1).all() for t in tokens):
        return "sentences"
    return "all tokens" if all(t.all() for t in tokens) else "tokens"


def cases(wrong):
    """A Case for each layer, with an x (2, tokens, d_in) of its own size.

    One has three sentences: what counts the sentences differs from what stops at the first place.

    wrong  id of a mistake → ways to make it in a causal layer, as code
    """

    def case(says, tokens, d_in, made, *more, batch=2, how=None, **named):
        layer = made(d_in, 4, *more, **named)
        with torch.no_grad():  # the same numbers in every session
            for seed, weight in enumerate(layer.parameters()):
                weight.copy_(wave(*weight.shape, seed=seed))
        return Case(says, layer.eval(), wave(batch, tokens, d_in, seed=3), how=how)

    most, one, cancels, lowers = (8, 0.0), (0, 0, 0, 1.0), (1.0, -1.0, 0, 0), (-1.0,) * 4
    place = InOnePlace
    return [
        case("causal attention", 5, 3, CausalAttention, *most, how=what_is_poked),
        case("causal attention with two heads", 7, 4, MultiHeadAttention, *most, num_heads=2),
        case("a layer for each token by itself", 5, 3, nn.Linear),
        case("the average of all tokens so far", 6, 3, lambda *sizes: SoFar()),
        case("attention with no mask", 5, 3, wrong["no_mask"].ways[0], *most),
        case("a mask that is one token late", 5, 3, wrong["diagonal_2"].ways[0], *most),
        case("weights cut off after the softmax", 5, 3, wrong["mask_after_softmax"].ways[0], *most),
        case("future scores set to 0, not −∞", 6, 3, wrong["scores_times_0"].ways[0], *most),
        case("a faint leak of the last token", 5, 3, Faint, *most),
        case("a leak in the first token only", 5, 3, place, *most, place=0, of=1),
        case("a leak from the last token to the first", 7, 4, place, *most, place=0, of=-1),
        case(
            "a leak that lowers what it reaches",
            *(6, 3, place, *most),
            **dict(place=1, of=2, into=lowers, batch=3),
        ),
        case("a leak that cancels out in a sum", 6, 3, place, *most, place=2, of=3, into=cancels),
        case(
            "a leak from one number to one number",
            *(6, 4, place, *most),
            **dict(place=2, of=4, feature=3, into=one),
        ),
        case("a leak in the last token but two", 8, 3, place, *most, place=5, of=6),
        case("a leak in the last token but one", 8, 3, place, *most, place=6, of=7),
    ]


POKE, LOOK = "poked[:, t:] += 1.0", "if not torch.allclose(layer(poked)[:, :t], before[:, :t]"
EQUAL = "not torch.allclose(layer(poked)[:, :t], before[:, :t], atol=1e-6)"
CUT = swap("layer(poked)[:, :t],", "layer(x[:, :t]),")
BY_BATCH, BY_WIDTH = "for t in range(1, len(x)):", "for t in range(1, x.shape[-1]):"
MOVED = "layer(poked)[:, :t] - before[:, :t]"


MISTAKES = {
    "layer_not_called": Mistake(
        *[swap("before, leaks = layer(x), False", f"return {answer}") for answer in (False, True)]
    ).called("""
        the layer is never called
        Every layer gets the same answer: the test has not looked at it.
        What can you learn of a layer without asking it? Which two inputs should it be given?"""),
    "own_output_watched": Mistake(
        "if not torch.allclose(layer(poked), before, atol=1e-6):"
    ).called("""
        the poked tokens are watched too
        Every layer leaks, says the test.
        A token may well move its own output. Which outputs must stay still? And is the copy a new one for each \
        place? In the shorter form: are both sides the same tokens?"""),
    "one_place": Mistake(
        "for t in [x.shape[1] - 1]:",
        "for t in [1]:",
        ("for t in [3]:", swap("layer(poked)[:, :t],", "layer(x[:, :t]),")),
    ).called("""
        only one place is tried
        A leak somewhere else in the sentence gets through.
        The verdict hangs on one place. Where else could a leak hide? When does your loop return: is a leak, \
        once found, kept; is every place tried before it says no?"""),
    "place_left_out": Mistake(
        *[
            way
            for line in ("for t in range(1, x.shape[1] - 1):", "for t in range(2, x.shape[1]):")
            for way in (line, (line, CUT))
        ]
    ).called("""
        the first or the last place is never tried
        A leak at one end of the sentence gets through.
        Print the places that your loop goes through. Which outputs does it never look at?"""),
    "tokens_of_batch": BY_BATCH,
    "tokens_of_width": BY_WIDTH,
    "tokens_written_in": Mistake("for t in range(1, 5):").called("""
        the number of tokens written into the test
        A leak late in a longer sentence gets through.
        Not every x is as long as yours. Which number of its shape counts the tokens?"""),
    "answered_too_early": Mistake(
        (
            "for t in range(x.shape[1]):",
            "return not torch.allclose(layer(poked)[:, :t], before[:, :t], atol=1e-6)\n"
            "if not torch.allclose(layer(poked), before):",
        )
    ).called("""
        answered after the first token
        No layer ever leaks, says the test.
        In its first round, your test changes the first token and all behind it. Which outputs are left to \
        watch? And does a return inside the loop leave time for a second round?"""),
    "sentence_poked": Mistake(
        (
            "for t in range(1, x.shape[0]):",
            swap("poked[:, t:] +=", "poked[t:] +="),
            "if not torch.allclose(layer(poked)[:t], before[:t], atol=1e-6):",
        )
    ).called("""
        a sentence is poked, not a token
        Whole sentences change. Sentences do not see each other, so this tells nothing about time.
        x is (batch, tokens, d_in). Along which axis does your index go?"""),
    "one_number_only": Mistake(swap("poked[:, t:] +=", "poked[:, t:, 0] +=")).called("""
        one number of each token, where all may leak
        A leak from another number of the token, or into another one, gets through.
        A token is a whole vector. How many of its numbers do you change, and how many of each output do you \
        compare?"""),
    "no_abs": Mistake(
        swap(EQUAL, f"({MOVED}).max() > 1e-6"), swap(EQUAL, f"({MOVED}).sum() > 1e-5")
    ).called("""
        only a rise counts as a change
        A leak that lowers the outputs gets through.
        A change may go up or down. What is the largest of your differences, if all of them are below 0?"""),
    "coarse_test": Mistake(swap("atol=1e-6", "atol=0.1")).called("""
        a faint change let through
        All is found, but for what is faint.
        How far may two numbers lie apart and still count as equal in your test? And is your change to x so \
        large that a faint answer to it stands out?"""),
}
