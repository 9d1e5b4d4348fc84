"""Wrong answers to the exercises on dropout alone, one known mistake in each.

The line that makes the mistake stands above a comment with the line that mends it; a mend with
nothing in it means: leave the line out. pitfalls.py says what each mistake is called.
"""

import torch
from torch import nn
from torch.nn import functional as F

# ---------------------------------------------------------------- as a function


def dropout_not_scaled(weights, p):
    return weights * (torch.rand_like(weights) >= p)
    # mend: return weights * (torch.rand_like(weights) >= p) / (1 - p)


def dropout_shrunk(weights, p):
    return weights * (torch.rand_like(weights) >= p) * (1 - p)
    # mend: return weights * (torch.rand_like(weights) >= p) / (1 - p)


def dropout_by_p(weights, p):
    return weights * (torch.rand_like(weights) >= p) / (p or 1)
    # mend: return weights * (torch.rand_like(weights) >= p) / (1 - p)


def dropout_keeps_p(weights, p):
    return weights * (torch.rand_like(weights) < p) / (1 - p)
    # mend: return weights * (torch.rand_like(weights) >= p) / (1 - p)


def dropout_keeps_p_by_p(weights, p):
    return weights * (torch.rand_like(weights) < p) / (p or 1)
    # mend: return weights * (torch.rand_like(weights) >= p) / (1 - p)


def dropout_normal(weights, p):
    return weights * (torch.randn_like(weights) >= p) / (1 - p)
    # mend: return weights * (torch.rand_like(weights) >= p) / (1 - p)


def dropout_same_draw(weights, p):
    torch.manual_seed(123)
    # mend:
    return weights * (torch.rand_like(weights) >= p) / (1 - p)


def dropout_by_row(weights, p):
    keep = torch.rand(len(weights), 1) >= p
    # mend: keep = torch.rand_like(weights) >= p
    return weights * keep / (1 - p)


def dropout_by_column(weights, p):
    keep = torch.rand(weights.shape[-1]) >= p
    # mend: keep = torch.rand_like(weights) >= p
    return weights * keep / (1 - p)


def dropout_renormalised(weights, p):
    kept = weights * (torch.rand_like(weights) >= p)
    return kept / kept.sum(dim=-1, keepdim=True)
    # mend: return kept / (1 - p)


def dropout_in_place(weights, p):
    weights *= torch.rand_like(weights) >= p
    # mend: weights = weights * (torch.rand_like(weights) >= p)
    return weights / (1 - p)


def dropout_nothing(weights, p):
    return F.dropout(weights, p, training=False)
    # mend: return F.dropout(weights, p)


def dropout_detached(weights, p):
    return weights.detach() * (torch.rand_like(weights) >= p) / (1 - p)
    # mend: return weights * (torch.rand_like(weights) >= p) / (1 - p)


# ---------------------------------------------------------------- as a module


class ModuleDropsInUse(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, weights):
        return F.dropout(weights, self.p)
        # mend: return F.dropout(weights, self.p, self.training)


class ModuleTurnedRound(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, weights):
        return F.dropout(weights, self.p, not self.training)
        # mend: return F.dropout(weights, self.p, self.training)


class ModuleNeverDrops(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, weights):
        return F.dropout(weights, self.p, training=False)
        # mend: return F.dropout(weights, self.p, training=self.training)


class ModuleNotScaled(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, weights):
        if not self.training:
            return weights
        return weights * (torch.rand_like(weights) >= self.p)
        # mend: return weights * (torch.rand_like(weights) >= self.p) / (1 - self.p)


class ModuleScaledInUse(nn.Module):
    """As dropout was first published: nothing is made larger, and all is shrunk in use."""

    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, weights):
        keep = torch.rand_like(weights) >= self.p
        return weights * keep if self.training else weights * (1 - self.p)
        # mend: return weights * keep / (1 - self.p) if self.training else weights


class ModuleKeepsP(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, weights):
        if not self.training:
            return weights
        return weights * (torch.rand_like(weights) < self.p) / (1 - self.p)
        # mend: return weights * (torch.rand_like(weights) >= self.p) / (1 - self.p)


class ModuleSameDraw(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, weights):
        if not self.training:
            return weights
        generator = torch.Generator().manual_seed(123)
        # mend: generator = None
        keep = torch.rand(weights.shape, generator=generator) >= self.p
        return weights * keep / (1 - self.p)
