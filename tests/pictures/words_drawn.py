"""The words of a still picture, and where they are, once it is laid out."""

import itertools

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator


def words_of(figure):
    """Every text of a figure, except the numbers that matplotlib writes along an axis."""
    found = [*figure.texts, *(text for box in figure.legends for text in box.get_texts())]
    for ax in figure.axes:
        found += [*ax.texts, ax.title, ax._left_title]
        found += ax.get_legend().get_texts() if ax.get_legend() else []
        for axis in (ax.xaxis, ax.yaxis) if ax.axison else ():
            if isinstance(axis.get_major_locator(), FixedLocator):
                found += axis.get_ticklabels()
    return [text for text in found if text.get_text()]


def assert_all_can_be_read(picture):
    """Assert that no text of a picture overlaps another, and that none is cut when it is saved."""
    figure = picture.figure
    figure.draw_without_rendering()
    # Of an annotation, its words alone, without its arrow.
    boxes = [(text.get_text(), Text.get_window_extent(text)) for text in words_of(figure)]
    page = figure.get_tightbbox().padded(0.08).extents * figure.dpi
    for text, box in boxes:
        assert (page[:2] <= box.min).all() and (box.max <= page[2:]).all(), text
    for (one, a), (other, b) in itertools.combinations(boxes, 2):
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        down = min(a.y1, b.y1) - max(a.y0, b.y0)
        # The room for ascenders may overlap.
        assert across <= 0.5 or down <= 0.2 * min(a.height, b.height), (one, other)


def names(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def numbers(ax):
    return [text.get_text() for text in ax.texts if text.get_gid() == "number"]


def titles(axes):
    return [ax.get_title(loc="left") for ax in axes]


def linear(colour):
    """The amounts of red, green and blue light of a colour."""
    v = np.array(to_rgb(colour))
    return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """The contrast ratio of two colours, as the Web Content Accessibility Guidelines define it."""
    dark, light = sorted(
        linear(colour) @ [0.2126, 0.7152, 0.0722] + 0.05 for colour in (one, other)
    )
    return light / dark
