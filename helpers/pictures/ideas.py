"""Views of single notebooks, each of which shows one idea: from the numbers of a panel to shapes.

A view with `stretch` becomes as narrow as the page; if it is `even`, as a plane is, so do heights.
"""

import itertools
from dataclasses import replace

import numpy as np

from .. import _
from .drawings import Plane
from .picture import digits
from .roles import kind_of
from .shapes import disc, line, path, rectangle, text, wide
from .text import rounded

APART, FLAT = 24, {-1: 0.36, 1: 0.2}  # pixels between words; the height of arcs back and ahead
BESIDE, BELOW, FOLD = 70, 80, 10  # pixels: of a curtain beside and below the words; of its folds
BOX, PITCH, HEADS = 42, 56, 190  # pixels: a box, from box to box, and down to the heads
SIDE, LONG = 500, 420  # pixels: a side of a plane; a bar
TRAIL, NAMED = 12, 20  # pieces of a trail; pixels: a shorter arrow has no name
STATE, ACROSS = 32, 150  # pixels: from one state to the next, and to those of the other sentence
CHART = 260, 130  # pixels
PICTURE = 160  # pixels: its longer side


def sentence(panel):
    """Words that arrive one by one, and throw arcs to those they look at: back above, ahead below.

    What is not written yet lies behind a curtain. While a word is pointed at, a curtain hides what
    the mask hides from it.
    """
    words = [word if isinstance(word, str) else max(word) for word in panel.columns]
    edges = np.cumsum([0, *(APART + wide(word) for word in words), BESIDE])
    middles, top = (edges[:-1] + edges[1:]) / 2, -30 - FLAT[-1] * edges[-2]
    there = ~np.isnan(panel.x[0, :, 0])  # (words, settings): each word sees the first one
    shapes = []
    for fold, left in enumerate(np.arange(0, edges[-1], FOLD)):
        slot = np.searchsorted(edges, left, side="right") - 1
        shade = np.where(there[slot], np.nan, 0.42) if slot < len(words) else 0.42
        look = {"ink": "quiet", "opacity": shade - 0.16 * (fold % 2)}
        shapes.append(rectangle(left, top, FOLD, BELOW - top, **look))
    for i, j in itertools.combinations(range(len(words)), 2):
        is_hidden = np.where(there[j] & np.isnan(panel.x[0, i, j]), 0.42, np.nan)
        look = {"ink": "quiet", "opacity": is_hidden, "cell": (0, i, None), "active": True}
        shapes.append(rectangle(edges[j], top, edges[j + 1] - edges[j], BELOW - top, **look))
    for i, j in np.ndindex(len(words), len(words)):
        is_new = ~there[i + 1] if i + 1 < len(words) else there[i]
        weight, shade = panel.x[0, i, j], np.where(is_new, 0.9, 0.35)
        look = {"ink": "series 0", "opacity": shade, "cell": (0, i, j)}
        if i == j:
            shapes.append(disc(middles[i], -18, 7 * np.sqrt(weight), **look))
        else:
            shapes.append(_arc(middles[i], middles[j], width=10 * weight, **look))
    for k, word in enumerate(panel.columns):
        shapes.append(text(middles[k], 0, word, cell=(None, k, k)))
    return [*shapes, text(middles[-1], 0, _("future"))]


sentence.title, sentence.stretch = _("sentence"), 1


def _arc(start, end, **look):
    """An arc from one word of a line to another: above if it goes back, below if it goes ahead."""
    side = 1 if end > start else -1
    base, pull = 12 * side, (12 + 4 / 3 * (8 + FLAT[side] * abs(end - start))) * side
    return path(start, base, start, pull, end, pull, end, base, **look)


def beams(panel):
    """Boxes in a row, and from each head a beam to each of them, as thick as its weight.

    A box called "red" or "blue" has this colour, and so has a beam that falls on it. The last
    token, which asks, has its place in the row, too, but no box.
    """
    width = PITCH * (len(panel.columns) - 1)
    apart = width / (len(panel.x) + 1)
    shapes = []
    for h, j in np.ndindex(len(panel.x), len(panel.columns)):
        ink = panel.columns[j] if panel.columns[j] in ("red", "blue") else "quiet"
        x = PITCH * j + 8 * (h - (len(panel.x) - 1) / 2)
        look = {"width": 24 * panel.x[h, 0, j], "ink": ink, "opacity": 0.85, "cell": (h, 0, j)}
        shapes.append(line(apart * (h + 1), HEADS, x, BOX / 2, **look))
    for j, word in enumerate(panel.columns[:-1]):
        is_tagged = word in ("red", "blue")
        look = {"ink": word if is_tagged else "quiet", "opacity": 1 if is_tagged else 0.35}
        x, cell = PITCH * j, (None, None, j)
        shapes.append(rectangle(x - BOX / 2, -BOX / 2, BOX, BOX, cell=cell, **look))
        shapes.append(text(x, -BOX / 2 - 12, word, cell=cell))
    shapes.append(text(width, 0, panel.columns[-1], cell=(None, 0, len(panel.columns) - 1)))
    for h, name in enumerate(panel.heads):
        shapes.append(disc(apart * (h + 1), HEADS, 11, cell=(h, 0, None)))
        shapes.append(text(apart * (h + 1), HEADS + 24, name))
    return shapes


