"""The one live widget: sliders over matrices that the learner's own function computes."""

import itertools
import math

import ipywidgets as widgets
import numpy as np
from IPython import get_ipython

from .. import _, plural, tools
from ..pictures import plots
from ..pictures.frames import check_decimals, saying
from ..pictures.text import as_text, rounded
from .browser import Film, MatrixView, check_overview, spec_of
from .computation import Computation
from .controls import MAX_POSITIONS, Control, align_names, default_of, match_names, name_of

MAX_BYTES = 32_000_000  # frames that would weigh more than this in the browser are not swept
FLOAT32 = 4  # bytes
BAR_AFTER = 1.0  # seconds of trying positions, before a progress bar shows


class Explorer(widgets.VBox):
    """Sliders above the matrices that `compute` returns for them.

    Explorer(attend, tokens=["Hello", "shiny", "sun"], temperature=(0.1, 3.0, 0.1))

    compute(**values) returns a matrix, or a dict of named matrices drawn side by side; each is
    (rows, columns) or (heads, rows, columns), a list, an ndarray or a torch tensor; a plain number
    in the dict is written under the pictures. Names with "weights" or "scores" in them are
    coloured as such, all others as vectors (`roles` overrides this). "probabilities" are bars beside
    their words: (words), or (series, words) with bars side by side.

    When the cell runs, compute is called at every combination of slider positions; the browser
    then needs no kernel to move. For a control that takes free text the kernel computes as it
    changes, at every position of the others; where these are over 5,000, it does so for all.

    tokens    labels of the queries, and of the keys
    rows, columns   labels of one panel, where they are not the tokens: {"context": ["x1", "x2"]};
              rows="shiny" names the one row of matrices that have a single row.
              Any of these, and each in the dict, may be a function of the controls, or of some of
              them, that gives the labels there; the matrices may then grow and shrink with them
    masked    True where a query may not see a key: a matrix, or a function of the same arguments
    sums      the sum behind the cells, which the read-out spells out and a click opens: {"scores":
              "X @ X.T"}; checked at every position. Also "softmax(A / t)", "A * b", "A - B", "sum(A)"
    operands  matrices that `sums` names and compute does not return: {"X": X}
    roles     {"panel": "weights" | "scores" | "vectors" | "probabilities"}
    bars      how many words of a panel of probabilities are shown, largest first: {"probabilities": 5}; None: all,
              in place (as up to 16 are where nothing is said; of more, the 10 largest)
    view      "lines" shows weights as two columns of words joined by lines, or {"weights": "lines"}
    limits    where the colour scale of a panel ends: {"scores": 3.0}, though numbers may pass it; else
              weights end at 1, and others where the largest number of their role is. Where that shows
              next to nothing of a large matrix, its panel offers a closer one
    overview  two controls, ("layer", "head"): small pictures of the first panel at every position of
              both; a click or Enter on one sets them
    decimals  of the numbers in the cells
    stable    False where numbers differ from machine to machine: keeps them out of the text output
    **controls   as in ipywidgets.interact: (lowest, highest, step), choices, True or False, widgets.
              A control starts at the default of compute's argument, where it has one; in a cell
              that is run again, where it was left.

    Raises TypeError or ValueError, naming the position, if compute and the controls do not fit,
    compute raises, its matrices do not fit the labels or hold NaN or ±∞ outside the mask, or a
    second call gives other numbers (unless stable=False).
    """

    _ipython_display_ = None  # that of ipywidgets 7 would show neither still picture nor numbers
    _parts = ()  # all widgets that were made for it

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
        overview=None,
        decimals=2,
        stable=True,
        **controls,
    ):
        self.compute, self.decimals, self.stable = compute, decimals, stable
        labels = {"tokens": tokens, "rows": rows, "columns": columns, "roles": roles}
        labels |= {"limits": limits, "bars": bars, "view": view}
        with saying(type(self).__name__):
            check_decimals(decimals)
            match_names(compute, list(controls))
            self.controls = [Control(n, x, default_of(compute, n)) for n, x in controls.items()]
            before, now = _made_here()
            for old in before[len(now)].controls if len(now) < len(before) else []:
                for control in self.controls:
                    control.resume(old)
            self._computation = Computation(compute, masked, labels, sums, operands, self.controls)
            self._film = self._first_film()
            self.overview = check_overview(overview, self._sweeps)
        align_names(self.controls)
        self.view = MatrixView(controls=[c.widget for c in self._sweeps], **self._sent())
        for c in self._live:
            c.widget.observe(self._recompute, "value")
        above = widgets.VBox([c.widget for c in self.controls])
        above.add_class("ax-controls")
        self._parts = [self.view, above, *(c.widget for c in self.controls if c.is_ours)]
        super().__init__([above, self.view])
        self.add_class("attention-explorer")
        self.shown_in = set()  # ids of cells
        now.append(self)
        for old in before:
            if not old.shown_in - {_here()[0]}:
                old.close()

    @property
    def values(self):
        """Where the controls stand now: what compute is called with."""
        return {c.name: c.value for c in self.controls}

    @property
    def swept(self):
        """Whether the browser has all frames, and needs no kernel."""
        return not self._live

    def save(self, path):
        """Save the frame that the controls point at as a picture: "weights.svg", or .png or .pdf."""
        self._still().save(path)

    # -- frames -----------------------------------------------------------------------------

    def _first_film(self):
        """The Film at every position of the controls that can be swept; the others are live."""
        first = self._computation.at(self.values)
        self._sweeps = [c for c in self.controls if c.positions is not None]
        self._live = [c for c in self.controls if c.positions is None]
        count = math.prod(c.count for c in self._sweeps)
        few = count <= MAX_POSITIONS and count * first[1].size * FLOAT32 <= MAX_BYTES
        film = self._sweep(first) if few else None
        if film is None or film.frames.nbytes > MAX_BYTES:
            film = Film([first])
            self._sweeps, self._live = [], self.controls
        return film

    def _sweep(self, first=None):
        """The Film of every position of the swept controls, the last one turning fastest."""
        names, start = [c.name for c in self._sweeps], self.values
        combinations = itertools.product(*(c.positions for c in self._sweeps))
        count = math.prod(c.count for c in self._sweeps)
        after = BAR_AFTER if first else math.inf  # later, a bar would clear the output when it goes
        taken = []  # by a loop: at an error, a generator with a name would keep its bar in sight
        for values in tools.over(combinations, count, _("testing every setting"), after):
            taken.append(self._computation.at(start | dict(zip(names, values))))
        if self.stable and first and not _alike(taken[self._index()], first):
            message = _(
                "{call} returned different numbers when it was called again with the same "
                "values. Let it change a copy, such as X.clone(), instead of a tensor of the "
                "notebook; call .eval() on a layer with dropout; set a seed where something is "
                "random, or pass stable=False."
            )
            raise ValueError(message.format(call=self._call(start)))
        return Film(taken)

    def _recompute(self, change):
        """Live: the new frames, or the reason why there are none (the last good picture stays)."""
        try:
            with saying(type(self).__name__):
                film = self._sweep()
        except (TypeError, ValueError) as error:
            self.view.error = str(error)
            return
        self._film = film
        with self.view.hold_sync():
            self.view.error = ""
            for name, value in self._sent().items():
                setattr(self.view, name, value)  # the spec only where labels or sizes are others

    # -- the browser ------------------------------------------------------------------------

    def _sent(self):
        """What the view is told: the frames and all about them."""
        given = self._sweeps, self._index(), self.decimals, self.overview, self._note()
        numeric = {c.name: float(c.value) for c in self._live if c.is_number}  # for sums
        spec = spec_of(self._computation, self._film, *given)
        return {"spec": spec, "at": numeric, "frames": self._film.frames.tobytes()}

    def _note(self):
        """What stands under the view: how it computes, where it asks the kernel."""
        return _("Computed in the kernel as you type or move.") if self._live else ""

    # -- where there is no browser ----------------------------------------------------------

    def _index(self):
        """Which of the swept frames the controls point at."""
        index = 0
        for c in self._sweeps:
            index = index * c.count + c.position
        return index

    def _shown(self):
        """(panel, array) pairs and numbers of the frame that the controls point at."""
        pairs, tail = self._film.shown(self._index())
        return pairs, dict(zip(self._computation.numbers, tail))

    def _call(self, values):
        """The call at these values, as it is written in code."""
        return f"{name_of(self.compute)}({self._computation.said(values)})"

    def _title(self):
        """The first line of the text: the call, and how many positions there are."""
        call = self._call(self.values)
        if not self.swept:
            return _("Explorer of {call}; computed as you move", call=call)
        count = math.prod(c.count for c in self.controls)
        one = "Explorer of {call}; {count} setting, tested"
        many = "Explorer of {call}; {count} settings, all tested"
        return plural(one, many, count, call=call, count=f"{count:,}")

    def __repr__(self):
        """The present frame in words and rounded numbers: the same on every run."""
        lines = [self._title()]
        pairs, numbers = self._shown()
        if self.stable:
            lines += [as_text(p, a, self.decimals) for p, a in pairs]
            lines += [f"{n} = {rounded(x, self.decimals)}" for n, x in numbers.items()]
        else:
            lines += [f"{p.name}: {' × '.join(map(str, p.shape))}" for p, a in pairs]
        return "\n".join(lines)

    def _still(self):
        at = "  ".join(f"{k} = {v}" for k, v in self.values.items())
        return plots.panels(*self._shown(), self.decimals, at)

    def _repr_mimebundle_(self, **kwargs):
        self.shown_in.add(_here()[0])
        picture = self._still()
        picture.text = repr(self)
        still, about = picture._repr_mimebundle_()
        colab = self.view._repr_mimebundle_()[1]  # where Colab finds what runs our script
        return tools.view_of(self) | still, colab | about

    def close(self):
        """Free what it holds, in the kernel and in the browser; widgets given as controls stay."""
        parts, self._parts = self._parts, ()
        if parts:  # none where it could not be made, or is closed already
            self.view.forget()
            self._film = None
            for c in self._live:  # a widget that was given stays, and must not compute for this one
                c.widget.unobserve(self._recompute, "value")
            looks = [getattr(w, name, None) for w in (*parts, self) for name in ("layout", "style")]
            for widget in filter(None, (*looks, *parts)):
                widget.close()
        super().close()


def _alike(one, other):
    """Whether two calls at the same position gave the same numbers."""
    a, b = one[1], other[1]
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-4, atol=1e-6, equal_nan=True)


# -- a cell that is run again -----------------------------------------------------------------
# ipywidgets keep every widget until the kernel ends, in the kernel and in the browser; sweeps of many
# megabytes would pile up as a learner runs a cell again and again. So an Explorer lives as long as the
# output it is in. Where its controls stood goes on: who changes a line and runs the cell again wants
# to see the same place.

_runs = {}  # by the id of a cell: (execution, Explorers of the run before, those of this run)


def _here():
    """(id of the cell, id of this execution of it); (None, None) outside a notebook."""
    parent = getattr(get_ipython(), "get_parent", dict)() or {}
    return parent.get("metadata", {}).get("cellId"), parent.get("header", {}).get("msg_id")


def _made_here():
    """Two lists, to be added to: the Explorers of the run of this cell before, and of this run."""
    cell, execution = _here()
    if cell is None:
        return [], []
    last, before, now = _runs.get(cell, (None, [], []))
    if last != execution:
        shown = now or before  # a run that failed made none, and forgets nothing
        _runs[cell] = (execution, shown, [])
    return _runs[cell][1:]
