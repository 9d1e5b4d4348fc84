"""The one live widget: sliders over matrices that the learner's own function computes."""

import itertools
import math
from pathlib import Path

import ipywidgets as widgets
import numpy as np
from IPython import get_ipython
from ipywidgets.widgets.widget_description import DescriptionWidget

from .. import _, plural, tools
from ..pictures import plots
from ..pictures.frames import check_decimals, saying
from ..pictures.picture import style
from ..pictures.text import as_text, rounded
from .browser import Film, MatrixView, Player, spec_of, words_of_player
from .computation import Computation
from .controls import MAX_POSITIONS, Control, default_of, match_names, name_of

MAX_BYTES = 32_000_000  # frames that would weigh more than this in the browser are not swept
FLOAT32 = 4  # bytes
LIVE_TRIES = 25  # positions that are tried of each control for which the kernel computes
BAR_AFTER = 1.0  # seconds of trying positions, before a progress bar shows


class Explorer(widgets.VBox):
    """Sliders above the matrices that `compute` returns for them.

    Explorer(attend, tokens=["Hello", "shiny", "sun"], temperature=(0.1, 3.0, 0.1))

    compute(**values) returns a matrix, or a dict of named matrices drawn side by side; each is
    (rows, columns) or (heads, rows, columns), a list, an ndarray or a torch tensor; a plain number
    in the dict is written under the pictures. Names with "weights" or "scores" in them are
    coloured as such, all others as vectors (`roles` overrides this). "chances" are bars beside
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
    roles     {"panel": "weights" | "scores" | "vectors" | "chances"}
    bars      how many words of a panel of chances are shown, largest first: {"chances": 5}; None: all,
              in place (as up to 16 are where nothing is said; of more, the 10 largest)
    view      "lines" shows weights as two columns of words joined by lines, or {"weights": "lines"}
    limits    where the colour scale of a panel ends: {"scores": 3.0}; where that shows next to
              nothing, the panel offers a closer one
    overview  two controls, ("layer", "head"): small pictures of the first panel at every position of
              both; a click or Enter on one sets them
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
            _resume(self.controls)
            given = compute, masked, labels, sums, operands, self.controls
            self._computation = Computation(*given)
            self._film = self._first_film()
            self.overview = self._checked(overview)
        self._align_labels()
        self.view = MatrixView(
            controls=[c.widget for c in self._sweeps],
            spec=self._spec(),
            at=self._numeric_values(),
            frames=self._film.frames.tobytes(),
        )
        for c in self._live:
            c.widget.observe(self._recompute, "value")
        self._parts = [self.view, *(c.widget for c in self.controls if c.is_ours)]
        super().__init__([*map(self._with_player, self.controls), self.view])
        self.add_class("attention-explorer")
        self.shown_in = set()  # ids of cells
        _note_made(self)

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
        with style():
            self._still().figure.savefig(Path(path), bbox_inches="tight")

    # -- frames -----------------------------------------------------------------------------

    def _first_film(self):
        """The Film at every position of the controls that can be swept; the others are tried."""
        first = self._computation.at(self.values)
        self._sweeps = [c for c in self.controls if c.positions is not None]
        self._live = [c for c in self.controls if c.positions is None]
        weight = math.prod(c.count for c in self._sweeps) * first[1].size * FLOAT32
        film = self._sweep(first) if self._few_positions() and weight <= MAX_BYTES else None
        if film is None or film.frames.nbytes > MAX_BYTES:
            film = Film([first])
            self._sweeps, self._live = [], self.controls
        start = self.values
        tries = [(c.name, at) for c in self._live for at in c.sample(LIVE_TRIES)]
        for name, position in tools.over(tries, len(tries), _("trying positions"), BAR_AFTER):
            self._computation.at(start | {name: position})
        return film

    def _few_positions(self):
        return math.prod(c.count for c in self._sweeps) <= MAX_POSITIONS

    def _sweep(self, first=None):
        """The Film of every position of the swept controls, the last one turning fastest."""
        names, start = [c.name for c in self._sweeps], self.values
        combinations = itertools.product(*(c.positions for c in self._sweeps))
        count = math.prod(c.count for c in self._sweeps)
        taken = []  # by a loop: at an error, a generator with a name would keep its bar in sight
        for values in tools.over(combinations, count, _("trying every position"), BAR_AFTER):
            taken.append(self._computation.at(start | dict(zip(names, values))))
        if self.stable and first and not _alike(taken[self._index()], first):
            raise ValueError(
                _(
                    "{call} gave other numbers when called again. "
                    "Let it change a copy, such as X.clone(), not what the notebook holds; "
                    "call .eval() on a layer with dropout; seed what is random, or pass stable=False.",
                    call=f"{name_of(self.compute)}({self._computation.said(start)})",
                )
            )
        return Film(taken)

    def _checked(self, overview):
        names = [c.name for c in self._sweeps]
        if overview and (len(overview) != 2 or not set(overview) <= set(names)):
            raise ValueError(
                _(
                    "overview={overview!r} does not name two controls that need no kernel; "
                    "these are: {names}.",
                    overview=overview,
                    names=", ".join(names) or _("none"),
                )
            )
        return list(overview) if overview else None

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
            self.view.error, self.view.at = "", self._numeric_values()
            self.view.spec = self._spec()  # sent only where labels or sizes are others
            self.view.frames = film.frames.tobytes()

    # -- the browser ------------------------------------------------------------------------

    def _spec(self):
        given = self._sweeps, self.decimals, self.overview, self._note()
        return spec_of(self._computation, self._film, *given)

    def _note(self):
        """What stands under the view: how it computes, where it asks the kernel."""
        if not self._live:
            return ""
        if any(c.count is None for c in self._live):
            return _("Computed in the kernel as you type or move.")
        count = math.prod(c.count for c in self._live)
        return _(
            "{count} positions are too many to try beforehand: each is computed as you get there.",
            count=f"{count:,}",
        )

    def _numeric_values(self):
        """Where the live controls stand that are numbers, for sums that divide by one."""
        return {c.name: float(c.value) for c in self._live if c.is_number}

    def _align_labels(self):
        """Give every control's name the same width, so that the sliders stand in line."""
        named = [c.widget for c in self.controls if isinstance(c.widget, DescriptionWidget)]
        for widget in named:
            longest = max(len(w.description) for w in named)
            widget.style.description_width = f"{min(longest, 23) + 1}ch"  # a longer one is cut

    def _with_player(self, control):
        """A slider with its buttons beside it; any other control alone."""
        w = control.widget
        if "Slider" not in w._view_name or len(control.stops) < 3:
            return w
        words, trait = words_of_player(w.description), control.trait
        player = Player(words=words, stops=control.stops, controls=[w], trait_moved=trait)
        row = widgets.HBox([w, player])
        row.add_class("ax-control")
        self._parts += [player, row]
        return row

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

    def _title(self):
        """The first line of the text: the call, and how many positions there are."""
        call = f"{name_of(self.compute)}({self._computation.said(self.values)})"
        if not self.swept:
            return _("Explorer of {call}; computed as you move", call=call)
        count = math.prod(c.count for c in self.controls)
        one = "Explorer of {call}; {count} position, all tried"
        many = "Explorer of {call}; {count} positions, all tried"
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
        note = _("{at}   (run the cell to move it)", at=at) if at else ""
        return plots.panels(*self._shown(), self.decimals, note)

    def _repr_mimebundle_(self, **kwargs):
        self.shown_in.add(_here()[0])
        data = super()._repr_mimebundle_(**kwargs)
        picture = self._still()
        picture.text = repr(self)
        still, about = picture._repr_mimebundle_()
        colab = self.view._repr_mimebundle_()[1]  # where Colab finds what runs our script
        return data | still, colab | about

    def close(self):
        """Free what it holds, in the kernel and in the browser; widgets given as controls stay."""
        self.view.forget()
        self._film = None
        for widget in self._parts:
            for part in (getattr(widget, "layout", None), getattr(widget, "style", None), widget):
                if part is not None:
                    part.close()
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

