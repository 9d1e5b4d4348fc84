"""Who has done what, from a folder of handed-in copies: `make progress FOLDER=…`, or

    python -m helpers.classroom.progress FOLDER

Copies are in a folder of their learner (FOLDER/alice/01_….ipynb), or named after the learner
(FOLDER/alice_01_….ipynb). They are read, not run. build/progress.html is a table for each notebook;
build/grades.csv has a row for each learner, for the gradebook of Moodle or Canvas.
"""

import argparse
import csv
import sys
import time
from itertools import groupby
from pathlib import Path

from .. import LANGUAGE, _, title_of
from . import series
from .handed_in import Copy, asked, find, others
from .translated import translated


def by_notebook(copies: list[Copy]):
    """(title, exercises, copies) for each notebook; those of no known notebook come last."""
    books = [(path.stem, series.read(path)) for path in series.notebooks()]
    headings = {
        int(name[:2]): series.about(translated(book, name, LANGUAGE))["heading"]
        for name, book in books
    }
    ordered = sorted(copies, key=lambda c: 100 if c.number is None else c.number)
    for number, group in groupby(ordered, key=lambda c: c.number):
        title = headings.get(number, _("Of no notebook that we know"))
        yield title, asked(number), list(group)


def told(copies: list[Copy], left: list[str]) -> list[str]:
    """What to look at before a table is believed, a line for each."""
    lines = [f"{copy.learner}, {copy.path.name}: {x}" for copy in copies for x in copy.notes]
    return lines + [_("not read, as it is no notebook: {path}", path=path) for path in left]


def write_grades(path: Path, copies: list[Copy]) -> None:
    """A row for each learner: a point for each exercise or prediction that is right in any copy."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(("name", "points", "comment"))
        for learner in dict.fromkeys(copy.learner for copy in copies):
            own = [copy for copy in copies if copy.learner == learner]
            names = dict.fromkeys(name for copy in own for name in asked(copy.number))
            left = [name for name in names if all(name not in copy.done for copy in own)]
            missing = ", ".join(map(title_of, left)) or "–"
            comment = _("of {all}; not yet: {missing}", all=len(names), missing=missing)
            noted = [f"{copy.path.name}: {note}" for copy in own for note in copy.notes]
            row = learner, len(names) - len(left), "; ".join([comment, *noted])
            table.writerow(map(as_text, row))


def as_text(cell) -> str:
    """A cell of a table that no spreadsheet takes for a formula."""
    return f"'{cell}" if str(cell).startswith(tuple("=+-@\t")) else str(cell)


def write_html(path: Path, copies: list[Copy], folder: Path, lines: list[str]) -> None:
    """A single page that needs no other files."""
    page = series.filled(
        "progress.html.j2",
        notebooks=list(by_notebook(copies)),
        language=LANGUAGE,
        _=_,
        title_of=title_of,
        folder=folder,
        when=time.strftime("%Y-%m-%d %H:%M"),
        lines=lines,
    )
    path.write_text(page, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the copies are")
    folder = parser.parse_args().folder.expanduser().resolve()
    copies = find(folder)
    if not copies:
        sys.exit(_("No notebook lies in {folder}, or in a folder in it.", folder=folder))
    lines = told(copies, others(folder))
    out = series.ROOT / "build"
    out.mkdir(exist_ok=True)
    write_grades(out / "grades.csv", copies)
    write_html(out / "progress.html", copies, folder, lines)
    learners = {copy.learner for copy in copies}
    print(
        _(
            "Copies: {n}; learners: {who}; to look at: {lines}.",
            n=len(copies),
            who=len(learners),
            lines=len(lines),
        )
    )
    page = out / "progress.html"
    print(_("What each check says: {page}; points for a gradebook: grades.csv", page=page))


if __name__ == "__main__":
    main()
