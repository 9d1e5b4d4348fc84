"""The first page of the site: the one picture, three ways in, and a line for each notebook; and
the page with the one picture to print."""

from pathlib import Path

import nbformat
from nbformat.v4 import new_markdown_cell, new_notebook

from .. import _
from . import series
from .one_picture import html
from .pages import SITE_TITLE, described, note
from .translated import translated


def first_page(books: dict[Path, nbformat.NotebookNode], repository="", language="en"):
    """What the series is about and for whom, the one picture, ways in, and a line for each notebook."""
    start, *rest = sorted(books)
    sentence = _(
        "The idea inside ChatGPT, from three words computed by hand to the heads of a real model."
    )
    reader = _(
        "For readers with Python and a little linear algebra: twenty minutes, an hour more, or a course."
    )
    listed = "\n".join([*(path.stem for path in books), "paper"])  # at the side of every page
    chapters = [chapter(path, book, language) for path, book in books.items()]
    made = new_notebook()
    made.cells += map(
        new_markdown_cell,
        (
            f"# {SITE_TITLE}",
            f"{{.opening}}\n{sentence}<br>{reader}",
            ways(start, rest, books),
            html(),
            note(start.stem, repository, language),
            f"```{{toctree}}\n:hidden:\n\n{listed}\n```",
            "\n".join(["{#chapters .chapters}", *chapters]),
        ),
    )
    return described(made, SITE_TITLE, sentence, repository)


def paper(books, repository="", language="en"):
    """A page to print: the picture with gaps to fill in on one sheet, its solution on another."""
    title = _("The one picture, to fill in")
    told = _(
        "Fill in what each part is called, and each weight in %: softmax turns the scores of a row"
        " into its weights."
    )
    said = note(min(books).stem, repository, language)
    below = "## " + _("Solution")
    cells = (f"# {title}", said, told, html("gaps"), below, html("solution"))
    made = new_notebook(cells=list(map(new_markdown_cell, cells)))
    return described(made, title, told, repository)


def ways(start: Path, rest: list[Path], books) -> str:
    """Three ways in, by the time that one has: Markdown."""
    told = [series.about(books[path]) for path in rest]
    hours = round(sum(about["minutes"] + about["exercises"] for about in told) / 60)
    lines = [_("**Twenty minutes:** [start here]({name}.ipynb).", name=start.stem)]
    if rest:
        hour = _("**An hour more:** [compute attention by hand]({name}.ipynb).", name=rest[0].stem)
        course = _(
            "**The course:** [{n} notebooks, {hours} hours](#chapters).", n=len(rest), hours=hours
        )
        lines += [hour, course]
    return "{.ways}\n" + "\n".join(f"- {line}" for line in lines)


def chapter(path: Path, book, language: str) -> str:
    """The line of a notebook in the list, with its question and minutes: Markdown."""
    about = series.about(translated(book, path.stem, language))
    minutes, more = about["minutes"], series.about(book)["exercises"]  # from English headings
    said = _("{minutes} minutes", minutes=minutes)
    if more:
        said = _("{minutes} minutes, and {more} for the exercises", minutes=minutes, more=more)
    return f"- [{about['heading']}]({path.name}) {about['question']} <small>{said}</small>"
