"""Drawings that each tell how one mechanism works. They are views (see shapes), for one panel each.

A view with `stretch` becomes as narrow as the page; one with `heads` draws each head by itself.
"""

import itertools

import numpy as np

from .. import _
from .picture import digits
from .roles import kind_of
from .shapes import disc, line, path, rectangle, text, wide, word_at
from .text import rounded

APART = 44  # pixels: from one token to the next
BRANCH = 26  # pixels: from the end of one branch to that of the next


def induction(panel):
    """Two layers, from the bottom up: one notes what came before each letter, one finds the note.

    panel.x is (2 layers, queries, keys): all weights of layer 1, and of layer 2 those of the one
    query that asks, with 0 in all other rows. panel.heads names the layers.
    """
    letters, stream, answer = 250, 128, 2  # how far down each row of letters is
    below, above = np.nan_to_num(panel.x)
    asks, found = above.sum(axis=1).argmax(axis=0), above.max(axis=0).argmax(axis=0)
    words, setting = np.array(panel.columns), np.arange(len(asks))
    before = below[found, :, setting].argmax(axis=1)  # what layer 1 has noted at the letter found
    shapes = []
    for name, low, high in zip(panel.heads, (letters, stream), (stream, answer)):
        shapes.append(text(-16, (low + high) / 2, name, align="end", ink="quiet"))
    for k, word in enumerate(panel.columns):
        x, is_read = APART * k, np.where(k <= asks, 1, np.nan)
        shapes.append(line(x, letters - 13, x, stream + 13, ink="quiet", opacity=0.4 * is_read))
        for y in (letters, stream):
            shapes.append(text(x, y * is_read, word, cell=(None, k, k)))
    for i, j in np.ndindex(below.shape[:2]):
        x, to = APART * j, APART * i
        width = np.where(i <= asks, 8 * below[i, j], np.nan)
        look = {"ink": "term", "width": width, "cell": (0, i, j)}
        look["opacity"] = np.where(i == found, 0.9, 0.12)
        shapes.append(path(x, letters - 13, x, 199, to, 199, to, stream + 33, **look))
        look = {"ink": "term", "width": 8 * above[i, j], "cell": (1, i, j), "opacity": 0.9}
        shapes.append(path(x, stream - 13, x, 20, to, 70, to, answer + 14, **look))
    is_noted, is_sure = below[found, before, setting], above[asks, found, setting]
    for k, y, ink, opacity in (
        (before, letters, "key", is_noted),
        (found, stream, "key", is_noted),
        (asks, stream, "query", 1),
        (asks, answer, "value", is_sure),
    ):
        shapes.append(disc(APART * k, y, 12, ink=ink, opacity=0.25 * opacity))
    noted = [_("after {letter}", letter=word) for word in words[before]]
    asked = [_("after {letter}?", letter=word) for word in words[asks]]
    shapes.append(text(APART * found, stream + 21, noted, ink="key", opacity=is_noted))
    shapes.append(text(APART * asks, stream - 22, asked, ink="query"))
    shapes.append(text(APART * asks, answer, list(words[found]), opacity=is_sure))
    return [*shapes, text(APART * (asks + 1), letters, "?")]


induction.title, induction.stretch = _("two layers"), 1


def piles(panel):
    """What is computed for each word while a text grows: boxes piled up, the newest ones bright.

    panel.x is (1, steps, words): 2 where a key and a value are computed, 0 where they are cached,
    and NaN at steps and words that have not come yet.
    """
    wide, tall = 33, 14  # pixels: of a box with its edges
    computed = np.nan_to_num(panel.x[0])  # (steps, words, settings)
    newest = (~np.isnan(panel.x[0])).any(axis=1).sum(axis=0) - 1  # (settings,)
    height = (computed > 0).cumsum(axis=0)  # of the pile of a word, in boxes
    floor, total = tall * len(panel.rows), computed.sum(axis=(0, 1))
    shapes = [rectangle(0, 0, wide * len(panel.columns), floor, opacity=0)]  # room for all
    for k, word in enumerate(panel.columns):
        x = np.where(k <= newest, wide * (k + 0.5), np.nan)
        shapes.append(text(x, floor + 12, word, cell=(None, None, k)))
    for step, k in np.ndindex(computed.shape[:2]):
        y = np.where(computed[step, k] > 0, floor - tall * height[step, k], np.nan)
        opacity = np.where(step == newest, 1, 0.25)
        for half, ink in enumerate(("key", "value")):
            look = {"ink": ink, "opacity": opacity, "cell": (0, step, k)}
            x = wide * k + 2 + half * (wide / 2 - 2)
            shapes.append(rectangle(x, y, wide / 2 - 2, tall - 2, **look))
    told = [rounded(x, 0) for x in total]
    return [
        *shapes,
        text(2, floor + 40, _("work so far"), align="start", ink="quiet"),
        rectangle(2, floor + 50, 3 * total, 18),
        text(3 * total + 8, floor + 59, told, align="start"),
        text(150, floor + 40, _("key"), ink="key"),
        text(190, floor + 40, _("value"), ink="value"),
    ]


