"""The notebooks of the series, what each says about itself, and templates of texts for learners."""

import re
from pathlib import Path

import nbformat
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
TEMPLATES = Path(__file__).resolve().parent / "templates"
# What a notebook's file calls an output that is a widget, and the state of its widgets.
VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
MINUTES = re.compile(r"(\d+) minutes(?:, and (\d+) more for)?")


def notebooks() -> list[Path]:
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def first_cell(notebook) -> str:
    return notebook.cells[0].source if notebook.cells else ""


def about(notebook) -> dict[str, str]:
    """What a notebook says about itself: its "heading", "title" (the heading without its number),
    "question" and "minutes", as "25" or, with exercises, "25 + 20", or "" if it does not say."""
    heading, _, rest = first_cell(notebook).removeprefix("# ").partition("\n")
    question = re.sub(r"^\*\*[^*]+:\*\* *", "", rest.strip().partition("\n\n")[0])
    minutes = MINUTES.search(rest)
    return {
        "heading": heading,
        "title": re.sub(r"^\d+ · ", "", heading),
        "question": question[:1].upper() + question[1:],
        "minutes": " + ".join(filter(None, minutes.groups())) if minutes else "",
    }


def has_tag(cell, tag: str) -> bool:
    return tag in cell.metadata.get("tags", [])


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def filled(template: str, **known) -> str:
    """A template filled in; in HTML, the values are escaped."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
    )
    return environment.get_template(template).render(known)
