"""The notebooks of the series, what each says about itself, and the writing of files."""

import re
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
TEMPLATES = Path(__file__).resolve().parent / "templates"
# What a notebook's file calls an output that is a widget, and the state of its widgets.
VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
EXERCISE = re.compile(r"^### Exercise: .* [●○]{3} · (\d+) min · (core|more)$", re.MULTILINE)


def notebooks() -> list[Path]:
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def first_cell(notebook) -> str:
    return notebook.cells[0].source if notebook.cells else ""


def markdown(notebook) -> str:
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def anchor(heading: str) -> str:
    """The fragment of a link to this heading in a notebook, in JupyterLab's form."""
    return re.sub("^#+ |`", "", heading).replace(" ", "-")


def about(notebook) -> dict:
    """What a notebook says about itself: its "heading", "title" (the heading without its number),
    "question", the minutes of its "exercises", and what its metadata say: the "minutes" that
    reading its core takes, the numbers of the notebooks that it comes "after", its "goals", and
    its "words", each as (term, heading that introduces it, meaning)."""
    heading, _, rest = first_cell(notebook).removeprefix("# ").partition("\n")
    question = re.sub(r"^\*\*[^*]+:\*\* *", "", rest.strip().partition("\n\n")[0])
    return {
        "heading": heading,
        "title": re.sub(r"^\d+ · ", "", heading),
        "question": question[:1].upper() + question[1:],
        "exercises": sum(int(minutes) for minutes, _mark in EXERCISE.findall(markdown(notebook))),
        **{"minutes": 0, "after": [], "goals": [], "words": []},
        **notebook.metadata.get("course", {}),
    }


def has_tag(cell, tag: str) -> bool:
    return tag in cell.metadata.get("tags", [])


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def write(folder: Path, files: dict[str, bytes]) -> None:
    """Write files into a folder, by their names within it."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
