"""The one live widget: sliders over matrices that the learner's own function computes."""

import contextlib
import io
import itertools
import math
from pathlib import Path

import anywidget
import ipywidgets as widgets
import numpy as np
import traitlets
from ipywidgets.widgets.widget_description import DescriptionWidget

from . import plots
from .controls import MAX_POSITIONS, Control, default_of, match_names, name_of
from .frames import (
    Labels,
    as_text,
    check_decimals,
    dict_by_name,
    hide_masked,
    rounded,
    saying,
    to_array,
    to_panels,
)
from .roles import ROLES
from .sums import check as check_sum
from .sums import parse as parse_sum

MAX_BYTES = 32_000_000  # frames that would weigh more than this in the browser are not swept
LIVE_TRIES = 25  # positions of each control that a live Explorer tries when its cell runs

HERE = Path(__file__).parent
SCRIPTS = ("explorer.js", "explorer_grids.js", "explorer_readout.js")


class MatrixView(anywidget.AnyWidget):
    """The picture in the browser. It knows frames and labels, and nothing of attention."""

    # One script for the browser, in three files for people: they share one scope.
    _esm = "\n".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS)
    _css = HERE / "explorer.css"
    spec = traitlets.Dict().tag(sync=True)
    frames = traitlets.Bytes().tag(sync=True)  # float32: (positions, numbers in a frame)
    error = traitlets.Unicode().tag(sync=True)

    def __init__(self, n_links, **kwargs):
        # One synced trait for each control, for jsdlink to write to without asking the kernel.
        self.add_traits(**{f"at_{i}": traitlets.Any(0).tag(sync=True) for i in range(n_links)})
        super().__init__(**kwargs)


