"""Diagrams of words and boxes joined by lines, for what prose cannot show."""

import itertools
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

from .. import _
from .picture import SMALL, Picture, clean, figure_of, style
from .roles import CURVES, GREY, KEY, QUERY, VALUE

WIDE, TALL = 2, 0.3  # inches: the size of a box in a map
UP, APART = 0.52, 3  # inches: from one box to the box above it, and to the column beside it


def bottleneck(words, outputs):
    """Above: the states of all words lead into one vector. Below: one output attends to them all."""
    with style():
        figure = Figure(figsize=(9.5, 4.6), layout="constrained")
        above, below = figure.subplots(2, 1)
        above.set_title(_("one vector holds the whole sentence"))
        below.set_title(_("attention: every output looks at every state"))
        for ax in (above, below):
            states, said = _two_sentences(ax, words, outputs)
            ax.set_xlim(-0.2, 1.02)
            _write(ax, -0.13, 1, _("encoder"))
            _write(ax, -0.13, 0, _("decoder"))
            for one, following in [*itertools.pairwise(states), *itertools.pairwise(said)]:
                _link(ax, one, following)
            if ax is above:
                vector = _write(ax, 0.5, 0.5, _("one vector"), KEY)
                _link(ax, states[-1], vector, KEY, 2.2)
                _link(ax, vector, said[0], KEY, 2.2)
            else:
                for state in states:  # all lines at once would hide each other
                    _link(ax, state, said[len(said) // 3], CURVES[0], 2.2)
    told = {"words": len(words), "outputs": len(outputs)}
    one = _(
        "Above: the states of {words} words, each computed from the one before; the last is the one "
        "vector that leads to {outputs} outputs.",
        **told,
    )
    each = _("Below: one of the {outputs} outputs is joined to each of the {words} states.", **told)
    return Picture(figure, f"{one} {each}")


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
    _write(ax, x, y, name, longest=28)


def _width(name):
    return TALL if name == "+" else WIDE


def _arrow(ax, corners, colour=GREY, width=1.4):
    look = {"arrowstyle": "->", "mutation_scale": 11, "color": colour, "linewidth": width}
    ax.add_patch(FancyArrowPatch(path=Path(corners), gid="arrow", **look))


def _link(ax, start, end, colour=GREY, width=1.4):
    """An arrow from the box of one text to that of another."""
    look = {"arrowstyle": "->", "mutation_scale": 9, "color": colour, "linewidth": width}
    look |= {"patchA": start.get_bbox_patch(), "patchB": end.get_bbox_patch(), "shrinkB": 1}
    ax.annotate("", end.get_position(), start.get_position(), arrowprops=look)


def _two_sentences(ax, source, target):
    """Draw words in boxes, one sentence at height 1, the other at 0; returns the texts of both."""
    drawn = []
    for words, height, colour in ((source, 1, QUERY), (target, 0, VALUE)):
        widths = np.array([len(clean(word)) + 2.5 for word in words])  # long words get more room
        places = (np.cumsum(widths) - widths / 2) / widths.sum()
        drawn.append([_write(ax, x, height, word, colour) for x, word in zip(places, words)])
    ax.set(xlim=(-0.05, 1.05), ylim=(-0.2, 1.2))
    ax.set_axis_off()
    return drawn


def _write(ax, x, y, word, colour=None, longest=14):
    """Write a word, in a box if it has a colour; returns its Text."""
    box = {"boxstyle": "round,pad=0.4", "fc": "none", "ec": colour, "lw": 1.6}
    look = {"ha": "center", "va": "center", "size": SMALL, "parse_math": False}
    return ax.text(x, y, clean(word, longest), bbox=box if colour else None, **look)
