"""Prepares web pages for Sphinx: notebooks that were run, in which what a reader should open
deliberately is folded, and the first page, with a card for each notebook."""

import base64
import io
import math
import re
from itertools import groupby, islice
from pathlib import Path

import nbformat
from nbformat.v4 import new_markdown_cell, new_notebook
from PIL import Image

from .. import _
from ..checks import NOTEBOOKS, PREDICTIONS, drills
from ..explorer.browser import words
from ..explorer.question import traits
from . import links, series
from .folds import VIEW, fold_all, has_slider, is_question
from .translated import LANGUAGES, text_in, translated

SITE_TITLE = _("How attention works")
STATE = "application/vnd.jupyter.widget-state+json"
# A sentence that only matters to those who run the notebook.
FOR_RUNNING = re.compile(r'(?s) ?<span class="run">.*?</span>')
PART = re.compile(r"\|\s*\| \*\*(.+?)\*\*")  # a row of the map that names a part
LINK = re.compile(r"\]\(([\w-]+)\.ipynb\)")
SHOWN_LINK = re.compile(r'(href="[\w-]+)\.ipynb(?=[#"])')  # in the output of a cell
NOTE_HEIGHT = 40  # pixels: the line below a still picture, which says where its sliders work


def page(notebook, name: str, repository="", language="en"):
    """The notebook in the form for Sphinx; repository: owner/name on GitHub, or "" if unknown."""
    book = nbformat.from_dict(notebook)
    fold_all(book)  # it recognises the English text
    show_all(book)
    book = translated(book, name, language)
    for cell in book.cells:
        cell.source = FOR_RUNNING.sub("", cell.source)
    put_under_title(book, note(name, repository, language))
    return book


def put_under_title(book, text: str) -> None:
    heading, _newline, rest = series.first_cell(book).partition("\n")
    book.cells[0].source = f"{heading}\n\n{text}\n{rest}"


def anchor(heading: str) -> str:
    """The fragment of a link to this heading in a notebook, in JupyterLab's form."""
    return heading.replace(" ", "-")


def note(name: str, repository: str, language="en") -> str:
    """A line, in the page's language, that says what moves here and where the notebook runs."""
    text = _("Sliders move on these pages, code does not run.") + " "
    if repository:
        text += _(
            "Run: [Binder]({binder}) · [Colab]({colab}) · [on your computer]({github})",
            binder=links.binder(repository, name, language),
            colab=links.colab(repository, name, language),
            github=links.github(repository, language),
        )
    else:
        text += _("To run and change it, get the notebooks and type `make lab`.")
    still = _("JavaScript is switched off here: what would move is a still picture.")
    return f"{{.note}}\n{text} <noscript>{still}</noscript>\n"


def switch(name: str, language: str, others) -> str:
    """Links to the same page in other languages; site.js adds the present heading."""
    up, links = ("" if language == "en" else "../"), []
    for other in others:
        folder = up if other == "en" else f"{up}{other}/"
        link = f'<a lang="{other}" hreflang="{other}" href="{folder}{name}.html">'
        links.append(f"{link}{LANGUAGES[other]}</a>")
    return f'<p class="languages">{" · ".join(links)}</p>\n' if links else ""


# ---------------------------------------------------------------- what is shown


def show_all(book) -> None:
    """Leave out what only matters to those who run it; turn pictures and widgets into HTML."""
    for cell in [cell for cell in book.cells if cell.cell_type == "code"]:
        # it says whose code runs
        if "checks.yours(" in cell.source and "print(" not in cell.source:
            cell.outputs = [out for out in cell.outputs if out.output_type != "stream"]
        for output in cell.outputs:
            if {VIEW, "image/png"} & output.get("data", {}).keys():
                output.data = {"text/html": picture(output)}
            elif "text/html" in output.get("data", {}):
                output.data["text/html"] = SHOWN_LINK.sub(r"\1.html", output.data["text/html"])
    for model in book.metadata.get("widgets", {}).get(STATE, {}).get("state", {}).values():
        if "words" in model["state"].get("spec", {}):
            model["state"]["spec"]["words"] = words()  # in this process's language
        if "told" in model["state"]:
            model["state"] |= question(model["state"]["asks"]["name"])


