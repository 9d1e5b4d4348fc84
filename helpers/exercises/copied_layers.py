"""What weights are copied from and into, in notebook 2: the same three matrices in two layouts."""

from torch import nn

from ..judge.exercise import wave

NAMES = ("W_query", "W_key", "W_value")


class FromParameters(nn.Module):
    """Three projections as nn.Parameter, each (d_in, d_out)."""

    def __init__(self, d_in, d_out):
        super().__init__()
        for i, name in enumerate(NAMES):
            setattr(self, name, nn.Parameter(wave(d_in, d_out, seed=i)))


class ToLinear(nn.Module):
    """Three projections as nn.Linear, which keeps its weight as (d_out, d_in)."""

    def __init__(self, d_in, d_out):
        super().__init__()
        for i, name in enumerate(NAMES):
            linear = nn.Linear(d_in, d_out, bias=False)
            linear.weight = nn.Parameter(wave(d_out, d_in, seed=i + 20))
            setattr(self, name, linear)
