"""The static pictures, one function each. They show arrays and know no maths.

Every function returns a Picture: as a cell's last line it shows itself, with its content as text.
"""

import contextlib
import io
import itertools
import warnings
from base64 import b64encode
from pathlib import Path

import matplotlib.style
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from matplotlib.patheffects import withStroke
from PIL import Image

from .frames import (
    Labels,
    as_text,
    check_decimals,
    hide_masked,
    if_batch,
    readable,
    rounded,
    saying,
    shortened,
    to_array,
    to_panels,
)
from .heatmaps import heatmaps
from .offers import says_pale
from .roles import INK, KEY, QUERY, ROLES, VALUE

STYLE = Path(__file__).parent / "notebook.mplstyle"
DASHES = ["-", "--", "-.", ":"]  # beside colours, so that colour alone never tells two curves apart
DPI, SHOWN_DPI = 144, 84  # drawn fine, shown smaller: sharp on any screen


@contextlib.contextmanager
def _style():
    """Draw as all pictures of the series do."""
    with matplotlib.style.context(STYLE), warnings.catch_warnings():
        # For a letter that the font lacks, such as 🌞, a box is drawn; the word is in the text.
        warnings.filterwarnings("ignore", r"Glyph .* missing from font")
        yield


class Picture:
    """A matplotlib figure (`.figure`) with a description in words (`.text`).

    The text may be replaced by one that is the same on every machine. What was drawn then still
    stands in the alternative text of the PNG.
    """

    def __init__(self, figure, text):
        self.figure, self.text, self._drawn = figure, text, text

    def __repr__(self):
        return self.text

    def png(self):
        """The picture as the bytes of a PNG file."""
        file = io.BytesIO()
        with _style():
            # Without a layout engine, a figure is laid out to the inch: there is nothing to cut.
            engine = self.figure.get_layout_engine()
            cut = {"bbox_inches": "tight", "pad_inches": 0.08} if engine else {}
            self.figure.savefig(file, format="png", dpi=DPI, **cut)
        return with_palette(file)

    def _repr_mimebundle_(self, **kwargs):
        png = self.png()
        width = int.from_bytes(png[16:20], "big")  # where the PNG format keeps it
        alt = self.text if self._drawn in self.text else f"{self.text}\n{self._drawn}"
        about = {"alt": alt, "width": round(width * SHOWN_DPI / DPI)}
        return {"image/png": b64encode(png).decode(), "text/plain": self.text}, {"image/png": about}


def with_palette(file):
    """The PNG in `file` with 256 colours: the same to the eye, in a third of the bytes."""
    image = Image.open(file).convert("RGB")
    smaller = io.BytesIO()
    kind = {"method": Image.Quantize.FASTOCTREE, "dither": Image.Dither.NONE}
    image.quantize(256, **kind).save(smaller, format="PNG")
    return smaller.getvalue()


def matrices(
    result, tokens, *, rows=None, columns=None, masked=None, limits=None, roles=None, decimals=2
):
    """Named matrices side by side, as an Explorer shows them: {"scores": …, "weights": …}.

    result    a matrix (tokens, tokens), or a dict of matrices; (heads, rows, columns) for several heads
    masked    True where a cell is hatched: (queries, keys)
    The other arguments are those of Explorer. Raises ValueError or TypeError as it does.
    """
    with saying("matrices"):
        check_decimals(decimals)
        arrays, numbers = to_panels(result)
        hidden = None if masked is None else to_array("masked", masked).astype(bool)
        shown = Labels(tokens, rows, columns, roles, limits).panels(arrays)
        pairs = [(panel, hide_masked(panel, arrays[panel.name], hidden)) for panel in shown]
    return panels(pairs, numbers, decimals)


def panels(pairs, numbers=None, decimals=2, note=""):
    """The picture of (Panel, array) pairs, NaN hatched; `numbers` and `note` stand underneath."""
    numbers = numbers or {}
    grids = [
        (p, a[h] if a.ndim == 3 else a, p.name + (f", head {h + 1}" if a.ndim == 3 else ""))
        for p, a in pairs
        for h in range(len(a) if a.ndim == 3 else 1)
    ]
    below = [f"{name} = {rounded(x, decimals)}" for name, x in numbers.items()]
    pale = [f"{p.name}: {says}" for p, a in pairs if p.is_picture and (says := says_pale(p, a))]
    with _style():
        figure = heatmaps(grids, decimals, "     ".join([*below, *pale, *([note] if note else [])]))
    return Picture(figure, "\n".join([as_text(p, a, decimals) for p, a in pairs] + below))


def _clean(label, longest=14):
    """A token as plain text that fits; draw it with parse_math=False, for $ is no formula here."""
    return shortened(readable(label), longest)