piles.title, piles.stretch = _("piles"), 1


def window(panel):
    """A tile that slides over a row of scores, and above them the highest score so far.

    panel.x is (1, 2, words): the scores, NaN outside the tile, and the maximum after the tile of
    each word, NaN in tiles that have not come.
    """
    (scores, highest), (low, high) = panel.x[0], panel.span
    unit = 130 / max(high - low, 1e-6)  # pixels
    zero = 26 + unit * high
    floor = zero - unit * low + 20
    is_stored = ~np.isnan(scores)
    left = APART * (is_stored.argmax(axis=0) - 0.5)
    right = left + APART * is_stored.sum(axis=0)
    shapes = [rectangle(left, 0, right - left, floor + 24, ink="quiet", opacity=0.15)]
    edges = [(x, 0, x, floor + 24) for x in (left, right)]
    edges += [(left, y, right, y) for y in (0, floor + 24)]
    shapes += [line(*ends, width=2) for ends in edges]
    shapes.append(line(-APART / 2, zero, APART * (len(scores) - 0.5), zero, ink="quiet", width=1))
    for k, word in enumerate(panel.columns):
        x, y, pale = APART * k, zero - unit * scores[k], np.where(is_stored[k], 1, 0.6)
        shapes.append(text(x, floor + 12, word, cell=(None, None, k), opacity=pale))
        bar = np.minimum(y, zero), 24, abs(y - zero)
        shapes.append(rectangle(x - 12, *bar, ink="vector", cell=(0, 0, k)))
        told = [digits(score, 1) for score in np.nan_to_num(scores[k])]
        shapes.append(text(x, np.maximum(y, zero) + 10, told))
        y = zero - unit * highest[k]
        look = {"cell": (0, 1, k), "opacity": pale, "width": 4}
        shapes.append(line(x - APART / 2, y, x + APART / 2, y, **look))
    y = zero - unit * np.nanmax(np.where(is_stored, highest, np.nan), axis=0)
    is_early = right < APART * len(scores) / 2  # there is more room at the right
    places = np.where(is_early, right + 6, np.nan), np.where(is_early, np.nan, left - 6)
    for x, align in zip(places, ("start", "end")):
        shapes.append(text(x, y - 11, _("maximum"), align=align))
    return shapes


window.title, window.stretch = _("window"), 1


def gauges(panel):
    """Sums that are carried along: as they were, rescaled, and with what a tile adds to them.

    panel.x is (1, sums, 3): before, rescaled and now, none of them below 0.
    """
    shapes, wide, tall, apart = [], 34, 150, 92  # pixels; apart: the two columns of a sum
    for i, word in enumerate(panel.rows):
        (before, kept, now), left = panel.x[0, i], 142 * i
        was, low, top = tall - tall * panel.x[0, i] / max(panel.span[1], 1e-6)
        right, ink = left + apart, kind_of(word) or "term"
        for x, y, down, opacity, cell in (
            (left, was, tall, 0.3, (0, i, 0)),
            (right, low, tall, 0.5, (0, i, 1)),
            (right, top, low, 1, (0, i, 2)),
        ):
            look = {"ink": ink, "opacity": opacity, "cell": cell}
            shapes.append(rectangle(x, y, wide, down - y, **look))
        is_carried = np.where(before > 0, 1, np.nan)
        share = np.divide(kept, before, out=np.ones_like(kept), where=before > 0)
        factors = [f"× {rounded(x, 2)}" for x in share]
        shapes.append(line(left + wide + 3, was, right - 3, low * is_carried, width=2, tip=True))
        shapes.append(text((left + right + wide) / 2, was * is_carried - 10, factors))
        for x, y, number in ((left, was * is_carried, before), (right, top, now)):
            shapes.append(text(x + wide / 2, y - 10, [rounded(x, 2) for x in number]))
        for x, name in ((left, panel.columns[0]), (right, panel.columns[2])):
            shapes.append(line(x, tall, x + wide, tall, ink="quiet", width=1))
            shapes.append(text(x + wide / 2, tall + 12, name, ink="quiet"))
        shapes.append(text((left + right + wide) / 2, tall + 34, word, cell=(None, i, None)))
        if i == 0:
            why = [_("maximum") + (" ↑" if x < 1 else " =") for x in share]
            shapes.append(text(left, -34 * is_carried, why, align="start"))
    return shapes


