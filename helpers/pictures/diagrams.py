"""Maps of models: boxes joined by arrows, for what prose cannot show."""

import itertools
from dataclasses import dataclass, replace

from .. import _
from .panels import side_by_side
from .picture import Picture, style
from .shapes import Shape, line, rectangle
from .stills import drawing_of
from .text import readable, shortened

WIDE, TALL = 200, 30  # pixels: the size of a box in a map
UP, APART = 50, 290  # pixels: from one box to the box above it, and to the column beside it


@dataclass(frozen=True)
class Box:
    """A box of a map, and what flows out of it."""

    name: str
    out: str = ""

    @property
    def half(self):
        """Half of its width; a sum is a square."""
        return (TALL if self.name == "+" else WIDE) / 2


def flow(columns, residuals, across=(), *, title):
    """A map of a model: columns of boxes, arrows upwards, and residual connections beside them.

    columns      for each column its boxes, from the bottom: a name, or (name, what flows out of
                 it); "+" is a sum
    residuals    for each column, (from, to): the box whose output takes the residual connection,
                 and the box that adds it, counted from 0
    across       arrows between columns: ((column, box), (column, box), what flows)
    """
    columns = [[Box(b) if isinstance(b, str) else Box(*b) for b in boxes] for boxes in columns]
    told, cuts, shapes = [f"{title}."], [], []
    for c, boxes in enumerate(columns):
        x, side = APART * c, 1 if c else -1  # where residual connections are, words opposite
        for row, box in enumerate(boxes):
            y, ink = -UP * row, "value" if c else "query"
            corner = x - box.half, y - TALL / 2
            shapes.append(rectangle(*corner, 2 * box.half, TALL, ink=ink, opacity=0.2))
            shapes.append(Shape("text", (x, y), shortened(readable(box.name), 28)))
            if row + 1 < len(boxes):
                shapes += _arrow([(x, y - TALL / 2), (x, y + TALL / 2 - UP)], ink="quiet")
                look = {"ink": "quiet", "align": "end" if c else "start"}
                shapes.append(Shape("text", (x - 8 * side, y - UP / 2), box.out, **look))
        for start, end in residuals[c]:
            edge, low, high = x + side * (WIDE / 2 + 20), -UP * (start + 0.5), -UP * end
            corners = [(x, low), (edge, low), (edge, high), (x + side * boxes[end].half, high)]
            shapes += _arrow(corners, ink="key", width=2.2)
            cuts.append(f"{boxes[start].name} → {boxes[end].name}")
        told.append(" → ".join(f"{box.name} {box.out}".strip() for box in boxes) + ".")
    for (c, i), (d, j), what in across:
        start, end = APART * c + WIDE / 2, APART * d - WIDE / 2
        x = (start + end) / 2
        low, high = -UP * i, -UP * j
        shapes += _arrow([(start, low), (x, low), (x, high), (end, high)], ink="value")
        shapes.append(Shape("text", (x, -UP * max(i, j) - 12), what))
        told.append(f"{columns[c][i].name} → {columns[d][j].name}: {what}.")
    told.append(_("Residual connections: {names}.", names="; ".join(cuts)))
    with style():
        figure = side_by_side([replace(drawing_of(shapes, 0), title=title)], "")
    return Picture(figure, " ".join(told))


def _arrow(corners, **look):
    """Lines from corner to corner, with a tip at the last one."""
    *before, last = itertools.pairwise(corners)
    lines = [line(*start, *end, **look) for start, end in before]
    return [*lines, line(*last[0], *last[1], tip=True, **look)]
