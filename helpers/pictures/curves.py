"""Numbers as bars, curves and arrows."""

import textwrap

import numpy as np

from .. import _
from .frames import check_decimals, if_batch, saying, to_array
from .picture import Picture, clean, digits, figure_of, inches, style
from .roles import GREY, KEY, QUERY
from .text import rounded

DASHES = ["-", "--", "-.", ":"]  # besides colours, so that curves differ not by colour alone


def bars(groups, labels, *, ylabel="weight", decimals=2, says=""):
    """Bars side by side for each label: {"divided by the sum": […], "softmax": […]}.

    groups    name → one value for each label
    labels    words under the bars
    says      a description in words, in place of the values; for values that are measured or
              trained, and so differ from machine to machine
    Raises ValueError if a group does not have exactly one value for each label.
    """
    with saying("bars"):
        check_decimals(decimals)
        groups = {name: to_array(name, values).ravel() for name, values in groups.items()}
        for name, values in groups.items():
            if len(values) != len(labels):
                told = {"name": name, "came": len(values), "count": len(labels)}
                raise ValueError(_("'{name}' has {came} numbers for {count} labels.", **told))
    below = [textwrap.fill(clean(label, 40), 12, break_long_words=False) for label in labels]
    with style():
        longest = max(inches(line, 10) for text in below for line in text.split("\n"))
        each = max(0.8, 0.55 * len(groups), longest + 0.15)
        figure, ax = figure_of(1.6 + len(labels) * each, 2.6)
        thick = 0.8 / len(groups)
        for k, (name, values) in enumerate(groups.items()):
            places = np.arange(len(labels)) + (k - (len(groups) - 1) / 2) * thick
            drawn = ax.bar(places, values, thick * 0.92, label=name)
            ax.bar_label(drawn, [digits(x, decimals) for x in values], size=8, padding=2)
        ax.set_xticks(range(len(labels)), below, parse_math=False)
        ax.set_ylabel(ylabel)
        ax.axhline(0, color=GREY, linewidth=0.8)
        ax.margins(y=0.15)
        _legend_above(figure, groups)
    told = [_("Bars of {what}", what=ylabel)]
    if says:
        words = ", ".join(map(str, labels))
        told.append(_("{names}: for {labels}.", names=", ".join(groups), labels=words) + f" {says}")
    for name, values in groups.items() if not says else ():
        numbers = [f"{label} {rounded(x, decimals)}" for label, x in zip(labels, values)]
        told.append(f"{name}: {', '.join(numbers)}")
    return Picture(figure, "\n".join(told))


def lines(
    x, curves, *, xlabel, ylabel, marker="", xscale="linear", yscale="linear", marks=None, says=""
):
    """Curves over one x: {"training": […], "validation": […]}; `says` describes them in words.

    curves  name → one value for each x; or several runs, (runs, x), in one colour
    x       values; or a dict of them, {"training": […], "validation": […]}, one for each curve
    marks   positions on the x axis, each drawn as a vertical line: {"training ended": 15.5}

    The text leaves the values out: most curves are measured or trained, and so differ from machine
    to machine.
    Raises ValueError if a curve does not have exactly one value for each x.
    """
    marks = marks or {}
    with saying("lines"):
        curves = {name: np.atleast_2d(to_array(name, values)) for name, values in curves.items()}
        xs = {name: to_array("x", x[name] if isinstance(x, dict) else x) for name in curves}
        for name, runs in curves.items():
            if runs.shape[1:] != xs[name].shape:
                told = {"name": name, "came": runs.shape[-1], "count": len(xs[name])}
                raise ValueError(_("'{name}' has {came} values for {count} of x.", **told))
    with style():
        figure, ax = figure_of(5.6, 2.9)
        for k, (name, runs) in enumerate(curves.items()):
            look = {"color": f"C{k}", "linestyle": DASHES[k % len(DASHES)], "marker": marker}
            first, *_others = ax.plot(xs[name], runs.T, **look)
            first.set_label(name)
        ax.set(xlabel=xlabel, ylabel=ylabel, xscale=xscale, yscale=yscale)
        ax.grid(alpha=0.25)
        for what, place in marks.items():
            ax.axvline(place, color=GREY, linewidth=1, linestyle=":")
            above = {"transform": ax.get_xaxis_transform(), "ha": "center", "va": "bottom"}
            ax.text(place, 1.01, clean(what, 30), size=8, parse_math=False, **above)
        _legend_above(figure, curves)
    told = [_("{y} against {x}: {names}.", y=ylabel, x=xlabel, names=", ".join(curves))]
    told += [_("At {place:g}: {what}.", place=at, what=what) for what, at in marks.items()]
    return Picture(figure, " ".join([*told, says]).strip())


def plane(vectors, labels, *, query=None, xlabel="x1", ylabel="x2"):
    """Two-dimensional vectors as labelled arrows from the origin; the one of index `query` is blue.

    Raises ValueError unless there are two finite components for each label.
    """
    with saying("plane"):
        vectors = to_array("vectors", vectors)
        if vectors.shape != (len(labels), 2) or not np.isfinite(vectors).all():
            told = {"shape": vectors.shape, "n": len(labels)}
            came = _("vectors have shape {shape} and there are {n} labels;", **told)
            wanted = _("expected ({n}, 2), finite numbers.", **told)
            raise ValueError(f"{came} {wanted}{if_batch(vectors.ndim > 2)}")
    with style():
        figure, ax = figure_of(4.4, 3.6)
        for i, ((x, y), label) in enumerate(zip(vectors, labels)):
            colour = QUERY if i == query else KEY
            arrow = {"arrowstyle": "->", "color": colour, "lw": 1.8}
            ax.annotate("", (x, y), (0, 0), arrowprops=arrow)
            beside = {"xytext": (6 if x >= 0 else -6, 5 if y >= 0 else -11), "weight": "bold"}
            beside |= {"textcoords": "offset points", "ha": "left" if x >= 0 else "right"}
            ax.annotate(clean(label), (x, y), color=colour, parse_math=False, **beside)
        reach = 1.25 * max(1e-6, np.abs(vectors).max())
        left, low = np.minimum(1.9 * vectors.min(axis=0), -0.08 * reach)
        ax.set(xlim=(left, reach), ylim=(low, reach), xlabel=xlabel, ylabel=ylabel)
        ax.axhline(0, color=GREY, linewidth=0.6)
        ax.axvline(0, color=GREY, linewidth=0.6)
        ax.grid(alpha=0.2)
    places = zip(labels, vectors)
    words = ", ".join(f"{w} ({rounded(x, 2)}, {rounded(y, 2)})" for w, (x, y) in places)
    return Picture(figure, _("Arrows: {words}", words=words))


def _legend_above(figure, names):
    """A legend of several curves or groups, where it covers none of them."""
    if len(names) > 1:
        room = 13 * figure.get_figwidth() // (8 + max(map(len, names)))  # letters; a sample takes 8
        figure.legend(loc="outside upper left", ncols=max(1, int(room)))
