"""Who has done what: runs a folder of handed-in copies. `make progress FOLDER=…`, or

    python tests/class_progress.py FOLDER [--out build/progress]

A copy lies in a folder of its learner's (FOLDER/alice/01_….ipynb), or its name tells whose it is
(FOLDER/alice_01_….ipynb). Two at a time are run, each in a kernel of its own (run_copy.py); the
folder is only read. The table goes to the terminal, to OUT.csv and to OUT.html.
"""

import argparse
import csv
import functools
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path

import nbformat
import series_map
from copies import Copy, find
from run_copy import Report, can_isolate, run_copy
from templating import filled

COLUMNS = ("learner", "notebook", "exercise", "state", "says", "notes", "file")
AT_ONCE = 2
CELL_LIMIT, LIMIT = 60, 600  # seconds: the slowest cells of the series take some ten


def exercises(number: int | None) -> list[str]:
    """The exercises and predictions of a notebook, in their order; none where it has none."""
    from helpers import checks

    return checks.progress(number).notebooks.get(number, []) if number is not None else []


def run_all(copies: list[Copy], cell_limit=CELL_LIMIT, limit=LIMIT, tell=print) -> list[Report]:
    """Run copies, two at a time, and tell of each one when it is done."""

    def run_one(copy):
        start = time.monotonic()
        try:
            report = run_copy(copy, cell_limit, limit)
        except Exception as error:  # the others are to be run whatever becomes of this one
            report = Report(copy, notes=[f"it could not be run ({type(error).__name__}: {error})"])
        tell(f"{copy.path.name} of {copy.learner}: {time.monotonic() - start:.0f} s")
        return report

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(run_one, copies))


def by_notebook(reports: list[Report]):
    """(title, exercises, reports) for each notebook; last those of no known notebook."""
    ordered = sorted(reports, key=lambda r: 100 if r.copy.number is None else r.copy.number)
    for number, group in groupby(ordered, key=lambda r: r.copy.number):
        group = list(group)
        yield _title(group[0].copy), exercises(number), group


def _title(copy: Copy) -> str:
    if not copy.original:
        return "Of no notebook that we know"
    return f"{copy.number} · {series_map.title(nbformat.read(copy.original, 4))}"


def rows(reports: list[Report], folder: Path):
    """The rows of the CSV: one for each exercise of each copy."""
    for report in reports:
        copy = report.copy
        for exercise in exercises(copy.number) or [""]:
            yield (
                copy.learner,
                copy.original.stem if copy.original else "",
                exercise,
                report.state(exercise),
                report.says.get(exercise, ""),
                "; ".join(report.notes),
                copy.path.relative_to(folder).as_posix(),
            )


def write_csv(path: Path, reports: list[Report], folder: Path) -> None:
    """In the encoding that spreadsheets expect; no cell is taken for a formula."""
    with open(path, "w", newline="", encoding="utf-8-sig") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for row in rows(reports, folder):
            table.writerow(
                ["'" + cell if cell.startswith(tuple("=+-@\t")) else cell for cell in row]
            )


def write_html(path: Path, reports: list[Report], folder: Path) -> None:
    """One page that needs nothing beside it."""
    books, when = list(by_notebook(reports)), time.strftime("%Y-%m-%d %H:%M")
    page = filled("progress.html.j2", notebooks=books, folder=folder, when=when)
    path.write_text(page, encoding="utf-8")


def as_text(reports: list[Report]) -> str:
    """A short table for the terminal."""
    lines = []
    width = max((len(report.copy.learner) for report in reports), default=0)
    for title, names, group in by_notebook(reports):
        lines += ["", title]
        for report in group:
            tried = [name for name in names if report.state(name) == "tried"]
            count = "unread" if report.copy.trouble else f"{len(report.done)} of {len(names)} done"
            said = ([f"tried: {', '.join(tried)}"] if tried else []) + report.notes
            lines.append(
                f"  {report.copy.learner:<{width}}  {count:<12}  {'; '.join(said)}".rstrip()
            )
    return "\n".join(lines[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the copies are")
    parser.add_argument("--out", type=Path, default=series_map.ROOT / "build" / "progress")
    parser.add_argument("--cell-limit", type=float, default=CELL_LIMIT, metavar="SECONDS")
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="SECONDS", help="for a copy")
    given = parser.parse_args()
    folder = given.folder.expanduser().resolve()
    found = find(folder)
    if not found:
        sys.exit(f"No notebook lies in {folder}, or in a folder in it.")
    copies = [copy for copy in found if copy.trouble or not copy.original or exercises(copy.number)]
    if not can_isolate():
        print("This system cannot start a kernel without a network: the copies may use it.")
    tell = functools.partial(print, file=sys.stderr, flush=True)
    reports = run_all(copies, given.cell_limit, given.limit, tell)
    os.makedirs(given.out.parent, exist_ok=True)
    written = [given.out.with_suffix(ending) for ending in (".csv", ".html")]
    for write, path in zip((write_csv, write_html), written):
        write(path, reports, folder)
    print(as_text(reports))
    if len(copies) < len(found):
        print(f"\nNot run: {len(found) - len(copies)}, of notebooks that have no checks.")
    print("\nWhat each check says:", *written)


if __name__ == "__main__":
    main()
