"""Notebooks in another language: notebooks/translations/<language>/<notebook>.po, read by gettext.

A message is a paragraph of a Markdown cell: what stands between blank lines, so that a heading, a
list or a table is one. Code and outputs stay as they are. A paragraph that is not translated, or
that was changed since (its message is fuzzy), stays English: nothing is silently old.
"""

import copy
import re

from .. import catalogue

LANGUAGES = {"en": "English", "es": "español", "it": "italiano", "pt": "português", "sr": "srpski"}
BLANK = re.compile(r"(\n\s*\n)")
# Stands under the title of the first page of each translation; translated with that page.
NOTE = (
    "This translation was made with the help of a machine. What code prints, its labels and its names "
    "stay English: they are the same cells in every language. If a sentence reads badly, tell us: "
    "the file to mend is in `notebooks/translations`."
)
FIRST = "00_start_here"


def pages_in(folder: str, language: str) -> str:
    """The folder of the pages of a language; its name tells a kernel which language it is."""
    return folder if language == "en" else f"{folder}/{language}"


def paragraphs(markdown: str) -> list[str]:
    """A paragraph, what stands between, a paragraph …; fenced code with what is around it is one."""
    pieces = BLANK.split(markdown)
    joined = [pieces[0]]
    for between, piece in zip(pieces[1::2], pieces[2::2]):
        if joined[-1].count("```") % 2:
            joined[-1] += between + piece
        else:
            joined += [between, piece]
    return joined


def said(paragraph: str, name: str, language: str) -> str:
    """A paragraph in a language, of the notebook of that name, or of "helpers" or "README"."""
    if not paragraph:  # of "" gettext gives the header of the file
        return ""
    return catalogue(language, name).gettext(paragraph)


def text_in(text: str, name: str, language: str) -> str:
    """Markdown in a language: each of its paragraphs, and what stands between as it is."""
    pieces = paragraphs(text)
    pieces[::2] = [said(paragraph, name, language) for paragraph in pieces[::2]]
    return "".join(pieces)


def translated(notebook, name: str, language: str):
    """The notebook in a language, code and outputs as they are; itself in English."""
    if language == "en":
        return notebook
    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = text_in(cell.source, name, language)
    if name == FIRST:
        notebook.cells[0].source += f"\n\n{said(NOTE, name, language)}"
    return notebook
