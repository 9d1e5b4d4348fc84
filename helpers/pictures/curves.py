"""Numbers as bars, curves and arrows."""

import itertools

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from .frames import check_decimals, if_batch, saying, to_array
from .picture import Picture, clean, style
from .roles import INK, KEY, QUERY, ROLES
from .text import rounded

DASHES = ["-", "--", "-.", ":"]  # beside colours, so that colour alone never tells two curves apart


def bars(groups, labels, *, ylabel="weight", decimals=2, limits=None, says=""):
    """Bars side by side for each label: {"divided by the sum": […], "softmax": […]}.

    groups    name → one number for each label
    labels    words under the bars
    says      what there is to see, in words, in place of the numbers: for those that are measured or
              trained, and differ by machine
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
    with style():
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
        ax.set_xticks(range(len(labels)), [clean(x) for x in labels], parse_math=False)
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
    if says:
        lines = [f"{', '.join(groups)}: for {', '.join(map(str, labels))}. {says}"]
    return Picture(figure, "\n".join([f"Bars of {ylabel}", *lines]))


def lines(
    x,
    curves,
    *,
    xlabel,
    ylabel,
    title="",
    marker="",
    xscale="linear",
    yscale="linear",
    marks=None,
    says="",
):
    """Curves over one x: {"training": […], "validation": […]}; `says` describes them in words.

    curves  name → one number for each x; or several runs, (runs, x), in one colour
    x       numbers; or a dict of them, {"training": […], "validation": […]}, where each curve has its own
    marks     places on the x axis, each an upright line: {"training ended": 15.5}

    The numbers stay out of the text: curves are mostly measured or trained, and differ by machine.
    """
    with saying("lines"):
        curves = {name: np.atleast_2d(to_array(name, values)) for name, values in curves.items()}
        xs = x if isinstance(x, dict) else dict.fromkeys(curves, x)
        if missing := [name for name in curves if name not in xs]:
            raise ValueError(f"x has no numbers for {', '.join(map(repr, missing))}.")
        xs = {name: to_array("x", xs[name]).ravel() for name in curves}
        for name, runs in curves.items():
            if runs.shape[1:] != xs[name].shape:
                raise ValueError(f"'{name}' has {runs.shape[-1]} values for {len(xs[name])} of x.")
    with style():
        figure = Figure(figsize=(5.6, 2.9), layout="constrained")
        ax = figure.subplots()
        for (name, values), dashes in zip(curves.items(), itertools.cycle(DASHES)):
            drawn = _in_one_line(xs[name], values)
            ax.plot(*drawn, label=name, marker=marker, linestyle=dashes)
        ax.set(xlabel=xlabel, ylabel=ylabel, title=title, xscale=xscale, yscale=yscale)
        ax.grid(alpha=0.25)
        for what, place in (marks or {}).items():
            ax.axvline(place, color=INK, linewidth=1, linestyle=":")
            ax.annotate(
                clean(what), (place, 1), (0, 2), xycoords=ax.get_xaxis_transform(),
                textcoords="offset points", ha="center", size=8, parse_math=False,
            )  # fmt: skip
        parts = [len(runs) > 1 or np.isnan(runs).any() for runs in curves.values()]
        parted = len(curves) > 1 and any(parts)
        if (
            parted or len(curves) > 4
        ):  # with so many curves, or parts of them, it would lie over one
            figure.legend(loc="outside upper center", ncols=len(curves), frameon=False)
        elif len(curves) > 1:
            ax.legend(frameon=False)
    text = f"{ylabel} against {xlabel}: {', '.join(curves)}."
    text += "".join(f" At {place:g}: {what}." for what, place in (marks or {}).items())
    return Picture(figure, f"{text} {says}".strip())


def _in_one_line(x, runs):
    """(x, y) of all runs, one behind the other; between two, at NaN, the pen is lifted."""
    if len(runs) == 1:
        return x, runs[0]
    lifted = np.full((len(runs), 1), np.nan)
    return np.tile(np.append(x, np.nan), len(runs)), np.hstack([runs, lifted]).ravel()


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
    with style():
        figure = Figure(figsize=(4.4, 3.6), layout="constrained")
        ax = figure.subplots()
        for i, ((x, y), label) in enumerate(zip(vectors, labels, strict=True)):
            colour = QUERY if i == query else KEY
            ax.annotate(
                "", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": colour, "lw": 1.8}
            )
            ax.annotate(
                clean(label), (x, y), xytext=(6 if x >= 0 else -6, 5 if y >= 0 else -11),
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
