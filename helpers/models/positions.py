"""Ways to tell attention where a word stands, as notebook 8 teaches them.

    sinusoidal    a table of sines and cosines, added to the embeddings
    rotary        queries and keys turned by an angle that grows with the position (RoPE)
    alibi_slopes  what each head takes off a score for every step between query and key (ALiBi)

The first two turn pairs of numbers, pair i by `speeds(d)[i]` radians for each position. The first pair
is the fastest, one radian a position; the last is nearly 10,000 times as slow.

Position 0 is the first position.
"""

import torch

from .. import _

LAYOUTS = ("pairs", "halves")


def speeds(d, base=10_000.0):
    """How far each pair of d numbers turns from one position to the next: (d / 2,), in radians.

    Pair i, from 0, turns by base^(-2i/d). float64, so that far positions keep their digits.
    Raises ValueError if d is odd.
    Source: Vaswani et al. 2017, section 3.5 (the constants of its sines, as angles).
    """
    if d % 2:
        text = _("d={d} is odd, but sin and cos come in pairs; pass {less} or {more}")
        raise ValueError(text.format(d=d, less=d - 1, more=d + 1))
    return base ** -(torch.arange(0, d, 2, dtype=torch.float64) / d)


def sinusoidal(length, d):
    """The table that is added to embeddings of d numbers: (length, d), a row for each position.

    Row p holds sin and cos of p * speeds(d), interleaved: sin of the first pair, cos of the first
    pair, sin of the second, and so on. Between -1 and 1, in PyTorch's default type; computed in
    float64. Some libraries put all sines first: the same numbers in another order.
    Raises ValueError if d is odd.
    Source: Vaswani et al. 2017, section 3.5.
    """
    angles = torch.arange(length)[:, None] * speeds(d)  # (length, d / 2)
    table = torch.stack([angles.sin(), angles.cos()], dim=-1)  # (length, d / 2, 2)
    return table.flatten(-2).to(torch.get_default_dtype())  # (length, d)


def rotary(x, positions, layout="pairs", base=10_000.0):
    """Turn every pair of numbers of a query or key by an angle that grows with its position.

    x          (..., tokens, d), d even: queries or keys, of one head if there are several
    positions  (tokens,), or (..., tokens) that fits the sizes of x: the position of each token, so
               that one token alone, or a padded sentence, can be told where it stands
    layout     which numbers make a pair. "pairs": neighbours, (0, 1), (2, 3), ... as in the paper
               and GPT-J. "halves": (0, d/2), (1, d/2 + 1), ... as in LLaMA and GPT-NeoX. Weights
               trained with one do not fit the other.
    base       10,000 in the paper; larger turns more slowly, for longer texts

    Returns x turned, of its shape and type; the lengths of its vectors are kept. A query at position m
    and a key at position n then have a dot product that depends on m - n alone.
    Raises ValueError if d is odd, or positions or layout do not fit.
    Source: Su et al. 2021, "RoFormer", section 3.2.2; computed as in its section 3.4.2.
    """
    if layout not in LAYOUTS:
        raise ValueError(_("rotary: layout={layout!r}; pass 'pairs' or 'halves'", layout=layout))
    if positions.shape[-1:] != x.shape[-2:-1]:  # a single position would serve all, unasked
        text = _(
            "rotary: positions has shape {shape}, x {x}; "
            "pass one position for each token, such as torch.arange({tokens})"
        )
        shapes = {"shape": tuple(positions.shape), "x": tuple(x.shape), "tokens": x.shape[-2]}
        raise ValueError(text.format(**shapes))
    wide = torch.promote_types(x.dtype, torch.float32)  # float16 cannot count the positions
    speed = speeds(x.shape[-1], base).to(x.device, wide)  # (d / 2,)
    angles = positions.to(x.device, wide)[..., None] * speed  # (tokens, d / 2)
    if layout == "pairs":
        a, b = x[..., 0::2], x[..., 1::2]
    else:
        a, b = x.chunk(2, dim=-1)
    turned = [a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()]
    if layout == "pairs":
        return torch.stack(turned, dim=-1).flatten(-2).to(x.dtype)
    return torch.cat(turned, dim=-1).to(x.dtype)


def alibi_slopes(num_heads):
    """What each head takes off a score for every step between query and key: (num_heads,).

    For 8 heads 1/2, 1/4, ... 1/256; for n heads, n a power of two, the powers of 2^(-8/n). For other
    n: those of the power of two below, then every second one of twice as many heads. In PyTorch's
    default type. The bias of a head is -slope * (steps from query to key), added to its scores.
    Source: Press et al. 2022, "Train Short, Test Long" (ALiBi), section 3; for n that is no power
    of two, the code that its authors published with it.
    """
    below = 1 << (num_heads.bit_length() - 1)  # the largest power of two up to num_heads
    between = _geometric(2 * below)[0::2]  # they lie between those of `below`
    return torch.cat([_geometric(below), between[: num_heads - below]])


def _geometric(n):
    """2^(-8/n), its square, its cube ... down to 2^-8: (n,)."""
    powers = -8 * torch.arange(1, n + 1, dtype=torch.float64) / n
    return (2.0**powers).to(torch.get_default_dtype())