def bars(groups, labels, *, ylabel="weight", decimals=2, limits=None):
    """Bars side by side for each label: {"divided by the sum": […], "softmax": […]}.

    groups    name → one number for each label
    labels    words under the bars
    """
    if not isinstance(groups, dict) or not groups:
        raise TypeError(
            'bars: expected a dict of at least one group, such as {"softmax": weights}.'
        )
    with saying("bars"):
        check_decimals(decimals)
        groups = {name: to_array(name, values).ravel() for name, values in groups.items()}
        for name, values in groups.items():
            if len(values) != len(labels):
                raise ValueError(f"'{name}' has {len(values)} numbers for {len(labels)} labels.")
            if not np.isfinite(values).all():
                raise ValueError(f"'{name}' holds NaN or ±∞; a bar needs finite numbers.")
    with _style():
        figure = Figure(
            figsize=(1.6 + len(labels) * max(0.8, 0.55 * len(groups)), 2.6), layout="constrained"
        )
        ax = figure.subplots()
        width = 0.8 / len(groups)
        for k, (name, values) in enumerate(groups.items()):
            places = np.arange(len(labels)) + (k - (len(groups) - 1) / 2) * width
            # One group of bars shows shares: in the colour of weights. More need telling apart.
            colour = ROLES["weights"].high if len(groups) == 1 else f"C{k}"
            drawn = ax.bar(places, values, width * 0.92, label=name, color=colour)
            ax.bar_label(drawn, [rounded(x, decimals) for x in values], size=8, padding=2)
        ax.set_xticks(range(len(labels)), [_clean(x) for x in labels], parse_math=False)
        ax.set_ylabel(ylabel)
        ax.axhline(0, color=INK, linewidth=0.8)
        ax.margins(y=0.15)
        if limits:
            ax.set_ylim(*limits)
        if len(groups) > 1:
            figure.legend(loc="outside upper center", ncols=len(groups), frameon=False)
    lines = [
        f"{name}: "
        + ", ".join(f"{x} {rounded(v, decimals)}" for x, v in zip(labels, values, strict=True))
        for name, values in groups.items()
    ]
    return Picture(figure, "\n".join([f"Bars of {ylabel}", *lines]))


def lines(
    x, curves, *, xlabel, ylabel, title="", marker="", xscale="linear", yscale="linear", says=""
):
    """Curves over one x: {"training": […], "validation": […]}; `says` describes them in words.

    The numbers stay out of the text: curves are mostly measured or trained, and differ by machine.
    """
    with saying("lines"):
        x = to_array("x", x).ravel()
        curves = {name: to_array(name, values).ravel() for name, values in curves.items()}
        for name, values in curves.items():
            if len(values) != len(x):
                raise ValueError(f"'{name}' has {len(values)} values for {len(x)} of x.")
    with _style():
        figure = Figure(figsize=(5.6, 2.9), layout="constrained")
        ax = figure.subplots()
        for (name, values), dashes in zip(curves.items(), itertools.cycle(DASHES)):
            ax.plot(x, values, label=name, marker=marker, linestyle=dashes)
        ax.set(xlabel=xlabel, ylabel=ylabel, title=title, xscale=xscale, yscale=yscale)
        ax.grid(alpha=0.25)
        if len(curves) > 1:
            ax.legend(frameon=False)
    text = f"{ylabel} against {xlabel}: {', '.join(curves)}."
    return Picture(figure, f"{text} {says}".strip())


def plane(vectors, labels, *, query=None, xlabel="x1", ylabel="x2"):
    """Two-dimensional vectors as arrows from the origin, named; `query` is the index of one in blue."""
    with saying("plane"):
        vectors = to_array("vectors", vectors)
        if vectors.shape != (len(labels), 2) or not len(labels):
            raise ValueError(
                f"vectors have shape {vectors.shape} and there are {len(labels)} labels; "
                f"expected ({max(1, len(labels))}, 2).{if_batch(vectors.ndim > 2)}"
            )
        if not np.isfinite(vectors).all():
            raise ValueError("vectors hold NaN or ±∞; an arrow needs finite numbers.")
        if query is not None and query not in range(len(labels)):
            raise ValueError(f"query={query!r} is no position among {len(labels)} vectors, from 0.")
    with _style():
        figure = Figure(figsize=(4.4, 3.6), layout="constrained")
        ax = figure.subplots()
        for i, ((x, y), label) in enumerate(zip(vectors, labels, strict=True)):
            colour = QUERY if i == query else KEY
            ax.annotate(
                "", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": colour, "lw": 1.8}
            )
            ax.annotate(
                _clean(label), (x, y), xytext=(6 if x >= 0 else -6, 5 if y >= 0 else -11),
                textcoords="offset points", color=colour, weight="bold", ha="left" if x >= 0 else "right",
                parse_math=False,
                path_effects=[withStroke(linewidth=3, foreground="white")],  # legible across arrows
            )  # fmt: skip
        reach = 1.25 * max(1e-6, np.abs(vectors).max())
        lowest = np.minimum(1.5 * vectors.min(axis=0), -0.08 * reach)
        ax.set(xlim=(lowest[0], reach), ylim=(lowest[1], reach), xlabel=xlabel, ylabel=ylabel)
        ax.axhline(0, color=INK, linewidth=0.6)
        ax.axvline(0, color=INK, linewidth=0.6)
        ax.grid(alpha=0.2)
    words = ", ".join(
        f"{w} ({rounded(x, 2)}, {rounded(y, 2)})" for w, (x, y) in zip(labels, vectors)
    )
    return Picture(figure, f"Arrows: {words}")


