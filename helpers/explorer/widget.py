"""The one live widget: sliders over matrices that the learner's own function computes."""

import itertools
import math

import ipywidgets as widgets
import numpy as np
from ipywidgets.widgets.widget_description import DescriptionWidget

from .. import tools
from ..pictures import plots
from ..pictures.frames import check_decimals, saying
from ..pictures.text import as_text, rounded
from . import lifetimes
from .computation import Computation
from .controls import MAX_POSITIONS, Control, default_of, match_names, name_of
from .moving import Film, labels_of
from .spec import spec_of
from .views import MatrixView, Player

MAX_BYTES = 32_000_000  # frames that would weigh more than this in the browser are not swept
FLOAT32 = 4  # bytes
LIVE_TRIES = 25  # positions of each control that a live Explorer tries when its cell runs

BAR_AFTER = 1.0  # seconds of trying positions, before a progress bar shows


class Explorer(lifetimes.LivingBox):
    """Sliders above the matrices that `compute` returns for them.

    Explorer(attend, tokens=["Hello", "shiny", "sun"], temperature=(0.1, 3.0, 0.1))

    compute(**values) returns a matrix, or a dict of named matrices drawn side by side; each is
    (rows, columns) or (heads, rows, columns), a list, an ndarray or a torch tensor; a plain number
    in the dict is written under the pictures. Names with "weights" or "scores" in them are
    coloured as such, all others as vectors (`roles` overrides this). "chances" are bars beside
    their words: (words), or (series, words) with bars side by side.

    When the cell runs, compute is called at every combination of slider positions; the browser
    then needs no kernel to move. Where these are over 5,000, or a control takes free text, compute
    is called as the control moves, and only a sample of positions is tried beforehand.

    tokens    labels of the queries, and of the keys
    rows, columns   labels of one panel, where they are not the tokens: {"context": ["x1", "x2"]};
              rows="shiny" names the one row of matrices that have a single row.
              Any of these, and each in the dict, may be a function of the controls, or of some of
              them, that gives the labels there; the matrices may then grow and shrink with them
    masked    True where a query may not see a key: a matrix, or a function of the same arguments
    sums      the sum behind the cells, which the read-out spells out and a click opens: {"scores":
              "X @ X.T"}; checked at every position. Also "softmax(A / t)", "A * b", "A - B", "sum(A)"
    operands  matrices that `sums` names and compute does not return: {"X": X}
    roles     {"panel": "weights" | "scores" | "vectors" | "chances"}
    bars      how many words of a panel of chances are shown, largest first: {"chances": 5}; None: all,
              in place (as up to 16 are where nothing is said; of more, the 10 largest)
    view      "lines" shows weights as two columns of words joined by lines, or {"weights": "lines"}
    limits    where the colour scale of a panel ends: {"scores": 3.0}; where that shows next to
              nothing, the panel offers a closer one
    decimals  of the numbers in the cells
    stable    False where numbers differ from machine to machine: keeps them out of the text output
    **controls   as in ipywidgets.interact: (lowest, highest, step), choices, True or False, widgets.
              A control starts at the default of compute's argument, where it has one; in a cell
              that is run again, where it was left.

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
        bars=None,
        view=None,
        limits=None,
        decimals=2,
        stable=True,
        **controls,
    ):
        match_names(compute, list(controls))
        if callable(masked):
            match_names(masked, list(controls), "masked")
        self.compute, self.decimals, self.stable = compute, decimals, stable
        self.controls = [Control(n, given, default_of(compute, n)) for n, given in controls.items()]
        lifetimes.resume(self.controls)
        self._align_labels()
        with saying("Explorer"):
            check_decimals(decimals)
        names = [c.name for c in self.controls]
        given = {"tokens": tokens, "rows": rows, "columns": columns, "roles": roles}
        labels = labels_of(names, **given, limits=limits, bars=bars, view=view)
        with saying("Explorer"):
            self._computation = Computation(compute, masked, labels, sums, operands, self.controls)
        first = self._computation.at(self.values)
        film = self._sweep(first) if self._can_sweep() else None
        self.swept = film is not None and film.frames.nbytes <= MAX_BYTES
        self._film = film if self.swept else self._try_some(first)
        moved = [c.widget for c in self.controls] if self.swept else []
        self.view = MatrixView(
            controls=moved,
            spec=self._spec(),
            at=self._numeric_values(),
            frames=self._film.bytes,
        )
        if not self.swept:
            for c in self.controls:
                c.widget.observe(self._recompute, "value")
        rows = [*map(self._with_player, self.controls), self.view]
        self._begin(rows, [self.view, *(c.widget for c in self.controls if c.is_ours)])

    @property
    def values(self):
        """Where the controls stand now: what compute is called with."""
        return {c.name: c.value for c in self.controls}

    def _align_labels(self):
        """Give every control's name the same width, so that the sliders stand in line."""
        named = [c.widget for c in self.controls if isinstance(c.widget, DescriptionWidget)]
        for widget in named:
            longest = max(len(w.description) for w in named)
            widget.style.description_width = f"{min(longest, 23) + 1}ch"  # a longer one is cut

    # -- frames -----------------------------------------------------------------------------

    def _can_sweep(self):
        if any(c.positions is None for c in self.controls):
            return False
        count = math.prod(c.count for c in self.controls)
        weight = count * self._computation.size * FLOAT32
        return count <= MAX_POSITIONS and weight <= MAX_BYTES

    def _sweep(self, first):
        """The Film of every position, the last control turning fastest."""
        names = [c.name for c in self.controls]
        combinations = itertools.product(*(c.positions for c in self.controls))
        count = math.prod(c.count for c in self.controls)
        taken = []  # by a loop: at an error, a generator with a name would keep its bar in sight
        for values in tools.over(combinations, count, "trying every position", BAR_AFTER):
            taken.append(self._computation.at(dict(zip(names, values))))
        if self.stable and not _alike(taken[self._index()], first):
            call = f"{name_of(self.compute)}({self._computation.said(self.values)})"
            raise ValueError(
                f"Explorer: {call} gave other numbers when called again. "
                "Let it change a copy, such as X.clone(), not what the notebook holds; "
                "call .eval() on a layer with dropout; seed what is random, or pass stable=False."
            )
        return Film(taken)

    def _try_some(self, first):
        """The Film of the frame at hand; each control alone is tried across its range, so that errors show."""
        start = self.values
        tries = [(c.name, at) for c in self.controls for at in c.sample(LIVE_TRIES)]
        for name, position in tools.over(tries, len(tries), "trying positions", BAR_AFTER):
            self._computation.frame(start | {name: position})
        return Film([first])

    # -- the browser ------------------------------------------------------------------------

    def _spec(self):
        here = self._index() if self.swept else 0
        return spec_of(
            self._computation, self._film, here, self.controls, self.swept, self.decimals
        )

    def _with_player(self, control):
        """A slider with its buttons beside it; any other control alone."""
        stops = control.stops if control.slides else []
        if len(stops) < 3:
            return control.widget
        player = Player(
            name=control.widget.description,
            stops=stops,
            controls=[control.widget],
            trait_moved=control.trait,
        )
        row = widgets.HBox([control.widget, player])
        row.add_class("ax-control")
        self._parts = [*self._parts, player, row]
        return row

    def _numeric_values(self):
        """Where the controls stand that are numbers, for sums that divide by one; {} if swept."""
        return {} if self.swept else {c.name: float(c.value) for c in self.controls if c.is_number}

    def _recompute(self, _):
        """Live: the new frame, or the reason why there is none (the last good picture stays)."""
        try:
            self._film = Film([self._computation.at(self.values)])
        except (TypeError, ValueError) as error:
            self.view.error = str(error)
            return
        with self.view.hold_sync():
            self.view.error, self.view.at = "", self._numeric_values()
            if self._computation.labels.moves:
                self.view.spec = self._spec()
            self.view.frames = self._film.bytes

    # -- where there is no browser ----------------------------------------------------------

    def _index(self):
        """Which of the swept frames the controls point at."""
        index = 0
        for c in self.controls:
            index = index * c.count + c.position
        return index

    def _shown(self):
        """(panel, array) pairs and numbers of the frame that the controls point at."""
        pairs, tail = self._film.shown(self._index() if self.swept else 0)
        return pairs, dict(zip(self._computation.numbers, tail))

    def __repr__(self):
        """The present frame in words and rounded numbers: the same on every run."""
        count = math.prod(c.count for c in self.controls) if self.swept else 0
        plural = "" if count == 1 else "s"
        tried = f"{count:,} position{plural}, all tried" if self.swept else "computed as you move"
        lines = [
            f"Explorer of {name_of(self.compute)}({self._computation.said(self.values)}); {tried}"
        ]
        pairs, numbers = self._shown()
        if self.stable:
            lines += [as_text(p, a, self.decimals) for p, a in pairs]
            lines += [f"{n} = {rounded(x, self.decimals)}" for n, x in numbers.items()]
        else:
            lines += [f"{p.name}: {' × '.join(map(str, p.shape))}" for p, _ in pairs]
        return "\n".join(lines)

    def _still(self):
        at = "  ".join(f"{k} = {v}" for k, v in self.values.items())
        note = f"{at}   (run the cell to move it)" if at else ""
        return plots.panels(*self._shown(), self.decimals, note)


def _alike(one, other):
    """Whether two calls at the same position gave the same numbers."""
    (_, a), (_, b) = one, other
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-4, atol=1e-6, equal_nan=True)
