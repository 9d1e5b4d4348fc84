"""The first page of the site: the one picture, three ways in, and a line for each notebook."""

import re
from itertools import groupby
from pathlib import Path

import nbformat
from nbformat.v4 import new_markdown_cell, new_notebook

from .. import _
from . import series
from .one_picture import html
from .pages import SITE_TITLE, described, note
from .translated import translated

PART = re.compile(r"\|\s*\| \*\*(.+?)\*\*")  # a row of the map that names a part
LINK = re.compile(r"\]\(([\w-]+)\.ipynb\)")


def first_page(books: dict[Path, nbformat.NotebookNode], repository="", language="en"):
    """What the series is about and for whom, the one picture, ways in, and a line for each notebook."""
    start, *rest = sorted(books)
    sentence = _(
        "The idea inside ChatGPT, from three words computed by hand to the heads of a real model."
    )
    reader = _(
        "For readers with Python and a little linear algebra: twenty minutes, an hour, or a course."
    )
    made = new_notebook(cells=[new_markdown_cell(f"# {SITE_TITLE}")])
    opening = (f"{{.opening}}\n{sentence}<br>{reader}", html(), ways(start, rest, books))
    made.cells += map(new_markdown_cell, (*opening, note(start.stem, repository, language)))
    part_of = parts_of(translated(books[start], start.stem, language))
    # The notebook with the map has no link to itself; it belongs to the first part.
    first = next(iter(part_of.values()), "")
    parts = [
        (part, [chapter(path, books[path], language) for path in paths])
        for part, paths in groupby(books, key=lambda path: part_of.get(path.stem, first))
    ]
    made.cells.append(new_markdown_cell(series.filled("chapters.md.j2", parts=parts)))
    return described(made, SITE_TITLE, sentence, repository)


def ways(start: Path, rest: list[Path], books) -> str:
    """Three ways in, by the time that one has: Markdown."""
    told = [series.about(books[path]) for path in rest]
    hours = round(sum(about["minutes"] + about["exercises"] for about in told) / 60)
    lines = [_("**Twenty minutes:** [start here]({name}.ipynb).", name=start.stem)]
    if rest:
        hour = _("**An hour more:** [compute attention by hand]({name}.ipynb).", name=rest[0].stem)
        course = _("**The course:** {n} notebooks, {hours} hours.", n=len(rest), hours=hours)
        lines += [hour, course]
    return "{.ways}\n" + "\n".join(f"- {line}" for line in lines)


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