def word_order(source, target, pairs):
    """Two sentences, one above the other, a line between words that translate each other.

    pairs    (position in source, position in target), from 0
    """
    if not source or not target:
        raise ValueError("word_order: a sentence is empty; give at least one word.")
    for i, j in pairs:
        if not (0 <= i < len(source) and 0 <= j < len(target)):
            raise ValueError(
                f"word_order: the pair ({i}, {j}) lies outside {len(source)} and {len(target)} words."
            )
    with _style():
        figure = Figure(figsize=(1.05 * max(len(source), len(target)), 2.1), layout="constrained")
        ax = figure.subplots()
        for i, j in pairs:
            crosses = any((i - k) * (j - m) < 0 for k, m in pairs)
            ax.plot(
                [i, j],
                [0.82, 0.18],
                color=KEY if crosses else "#8A8A8A",
                lw=2.4 if crosses else 1.4,
            )
        for words, height in ((source, 1), (target, 0)):
            for k, word in enumerate(words):
                ax.text(
                    k, height, _clean(word), ha="center", va="center", size=11, parse_math=False
                )
        ax.set(xlim=(-0.6, max(len(source), len(target)) - 0.4), ylim=(-0.2, 1.2))
        ax.set_axis_off()
    words = ", ".join(f"{source[i]} – {target[j]}" for i, j in pairs)
    return Picture(figure, f"Word order: {' '.join(source)} / {' '.join(target)}. Pairs: {words}.")


def bottleneck(words, outputs):
    """Left: all words squeezed into one vector. Right: every output looks at every word."""
    if not words or not outputs:
        raise ValueError("bottleneck: a sentence is empty; give at least one word.")
    with _style():
        figure = Figure(figsize=(11, 2.9), layout="constrained")
        left, right = figure.subplots(1, 2)
        left.set_title("one vector for the whole sentence")
        right.set_title("attention: every output looks at every word")
        for ax in (left, right):
            _row_of_boxes(ax, words, 1.0, QUERY)
            _row_of_boxes(ax, outputs, 0.0, VALUE)
            ax.set(xlim=(-0.05, 1.05), ylim=(-0.2, 1.2))
            ax.set_axis_off()
        link = {"color": "#8A8A8A", "lw": 0.8, "zorder": 0}
        for x, _ in _spread(words):
            left.plot([x, 0.5], [0.87, 0.6], **link)
            for y, _ in _spread(outputs):
                right.plot([x, y], [0.87, 0.13], **link)
        for y, _ in _spread(outputs):
            left.plot([0.5, y], [0.4, 0.13], **link)
        _box(left, "one vector", 0.5, 0.5, 0.26, KEY)
    return Picture(
        figure,
        f"Left: {len(words)} words lead into one vector, and that into {len(outputs)} outputs. "
        f"Right: each of the {len(outputs)} outputs is joined to each of the {len(words)} words.",
    )


def _spread(words):
    """(centre, width) of a box for each word, in a row from 0 to 1; long words get wide boxes."""
    widths = np.array([len(_clean(word)) + 2.5 for word in words])
    widths = widths / widths.sum()
    return list(zip(np.cumsum(widths) - widths / 2, widths))


def _row_of_boxes(ax, words, height, colour):
    for (x, width), word in zip(_spread(words), words):
        _box(ax, word, x, height, width - 0.03, colour)


def _box(ax, word, x, y, width, colour):
    shape = FancyBboxPatch(
        (x - width / 2, y - 0.09),
        width,
        0.18,
        boxstyle="round,pad=0.01",
        fc="white",
        ec=colour,
        lw=1.6,
    )
    ax.add_patch(shape)
    ax.text(x, y, _clean(word), ha="center", va="center", size=8, parse_math=False)