beams.title, beams.stretch = _("beams"), 2


def in_plane(vectors, axes, mean):
    """A view of the weights of one query, whose two components are the first two sliders.

    Each word is a vector, as thick as its weight. The query can be dragged by its tip. An arrow
    called `mean` leads to the weighted mean of the words.

    vectors   (words, 2)
    """
    vectors = np.asarray(vectors, float)

    def plane(panel):
        query = np.array(list(panel.settings.values())[:2])  # (2, settings)
        told = np.hstack([vectors.T, query])
        plane = Plane(replace(panel, span=(told.min(), told.max()), limit=np.inf), SIDE)
        zero, shapes, names = plane.at(0, 0), plane.axes(axes), []  # names stand on all arrows
        weights = panel.x[0, 0]  # (words, settings)
        for k, (vector, word) in enumerate(zip(vectors, panel.columns)):
            look, at = {"ink": "series 0", "cell": (0, 0, k)}, plane.at(*vector)
            shapes.append(line(*zero, *at, width=26 * weights[k], opacity=0.85, **look))
            shapes.append(disc(*at, 3 + 6 * weights[k], **look))
            names.append(plane.name(word, vector, cell=(None, None, k)))
        for word, vector, ink in (
            (mean, vectors.T @ weights, "value"),
            (panel.rows[0], query, "query"),
        ):
            look, at = {"ink": ink, "cell": (None, 0, None)}, plane.at(*vector)
            shapes.append(line(*zero, *at, width=3, tip=True, **look))
            names.append(plane.name(word, vector, **look))
        return [*shapes, *names, disc(*at, 15, grip=True, opacity=0.2, **look)]

    plane.title, plane.stretch, plane.even = _("plane"), 1, True
    return plane


def trails(panel):
    """The vectors of two heads in one plane, as arrows, and the ways of their tips so far.

    A label "Birne · pear" names the vector of the first head, and that of the second one.
    """
    plane = Plane(panel, side=520)
    shapes, own = plane.axes(panel.columns), []
    count = panel.x.shape[-1]
    stops = np.unique(np.linspace(0, count - 1, TRAIL + 1).round().astype(int))
    now = np.arange(count)
    inks = [kind_of(name) or "vector" for name in panel.heads]
    for h, name in enumerate(panel.heads):
        shapes.append(text(0, 10 + 20 * h, name, ink=inks[h], align="start"))
    for h, i in np.ndindex(panel.x.shape[:2]):
        vector, look = panel.x[h, i], {"ink": inks[h], "cell": (h, i, None)}
        for start, end in itertools.pairwise(stops):
            till = np.minimum(now, end)
            way = [*plane.at(*vector[:, start]), *plane.at(*vector[:, till])]
            is_gone = np.where(now > start, 0.45, np.nan)
            shapes.append(line(*way, width=1.5, opacity=is_gone, **look))
        own.append(line(*plane.at(0, 0), *plane.at(*vector), width=2.4, tip=True, **look))
        is_long = np.hypot(*vector) * plane.scale > NAMED
        name = panel.rows[i].split(" · ")[h]
        own.append(plane.name(name, np.where(is_long, vector, np.nan), **look))
    return [*shapes, *own]


trails.title, trails.stretch, trails.even = _("trails"), 1, True


def bottleneck(panel):
    """Two sentences, read and written word by word, and an arrow for each weight between them.

    A state of the one at the left is computed from the state above it; so is one at the right, and
    from what the arrows bring.
    """
    shapes = []
    for x, words, ink, side in ((0, panel.columns, "query", -1), (ACROSS, panel.rows, "value", 1)):
        look = {"align": "end" if side < 0 else "start"}
        for k, word in enumerate(words):
            cell = (None, None, k) if side < 0 else (None, k, None)
            shapes.append(disc(x, STATE * k, 6, ink=ink, cell=cell))
            shapes.append(text(x + 12 * side, STATE * k, word, cell=cell, **look))
            if k:
                shapes.append(line(x, STATE * (k - 1) + 7, x, STATE * k - 7, tip=True, ink="quiet"))
    for i, j in np.ndindex(panel.x.shape[1:3]):
        weight = panel.x[0, i, j]
        width = np.where(weight > 0, 2.2 * weight, np.nan)  # no head of an arrow without a line
        look = {"width": width, "ink": "series 0", "cell": (0, i, j)}
        shapes.append(line(8, STATE * j, ACROSS - 8, STATE * i, tip=True, **look))
    return shapes


