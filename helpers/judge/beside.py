"""Draws the result of an answer beside the expected one."""

import numpy as np

from .. import _
from ..pictures import plots
from ..pictures.labels import Labels
from ..pictures.roles import role_of
from .comparing import apart, pairs

MOST_DRAWN = 12  # rows and columns; the rest of a larger matrix is left out


def side_by_side(mine, wanted):
    """A Picture of the first array that differs, yours and the expected one; or None."""
    found = pairs(mine, wanted)
    name = next(iter(found), None)
    if name is None or not found[name][0].ndim or not found[name][0].size:
        return None
    yours, theirs = found[name]
    if yours.shape == theirs.shape and yours.ndim > 2:  # the first in the batch that differs
        place = tuple(np.argwhere(apart(yours, theirs))[0][:-2])
        yours, theirs = yours[place], theirs[place]
    pair = [_corner(np.atleast_2d(array)) for array in (yours, theirs)]
    role = "weights" if "weights" in name or name in ("mask", "probabilities") else role_of(name)
    finite = np.abs(pair[1][np.isfinite(pair[1])])
    limit = 1.0 if role == "weights" else float(np.ceil(finite.max(initial=1.0)))
    shown = []
    for title, array in zip((_("your {name}", name=name), _("expected {name}", name=name)), pair):
        rows, columns = ({title: [str(i) for i in range(n)]} for n in array.shape)
        labels = Labels(["0"], rows, columns, {title: role}, {title: limit})
        shown.append((labels.panel(title, array.shape), array))
    return plots.panels(shown)


def _corner(array):
    """The upper left of the first matrix, as float32, with inf as NaN, which is drawn hatched."""
    matrix = array.reshape(-1, *array.shape[-2:])[0][:MOST_DRAWN, :MOST_DRAWN]
    return np.where(np.isfinite(matrix), matrix, np.nan).astype(np.float32)
