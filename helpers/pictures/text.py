"""Matrices, numbers and labels as text, rounded as in every picture."""

import unicodedata
from decimal import ROUND_HALF_UP, Context, Decimal

import numpy as np

from .chances import OTHERS, ranking

EXACT = Context(prec=400, rounding=ROUND_HALF_UP)  # as JavaScript's toFixed rounds in the browser
TEXT_LIMIT, TEXT_CORNER = 16, 4  # past 16 rows or columns, the text shows the first 4


def as_text(panel, array, decimals):
    """The matrix as aligned lines of text; masked cells (NaN) as ·"""
    if panel.role == "chances":
        return _chances_as_text(panel, array, decimals)
    heads = array if array.ndim == 3 else array[None]
    large = max(array.shape[-2:]) > TEXT_LIMIT
    lines = []
    for h, matrix in enumerate(heads):
        title = panel.name + (f", head {h + 1}" if array.ndim == 3 else "")
        if large:
            title += f": {len(panel.rows)} rows × {len(panel.columns)} columns, the first of them"
            matrix = matrix[:TEXT_CORNER, :TEXT_CORNER]
        cells = [[""] + [shortened(c) for c in panel.columns[: matrix.shape[1]]]]
        cells += [
            [shortened(label)] + [rounded(x, decimals) for x in row]
            for label, row in zip(panel.rows, matrix)
        ]
        lines += [_titled(title, panel.reads), *_aligned(cells)]
    return "\n".join(lines)


def _chances_as_text(panel, array, decimals):
    """A line for each word that has a bar, in the order of the bars."""
    order, others = ranking(panel, array)
    cells = [["", *map(shortened, panel.rows)]] if any(panel.rows) else []
    cells += [
        [shortened(panel.columns[k]), *(rounded(x, decimals) for x in array[:, k])] for k in order
    ]
    if others is not None:
        left_out = OTHERS.format(len(panel.columns) - len(order))
        cells.append([left_out, *(rounded(x, decimals) for x in others)])
    return "\n".join([_titled(panel.name, panel.reads), *_aligned(cells)])


def _titled(title, reads):
    return f"{title} ({reads})" if reads else title


def _aligned(cells):
    """Lines of text, each column as wide as its longest cell."""
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    return ["  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in cells]


def rounded(x, decimals):
    """A number as every picture writes it: halves away from 0, as in the browser; no minus at a 0."""
    if np.isnan(x):
        return "·"
    number = EXACT.quantize(Decimal(float(x)), Decimal(1).scaleb(-decimals))
    return f"{number.copy_abs() if number == 0 else number:f}"


def shortened(label, longest=12):
    """A label cut to so many letters, the last of them then an ellipsis."""
    return label if len(label) <= longest else label[: longest - 1] + "…"


def readable(label):
    """A label as text that any page can show: a line break or control character as its escape."""
    unseen = ("Cc", "Cs", "Zl", "Zp")
    return "".join(repr(c)[1:-1] if unicodedata.category(c) in unseen else c for c in str(label))
