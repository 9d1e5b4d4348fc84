"""The exercises and predictions of notebook 8: word order."""

import itertools

import torch

from ..judge.exercise import wave
from ..judge.functions import Case
from . import ordered_layers
from .edits import swap
from .notebook import Notebook

notebook = Notebook(__name__)

# ---------------------------------------------------------------- a test for order


def by_every_order(layer, x):
    before, orders = layer(x), itertools.permutations(range(x.shape[1]))
    pairs = [(layer(x[:, order]), before[:, order]) for order in map(list, orders)]
    return not all(torch.allclose(after, moved, atol=1e-6) for after, moved in pairs)


EVERY = "itertools.permutations(range(x.shape[1]))"
REVERSED = swap(EVERY, "[reversed(range(x.shape[1]))]")
DRAWN = swap(EVERY, "[torch.randperm(x.shape[1])]")
INVERTED = swap("return not all", "return all")


@notebook.order_test(
    "knows_order(layer, x): True if the order of the tokens makes a difference to the layer.",
    cases=lambda: [
        Case(says, layer, wave(2, 4, 6, seed=3)) for says, layer in ordered_layers.layers().items()
    ],
    also=[by_every_order],
    mistakes={
        "never_shuffled": [
            "after = layer(x)[:, order]",
            "return not torch.allclose(layer(x.flip(0)), layer(x).flip(0), atol=1e-6)",
        ],
        "outputs_not_shuffled": [
            swap("before[:, order], atol", "before, atol"),
            swap("before[:, order])", "before)"),
            "return not torch.allclose(layer(x.flip(1)), before)",
        ],
        "reversed_only": REVERSED,
        "rolled_only": [
            swap(EVERY, "[[*range(1, x.shape[1]), 0]]"),
            swap(EVERY, "[[-1, *range(x.shape[1] - 1)]]"),
        ],
        "one_shuffle": DRAWN,
        "one_swap": [
            "for t in [0]:",
            "for t in [x.shape[1] - 2]:",
        ],
        "numbers_shuffled": "return not torch.allclose(layer(x.flip(-1)), before.flip(-1), atol=1e-6)",
        "answer_inverted": [
            "if torch.allclose(after, before[:, order], atol=1e-6):",
            INVERTED,
            (INVERTED, REVERSED),
            (INVERTED, DRAWN),
            (INVERTED, swap(EVERY, "[[1, 0, *range(2, x.shape[1])]]")),
            (INVERTED, swap("moved, atol=1e-6", "before, atol=1e-6")),
        ],
        "too_exact": [
            "if not torch.equal(after, before[:, order]):",
            swap("torch.allclose(after, moved, atol=1e-6)", "torch.equal(after, moved)"),
        ],
        "coarse_test": [
            swap("before[:, order], atol=1e-6", "before[:, order], atol=0.1"),
            swap("moved, atol=1e-6", "moved, atol=0.1"),
        ],
        "rows_summed": [
            "if not torch.allclose(after.sum(1), before.sum(1), atol=1e-5):",
            swap("(after, moved, atol=1e-6)", "(after.mean(1), moved.mean(1), atol=1e-6)"),
        ],
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


# ---------------------------------------------------------------- sinusoidal positions


def by_columns(length, d):
    columns = torch.arange(d)
    angles = torch.arange(length)[:, None] / 10_000.0 ** (columns // 2 * 2 / d)
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos())


@notebook.function(
    "sinusoidal(length, d): the table of positions (length, d), sine and cosine side by side.",
    returns="table",
    cases=[
        Case("6 places of 8 numbers", 6, 8),
        Case("one hand", 5, 2),
        Case("one place", 1, 4),
        Case("as many places as numbers", 4, 4),
        Case("300 places", 300, 6),
    ],
    also=[by_columns],
    mistakes={
        "sines_first": "columns = torch.cat([torch.arange(0, d, 2), torch.arange(1, d, 2)])",
        "cosine_first": swap("angles.sin(), angles.cos())", "angles.cos(), angles.sin())"),
        "own_speeds": [
            swap("columns // 2 * 2 / d", "columns / d"),
            swap("columns // 2 * 2 / d", "2 * columns / d"),
        ],
        "half_exponent": swap("columns // 2 * 2", "columns // 2"),
        "speeds_upside_down": [
            swap("** -(", "** ("),
            "angles = torch.arange(length)[:, None] * 10_000.0 ** (columns.double() // 2 * 2 / d)",
        ],
        "places_from_1": swap("torch.arange(length)", "torch.arange(1, length + 1)"),
        "one_speed": "speeds = torch.ones(d // 2)",
        "other_base": [
            swap("10_000.0 ** -(", "1_000.0 ** -("),
            swap("10_000.0 ** -(", "100_000.0 ** -("),
        ],
        "no_power": [
            "speeds = torch.arange(0, d, 2) / d / 10_000.0",
            "speeds = 1 / (10_000.0 * torch.arange(0, d, 2) / d)",
            "speeds = 10_000.0 * -(torch.arange(0, d, 2) / d)",
            "speeds = torch.arange(0, d, 2) / d * 10_000.0",
        ],
        "reshaped": [
            swap(
                "return table",
                "return torch.stack([angles.sin(), angles.cos()]).reshape(length, d)",
            ),
            swap(
                "return table", "return torch.cat([angles.sin(), angles.cos()]).reshape(length, d)"
            ),
            swap("return table", "return table.T.reshape(length, d)"),
        ],
        "sine_alone": ["table[:, 1::2] = angles.sin()", "return angles.sin()"],
        "table_turned": "return table.T",
        "degrees": "angles = (places * speeds).deg2rad()",
    },
)
def sinusoidal(length, d):
    places = torch.arange(length)[:, None]
    speeds = 10_000.0 ** -(torch.arange(0, d, 2) / d)
    angles = places * speeds
    table = torch.zeros(length, d)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles.cos()
    return table


notebook.predict(
    "rows 20 and 30",
    "For d = 512, rows 0 and 10 have the dot product 173.79. And rows 20 and 30?",
    form="a number",
    answer=173.79,
    within=0.01,
    why="They are 10 places apart, too, and the product depends on nothing else.",
    hint="How far apart are the two places, in either pair?",
    wrong=[
        (256, "So it is of a row with itself. How far apart are these two?"),
        (249.102, "So it is of two places side by side. How far apart are these two?"),
        (249.1, "So it is of two places side by side. How far apart are these two?"),
    ],
)

# ---------------------------------------------------------------- rotary positions


@notebook.function(
    "rotary(x, positions): x (..., tokens, d), each pair of neighbours turned by its place.",
    returns="turned",
    trains=True,
    cases=[
        Case("5 tokens of 6 numbers", wave(5, 6), torch.arange(5)),
        Case("one pair", wave(4, 2, seed=1), torch.arange(4)),
        Case("one token far on", wave(1, 4, seed=2), torch.tensor([21])),
        Case("places in another order", wave(3, 4, seed=3), torch.tensor([7, 2, 0])),
        Case("a batch with heads", wave(2, 3, 5, 4, seed=4), torch.arange(5)),
        Case("float64", wave(3, 6, seed=5).double(), torch.arange(3)),
    ],
    mistakes={
        "rotary_halves": (
            "a, b = x.chunk(2, dim=-1)",
            "return torch.cat([first, second], dim=-1)",
        ),
        "turned_back": "angles = -positions[:, None] * speeds",
        "no_turn": [
            "first = a * angles.cos() + b * angles.sin()",
            "second = a * angles.sin() - b * angles.cos()",
        ],
        "positions_ignored": "angles = torch.arange(x.shape[-2])[:, None] * speeds",
        "half_turned": "second = first * angles.sin() + b * angles.cos()",
        "laid_out_otherwise": "return torch.cat([first, second], dim=-1)",
        "position_added": "return x + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)",
        "one_speed": "speeds = torch.ones(d // 2)",
        "half_exponent": swap("/ d)", "/ (2 * d))"),
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


# ---------------------------------------------------------------- ALiBi


@notebook.function(
    "alibi(num_heads, tokens): the bias of every head, (num_heads, tokens, tokens).",
    returns="bias",
    cases=[
        Case("8 heads and 5 tokens", 8, 5),
        Case("4 heads", 4, 6),
        Case("2 heads and 2 tokens", 2, 2),
        Case("as many heads as tokens", 4, 4),
        Case("one head", 1, 3),
        Case("one token", 2, 1),
    ],
    mistakes={
        "bias_positive": swap("return -slopes", "return slopes"),
        "by_key_only": [
            "return slopes[:, None, None] * places.expand(tokens, tokens)",
            "steps = places.expand(tokens, tokens)",
        ],
        "future_rewarded": "steps = places[:, None] - places",
        "nothing_behind": [
            "steps = (places[:, None] - places).clamp(min=0)",
            "steps = (places - places[:, None]).clamp(min=0)",
        ],
        "first_slope_1": swap("torch.arange(1, num_heads + 1)", "torch.arange(num_heads)"),
        "fixed_slopes": "slopes = 2.0 ** -torch.arange(1, num_heads + 1)",
        "slopes_in_steps": [
            "slopes = torch.linspace(1 / 2, 1 / 256, num_heads)",
            "slopes = torch.arange(num_heads, 0, -1) / num_heads / 2",
        ],
        "one_slope": [
            "return -slopes[0].expand(num_heads, 1, 1) * steps",
            "return -slopes[0] * steps",
            "return -slopes[-1].expand(num_heads, 1, 1) * steps",
        ],
        "slopes_reversed": swap("-slopes[", "-slopes.flip(0)["),
        "heads_last": "return -steps[:, :, None] * slopes",
    },
)
def alibi(num_heads, tokens):
    slopes = 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)
    places = torch.arange(tokens)
    steps = (places[:, None] - places).abs()
    return -slopes[:, None, None] * steps
