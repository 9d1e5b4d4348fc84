"""What a notebook says of its matrices: labels, roles, scales, and how they are to be seen."""

import contextlib
from dataclasses import dataclass
from numbers import Real

import numpy as np

from .frames import dict_by_name, if_batch
from .roles import ROLES, role_of
from .text import readable, shortened

TABLE_SIDE, TABLE_CELLS = 16, 600  # past this, a matrix is a picture without numbers in its cells
BARS = 10  # of more words than a table has columns, so many get a bar where nothing else is said
MOST_BARS, MOST_SERIES = 60, 4
VIEWS = ("table", "lines")


@dataclass(frozen=True)
class Panel:
    """One named matrix of the Explorer: (rows, columns), or (heads, rows, columns)."""

    name: str
    role: str
    shape: tuple
    rows: list
    columns: list
    limit: float
    reads: str  # what its caption says of rows and columns
    view: str = "table"  # or "lines"
    bars: int | None = None  # of chances: so many, largest first; None: all, in place

    @property
    def size(self):
        return int(np.prod(self.shape))

    @property
    def has_keys(self):
        """Whether its rows are queries that look at keys, some of which may be masked."""
        return ROLES[self.role].has_keys

    @property
    def is_picture(self):
        """Whether it has too many cells for a table in the browser."""
        too_many = max(self.shape[-2:]) > TABLE_SIDE or self.size > TABLE_CELLS
        return too_many and self.role != "chances"

    @property
    def can_be_lines(self):
        """Whether its rows and columns can be shown as words joined by lines."""
        return self.role == "weights" and not self.is_picture


