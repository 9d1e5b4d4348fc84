"""The one picture as a strip of 80 px at the head of a notebook, with its stage lit.

    python -m tests.tools.strips

puts the strip under the first cell of each notebook named in LIT, or writes it again.
"""

from base64 import b64encode
from pathlib import Path

import nbformat
import torch
from nbformat.v4 import new_markdown_cell

from helpers.classroom.one_picture import KEYS, OUT, QUERIES, VALUES, words
from helpers.classroom.series import NOTEBOOKS, read
from helpers.classroom.translated import WHERE
from helpers.data.sentences import SUNNY, SUNNY_TOKENS
from helpers.models.attention import scaled_dot_product_attention

# {number of a notebook: the stages that it teaches, from 0 (words) to 7 (out)}
LIT = {1: [0, 2, 4, 5], 2: [1], 3: [3], 4: [4], 5: [6], 6: range(8), 9: [7]}
# Middle tones, which can be read on white and on black: an image does not know a page's theme.
GREY, QUERY, KEY, VALUE, WEIGHT, SCORE = "#767676 #0072b2 #d55e00 #009e73 #8a55b5 #17847a".split()
ROWS = range(3)


def numbers(x=SUNNY, masked=True) -> dict[str, torch.Tensor]:
    """What the picture shows of x (3 words, 3): weights (2 heads, 3 queries, 3 keys), out (3, 3)."""
    projections = (torch.tensor(heads, dtype=x.dtype) for heads in (QUERIES, KEYS, VALUES))
    hidden = torch.full((3, 3), masked).triu(1)
    context, weights = scaled_dot_product_attention(*(x @ heads for heads in projections), hidden)
    out = context.transpose(0, 1).flatten(1) @ torch.tensor(OUT, dtype=x.dtype)
    return {"weights": weights, "out": out}


def rect(x, y, width, height, fill, more="") -> str:
    return f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{height}" fill="{fill}" {more}/>'


def bars(x, y, width, rows, height, step) -> str:
    """A bar for each query, which its keys share by weight."""
    return "".join(
        rect(x + width * sum(row[:j]), y + i * step, max(0, width * w - 1.5), height, WEIGHT)
        for i, row in enumerate(rows)
        for j, w in enumerate(row)
    )


def squares(x, colours, width=14) -> str:
    return "".join(
        rect(x + j * (width + 2), 8 + i * 18, width, 14, colour)
        for i in ROWS
        for j, colour in enumerate(colours)
    )


def stages() -> list[str]:
    """A small drawing of each stage, from the numbers of the one picture: SVG."""
    (weights, second), free = numbers()["weights"].tolist(), numbers(masked=False)["weights"][0]
    text = '<text x="50" y="{}" font-size="13" font-weight="600" text-anchor="middle">{}</text>'
    cells = [
        [(10 + j * 28, 8 + i * 18, 26, 16, SCORE, f'fill-opacity="{free[i, j]:.2f}"') for j in ROWS]
        for i in ROWS
    ]
    hidden = [
        rect(*cells[i][j][:4], "none", f'stroke="{GREY}"') for i in ROWS for j in ROWS[i + 1 :]
    ]
    seen = [rect(*cells[i][j]) for i in ROWS for j in ROWS[: i + 1]]
    pipe = '<path d="M24 {}C50 {} 50 32 76 32" fill="none" stroke="{}" stroke-width="{:.1f}"/>'
    pipes = [pipe.format(15 + j * 18, 15 + j * 18, VALUE, 24 * weights[2][j]) for j in ROWS]
    sheet = '<rect x="{}" y="{}" width="62" height="38" rx="5" fill="none" stroke="{}"/>'
    heads = sheet.format(34, 4, GREY) + bars(40, 8, 50, second[2:], 6, 9)
    return [
        "".join(text.format(20 + i * 18, token) for i, token in enumerate(SUNNY_TOKENS)),
        squares(26, [QUERY, KEY, VALUE]),
        "".join(rect(*cell) for row in cells for cell in row),
        "".join(seen + hidden),
        bars(8, 8, 86, weights, 14, 18),
        "".join(pipes) + squares(10, [VALUE]) + rect(76, 22, 16, 20, VALUE),
        heads + sheet.format(10, 20, GREY) + bars(16, 25, 50, weights, 7, 10),
        squares(26, [VALUE] * 3),
    ]


def strip(lit) -> str:
    """The Markdown of the strip with these stages lit: an image that needs nothing beside it."""
    names, parts = words()["stages"], []
    for n, (name, drawn) in enumerate(zip(names, stages())):
        weight, opacity = (700, 1) if n in lit else (400, 0.4)
        arrow = '<path d="M-12 27l5 5l-5 5" fill="none"/>' if n else ""
        label = f'<text x="50" y="76" font-size="12" font-weight="{weight}">{name}</text>'
        parts.append(
            f'<g transform="translate({n * 125 + 12})" text-anchor="middle" stroke-width="1.2">'
            f'<g stroke="{GREY}">{arrow}</g><g opacity="{opacity}">{drawn}</g>{label}</g>'
        )
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="80" viewBox="0 0 1000 80"'
        f' font-family="system-ui, sans-serif" fill="{GREY}">{"".join(parts)}</svg>'
    )
    told = ", ".join(f"[{name}]" if n in lit else name for n, name in enumerate(names))
    data = b64encode(svg.encode()).decode()
    return f'<img src="data:image/svg+xml;base64,{data}" width="1000" alt="{WHERE}: {told}">'


def with_strip(book, lit):
    """The notebook with its strip right under its first cell."""
    if not book.cells[1].source.startswith('<img src="data:image/svg+xml'):
        book.cells.insert(1, new_markdown_cell(id="the-strip"))
    book.cells[1].source = strip(lit)
    return book


def put_strips(folder: Path = NOTEBOOKS) -> None:
    for number, lit in LIT.items():
        (path,) = folder.glob(f"{number:02}_*.ipynb")
        nbformat.write(with_strip(read(path), lit), path)


if __name__ == "__main__":
    put_strips()
