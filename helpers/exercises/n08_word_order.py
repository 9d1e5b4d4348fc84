"""The exercises and predictions of notebook 8: word order."""

import itertools

import torch

from .. import _
from ..judge.exercise import Case, wave
from . import ordered_layers
from .mistakes import Mistake, swap
from .notebook import Notebook

notebook = Notebook(__name__)


def by_every_order(layer, x):
    before, orders = layer(x), itertools.permutations(range(x.shape[1]))
    pairs = [(layer(x[:, order]), before[:, order]) for order in map(list, orders)]
    return not all(torch.allclose(after, moved, atol=1e-6) for after, moved in pairs)


EVERY = "itertools.permutations(range(x.shape[1]))"
DRAWN = swap(EVERY, "[torch.randperm(x.shape[1])]")
TEN = swap(EVERY, "[torch.randperm(x.shape[1]) for _ in range(10)]")
BACKWARDS = swap(EVERY, "[reversed(range(x.shape[1]))]")
INVERTED = swap("return not all", "return all")


@notebook.ask(
    _("knows_order(layer, x): True if the order of the tokens makes a difference to the layer."),
    returns="answer",
    wanted="bool",
    cases=lambda: [
        Case(says, layer, x, how=ordered_layers.asked_often if position_only else None)
        for x in (wave(2, 4, 6, seed=3), wave(2, 2, 6, seed=3))
        for says, layer in ordered_layers.layers(x).items()
        if (position_only := says in ordered_layers.ONE_POSITION) or x.shape[1] == 4
    ],
    also=[by_every_order],
    reread="The same words in another order",
    mistakes={
        "never_shuffled": Mistake("after = layer(x)[:, order]").called("""
            the tokens are not shuffled
            No layer knows the order, says the test.
            Print what the layer gets the second time. Along which axis of (batch, tokens, d) has it moved?"""),
        "outputs_not_shuffled": Mistake(
            swap("before[:, order], atol", "before, atol"),
            "return not torch.allclose(layer(x.flip(1)), before)",
        ).called("""
            the outputs compared where they stand
            Even a layer that treats each token by itself knows the order, says the test.
            A token has moved, and its output with it. With which earlier row must you compare it?"""),
        "reversed_only": Mistake(BACKWARDS).called("""
            only the reverse order is tried
            A layer that knows how far apart two tokens are, but not which comes first, gets through.
            Read backwards, what stays as it was? Which other orders are there?"""),
        "rolled_only": Mistake(swap(EVERY, "[[*range(1, x.shape[1]), 0]]")).called("""
            all tokens moved on by the same step
            A layer that joins the end of the sentence to its beginning gets through.
            All move on, the last one to the front: who has another neighbour now? Which orders are left?"""),
        "one_shuffle": Mistake(DRAWN, TEN).called("""
            a few shuffles, drawn by chance
            The same layer knows the order today, and not tomorrow: some shuffles leave its position alone.
            How many orders have five words, and how many do you try? Which few are enough?"""),
        "one_swap": Mistake("for t in [0]:", "for t in [x.shape[1] - 2]:").called("""
            only one pair changes places
            A layer that knows the order at another position gets through.
            Which swaps are left to try, and does your loop get to them?"""),
        "answer_inverted": Mistake(
            "if torch.allclose(after, before[:, order], atol=1e-6):",
            *(INVERTED, (INVERTED, DRAWN), (INVERTED, BACKWARDS)),
        ).called("""
            True and False the wrong way round
            Every answer is the opposite of the right one.
            Say that nothing has moved: is the answer then yes, or no? What do you return?"""),
        "too_exact": Mistake(
            "if not torch.equal(after, before[:, order]):",
            "if not torch.allclose(after, before[:, order]):",
        ).called("""
            rounding taken for a difference
            Self-attention knows the order, says the test.
            Sums in another order differ in their last digits. Which function allows for that?"""),
    },
)
def knows_order(layer, x):
    before = layer(x)
    for t in range(x.shape[1] - 1):
        order = list(range(x.shape[1]))
        order[t], order[t + 1] = t + 1, t
        after = layer(x[:, order])
        if not torch.allclose(after, before[:, order], atol=1e-6):
            return True
    return False


def by_columns(length, d):
    columns = torch.arange(d)
    angles = torch.arange(length)[:, None] / 10_000.0 ** (columns // 2 * 2 / d)
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos())


