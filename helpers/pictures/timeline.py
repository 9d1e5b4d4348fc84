"""Models over the years: the kind and the size of each, as marks and in words."""

from dataclasses import dataclass

import numpy as np

from .. import _
from .picture import SMALL, Picture, clean, figure_of, style
from .roles import GREY, KEY, QUERY, VALUE


@dataclass(frozen=True)
class Kind:
    """A kind of model: the title of its rows, its mark and its colour."""

    title: str
    mark: str
    colour: str


KINDS = {
    "encoder": Kind(_("encoder"), "s", QUERY),
    "both": Kind(_("encoder and decoder"), "o", VALUE),
    "decoder": Kind(_("decoder"), "^", KEY),
    "not published": Kind(_("kind not published"), "D", GREY),
}
MONTHS = _("January February March April May June July August September October November December")
HOLLOW = 8  # points: width of a hollow mark


def timeline(models, *, says=""):
    """Years across, and a row for each model, by kind; sizes are marks on a log scale.

    models  each with .name, .phrase, .date (year, month), .kind ("encoder", "decoder", "both" or
            "not published"), .parameters, (smallest, largest) or None, and .size, the same in words
    says    more words for the description
    A small mark inside a pale one shows the smallest and the largest size of a family; a hollow
    mark means that no size is stated.
    """
    models = sorted(models, key=lambda model: (list(KINDS).index(model.kind), model.date))
    years = [model.date[0] for model in models]
    kinds = list(dict.fromkeys(model.kind for model in models))
    count = len(models) + len(kinds)  # above the rows of a kind, its name takes a row
    with style():
        figure, ax = figure_of(7.5, 0.5 + 0.26 * count)
        for k, model in enumerate(models):
            row = k + kinds.index(model.kind) + 1
            kind = KINDS[model.kind]
            if k == 0 or models[k - 1].kind != model.kind:
                ax.axhline(row - 1.5, color=GREY, linewidth=0.5)
                look = {"weight": "bold", "va": "center", "transform": ax.get_yaxis_transform()}
                ax.text(0, row - 1, kind.title, size=SMALL, **look)
            year, month = model.date
            x, sizes = year + (month - 0.5) / 12, model.parameters
            look = {"marker": kind.mark, "edgecolors": kind.colour}
            look["facecolors"] = kind.colour if sizes else "none"
            # Every factor of ten adds the same width; sizes below ten million are drawn as ten
            # million.
            widths = [4 * max(1, np.log10(n) - 6) for n in sizes] if sizes else [HOLLOW]
            for width, alpha in zip(widths, (1, 0.4)):
                ax.scatter(x, row, width**2, alpha=alpha, gid=model.name, **look)
            right = year < np.mean(years)  # the side of the mark on which its words have more room
            at = {"xytext": ((max(widths) / 2 + 5) * (1 if right else -1), 0), "size": SMALL}
            at |= {"textcoords": "offset points", "ha": "left" if right else "right"}
            words = clean(f"{model.name}, {model.size}: {model.phrase}", 70)
            ax.annotate(words, (x, row), va="center", parse_math=False, **at)
        ax.set_xticks(range(min(years), max(years) + 2))
        ax.set(ylim=(count - 0.5, -0.5), yticks=[])
        ax.spines["left"].set_visible(False)
        ax.tick_params(length=0)
        ax.grid(axis="x", alpha=0.25)
    told = []
    for kind in kinds:
        words = "; ".join(_in_words(model) for model in models if model.kind == kind)
        told.append(f"{KINDS[kind].title.capitalize()}: {words}.")
    return Picture(figure, "\n".join([*told, says]).strip())


def _in_words(model):
    year, month = model.date
    return f"{model.name} ({MONTHS.split()[month - 1]} {year}, {model.size}: {model.phrase})"
