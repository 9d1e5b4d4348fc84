"""Answers to the exercises of notebook 8, as learners write them."""

import itertools
import math
import random

import numpy as np
import torch

from helpers.models import positions

# ---------------------------------------------------------------- a test for order


def order_by_every_permutation(layer, x):
    before = layer(x)
    for order in itertools.permutations(range(x.shape[1])):
        order = list(order)
        if not torch.allclose(layer(x[:, order]), before[:, order], atol=1e-5):
            return True
    return False


def order_by_many_random_shuffles(layer, x):
    before = layer(x)
    for _ in range(40):
        order = torch.randperm(x.shape[1])
        if (layer(x[:, order]) - before[:, order]).abs().max() > 1e-5:
            return True
    return False


def order_by_every_pair(layer, x):
    before, worst = layer(x), 0.0
    for i, j in itertools.combinations(range(x.shape[1]), 2):
        swapped = x.clone()
        swapped[:, i], swapped[:, j] = x[:, j], x[:, i]
        after = layer(swapped)
        back = after.clone()
        back[:, i], back[:, j] = after[:, j], after[:, i]
        worst = max(worst, (back - before).abs().max().item())
    return worst > 1e-5


def order_in_numpy(layer, x):
    answers = []
    with torch.no_grad():
        before = layer(x).numpy()
        for t in range(x.shape[1] - 1):
            order = np.arange(x.shape[1])
            order[[t, t + 1]] = order[[t + 1, t]]
            after = layer(torch.from_numpy(x.numpy()[:, order])).numpy()
            answers.append(not np.allclose(after, before[:, order], atol=1e-6))
    return np.any(answers)


def order_by_sorting_back(layer, x):
    """The shuffled outputs, put back where they were."""
    before, moved = layer(x), []
    for t in range(x.shape[1] - 1):
        order = torch.arange(x.shape[1])
        order[t], order[t + 1] = t + 1, t
        back = layer(x[:, order])[:, order.argsort()]
        moved.append((back - before).abs().max() > 1e-6)
    return torch.stack(moved).any()


def order_of_neighbours_that_survive(layer, x):
    """Says no as soon as one swap is survived."""
    for t in range(x.shape[1] - 1):
        order = list(range(x.shape[1]))
        order[t], order[t + 1] = t + 1, t
        if torch.allclose(layer(x[:, order]), layer(x)[:, order], atol=1e-6):
            return False
    return True


def order_by_cutting(layer, x):
    """A test for looking ahead, in truth."""
    return not torch.allclose(layer(x[:, :3]), layer(x)[:, :3], atol=1e-6)


# ---------------------------------------------------------------- sinusoidal


def table_by_loop(length, d):
    rows = []
    for p in range(length):
        row = []
        for i in range(d // 2):
            angle = p / 10_000 ** (2 * i / d)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return rows


def table_by_exp_and_log(length, d):
    places = torch.arange(length).unsqueeze(1)
    speeds = torch.exp(torch.arange(0, d, 2) * (-math.log(10_000.0) / d))
    table = torch.zeros(length, d)
    table[:, 0::2] = torch.sin(places * speeds)
    table[:, 1::2] = torch.cos(places * speeds)
    return table


def table_numpy(length, d):
    angles = np.arange(length)[:, None] / np.power(10_000, 2 * (np.arange(d) // 2) / d)
    angles[:, 0::2], angles[:, 1::2] = np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2])
    return angles


def table_of_complex_numbers(length, d):
    angles = torch.outer(torch.arange(length).double(), positions.speeds(d))
    turns = torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turns).flip(-1).flatten(1).float()


def table_by_stacking(length, d):
    angles = torch.arange(length)[:, None] * 10_000 ** (-torch.arange(0, d, 2) / d)
    return torch.dstack([angles.sin(), angles.cos()]).reshape(length, d)


# ---------------------------------------------------------------- rotary


def rotary_by_complex_numbers(x, positions):
    d = x.shape[-1]
    angles = torch.outer(positions.float(), 10_000 ** (-torch.arange(0, d, 2) / d))
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], d // 2, 2))
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


def rotary_by_partner(x, positions):
    """x cos + partner sin, where the partner of (a, b) is (-b, a)."""
    d = x.shape[-1]
    angles = positions[:, None] * 10_000 ** (-torch.arange(0, d, 2) / d)
    angles = angles.repeat_interleave(2, dim=-1)
    partner = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).reshape(x.shape)
    return x * angles.cos() + partner * angles.sin()


