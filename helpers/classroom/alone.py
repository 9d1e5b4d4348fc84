"""A page of its own for each Explorer of the site, x/<name>.html, to send or to show in a frame."""

import json
import re
from copy import deepcopy
from dataclasses import dataclass

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from . import series
from .folds import is_explorer, tagged
from .pages import FOR_RUNNING, SITE_TITLE, described, picture
from .series import STATE, VIEW
from .translated import paragraphs, said

HEADING = re.compile(r"#+ ")
ASKS = re.compile(r"\*\*(Find out|Predict)")
BEFORE_NAME = re.compile(r"^\d+ · |^.*: | · .*$")  # "Move it: temperature · 2 min" → "temperature"
LINK = re.compile(r"\]\((?=[\w-]+\.ipynb)")  # to a notebook: its page is a folder above
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
    """The Explorers of a notebook that was run, in order.

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


def parts(book, model: str) -> dict:
    """The models of a widget and of all that it consists of, by their ids."""
    kept, wanted, found = book.metadata["widgets"][STATE]["state"], [model], {}
    for name in wanted:  # it grows
        if name in kept and name not in found:
            found[name] = kept[name]
            wanted += PART.findall(json.dumps(kept[name]["state"]))
    return found


def page(one: Alone, book, notebook: str, repository: str, language: str):
    """The page of an Explorer, in the form for Sphinx; `book` is the page of its notebook.

    In both, the Explorer is told where in the site its page is, which it offers below "⋯".
    """
    heading = HEADING.sub("", said(one.heading, notebook, language).partition("\n")[0])
    title, told = re.sub(r"^\d+ · ", "", heading), book.metadata["myst"]["html_meta"]
    question = said(one.question, notebook, language) or told["description"]
    question = LINK.sub("](/", FOR_RUNNING.sub("", question))
    up = f"[{told['property=og:title']}](/{notebook}.ipynb#{series.anchor(heading)})"
    # A cell without code would be left out.
    output = new_output("display_data", {"text/html": picture(one.output)})
    shown = new_code_cell("#", outputs=[output])
    models = parts(book, one.output["data"][VIEW]["model_id"])
    for state in [model["state"] for model in models.values()]:
        if "spec" in state:
            state["spec"]["address"] = f"x/{one.name}.html"
    widgets = {STATE: {**book.metadata["widgets"][STATE], "state": deepcopy(models)}}
    made = new_notebook(metadata={"orphan": True, "nosearch": True, "widgets": widgets})
    made.cells = [
        new_markdown_cell(f"# {title}\n\n{question}"),
        tagged(shown, "remove-input"),
        new_markdown_cell(f"{up} · [{SITE_TITLE}](/index.ipynb)"),
    ]
    return described(made, title, told["description"], repository)
