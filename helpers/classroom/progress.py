"""Who has done what, from a folder of handed-in copies: `make progress FOLDER=…`, or

    python -m helpers.classroom.progress FOLDER

Copies are in a folder of their learner (FOLDER/alice/01_….ipynb), or named after the learner
(FOLDER/alice_01_….ipynb). They are read, not run. build/grades.csv has a row for each learner, for
the gradebook of Moodle or Canvas; build/checks.csv has one for each exercise and prediction of each
copy, with what its check said.
"""

import argparse
import csv
import sys
from pathlib import Path

from .. import _, title_of
from . import series
from .handed_in import Copy, asked, find, others


def told(copies: list[Copy], left: list[str]) -> list[str]:
    """What to look at before a table is believed, a line for each."""
    lines = [f"{copy.learner}, {copy.path.name}: {x}" for copy in copies for x in copy.notes]
    return lines + [_("not read, as it is no notebook: {path}", path=path) for path in left]


def grades(copies: list[Copy]):
    """A row for each learner: a point for each exercise or prediction that is right in any copy."""
    yield "name", "points", "comment"
    for learner in dict.fromkeys(copy.learner for copy in copies):
        own = [copy for copy in copies if copy.learner == learner]
        names = dict.fromkeys(name for copy in own for name in asked(copy.number))
        left = [name for name in names if all(copy.states.get(name) != "done" for copy in own)]
        missing = ", ".join(map(title_of, left)) or "–"
        comment = _("of {all}; not yet: {missing}", all=len(names), missing=missing)
        yield learner, len(names) - len(left), comment


def checks(copies: list[Copy]):
    """A row for each exercise and prediction of each copy: "done", "tried", or "" for neither."""
    yield "name", "file", "notebook", "exercise", "state", "says"
    for copy in copies:
        for name in asked(copy.number):
            state, says = copy.states.get(name, ""), copy.says.get(name, "")
            yield copy.learner, copy.path.name, copy.number, name, state, says


def write(path: Path, rows) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(map(as_text, row) for row in rows)


def as_text(cell) -> str:
    """A cell of a table that no spreadsheet takes for a formula."""
    return f"'{cell}" if str(cell).startswith(tuple("=+-@\t")) else str(cell)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the copies are")
    folder = parser.parse_args().folder.expanduser().resolve()
    copies = find(folder)
    if not copies:
        sys.exit(_("No notebook lies in {folder}, or in a folder in it.", folder=folder))
    out = series.ROOT / "build"
    out.mkdir(exist_ok=True)
    write(out / "grades.csv", grades(copies))
    write(out / "checks.csv", checks(copies))
    for line in told(copies, others(folder)):
        print(line)
    learners = {copy.learner for copy in copies}
    print(_("Copies: {n}; learners: {who}.", n=len(copies), who=len(learners)))
    table = out / "checks.csv"
    print(_("What each check says: {table}; points for a gradebook: grades.csv", table=table))


if __name__ == "__main__":
    main()
