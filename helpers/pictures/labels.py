"""What a notebook says about its matrices: labels, roles, scales, and how to show them."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Real

import numpy as np

from .. import _
from .frames import dict_by_name, if_batch
from .roles import ROLES, role_of
from .text import readable, shortened
from .views import VIEWS, own_view, views_that_fit

TABLE_SIDE, TABLE_CELLS = 16, 400  # larger matrices are shown without numbers in their cells
BARS = 10  # how many bars by default, if there are more words than a table has columns
MOST_SERIES = 4


@dataclass(frozen=True)
class Panel:
    """One named matrix of the Explorer: (rows, columns), or (heads, rows, columns)."""

    name: str
    role: str
    shape: tuple
    rows: list
    columns: list
    limit: float | None  # where its colour scale ends; None until with_scales has seen the values
    reads: str  # what its caption says about rows and columns
    view: str = "table"  # or another of VIEWS
    views: tuple = ("table",)  # those that the page offers
    bars: int | None = None  # of probabilities, only the largest ones; None: all, in order
    span: tuple = (0.0, 0.0)  # (lowest, highest) of its values and 0
    heads: tuple = ()  # the names of its heads, or of its planes
    x: np.ndarray | None = None  # (heads, rows, columns, settings): its numbers, for a view
    settings: dict = field(default_factory=dict)  # control → its value at each setting (settings,)
    moving: tuple | None = None  # for a still: (the panel with x, the index of a setting)
    decimals: int = 2  # of the numbers that a view writes
    own: Callable | None = None  # a view that is a function

    @property
    def size(self):
        return int(np.prod(self.shape))

    @property
    def has_keys(self):
        """Whether its rows are queries that attend to keys, some of which may be masked."""
        return ROLES[self.role].has_keys

    @property
    def is_picture(self):
        """Whether it has too many cells to be a table in the browser."""
        too_many = max(self.shape[-2:]) > TABLE_SIDE or self.size > TABLE_CELLS
        return too_many and self.role != "probabilities"

    @property
    def has_others(self):
        """Whether its last bar stands for all words that have none of their own."""
        return self.bars is not None and len(self.rows) > self.bars

    def looks(self):
        """The View of each name, its own one included."""
        return VIEWS | ({self.own.__name__: own_view(self.own)} if self.own else {})

    def in_view(self, view):
        """The panel with the views that fit it; it begins with `view` if that is one of them."""
        fit = [*views_that_fit(self), *([self.own.__name__] if self.own else [])]
        return replace(self, views=tuple(fit), view=view if view in fit else fit[0])


@dataclass
class Labels:
    """What the notebook says about the panels; every part has a default."""

    tokens: list
    rows: dict | str | None = None  # a string names the row of every matrix that has one row
    columns: dict | None = None
    roles: dict | None = None
    limits: dict | None = None
    bars: dict | None = None
    head_names: dict | None = None
    view: dict | None = None

    def __post_init__(self):
        self.tokens = _list_of_labels("tokens", self.tokens, words_only=True)
        if not self.tokens:
            raise ValueError(_("tokens is empty; give at least one word to label the rows."))
        self.only_row = ""
        if isinstance(self.rows, str):
            self.only_row, self.rows = self.rows, None
        for what in BY_NAME:
            setattr(self, what, dict_by_name(what, getattr(self, what), '{"weights": …}'))
        for what in ("rows", "columns", "head_names"):
            given = getattr(self, what).items()
            setattr(self, what, {n: _list_of_labels(f"{what}['{n}']", x) for n, x in given})
        for name, role in self.roles.items():
            _check_one_of(f"roles['{name}']", role, ROLES)
        for view in filter(callable, self.view.values()):
            if getattr(view, "__name__", "<lambda>") in (*VIEWS, "<lambda>"):
                told = {"name": getattr(view, "__name__", view)}
                text = _("the view '{name}' needs a name of its own: def my_view(panel): …")
                raise ValueError(text.format(**told))
        for what, kind in (("limits", Real), ("bars", int | None)):
            for name, x in getattr(self, what).items():
                if not isinstance(x, kind) or not (x is None or 0 < x < np.inf):
                    told = {"what": what, "name": name, "x": x}
                    raise ValueError(_("{what}['{name}']={x!r} is not a number above 0.", **told))

    def panels(self, matrices):
        """A Panel for each named matrix; ValueError if a label refers to none of them."""
        for what in BY_NAME:
            for name in getattr(self, what).keys() - matrices.keys():
                told = {"what": what, "name": name, "names": ", ".join(matrices)}
                raise ValueError(_("{what} names '{name}', but the matrices are: {names}.", **told))
        return [self.panel(name, matrix.shape) for name, matrix in matrices.items()]

    def panel(self, name, shape):
        """The Panel for a matrix of this name and shape; ValueError if the labels do not fit."""
        role = self.roles.get(name, role_of(name))
        if role == "probabilities" and (len(shape) > 2 or shape[0] > MOST_SERIES):
            told = {"name": name, "shape": tuple(shape), "most": MOST_SERIES}
            text = _("'{name}' has shape {shape}; expected (series, words), at most {most} series.")
            raise ValueError(text.format(**told) + if_batch(len(shape) > 2))
        n_rows, n_columns = shape[-2:]
        one_row = role == "probabilities" or n_rows == 1 < len(self.tokens)
        rows = self.rows.get(name, [self.only_row] if one_row else self.tokens)
        across = [f"x{i + 1}" for i in range(n_columns)] if role == "vectors" else self.tokens
        asked = self.view.get(name, "")
        own = asked if callable(asked) else None
        asked = own.__name__ if own else asked
        # Columns with labels of their own, such as the words that might come next, are not keys.
        reads = ROLES[role].reads if role == "vectors" or name not in self.columns else ""
        if own and shape == (1, 1) and role == "vectors":
            across, reads = [""], ""  # a single number has the panel's name
        columns = self.columns.get(name, across)
        self._check_count(name, "rows", rows, n_rows)
        self._check_count(name, "columns", columns, n_columns)
        limit = self.limits.get(name)
        rows, columns = list(map(readable, rows)), list(map(readable, columns))
        count = shape[0] if len(shape) == 3 else 0
        heads = [_("head {number}", number=h + 1) for h in range(count)]
        heads = self.head_names.get(name, heads)
        self._check_count(name, "head_names", heads, count)
        heads = tuple(map(readable, heads))
        limit = limit and float(limit)
        panel = Panel(name, role, tuple(shape), rows, columns, limit, reads, heads=heads, own=own)
        if role == "probabilities":
            panel = self._with_bars(panel)
        shown = panel.in_view(asked)
        if asked:
            _check_one_of(f"view['{name}']", asked, shown.views)
        return shown

    def _check_count(self, name, side, labels, count):
        """Raise ValueError unless there are as many labels as rows, or as columns."""
        if len(labels) != count:
            some = [shortened(str(label)) for label in labels[:4]]
            if len(labels) > 4:
                some.append("…")
            told = {"name": name, "count": count, "side": side, "there": len(labels)}
            told["mend"] = f'{side}={{"{name}": […]}}'
            text = _(
                "'{name}' has {count} {side}, but there are {there} labels for them ({some}). "
                "Change one of the two, or pass {mend}."
            )
            raise ValueError(text.format(some=", ".join(some), **told))

    def _with_bars(self, panel):
        """A panel of probabilities with its number of bars, which its caption names."""
        words = panel.shape[-1]
        bars = self.bars.get(panel.name, BARS if words > TABLE_SIDE else None)
        if bars is None:
            return replace(panel, reads="")
        some = _("the {n} largest", n=bars) if bars < words else _("largest first")
        by = _(", by the first series") if panel.shape[0] > 1 else ""
        return replace(panel, bars=bars, reads=some + by)


BY_NAME = "rows columns head_names roles limits bars view".split()  # dicts by matrix name


def _check_one_of(what, given, known):
    if given not in known:
        told = {"what": what, "given": given, "known": ", ".join(known)}
        raise ValueError(_("{what}={given!r}, expected one of: {known}.", **told))


def _list_of_labels(what, given, words_only=False):
    with contextlib.suppress(TypeError):
        labels = None if isinstance(given, (str, bytes)) else list(given)
        if labels is not None and all(isinstance(x, str) or not words_only for x in labels):
            return labels
    told = {"what": what, "given": given}
    raise TypeError(_('{what}={given!r} is not a list of words; write ["Hello", …].', **told))
