"""Notebooks in another language: notebooks/translations/<language>/<notebook>.po, read by gettext.

A message is a paragraph of a Markdown cell, that is, the text between blank lines, so a heading, a
list or a table is also one. Code and outputs stay the same. A paragraph without a translation, or
one that has changed since (its message is fuzzy), stays English, so no translation is silently
outdated.
"""

import copy
import re
from base64 import b64decode, b64encode
from functools import cache, partial

from .. import _, catalogue
from . import series

LANGUAGES = {"en": "English", "es": "español", "it": "italiano", "pt": "português", "sr": "srpski"}
BLANK = re.compile(r"(\n\s*\n)")
# Shown below the title of the first page of each translation, and translated with that page.
NOTE = (
    "This translation was made with the help of a machine. What code prints, its labels and its names "
    "stay English: they are the same cells in every language. If a sentence reads badly, tell us: "
    "the file to mend is in `notebooks/translations`."
)
FIRST = "00_start_here"
# The image under a title, which tests/tools/strips.py draws; `_` only lets Babel find its words.
WHERE = _("Where we are")
STRIP = re.compile(r'svg\+xml;base64,(?P<svg>[^"]+)" width="1000" alt="(?P<alt>[^"]+)"')
WORDS = re.compile(r"(?<=>)[^<]+(?=</text>)")
WORDS_OF_ALT = re.compile(r"\w[\w· ]*\w")
TO_HEADING = re.compile(r"\]\((?P<file>(?P<name>\w+)\.ipynb)?#(?P<heading>[^)]+)\)")
CYRILLIC = "абвгдђежзијклљмнњопрстћуфхцчџш"
LATIN = "a b v g d đ e ž z i j k l lj m n nj o p r s t ć u f h c č dž š".split()


def pages_in(folder: str, language: str) -> str:
    """The folder of the pages in a language; its name tells a kernel which language it is."""
    return folder if language == "en" else f"{folder}/{language}"


def in_latin(serbian: str) -> str:
    """A Serbian text, whose Cyrillic letters become Latin."""
    small = dict(zip(CYRILLIC, LATIN, strict=True))
    large = {letter.upper(): latin.capitalize() for letter, latin in small.items()}
    return serbian.translate(str.maketrans(small | large))


def paragraphs(markdown: str) -> list[str]:
    """Paragraphs and separators in turn; fenced code and its surroundings are one paragraph."""
    pieces = BLANK.split(markdown)
    joined = [pieces[0]]
    for between, piece in zip(pieces[1::2], pieces[2::2]):
        if joined[-1].count("```") % 2:
            joined[-1] += between + piece
        else:
            joined += [between, piece]
    return joined


def said(paragraph: str, name: str, language: str) -> str:
    """A paragraph in a language, from the notebook of that name, or from "helpers" or "README"."""
    if not paragraph:  # for "", gettext returns the header of the file
        return ""
    return catalogue(language, name).gettext(paragraph)


def text_in(text: str, name: str, language: str) -> str:
    """Markdown in a language: its paragraphs are translated, and all else is unchanged."""
    pieces = paragraphs(text)
    pieces[::2] = [said(paragraph, name, language) for paragraph in pieces[::2]]
    return "".join(pieces)


def headings(text: str, name: str, language: str, anchor=series.anchor) -> dict[str, str]:
    """{fragment of a link to a heading of an English text: that of the heading in a language}"""
    found = [paragraph for paragraph in paragraphs(text) if paragraph.startswith("#")]
    return {anchor(x): anchor(said(x, name, language)) for x in found}


@cache
def headings_of(name: str, language: str) -> dict[str, str]:
    """The same for a notebook."""
    book = series.read(series.NOTEBOOKS / f"{name}.ipynb")
    return headings(series.markdown(book), name, language)


def link_in(language: str, name: str, link: re.Match) -> str:
    """The end of a link to a heading of a notebook, the one of that name if the link has no file."""
    ours = headings_of(link["name"] or name, language)
    return f"]({link['file'] or ''}#{ours.get(link['heading'], link['heading'])})"


def strip_in(language: str, image: re.Match) -> str:
    """The image of where we are, with its words in a language."""

    def ours(words: re.Match) -> str:
        return said(words[0], "helpers", language)

    svg = WORDS.sub(ours, b64decode(image["svg"]).decode())
    data, alt = b64encode(svg.encode()).decode(), WORDS_OF_ALT.sub(ours, image["alt"])
    return f'svg+xml;base64,{data}" width="1000" alt="{alt}"'


def translated(notebook, name: str, language: str):
    """The notebook in a language, with the same code and outputs; unchanged in English."""
    if language == "en":
        return notebook
    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text = STRIP.sub(partial(strip_in, language), text_in(cell.source, name, language))
            text = TO_HEADING.sub(partial(link_in, language, name), text)
            cell.source = text.replace("`make lab`", f"`make lab LANGUAGE={language}`")
    course = notebook.metadata.get("course", {})
    course["goals"] = [said(goal, name, language) for goal in course.get("goals", [])]
    if name == FIRST:
        notebook.cells[0].source += f"\n\n{said(NOTE, name, language)}"
    return notebook
