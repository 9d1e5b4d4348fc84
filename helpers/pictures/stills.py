"""Shapes as a still picture, at one setting."""

from matplotlib.patches import Circle, PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.patheffects import withStroke

from .picture import PAPER, SMALL, Drawing
from .roles import DASHES, GREY, KEY, PURPLE, QUERY, SERIES, VALUE, VECTOR
from .shapes import POINT, SIDES, box_of, is_seen, shapes_at, wide

INKS = {"query": QUERY, "key": KEY, "value": VALUE, "vector": VECTOR, "term": PURPLE}
INKS |= {"word": "black", "quiet": GREY, "red": SERIES[6], "blue": SERIES[7]}
EDGE = 6  # pixels around the shapes


def drawing_of(shapes, setting):
    """The Drawing of shapes at one setting."""
    shapes = [s for s in shapes_at(shapes, setting) if is_seen(s).all() and not s.active]
    left, top, right, bottom = _with_words(shapes)

    def draw(ax):
        ax.add_patch(Rectangle((left, top), right - left, bottom - top, clip_on=False, **PAPER))
        for order, shape in enumerate(shapes):
            _draw(ax, shape, {"alpha": shape.opacity, "zorder": order + 2, "gid": shape.kind})
        ax.set(xlim=(left, right), ylim=(bottom, top), xticks=[], yticks=[])

    return Drawing(0, (right - left) * POINT / 72, (bottom - top) * POINT / 72, draw)


def _with_words(shapes):
    """The box around shapes and their words, with an edge around it."""
    left, top, right, bottom = box_of(shapes)
    for shape in shapes:
        if shape.kind == "text":
            before = SIDES[shape.align] * wide(shape.words)
            left = min(left, shape.at[0] - before)
            right = max(right, shape.at[0] - before + wide(shape.words))
    return left - EDGE, top - EDGE, right + EDGE, bottom + EDGE


def _draw(ax, shape, look):
    at, width, colour = shape.at, shape.width * POINT, INKS.get(shape.ink)
    dashes = ()
    if colour is None:
        head = int(shape.ink.removeprefix("series "))
        colour = SERIES[head % len(SERIES)]
        dashes = DASHES[(head + head // len(SERIES)) % len(DASHES)]
    if shape.tip:
        arrow = {"arrowstyle": "->", "color": colour, "lw": width, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", at[2:], at[:2], arrowprops=arrow, **look)
    elif shape.kind in ("line", "path"):
        if dashes:  # matplotlib would stretch them by the width of the line
            look["linestyle"] = 0, [x / max(shape.width, 0.05) for x in dashes]
        points = list(zip(at[::2], at[1::2]))
        curve = Path(points, [Path.MOVETO] + [Path.CURVE4] * 3 if len(points) > 2 else None)
        ax.add_patch(PathPatch(curve, fill=False, edgecolor=colour, linewidth=width, **look))
    elif shape.kind == "text":
        sides = {"start": "left", "middle": "center", "end": "right"}
        look |= {"ha": sides[shape.align], "va": "center", "size": SMALL, "color": colour}
        look["path_effects"] = [withStroke(linewidth=2, foreground="white")]
        ax.text(*at, shape.words, parse_math=False, **look)
    else:
        made = Rectangle(at[:2], *at[2:]) if shape.kind == "rectangle" else Circle(at[:2], at[2])
        made.set(facecolor=colour, linewidth=0, **look)
        ax.add_patch(made)
