"""The first page of the site: three words that look at each other, and a line for each notebook."""

import re
from itertools import groupby
from pathlib import Path

import nbformat
from nbformat.v4 import new_markdown_cell, new_notebook

from .. import _
from ..data.sentences import SUNNY, SUNNY_TOKENS
from ..models.attention import scaled_dot_product_attention
from . import links, series
from .pages import SITE_TITLE, described, note
from .translated import translated

PART = re.compile(r"\|\s*\| \*\*(.+?)\*\*")  # a row of the map that names a part
LINK = re.compile(r"\]\(([\w-]+)\.ipynb\)")
# From almost even weights to almost all on one word; at SETTLED one word of three is still torn.
TEMPERATURES = [2 * 100 ** (-i / 40) for i in range(41)]
SETTLED = 26


def first_page(books: dict[Path, nbformat.NotebookNode], repository="", language="en"):
    """What the series is about, as a picture that moves, and a line for each notebook, by part."""
    start = min(books)
    sentence = _(
        "See how attention works, from three words that you can compute by hand to the heads of a"
        " real model."
    )
    hero = series.filled(
        "hero.html.j2",
        sentence=sentence,
        read=(start.stem, _("Read here")),
        run=(links.binder(repository, start.stem, language) if repository else "", _("Run it")),
        temperature=_("temperature"),
        label=_("How much each of the words Hello, shiny and sun looks at each of them"),
        legend=_("Arcs above lead to a word further right, arcs below to one further left."),
        tokens=SUNNY_TOKENS,
        settled=SETTLED,
        temperatures=[f"{t:.2f}" for t in TEMPERATURES],
        frames=[sum(weights(SUNNY, t), []) for t in TEMPERATURES],
    )
    made = new_notebook(cells=[new_markdown_cell(f"# {SITE_TITLE}")])
    made.cells += map(new_markdown_cell, (hero, note(start.stem, repository, language)))
    part_of = parts_of(translated(books[start], start.stem, language))
    # The notebook with the map has no link to itself; it belongs to the first part.
    first = next(iter(part_of.values()), "")
    parts = [
        (part, [chapter(path, books[path], language) for path in paths])
        for part, paths in groupby(books, key=lambda path: part_of.get(path.stem, first))
    ]
    made.cells.append(new_markdown_cell(series.filled("chapters.md.j2", parts=parts)))
    return described(made, SITE_TITLE, sentence, repository)


def weights(x, temperature: float) -> list[list[float]]:
    """The attention weights of these vectors, which look at each other at this temperature."""
    scale = x.shape[-1] ** 0.5 / temperature  # our layer divides by the root
    found = scaled_dot_product_attention(x * scale, x, x)[1]
    return [[round(weight, 3) for weight in row] for row in found.tolist()]


def parts_of(start) -> dict[str, str]:
    """{name of a notebook: its part}, according to the map in the first notebook."""
    parts, part = {}, ""
    for line in "\n".join(cell.source for cell in start.cells).split("\n"):
        if named := PART.match(line):
            part = named[1]
        elif line.startswith("|") and (linked := LINK.search(line)):
            parts[linked[1]] = part
    return parts


def chapter(path: Path, book, language: str) -> dict[str, str]:
    """The entry of a notebook in the list: heading, question, minutes and the name of its file."""
    about = series.about(translated(book, path.stem, language))
    minutes, more = about["minutes"], series.about(book)["exercises"]  # from English headings
    said = _("{minutes} minutes", minutes=minutes)
    if more:
        said = _("{minutes} minutes, and {more} for the exercises", minutes=minutes, more=more)
    return about | {"name": path.stem, "minutes": said}
