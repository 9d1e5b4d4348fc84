"""Prepares web pages for Sphinx: notebooks that were run, in which what a reader should open
deliberately is folded, and what only matters to those who run them is left out."""

import hashlib
import json
import re
from functools import partial
from html import escape

import nbformat

from .. import _
from . import links, series
from .folds import Folds, is_question
from .one_picture import STILL
from .series import STATE, VIEW
from .translated import text_in, translated

SITE_TITLE = _("How attention works")
# A sentence that only matters to those who run the notebook, and the mark of a cell for its tests.
FOR_RUNNING = re.compile(r'(?s) ?<span class="run">.*?</span>|^# NBVAL_IGNORE_OUTPUT[^\n]*\n')


def page(notebook, name: str, repository="", language="en"):
    """The notebook in the form for Sphinx; repository: owner/name on GitHub, or "" if unknown."""
    book = nbformat.from_dict(notebook)
    # It recognises the English text.
    book.cells = list(Folds(book.cells, partial(text_in, name=name, language=language)).all())
    show_all(book)
    book = translated(book, name, language)
    for cell in book.cells:
        cell.source = FOR_RUNNING.sub("", cell.source)
    about = series.about(book)
    heading, _newline, rest = series.first_cell(book).partition("\n")
    book.cells[0].source = f"{heading}\n\n{note(name, repository, language)}\n{rest}"
    if goals := about["goals"]:
        book.cells[0].source += "\n\n" + "\n- ".join([_("After this notebook you can"), *goals])
    return described(book, about["heading"], about["question"], repository)


def described(book, title: str, description: str, repository: str):
    """The same, with what a search engine, or whoever is sent a link, shows of the page."""
    description = description.replace("*", "")
    told = {"description": description, "property=og:description": description}
    told |= {"property=og:title": title, "property=og:type": "article"}
    if repository:
        still = STILL.relative_to(series.ROOT).as_posix()
        image = f"https://raw.githubusercontent.com/{repository}/HEAD/{still}"
        told |= {"property=og:image": image, "name=twitter:card": "summary_large_image"}
    book.metadata["myst"] = {"html_meta": told}
    return book


def note(name: str, repository: str, language="en") -> str:
    """A line, in the page's language, that says what moves here and where the notebook runs."""
    text = _("Sliders move on these pages, code does not run.")
    if repository:
        text += " " + _(
            "Run: [Binder]({binder}) · [Colab]({colab}) · [on your computer]({github})",
            binder=links.binder(repository, name, language),
            colab=links.colab(repository, name, language),
            github=links.github(repository, language),
        )
    return f"{{.note}}\n{text}\n"


def share_scripts(book) -> dict[str, str]:
    """Put the scripts that many widgets of a book have into files: {name of the file: text}.

    Each widget brings all of its script, which is most of what a page weighs. On a site the widgets
    of all pages share one file, and the browser compiles it once a page (site.js). Styles remain
    with the first widget that has them, as they must come after those of ipywidgets."""
    files, styled = {}, set()
    models = book.metadata.get("widgets", {}).get(STATE, {}).get("state", {}).values()
    for state in [model["state"] for model in models if "_esm" in model["state"]]:
        script, style = state["_esm"], state["_css"]
        name = hashlib.sha256(script.encode()).hexdigest()[:12]
        files[f"widget-{name}.js"] = f"widgetScripts[{json.dumps(name)}] = {json.dumps(script)};\n"
        state["_esm"] = f"export default (await widgetModule({json.dumps(name)})).default;"
        state["_css"] = "" if style in styled else style
        styled.add(style)
    return files


def show_all(book) -> None:
    """Turn pictures and widgets into HTML."""
    for cell in book.cells:
        for output in cell.get("outputs", []):
            if {VIEW, "image/png"} & output.get("data", {}).keys():
                output.data = {"text/html": picture(output)}


def picture(output) -> str:
    """A picture and its description; for a widget, a picture or text until its scripts run."""
    data, beside = output.data, output.metadata.get("image/png", {})
    shown = f"<pre>{escape(data.get('text/plain', ''))}</pre>"
    if png := data.get("image/png", "").replace("\n", ""):
        alt = escape(beside.get("alt", data.get("text/plain", "")))
        width = f' width="{beside["width"]}"' if "width" in beside else ""
        shown = f'<img src="data:image/png;base64,{png}" alt="{alt}"{width}>'
    if VIEW not in data:
        return shown
    caption = _(
        "A still picture, until the scripts of this page run: with JavaScript on, and with the"
        " folder of scripts beside the page. Then its controls move, and each number says where it"
        " comes from when you point at it."
    )
    return (
        f'<div class="{"asked" if is_question(data) else "live"} jupyter-widgets">'
        f'<figure class="still">{shown}<figcaption>{caption}</figcaption></figure>'
        f'<script type="{VIEW}">{json.dumps(data[VIEW])}</script></div>'
    )
