"""Writes a folder for a class: notebooks without solutions and outputs, and everything they need.

    python -m helpers.classroom.student FOLDER [--language es]

FOLDER is complete: a README, the notebooks, a list of what to install. Cells tagged "solution" are
left out, and the outputs of all others are cleared. The originals, which have the solutions, are
only read. An existing file is never overwritten, because it may be a learner's.
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
LEFT = _("left alone: {path} (already there; move it away to get a new one)")
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


def copies_for(
    folder: Path, change, originals: Path = NOTEBOOKS, language="en"
) -> dict[Path, bytes]:
    """{path in `folder`: content} for every notebook, after change(notebook), in that language."""
    copies = {}
    for path in sorted(Path(originals).glob("*.ipynb")):
        notebook = translated(change(series.read(path)), path.stem, language)
        copies[folder / path.name] = nbformat.writes(notebook).encode()
    return copies


def write_class(folder, language="en") -> tuple[list[Path], list[Path]]:
    """Write a complete folder in that language; return (written, left alone).

    A file that already exists with the content that we would write is in neither list. Raises
    ValueError for the folder of the originals.
    """
    folder = Path(folder).expanduser().resolve()
    if folder in (ROOT, NOTEBOOKS, ROOT / "tests", ROOT / "helpers"):
        raise ValueError(f"{folder} holds the originals; choose another folder.")
    pages = pages_in("notebooks", language)
    files = copies_for(folder / pages, without_solutions, language=language)
    files |= {folder / path.relative_to(ROOT): path.read_bytes() for path in needed(language)}
    files[folder / "README.md"] = readme(pages, language).encode()
    written, left = put(files)
    return written, [path for path in left if path.read_bytes() != files[path]]


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


def put(files: dict[Path, bytes]) -> tuple[list[Path], list[Path]]:
    """Write files, but none over an existing one; return (written, left alone)."""
    written, left = [], []
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            left.append(path)
        else:
            path.write_bytes(content)
            written.append(path)
    return written, left


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="where the copies go")
    parser.add_argument("--language", default="en", choices=LANGUAGES)
    given = parser.parse_args()
    try:
        written, left = write_class(given.folder, given.language)
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    for path in left:
        print(said(LEFT, "helpers", given.language).format(path=path))
    told = said(WRITTEN, "helpers", given.language)
    print(told.format(count=len(written), folder=given.folder))


if __name__ == "__main__":
    main()