_made = {}  # by the id of a cell: (execution, Explorer) of what it made last
_before = {}  # by the id of a cell: (execution, controls of each Explorer that an earlier one made)


def _here():
    """(id of the cell, id of this execution of it); (None, None) outside a notebook."""
    parent = getattr(get_ipython(), "get_parent", dict)() or {}
    return parent.get("metadata", {}).get("cellId"), parent.get("header", {}).get("msg_id")


def _resume(controls):
    """Put controls where an earlier run of the same cell left those that are the same."""
    cell, execution = _here()
    if cell is None:
        return
    made = _made.get(cell, [])
    if (
        _before.get(cell, (None,))[0] != execution
    ):  # its first Explorer: those of before still stand
        _before[cell] = execution, [old.controls for run, old in made if run != execution]
    earlier, place = _before[cell][1], sum(run == execution for run, old in made)
    for old in earlier[place] if place < len(earlier) else []:
        for new in controls:
            new.resume(old)


def _note_made(explorer):
    """Note who made it, and close what an earlier run of the same cell made and showed only there."""
    cell, execution = _here()
    if cell is None:
        return
    kept = []
    for run, old in _made.get(cell, []):
        if run == execution or old.shown_in - {cell}:
            kept.append((run, old))
        else:
            old.close()
    _made[cell] = [*kept, (execution, explorer)]