@notebook.ask(
    _("sinusoidal(length, d): the table of positions (length, d), sine and cosine side by side."),
    returns="table",
    cases=[
        Case(_("6 positions of 8 numbers"), 6, 8),
        Case(_("as many positions as numbers"), 4, 4),
        Case(_("300 positions"), 300, 6),
    ],
    also=[by_columns],
    reread="The clock",
    mistakes={
        "sines_first": Mistake("columns = torch.arange(d).view(-1, 2).T.flatten()").called("""
            all sines, then all cosines
            The right numbers, and columns in another order.
            Sine and cosine of one hand stand side by side here. In which columns do the sines go?"""),
        "own_speeds": Mistake(
            swap("columns // 2 * 2 / d", "columns / d"),
            swap("columns // 2 * 2 / d", "2 * columns / d"),
        ).called("""
            a speed for each column, not for each pair
            Sine and cosine of a hand do not belong together: their squares no longer sum to 1.
            How many hands are there for d numbers? Which two columns belong to one hand?"""),
        "exponent_doubled": Mistake(swap("2) / d", "2) * 2 / d")).called("""
            2i doubled once more
            The first hand is right, all others turn too slowly: the last is far slower than 10,000 times.
            arange(0, d, 2) gives 0, 2, 4 …: is that i already, or 2i?"""),
        "half_exponent": Mistake(swap("columns // 2 * 2", "columns // 2")).called("""
            i where 2i is meant
            The first hand is right, all others turn too fast; the last nearly 100 times slower, not 10,000.
            Hand i turns by 10,000^(−2i/d). With d/2 hands, how large does 2i/d become?"""),
        "speeds_upside_down": Mistake(swap("None] / 10", "None] * 10")).called("""
            hands that get faster, not slower
            The first hand is right, all others race.
            Do you multiply the position by 10,000^(2i/d), or divide by it?"""),
        "other_base": Mistake(swap("10_000.0 ** -(", "1_000.0 ** -(")).called("""
            another base than 10,000
            The first hand is right, all others turn too fast, or too slowly.
            How many times slower than the first is the last hand? Which number stands under your power?"""),
        "no_power": Mistake(
            "speeds = 10_000.0 * -(torch.arange(0, d, 2) / d)",
            "speeds = torch.arange(0, d, 2) / d / 10_000.0",
        ).called("""
            no power: speeds that grow evenly
            Even the first hand does not turn by 1.
            What comes out of 10,000^(−2i/d) for i = 0, and what of your speeds?"""),
        "reshaped": swap(
            "return table", "return torch.stack([angles.sin(), angles.cos()]).view(-1, d)"
        ),
        "sines_for_cosines": ("table[:, 0::2] = angles.cos()", "table[:, 1::2] = angles.sin()"),
        "positions_from_1": Mistake("positions = torch.arange(1, length + 1)[:, None]").called("""
            positions counted from 1
            Every row stands one position too early; the row of position 0 is missing.
            What is the row of position 0, where no hand has moved yet? Is it in your table?"""),
        "sine_alone": Mistake("table[:, 1::2] = angles.sin()", "return angles.sin()").called("""
            the cosines are missing
            Both numbers of a pair are the same, or the table is only half as wide.
            Two angles share a sine. What is the second number of each pair?"""),
    },
)
def sinusoidal(length, d):
    positions = torch.arange(length)[:, None]
    speeds = 10_000.0 ** -(torch.arange(0, d, 2) / d)
    angles = positions * speeds
    table = torch.zeros(length, d)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles.cos()
    return table


notebook.predict(
    "rows 20 and 30",
    _("For d = 512, rows 0 and 10 have the dot product 173.79. And rows 20 and 30?"),
    form=_("a number"),
    answer=173.79,
    within=0.5,  # 174 is as good
    why=_("They are 10 positions apart, too, and the product depends on nothing else."),
    hint=_("How far apart are the two positions, in either pair?"),
    wrong=[
        (256, _("So it is of a row with itself. How far apart are these two?")),
        (249.1, _("So it is of two positions side by side. How far apart are these two?")),
    ],
)


