"""A picture divided into patches, with a map of weights laid over it."""

from functools import partial

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, ListedColormap
from matplotlib.patheffects import withStroke

from .. import _
from .frames import dict_by_name, saying, to_array
from .panels import side_by_side
from .picture import SMALL, Drawing, Picture, style
from .roles import ROLES
from .text import rounded

COVER = 0.85  # opacity of the colour over a patch of weight 1
# From white to a grey on which the colour of a weight can still be seen.
GREYS = LinearSegmentedColormap.from_list("greys", ["#FFFFFF", "#4D4D4D"])
LEAST = 0.05  # smaller weights have no number: sixteen of them would hide the picture
MOST = 7  # patches along a side, if there is to be room for their numbers


def over_picture(picture, maps=None, *, title="the picture", says=""):
    """A picture in grey, and a copy of it for each map, with the weights of the map laid over it.

    picture   (height, width): a larger value is darker; the scale is from its minimum to its
              maximum
    maps      name → weights (rows, columns), 0 to 1, one for each patch; rows and columns divide
              height and width
    says      a description in words. The text leaves the values out, because most of them are
              trained, and so differ from machine to machine
    Raises ValueError if a size does not fit.
    """
    with saying("over_picture"):
        picture = to_array("picture", picture)
        if picture.ndim != 2:
            came = _("picture has shape {shape}; expected (height, width).", shape=picture.shape)
            raise ValueError(came + " " + _("From a batch, pass one picture: pictures[0]."))
        maps = dict_by_name("maps", maps, '{"head 1": weights}')
        maps = {str(name): _checked(str(name), x, picture) for name, x in maps.items()}
    height, width = picture.shape
    side = 1.65 if maps or height > width / 2 else 5.25  # inches
    shown = [(title, None), *maps.items()]
    drawings = [
        Drawing(0, side, side * height / width, partial(_draw, picture, weights), name)
        for name, weights in shown
    ]
    with style():
        below = _("full colour: a weight of {weight}", weight=1) if maps else ""
        figure = side_by_side(drawings, below, most=5)
    told = [_("A picture, {height} × {width}.", height=height, width=width)]
    told += [_("Over it: {names}.", names=", ".join(maps))] if maps else []
    return Picture(figure, " ".join([*told, says]).strip(), palette=False)


def _checked(name, weights, picture):
    weights = to_array(name, weights)
    if weights.ndim != 2 or np.any(np.mod(picture.shape, weights.shape)):
        told = {"name": name, "came": weights.shape, "shape": picture.shape}
        came = _("'{name}' has shape {came}, which does not divide {shape};", **told)
        hint = _("from a row of weights, leave out [CLS] and reshape the rest: row[1:].view(4, 4).")
        raise ValueError(f"{came} {hint}")
    return weights


def _draw(picture, weights, ax):
    """A picture; any weight is a colour over its patch, more opaque for a larger weight."""
    height, width = picture.shape
    whole = {"extent": (0, width, height, 0), "aspect": "auto", "interpolation": "nearest"}
    ax.imshow(picture, cmap=GREYS, **whole)
    ax.set(xticks=[], yticks=[])
    if weights is None:
        return
    purple = ListedColormap([ROLES["weights"].high])
    ax.imshow(np.zeros(weights.shape), cmap=purple, alpha=COVER * weights, **whole)
    high, wide = np.divide(picture.shape, weights.shape)
    line = {"colors": "white", "linewidths": min(0.8, MOST / max(weights.shape))}
    ax.hlines(np.arange(high, height, high), 0, width, **line)
    ax.vlines(np.arange(wide, width, wide), 0, height, **line)
    if max(weights.shape) > MOST:
        return
    look = {"size": SMALL, "color": "black", "ha": "center", "va": "center", "gid": "number"}
    look["path_effects"] = [withStroke(linewidth=2, foreground="white")]  # legible on any grey
    for (i, j), weight in np.ndenumerate(weights):
        if weight >= LEAST:
            ax.text((j + 0.5) * wide, (i + 0.5) * high, rounded(weight, 2), **look)
