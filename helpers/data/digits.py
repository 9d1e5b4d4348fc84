"""Digits drawn by code: small noisy pictures, as many as needed, with nothing to download."""

import torch

SIDE = 16  # pixels
NOISE = 0.2  # standard deviation
ROWS = (  # 0 to 9: five rows of three dots each, from the top
    "111 101 101 101 111",
    "010 110 010 010 111",
    "111 001 111 100 111",
    "111 001 111 001 111",
    "101 101 111 001 001",
    "111 100 111 001 111",
    "111 100 111 101 111",
    "111 001 001 001 001",
    "111 101 111 101 111",
    "111 101 111 001 111",
)


def shapes():
    """The ten digits without noise, (10, 10 pixels down, 6 across): 1.0 where there is ink."""
    dots = [[[float(dot) for dot in row] for row in digit.split()] for digit in ROWS]
    return torch.tensor(dots).repeat_interleave(2, dim=1).repeat_interleave(2, dim=2)


def sample(n):
    """n noisy pictures (n, 16, 16) of digits at one of nine positions, and the digits (n,).

    They are sampled with PyTorch's generator, so torch.manual_seed makes them reproducible.
    """
    digits, pictures = torch.randint(10, (n,)), NOISE * torch.randn(n, SIDE, SIDE)
    ink, places = shapes(), torch.randint(3, (n, 2)).tolist()
    for picture, digit, (down, across) in zip(pictures, digits, places):
        picture[2 + down : 12 + down, 4 + across : 10 + across] += ink[digit]
    return pictures, digits
