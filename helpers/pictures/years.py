"""Models along the years: what kind each is, and how large, in marks and in words."""

import math
from typing import NamedTuple

from matplotlib.figure import Figure

from .measures import GAP, length
from .picture import Picture, clean, style
from .roles import INK, KEY, QUERY, VALUE

ROWS = {  # kind → (title of its row, shape, how much it must grow to look like a circle, colour)
    "encoder": ("encoder", (4, 0, 45), 1.2, QUERY),
    "both": ("encoder and\ndecoder", "o", 1.0, VALUE),
    "decoder": ("decoder", (3, 0, 0), 1.2, KEY),
    "not published": ("kind not\npublished", (4, 0, 0), 1.2, INK),
}
MONTHS = "January February March April May June July August September October November December"
QUIET = "#595959"
NAME, SMALL = 8, 7.5  # points
WIDE, LEFT, LANE = 8.8, 1.15, 0.37  # inches: the picture, its titles, a line of marks
TOP, YEARS = 0.4, 0.3  # inches: the strips above and below
TIMES_TEN, EMPTY = 0.031, 0.075  # inches: what a radius gains by a factor of ten; with no size told


KEYS = {  # what the marks say
    "100M": (10**8, 10**8),
    "1B": (10**9, 10**9),
    "10B": (10**10, 10**10),
    "100B": (10**11, 10**11),
    "1T": (10**12, 10**12),
    "smallest in largest": (10**8, 10**11),
    "not published, or not told": None,
}


class Placed(NamedTuple):
    """Where a model stands in its row."""

    model: object
    lane: int
    x: float  # of its mark, and of the end of its words that is near it: inches from the left
    words: float
    side: int  # 1: its words stand to the right of it; -1: to the left


def timeline(models, *, says=""):
    """Years across, kinds in rows, sizes as marks on a log scale; `says` adds words of your own.

    models  each with .name, .phrase, .date (year, month), .kind ("encoder", "decoder", "both" or
            "not published"), .parameters (smallest, largest), or None: a hollow mark, and .size,
            the same in words
    A small mark inside a pale one: the smallest and the largest of a family. Labels stand beside
    their marks, in as many lanes as it takes for none to lie on another.
    Raises ValueError if there is no model, or a kind, month or size is none.
    """
    models = sorted(models, key=lambda model: tuple(model.date))
    _check(models)
    first, end = models[0].date[0], models[-1].date[0] + 1
    with style():
        rows = {kind: _in_lanes([m for m in models if m.kind == kind], first, end) for kind in ROWS}
        rows = {kind: placed for kind, placed in rows.items() if placed}
        lanes = {kind: 1 + max(spot.lane for spot in placed) for kind, placed in rows.items()}
        high = TOP + LANE * sum(lanes.values()) + GAP * len(rows) + YEARS
        figure = Figure(figsize=(WIDE, high))
        ax = figure.add_axes((0, 0, 1, 1))  # its numbers are inches
        ax.set(xlim=(0, WIDE), ylim=(0, high))
        ax.set_axis_off()
        _draw_years(ax, first, end, high - TOP)
        _draw_keys(ax, high - TOP / 2)
        top = high - TOP
        for kind, placed in rows.items():
            _draw_row(ax, kind, placed, top, lanes[kind])
            top -= LANE * lanes[kind] + GAP
    return Picture(figure, f"{_in_words(rows)}\n{says}".strip())


def _place(first, end, date):
    """Where a month stands, in inches; the last year ends short of the edge, where words may go."""
    years = date[0] + (date[1] - 0.5) / 12 - first
    return LEFT + GAP + years * (WIDE - LEFT - 5 * GAP) / (end - first)


def _radius(parameters):
    """Of the largest; anything under ten million looks like ten million."""
    return TIMES_TEN * max(1, math.log10(parameters[1]) - 6) if parameters else EMPTY


def _extent(model):
    """(radius of the mark, length of the words beside it), in inches."""
    radius = ROWS[model.kind][2] * _radius(model.parameters)
    name, size, phrase = _texts(model)
    named = length(name, NAME, "bold") + GAP / 2 + length(size, SMALL)
    return radius, max(named, length(phrase, SMALL))


def _texts(model):
    return clean(model.name, 20), clean(model.size, 20), clean(model.phrase, 40)


def _in_lanes(models, first, end):
    """Each model in the first lane where mark and words have room, words left if right is the edge."""
    taken, placed = [], []
    for model in models:
        x = _place(first, end, model.date)
        radius, wide = _extent(model)
        near, far = radius + GAP / 2, radius + GAP / 2 + wide
        side = 1 if x + far <= WIDE - GAP / 2 else -1
        ends = sorted((x - side * (radius + GAP / 2), x + side * (far + GAP / 2)))
        free = (
            i for i, lane in enumerate(taken) if all(b < ends[0] or ends[1] < a for a, b in lane)
        )
        lane = next(free, len(taken))
        if lane == len(taken):
            taken.append([])
        taken[lane].append(ends)
        placed.append(Placed(model, lane, x, x + side * near, side))
    return placed


