"""Builds a lecture from every notebook, with working sliders: `make slides`, or

    python -m helpers.classroom.slides [notebooks/01_hello_shiny_sun.ipynb …]

The metadata of the cells says what is on which slide; solutions and checks are on none. The folder
of lectures, build/slides, needs no network.
"""

import re
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nbformat
from jinja2 import pass_context
from nbconvert import SlidesExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from . import scripts, series
from .formulas import mathml
from .pages import show_all
from .site import execute, write

FOLDER = series.ROOT / "build" / "slides"


class Lecture(SlidesExporter):
    """nbconvert's slides, with formulas that need no script."""

    @pass_context
    def markdown2html(self, context, source):
        renderer = Formulas(escape=False, exclude_anchor_links=True)
        return MarkdownWithMath(renderer=renderer).render(source)


class Formulas(IPythonRenderer):
    def inline_math(self, body):
        return mathml(body)

    def block_math(self, body):
        return mathml(body, block=True)

    def latex_environment(self, name, body):
        return mathml(rf"\begin{{{name}}}{body}\end{{{name}}}", block=True)


def lecture(notebook) -> str:
    """The page of an executed notebook; its scripts must be in the folder "scripts" beside it."""
    book = nbformat.from_dict(notebook)
    show_all(book)
    exporter = Lecture(
        template_file="slides.html.j2",
        extra_template_paths=[str(series.TEMPLATES)],
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
    page, _ = exporter.from_notebook_node(book, {"title": series.about(book)["heading"]})
    return re.sub(r'(href="[\w-]+)\.ipynb(?=["#])', r"\1.slides.html", page)


def main() -> None:
    paths = [Path(path).resolve() for path in sys.argv[1:]] or series.notebooks()
    try:
        write(FOLDER / "scripts", scripts.scripts(scripts.WIDGETS | scripts.LECTURES))
        with ProcessPoolExecutor(2) as pool:
            for path, book in zip(paths, pool.map(execute, paths)):
                write(FOLDER, {f"{path.stem}.slides.html": lecture(book).encode()})
    except (RuntimeError, ValueError, OSError, scripts.OutOfReach) as error:
        sys.exit(f"Not all lectures were made.\n{error}")
    print(f"{len(paths)} lectures; they are in {FOLDER}")


if __name__ == "__main__":
    main()
