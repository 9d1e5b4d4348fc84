"""The copies of notebooks in a folder of handed-in work: whose each is, and of which notebook."""

import ast
import functools
import re
from dataclasses import dataclass
from pathlib import Path

import nbformat
from IPython.core.inputtransformer2 import TransformerManager

from .. import _, title_of
from . import series

CHECK = re.compile(
    r"checks\.(?:(?!predict|yours|progress|drill)(\w+)\(|predict\(\s*[\"']([^\"'\n]+))"
)


@dataclass(frozen=True)
class Copy:
    """A file that was handed in.

    learner   the sub-folder that contains it, or else its file name's beginning
    original  the notebook of the series that it is a copy of; None if unknown
    trouble   why it cannot be read, or ""
    """

    path: Path
    learner: str
    original: Path | None
    cells: tuple[str, ...] = ()  # the sources of its code cells
    trouble: str = ""

    @property
    def number(self) -> int | None:
        return int(self.original.stem[:2]) if self.original else None

    @functools.cached_property
    def broken(self) -> dict[str, str]:
        """{exercise: the syntax error in a cell above its check, or in that cell}"""
        found = {}
        for number, source in enumerate(self.cells, 1):
            try:
                ast.parse(TransformerManager().transform_cell(source))
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                line = f" (line {error.lineno})" if isinstance(error, SyntaxError) else ""
                told = f"cell {number} is no Python: {getattr(error, 'msg', error)}{line}"
                if name := next_check(self.cells[number - 1 :]):
                    found.setdefault(name, f"{name}: {told}")
        return found

    def untouched(self) -> bool:
        """Whether its code is that of the original, with or without the solutions."""
        original = series.read(self.original)
        return self.cells in (tuple(sources(original)), tuple(sources(original, solutions=False)))


def find(folder: Path) -> list[Copy]:
    """Every notebook in `folder` and below, by learner and notebook, except those of tools."""
    paths = (path.relative_to(folder) for path in folder.rglob("*.ipynb") if path.is_file())
    seen = [p for p in paths if not any(part.startswith((".", "__")) for part in p.parts)]
    copies = [read(folder, path) for path in seen]
    return sorted(copies, key=lambda c: (c.learner.casefold(), c.number or 0, c.path))


def read(folder: Path, path: Path) -> Copy:
    """One copy, `path` within `folder`. An unreadable file is also a Copy, which says why."""
    named = next((p for p in series.notebooks() if p.stem in path.stem), None)
    learner = path.parts[0] if len(path.parts) > 1 else _learner(path.stem, named)
    try:
        text = (folder / path).read_text(encoding="utf-8-sig")
        if not text.strip():
            return Copy(folder / path, learner, named, trouble="the file is empty")
        notebook = nbformat.reads(text, 4)
        notebook.cells = [c for c in notebook.cells if not series.has_tag(c, "colab")]  # installs
        original = _by_title(notebook) or named
        lost = "" if original else "neither its title nor its name tells which notebook it is"
        return Copy(folder / path, learner, original, tuple(sources(notebook)), lost)
    except Exception as error:  # anything may have been handed in
        first = str(error).split("\n")[0][:80]
        trouble = f"it cannot be read as a notebook ({type(error).__name__}: {first})"
        return Copy(folder / path, learner, named, trouble=trouble)


def next_check(cells: tuple[str, ...]) -> str:
    """The exercise or prediction of the first check in these cells; "" if there is none."""
    found = CHECK.search("\n".join(cells))
    if not found:
        return ""
    return found[1] or _("prediction: {name}", name=title_of(found[2]))


def sources(notebook, solutions: bool = True) -> list[str]:
    """The sources of its code cells, without the empty ones."""
    cells = [cell for cell in notebook.cells if solutions or not series.has_tag(cell, "solution")]
    code = [cell.source.rstrip() for cell in cells if cell.cell_type == "code"]
    return [source for source in code if source]


def _learner(stem: str, named: Path | None) -> str:
    """alice_01_hello_shiny_sun belongs to alice; so does her second download, which ends in (1)."""
    stem = re.sub(r"( ?\(\d+\)|-Copy\d+)+$", "", stem)
    return (stem.replace(named.stem, "") if named else stem).strip(" _-.()") or stem


def _by_title(notebook) -> Path | None:
    found = re.match(r"# (\d+) · ", series.first_cell(notebook))
    return next((p for p in series.notebooks() if found and int(p.stem[:2]) == int(found[1])), None)