bottleneck.title, bottleneck.stretch = _("two sentences"), 1


def one_bar(panel):
    """The weights of one query as one bar, which the words share."""
    weights, names = panel.x[0, 0], panel.columns  # (words, settings)
    ends = LONG * np.cumsum(np.vstack([0 * weights[:1], weights]), axis=0)
    middles = (ends[:-1] + ends[1:]) / 2
    halves = [wide(name) / 2 + 4 for name in names]
    for k in range(len(names)):  # each name leaves room for those before it, and for those after it
        middles[k] = np.clip(
            middles[k],
            *(sum(halves[:k]) * 2 + halves[k], LONG - halves[k] - 2 * sum(halves[k + 1 :])),
        )
    shapes = []
    for k, name in enumerate(names):
        look = {"ink": "series 0", "opacity": 0.2 + 0.75 * weights[k], "cell": (0, 0, k)}
        shapes.append(
            rectangle(ends[k] + 1, 0, np.maximum(ends[k + 1] - ends[k] - 2, 0), 54, **look)
        )
        told = [rounded(x, 2) for x in weights[k]]
        shapes.append(text(middles[k], -12, name, cell=(None, None, k)))
        shapes.append(text(middles[k], 68, told, ink="quiet", cell=(0, 0, k)))
    return shapes


one_bar.title, one_bar.stretch = _("one bar"), 1


def chart(panel):
    """A number as a curve over the first slider, with a dot where it stands; others move the curve.

    Raises ValueError unless the first control is a slider.
    """
    at = next(iter(panel.settings.values()), np.array([1, 0]))
    if (np.diff(at) < 0).any():  # the settings of the first control come in order
        raise ValueError(_("a chart needs a slider as the first control."))
    values, (width, height) = np.unique(at), CHART
    x, x_now = (width * (place - values[0]) / np.ptp(values) for place in (values, at))
    low, high = panel.limit * np.sign(panel.span[0]), panel.limit
    numbers = panel.x[0, 0, 0].reshape(len(values), -1)  # (values, settings of the other controls)
    y, y_now = (height * (high - number) / (high - low) for number in (numbers, panel.x[0, 0, 0]))
    y = np.tile(y, len(values))  # (values, settings)
    look = {"ink": "quiet", "width": 1}
    shapes = [rectangle(0, 0, width, height, opacity=0, cell=(0, 0, 0))]  # where one points at it
    shapes += [line(0, height, width, height, **look), line(0, 0, 0, height, **look)]
    for k in (0, (len(values) - 1) // 2, -1):
        shapes.append(text(x[k], height + 12, f"{values[k]:g}".replace("-", "−"), ink="quiet"))
    for number in (low, (low + high) / 2, high):
        up = height * (high - number) / (high - low)
        shapes.append(line(0, up, width, up, opacity=0.3, **look))
        told = f"{number:.4g}".replace("-", "−")
        shapes.append(text(-6, up, told, align="end", ink="quiet"))
    shapes.append(text(width / 2, height + 28, next(iter(panel.settings)), ink="quiet"))
    look = {"cell": (0, 0, 0)}
    for k in range(len(values) - 1):
        shapes.append(line(x[k], y[k], x[k + 1], y[k + 1], width=1.8, **look))
    shapes += [line(x_now, 0, x_now, height, ink="quiet", width=1), disc(x_now, y_now, 4.5, **look)]
    told = [digits(number, panel.decimals) for number in panel.x[0, 0, 0]]
    return [*shapes, text(x_now, np.where(y_now < 22, y_now + 14, y_now - 14), told)]


chart.title, chart.stretch = _("chart"), 2.4


def over(picture):
    """A view of weights, one for each patch of a picture in grey: a colour laid over the patch.

    picture   (height, width), in which a larger value is darker, and 0 or less is white
    """
    pixels = np.clip(np.asarray(picture, float), 0, None)
    shades = (0.5 * pixels / pixels.max()).round(2)
    side = PICTURE / max(shades.shape)

    def patches(panel):
        weights = np.clip(panel.x[0] / panel.limit, 0, 1)  # (rows, columns, settings)
        tall, across = side * np.divide(shades.shape, weights.shape[:2])
        shapes = []
        for (i, j), shade in np.ndenumerate(shades):
            shapes.append(rectangle(side * j, side * i, side, side, opacity=shade))
        for i, j in np.ndindex(weights.shape[:2]):
            look = {"ink": "term", "opacity": 0.85 * weights[i, j], "cell": (0, i, j)}
            shapes.append(rectangle(across * j, tall * i, across - 1, tall - 1, **look))
        return shapes

    patches.title, patches.heads = _("patches"), True
    return patches
