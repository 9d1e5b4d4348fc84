"""The picture of a learner's matrix beside the expected one."""

import numpy as np

from ..pictures import plots
from ..pictures.labels import Labels
from ..pictures.roles import role_of
from .lines import Line
from .outcomes import CLOSE, alike, close


def most_telling(seen, expected, wrong):
    """The input to draw: one in which weights differ, if there is one; else the first."""
    first = seen[wrong[0]]
    for i in wrong if not (first.trouble or first.shown) else []:
        yours, theirs = seen[i].values.get("weights"), expected[i].values.get("weights")
        shown = yours is not None and theirs is not None and "no_mixture" not in seen[i].notes
        if shown and not alike(seen[i], expected[i]):
            return i
    return wrong[0]


def side_by_side(outcome, wanted, words):
    """Yours beside the expected, of the first array that differs; None if there is none to show."""
    yours, theirs = outcome.values, wanted.values
    if outcome.trouble or "no_mixture" in outcome.notes:
        return None
    name = next((n for n in theirs if n in yours and not close(yours[n], theirs[n])), None)
    if name is None:
        yours, theirs = outcome.shown, wanted.shown
        name = next(iter(theirs.keys() & yours.keys()), None)
    if name is None or theirs[name].ndim == 0 or yours[name].ndim == 0 or not yours[name].size:
        return None
    pair = _matrices(yours[name], theirs[name])
    shapes = yours[name].shape, theirs[name].shape
    if name in outcome.listed and shapes[0][1:] == shapes[1]:
        return None  # several things came back, and not one
    if shapes[0] != shapes[1] and len(shapes[0]) == len(shapes[1]) and close(*pair):
        return None  # only axes that are not drawn are wrong
    role = "weights" if name == "mask" else role_of(name)
    role = "weights" if role == "chances" else role  # as cells: a wrong one may be no chance at all
    finite = np.abs(pair[1][np.isfinite(pair[1])])  # scores that are hidden are -inf
    limit = 1.0 if role == "weights" else float(np.ceil(finite.max(initial=1.0)))
    apart = np.ones(1)
    if pair[0].shape == pair[1].shape:
        apart = np.abs(np.subtract(*pair, out=np.zeros(pair[0].shape), where=pair[0] != pair[1]))
    decimals = 2 if np.nan_to_num(apart, nan=1.0, posinf=1.0).max() > 0.02 else 4
    if all(np.array_equal(array, np.round(array), equal_nan=True) for array in pair):
        decimals = 0  # True and False, or counts
    shown = []
    for key, array in zip(("yours", "expected"), pair):
        title = words.text(Line(key, name=name))
        rows = {title: [f"{i}" for i in range(array.shape[0])]}
        columns = {title: [f"{i}" for i in range(array.shape[1])]}
        labels = Labels(["0"], rows, columns, {title: role}, {title: limit})
        with np.errstate(over="ignore"):  # what is too large becomes ∞, and is hatched
            array = array.astype(np.float32)
        array = np.where(np.isfinite(array), array, np.float32(np.nan))
        shown.append((labels.panel(title, array.shape), array))
    note = words.text(Line("hatched")) if any(np.isnan(array).any() for _, array in shown) else ""
    return plots.panels(shown, decimals=decimals, note=note)


def _matrices(yours, theirs):
    """Both as matrices: of a batch, the first one that differs; of a large one, the corner."""
    if yours.shape == theirs.shape and yours.ndim > 2:
        apart = ~np.isclose(yours, theirs, **CLOSE, equal_nan=True)
        place = tuple(np.argwhere(apart)[0][:-2]) if apart.any() else (0,) * (yours.ndim - 2)
        yours, theirs = yours[place], theirs[place]
    flat = [
        a.reshape(-1, *a.shape[-2:])[0] if a.ndim > 2 else np.atleast_2d(a) for a in (yours, theirs)
    ]
    return [a[:12, :12] for a in flat]
