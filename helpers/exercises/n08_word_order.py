"""The exercises and predictions of notebook 8: word order."""

import itertools

import torch

from .. import _
from ..judge.exercise import Case, wave
from ..models.attention import SelfAttention
from . import ordered_layers
from .notebook import Notebook
from .small_models import filled

notebook = Notebook(__name__)


def by_every_order(layer, x):
    before, orders = layer(x), itertools.permutations(range(x.shape[1]))
    pairs = [(layer(x[:, order]), before[:, order]) for order in map(list, orders)]
    return not all(torch.allclose(after, moved, atol=1e-6) for after, moved in pairs)


@notebook.ask(
    _("knows_order(layer, x): True if the order of the tokens makes a difference to the layer."),
    returns="answer",
    wanted="bool",
    cases=lambda: [
        *(
            Case(shown.format(layer=says), layer, x, how=ordered_layers.way_to_ask(says))
            for x, shown in (
                (wave(2, 4, 6, seed=3), "{layer}"),
                (wave(2, 2, 6, seed=3), _("{layer} (over two tokens)")),
            )
            for says, layer in ordered_layers.layers(x).items()
            if says in ordered_layers.ONE_POSITION or x.shape[1] == 4
        ),
        # Two tokens have one other order, a swap, which undoes itself.
        Case(_("self-attention over two tokens"), filled(SelfAttention(6, 5)), wave(2, 2, 6)),
    ],
    also=[by_every_order],
    reread="The same words in another order",
    mistakes={
        "never_shuffled": "after = layer(x[:, order]) → after = layer(x)[:, order]",
        "outputs_not_shuffled": """before[:, order], atol → before, atol
            or all(torch.allclose(after, moved, atol=1e-6) for after, moved in pairs)
                → torch.allclose(layer(x.flip(1)), before)""",
        "shuffled_twice": """layer(x[:, order]), before[:, order]) → layer(x[:, order])[:, order], before)
            or itertools.permutations(range(x.shape[1]))
                → [[*range(t, x.shape[1]), *range(t)] for t in range(x.shape[1])]
            layer(x[:, order]), before[:, order]) → layer(x[:, order])[:, order], before)""",
        "reversed_only": "itertools.permutations(range(x.shape[1])) → [reversed(range(x.shape[1]))]",
        "rolled_only": "itertools.permutations(range(x.shape[1])) → [[*range(1, x.shape[1]), 0]]",
        "one_shuffle": """itertools.permutations(range(x.shape[1])) → [torch.randperm(x.shape[1])]
            or itertools.permutations(range(x.shape[1]))
                → [torch.randperm(x.shape[1]) for _ in range(10)]""",
        "one_swap": """for t in range(x.shape[1] - 1): → for t in [0]:
            or for t in range(x.shape[1] - 1): → for t in [x.shape[1] - 2]:
            or for t in range(x.shape[1] - 1): → for t in range(0, x.shape[1] - 1, 2):""",
        "answer_inverted": """not torch → torch
            or return not all → return all
            or return not all → return all
            itertools.permutations(range(x.shape[1])) → [torch.randperm(x.shape[1])]
            or return not all → return all
            itertools.permutations(range(x.shape[1])) → [reversed(range(x.shape[1]))]""",
        "too_exact": """allclose(after, before[:, order], atol=1e-6) → equal(after, before[:, order])
            or before[:, order], atol=1e-6 → before[:, order]""",
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
        "sines_first": "arange(d) → arange(d).view(-1, 2).T.flatten()",
        "own_speeds": """columns // 2 * 2 / d → columns / d
            or columns // 2 * 2 / d → 2 * columns / d""",
        "exponent_doubled": "2) / d → 2) * 2 / d",
        "half_exponent": "columns // 2 * 2 → columns // 2",
        "speeds_upside_down": "None] / 10 → None] * 10",
        "other_base": "10_000.0 ** -( → 1_000.0 ** -(",
        "no_power": """10_000.0 ** → 10_000.0 *
            or 10_000.0 ** -(torch.arange(0, d, 2) / d) → torch.arange(0, d, 2) / d / 10_000.0""",
        "reshaped": "return table → return torch.stack([angles.sin(), angles.cos()]).view(-1, d)",
        "sines_for_cosines": """table[:, 0::2] = angles.sin() → table[:, 0::2] = angles.cos()
            table[:, 1::2] = angles.cos() → table[:, 1::2] = angles.sin()""",
        "positions_from_1": "arange(length) → arange(1, length + 1)",
        "sine_alone": """table[:, 1::2] = angles.cos() → table[:, 1::2] = angles.sin()
            or table[:, 1::2] = angles.cos() →
            or return table → return angles.sin()""",
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
    _("For d = 512, the dot product of rows 0 and 10 is 173.79. What is that of rows 20 and 30?"),
    form=_("a number"),
    answer=173.79,
    within=0.5,  # 174 is accepted, too
    why=_("They are also 10 positions apart, and the dot product depends on nothing else."),
    hint=_("How far apart are rows 0 and 10? How far apart are rows 20 and 30?"),
    wrong=[
        (256, _("This is the product of a row with itself. How far apart are rows 20 and 30?")),
        (249.1, _("This is the product of two neighbours. How far apart are rows 20 and 30?")),
    ],
)


@notebook.ask(
    _("rotary(x, positions): x (..., tokens, d), each pair of neighbours rotated by its position."),
    returns="turned",
    cases=[
        Case(_("5 tokens of 6 numbers"), wave(5, 6), torch.arange(5)),
        Case(_("positions in another order"), wave(3, 4, seed=3), torch.tensor([7, 2, 0])),
        Case(_("a batch with heads"), wave(2, 3, 5, 4, seed=4), torch.arange(5)),
    ],
    reread="Rotate, and add nothing",
    mistakes={
        "rotary_halves": """a, b = x[..., 0::2], x[..., 1::2] → a, b = x.chunk(2, dim=-1)
            stack([first, second], dim=-1).flatten(-2) → cat([first, second], dim=-1)""",
        "turned_back": "angles = positions → angles = -positions",
        "mirrored": """cos() - b → cos() + b
            sin() + b → sin() - b""",
        "one_sign": """cos() - b → cos() + b
            or sin() + b → sin() - b""",
        "positions_ignored": "positions[ → torch.arange(x.shape[-2])[",
        "laid_out_otherwise": "stack([first, second], dim=-1).flatten(-2) → cat([first, second], dim=-1)",
        "sines_for_cosines": """cos() - b * angles.sin → sin() - b * angles.cos
            sin() + b * angles.cos → cos() + b * angles.sin""",
        "changed_too_early": "second = a → second = first",
        "one_speed": "10_000.0 ** -(torch.arange(0, d, 2) / d) → torch.ones(d // 2)",
        "exponent_doubled": "2) / d → 2) * 2 / d",
        "half_exponent": "arange(0, d, 2) → arange(d // 2)",
        "speeds_upside_down": "** -( → ** (",
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
        Case(_("16 heads"), 16, 3),
    ],
    reread="ALiBi: a penalty for distance",
    mistakes={
        "bias_positive": "return -slopes → return slopes",
        "future_rewarded": "(positions[:, None] - positions).abs() → positions[:, None] - positions",
        "nothing_behind": "abs() → clamp(min=0)",
        "first_slope_1": """torch.arange(1, num_heads + 1) → torch.arange(num_heads)
            or 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)
                → 2.0 ** -torch.arange(num_heads)""",
        "fixed_slopes": """2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)
                → 2.0 ** -torch.arange(1, num_heads + 1)""",
    },
)
def alibi(num_heads, tokens):
    slopes = 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)
    positions = torch.arange(tokens)
    steps = (positions[:, None] - positions).abs()
    return -slopes[:, None, None] * steps