gauges.title = _("gauges")


def dial(panel):
    """The hand of a clock, where it is now and, ever paler, where it was.

    panel.x is (1, positions, 2), the sine and the cosine of its angle; the last position is now.
    """
    x, y = 62 * panel.x[0].transpose(1, 0, 2) * np.array([1, -1])[:, None, None]
    shapes = [disc(0, 0, 72, ink="quiet", opacity=0.12)]
    for angle in np.arange(12) * np.pi / 6:
        right, down = np.sin(angle), -np.cos(angle)
        shapes.append(line(67 * right, 67 * down, 71 * right, 71 * down, ink="quiet", width=1))
    for k in range(len(x)):
        age, now = len(x) - 1 - k, k == len(x) - 1
        look = {"ink": "vector", "opacity": 1 if now else 0.5 * 0.75**age, "cell": (0, k, None)}
        shapes.append(line(0, 0, x[k], y[k], width=6 if now else 2, **look))
        shapes.append(disc(x[k], y[k], 8 if now else 5 * 0.85**age, **look))
    return [*shapes, disc(0, 0, 5)]


dial.title, dial.heads = _("dial"), True


def tree(panel):
    """Paths of words as branches, as thick as the probabilities of all paths along them.

    Each word has one place at all settings. What belongs to the second series alone is dashed.
    """
    along, rows = _sums_along(panel)
    places, shapes = _places_of(along), []
    for words, sums in along.items():
        (start, before), (x, y) = places[words[:-1]], places[words]
        start += wide(words[-2]) + 46 if words[:-1] else 0
        half, total = (start + x) / 2, sums.sum(axis=0)
        is_dropped = (total > 0) & ~(sums[0] > 0)
        for series, there in enumerate((~np.isnan(total) & ~is_dropped, is_dropped)):
            width = np.where(there, np.maximum(0.75, 9 * total), np.nan)
            look = {"ink": "series 1" if series else "word", "width": width}
            look["cell"] = (0, None, None)
            shapes.append(path(start, before, half, before, half, y, x - 5, y, **look))
            for row in np.unique(rows[words][there]):
                at = np.where(there & (rows[words] == row), x, np.nan)
                cell = (0, int(row), series) if row >= 0 else (None, None, None)
                look = {"ink": "quiet" if series else "word", "cell": cell, "align": "start"}
                shapes.append(text(at, y, words[-1], **look))
        told = [rounded(n, panel.decimals) if k >= 0 else "" for n, k in zip(total, rows[words])]
        shapes.append(text(x + wide(words[-1]) + 6, y, told, ink="quiet", align="start"))
    return shapes


tree.title, tree.stretch = _("tree"), 1


def _sums_along(panel):
    """({words of a branch: the sums of each series}, {words: the row that ends there, or −1}).

    Sums are (series, settings), NaN where there is no such branch; rows are (settings,).
    """
    sums, rows, count = {}, {}, panel.x.shape[-1]
    for s, k in np.ndindex(count, len(panel.rows)):
        words = tuple(word_at(panel.rows[k], s).split())
        for end in range(1, len(words) + 1):
            here = sums.setdefault(words[:end], np.full((len(panel.columns), count), np.nan))
            here[:, s] = np.nan_to_num(here[:, s]) + panel.x[0, k, :, s]
            rows.setdefault(words[:end], np.full(count, -1))
        if words:
            rows[words][s] = k
    return sums, rows


def _places_of(along):
    """{words of a branch: where the last one begins}."""
    lefts = [0, 28]
    for depth in range(1, max(map(len, along))):
        widest = max(wide(words[-1]) for words in along if len(words) == depth)
        lefts.append(lefts[-1] + 74 + widest)
    places, leaves = {}, itertools.count()

    def place(words):
        below = [place(longer) for longer in along if longer[:-1] == words]
        up = (below[0] + below[-1]) / 2 if below else BRANCH * next(leaves)
        places[words] = lefts[len(words)], up
        return up

    place(())
    return places