@notebook.ask(
    _("rotary(x, positions): x (..., tokens, d), each pair of neighbours turned by its position."),
    returns="turned",
    cases=[
        Case(_("5 tokens of 6 numbers"), wave(5, 6), torch.arange(5)),
        Case(_("positions in another order"), wave(3, 4, seed=3), torch.tensor([7, 2, 0])),
        Case(_("a batch with heads"), wave(2, 3, 5, 4, seed=4), torch.arange(5)),
    ],
    reread="Turn, and add nothing",
    mistakes={
        "rotary_halves": Mistake(
            ("a, b = x.chunk(2, dim=-1)", "return torch.cat([first, second], dim=-1)")
        ).called("""
            halves turned, where neighbours are asked
            Position 0 is right, all others are not: number i was paired with number i + d/2.
            Here the pairs are (0, 1), (2, 3) … Which slices take every second number?"""),
        "turned_back": Mistake("angles = -positions[:, None] * speeds").called("""
            turned the other way
            Position 0 is right; elsewhere the vectors have turned clockwise.
            Take the vector (1, 0) and a quarter turn. Does yours come out as (0, 1)?"""),
        "positions_ignored": Mistake(swap("positions[", "torch.arange(x.shape[-2])[")).called("""
            positions not used
            Right where the positions are 0, 1, 2 …; wrong for a token that stands further on.
            You count the tokens that came. Who tells you where they stand?"""),
        "laid_out_otherwise": Mistake("return torch.cat([first, second], dim=-1)").called("""
            turned as pairs, laid out as halves
            The right numbers, in another order; even at position 0.
            You took every second number out. Do they go back to where they came from?"""),
        "sines_for_cosines": Mistake(
            (
                "first = a * angles.sin() - b * angles.cos()",
                "second = a * angles.cos() + b * angles.sin()",
            )
        ).called("""
            sine and cosine in each other's place
            Even position 0 is wrong, though nothing has turned there.
            At position 0 the angle is 0. What are its sine and its cosine, and where must they stand?"""),
        "changed_too_early": Mistake("second = first * angles.sin() + b * angles.cos()").called("""
            the first number changed before the second is made
            Position 0 is right; elsewhere the second number of each pair is wrong.
            Which first number goes into your second line: the one that came, or the one just made?"""),
        "one_speed": Mistake("speeds = torch.ones(d // 2)").called("""
            one speed for all pairs
            Right for two numbers; with more, all pairs turn alike.
            A clock has a hand for seconds and one for minutes. How far does pair i turn in one step?"""),
        "exponent_doubled": swap("2) / d", "2) * 2 / d"),
        "half_exponent": swap("arange(0, d, 2)", "arange(d // 2)"),
        "speeds_upside_down": swap("** -(", "** ("),
        "in_place": "x[..., 0::2], x[..., 1::2] = first, second\nreturn x",
    },
)
def rotary(x, positions):
    d = x.shape[-1]
    speeds = 10_000.0 ** -(torch.arange(0, d, 2) / d)
    angles = positions[:, None] * speeds
    a, b = x[..., 0::2], x[..., 1::2]
    first = a * angles.cos() - b * angles.sin()
    second = a * angles.sin() + b * angles.cos()
    return torch.stack([first, second], dim=-1).flatten(-2)


@notebook.ask(
    _("alibi(num_heads, tokens): the bias of every head, (num_heads, tokens, tokens)."),
    returns="bias",
    cases=[
        Case(_("8 heads and 5 tokens"), 8, 5),
        Case(_("as many heads as tokens"), 2, 2),
    ],
    reread="ALiBi: far costs",
    mistakes={
        "bias_positive": Mistake(swap("return -slopes", "return slopes")).called("""
            distance rewarded
            All numbers are right but for their sign.
            The bias is added to the scores. Is a far word to get a higher score, or a lower one?"""),
        "future_rewarded": Mistake("steps = positions[:, None] - positions").called("""
            later words rewarded
            Right on and below the diagonal; above it, the bias has the wrong sign.
            From position 2 to 5 it is as far as from 5 to 2. What makes a distance of a difference?"""),
        "nothing_behind": Mistake("steps = (positions[:, None] - positions).clamp(min=0)").called("""
            keys on one side only
            Right on one side of the diagonal; on the other, all is 0.
            Is a later key at no distance? What makes a distance of a difference, whatever its sign?"""),
        "first_slope_1": Mistake(
            swap("torch.arange(1, num_heads + 1)", "torch.arange(num_heads)"),
            "slopes = 2.0 ** -torch.arange(num_heads)",
        ).called("""
            slopes that begin with 1
            The first head loses 1 with every step; with 8 heads it should lose ½.
            With 8 heads, the first slope is ½. Is your first head number 0 or number 1?"""),
        "fixed_slopes": Mistake("slopes = 2.0 ** -torch.arange(1, num_heads + 1)").called("""
            the slopes of 8 heads for any number of heads
            Right for 8 heads; with others, the last slope is not 1/256.
            The last slope is always 1/256. By what power does it go from head to head?"""),
        "heads_last": Mistake("return -steps[:, :, None] * slopes").called("""
            heads on the last axis
            The right numbers, with the axes in another order.
            Scores are (heads, queries, keys). Does your bias line up with them?"""),
    },
)
def alibi(num_heads, tokens):
    slopes = 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)
    positions = torch.arange(tokens)
    steps = (positions[:, None] - positions).abs()
    return -slopes[:, None, None] * steps
