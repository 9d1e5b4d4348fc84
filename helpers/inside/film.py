"""All maps of a model as one buffer for the browser, and what it is told of them.

Up to EXACT_BYTES the weights travel as float32, as the model gave them. More are rounded to ten-thousandths,
two bytes each: the error is 0.00005 at most, and the four decimals of the read-out are those of the
model. One byte each (an error of 1/510) would be half as large, but most weights of 128 tokens are
below that.
"""

from dataclasses import dataclass

import numpy as np

from ..pictures.labels import TABLE_CELLS, TABLE_SIDE, Panel
from ..pictures.offers import PALE
from ..pictures.roles import DASHES, ROLES, SERIES
from .maps import some


def many(n, w):
    return f"{n:,} {w}s"


EXACT_BYTES = 4_000_000
MAX_BYTES = 32_000_000
UNIT = 1e-4
HIDDEN = 65_535  # of a rounded weight
LARGEST = 6.0  # a weight that can be rounded
ROLE = ROLES["weights"]
ALMOST_ALL = 0.99  # of the weights: a closer scale ends where these do


@dataclass(frozen=True)
class Group:
    """Maps that share their labels: those of one stack of layers, in calls of one size."""

    title: str
    rows: list
    columns: list
    masked: bool
    largest: float  # at least ALMOST_ALL of its weights are below

    @property
    def shape(self):
        return len(self.rows), len(self.columns)


class Film:
    """The maps of some layers, packed.

    layers   Layer, as layers_of gives them
    tokens   Tokens

    Raises ValueError where tokens do not fit, or the maps weigh more than MAX_BYTES.
    """

    def __init__(self, layers, tokens):
        self.layers = layers
        steps = {}  # of each layer, how many queries it had in each
        for layer in layers:
            steps.setdefault(layer.name, []).append(len(layer.average))
        labelled = [tokens.beside(x, steps[x.name]) for x in layers]
        self.groups, self.group_of = _groups(layers, labelled)
        count = sum(a.size for layer in layers for a in layer.maps)
        self.exact = 4 * count <= EXACT_BYTES or not _can_be_rounded(layers)
        self._check_size(count)
        self.bytes = b"".join(self._packed(a).tobytes() for x in layers for a in x.maps)

    def _check_size(self, count):
        if count * (4 if self.exact else 2) <= MAX_BYTES:
            return
        large = max(self.layers, key=lambda layer: layer.weights.size)
        each = large.average.size * (4 if self.exact else 2)
        fit = MAX_BYTES // (each * (len(large.weights) + 3))
        names = list(dict.fromkeys(layer.name for layer in self.layers))
        if fit:
            advice = f"Pick up to {fit} layers: layers=[{names[0]!r}, …]; they are {some(names)}."
        elif (heads := MAX_BYTES // each - 3) > 0:
            advice = (
                f"Pick one layer and up to {heads} of its heads: layers={names[0]!r}, heads=[0]."
            )
        else:
            advice = "One map alone is too large: take fewer tokens."
        raise ValueError(
            f"{many(len(names), 'layer')} of {many(len(large.weights), 'head')}, {large.average.shape[0]} × "
            f"{large.average.shape[1]} weights each: {count:,} in all would make the page slow; "
            f"{MAX_BYTES // 2:,} are the most. {advice}"
        )

    def _packed(self, a):
        if self.exact:
            return np.ascontiguousarray(a, np.float32)
        exact = np.nan_to_num(a).astype(np.float64)
        return np.where(np.isnan(a), HIDDEN, np.floor(exact / UNIT + 0.5)).astype(np.uint16)

    def map(self, i, index):
        """One map of the i-th layer as the browser shows it: float32, NaN where hidden."""
        packed = self._packed(self.layers[i].maps[index])
        if self.exact:
            return packed
        return np.where(packed == HIDDEN, np.nan, packed * UNIT).astype(np.float32)

    def panel(self, i, view):
        """The Panel of the i-th layer's maps."""
        group = self.groups[self.group_of[i]]
        panel = Panel(
            "weights", "weights", group.shape, group.rows, group.columns, ROLE.limit, ROLE.reads
        )
        return Panel(**vars(panel) | {"view": view if panel.can_be_lines else "table"})

    def spec(self):
        """What the browser is told, apart from the numbers: what JSON can hold."""
        told, at = [], 0
        for layer, group in zip(self.layers, self.group_of):
            told.append(
                {
                    "name": layer.name,
                    "kind": layer.kind,
                    "group": group,
                    "at": at,  # where its first map begins, in weights
                    "heads": layer.heads,
                    "rollout": layer.rollout if isinstance(layer.rollout, str) else None,
                }
            )
            at += sum(a.size for a in layer.maps)
        return {
            "maps": told,
            "groups": [vars(group) | {"offer": _offer(group)} for group in self.groups],
            "unit": 0 if self.exact else UNIT,
            "table": {"side": TABLE_SIDE, "cells": TABLE_CELLS},
            "low": ROLE.low,
            "high": ROLE.high,
            "limit": ROLE.limit,
            "reads": ROLE.reads,
            "series": SERIES,
            "dashes": [" ".join(map(str, dashes)) for dashes in DASHES],
        }


def _can_be_rounded(layers):
    ends = [(np.nanmin(x.weights), np.nanmax(x.weights)) for x in layers]
    return all(low >= 0 and high < LARGEST for low, high in ends)


def _groups(layers, labelled):
    """(Groups, which of them each layer is in)."""
    found, members = {}, []
    for layer, (rows, columns) in zip(layers, labelled):
        key = (layer.stack, tuple(rows), tuple(columns))
        members.append(found.setdefault(key, len(found)))
    groups = []
    for number, ((name, kind), rows, columns) in enumerate(found):
        mine = [x for x, group in zip(layers, members) if group == number]
        weights = np.concatenate([x.weights.ravel() for x in mine])
        seen = weights[~np.isnan(weights)]
        masked = len(seen) < len(weights)
        largest = float(np.quantile(seen, ALMOST_ALL)) if len(seen) else 0.0
        groups.append(
            Group(
                f"{name}: {kind}-attention" if kind else name,
                list(rows),
                list(columns),
                masked,
                largest,
            )
        )
    return groups, members


def _offer(group):
    """The closer scale that a picture of these maps may change to, where its colours would hardly show."""
    limit = ROLE.limit
    if not 0 < group.largest < PALE * limit:
        return None
    step = 10.0 ** (np.floor(np.log10(group.largest)) - 1)
    end = float(f"{np.ceil(group.largest / step) * step:.2g}")
    return {
        "end": end,
        "says": f"{ALMOST_ALL:.0%} of all weights are at most {end:g}: pale on a scale to {limit:g}",
        "taken": f"closer colours: they end at {end:g}, not at {limit:g}; what is beyond is as dark",
    }
