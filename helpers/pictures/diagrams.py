"""Maps of models: boxes joined by arrows, for what prose cannot show."""

from dataclasses import dataclass

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

from .. import _
from .picture import SMALL, Picture, clean, figure_of, style
from .roles import GREY, KEY, QUERY, VALUE

WIDE, TALL = 2, 0.3  # inches: the size of a box in a map
UP, APART = 0.52, 3  # inches: from one box to the box above it, and to the column beside it


@dataclass(frozen=True)
class Box:
    """A box of a map, and what flows out of it."""

    name: str
    out: str = ""


def flow(columns, residuals, across=(), *, title=""):
    """A map of a model: columns of boxes, arrows upwards, and residual connections beside them.

    columns      for each column its boxes, from the bottom: a name, or (name, what flows out of
                 it); "+" is a sum
    residuals    for each column, (from, to): the box whose output takes the residual connection,
                 and the box that adds it, counted from 0
    across       arrows between columns: ((column, box), (column, box), what flows)
    """
    columns = [[Box(b) if isinstance(b, str) else Box(*b) for b in boxes] for boxes in columns]
    wide, tall = APART * len(columns) - 0.2, UP * max(map(len, columns))
    told = [f"{title}."] if title else []
    with style():
        figure, ax = figure_of(wide, tall + 0.4)
        ax.set(xlim=(-1.4, wide - 1.4), ylim=(-UP / 2, tall - UP / 2), aspect="equal", title=title)
        ax.set_axis_off()
        for c, boxes in enumerate(columns):
            x, side = APART * c, 1 if c else -1  # where residual connections are, words opposite
            for row, box in enumerate(boxes):
                _box(ax, x, UP * row, box.name, VALUE if c else QUERY)
            for row, box in enumerate(boxes[:-1]):
                _arrow(ax, [(x, UP * row + TALL / 2), (x, UP * row + UP - TALL / 2)])
                inside = {"ha": "right" if c else "left", "va": "center", "size": SMALL}
                ax.text(x - 0.08 * side, UP * (row + 0.5), box.out, parse_math=False, **inside)
            for start, end in residuals[c]:
                edge = x + side * (WIDE / 2 + 0.2)
                last = x + side * _width(boxes[end].name) / 2
                low, high = UP * (start + 0.5), UP * end
                _arrow(ax, [(x, low), (edge, low), (edge, high), (last, high)], KEY, 2.2)
            told.append(" → ".join(f"{box.name} {box.out}".strip() for box in boxes) + ".")
        for (c, i), (d, j), what in across:
            start, end = APART * c + WIDE / 2, APART * d - WIDE / 2
            x = (start + end) / 2
            _arrow(ax, [(start, UP * i), (x, UP * i), (x, UP * j), (end, UP * j)], VALUE)
            ax.text(x, UP * max(i, j) + 0.1, what, ha="center", size=SMALL, parse_math=False)
            told.append(f"{columns[c][i].name} → {columns[d][j].name}: {what}.")
    cuts = [(boxes, cut) for boxes, cuts in zip(columns, residuals) for cut in cuts]
    named = "; ".join(f"{boxes[i].name} → {boxes[j].name}" for boxes, (i, j) in cuts)
    told.append(_("Residual connections: {names}.", names=named))
    return Picture(figure, " ".join(told))


def _box(ax, x, y, name, colour):
    width = _width(name)
    look = {"boxstyle": f"round,pad=0,rounding_size={width / 2 if width == TALL else 0.07}"}
    look |= {"facecolor": "none", "edgecolor": colour, "linewidth": 1.6, "gid": name}
    ax.add_patch(FancyBboxPatch((x - width / 2, y - TALL / 2), width, TALL, **look))
    look = {"ha": "center", "va": "center", "size": SMALL, "parse_math": False}
    ax.text(x, y, clean(name, longest=28), **look)


def _width(name):
    return TALL if name == "+" else WIDE


def _arrow(ax, corners, colour=GREY, width=1.4):
    look = {"arrowstyle": "->", "mutation_scale": 11, "color": colour, "linewidth": width}
    ax.add_patch(FancyArrowPatch(path=Path(corners), gid="arrow", **look))
