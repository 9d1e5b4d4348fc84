"""What lies in a plane: vectors as arrows, and a number as a curve over a slider."""

from dataclasses import dataclass

import numpy as np

from .picture import SMALL, Drawing, digits, inches
from .roles import CURVES, GREY, KEY, QUERY, VALUE, kind_of, rounded_up
from .text import shortened

SIDE = 2.3  # inches: a plane of arrows
WIDE, TALL = 3.6, 2.0  # inches: a chart
VECTOR, TERM = "#1D8C80", CURVES[0]  # an arrow, and a term of a sum: purple, as weights are
KINDS = {"query": QUERY, "key": KEY, "value": VALUE, "": VECTOR}
SLACK = 0.12  # share of a plane beyond its longest arrow


@dataclass(frozen=True)
class Curve:
    """A number at all values of one slider."""

    slider: str
    values: list
    numbers: np.ndarray
    at: int  # the index of the present value


@dataclass(frozen=True)
class Plane:
    """Where both axes of a plane end, and where they have a tick on either side of 0."""

    low: float
    high: float
    tick: float


def plane_of(panel):
    """The Plane for the vectors of a panel, which has no empty half."""
    tick = min(panel.limit, rounded_up(max(map(abs, panel.span))) or panel.limit)
    low, high = (np.sign(x) * min(tick, rounded_up(abs(x))) for x in panel.span)
    room = SLACK * max(high - low, 1e-6)
    return Plane(float(low - room), float(high + room), tick)


def arrows_of(panel, array, decimals):
    """The Drawing of vectors with two components, as arrows from 0.

    With two arrows, the angle between them is drawn. The terms of a sum, (rows, terms, 2) in
    `panel.beside`, are arrows from tip to tail, if the panel has a single row.
    """
    plane = plane_of(panel)
    low, high, tick = plane.low, plane.high, plane.tick

    def draw(ax):
        for steps in panel.beside if panel.beside is not None and len(array) == 1 else ():
            ends = np.cumsum([[0, 0], *steps], axis=0)
            for start, end in zip(ends, ends[1:]):
                _arrow(ax, start, end, TERM, 1.2)
        close = len(array) == 2 and np.hypot(*(array[0] - array[1])) < (high - low) / 8
        for k, (vector, label) in enumerate(zip(array, panel.rows)):
            colour = KINDS[kind_of(label) or kind_of(panel.name)]
            _arrow(ax, (0, 0), vector, colour, 2)
            look = {"color": colour, "size": SMALL, "weight": "bold", "parse_math": False}
            x, y = vector
            # Of two tips close together, the upper has its name above, the other below.
            above = k == array[:, 1].argmax() if close else y >= 0
            look |= {"ha": "left" if x >= 0 else "right", "va": "bottom" if above else "top"}
            ax.text(x, y, f" {shortened(label)} ", gid="row", **look)
        ax.set(xlim=(low, high), ylim=(low, high))
        if len(array) == 2:
            _angle(ax, array)
        ax.axhline(0, color=GREY, linewidth=0.6)
        ax.axvline(0, color=GREY, linewidth=0.6)
        ticks = [x for x in (-tick, tick) if low <= x <= high]
        ax.set_xticks(ticks, [f"{x:g}" for x in ticks])
        ax.set_yticks(ticks, [f"{x:g}" for x in ticks])
        across, up = panel.columns
        if across != "x1":  # a name of its own
            look = {"size": SMALL, "color": GREY, "parse_math": False}
            ax.text(high, 0, f"{shortened(across)} →", ha="right", va="bottom", **look)
            side = "right" if low < -(high - low) / 3 else "left"  # where there is room
            ax.text(0, high, f" {shortened(up)} ↑ ", ha=side, va="top", **look)

    return Drawing(inches(f"{-tick:g}"), SIDE, SIDE, draw)


def _arrow(ax, start, end, colour, width):
    look = {"arrowstyle": "->", "color": colour, "lw": width, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", end, start, arrowprops=look)


def _angle(ax, pair):
    """The angle between two arrows, as an arc with its degrees."""
    low, high = ax.get_xlim()  # and as far upwards
    radius = (high - low) / 8
    first, second = np.arctan2(pair[:, 1], pair[:, 0])
    turn = (second - first + np.pi) % (2 * np.pi) - np.pi
    arc = first + turn * np.linspace(0, 1, 24)
    ax.plot(radius * np.cos(arc), radius * np.sin(arc), color=GREY, linewidth=1, gid="angle")
    corners = [(x, y) for y in (low, high) for x in (high, low)]
    far = [np.hypot(*(pair - corner).T).min() > (high - low) / 3 for corner in corners]
    x, y = corners[far.index(True) if any(far) else 0]  # where no name covers it
    look = {"ha": "right" if x == high else "left", "va": "bottom" if y == low else "top"}
    ax.text(x, y, f" {abs(np.degrees(turn)):.0f}° ", size=SMALL, color=GREY, **look)


def chart_of(panel, array, decimals):
    """The Drawing of a number as the curve in `panel.beside`, with a dot where the slider stands."""
    curve = panel.beside
    at, numbers = curve.at, curve.numbers
    margin = 0.15  # inches, at the right

    def draw(ax):
        x = np.array(curve.values, float)
        low, high = panel.span
        ax.plot(x, numbers, linewidth=1.6, color=CURVES[0])
        ax.plot(x[at], numbers[at], "o", color=CURVES[0], gid="dot")
        is_left = at < len(x) / 2  # the number stands where there is more room
        is_low = numbers[at] < low + 0.1 * (high - low)
        rises = np.diff(numbers[max(0, at - 1) : at + 2]).sum() >= 0
        below = rises == is_left and not is_low  # the curve, or above it
        place = {
            "xytext": (6 if is_left else -6, -8 if below else 8),
            "textcoords": "offset points",
        }
        look = {
            "size": SMALL,
            "ha": "left" if is_left else "right",
            "va": "center",
            "gid": "number",
        }
        ax.annotate(digits(numbers[at], decimals), (x[at], numbers[at]), **place, **look)
        room = 0.06 * max(high - low, 1e-6)
        end = x[0] + (x[-1] - x[0]) * (WIDE + margin) / WIDE
        ax.set(xlim=(x[0], end), ylim=(low - room, high + room))
        ticks = [x[0], x[len(x) // 2], x[-1]]
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.set_xlabel(curve.slider, size=SMALL, parse_math=False)
        ax.grid(alpha=0.25)

    return Drawing(0.4, WIDE + margin, TALL, draw)
