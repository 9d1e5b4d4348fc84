"""Words as boxes and lines: how two sentences, or inputs and outputs, hang together."""

import numpy as np
from matplotlib.figure import Figure

from .. import _
from .picture import Picture, clean, figure_of, style
from .roles import INK, KEY, QUERY, VALUE

QUIET = "#8A8A8A"


def word_order(source, target, pairs):
    """Two sentences, one above the other, a line between words that translate each other.

    pairs    (position in source, position in target), from 0
    """
    longer = max(len(source), len(target))
    with style():
        figure, ax = figure_of(1.05 * longer, 2.1)
        for i, j in pairs:
            crosses = any((i - k) * (j - m) < 0 for k, m in pairs)
            look = {"color": KEY, "lw": 2.4} if crosses else {"color": QUIET, "lw": 1.4}
            ax.plot([i, j], [0.82, 0.18], **look)
        for words, height in ((source, 1), (target, 0)):
            for k, word in enumerate(words):
                _write(ax, k, height, word, size=11)
        ax.set(xlim=(-0.6, longer - 0.4), ylim=(-0.2, 1.2))
        ax.set_axis_off()
    told = {"source": " ".join(source), "target": " ".join(target)}
    told["pairs"] = ", ".join(f"{source[i]} – {target[j]}" for i, j in pairs)
    return Picture(figure, _("Word order: {source} / {target}. Pairs: {pairs}.", **told))


def bottleneck(words, outputs):
    """Left: all words squeezed into one vector. Right: every output looks at every word."""
    above, below = _spread(words), _spread(outputs)
    with style():
        figure = Figure(figsize=(9.5, 2.7), layout="constrained")
        left, right = figure.subplots(1, 2)
        left.set_title(_("one vector for the whole sentence"))
        right.set_title(_("attention: every output looks at every word"))
        for ax in (left, right):
            for x, word in zip(above, words):
                _write(ax, x, 1, word, QUERY)
            for x, word in zip(below, outputs):
                _write(ax, x, 0, word, VALUE)
            ax.set(xlim=(-0.05, 1.05), ylim=(-0.2, 1.2))
            ax.set_axis_off()
        _write(left, 0.5, 0.5, _("one vector"), KEY)
        link = {"color": QUIET, "lw": 0.8, "zorder": 0}
        for x in above:
            left.plot([x, 0.5], [1, 0.5], **link)
            for y in below:
                right.plot([x, y], [1, 0], **link)
        for y in below:
            left.plot([0.5, y], [0.5, 0], **link)
    told = {"words": len(words), "outputs": len(outputs)}
    one = _("Left: {words} words lead into one vector, and that into {outputs} outputs.", **told)
    each = _("Right: each of the {outputs} outputs is joined to each of the {words} words.", **told)
    return Picture(figure, f"{one} {each}")


def flow(boxes, arrows, *, title=""):
    """Boxes in columns, and arrows between them that say what flows along them: a map of a model.

    boxes    name → (column, row): column 0 at the left, row 0 at the bottom
    arrows   (from, to, what flows): names of boxes, and a text such as "(2, 6, 8)"
    """
    columns, rows = 1 + np.max(list(boxes.values()), axis=0)
    with style():
        figure, ax = figure_of(2.8 * columns, 0.62 * rows + 0.2)
        drawn = {
            name: _write(ax, *place, name.center(24), (QUERY, VALUE)[place[0] % 2], longest=28)
            for name, place in boxes.items()
        }
        for start, end, what in arrows:
            sideways = boxes[start][0] != boxes[end][0]
            colour = KEY if sideways else INK
            ends = {"patchA": drawn[start].get_bbox_patch(), "patchB": drawn[end].get_bbox_patch()}
            look = {"arrowstyle": "->", "color": colour, "lw": 1.4, "shrinkA": 0, "shrinkB": 0}
            ax.annotate("", boxes[end], boxes[start], arrowprops=look | ends)
            middle = np.mean([boxes[start], boxes[end]], axis=0)
            beside = {"xytext": (0, 7) if sideways else (4, 0), "textcoords": "offset points"}
            beside |= {"ha": "center" if sideways else "left", "va": "center"}
            ax.annotate(clean(what, 24), middle, color=colour, size=8, parse_math=False, **beside)
        ax.set(xlim=(-0.42, columns - 0.58), ylim=(-0.25, rows - 0.75), title=title)
        ax.set_axis_off()
    told = "; ".join(f"{start} → {end}: {what}" for start, end, what in arrows)
    return Picture(figure, f"{title}. {told}.")


def _spread(words):
    """The centre of each word, in a row from 0 to 1; long words get more room."""
    widths = np.array([len(clean(word)) + 2.5 for word in words])
    return (np.cumsum(widths) - widths / 2) / widths.sum()


def _write(ax, x, y, word, colour=None, size=8, longest=14):
    """A word, in a box if it has a colour."""
    box = {"boxstyle": "round,pad=0.6", "fc": "white", "ec": colour, "lw": 1.6}
    look = {"ha": "center", "va": "center", "size": size, "parse_math": False}
    return ax.text(x, y, clean(word, longest), bbox=box if colour else None, **look)
