"""The language of drawings. A view is one function, from the numbers of a panel to shapes.

It is called once for all settings of an Explorer: `panel.x` is (heads, rows, columns, settings),
and a number of a shape is one number, or an array with one for each setting. The page moves the
shapes, and a still picture draws the same ones at one setting. Lengths are pixels of the page, y
points down. Where a number is NaN, the shape is not there; so is what stands for a masked cell.
"""

import re
from dataclasses import dataclass, replace

import numpy as np

from .. import _
from .picture import SMALL, inches
from .text import shortened

NUMBERS = {"line": 4, "path": 8, "rectangle": 4, "disc": 3, "text": 2}
INKS = ["word", "quiet", "query", "key", "value", "vector", "term", "red", "blue"]
SIDES = {"start": 0, "middle": 0.5, "end": 1}  # the share of a text that is left of its x
POINT = SMALL / 13  # points for a pixel of the page, whose letters are 13 pixels high
LETTER = 8  # pixels: half the height of a line of text
SEEN = 0.04  # pixels: a thinner line is not seen


@dataclass(frozen=True)
class Shape:
    """One shape, made by `line`, `path`, `rectangle`, `disc` or `text`.

    ink      its colour by role: one of INKS, or "series 2" for the head of index 2
    width    of a line
    cell     the (head, row, column) that it stands for, None for what it does not stand for; a
             shape that stands for no head is a word, which is never dimmed
    align    the side of a text that is at its x: "start", "middle" or "end"
    tip      whether a line ends in the head of an arrow
    active   whether it is there only while its row is pointed at or locked
    grip     of a disc: whether one can drag it, and the sliders follow

    Raises ValueError if ink, align or cell is none of these.
    """

    kind: str
    at: tuple
    words: str | list = ""  # of a text; a list has one for each setting
    ink: str = "word"
    width: float = 1.5
    opacity: float = 1.0
    cell: tuple = (None, None, None)
    align: str = "middle"
    tip: bool = False
    active: bool = False
    grip: bool = False

    def __post_init__(self):
        for what, known in (("ink", [*INKS, "series 0"]), ("align", SIDES)):
            given = getattr(self, what)
            if not isinstance(given, str):
                text = _(
                    "the {what} of a shape is the same at all settings; draw one shape for each "
                    "{what}, and give it np.nan for a number where it is not there."
                )
                raise ValueError(text.format(what=what))
            if given not in known and not (what == "ink" and re.fullmatch(r"series \d+", given)):
                told = {"what": what, "given": given, "known": ", ".join(known)}
                raise ValueError(_("{what}={given!r}, expected one of: {known}.", **told))
        if not isinstance(self.cell, tuple) or len(self.cell) != 3:
            text = _(
                "cell={given!r}, expected (head, row, column), with None for what the shape does "
                "not stand for."
            )
            raise ValueError(text.format(given=self.cell))

    @property
    def numbers(self):
        """All its numbers: of its place, its width and its opacity."""
        return (*self.at, self.width, self.opacity)


def line(x1, y1, x2, y2, **look):
    """A straight line."""
    return Shape("line", (x1, y1, x2, y2), **look)


def path(x1, y1, x2, y2, x3, y3, x4, y4, **look):
    """A curve from the first point to the last; the two between pull it (a Bézier curve)."""
    return Shape("path", (x1, y1, x2, y2, x3, y3, x4, y4), **look)


def rectangle(x, y, wide, tall, **look):
    """A filled rectangle; x and y are those of its upper left corner."""
    return Shape("rectangle", (x, y, wide, tall), **look)


def disc(x, y, radius, **look):
    """A filled circle around (x, y)."""
    return Shape("disc", (x, y, radius), **look)


def text(x, y, words, **look):
    """Words in one line, whose middle is at the height y; long ones are shortened."""
    one = isinstance(words, str)
    words = shortened(words) if one else [shortened(word) for word in words]
    return Shape("text", (x, y), words, **look)


