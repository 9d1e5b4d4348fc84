"""Matrices and numbers as text, rounded as in every picture."""

import unicodedata
from decimal import ROUND_HALF_UP, Context, Decimal

import numpy as np

from .. import _

EXACT = Context(prec=400, rounding=ROUND_HALF_UP)  # rounds like JavaScript's toFixed
TEXT_LIMIT, TEXT_CORNER = 16, 4  # beyond 16 rows or columns, the text shows only the first 4


def as_text(panel, array, decimals):
    """The matrix as aligned lines of text; masked cells (NaN) are shown as ·"""
    lines = []
    for h, matrix in enumerate(array if array.ndim == 3 else array[None]):
        title = f"{panel.name}, {panel.heads[h]}" if array.ndim == 3 else panel.name
        if max(matrix.shape) > TEXT_LIMIT:
            size = dict(zip(("rows", "columns"), matrix.shape))
            said = _("{rows} rows × {columns} columns, the first of them", **size)
            title, matrix = f"{title}: {said}", matrix[:TEXT_CORNER, :TEXT_CORNER]
        columns = panel.columns[: matrix.shape[1]]
        cells = [["", *map(shortened, columns)]] if any(columns) else []
        for label, row in zip(panel.rows, matrix):
            cells.append([shortened(label), *(rounded(x, decimals) for x in row)])
        lines += _titled(title, panel, cells)
    return "\n".join(lines)


def _titled(title, panel, cells):
    """Lines of text under a title, each column as wide as its longest cell."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.rjust(w) for cell, w in zip(row, widths)) for row in cells]
    return [f"{title} ({panel.reads})" if panel.reads else title, *lines]


def rounded(x, decimals):
    """A number as in every picture: halves round away from 0, as in the browser; 0 has no minus.

    An int has no decimals."""
    if isinstance(x, int):
        return str(x)
    if np.isnan(x):
        return "·"
    number = EXACT.quantize(Decimal(float(x)), Decimal(1).scaleb(-decimals))
    return f"{number.copy_abs() if number == 0 else number:f}"


def shortened(label, longest=12):
    """A label cut to at most `longest` letters, the last of which is then an ellipsis."""
    return label if len(label) <= longest else label[: longest - 1] + "…"


def readable(label):
    """A label that any page can show: a line break or control character becomes its escape."""
    unseen = ("Cc", "Cs", "Zl", "Zp")
    return "".join(repr(c)[1:-1] if unicodedata.category(c) in unseen else c for c in str(label))
