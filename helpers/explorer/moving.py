"""Labels that depend on where the controls stand, and matrices that grow and shrink with them.

A frame has room for each matrix at its largest. Where one is smaller, it stands in the upper left
corner; what is beyond is NaN, and known to be no cell by the labels, which end there.
"""

import inspect
from dataclasses import replace

import numpy as np

from ..pictures.frames import saying
from ..pictures.labels import Labels
from .controls import match_names


class MovingLabels:
    """Labels of which some are functions of the controls; `at` asks them."""

    moves = True

    def __init__(self, given, names):
        """given: what Labels takes, by name; names: of the controls, some of which a function takes."""
        self.given = given
        self._asks = {}  # by what a function is given for: the names that it takes
        for what, function in _functions(given):
            takes = inspect.signature(function).parameters.values()
            takes_any = any(p.kind is p.VAR_KEYWORD for p in takes)
            self._asks[what] = [n for n in names if takes_any or n in {p.name for p in takes}]
            match_names(function, self._asks[what], what)

    def at(self, ask):
        """The Labels of one position; ask(function, what it is given for, names) calls one."""

        def told(what, x):
            return ask(x, what, self._asks[what]) if callable(x) else x

        found = {what: told(what, x) for what, x in self.given.items()}
        for what in ("rows", "columns"):
            if isinstance(found[what], dict):
                found[what] = {n: told(f"{what}[{n!r}]", x) for n, x in found[what].items()}
        return Labels(**found)


def labels_of(names, **given):
    """Labels, or MovingLabels where one of them is a function."""
    if any(_functions(given)):
        return MovingLabels(given, names)
    with saying("Explorer"):
        return Labels(**given)


def _functions(given):
    """(what it is given for, function) of each function among these."""
    for what in ("tokens", "rows", "columns"):
        x = given[what]
        by_name = {f"{what}[{n!r}]": v for n, v in x.items()} if isinstance(x, dict) else {what: x}
        yield from ((name, f) for name, f in by_name.items() if callable(f))


class Film:
    """The frames of all positions, each matrix with room for its largest.

    frames   (positions, numbers in a frame), float32; `bytes` are the same
    panels   a Panel for each matrix, at its largest
    stands   the panels at each position
    """

    def __init__(self, taken):
        """taken: (panels, row of numbers) of each position, as Computation.at gives them."""
        self.stands = [panels for panels, _ in taken]
        self.panels = [_largest(same) for same in zip(*map(tuple, self.stands))]
        if all(panels is self.stands[0] for panels in self.stands):
            frames = np.stack([row for _, row in taken])
        else:
            frames = self._padded(taken)
        self.bytes = frames.tobytes()
        self.frames = np.frombuffer(self.bytes, np.float32).reshape(frames.shape)

    def _padded(self, taken):
        frames = np.full((len(taken), self._size(taken[0])), np.nan, np.float32)
        for frame, (panels, row) in zip(frames, taken):
            arrays, tail = split(row, panels)
            places, end = split(frame, self.panels)
            for place, array in zip(places, arrays):
                place[..., : array.shape[-2], : array.shape[-1]] = array
            end[:] = tail
        return frames

    def _size(self, first):
        panels, row = first
        return sum(p.size for p in self.panels) + len(row) - sum(p.size for p in panels)

    def shown(self, index):
        """([(panel, array), …], other numbers) at one position, without what is no cell."""
        arrays, tail = split(self.frames[index], self.panels)
        cut = [
            (p, a[..., : p.shape[-2], : p.shape[-1]]) for p, a in zip(self.stands[index], arrays)
        ]
        return cut, tail

    def labels(self):
        """For each panel whose labels move: {"rows": the lists there are, "columns": …, "at": [(which
        of the rows, which of the columns) at each position]}; None for the others."""
        return [_moving([panels[i] for panels in self.stands]) for i in range(len(self.panels))]


def split(row, panels):
    """(arrays, other numbers) of one row of numbers: views of it, not copies."""
    *parts, tail = np.split(row, np.cumsum([p.size for p in panels]))
    return [part.reshape(p.shape) for part, p in zip(parts, panels)], tail


def _largest(same):
    """One panel at its largest, of what it is at each position."""
    if all(panel is same[0] for panel in same):
        return same[0]
    rows = max((p.rows for p in same), key=len)
    columns = max((p.columns for p in same), key=len)
    shape = (*same[0].shape[:-2], len(rows), len(columns))
    reads = same[0].reads
    if any(p.reads != reads for p in same):  # "the 8 largest, by true" names a series: which moves
        reads = f"{reads.partition(', by ')[0]}, by the first series"
    large = replace(same[0], rows=rows, columns=columns, shape=shape, reads=reads)
    # Too large for lines at one position, it is a table, or a picture, at all of them.
    lines = all(p.view == "lines" for p in same) and large.can_be_lines
    return replace(large, view="lines" if lines else "table")


def _moving(same):
    if all(panel is same[0] for panel in same):
        return None
    found = {"rows": {}, "columns": {}}  # lists of labels, each with its number
    at = [[_number(found[side], getattr(panel, side)) for side in found] for panel in same]
    if all(len(lists) == 1 for lists in found.values()):
        return None
    return {side: [list(labels) for labels in lists] for side, lists in found.items()} | {"at": at}


def _number(found, labels):
    """Which of the lists that were found this one is; from now on, if it is a new one."""
    return found.setdefault(tuple(labels), len(found))
