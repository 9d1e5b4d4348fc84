"""A picture cut into patches, with a map of weights laid over it."""

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from .frames import saying, to_array
from .picture import Picture, style
from .roles import INK, ROLES
from .text import rounded

COVER = 0.85  # how much of the picture a patch at the end of the scale covers
# From white to a grey that a colour laid over it can still be told on.
GREYS = LinearSegmentedColormap.from_list("greys", ["#FFFFFF", "#4D4D4D"])
LEAST = 0.005  # a smaller weight has no number: sixteen zeros would hide the picture
ACROSS = 5  # pictures in a line, at most


def over_picture(picture, maps=None, *, limit=1.0, decimals=2, title="the picture", says=""):
    """A picture in greys, and beside it once more for each map, with its weights laid over.

    picture   (height, width): the larger, the darker; shown from its smallest to its largest number
    maps      name → weights (rows, columns), 0 to `limit`, one for each patch; rows and columns
              divide height and width
    limit     the weight that gets the full colour; it stands below the pictures
    says      what there is to see, in words. The numbers stay out of the text: they are mostly
              trained, and differ by machine
    Raises ValueError if a size does not fit or a weight is outside 0 to limit.
    """
    with saying("over_picture"):
        picture = to_array("picture", picture)
        if picture.ndim != 2 or not picture.size or not np.isfinite(picture).all():
            raise ValueError(
                f"picture has shape {picture.shape}; expected (height, width), finite numbers. "
                "Of a batch pass one: pictures[0]."
            )
        maps = {str(name): _checked(str(name), x, picture, limit) for name, x in _items(maps)}
    with style():
        figure = _drawn(picture, maps, limit, decimals, title)
    names = f"Over it: {', '.join(maps)}." if maps else ""
    height, width = picture.shape
    return Picture(figure, " ".join(f"A picture, {height} × {width}. {names} {says}".split()))


def _items(maps):
    if maps is not None and not isinstance(maps, dict):
        raise TypeError('maps is no dict; name each map: {"head 1": weights}.')
    return (maps or {}).items()


def _checked(name, weights, picture, limit):
    weights = to_array(name, weights)
    if weights.ndim != 2 or any(a % b if b else True for a, b in zip(picture.shape, weights.shape)):
        hint = "of a row of weights, leave out [CLS] and make rows of it: row[1:].view(4, 4)."
        raise ValueError(
            f"'{name}' has shape {weights.shape}, which does not divide {picture.shape}; {hint}"
        )
    if not (np.isfinite(weights).all() and weights.min() >= 0 and weights.max() <= limit):
        raise ValueError(
            f"'{name}' goes from {weights.min():.3g} to {weights.max():.3g}; expected 0 to "
            f"limit={limit:g}. Pass the weight that shall have the full colour: limit=…"
        )
    return weights


def _drawn(picture, maps, limit, decimals, title):
    count = 1 + len(maps)
    across, down = min(count, ACROSS), -(-count // ACROSS)
    shape = picture.shape[0] / picture.shape[1]
    side = 2.1 if maps else 2.1 * max(1.0, 2.5 * (shape < 0.5))
    note = 0.35 if maps else 0.0
    figure = Figure(
        figsize=(across * (side + 0.15), down * (side * shape + 0.4) + note), layout="constrained"
    )
    axes = figure.subplots(down, across, squeeze=False).ravel()
    for ax, (name, weights) in zip(axes, [(title, None), *maps.items()]):
        ax.set_title(name, size=10, parse_math=False)
        height, width = picture.shape
        ax.imshow(picture, cmap=GREYS, extent=(0, width, height, 0), interpolation="nearest")
        if weights is not None:
            _lay_over(ax, weights, height, width, limit, decimals)
    for ax in axes:
        ax.set_axis_off()
    if maps:
        figure.supxlabel(f"full colour: {limit:g}", size=9)
    return figure


def _lay_over(ax, weights, height, width, limit, decimals):
    rows, columns = weights.shape
    up, over = height / rows, width / columns
    for (i, j), weight in np.ndenumerate(weights):
        ax.add_patch(
            Rectangle(
                (j * over, i * up), over, up, facecolor=ROLES["weights"].high, edgecolor="none",
                alpha=COVER * weight / limit, gid="weight",
            )
        )  # fmt: skip
        ax.add_patch(
            Rectangle((j * over, i * up), over, up, fill=False, edgecolor="white", linewidth=0.8)
        )
        if weight >= LEAST:
            _write(ax, (j + 0.5) * over, (i + 0.5) * up, rounded(weight, decimals))


def _write(ax, x, y, text):
    ax.text(
        x, y, text, size=7, color=INK, ha="center", va="center", gid="number",
        path_effects=[withStroke(linewidth=2, foreground="white")],  # legible on any grey
    )  # fmt: skip
