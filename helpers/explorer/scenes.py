"""The shapes of views, packed for the page, which moves them as the sliders move."""

from dataclasses import replace

import numpy as np

from ..pictures.shapes import box_of, is_seen


class Scenes:
    """The drawings of an Explorer, and the numbers of their shapes that no cell gives.

    Most numbers of a shape are a × cell + b, and the page has the cells. The others are columns of
    `moves`: {float32 numbers (settings,) as bytes: index of the column}.
    """

    def __init__(self, film, decimals):
        self.film, self.decimals, self.moves = film, decimals, {}

    def of(self, i):
        """{view: its drawings, one for all heads or one for each} of the i-th panel."""
        panel, start = self.film.numbers(i)
        panel, looks = replace(panel, decimals=self.decimals), panel.looks()
        views = [name for name in panel.views if looks[name].shapes]
        indices = start + np.arange(panel.size).reshape(panel.x.shape[:3])
        return {name: self._drawings(looks[name], panel, indices) for name in views}

    def _drawings(self, view, panel, indices):
        sheets = [[s for s in shapes if is_seen(s).any()] for shapes in view.sheets(panel)]
        left, top, right, bottom = box_of([shape for shapes in sheets for shape in shapes])
        box = [round(float(side), 1) for side in (left, top, right - left, bottom - top)]
        shared = {"box": box, "stretch": view.stretch, "even": view.even}
        return [
            shared | {"shapes": [self._packed(shape, panel.x, indices) for shape in shapes]}
            for shapes in sheets
        ]

    def _packed(self, shape, x, indices):
        """A shape as the page gets it. The last number of a text is the index of one of its words."""
        cells = [slice(None) if k is None else slice(k, k + 1) for k in shape.cell]
        near = list(zip(indices[*cells].ravel(), x[*cells].reshape(-1, x.shape[-1])))
        near = () if shape.cell[0] is None else near
        numbers = [self._packed_number(number, near) for number in shape.numbers]
        packed = {"kind": shape.kind, "ink": shape.ink, "numbers": numbers}
        packed |= dict(zip(("head", "row", "column"), shape.cell))
        packed |= {flag: True for flag in ("tip", "active", "grip") if getattr(shape, flag)}
        if shape.kind == "text":
            words = [shape.words] if isinstance(shape.words, str) else shape.words
            known = list(dict.fromkeys(words))
            which = np.array([known.index(word) for word in words])
            numbers.append(self._packed_number(which, ()))
            packed |= {"align": shape.align, "words": known}
        return packed

    def _packed_number(self, number, near):
        """Itself, or [k, a, b] for a × the k-th number of a frame + b, or [k] for a column of moves.

        near   (index in a frame, values) of the cells that it may follow
        """
        if np.ndim(number) == 0 or np.ptp(number) == 0:  # NaN if it is ever NaN
            return round(float(np.ravel(number)[0]), 2)
        for k, x in near:
            factors = _line_through(x, number)
            if factors:
                return [int(k), *factors]
        return [self.moves.setdefault(np.float32(number).tobytes(), len(self.moves))]


def _line_through(x, y):
    """[a, b] if y is a × x + b at all settings, and NaN where x is; else None."""
    there = ~np.isnan(x)
    if (there == np.isnan(y)).any() or np.ptp(x[there]) == 0:
        return None
    low, high = np.nanargmin(x), np.nanargmax(x)
    a = (y[high] - y[low]) / (x[high] - x[low])
    b = y[low] - a * x[low]
    is_close = np.allclose(a * x[there] + b, y[there], rtol=0, atol=1e-3)
    return [float(f"{a:.6g}"), float(f"{b:.6g}")] if is_close else None
