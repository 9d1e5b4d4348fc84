"""Numbers as bars and curves."""

import re
import textwrap

import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, LogLocator, MaxNLocator, NullLocator

from .. import _
from .frames import check_decimals, saying, to_array
from .labels import Labels
from .panels import panels
from .picture import SMALL, Picture, style
from .probabilities import as_bars
from .roles import CURVES, GREY, rounded_up
from .text import readable, rounded, shortened

# Besides colours, so that curves differ not by colour alone; the last has long dashes.
DASHES = ["-", "--", "-.", ":", (0, (7, 2.5))]
NARROW = 4.1  # inches: with its margins, a picture of this width fits on a phone


def bars(groups, labels, *, title="weight", decimals=2, says=""):
    """Bars beside each label, as for probabilities: {"divided by the sum": […], "softmax": […]}.

    groups    name → one value for each label, none below 0; at most four groups
    title     what the values are
    says      a description in words, in place of the values; for values that are measured or
              trained, and so differ from machine to machine
    Raises ValueError if a group does not have exactly one value for each label, or one below 0.
    """
    with saying("bars"):
        check_decimals(decimals)
        array = to_array(title, list(groups.values()))
        if array.min() < 0:
            least = {"name": title, "x": array.min()}
            raise ValueError(_("'{name}' has {x:.4g}; a bar begins at 0.", **least))
        of = {"rows": {title: list(groups)}, "roles": {title: "probabilities"}}
        end = rounded_up(array.max()) or 1.0
        panel = Labels(labels, **of, limits={title: end}).panel(title, array.shape)
    picture = panels([as_bars(panel, array)], decimals=decimals)
    told = [_("Bars of {what}", what=title)]
    if says:
        words = ", ".join(labels)
        told.append(_("{names}: for {labels}.", names=", ".join(groups), labels=words) + f" {says}")
    for name, values in zip(groups, array) if not says else ():
        numbers = [f"{label} {rounded(x, decimals)}" for label, x in zip(labels, values)]
        told.append(f"{name}: {', '.join(numbers)}")
    picture.text = "\n".join(told)
    return picture


def lines(
    x, curves, *, xlabel, ylabel, marker="", xscale="linear", yscale="linear",
    marks=None, says="",
):  # fmt: skip
    """Curves over one x, each with its name at its end: {"training": […], "validation": […]}.

    curves  name → one value for each x; or several runs, (runs, x), drawn faint beside their mean
    x       values; or a dict of them, {"training": […], "validation": […]}, one for each curve
    marks   positions on the x axis, each drawn as a vertical line: {"training ended": 15.5}
    says    a description in words

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
        figure = Figure((NARROW, 2.9), layout="constrained")
        ax = figure.subplots()
        for k, (name, runs) in enumerate(curves.items()):
            colour, dashes = CURVES[k % len(CURVES)], DASHES[k % len(DASHES)]
            if len(runs) > 1:
                ax.plot(xs[name], runs.T, color=colour, linewidth=0.8, alpha=0.5)
            look = {"color": colour, "linestyle": dashes, "marker": marker, "markersize": 4}
            ax.plot(xs[name], runs.mean(axis=0), label=name, **look)
        ax.set(xlabel=xlabel, xscale=xscale, yscale=yscale)
        _plain_ticks(ax.xaxis, xscale, next(iter(xs.values())))
        _plain_ticks(ax.yaxis, yscale)
        ax.grid(alpha=0.25)
        turned = {"rotation": 40, "ha": "left"} if len(marks) > 1 else {"ha": "center"}
        for what, place in marks.items():
            ax.axvline(place, color=GREY, linewidth=1, linestyle=":")
            look = {"size": SMALL, "va": "bottom", "parse_math": False, **turned}
            look["transform"] = ax.get_xaxis_transform()
            ax.text(place, 1.01, shortened(readable(what), 30), **look)
        ax.set_ylabel(_in_lines(ylabel, 46), rotation=0, ha="left", va="bottom")
        above_marks = {0: 0, 1: 0.1}.get(len(marks), 0.27)  # the words of several are turned
        ax.yaxis.set_label_coords(-0.1, 1.03 + above_marks)
        if len(curves) > 1:
            _name_ends(figure, ax)
    told = [_("{y} against {x}: {names}.", y=ylabel, x=xlabel, names=", ".join(curves))]
    told += [_("At {place:g}: {what}.", place=at, what=what) for what, at in marks.items()]
    return Picture(figure, " ".join([*told, says]).strip())


def _in_lines(text, longest):
    """A text in lines of at most so many letters, a number in one line with the word before it."""
    bound = re.sub(r" (?=\d)", "\N{NO-BREAK SPACE}", text)
    lines = textwrap.fill(bound, longest, break_long_words=False, break_on_hyphens=False)
    return lines.replace("\N{NO-BREAK SPACE}", " ")


def _plain_ticks(axis, scale, given=()):
    """Round ticks, such as 10k instead of 10⁴; on a log scale, a few given values are ticks."""
    exact = scale == "log" and 1 < len(given) <= 6
    if exact:
        axis.set_major_locator(FixedLocator(given))
    elif scale == "log":
        low, high = axis.get_view_interval()
        axis.set_major_locator(LogLocator(subs=(1, 3) if high > 100 * low else (1, 2, 3, 5)))
    else:
        whole = len(given) > 0 and all(float(x).is_integer() for x in given)
        axis.set_major_locator(MaxNLocator(6, integer=whole, steps=[1, 2, 5, 10]))
    in_thousands = not exact or all(float(x) % 1000 == 0 for x in given if x >= 1000)

    def write(x, _position):
        if x < 1000:
            return f"{x:g}".replace("-", "−")
        return f"{x / 1000:g}k" if in_thousands else f"{x:,.0f}"  # 4k, or 4,096

    axis.set_major_formatter(write)
    axis.set_minor_locator(NullLocator())


def _name_ends(figure, ax):
    """Write the name of each curve beside its end, so that no name covers another."""
    names = []
    for k, curve in enumerate(ax.get_legend_handles_labels()[0]):
        link = {"arrowstyle": "-", "color": curve.get_color(), "relpos": (0, 0.5), "shrinkB": 0}
        link["linestyle"] = DASHES[k % len(DASHES)]
        name = _in_lines(shortened(readable(curve.get_label()), 40), 16)
        look = {"va": "center", "parse_math": False, "annotation_clip": False, "arrowprops": link}
        beside = {"xytext": (1.08, 0.5), "textcoords": "axes fraction", "gid": "name"}
        names.append(ax.annotate(name, curve.get_xydata()[-1], **beside, **look))
    figure.draw_without_rendering()  # now the sizes of the names and of the axes are known
    ends = ax.transAxes.inverted().transform(ax.transData.transform([name.xy for name in names]))
    heights = [Text.get_window_extent(name).height / ax.bbox.height for name in names]
    order = np.argsort(ends[:, 1])
    at, tall = np.nan_to_num(ends[order, 1]), np.array(heights)[order]
    space = 0.35 * tall.min()  # names are farther from each other than their lines
    for _step in range(100):  # neighbours that are too close move apart
        push = np.maximum(0, (tall[1:] + tall[:-1]) / 2 + space - np.diff(at)) / 2
        at += np.append(0, push) - np.append(push, 0)
    for k, y in zip(order, at):
        names[k].set_position((1.08, y))
