"""Calling the learner's function: every result checked, and every error told with its position."""

import contextlib
import io

import numpy as np

from ..pictures.chances import check_chances
from ..pictures.frames import (
    dict_by_name,
    hide_masked,
    if_batch,
    saying,
    to_array,
    to_panels,
)
from .controls import name_of
from .sums import check as check_sum
from .sums import parse as parse_sum


class Computation:
    """A learner's function, with what a notebook says of its results; it makes frames of them.

    The first frame settles the panels (Panel, in order) and the names of the numbers; every later
    one must fit, though where labels move, its matrices may have more or fewer rows and columns.
    Raises as Explorer does.
    """

    def __init__(self, compute, masked, labels, sums, operands, controls):
        self.compute, self.masked, self.labels, self.controls = compute, masked, labels, controls
        self.operands = _matrices(dict_by_name("operands", operands, '{"X": X}'))
        self.claims = {}
        self._written_sums = dict_by_name("sums", sums, '{"scores": "X @ X.T"}')
        self.panels = self.numbers = None

    @property
    def size(self):
        """How many numbers a frame has."""
        return sum(p.size for p in self.panels) + len(self.numbers)

    def frame(self, values):
        """One float32 row of all numbers at these values, checked; errors name the values."""
        return self.at(values)[1]

    def at(self, values):
        """(panels, row of all numbers) at these values; errors name the values."""
        quiet = self.panels is not None  # what a function prints is heard once, at the first frame
        result = self._call(self.compute, name_of(self.compute), values, quiet)
        hidden = self.masked
        if callable(hidden):
            hidden = self._call(hidden, "masked", values, quiet)
        with saying(self._who(values)):
            hidden = None if hidden is None else to_array("masked", hidden).astype(bool)
            matrices, numbers = to_panels(result)
            panels = self._panels_of(matrices, numbers, values, quiet)
            return panels, self._row(panels, values, matrices, numbers, hidden)

    def _who(self, values):
        return f"Explorer: {name_of(self.compute)}({self.said(values)})"

    def said(self, values):
        """The values as a call is written: temperature=0.1, query='sun'."""
        there = [c for c in self.controls if c.name in values]
        return ", ".join(f"{c.name}={c.said(values[c.name])}" for c in there)

    def _panels_of(self, matrices, numbers, values, quiet):
        """The panels at these values; ValueError where they are not those of the first frame."""

        def ask(function, what, names):
            return self._call(function, what, {n: values[n] for n in names}, quiet)

        if self.panels is None:
            self.panels = self.labels.at(ask).panels(matrices)
            self.numbers = list(numbers)
            self._parse_sums()
            return self.panels
        given = {name: a.shape for name, a in matrices.items()}
        expected = {p.name: p.shape for p in self.panels}
        moves = self.labels.moves
        if moves and [(n, s[:-2]) for n, s in given.items()] == [
            (n, s[:-2]) for n, s in expected.items()
        ]:
            expected = given  # the labels have yet to fit
        if given != expected or set(numbers) != set(self.numbers):
            keep = "panels and heads" if moves else "shape"
            raise ValueError(
                f"the result is {_shapes(given, numbers)}, but at the first position it was "
                f"{_shapes(expected, self.numbers)}. Keep the {keep}, and hide cells with masked=…"
            )
        return self.labels.at(ask).panels(matrices) if moves else self.panels

    def _row(self, panels, values, matrices, numbers, hidden):
        """All numbers of these panels, checked, in one row."""
        parts = [hide_masked(p, matrices[p.name], hidden) for p in panels]
        for panel, part in zip(panels, parts):
            if panel.role == "chances":
                check_chances(panel, part)
        with np.errstate(over="ignore"):
            tail = np.array([numbers[n] for n in self.numbers], np.float32)
        for name, x in zip(self.numbers, tail):
            if not np.isfinite(x):
                raise ValueError(f"{x} for the number '{name}'.")
        if self.claims:
            shown = {
                p.name: np.where(np.isnan(part), np.nan, matrices[p.name])
                for p, part in zip(panels, parts)
            }
            for name, claim in self.claims.items():
                check_sum(name, claim, shown | self.operands, values | numbers)
        return np.concatenate([*(part.ravel() for part in parts), tail])

    def _call(self, function, name, values, quiet):
        hush = contextlib.redirect_stdout(io.StringIO()) if quiet else contextlib.nullcontext()
        try:
            with hush:
                return function(**values)
        except Exception as error:
            raise ValueError(
                f"Explorer: {name}({self.said(values)}) raised {type(error).__name__}: {error}"
            ) from error

    def _parse_sums(self):
        names = [p.name for p in self.panels]
        for name in self.operands:
            if name in names:
                raise ValueError(f"operands names '{name}', which compute returns already.")
        numeric = [c.name for c in self.controls if c.is_number]
        for name, text in self._written_sums.items():
            if name not in names:
                raise ValueError(f"no matrix '{name}', but sums has one; there are {names}.")
            self.claims[name] = parse_sum(
                name, text, [*names, *self.operands], [*self.numbers, *numeric]
            )


def _matrices(operands):
    """The operands as sums take them: two or three dimensions, every number finite."""
    arrays = {n: np.atleast_2d(to_array(n, value)) for n, value in operands.items()}
    for name, a in arrays.items():
        if a.ndim > 3:
            came = f"operands['{name}'] is not a matrix: its shape is {a.shape}."
            raise ValueError(came + if_batch(True))
        if not np.isfinite(a).all():
            raise ValueError(f"operands['{name}'] is not a matrix of finite numbers.")
    return arrays


def _shapes(shapes, numbers):
    text = [f"'{name}' {shape}" for name, shape in shapes.items()] + [f"'{n}'" for n in numbers]
    return ", ".join(text)