def question(name: str) -> dict:
    """What the browser receives for a prediction or a drill, in the language of this process."""
    if name in PREDICTIONS:
        return traits(PREDICTIONS[name])
    drills.drawn.clear()  # the first sample, as in the notebook that was run
    return traits(drills.draw(NOTEBOOKS, int(name.partition(".")[0]), (), ()))


def picture(output) -> str:
    """A picture and its description; for a widget, a picture or text until its scripts run.

    A question has its answer below it."""
    beside = output.metadata.get("image/png", {})
    return series.filled(
        "picture.html.j2",
        png=output.data.get("image/png", "").replace("\n", ""),
        alt=beside.get("alt", output.data.get("text/plain", "")),
        width=beside.get("width"),
        view=output.data.get(VIEW),
        is_question=is_question(output.data),
        answer=output.metadata.pop("answer", ""),
        fold=_("Answer"),
        caption=_(
            "A still picture, until the scripts of this page run: with JavaScript on, and with the"
            " folder of scripts beside the page. Then its controls move, and each number says where it"
            " comes from when you point at it."
        ),
    )


# ---------------------------------------------------------------- the first page


def first_page(books: dict[Path, nbformat.NotebookNode], repository="", language="en"):
    """The first slider of the series, which plays once, and a card for each notebook, by part."""
    readme = (series.ROOT / "README.md").read_text(encoding="utf-8")
    lead = text_in(readme.split("\n\n")[1], "README", language)
    start = min(books)
    opening = f"# {SITE_TITLE}\n\n{lead}\n\n{note(start.stem, repository, language)}"
    made = new_notebook(cells=[new_markdown_cell(opening)])
    sliders = ((book, cell) for book in books.values() for cell in book.cells if has_slider(cell))
    for book, cell in islice(sliders, 1):
        made.cells.append(nbformat.from_dict(cell))
        made.cells[-1].metadata.tags = ["remove-input", "plays"]
        made.metadata = book.metadata
    part_of = parts_of(translated(books[start], start.stem, language))
    # The notebook with the map has no link to itself; it belongs to the first part.
    first = next(iter(part_of.values()), "")
    parts = [
        (part, [card(path, books[path], language) for path in paths])
        for part, paths in groupby(books, key=lambda path: part_of.get(path.stem, first))
    ]
    made.cells.append(new_markdown_cell(series.filled("cards.md.j2", parts=parts)))
    show_all(made)
    return made


def parts_of(start) -> dict[str, str]:
    """{name of a notebook: its part}, according to the map in the first notebook."""
    parts, part = {}, ""
    for line in "\n".join(cell.source for cell in start.cells).split("\n"):
        if named := PART.match(line):
            part = named[1]
        elif line.startswith("|") and (linked := LINK.search(line)):
            parts[linked[1]] = part
    return parts


def card(path: Path, book, language: str) -> dict[str, str]:
    """The entry of a notebook in the list: heading, question, minutes, picture."""
    minutes = series.about(book)["minutes"]  # from the English version
    return series.about(translated(book, path.stem, language)) | {
        "name": path.stem,
        "minutes": _("{minutes} minutes", minutes=minutes) if minutes else "",
        "picture": thumbnail(book),
    }


def thumbnail(book) -> str:
    """The still picture of a slider whose shape is nearest to a card's, which is 3 by 2."""
    pngs = [
        output.data["image/png"]
        for cell in book.cells
        for output in cell.get("outputs", [])
        if VIEW in output.get("data", {}) and "image/png" in output.data
    ]
    stills = [Image.open(io.BytesIO(base64.b64decode(png))) for png in pngs]
    if not stills:
        return ""
    still = min(stills, key=lambda one: abs(math.log(one.width / one.height / 1.5)))
    file = io.BytesIO()
    still.crop((0, 0, still.width, still.height - NOTE_HEIGHT)).save(file, "PNG")
    return f"![](data:image/png;base64,{base64.b64encode(file.getvalue()).decode()})"