def _draw_years(ax, first, end, top):
    for year in range(first, end + 1):
        x = _place(first, end, (year, 0.5))
        ax.plot([x, x], [YEARS, top], color="#E4E4E4", lw=0.8, zorder=0)
        if year < end:
            middle = _place(first, end, (year, 6.5))
            ax.text(middle, YEARS / 2, str(year), ha="center", va="center", size=9, gid="year")


def _draw_keys(ax, y):
    x, says = 1.5 * GAP, "numbers to learn:"
    ax.text(x, y, says, va="center", size=SMALL, gid="key")
    x += length(says, SMALL) + 2 * GAP
    for label, parameters in KEYS.items():
        radius = _radius(parameters)
        _mark(ax, x + radius, y, None, parameters, "key")
        ax.text(x + 2 * radius + GAP / 2, y, label, va="center", size=SMALL, gid="key")
        x += 2 * radius + length(label, SMALL) + 2.2 * GAP


def _draw_row(ax, kind, placed, top, lanes):
    ax.plot([0, WIDE], [top, top], color="#BDBDBD", lw=0.8, zorder=0)
    middle = top - (LANE * lanes + GAP) / 2
    _mark(ax, 1.5 * GAP, middle, kind, (10**8, 10**8), gid="row")
    ax.text(2.8 * GAP, middle, ROWS[kind][0], va="center", size=9, weight="bold", gid="row")
    for spot in placed:
        y = top - GAP / 2 - LANE * (spot.lane + 0.5)
        _mark(ax, spot.x, y, kind, spot.model.parameters)
        _draw_words(ax, spot, y)


def _draw_words(ax, spot, y):
    """Name and size, and the phrase under them; all begin, or end, beside the mark."""
    name, size, phrase = _texts(spot.model)
    look = {"parse_math": False, "gid": "label", "ha": "left" if spot.side > 0 else "right"}
    look["bbox"] = {"fc": "white", "ec": "none", "pad": 0.4}  # legible across the lines of years
    called, sized = {"text": name, "size": NAME, "weight": "bold"}, {"text": size, "size": SMALL}
    near, beyond = (called, sized)[:: spot.side]
    first = ax.annotate(xy=(spot.words, y + 0.02), va="bottom", **near, **look)
    ax.annotate(
        xy=((1 + spot.side) / 2, 0), xycoords=first, xytext=(4 * spot.side, 0),
        textcoords="offset points", va="bottom", **beyond, **look,
    )  # fmt: skip
    ax.text(spot.words, y - 0.02, phrase, size=SMALL, color=QUIET, va="top", **look)


def _mark(ax, x, y, kind, parameters, gid="mark"):
    """Hollow if no size is told; a family is pale out to its largest, solid to its smallest."""
    _, shape, grown, colour = ROWS.get(kind, (None, "o", 1.0, QUIET))

    def draw(parameters, edge, **fill):
        look = {"marker": shape, "linestyle": "none", "color": colour, "gid": gid, "mew": edge}
        ax.plot([x], [y], **look, markersize=144 * grown * _radius(parameters), **fill)

    if parameters is None:
        draw(None, 1.2, mfc="white")
        return
    smallest, largest = parameters
    if largest > smallest:
        draw(parameters, 0.8, mfc=_pale(colour))
    draw((smallest, smallest), 0)


def _pale(colour):
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return tuple((0.25 * part + 0.75 * 255) / 255 for part in parts)


def _in_words(rows):
    def told(model):
        year, month = model.date
        return f"{model.name} ({MONTHS.split()[month - 1]} {year}, {model.size}: {model.phrase})"

    titles = {kind: ROWS[kind][0].replace("\n", " ").capitalize() for kind in rows}
    return "\n".join(
        f"{titles[kind]}: {'; '.join(told(spot.model) for spot in placed)}."
        for kind, placed in rows.items()
    )


def _check(models):
    if not models:
        raise ValueError("timeline: there is no model; give at least one.")
    for model in models:
        name = f"timeline: {model.name!r}"
        if model.kind not in ROWS:
            raise ValueError(
                f"{name} is of kind {model.kind!r}; expected one of {', '.join(ROWS)}."
            )
        if not 1 <= model.date[1] <= 12:
            raise ValueError(f"{name} has the date {model.date}; expected (year, month 1 to 12).")
        if model.parameters and not 1 <= model.parameters[0] <= model.parameters[1]:
            came = f"{name} has the parameters {model.parameters}"
            raise ValueError(f"{came}; expected (smallest, largest), or None.")
