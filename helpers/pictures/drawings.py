"""The views that are drawn: each is a function from the numbers of a panel to shapes."""

import itertools
from dataclasses import dataclass

import numpy as np

from .roles import kind_of, rounded_up
from .shapes import disc, line, path, rectangle, text, wide, word_at
from .text import rounded

PITCH, WIDE = 40, 240  # pixels: from word to word, and from queries to keys
FLAT = 0.34  # the height of an arc as a share of its width
SLACK = 0.12  # share of a plane beyond its longest arrow
CHART = 260, 130  # pixels
AWAY, TALL = 13, 15  # pixels: from a tip to the middle of its name, and from one name to another


def lines(panel):
    """Queries at the left, keys at the right, and between them a line for each weight."""
    apart = min(5, 24 / len(panel.x))  # pixels between the lines of two heads
    shapes = []
    for h, i, j, look in _weights(panel, 9 if len(panel.x) == 1 else 4):
        shift = (h - (len(panel.x) - 1) / 2) * apart
        shapes.append(line(0, PITCH * i + shift, WIDE, PITCH * j + shift, **look))
    for i, word in enumerate(panel.rows):
        shapes.append(text(-8, PITCH * i, word, align="end", cell=(None, i, None)))
    for j, word in enumerate(panel.columns):
        shapes.append(text(WIDE + 8, PITCH * j, word, align="start", cell=(None, None, j)))
    return shapes


def arcs(panel):
    """A sentence, and an arc for each weight: above the words if the key stands before the query."""
    room = [15 + wide(word) for word in panel.columns]
    middles = np.cumsum(room) - np.array(room) / 2
    queries = _queries(panel)
    shapes = []
    for h, i, j, look in _weights(panel, 10 if len(panel.x) == 1 else 5):
        shift = (h - (len(panel.x) - 1) / 2) * 2.5
        side = np.where(j > queries[i], 1, -1)
        left, right = middles[queries[i]] + shift, middles[j] + shift
        own = left == right  # a word's arc to itself
        left, right = left - 8 * own, right + 8 * own
        base = 12 * side
        top = base + side * np.where(own, 26, 4 / 3 * (8 + FLAT * abs(right - left)))
        shapes.append(path(left, base, left, top, right, top, right, base, **look))
    rows = {place: row for row, place in enumerate(queries) if np.ndim(place) == 0}
    for k, word in enumerate(panel.columns):
        shapes.append(text(middles[k], 0, word, cell=(None, rows.get(k), k)))
    return shapes


def _weights(panel, thickest):
    """(head, row, column, look) for each weight; thickest: the width at the end of the scale."""
    for h, i, j in np.ndindex(panel.x.shape[:3]):
        width = thickest * np.clip(panel.x[h, i, j] / panel.limit, 0, 1)
        yield h, i, j, {"width": width, "opacity": 0.85, "ink": f"series {h}", "cell": (h, i, j)}


def _queries(panel):
    """The index among the columns of each row's word; an array, if it changes."""
    if panel.rows == panel.columns:
        return list(range(len(panel.rows)))
    places = []
    for row in panel.rows:
        found = []
        for s in range(panel.x.shape[-1]):
            words = [word_at(column, s) for column in panel.columns]
            found.append(words.index(word_at(row, s)) if word_at(row, s) in words else 0)
        places.append(found[0] if len(set(found)) == 1 else np.array(found))
    return places


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
        """A word beside the end of a vector, in the first place where it covers no other word."""
        (x, y), half = self.at(*vector), wide(word) / 2
        out = np.where(vector[1] < 0, AWAY, -AWAY)  # away from the origin
        beside = half + 6
        places = [(0, out), (beside, 0), (-beside, 0), (0, -out)]
        places += [(side, far) for far in (1.3 * out, -1.3 * out) for side in (beside, -beside)]
        places += [(0, 2.2 * out), (0, -2.2 * out)]
        is_free = [self._is_free(x + right, y + down, half) for right, down in places]
        right, down = (np.select(is_free, shift, shift[0]) for shift in zip(*places))
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


@dataclass(frozen=True)
class Curve:
    """A number at all values of one slider, for each setting.

    numbers   (values, settings)
    at        (settings,): the index of the present value
    """

    slider: str
    values: list
    numbers: np.ndarray
    at: np.ndarray