def rotary_by_filling(x, positions):
    turned = torch.empty_like(x)
    for i in range(x.shape[-1] // 2):
        angle = positions * 10_000 ** (-2 * i / x.shape[-1])
        a, b = x[..., 2 * i], x[..., 2 * i + 1]
        turned[..., 2 * i] = a * angle.cos() - b * angle.sin()
        turned[..., 2 * i + 1] = a * angle.sin() + b * angle.cos()
    return turned


def rotary_by_matrices(x, positions):
    d = x.shape[-1]
    rows = []
    for t, p in enumerate(positions.tolist()):
        angles = [p * 10_000 ** (-2 * i / d) for i in range(d // 2)]
        blocks = [
            torch.tensor([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]]) for a in angles
        ]
        rows.append(x[..., t, :] @ torch.block_diag(*blocks).T.to(x.dtype))
    return torch.stack(rows, dim=-2)


def rotary_back(x, positions):
    """Turned by minus the place, and the places counted down: neither mends the other."""
    return positions_turned(x, positions.max() - positions)


def positions_turned(x, places):
    return positions.rotary(x, places)


# ---------------------------------------------------------------- ALiBi


def alibi_by_loop(num_heads, tokens):
    bias = torch.zeros(num_heads, tokens, tokens)
    for h in range(num_heads):
        for i in range(tokens):
            for j in range(tokens):
                bias[h, i, j] = -abs(i - j) * 2 ** (-8 / num_heads * (h + 1))
    return bias


def alibi_by_ratio(num_heads, tokens):
    ratio = 2 ** (-8 / num_heads)
    slopes = torch.tensor([ratio**n for n in range(1, num_heads + 1)])
    steps = torch.tril(torch.arange(tokens)[:, None] - torch.arange(tokens))
    return -(steps + steps.T) * slopes.view(-1, 1, 1)


def alibi_numpy(num_heads, tokens):
    slopes = 0.5 ** (8 / num_heads * np.arange(1, num_heads + 1))
    steps = np.abs(np.subtract.outer(np.arange(tokens), np.arange(tokens)))
    return -np.multiply.outer(slopes, steps)


RIGHT = {
    "knows_order": [
        order_by_every_permutation,
        order_by_many_random_shuffles,
        order_by_every_pair,
        order_in_numpy,
        order_by_sorting_back,
    ],
    "sinusoidal": [
        positions.sinusoidal,
        table_by_loop,
        table_by_exp_and_log,
        table_numpy,
        table_of_complex_numbers,
        table_by_stacking,
    ],
    "rotary": [
        positions.rotary,
        rotary_by_complex_numbers,
        rotary_by_partner,
        rotary_by_filling,
        rotary_by_matrices,
    ],
    "alibi": [
        lambda num_heads, tokens: (
            -positions.alibi_slopes(num_heads)[:, None, None]
            * torch.arange(tokens).sub(torch.arange(tokens)[:, None]).abs()
        ),
        alibi_by_loop,
        alibi_by_ratio,
        alibi_numpy,
        lambda num_heads, tokens: torch.einsum(
            "h,ij->hij",
            -torch.logspace(-8 / num_heads, -8, num_heads, base=2),
            torch.cdist(
                torch.arange(tokens)[:, None].float(), torch.arange(tokens)[:, None].float()
            ),
        ),
    ],
}


UNKNOWN = {
    "knows_order": [
        order_of_neighbours_that_survive,
        order_by_cutting,
        lambda layer, x: type(layer).__name__.startswith("S"),
        lambda layer, x: hasattr(layer, "table"),
    ],
    "sinusoidal": [
        lambda length, d: torch.eye(length, d),
        lambda length, d: positions.sinusoidal(length, d).flip(0),
        lambda length, d: positions.sinusoidal(length, d) / d**0.5,
        lambda length, d: positions.sinusoidal(length, d).square(),
    ],
    "rotary": [
        rotary_back,
        lambda x, places: x * places[:, None].cos(),
        lambda x, places: positions.rotary(x, 2 * places),
        lambda x, places: positions.rotary(x, places) / x.shape[-1] ** 0.5,
    ],
    "alibi": [
        lambda num_heads, tokens: -torch.ones(num_heads, tokens, tokens).cumsum(-1),
        lambda num_heads, tokens: alibi_by_loop(num_heads, tokens) ** 2,
        lambda num_heads, tokens: alibi_by_loop(num_heads, tokens).tril() - 1,
        lambda num_heads, tokens: alibi_by_loop(num_heads, tokens).softmax(dim=-1),
    ],
}


def one_random_order(layer, x):
    order = random.Random(4).sample(range(x.shape[1]), x.shape[1])
    return not torch.allclose(layer(x[:, order]), layer(x), atol=1e-6)


OTHER_WORDS = [
    ("knows_order", lambda layer, x: False, "never_shuffled"),
    ("knows_order", one_random_order, "outputs_not_shuffled"),
    (
        "knows_order",
        lambda layer, x: not torch.allclose(layer(x.flip(1)).flip(1), layer(x), atol=1e-6),
        "reversed_only",
    ),
    (
        "knows_order",
        lambda layer, x: bool((layer(x.roll(2, 1)) - layer(x).roll(2, 1)).abs().max() > 1e-5),
        "rolled_only",
    ),
    (
        "sinusoidal",
        lambda n, d: torch.hstack([torch.tensor(table_by_loop(n, d))[:, i::2] for i in (0, 1)]),
        "sines_first",
    ),
    ("sinusoidal", lambda n, d: table_by_exp_and_log(n + 1, d)[1:], "places_from_1"),
    ("rotary", lambda x, places: positions.rotary(x, places, "halves"), "rotary_halves"),
    ("rotary", lambda x, places: positions.rotary(x, -places), "turned_back"),
    ("alibi", lambda h, n: -alibi_by_loop(h, n), "bias_positive"),
    ("alibi", lambda h, n: alibi_by_loop(h, n).permute(1, 2, 0), "heads_last"),
]