class Explorer(widgets.VBox):
    """Sliders above the matrices that `compute` returns for them.

    Explorer(attend, tokens=["Hello", "shiny", "sun"], temperature=(0.1, 3.0, 0.1))

    compute(**values) returns a matrix, or a dict of named matrices drawn side by side; each is
    (rows, columns) or (heads, rows, columns), a list, an ndarray or a torch tensor; a plain number
    in the dict is written under the pictures. Names with "weights" or "scores" in them are
    coloured as such, all others as vectors (`roles` overrides this).

    When the cell runs, compute is called at every combination of slider positions; the browser
    then needs no kernel to move. Where these are over 5,000, or a control takes free text, compute
    is called as the control moves, and only a sample of positions is tried beforehand.

    tokens    labels of the queries, and of the keys
    rows, columns   labels of one panel, where they are not the tokens: {"context": ["x1", "x2"]};
              rows="shiny" names the one row of matrices that have a single row
    masked    True where a query may not see a key: a matrix, or a function of the same arguments
    sums      the sum behind the cells, for the read-out: {"scores": "X @ X.T"}; it is checked
    operands  matrices that `sums` names and compute does not return: {"X": X}
    roles     {"panel": "weights" | "scores" | "vectors"}
    limits    where the colour scale of a panel ends: {"scores": 3.0}
    decimals  of the numbers in the cells
    stable    False where numbers differ from machine to machine: keeps them out of the text output
    **controls   as in ipywidgets.interact: (lowest, highest, step), choices, True or False, widgets.
              A control starts at the default of compute's argument, where it has one.

    Raises TypeError or ValueError, naming the position, if compute and the controls do not fit,
    compute raises, its matrices change shape, do not fit the labels, or hold NaN or ±∞ outside
    the mask, or a second call gives other numbers (unless stable=False).
    """

    def __init__(
        self,
        compute,
        tokens,
        *,
        rows=None,
        columns=None,
        masked=None,
        sums=None,
        operands=None,
        roles=None,
        limits=None,
        decimals=2,
        stable=True,
        **controls,
    ):
        match_names(compute, list(controls))
        if callable(masked):
            match_names(masked, list(controls), "masked")
        self.compute, self.masked, self.decimals, self.stable = compute, masked, decimals, stable
        with saying("Explorer"):
            check_decimals(decimals)
            self.labels = Labels(tokens, rows, columns, roles, limits)
            self._operands = _matrices(dict_by_name("operands", operands, '{"X": X}'))
            self._claims, self._written_sums = (
                {},
                dict_by_name("sums", sums, '{"scores": "X @ X.T"}'),
            )
        self.controls = [Control(n, given, default_of(compute, n)) for n, given in controls.items()]
        self._align_labels()
        self._hear_prints = True
        self.panels = self.numbers = None
        first = self._frame(self.values)
        self._hear_prints = False
        self.swept = self._can_sweep()
        frames = self._sweep(first) if self.swept else self._try_some(first)
        self.view = MatrixView(
            len(self.controls) if self.swept else 0, spec=self._spec(), frames=frames.tobytes()
        )
        self._link()
        super().__init__([*(c.widget for c in self.controls), self.view])
        self.add_class("attention-explorer")

    @property
    def values(self):
        """Where the controls stand now: what compute is called with."""
        return {c.name: c.value for c in self.controls}

    def _align_labels(self):
        """Give every control's name the same width, so that the sliders stand in line."""
        named = [c.widget for c in self.controls if isinstance(c.widget, DescriptionWidget)]
        for widget in named:
            longest = max(len(w.description) for w in named)
            widget.style.description_width = f"{longest + 1}ch"

    # -- frames -----------------------------------------------------------------------------

    def _frame(self, values):
        """One float32 row of all numbers at these values, checked; errors name the values."""
        at = self._said(values)
        result = self._call(self.compute, name_of(self.compute), values, at)
        hidden = self.masked
        if callable(hidden):
            hidden = self._call(hidden, "masked", values, at)
        with saying(f"Explorer: {name_of(self.compute)}({at})"):
            return self._checked(*to_panels(result), hidden, values)

    def _call(self, function, name, values, at):
        # What a function prints is heard once, not at every position.
        quiet = contextlib.redirect_stdout(io.StringIO())
        try:
            with contextlib.nullcontext() if self._hear_prints else quiet:
                return function(**values)
        except Exception as error:
            raise ValueError(
                f"Explorer: {name}({at}) raised {type(error).__name__}: {error}"
            ) from error

    def _said(self, values):
        return ", ".join(f"{c.name}={c.said(values[c.name])}" for c in self.controls)

    def _checked(self, matrices, numbers, hidden, values):
        hidden = None if hidden is None else to_array("masked", hidden).astype(bool)
        if self.panels is None:
            self.panels = self.labels.panels(matrices)
            self.numbers = list(numbers)
            self._parse_sums()
        shapes = {name: a.shape for name, a in matrices.items()}
        expected = {p.name: p.shape for p in self.panels}
        if shapes != expected or set(numbers) != set(self.numbers):
            raise ValueError(
                f"the result is {_shapes(shapes, numbers)}, but at the first position it was "
                f"{_shapes(expected, self.numbers)}. Keep the shape, and hide cells with masked=…"
            )
        parts = [hide_masked(p, matrices[p.name], hidden) for p in self.panels]
        with np.errstate(over="ignore"):
            tail = np.array([numbers[n] for n in self.numbers], np.float32)
        for name, x in zip(self.numbers, tail):
            if not np.isfinite(x):
                raise ValueError(f"{x} for the number '{name}'.")
        if self._claims:
            shown = {
                p.name: np.where(np.isnan(part), np.nan, matrices[p.name])
                for p, part in zip(self.panels, parts)
            }
            for name, claim in self._claims.items():
                check_sum(name, claim, shown | self._operands, values | numbers)
        return np.concatenate([*(part.ravel() for part in parts), tail])

    def _parse_sums(self):
        names = [p.name for p in self.panels]
        for name in self._operands:
            if name in names:
                raise ValueError(f"operands names '{name}', which compute returns already.")
        numeric = [c.name for c in self.controls if c.is_number]
        for name, text in self._written_sums.items():
            if name not in names:
                raise ValueError(f"no matrix '{name}', but sums has one; there are {names}.")
            self._claims[name] = parse_sum(
                name, text, [*names, *self._operands], [*self.numbers, *numeric]
            )

    def _can_sweep(self):
        if any(c.positions is None for c in self.controls):
            return False
        count = math.prod(c.count for c in self.controls)
        return count <= MAX_POSITIONS and count * self._frame_bytes <= MAX_BYTES

    @property
    def _frame_bytes(self):
        return 4 * (sum(p.size for p in self.panels) + len(self.numbers))

    def _sweep(self, first):
        """Every frame, the last control turning fastest: (positions, numbers in a frame)."""
        names = [c.name for c in self.controls]
        combinations = itertools.product(*(c.positions for c in self.controls))
        frames = np.stack([self._frame(dict(zip(names, v, strict=True))) for v in combinations])
        again = frames[self._index()]
        if self.stable and not np.allclose(again, first, rtol=1e-4, atol=1e-6, equal_nan=True):
            raise ValueError(
                f"Explorer: {name_of(self.compute)}({self._said(self.values)}) gave other numbers when "
                "called again. Let it change a copy, such as X.clone(), not what the notebook holds; "
                "seed what is random, or pass stable=False."
            )
        return frames

    def _try_some(self, first):
        """The frame at hand; each control alone is tried across its range, so that errors show."""
        start = self.values
        for c in self.controls:
            for position in c.sample(LIVE_TRIES):
                self._frame(start | {c.name: position})
        return first[None]

    # -- the browser ------------------------------------------------------------------------

    def _spec(self):
        return {
            "panels": [self._panel_spec(p) for p in self.panels],
            "numbers": self.numbers,
            "stops": [c.stops for c in self.controls] if self.swept else [],
            "controls": {c.name: i for i, c in enumerate(self.controls)} if self.swept else {},
            "values": [c.numeric for c in self.controls] if self.swept else [],
            "operands": {n: a.tolist() for n, a in self._operands.items()},
            "decimals": self.decimals,
            "swept": self.swept,
            "note": self._note(),
        }

    def _panel_spec(self, p):
        role = ROLES[p.role]
        return {
            "name": p.name,
            "role": p.role,
            "heads": p.shape[0] if len(p.shape) == 3 else 0,
            "rows": p.rows,
            "columns": p.columns,
            "reads": p.reads,
            "low": role.low,
            "high": role.high,
            "limit": p.limit,
            "sum": self._sum_spec(p.name),
        }

    def _sum_spec(self, name):
        claim = self._claims.get(name)
        # The browser knows where a control stands from the frame's index, and live has but one frame.
        unknown = set() if self.swept else {c.name for c in self.controls} - set(self.numbers)
        return claim if claim and claim["divisor"] not in unknown else None

    def _note(self):
        if self.swept:
            return ""
        if any(c.count is None for c in self.controls):
            return "Computed in the kernel as you type or move."
        count = math.prod(c.count for c in self.controls)
        return f"{count:,} positions are too many to try beforehand: each is computed as you get there."

    def _link(self):
        for i, c in enumerate(self.controls):
            if self.swept:
                widgets.jsdlink((c.widget, c.trait), (self.view, f"at_{i}"))
                setattr(self.view, f"at_{i}", getattr(c.widget, c.trait))
            else:
                c.widget.observe(self._recompute, "value")

    def _recompute(self, _):
        """Live: the new frame, or the reason why there is none (the last good picture stays)."""
        try:
            frame = self._frame(self.values)
        except (TypeError, ValueError) as error:
            self.view.error = str(error)
            return
        with self.view.hold_sync():
            self.view.error, self.view.frames = "", frame.tobytes()

    # -- where there is no browser ----------------------------------------------------------

    def _index(self):
        """Which of the swept frames the controls point at."""
        index = 0
        for c in self.controls:
            index = index * c.count + c.position
        return index

    def _shown(self):
        """(panel, array) pairs and numbers of the frame that the controls point at."""
        frames = np.frombuffer(self.view.frames, np.float32).reshape(-1, self._frame_bytes // 4)
        index = self._index() if self.swept else 0
        ends = np.cumsum([p.size for p in self.panels])
        *parts, tail = np.split(frames[index], ends)
        arrays = [part.reshape(p.shape) for p, part in zip(self.panels, parts, strict=True)]
        numbers = dict(zip(self.numbers, tail, strict=True))
        return list(zip(self.panels, arrays, strict=True)), numbers

    def __repr__(self):
        """The present frame in words and rounded numbers: the same on every run."""
        count = math.prod(c.count for c in self.controls) if self.swept else 0
        plural = "" if count == 1 else "s"
        tried = f"{count:,} position{plural}, all tried" if self.swept else "computed as you move"
        lines = [f"Explorer of {name_of(self.compute)}({self._said(self.values)}); {tried}"]
        pairs, numbers = self._shown()
        if self.stable:
            lines += [as_text(p, a, self.decimals) for p, a in pairs]
            lines += [f"{n} = {rounded(x, self.decimals)}" for n, x in numbers.items()]
        else:
            lines += [f"{p.name}: {' × '.join(map(str, p.shape))}" for p, _ in pairs]
        return "\n".join(lines)

    def _repr_mimebundle_(self, **kwargs):
        data = super()._repr_mimebundle_(**kwargs)
        at = "  ".join(f"{k} = {v}" for k, v in self.values.items())
        note = f"{at}   (run the cell to move it)" if at else ""
        picture = plots.panels(*self._shown(), self.decimals, note)
        picture.text = repr(self)
        still, about = picture._repr_mimebundle_()
        return data | still, about


def _matrices(operands):
    """The operands as sums take them: two or three dimensions, every number finite."""
    arrays = {n: np.atleast_2d(to_array(n, value)) for n, value in operands.items()}
    for name, a in arrays.items():
        if a.ndim > 3 or not np.isfinite(a).all():
            raise ValueError(f"operands['{name}'] is not a matrix of finite numbers.")
    return arrays


def _shapes(shapes, numbers):
    text = [f"'{name}' {shape}" for name, shape in shapes.items()] + [f"'{n}'" for n in numbers]
    return ", ".join(text)
