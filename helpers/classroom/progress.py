"""Who has done what: runs a folder of handed-in copies. `make progress FOLDER=…`, or

    python -m helpers.classroom.progress FOLDER [--csv]

Copies are in a folder of their learner (FOLDER/alice/01_….ipynb), or named after the learner
(FOLDER/alice_01_….ipynb). All are read before the first is run, two at a time, each in a process of
its own (run_copy.py). The tables are build/progress.html and .csv; with --csv, build/grades.csv has
a row for each learner, for the gradebook of Moodle or Canvas.
"""

import argparse
import csv
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path

from .. import checks
from . import series
from .handed_in import Copy, find
from .run_copy import Report, run_copy, walls

COLUMNS = ("learner", "notebook", "exercise", "state", "says", "notes", "file")
AT_ONCE = 2
CELL_LIMIT, LIMIT = 60, 600  # seconds: the slowest cells of the series take about ten


def exercises(number: int | None) -> list[str]:
    """The exercises and predictions of a notebook, in order; none if it has none."""
    return checks.progress(number).notebooks.get(number, []) if number is not None else []


def run_all(copies: list[Copy], folder: Path, cell_limit=CELL_LIMIT, limit=LIMIT) -> list[Report]:
    """Run copies from a folder, two at a time; print a line for each one when it is done."""

    def run_one(copy):
        start = time.monotonic()
        try:
            report = run_copy(copy, Path(homes), around, cell_limit, limit)
        except Exception as error:  # a failure must not stop the others
            report = Report(copy, notes=[f"it could not be run ({type(error).__name__}: {error})"])
        print(f"{in_a_line(report)} ({time.monotonic() - start:.0f} s)", flush=True)
        return report

    with tempfile.TemporaryDirectory(prefix="copies-", ignore_cleanup_errors=True) as homes:
        around = walls(folder, Path(homes))
        if "unshare" not in around:
            print("This system cannot shut a copy in: a copy may use the network, read and change")
            print("the others, and start a process that goes on. To stop now, press Ctrl + C.")
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(run_one, copies))


def in_a_line(report: Report) -> str:
    """alice, x.ipynb: 1 of 6 done; tried: softmax"""
    names = exercises(report.copy.number)
    said = [f"{len(report.done)} of {len(names)} done"]
    for words, state in {"tried": "tried", "syntax error": "broken"}.items():
        there = [name for name in names if report.state(name) == state]
        said += [f"{words}: {', '.join(there)}"] if there else []
    said += report.notes
    return f"{report.copy.learner}, {report.copy.path.name}: {'; '.join(said)}"


def by_notebook(reports: list[Report]):
    """(title, exercises, reports) for each notebook; those of no known notebook come last."""
    ordered = sorted(reports, key=lambda r: 100 if r.copy.number is None else r.copy.number)
    for number, group in groupby(ordered, key=lambda r: r.copy.number):
        group = list(group)
        original = group[0].copy.original
        named = original and f"{number} · {series.about(series.read(original))['title']}"
        yield named or "Of no notebook that we know", exercises(number), group


def write_csv(path: Path, reports: list[Report], folder: Path) -> None:
    """A row for each exercise of each copy, for spreadsheets; no cell is taken for a formula."""
    with open(path, "w", newline="", encoding="utf-8-sig") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for report in reports:
            copy = report.copy
            book = copy.original.stem if copy.original else ""
            last = "; ".join(report.notes), copy.path.relative_to(folder).as_posix()
            for name in exercises(copy.number) or [""]:
                said = report.state(name), report.told(name)
                row = (copy.learner, book, name, *said, *last)
                table.writerow(map(as_text, row))


def as_text(cell: str) -> str:
    return "'" + cell if cell.startswith(tuple("=+-@\t")) else cell


def write_grades(path: Path, reports: list[Report]) -> None:
    """A row for each learner: a point for each exercise or prediction that was right in any copy."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(("name", "points", "comment"))
        for learner in dict.fromkeys(report.copy.learner for report in reports):
            own = [report for report in reports if report.copy.learner == learner]
            names = dict.fromkeys(name for r in own for name in exercises(r.copy.number))
            left = [name for name in names if all(name not in r.done for r in own)]
            comment = f"of {len(names)}; not yet: {', '.join(left) or 'none'}"
            table.writerow((as_text(learner), len(names) - len(left), comment))


def write_html(path: Path, reports: list[Report], folder: Path) -> None:
    """A single page that needs no other files."""
    books, when = list(by_notebook(reports)), time.strftime("%Y-%m-%d %H:%M")
    page = series.filled("progress.html.j2", notebooks=books, folder=folder, when=when)
    path.write_text(page, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the copies are")
    parser.add_argument("--csv", action="store_true", help="write build/grades.csv, too")
    given = parser.parse_args()
    folder = given.folder.expanduser().resolve()
    found = find(folder)
    if not found:
        sys.exit(f"No notebook lies in {folder}, or in a folder in it.")
    copies = [copy for copy in found if copy.trouble or not copy.original or exercises(copy.number)]
    reports = run_all(copies, folder)
    out = series.ROOT / "build" / "progress"
    out.parent.mkdir(exist_ok=True)
    write_csv(out.with_suffix(".csv"), reports, folder)
    write_html(out.with_suffix(".html"), reports, folder)
    if given.csv:
        write_grades(out.with_name("grades.csv"), reports)
    print(f"\nWhat each check says: {out}.html and {out.name}.csv")


if __name__ == "__main__":
    main()