@dataclass
class Labels:
    """What the notebook says about the panels; any part may be left to the default."""

    tokens: list
    rows: dict | str | None = None  # a word names the row of every matrix with a single one
    columns: dict | None = None
    roles: dict | None = None
    limits: dict | None = None
    bars: dict | None = None
    view: dict | str | None = None  # a word is meant for all that can be lines

    moves = False  # whether they depend on where the controls stand

    def __post_init__(self):
        self.tokens = _list_of_labels("tokens", self.tokens)
        if not all(isinstance(token, str) for token in self.tokens):
            raise TypeError(
                f'tokens={self.tokens!r} is not a list of words; write tokens=["Hello", …].'
            )
        if not self.tokens:
            raise ValueError("tokens is empty; give at least one word to label the rows.")
        self.only_row = self.rows if isinstance(self.rows, str) else ""
        self.rows = None if isinstance(self.rows, str) else self.rows
        self.view_of_all = self.view if isinstance(self.view, str) else "table"
        self.view = None if isinstance(self.view, str) else self.view
        for what, example in _BY_NAME.items():
            setattr(self, what, dict_by_name(what, getattr(self, what), example))
        for what in ("rows", "columns"):
            given = getattr(self, what).items()
            setattr(self, what, {n: _list_of_labels(f"{what}['{n}']", v) for n, v in given})
        for name, role in self.roles.items():
            if role not in ROLES:
                raise ValueError(f"roles['{name}']={role!r}, expected one of: {', '.join(ROLES)}.")
        for name, limit in self.limits.items():
            if not isinstance(limit, Real) or not 0 < limit < np.inf:
                raise ValueError(f"limits['{name}']={limit!r} must be a number above 0.")
        for name, bars in self.bars.items():
            if bars is not None and (type(bars) is not int or not 0 < bars <= MOST_BARS):
                raise ValueError(
                    f"bars['{name}']={bars!r} is not how many bars to show, from 1 to {MOST_BARS}; "
                    "None shows all of them, in place."
                )
        for said in (self.view_of_all, *self.view.values()):
            if said not in VIEWS:
                raise ValueError(f"view={said!r}, expected one of: {', '.join(VIEWS)}.")

    def at(self, _):
        """The labels at one position of the controls: these at all, as they do not move."""
        return self

    def panels(self, matrices):
        """A Panel for each named matrix; ValueError where a label names none of them."""
        for what in _BY_NAME:
            for name in getattr(self, what):
                if name not in matrices:
                    raise ValueError(
                        f"{what} names '{name}', but the matrices are: {', '.join(matrices)}."
                    )
        return [self.panel(name, matrix.shape) for name, matrix in matrices.items()]

    def panel(self, name, shape):
        """The Panel for a matrix of this name and shape; ValueError where labels do not fit it."""
        role = self.roles.get(name, role_of(name))
        *_, n_rows, n_columns = shape
        tokens = self.tokens
        if role == "chances":
            self._check_series(name, shape)
        rows = self.rows.get(name, tokens if n_rows != 1 or len(tokens) == 1 else [self.only_row])
        if role == "chances" and n_rows == 1 and name not in self.rows:
            rows = [self.only_row]
        across = tokens if role != "vectors" else [f"x{i + 1}" for i in range(n_columns)]
        columns = self.columns.get(name, across)
        for side, labels, count in (("rows", rows, n_rows), ("columns", columns, n_columns)):
            if len(labels) != count:
                advice = f'mend the matrix, or pass {side}={{"{name}": […]}}.'
                if labels is tokens:
                    advice = f"pass tokens=[…] with {count} words, {advice}"
                raise ValueError(
                    f"'{name}' has {count} {side}, but there are {len(labels)} labels for them "
                    f"({_some(labels)}). {advice[0].upper()}{advice[1:]}"
                )
        limit = float(self.limits.get(name, ROLES[role].limit))
        rows, columns = [readable(r) for r in rows], [readable(c) for c in columns]
        # Columns of its own, such as the words that might come next, are no keys.
        reads = ROLES[role].reads if role == "vectors" or name not in self.columns else ""
        panel = Panel(name, role, tuple(shape), rows, columns, limit, reads)
        return self._seen(panel)

    def _check_series(self, name, shape):
        """ValueError unless a panel of chances has one series, or a few that have names."""
        if len(shape) > 2 or shape[0] > MOST_SERIES:
            raise ValueError(
                f"'{name}' has shape {tuple(shape)}; chances are (words), or (series, words) with at "
                f"most {MOST_SERIES} series.{if_batch(len(shape) > 2)}"
            )
        if shape[0] > 1 and name not in self.rows:
            raise ValueError(
                f"'{name}' has {shape[0]} series of chances; name them, such as "
                f'rows={{"{name}": ["true", "model"]}}.'
            )

    def _seen(self, panel):
        """The panel as it is to be shown; ValueError where it cannot be."""
        name, words = panel.name, panel.shape[-1]
        changed = {}
        if panel.role == "chances":
            bars = self.bars.get(name, BARS if words > TABLE_SIDE else None)
            if bars is None and words > MOST_BARS:
                raise ValueError(
                    f"'{name}' has {words} words, too many for a bar each; pass "
                    f'bars={{"{name}": {BARS}}} for the largest.'
                )
            by = f", by {panel.rows[0]}" if panel.shape[0] > 1 else ""
            some = f"the {bars} largest{by}" if bars and bars < words else f"largest first{by}"
            changed = {"bars": bars, "reads": some if bars else ""}
        elif name in self.bars:
            raise ValueError(
                f"bars names '{name}', which is no panel of chances; "
                f'pass roles={{"{name}": "chances"}} if it is.'
            )
        if self.view.get(name, self.view_of_all) == "lines" and panel.can_be_lines:
            changed["view"] = "lines"
        elif self.view.get(name) == "lines":
            why = (
                "it has too many cells; up to 16 × 16, and 600 in all, can be lines"
                if panel.role == "weights"
                else 'only weights can be lines; is it, pass roles={"…": "weights"}'
            )
            raise ValueError(f"view asks for lines in '{name}', but {why}.")
        return Panel(**vars(panel) | changed)


_BY_NAME = {
    "rows": '{"weights": …}',
    "columns": '{"weights": …}',
    "roles": '{"weights": …}',
    "limits": '{"weights": …}',
    "bars": '{"chances": 5}',
    "view": '{"weights": "lines"}',
}


def _list_of_labels(what, given):
    with contextlib.suppress(TypeError):
        if not isinstance(given, (str, bytes)):
            return list(given)
    raise TypeError(f'{what}={given!r} is not a list of words; write ["Hello", …].')


def _some(labels):
    shown = ", ".join(shortened(str(x)) for x in list(labels)[:4])
    return shown + (", …" if len(labels) > 4 else "")
