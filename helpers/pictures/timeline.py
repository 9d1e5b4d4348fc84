"""Models along the years: what kind each is, and how large, in marks and in words."""

import textwrap

import numpy as np
from matplotlib.lines import Line2D

from .. import _
from .picture import Picture, clean, figure_of, style
from .roles import INK, KEY, QUERY, VALUE

KINDS = {  # kind → (title of its lines, mark, colour)
    "encoder": (_("encoder"), "s", QUERY),
    "both": (_("encoder and decoder"), "o", VALUE),
    "decoder": (_("decoder"), "^", KEY),
    "not published": (_("kind not published"), "D", INK),
}
MONTHS = _("January February March April May June July August September October November December")
SIZES = {"100M": 1e8, "1B": 1e9, "10B": 1e10, "100B": 1e11, "1T": 1e12}
HOLLOW = 8  # points
DOT = {"marker": "o", "linestyle": "", "color": "#595959"}


def timeline(models, *, says=""):
    """Years across, a line for each model, by kind; sizes as marks on a log scale; `says` adds words.

    models  each with .name, .phrase, .date (year, month), .kind ("encoder", "decoder", "both" or
            "not published"), .parameters (smallest, largest), or None: a hollow mark, and .size,
            the same in words
    A small mark inside a pale one: the smallest and the largest of a family.
    """
    models = sorted(models, key=lambda model: (list(KINDS).index(model.kind), model.date))
    years = range(min(m.date[0] for m in models), max(m.date[0] for m in models) + 1)
    rows = {kind: [row for row, m in enumerate(models) if m.kind == kind] for kind in KINDS}
    rows = {kind: found for kind, found in rows.items() if found}
    with style():
        figure, ax = figure_of(8.8, 1 + 0.26 * len(models))
        for row, model in enumerate(models):
            _draw(ax, row, model, flip=model.date[0] > np.mean(years))
        for found in rows.values():
            ax.axhline(found[0] - 0.5, color="#BDBDBD", linewidth=0.8)
        ax.vlines(years, -0.5, len(models) - 0.5, colors="#EEEEEE", linewidths=0.8, zorder=0)
        ax.set(xlim=(years[0], years[-1] + 1), ylim=(len(models) - 0.5, -0.5))
        ax.set_xticks(np.add(years, 0.5), years)
        titles = [textwrap.fill(KINDS[kind][0], 12) for kind in rows]
        ax.set_yticks([np.mean(found) for found in rows.values()], titles, size=9, weight="bold")
        ax.tick_params(length=0)
        dots = [Line2D([], [], color="none", label=_("numbers to learn:"))]
        dots += [
            Line2D([], [], label=label, ms=_width(size), **DOT) for label, size in SIZES.items()
        ]
        dots += [
            Line2D([], [], label=_("not published, or not told"), ms=HOLLOW, mfc="white", **DOT)
        ]
        look = {"ncols": len(dots), "frameon": False, "fontsize": 8, "borderpad": 1}
        figure.legend(handles=dots, loc="outside upper center", columnspacing=1, **look)
    told = [
        f"{KINDS[kind][0].capitalize()}: {'; '.join(_in_words(models[row]) for row in found)}."
        for kind, found in rows.items()
    ]
    return Picture(figure, "\n".join([*told, says]).strip())


def _width(parameters):
    """Of a mark, in points: every factor of ten adds the same; under ten million is ten million."""
    return 4 * max(1, np.log10(parameters) - 6)


def _draw(ax, row, model, flip):
    """Marks of the smallest and the largest of a family, and words to the right of them, or the left."""
    _title, mark, colour = KINDS[model.kind]
    x = model.date[0] + (model.date[1] - 0.5) / 12
    look = {"marker": mark, "edgecolors": colour, "gid": model.name}
    widths = [_width(n) for n in model.parameters or ()]
    if widths:
        ax.scatter(x, row, widths[1] ** 2, facecolors=colour, alpha=0.3, **look)
        ax.scatter(x, row, widths[0] ** 2, facecolors=colour, **look)
    else:
        ax.scatter(x, row, HOLLOW**2, facecolors="white", **look)
    beside = max([HOLLOW, *widths]) / 2 + 5
    at = {"xytext": (-beside if flip else beside, 0), "textcoords": "offset points", "size": 8}
    at |= {"ha": "right" if flip else "left", "va": "center", "parse_math": False}
    ax.annotate(clean(f"{model.name}, {model.size}: {model.phrase}", 70), (x, row), **at)


def _in_words(model):
    year, month = model.date
    return f"{model.name} ({MONTHS.split()[month - 1]} {year}, {model.size}: {model.phrase})"
