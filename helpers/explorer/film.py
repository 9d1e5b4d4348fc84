"""The frames of an Explorer: all numbers at all settings of its controls, in one array."""

from dataclasses import replace

import numpy as np

from ..pictures.roles import with_scales


class Film:
    """The frames at all settings, in which each matrix has room for its largest size.

    A smaller matrix fills the upper left corner. The rest is NaN, and the labels, which end
    earlier, show that there are no cells.

    frames   (settings, numbers in a frame), float32
    whole    for each number that is no matrix, whether it needs no decimals at any setting
    hides    whether any cell is masked, at any setting
    panels   a Panel for each matrix, at its largest; span and limit cover all settings
    stands   the panels at each setting
    """

    def __init__(self, taken, swept):
        """taken: the Frame at each setting of the `swept` controls, as Computation.at returns it."""
        self.swept = swept
        self.stands = [frame.panels for frame in taken]
        self.hides = any(np.isnan(frame.row).any() for frame in taken)
        self.panels = [_largest(same) for same in zip(*self.stands)]
        numbers = len(taken[0].row) - sum(p.size for p in taken[0].panels)
        size = sum(p.size for p in self.panels)
        self.frames = np.full((len(taken), size + numbers), np.nan, np.float32)
        for row, frame in zip(self.frames, taken):
            places, end = _split(row, self.panels)
            arrays, end[:] = _split(frame.row, frame.panels)
            for place, array in zip(places, arrays):
                place[..., : array.shape[-2], : array.shape[-1]] = array
        self.whole = (self.frames[:, size:] % 1 == 0).all(axis=0).tolist()
        columns = np.split(self.frames, np.cumsum([p.size for p in self.panels]), axis=1)
        self.panels = with_scales(self.panels, columns[:-1])

    def shown(self, index):
        """([(panel, array), …], other numbers) at one setting, without the unused room."""
        arrays, tail = _split(self.frames[index], self.panels)
        pairs = []
        for i, (panel, array) in enumerate(zip(self.stands[index], arrays)):
            large = self.panels[i]
            look = {"limit": large.limit, "span": large.span, "view": large.view}
            if large.looks()[large.view].shapes:
                look["moving"] = self.numbers(i)[0], index
            pairs.append((replace(panel, **look), array[..., : panel.shape[-2], : panel.shape[-1]]))
        return pairs, tail

    def numbers(self, i):
        """(panel, index): the i-th panel with its numbers and labels at all settings, for a view.

        A label that changes is a list, with "" where there is none. index: of its first number in a
        frame.
        """
        panel, start = self.panels[i], sum(panel.size for panel in self.panels[:i])
        x = self.frames[:, start : start + panel.size].astype(float)
        x = np.moveaxis(x.reshape(len(x), -1, *panel.shape[-2:]), 0, -1)
        sides = {"settings": self._settings()}
        for side, count in zip(("rows", "columns"), panel.shape[-2:]):
            sides[side] = _over_settings(
                [getattr(panels[i], side) for panels in self.stands], count
            )
        return replace(panel, x=x, **sides), start

    def _settings(self):
        """{control: its value at each setting} of those whose values are numbers."""
        if not self.swept:
            return {}
        places = np.unravel_index(range(len(self.frames)), [c.count for c in self.swept])
        at = zip(self.swept, places)
        return {c.name: np.array(c.numeric)[place] for c, place in at if c.numeric}

    def labels(self, i):
        """{"rows", "columns"}: the labels of the i-th panel at each setting, or once for them all."""
        found = {}
        for side in ("rows", "columns"):
            labels = [list(getattr(panels[i], side)) for panels in self.stands]
            found[side] = labels if any(other != labels[0] for other in labels) else labels[:1]
        return found


def _over_settings(labels, count):
    """Each of `count` labels, or a list of it at all settings if it changes, "" where it is not."""
    words = zip(*([*map(str, shown), *[""] * (count - len(shown))] for shown in labels))
    return [word[0] if len(set(word)) == 1 else list(word) for word in words]


def _split(row, panels):
    """(arrays, other numbers) of one row of numbers: views of it, not copies."""
    *parts, tail = np.split(row, np.cumsum([p.size for p in panels]))
    return [part.reshape(p.shape) for part, p in zip(parts, panels)], tail


def _largest(same):
    """The panel at its largest, from the panels at all settings."""
    first = same[0]
    if all(panel is first for panel in same):
        return first
    rows, columns = (max((getattr(p, side) for p in same), key=len) for side in ("rows", "columns"))
    shape = (*first.shape[:-2], len(rows), len(columns))
    large = replace(first, rows=rows, columns=columns, shape=shape).in_view(first.view)
    # A view that does not fit at one setting, because the matrix is too large, is not offered.
    fit = tuple(v for v in large.views if all(v in p.views for p in same))
    return replace(large, views=fit, view=large.view if large.view in fit else fit[0])
