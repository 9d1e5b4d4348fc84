"""helpers.models.positions compared with the papers' formulas and with complex numbers."""

import cmath
import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import gap

from helpers.models.positions import rotary, sinusoidal


def wave(*shape, seed=0):
    """Values that are the same on every machine, and all different."""
    count = math.prod(shape)
    return torch.sin(torch.arange(count, dtype=torch.float64) * 1.7 + seed).view(shape)


# --- sinusoidal ---


def by_the_paper(p, j, d):
    """Vaswani et al. 2017, section 3.5: PE(pos, 2i) and PE(pos, 2i + 1), one value at a time."""
    angle = p / 10_000 ** (2 * (j // 2) / d)
    return math.cos(angle) if j % 2 else math.sin(angle)


@settings(deadline=None, max_examples=30)
@given(length=st.integers(1, 40), half=st.integers(1, 20))
def test_sinusoidal_is_the_papers_formula(length, half):
    d = 2 * half
    expected = [[by_the_paper(p, j, d) for j in range(d)] for p in range(length)]
    table = sinusoidal(length, d)
    assert table.dtype == torch.float32
    assert gap(table, torch.tensor(expected, dtype=torch.float64)) < 1e-7


# --- rotary ---


PAIR = {"pairs": lambda i, d: (2 * i, 2 * i + 1), "halves": lambda i, d: (i, i + d // 2)}


@pytest.mark.parametrize("layout", ["pairs", "halves"])
@pytest.mark.parametrize("tokens, d, base", [(1, 2, 10_000), (5, 6, 10_000), (9, 16, 500)])
def test_rotary_is_a_product_of_complex_numbers(layout, tokens, d, base):
    x, positions = wave(tokens, d), torch.arange(tokens) * 3 + 2
    expected = torch.empty_like(x)
    for t, i in itertools.product(range(tokens), range(d // 2)):
        a, b = PAIR[layout](i, d)
        turn = cmath.exp(1j * positions[t].item() * base ** (-2 * i / d))
        z = complex(x[t, a], x[t, b]) * turn
        expected[t, a], expected[t, b] = z.real, z.imag
    assert gap(rotary(x, positions, layout, base), expected) < 1e-12


def test_rotary_keeps_the_type_and_takes_positions_for_each_sentence():
    x = wave(2, 3, 5, 4)
    positions = torch.stack([torch.arange(5), torch.arange(5) + 7])[:, None]  # (batch, 1, tokens)
    turned = rotary(x, positions)
    for row in range(2):
        assert gap(turned[row], rotary(x[row], positions[row, 0])) == 0
    assert rotary(x.to(torch.bfloat16), torch.arange(5)).dtype == torch.bfloat16
    assert rotary(torch.zeros(2, 3, 4, device="meta"), torch.arange(3)).is_meta
    assert torch.autograd.gradcheck(lambda x: rotary(x, torch.arange(5)), x.requires_grad_())
    far = rotary(x.half(), torch.arange(5) + 4001)  # float16 cannot represent 4001
    assert gap(far, rotary(x, torch.arange(5) + 4001)) < 2e-3
