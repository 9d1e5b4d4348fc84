"""The core of each notebook, and the paths through the series in the table of page 00."""

import re
from pathlib import Path

import nbformat

from helpers.classroom.series import MINUTES, NOTEBOOKS, first_cell, notebooks, read

START = NOTEBOOKS / "00_start_here.ipynb"
# "· core" or "· more" stands at the end where a notebook has sections to leave for later.
EXERCISE = re.compile(r"^### Exercise: .* [●○]{3} · (\d+) min(?: · (core|more))?$", re.MULTILINE)
CORE = re.compile(r"\*\*Core:\*\* (?:all of it|(\d+) minutes(?:, (\d+) of them for exercises)?)\.")
LISTED = re.compile(r"\[([^\]]+)\]\(#Further:[^\s]*\) (\d+)")
MORE = re.compile(r"exercises marked \*more\* (\d+)")
NEEDS = re.compile(r"(?:Before this:|It follows) ((?:[^.\n]|\.ipynb)+)")
ROW = re.compile(r"^(\| \*\*([^*]+)\*\*[^|]* \| )([^|]+) \| ([^|]*) \|$", re.MULTILINE)
LINK = re.compile(r"\((\d\d)_\w+\.ipynb(#[^)]*)?\)")
MOST, VISIT = 60, 5  # minutes: the longest core; a section that a path visits


def all_minutes(notebook) -> int:
    """How long a notebook takes, with its exercises."""
    found = MINUTES.search(first_cell(notebook))
    return int(found[1]) + int(found[2] or 0) if found else 0


def core_minutes(notebook) -> int:
    """How long its core takes, exercises included; all of it, if the first cell names no core."""
    found = CORE.search(first_cell(notebook))
    return int(found[1]) if found and found[1] else all_minutes(notebook)


def core_is_short(notebook, path):
    """its core takes at most 60 minutes: `**Core:** 45 minutes, 12 of them for exercises.`"""
    minutes, told = core_minutes(notebook), "**Core:**" in first_cell(notebook)
    if told and not CORE.search(first_cell(notebook)):
        yield "its core is not told as in `**Core:** 45 minutes, 12 of them for exercises.`"
    elif told and minutes > MOST:
        yield f"its core takes {minutes} minutes; {MOST} are the most"


def further_sections_are_listed(notebook, path):
    """beside its core, the first cell lists the sections headed `Further:`, with their minutes"""
    first = first_cell(notebook)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    headed = [name.replace("`", "") for name in re.findall(r"^#+ Further: (.+?)\s*$", text, re.M)]
    listed = {name.replace("`", ""): int(minutes) for name, minutes in LISTED.findall(first)}
    if sorted(headed) != sorted(listed):
        yield f"headed Further: {sorted(headed)}; listed in the first cell: {sorted(listed)}"
    more = MORE.search(first)
    together = core_minutes(notebook) + sum(listed.values()) + int(more[1] if more else 0)
    if CORE.search(first) and abs(together - all_minutes(notebook)) > 5:
        yield f"core, further and *more* are {together} minutes; all of it is {all_minutes(notebook)}"


def exercises_are_core_or_more(notebook, path):
    """beside a core, two or three exercises end in `· core`, and all others in `· more`"""
    first = first_cell(notebook)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    marks = EXERCISE.findall(text)
    found = CORE.search(first)
    if not found or not found[1] or not marks:
        return
    core = [int(minutes) for minutes, mark in marks if mark == "core"]
    if not 2 <= len(core) <= 3 or not all(mark for _minutes, mark in marks):
        yield f"its exercises are marked {[mark for _minutes, mark in marks]}"
    if abs(sum(core) - int(found[2] or 0)) > 5:
        yield f"its core exercises take {sum(core)} minutes; the first cell says {found[2]}"


RULES = [core_is_short, further_sections_are_listed, exercises_are_core_or_more]


def needs(notebook) -> list[int]:
    """The notebooks that the first cell names as what comes before."""
    found = NEEDS.search(first_cell(notebook))
    return [int(number) for number, _anchor in LINK.findall(found[1])] if found else []


def paths(text: str) -> dict[str, list[tuple[int, bool]]]:
    """{name: [(notebook, whether only one section of it), …]} of the table in this Markdown."""
    found = {}
    for _start, name, stops, _minutes in ROW.findall(text):
        named = [other for other in re.findall(r"\*([^*]+)\*", stops) if other in found]
        before = [stop for other in named for stop in found[other]]
        found[name] = before + [(int(n), bool(anchor)) for n, anchor in LINK.findall(stops)]
    return found


def with_minutes(text: str, core: dict[int, int]) -> str:
    """The Markdown with the minutes of each path, where {notebook: minutes of its core}."""

    def row(found):
        minutes = sum(VISIT if section else core[number] for number, section in stops[found[2]])
        tens = round(minutes / 10)
        told = f"{minutes} min" if minutes < 100 else f"{tens // 6} h {tens % 6 * 10:02} min"
        return f"{found[1]}{found[3]} | {told} |"

    stops = paths(text)
    return ROW.sub(row, text)


def table(start) -> nbformat.NotebookNode:
    """The cell of page 00 with the paths."""
    return next(c for c in start.cells if c.cell_type == "markdown" and paths(c.source))


def gaps(start: Path = START):
    """What is wrong with the paths, compared with what notebooks say that they need."""
    books = {int(path.stem[:2]): (path, read(path)) for path in notebooks() if path != start}
    direct = {number: needs(book) for number, (_path, book) in books.items()}
    cell = table(read(start))
    core = {number: core_minutes(book) for number, (_path, book) in books.items()}
    if (wanted := with_minutes(cell.source, core)) != cell.source:
        yield start, f"the minutes of its paths are not up to date. Write:\n{wanted}"
    for name, stops in paths(cell.source).items():
        done = {0}
        for number, section in stops:
            if not section and (lacks := set(direct[number]) - done):
                yield start, f"on the path {name!r}, notebook {number} comes before {lacks}"
            done.add(number)