def wide(words):
    """The width of a text in pixels, or of the widest in a list."""
    words = [words] if isinstance(words, str) else words
    return max(inches(shortened(word)) for word in words) * 72 / POINT


def word_at(words, setting):
    """A label at one setting, where a list of words has one for each."""
    return words if isinstance(words, str) else words[setting]


def drawn(view, panel):
    """The shapes that a view draws of a panel, checked.

    Raises ValueError, naming the view, if it raises an error or returns anything but such shapes.
    """
    name, count = view.__name__, panel.x.shape[-1]
    try:
        shapes = view(panel)
    except Exception as error:
        told = {"name": name, "kind": type(error).__name__, "error": error}
        said = _("{name}(panel) raised {kind}: {error}", **told)
        if "ambiguous" in str(error):
            said += " " + _("A view draws all settings at once: write np.where in place of if.")
        raise ValueError(said) from error
    others = [shapes] if not isinstance(shapes, list) else shapes
    others = [type(shape).__name__ for shape in others if not isinstance(shape, Shape)]
    if others:
        told = {"name": name, "came": others[0]}
        text = _(
            "{name}(panel) returned {came}; expected a list of shapes, such as [disc(0, 0, 5)]."
        )
        raise ValueError(text.format(**told))
    for shape in shapes:
        words = shape.words if isinstance(shape.words, list) else [""] * count
        sizes = [np.shape(number) for number in shape.numbers if np.ndim(number)]
        wrong = [size for size in (*sizes, (len(words),)) if size != (count,)]
        if wrong:
            told = {"name": name, "kind": shape.kind, "came": wrong[0], "count": count}
            text = _(
                "{name}(panel): a {kind} has numbers of shape {came}; expected one number, or one "
                "for each of the {count} settings, such as panel.x[head, row, column]."
            )
            raise ValueError(text.format(**told))
    return shapes


def shapes_at(shapes, setting):
    """Those that are there at one setting, each with single numbers."""
    found = []
    for shape in shapes:
        numbers = [float(x[setting] if np.ndim(x) else x) for x in shape.numbers]
        *at, width, opacity = numbers
        if not np.isnan(numbers).any():
            look = {"words": word_at(shape.words, setting), "width": width, "opacity": opacity}
            found.append(replace(shape, at=tuple(at), **look))
    return found


def is_seen(shape):
    """For each setting, whether a shape is there, and no line without width."""
    there = ~np.isnan(np.atleast_1d(sum(shape.numbers)))  # NaN if any of them is
    return there & (shape.width > SEEN) if shape.kind in ("line", "path") else there


def box_of(shapes):
    """(left, top, right, bottom) of what is seen at any setting; of a text, its point alone."""
    points = [_points(shape, is_seen(shape)) for shape in shapes]
    x, y = (np.concatenate([side[k].ravel() for side in points] or [[]]) for k in (0, 1))
    return (x.min(), y.min(), x.max(), y.max()) if x.size else (0, 0, 1, 1)


def _points(shape, there):
    """(x, y) of points around a shape, at the settings at which it is seen."""
    if any(np.ndim(number) for number in shape.at):
        at = np.array([np.broadcast_to(number, there.shape) for number in shape.at])[:, there]
    else:
        at = np.array(shape.at, float)[:, None][:, [there.any()]]
    x, y = at[::2], at[1::2]
    if shape.kind == "rectangle":
        return np.array([at[0], at[0] + at[2]]), np.array([at[1], at[1] + at[3]])
    if shape.kind == "disc":
        return at[0] + np.outer([-1, 1], at[2]), at[1] + np.outer([-1, 1], at[2])
    if shape.kind == "text":
        return x, y + np.array([[-LETTER], [LETTER]])
    return (PULLS @ x, PULLS @ y) if shape.kind == "path" else (x, y)


_share = np.linspace(0, 1, 9)[:, None]
# Times the four points of a path, these are nine points on it; it does not reach those that pull.
PULLS = np.hstack(
    [(1 - _share) ** 3, 3 * (1 - _share) ** 2 * _share, 3 * (1 - _share) * _share**2, _share**3]
)
