"""The views that are drawn and fit many panels: from the numbers of a panel to shapes."""

import numpy as np

from .. import _
from .roles import kind_of, rounded_up
from .shapes import line, path, text, wide

PITCH, WIDE = 40, 240  # pixels: from word to word, and from queries to keys
FLAT = 0.34  # the height of an arc as a share of its width
SLACK = 0.12  # share of a plane beyond its longest arrow
AWAY, TALL = 13, 15  # pixels: from a tip to the middle of its name, and from one name to another


def lines(panel):
    """Queries at the left, keys at the right, and between them a line for each weight."""
    shapes = [line(0, PITCH * i, WIDE, PITCH * j, **look) for i, j, look in _weights(panel, 9)]
    for i, word in enumerate(panel.rows):
        shapes.append(text(-8, PITCH * i, word, align="end", cell=(None, i, None)))
    for j, word in enumerate(panel.columns):
        shapes.append(text(WIDE + 8, PITCH * j, word, align="start", cell=(None, None, j)))
    return shapes


def arcs(panel):
    """A sentence, and an arc for each weight: above the words if the key stands before the query."""
    room = [15 + wide(word) for word in panel.columns]
    middles = np.cumsum(room) - np.array(room) / 2
    shapes = []
    for i, j, look in _weights(panel, 10):
        side, own = 1 if j > i else -1, 8 * (i == j)  # a word's arc to itself has some width
        left, right, base = middles[i] - own, middles[j] + own, 12 * side
        top = base + side * (26 if own else 4 / 3 * (8 + FLAT * abs(right - left)))
        shapes.append(path(left, base, left, top, right, top, right, base, **look))
    for k, word in enumerate(panel.columns):
        shapes.append(text(middles[k], 0, word, cell=(None, k, k)))
    return shapes


def _weights(panel, thickest):
    """(row, column, look) for each weight; thickest: the width at the end of the scale."""
    for i, j in np.ndindex(panel.x.shape[1:3]):
        width = thickest * np.clip(panel.x[0, i, j] / panel.limit, 0, 1)
        yield i, j, {"width": width, "opacity": 0.85, "ink": "series 0", "cell": (0, i, j)}


def arrows(panel):
    """Vectors with two components as arrows from 0, and the angle between two of them."""
    plane, vectors = Plane(panel, 138 if panel.heads else 380), panel.x[0]  # (rows, 2, settings)
    shapes, own = plane.axes(panel.columns), []
    if len(vectors) == 2:
        own += plane.angle(*vectors)
    for row, (vector, word) in enumerate(zip(vectors, panel.rows)):
        kind = kind_of(word if isinstance(word, str) else max(word)) or kind_of(panel.name)
        look = {"ink": kind or "vector", "cell": (0, row, None)}
        own.append(line(*plane.at(0, 0), *plane.at(*vector), width=2.2, tip=True, **look))
        own.append(plane.name(word, vector, **look))
    return [*shapes, *own]


arrows.title, arrows.heads = _("arrows"), True


class Plane:
    """Where vectors of two components are on the page: up to a little beyond the longest."""

    def __init__(self, panel, side):
        self.side = side  # pixels
        self.tick = min(panel.limit, rounded_up(max(map(abs, panel.span))) or panel.limit)
        low, high = (np.sign(x) * min(self.tick, rounded_up(abs(x))) for x in panel.span)
        room = SLACK * max(high - low, 1e-6)
        self.low, self.high = low - room, high + room
        self.scale = self.side / (self.high - self.low)  # pixels
        self.taken = []  # (x, y, half of the width) of each word that is written

    def at(self, x, y):
        """The place of a vector, in pixels."""
        return self.scale * (x - self.low), self.scale * (self.high - y)

    def axes(self, columns):
        """Both axes, with ticks, numbers along one, and names if the notebook gives some."""
        (x, y), look = self.at(0, 0), {"ink": "quiet", "width": 1}
        shapes = [line(0, y, self.side, y, **look), line(x, 0, x, self.side, **look)]
        names = []
        if columns != ["x1", "x2"]:
            names.append(text(self.side, y - 9, f"{columns[0]} →", align="end", **look))
            names.append(text(x - 6, 7, f"{columns[1]} ↑", align="end", **look))
        for tick in (-self.tick, self.tick):
            if self.low < tick < self.high:
                right, up = self.at(tick, tick)
                shapes.append(line(right, y - 3, right, y + 3, **look))
                shapes.append(line(x - 3, up, x + 3, up, **look))
                names.append(text(right, y + 12, f"{tick:g}".replace("-", "−"), **look))
        for name in names:
            (right, down), half = name.at, wide(name.words) / 2
            self.taken.append((right - half * (name.align == "end"), down, half))
        return [*shapes, *names]

    def name(self, word, vector, **look):
        """A word beside the end of a vector, where it covers no other word; not there if it must."""
        (x, y), half = self.at(*vector), wide(word) / 2
        out = np.where(vector[1] < 0, AWAY, -AWAY)  # away from the origin
        beside = half + 6
        places = [(0, out), (beside, 0), (-beside, 0), (0, -out)]
        places += [(side, far) for far in (1.3 * out, -1.3 * out) for side in (beside, -beside)]
        places += [(0, 2.2 * out), (0, -2.2 * out)]
        is_free = [self._is_free(x + right, y + down, half) for right, down in places]
        right, down = (np.select(is_free, shift, np.nan) for shift in zip(*places))
        self.taken.append((x + right, y + down, half))
        return text(x + right, y + down, word, **look)

    def _is_free(self, x, y, half):
        """For each setting, whether a word with its middle there would cover no other one."""
        covers = [x != x]
        for right, down, width in self.taken:
            covers.append((abs(x - right) <= half + width) & (abs(y - down) <= TALL))
        return ~np.any(np.broadcast_arrays(*covers), axis=0)

    def angle(self, first, second):
        """The angle between two vectors, as an arc, and in degrees below the plane."""
        ends = [vector / np.maximum(np.hypot(*vector), 1e-9) for vector in (first, second)]
        (x1, y1), (x2, y2) = ends
        turn = np.arctan2(x1 * y2 - y1 * x2, x1 * x2 + y1 * y2)
        pull = 4 / 3 * np.tan(turn / 4)  # with this, a Bézier curve is nearly an arc of a circle
        pulls = [(x1 - pull * y1, y1 + pull * x1), (x2 + pull * y2, y2 - pull * x2)]
        radius = self.side / 8 / self.scale
        points = [self.at(radius * x, radius * y) for x, y in (ends[0], *pulls, ends[1])]
        degrees = ["" if np.isnan(x) else f"{x:.0f}°" for x in abs(np.degrees(turn))]
        self.taken.append((self.side / 2, self.side + 12, wide(degrees) / 2))
        arc = path(*np.concatenate(points), width=1, cell=(0, None, None))
        return [arc, text(self.side / 2, self.side + 12, degrees)]
