"""A page of its own for each Explorer of the site, x/<name>.html, to send or to show in a frame."""

import json
import re
from copy import deepcopy
from dataclasses import dataclass

from markdown_it import MarkdownIt
from nbformat import NotebookNode

from . import series
from .folds import is_explorer
from .pages import FOR_RUNNING, SITE_TITLE, picture, share_scripts
from .series import STATE, VIEW
from .translated import paragraphs, said

HEADING = re.compile(r"#+ ")
ASKS = re.compile(r"\*\*(Find out|Predict)")
BEFORE_NAME = re.compile(r"^\d+ · |^.*: | · .*$")  # "Move it: temperature · 2 min" → "temperature"
LINK = re.compile(r'href="([\w-]+)\.ipynb')
PART = re.compile(r"IPY_MODEL_(\w+)")


@dataclass
class Alone:
    """An Explorer that a cell shows, and the English paragraphs that belong to it.

    name      of its page, from its heading
    heading   the paragraph with the heading under which it stands
    question  the paragraph that says what to find out, or the question of the notebook
    output    of its cell
    """

    name: str
    heading: str
    question: str
    output: dict


def explorers(book, notebook: str) -> list[Alone]:
    """The Explorers of a notebook that was run, in order; each knows the address of its page.

    An Explorer is named after its heading, or has the `name` in its cell's metadata: an old name
    of a heading that has changed, so that its address still answers. Raises ValueError if two have
    the same name.
    """
    found, heading, question = [], "", ""
    for cell in [cell for cell in book.cells if not series.has_tag(cell, "run")]:
        if cell.cell_type == "markdown":
            for text in paragraphs(cell.source)[::2]:
                if HEADING.match(text):
                    heading, question = text, ""
                elif ASKS.search(text):
                    question = text
                    late = [one for one in found if one.heading == heading and not one.question]
                    for one in late:  # the question may stand below the Explorer
                        one.question = text
            continue
        for output in [x for x in cell.outputs if is_explorer(x.get("data", {}))]:
            name = cell.metadata.get("name") or name_of(heading, notebook)
            if name in [one.name for one in found]:
                raise ValueError(
                    f"{notebook}: two Explorers are named {name}. Give the second one a heading of"
                    ' its own, or its cell a "name" in its metadata.'
                )
            found.append(Alone(name, heading, question, output))
    return found


def name_of(heading: str, notebook: str) -> str:
    """ "01-temperature" for the heading "### Move it: temperature" of 01_hello_shiny_sun."""
    words = BEFORE_NAME.sub("", HEADING.sub("", heading.partition("\n")[0]))
    return "-".join([notebook[:2], *re.findall(r"\w+", words.lower())])


def address_all(book, found: list[Alone]) -> None:
    """Tell each Explorer where its page is: below it, "⋯" then offers a link to that."""
    for one in found:
        for model in parts(book, one.output["data"][VIEW]["model_id"]).values():
            if "spec" in model["state"]:
                model["state"]["spec"]["address"] = f"x/{one.name}.html"


def parts(book, model: str) -> dict:
    """The models of a widget and of all that it consists of, by their ids."""
    kept, wanted, found = book.metadata["widgets"][STATE]["state"], [model], {}
    for name in wanted:  # it grows
        if name in kept and name not in found:
            found[name] = kept[name]
            wanted += PART.findall(json.dumps(kept[name]["state"]))
    return found


def page(one: Alone, book, notebook: str, language: str) -> str:
    """The page of an Explorer; `book` is the page of its notebook."""
    heading = HEADING.sub("", said(one.heading, notebook, language).partition("\n")[0])
    told = book.metadata["myst"]["html_meta"]
    question = said(one.question, notebook, language) or told["description"]
    question = FOR_RUNNING.sub("", question)
    models = deepcopy(parts(book, one.output["data"][VIEW]["model_id"]))
    own = NotebookNode(metadata={"widgets": {STATE: {"state": models}}})
    scripts = share_scripts(own)
    return series.filled(
        "explorer.html.j2",
        language=language,
        site=SITE_TITLE,
        title=re.sub(r"^\d+ · ", "", heading),
        told=told,
        question=LINK.sub(r'href="\1.html', MarkdownIt().render(question)),
        shown=picture(one.output),
        back=f"{notebook}.html#{series.anchor(heading)}",
        scripts=list(scripts),
        state={"version_major": 2, "version_minor": 0, "state": models},
    )
