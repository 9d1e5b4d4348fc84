"""What every picture is: a figure in our style, with its content in words."""

import contextlib
import io
import warnings
from base64 import b64encode
from pathlib import Path

import matplotlib.style
import numpy as np
from PIL import Image

from .text import readable, shortened

STYLE = Path(__file__).parent / "notebook.mplstyle"
KEPT, OTHERS = 96, 32  # colours: those that fill most of a picture; for the edges of its letters
DPI, SHOWN_DPI = 144, 84  # drawn fine, shown smaller: sharp on any screen


@contextlib.contextmanager
def style():
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
        with style():
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
    """The PNG in `file` with 128 colours: the same to the eye, in a third of the bytes.

    The colours that fill most of it, those of its cells, stay as they are: pale ones lie so close
    together that a palette made for the whole would give two of them one colour.
    """
    image = Image.open(file).convert("RGB")
    pixels = np.asarray(image).astype(np.uint32) @ np.array([65536, 256, 1], np.uint32)
    found = sorted(image.getcolors(image.width * image.height), reverse=True)
    colours = np.array([colour for _, colour in found], np.int32)
    few = image.quantize(OTHERS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    others = np.array(few.getpalette(), np.int32).reshape(-1, 3)
    palette = np.concatenate([colours[:KEPT], others])
    nearest = np.zeros(1 << 24, np.uint8)  # by colour, as a number
    numbers = colours @ [65536, 256, 1]
    nearest[numbers] = ((colours[:, None] - palette) ** 2).sum(-1).argmin(1)
    reduced = Image.fromarray(nearest[pixels], "P")
    reduced.putpalette(palette.astype(np.uint8).tobytes())
    smaller = io.BytesIO()
    reduced.save(smaller, format="PNG")
    return smaller.getvalue()


def clean(label, longest=14):
    """A token as plain text that fits; draw it with parse_math=False, for $ is no formula here."""
    return shortened(readable(label), longest)
