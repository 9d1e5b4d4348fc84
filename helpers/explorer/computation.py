"""Calls the learner's function; checks every result, and names the setting in every error."""

import inspect
from dataclasses import dataclass

import numpy as np

from .. import _
from ..pictures import sums
from ..pictures.frames import checked, dict_by_name, if_batch, saying, to_array, to_panels
from ..pictures.labels import Labels
from .controls import match_names, name_of


@dataclass(frozen=True)
class Frame:
    """What compute returned at one setting: a Panel for each matrix, and all numbers in one row."""

    panels: list
    row: np.ndarray  # float32: the matrices of the panels in order, then the numbers that are none


class Computation:
    """A learner's function, and what the notebook says about its results.

    The first frame determines the panels (Panel, in order) and the names of the numbers, and every
    later frame must fit them. If labels are functions of the controls, the number of rows and
    columns may differ from the first frame.

    labels   the arguments of Labels, by name; tokens, rows and columns, and each entry of such a
             dict, may be functions of some of the controls
    """

    def __init__(self, compute, masked, labels, written_sums, operands, controls):
        self.compute, self.masked, self.labels, self.controls = compute, masked, labels, controls
        names = [c.name for c in controls]
        if callable(masked):
            match_names(masked, names, "masked")
        self._asks = {what: _takes(f, what, names) for what, f in _functions(labels)}
        if not self._asks:
            self.labels = Labels(**labels)
        self._drawn = labels["view"] if isinstance(labels["view"], dict) else {}
        self.operands = _matrices(dict_by_name("operands", operands, '{"X": X}'))
        self._written_sums = dict_by_name("sums", written_sums, '{"scores": "X @ X.T"}')
        self.claims = {}
        self.panels = self.numbers = None

    def at(self, values):
        """The Frame at these values, checked; errors name the values."""
        result = self._call(self.compute, name_of(self.compute), values)
        hidden = self.masked
        if callable(hidden):
            hidden = self._call(hidden, "masked", values)
        labels = self._labels_at(values)
        with saying(self.call_at(values)):
            hidden = None if hidden is None else to_array("masked", hidden).astype(bool)
            matrices, numbers = to_panels(result, self._drawn)
            if self.panels is None:
                self.panels, self.numbers = labels.panels(matrices), list(numbers)
                self._parse_sums()
                panels = self.panels
            else:
                matrices = self._checked(matrices, numbers)
                panels = labels.panels(matrices) if self._asks else self.panels
            shown, parts = zip(*(checked(p, matrices[p.name], hidden) for p in panels))
            self._check_sums(parts, matrices, values | numbers)
            return Frame(shown, self._row(parts, numbers))

    def call_at(self, values, name=None):
        """The call at these values, written as in code: attend(temperature=0.1, query='sun')."""
        given = ", ".join(f"{control}={value!r}" for control, value in values.items())
        return f"{name or name_of(self.compute)}({given})"

    def _labels_at(self, values):
        if not self._asks:
            return self.labels

        def ask(what, given):
            if not callable(given):
                return given
            return self._call(given, what, {n: values[n] for n in self._asks[what]})

        found = {what: ask(what, given) for what, given in self.labels.items()}
        for what in ("rows", "columns"):
            if isinstance(found[what], dict):
                found[what] = {n: ask(f"{what}[{n!r}]", x) for n, x in found[what].items()}
        with saying(self.call_at(values)):
            return Labels(**found)

    def _checked(self, matrices, numbers):
        """The matrices in order; ValueError if names are not those of the first frame."""
        given = {name: a.shape for name, a in matrices.items()}
        first = {p.name: p.shape for p in self.panels}
        last = -2 if self._asks else None  # where labels move, rows and columns may change
        alike = {n: s[:last] for n, s in given.items()} == {n: s[:last] for n, s in first.items()}
        if alike and set(numbers) == set(self.numbers):
            return {name: matrices[name] for name in first}  # in the first order
        told = {"result": _shapes(given, numbers), "first": _shapes(first, self.numbers)}
        came = _("the result is {result}, but for the first setting it was {first}.", **told)
        what = _("panels and heads") if self._asks else _("shape")
        keep = _("Keep the {what} the same, and hide cells with masked=…", what=what)
        raise ValueError(f"{came} {keep}")

    def _row(self, parts, numbers):
        """All numbers of the panels, and the others, in one row."""
        with np.errstate(over="ignore"):  # what overflows becomes ∞, which is reported below
            tail = np.array([numbers[n] for n in self.numbers], np.float32)
        for name, x in zip(self.numbers, tail):
            if not np.isfinite(x):
                raise ValueError(_("the number '{name}' is {x}.", x=x, name=name))
        return np.concatenate([*(part.ravel() for part in parts), tail])

    def _check_sums(self, parts, matrices, values):
        known = dict(self.operands)
        for panel, part in zip(self.panels, parts) if self.claims else ():
            if panel.role != "probabilities":
                known[panel.name] = np.where(np.isnan(part), np.nan, matrices[panel.name])
        for name, claim in self.claims.items():
            sums.check(name, claim, known, values)

    def _call(self, function, name, values):
        try:
            return function(**values)
        except Exception as error:
            call, kind = self.call_at(values, name), type(error).__name__
            text = _("{call} raised {kind}: {error}", call=call, kind=kind, error=error)
            raise ValueError(text) from error

    def _parse_sums(self):
        names = [p.name for p in self.panels]
        for name in self.operands:
            if name in names:
                text = _("operands has '{name}', but the function returns a matrix of that name.")
                raise ValueError(text.format(name=name))
        numeric = [c.name for c in self.controls if c.numeric]
        summed = [p.name for p in self.panels if p.role != "probabilities"]  # these are bars
        known, scalars = [*summed, *self.operands], [*self.numbers, *numeric]
        for name, text in self._written_sums.items():
            if name not in summed:
                text = _("sums has '{name}', but these can have a sum: {names}; bars cannot.")
                raise ValueError(text.format(name=name, names=", ".join(summed)))
            self.claims[name] = sums.parse(name, text, known, scalars)


def _functions(labels):
    """(argument it belongs to, function) for each function among the labels."""
    for what in ("tokens", "rows", "columns"):
        given = labels[what]
        if isinstance(given, dict):
            yield from ((f"{what}[{n!r}]", f) for n, f in given.items() if callable(f))
        elif callable(given):
            yield what, given


def _takes(function, what, names):
    """The names of the controls that a function of labels takes; TypeError for other arguments."""
    parameters = inspect.signature(function).parameters.values()
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
    found = [n for n in names if takes_any or n in {p.name for p in parameters}]
    match_names(function, found, what)
    return found


def _matrices(operands):
    """The operands in the form that sums need: (rows, columns), every number finite."""
    arrays = {n: np.atleast_2d(to_array(n, value)) for n, value in operands.items()}
    for name, a in arrays.items():
        if a.ndim > 2 or not np.isfinite(a).all():
            text = _("operands['{name}'], of shape {shape}, is not a matrix of finite numbers.")
            raise ValueError(text.format(name=name, shape=a.shape) + if_batch(a.ndim > 2))
    return arrays


def _shapes(shapes, numbers):
    names = [f"'{n}' {shape}" for n, shape in shapes.items()]
    return ", ".join(names + [f"'{n}'" for n in numbers])
