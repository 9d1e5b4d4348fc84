"""Position encodings, which tell attention where a token stands, as notebook 8 teaches them.

    sinusoidal    a table of sines and cosines, added to the embeddings
    rotary        rotates queries and keys by an angle that grows with the position (RoPE)

Both work on pairs of dimensions: from one position to the next, the angle of pair i grows
by `speeds(d)[i]` radians. The first pair is the fastest, with one radian per position, and the last
pair is nearly 10,000 times as slow. Positions count from 0.
"""

import torch

from .. import _


def speeds(d, base=10_000.0):
    """The angle by which each pair of d dimensions rotates per position: (d / 2,), in radians.

    Pair i, counted from 0, rotates by base^(-2i/d). The angles are float64, so that positions far
    into a text stay precise.
    Raises ValueError if d is odd.
    Source: Vaswani et al. 2017, section 3.5 (the constants of its sines, read as angles).
    """
    if d % 2:
        text = _("d={d} is odd, but sin and cos come in pairs; pass {less} or {more}")
        raise ValueError(text.format(d=d, less=d - 1, more=d + 1))
    return base ** -(torch.arange(0, d, 2, dtype=torch.float64) / d)


def sinusoidal(length, d):
    """The table that is added to embeddings of d dimensions: (length, d), a row for each position.

    Row p holds sin and cos of p * speeds(d), interleaved: sin of the first pair, cos of the first
    pair, sin of the second, and so on. The entries lie between -1 and 1; they are computed in
    float64 and returned in PyTorch's default type. Some libraries put all the sines first, which
    gives the same entries in another order.
    Raises ValueError if d is odd.
    Source: Vaswani et al. 2017, section 3.5.
    """
    angles = torch.arange(length)[:, None] * speeds(d)  # (length, d / 2)
    table = torch.stack([angles.sin(), angles.cos()], dim=-1)  # (length, d / 2, 2)
    return table.flatten(-2).to(torch.get_default_dtype())  # (length, d)


def rotary(x, positions, layout="pairs", base=10_000.0):
    """Rotate every pair of dimensions of a query or key by an angle that grows with its position.

    x          (..., tokens, d), d even: queries or keys; with several heads, d is one head's size
    positions  (tokens,), or (..., tokens) that broadcasts to x: the position of each token. It is
               an argument because a single new token, or a padded sequence, need not start at 0.
    layout     which dimensions make a pair. "pairs": neighbours, (0, 1), (2, 3), ... as in the
               paper and GPT-J. "halves": (0, d/2), (1, d/2 + 1), ... as in LLaMA and GPT-NeoX.
               Weights trained with one layout do not work with the other.
    base       10,000 in the paper; a larger base rotates more slowly, for longer texts

    Returns x rotated, with the same shape and dtype; the lengths of its vectors do not change. The
    dot product of a query at position m and a key at position n then depends on m and n only
    through m - n.
    Raises ValueError if d is odd, or if positions or layout do not fit.
    Source: Su et al. 2021, "RoFormer", section 3.2.2; computed as in its section 3.4.2.
    """
    if layout not in ("pairs", "halves"):
        raise ValueError(_("rotary: layout={layout!r}; pass 'pairs' or 'halves'", layout=layout))
    if positions.shape[-1:] != x.shape[-2:-1]:  # one position would broadcast
        text = _(
            "rotary: positions has shape {shape}, x {x}; "
            "pass one position for each token, such as torch.arange({tokens})"
        )
        shapes = {"shape": tuple(positions.shape), "x": tuple(x.shape), "tokens": x.shape[-2]}
        raise ValueError(text.format(**shapes))
    wide = torch.promote_types(x.dtype, torch.float32)  # float16 is too coarse for angles
    speed = speeds(x.shape[-1], base).to(x.device, wide)  # (d / 2,)
    angles = positions.to(x.device, wide)[..., None] * speed  # (tokens, d / 2)
    if layout == "pairs":
        a, b = x[..., 0::2], x[..., 1::2]
    else:
        a, b = x.chunk(2, dim=-1)
    cos, sin = angles.cos(), angles.sin()
    rotated = [a * cos - b * sin, a * sin + b * cos]
    if layout == "pairs":
        return torch.stack(rotated, dim=-1).flatten(-2).to(x.dtype)
    return torch.cat(rotated, dim=-1).to(x.dtype)
