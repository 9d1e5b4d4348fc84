"""The one live widget: sliders over matrices that the learner's own function computes."""

import contextlib
import io
import itertools
import math

import ipywidgets as widgets
import numpy as np

from .. import _, plural, tools
from ..pictures import plots
from ..pictures.frames import check_decimals, saying
from ..pictures.text import as_text, rounded
from . import reruns
from .browser import MatrixView, check_overview, sent
from .computation import Computation
from .controls import MAX_POSITIONS, Control, align_names, default_of, match_names
from .film import Film

MAX_BYTES = 32_000_000  # of all frames: the browser holds them
FLOAT32 = 4  # bytes
BAR_AFTER = 1.0  # seconds of computing frames before a progress bar appears


class Explorer(widgets.VBox):
    """Sliders above the matrices that `compute` returns for them.

    Explorer(attend, tokens=["Hello", "shiny", "sun"], temperature=(0.1, 3.0, 0.1))

    compute(**values) returns a matrix, or a dict of named matrices that are drawn side by side.
    Each is (rows, columns) or (heads, rows, columns), as a list, an ndarray or a torch tensor. A
    plain number in the dict is written below the pictures. Names that contain "weights" or "scores"
    get the colours of these, all others those of vectors (`roles` overrides this). "probabilities"
    are bars beside their words: (words), or (series, words) with a bar for each series.

    When the cell runs, compute is called for every combination of slider settings, and the browser
    then needs no kernel to move the sliders. For a control with free text, the kernel computes
    whenever the text changes, for all settings of the other controls.

    tokens    labels of the queries, and of the keys
    rows, columns   labels of one panel, if they are not the tokens: {"context": ["x1", "x2"]};
              rows="shiny" names the row of every matrix with a single row.
              Any of these, and each in the dict, may be a function of some or all of the controls
              that returns the labels; the matrices may then grow and shrink with them
    masked    True where a query may not see a key: a matrix, or a function of compute's arguments
    hatched   what these cells are called, if they are hidden for another reason: "not there"
    sums      the sum behind each cell, which the read-out shows and a click opens: {"scores":
              "X @ X.T"}; checked at every setting. Also "softmax(A / t)", "A * b", "A - B",
              "sum(A)". Bars of probabilities have none
    operands  matrices that `sums` names and compute does not return: {"X": X}
    head_names  of the heads or planes of a panel: {"clock": ["fast", "slow"]}
    roles     {"panel": "weights" | "scores" | "vectors" | "probabilities"}
    bars      how many words of probabilities are shown, largest first: {"probabilities": 5};
              None shows all, in order. By default all if there are at most 16, else the 10 largest
    view      how a panel is drawn at first: {"weights": "arcs"}. "table"; "lines" between queries and
              keys, or "arcs" over a sentence, for weights; or a function from the numbers of a panel
              to shapes: `arrows` of helpers.pictures.drawings for vectors of two components, those
              of ideas.py and stories.py, or one of yours, as docs/api.md shows. A number with such a
              view is a panel, too
    limits    where the colour scale of a panel ends: {"scores": 3.0}, even if numbers exceed it. By
              default weights end at 1, and others at the largest number of their role
    overview  two controls, ("layer", "head"): small pictures of the first panel at all settings of
              both; a click or Enter on a picture selects it
    decimals  of the numbers in the cells
    stable    False if numbers differ from machine to machine: the text output leaves them out
    **controls   as in ipywidgets.interact: (lowest, highest, step), choices, True or False, widgets.
              A control starts at the default of compute's argument, if there is one

    Raises TypeError or ValueError, naming the setting, if compute and the controls do not fit, if
    there are more than 5,000 settings or 32 MB of frames, if compute raises an error, if its
    matrices do not fit the labels or hold NaN or ±∞ outside the mask, or if a second call returns
    other numbers (unless stable=False).
    """

    _ipython_display_ = None  # that of ipywidgets 7 would show neither still picture nor numbers
    _parts = ()  # all widgets that were created for it

    def __init__(
        self,
        compute,
        tokens,
        *,
        rows=None,
        columns=None,
        masked=None,
        hatched=None,
        sums=None,
        operands=None,
        head_names=None,
        roles=None,
        bars=None,
        view=None,
        limits=None,
        overview=None,
        decimals=2,
        stable=True,
        **controls,
    ):
        self.compute, self.decimals, self.stable, self._hatched = compute, decimals, stable, hatched
        labels = dict(tokens=tokens, rows=rows, columns=columns, head_names=head_names)
        labels |= dict(roles=roles, limits=limits, bars=bars, view=view)
        with saying(type(self).__name__):
            check_decimals(decimals)
            match_names(compute, list(controls))
            self.controls = [Control(n, x, default_of(compute, n)) for n, x in controls.items()]
            self._computation = Computation(compute, masked, labels, sums, operands, self.controls)
            self._film = self._first_film()
            self.overview = check_overview(overview, self._sweeps)
            given = self._sent(self._film)
        align_names(self.controls)
        self.view = MatrixView(controls=[c.widget for c in self._sweeps], **given)
        for c in self._live:
            c.widget.observe(self._recompute, "value")
        above = widgets.VBox([c.widget for c in self.controls])
        above.add_class("ax-controls")
        self._parts = [self.view, above, *(c.widget for c in self.controls if c.is_ours)]
        super().__init__([above, self.view])
        self.add_class("attention-explorer")
        self.shown_in = set()  # ids of cells
        reruns.replace_with(self)

    @property
    def values(self):
        """The present values of the controls, with which compute is called."""
        return {c.name: c.value for c in self.controls}

    def save(self, path):
        """Save the present frame as a picture: "weights.svg", or with the suffix .png or .pdf."""
        self._still().save(path)

    # -- frames -----------------------------------------------------------------------------

    def _first_film(self):
        """The Film over all settings of the controls that can be swept; the others are live."""
        self._sweeps = [c for c in self.controls if c.positions is not None]
        self._live = [c for c in self.controls if c.positions is None]
        first = self._computation.at(self.values)
        check_size(math.prod(c.count for c in self._sweeps), first.row.size)
        return self._sweep(first)

    def _sweep(self, first=None):
        """The Film over all settings of the swept controls; the last control varies fastest."""
        names, start = [c.name for c in self._sweeps], self.values
        combinations = itertools.product(*(c.positions for c in self._sweeps))
        count = math.prod(c.count for c in self._sweeps)
        after = BAR_AFTER if first else math.inf  # later on, removing a bar would clear the output
        # A plain loop, not a list comprehension over a named generator: if compute raises, the
        # traceback would keep that generator alive, and its progress bar would stay on the page.
        taken = []
        with contextlib.redirect_stdout(io.StringIO()):  # the first frame has shown what it prints
            for values in tools.over(combinations, count, _("testing every setting"), after):
                taken.append(self._computation.at(start | dict(zip(names, values))))
        if self.stable and first and not _alike(taken[self._index()], first):
            message = _(
                "{call} returned different numbers when it was called again with the same "
                "values. Let it change a copy, such as X.clone(), instead of a tensor of the "
                "notebook; call .eval() on a layer with dropout; set a seed where something is "
                "random, or pass stable=False."
            )
            raise ValueError(message.format(call=self._computation.call_at(start)))
        film = Film(taken, self._sweeps)
        check_size(*film.frames.shape)
        return film

    def _recompute(self, change):
        """Live: show the new frames, or why there are none; the last good picture then stays."""
        try:
            with saying(type(self).__name__):
                film = self._sweep()
                given = self._sent(film)
        except (TypeError, ValueError) as error:
            self.view.error = str(error)
            return
        self._film = film
        with self.view.hold_sync():
            self.view.error = ""
            for name, value in given.items():
                setattr(self.view, name, value)

    # -- the browser ------------------------------------------------------------------------

    def _sent(self, film):
        """What the view receives: the frames and everything about them."""
        look = {"decimals": self.decimals, "overview": self.overview, "hatched": self._hatched}
        return sent(self._computation, film, note=self._note(), **look)

    def _note(self):
        """The note below the view: that the kernel computes, if it does."""
        return _("Computed in the kernel as you type or move.") if self._live else ""

    # -- where there is no browser ----------------------------------------------------------

    def _index(self):
        """The index of the swept frame at the controls' present values."""
        index = 0
        for c in self._sweeps:
            index = index * c.count + c.position
        return index

    def _shown(self):
        """(panel, array) pairs and numbers of the frame at the controls' present values."""
        pairs, tail = self._film.shown(self._index())
        numbers = [int(x) if is_whole else x for x, is_whole in zip(tail, self._film.whole)]
        return pairs, dict(zip(self._computation.numbers, numbers))

    def _title(self):
        """The first line of the text: the call, and the number of settings."""
        call = self._computation.call_at(self.values)
        if self._live:
            return _("Explorer of {call}; computed as you move", call=call)
        count = math.prod(c.count for c in self.controls)
        return plural(
            "Explorer of {call}; {n:,} setting, tested",
            "Explorer of {call}; {n:,} settings, all tested",
            count, call=call,
        )  # fmt: skip

    def __repr__(self):
        """The present frame in words and rounded numbers, the same on every run."""
        lines = [self._title()]
        pairs, numbers = self._shown()
        if self.stable:
            lines += [as_text(p, a, self.decimals) for p, a in pairs]
            lines += [f"{n} = {rounded(x, self.decimals)}" for n, x in numbers.items()]
        else:
            lines += [f"{p.name}: {' × '.join(map(str, p.shape))}" for p, a in pairs]
        return "\n".join(lines)

    def _still(self):
        pairs, numbers = self._shown()
        at = "  ".join(f"{k} = {v}" for k, v in self.values.items())
        return plots.panels(pairs, numbers, self.decimals, at)

    def _repr_mimebundle_(self, **kwargs):
        self.shown_in.add(reruns.here().cell)
        picture = self._still()
        picture.text = repr(self)
        still, about = picture._repr_mimebundle_()
        colab = self.view._repr_mimebundle_()[1]  # here Colab finds what loads our script
        return tools.view_of(self) | still, colab | about

    def close(self):
        """Free its memory in the kernel and in the browser; widgets passed as controls stay."""
        parts, self._parts = self._parts, ()
        if parts:  # none if it was never completed, or is closed already
            self.view.forget()
            self._film = None
            # a widget that was passed in lives on, and must not compute for this one
            for c in self._live:
                c.widget.unobserve(self._recompute, "value")
            looks = [getattr(w, name, None) for w in (*parts, self) for name in ("layout", "style")]
            for widget in filter(None, (*looks, *parts)):
                widget.close()
        super().close()


def check_size(settings, numbers):
    """Raise ValueError if a page cannot hold so many settings, each with so many numbers."""
    if settings > MAX_POSITIONS or settings * numbers * FLOAT32 > MAX_BYTES:
        text = _("{n:,} settings of {numbers:,} numbers are too many; give a slider larger steps.")
        raise ValueError(text.format(n=settings, numbers=numbers))


def _alike(one, other):
    """Whether two calls at the same setting gave the same numbers."""
    a, b = one.row, other.row
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-4, atol=1e-6, equal_nan=True)
