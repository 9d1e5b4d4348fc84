"""Writes a folder for a class: notebooks without solutions and outputs, and everything they need.

    python -m helpers.classroom.student FOLDER [--language es]

FOLDER is complete: a README, the notebooks, a list of what to install. Cells tagged "solution" are
left out, and the outputs of all others are cleared. The originals, which have the solutions, are
only read. A folder that has files is refused, because they may be a learner's.
"""

import argparse
import re
import sys
from pathlib import Path

import nbformat

from .. import MESSAGES, TRANSLATIONS, _
from . import series
from .series import NOTEBOOKS, ROOT
from .translated import LANGUAGES, pages_in, said, text_in, translated

README = series.TEMPLATES / "class_readme.md"
# What is printed, in the language of the copies; `_` only lets Babel find it.
WRITTEN = _(
    "{count} files were written into {folder}; its README.md is for learners.\n"
    "The helpers that the checks need are there, too: whoever looks finds the right answers."
)


def without_solutions(notebook):
    """The same notebook for a learner: no cells tagged "solution", no outputs, no counts."""
    notebook.cells = [cell for cell in notebook.cells if not series.has_tag(cell, "solution")]
    return without_outputs(notebook)


def without_outputs(notebook):
    """The same notebook as if none of it had been run: no outputs, no counts."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return notebook


def copies_for(change, originals: Path = NOTEBOOKS, language="en") -> dict[str, bytes]:
    """{file name: content} of every notebook, after change(notebook), in that language."""
    copies = {}
    for path in sorted(originals.glob("*.ipynb")):
        notebook = translated(change(series.read(path)), path.stem, language)
        copies[path.name] = nbformat.writes(notebook).encode()
    return copies


def write_class(folder, language="en") -> int:
    """Write a complete folder in that language; return the number of its files.

    Raises ValueError for a folder that has files, such as that of the originals.
    """
    folder = Path(folder).expanduser()
    if folder.exists() and any(folder.iterdir()):
        raise ValueError(f"{folder} is not empty; choose a folder that is, or a new one.")
    pages = pages_in("notebooks", language)
    files = {path.relative_to(ROOT): path.read_bytes() for path in needed(language)}
    files["README.md"] = readme(pages, language).encode()
    copies = copies_for(without_solutions, language=language)
    series.write(folder, files)
    series.write(folder / pages, copies)
    return len(files) + len(copies)


def needed(language="en"):
    """The files that notebooks need beside them: what to install, the helpers, their messages."""
    for name in ("requirements.txt", "pyproject.toml", "LICENSE", "LICENSE-TEXT"):
        yield ROOT / name
    if language != "en":
        yield TRANSLATIONS / language / MESSAGES
    for path in sorted((ROOT / "helpers").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and path.name[0] != ".":
            yield path


def readme(pages: str, language="en") -> str:
    """What a learner reads first in the folder of the class, whose notebooks are in `pages`."""
    rows = []
    for path in series.notebooks():
        book = series.read(path)
        title = series.about(translated(book, path.stem, language))["title"]
        about = series.about(book)  # the minutes of exercises are read from English headings
        times = " + ".join(str(about[of]) for of in ("minutes", "exercises") if about[of])
        rows.append(f"| {int(path.stem[:2])} | [{title}]({pages}/{path.name}) | {times} |")
    torch = re.search(r"(?m)^torch==.*", (ROOT / "requirements.txt").read_text())[0]
    text = text_in(README.read_text(encoding="utf-8"), "README", language)
    return text.format(notebooks="\n".join(rows), torch=torch, pages=pages)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="where the copies go")
    parser.add_argument("--language", default="en", choices=LANGUAGES)
    given = parser.parse_args()
    try:
        count = write_class(given.folder, given.language)
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    print(said(WRITTEN, "helpers", given.language).format(count=count, folder=given.folder))


if __name__ == "__main__":
    main()