def chart(panel):
    """A number as a curve over a slider, `panel.curve`, with a dot where the slider stands."""
    curve, (low, high) = panel.curve, panel.span if panel.span[0] < panel.span[1] else (0, 1)
    values, (width, height) = np.array(curve.values, float), CHART
    at = np.stack([width * (values - values[0]) / np.ptp(values), values])
    look = {"ink": "quiet", "width": 1}
    shapes = [rectangle(0, 0, width, height, opacity=0, cell=(0, 0, 0))]  # where one points at it
    shapes += [line(0, height, width, height, **look), line(0, 0, 0, height, **look)]
    for x, value in at.T[[0, len(values) // 2, -1]]:
        shapes.append(text(x, height + 12, f"{value:g}".replace("-", "−"), ink="quiet"))
    for y in (low, (low + high) / 2, high):
        up = height * (high - y) / (high - low)
        shapes.append(line(0, up, width, up, opacity=0.3, **look))
        shapes.append(text(-6, up, f"{y:.4g}".replace("-", "−"), align="end", ink="quiet"))
    shapes.append(text(width / 2, height + 28, curve.slider, ink="quiet"))
    ups = height * (high - curve.numbers) / (high - low)  # (values, settings)
    look = {"ink": "series 0", "cell": (0, 0, 0)}
    for k in range(len(values) - 1):
        shapes.append(line(at[0, k], ups[k], at[0, k + 1], ups[k + 1], width=1.8, **look))
    x, y = at[0, curve.at], ups[curve.at, np.arange(len(curve.at))]
    shapes += [line(x, 0, x, height, ink="quiet", width=1), disc(x, y, 4.5, **look)]
    told = [rounded(number, panel.decimals).replace("-", "−") for number in panel.x[0, 0, 0]]
    return [*shapes, text(x, np.where(y < 22, y + 14, y - 14), told)]


def tree(panel):
    """Paths of words as branches, as thick as the probabilities of all paths along them.

    Each word has one place at all settings. What belongs to the second series alone is dashed.
    """
    along, columns = _sums_along(panel)
    places, shapes = _places_of(along), []
    for words, sums in along.items():
        (start, before), (x, y) = places[words[:-1]], places[words]
        start += wide(words[-2]) + 46 if words[:-1] else 0
        half, total = (start + x) / 2, sums.sum(axis=0)
        is_dropped = (total > 0) & ~(sums[0] > 0)
        for series, there in enumerate((~np.isnan(total) & ~is_dropped, is_dropped)):
            width = np.where(there, np.maximum(0.75, 9 * total), np.nan)
            look = {"ink": f"series {series}", "width": width, "cell": (0, None, None)}
            shapes.append(path(start, before, half, before, half, y, x - 5, y, **look))
            for column in np.unique(columns[words][there]):
                at = np.where(there & (columns[words] == column), x, np.nan)
                cell = (0, series, int(column)) if column >= 0 else (None, None, None)
                look = {"ink": "quiet" if series else "word", "cell": cell, "align": "start"}
                shapes.append(text(at, y, words[-1], **look))
        told = [rounded(n, panel.decimals) if k >= 0 else "" for n, k in zip(total, columns[words])]
        shapes.append(text(x + wide(words[-1]) + 6, y, told, ink="quiet", align="start"))
    return shapes


def _sums_along(panel):
    """({words of a branch: the sums of each series}, {words: the column that ends there, or −1}).

    Sums are (series, settings), NaN where there is no such branch; columns are (settings,).
    """
    sums, columns, count = {}, {}, panel.x.shape[-1]
    for s, k in np.ndindex(count, len(panel.columns)):
        words = tuple(word_at(panel.columns[k], s).split())
        for end in range(1, len(words) + 1):
            here = sums.setdefault(words[:end], np.full((len(panel.rows), count), np.nan))
            here[:, s] = np.nan_to_num(here[:, s]) + panel.x[0, :, k, s]
            columns.setdefault(words[:end], np.full(count, -1))
        if words:
            columns[words][s] = k
    return sums, columns


def _places_of(along):
    """{words of a branch: where the last one begins}."""
    lefts = [0, 28]
    for depth in range(1, max(map(len, along))):
        widest = max(wide(words[-1]) for words in along if len(words) == depth)
        lefts.append(lefts[-1] + 74 + widest)
    places, leaves = {}, itertools.count()

    def place(words):
        below = [place(longer) for longer in along if longer[:-1] == words]
        up = (below[0] + below[-1]) / 2 if below else PITCH * 0.65 * next(leaves)
        places[words] = lefts[len(words)], up
        return up

    place(())
    return places
