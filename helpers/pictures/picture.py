"""What all pictures share: a figure in the style of the series, with its content in words."""

import contextlib
import functools
import io
import warnings
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import matplotlib.style
import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from PIL import Image

from .roles import GREY
from .text import rounded

TEXT_COLOURS = (
    "text.color axes.edgecolor axes.labelcolor xtick.color ytick.color grid.color".split()
)
STYLE = [Path(__file__).parent / "notebook.mplstyle", dict.fromkeys(TEXT_COLOURS, GREY)]
DPI, SHOWN_DPI = 144, 84  # drawn at a high resolution and shown smaller, so sharp on any screen
SMALL = 9.5  # points: the smallest letters, which are 11 pixels high where pictures are shown
# Inches: of a page, which shrinks wider pictures (at 700 pixels, SMALL letters are still 9 high);
# and between drawings.
PAPER = {"facecolor": "white", "edgecolor": "#C4C4C4", "linewidth": 0.6}  # white on dark pages, too
WIDEST, APART = 10, 0.3


@contextlib.contextmanager
def style():
    """Draw in the style of all pictures of the series."""
    with matplotlib.style.context(STYLE), warnings.catch_warnings():
        # A character that the font lacks, such as 🌞, is drawn as a box; the text still names it.
        warnings.filterwarnings("ignore", r"Glyph .* missing from font")
        yield


class Picture:
    """A matplotlib figure (`.figure`) with a description in words (`.text`).

    The text may be replaced by one that is the same on every machine. A description of what was
    drawn then remains in the alternative text of the PNG.
    """

    def __init__(self, figure, text):
        self.figure, self.text, self._drawn = figure, text, text

    def __repr__(self):
        return self.text

    def save(self, path):
        """Write the picture to a file, in the format of its suffix: picture.svg, .png or .pdf."""
        with style():
            self.figure.savefig(path, dpi=DPI, bbox_inches="tight", pad_inches=0.08)

    def png(self):
        """The picture as the bytes of a PNG file."""
        full, small = io.BytesIO(), io.BytesIO()
        self.save(full)
        _with_few_colours(Image.open(full)).save(small, "PNG", optimize=True)
        return small.getvalue()

    def _repr_mimebundle_(self, **kwargs):
        png = self.png()
        width = int.from_bytes(png[16:20], "big")  # where the PNG format has it
        alt = self.text if self._drawn in self.text else f"{self.text}\n{self._drawn}"
        about = {"alt": alt, "width": round(width * SHOWN_DPI / DPI)}
        return {"image/png": b64encode(png).decode(), "text/plain": self.text}, {"image/png": about}


@dataclass(frozen=True)
class Drawing:
    """What is drawn on axes of its own: its size in inches, and the function that draws it.

    left   the room for labels at its left
    draw   called with the axes
    """

    left: float
    width: float
    height: float
    draw: Callable
    title: str = ""


def _with_few_colours(image):
    """Reduce an RGBA image to the colours that tell most: the same to the eye, a third of the bytes.

    Pillow's own reduction would merge pale colours with greys where pixels are partly transparent.
    """
    pixels = np.asarray(image).view(np.uint32)[..., 0]  # (height, width): four bytes as one integer
    colours, times = np.unique(pixels, return_counts=True)
    words = 255 * np.array([[*to_rgb(GREY), a] for a in np.linspace(0, 1, 16)])  # keeps text crisp
    words = words.round().astype(np.uint8).view(np.uint32)[:, 0]
    kept = np.concatenate([words, colours[times.argsort()[-112:]]])
    bytes_of, bytes_kept = (c.view(np.uint8).reshape(-1, 4).astype(int) for c in (colours, kept))
    away = [((bytes_of - colour) ** 2).sum(axis=1) for colour in bytes_kept]
    least = np.min(away, axis=0)
    for _more in range(24):  # a single dark cell, say, whose colour is unlike all others
        farthest = bytes_of[(least * (times > 20)).argmax()]
        bytes_kept = np.concatenate([bytes_kept, farthest[None]])
        away.append(((bytes_of - farthest) ** 2).sum(axis=1))
        least = np.minimum(least, away[-1])
    few = Image.fromarray(np.uint8(np.argmin(away, axis=0))[np.searchsorted(colours, pixels)])
    few.putpalette(bytes_kept.astype(np.uint8).tobytes(), "RGBA")
    return few


def digits(x, decimals):
    """A number as it is written in a picture, as in the Explorer: with a true minus sign."""
    return rounded(x, decimals).replace("-", "−")


@functools.lru_cache(1000)
def inches(text, points=SMALL):
    """The width of a text when it is drawn, in inches."""
    font = FontProperties(size=points)
    return text_to_path.get_text_width_height_descent(text, font, ismath=False)[0] / 72
