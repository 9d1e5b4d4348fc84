"""What page 00 says about all notebooks: its map, its paths, the goals and the words.

    python -m tests.tools.start_page

writes it again from the notebooks; the house rules report when this is necessary.
"""

import re
from pathlib import Path

import nbformat

from helpers.classroom.series import NOTEBOOKS, about, anchor, markdown, read
from tests.tools.course_rules import core_minutes

START = NOTEBOOKS / "00_start_here.ipynb"
GOALS, WORDS = "## What each notebook teaches", "## All words of the series"
LIST = "<details><summary>Show the list</summary>\n\n{list}\n\n</details>"
PATH = re.compile(r"^(\| \*\*([^*]+)\*\*[^|]* \| )([^|]+) \| ([^|]*) \|$", re.MULTILINE)
LINK = re.compile(r"\((\d\d)_\w+\.ipynb\)")
THIS = "this page"  # a path that begins with page 00 says so without a link
ROW = re.compile(r"^(\| \d+ \| \[[^]]+\]\(([^)]+)\) \| )[^|]*( \|)$", re.MULTILINE)


def paths(text: str) -> dict[str, list[int]]:
    """{name: numbers of its notebooks} of the table of paths in this Markdown."""
    found = {}
    for _start, name, stops, _minutes in PATH.findall(text):
        named = [other for other in re.findall(r"\*([^*]+)\*", stops) if other in found]
        before = [number for other in named for number in found[other]] + [0] * (THIS in stops)
        found[name] = before + [int(number) for number in LINK.findall(stops)]
    return found


def with_minutes(text: str, page, books: dict[str, nbformat.NotebookNode]) -> str:
    """The Markdown with the minutes of the notebooks in the map, and of the paths."""
    core = {0: core_minutes(page)}
    core |= {int(name[:2]): core_minutes(book) for name, book in books.items()}
    stops = paths(text)

    def path(found):
        minutes = sum(core[number] for number in stops[found[2]])
        tens = round(minutes / 10)
        told = f"{minutes} min" if minutes < 100 else f"{tens // 6} h {tens % 6 * 10:02} min"
        return f"{found[1]}{found[3]} | {told} |"

    def row(found):
        told = about(books[found[2]])
        minutes = [str(told[name]) for name in ("minutes", "exercises") if told[name]]
        return found[1] + " + ".join(minutes) + found[3]

    return ROW.sub(row, PATH.sub(path, text))


def all_goals(books: dict[str, nbformat.NotebookNode]) -> str:
    """The cell with the goals of each notebook."""
    told = {name: about(book) for name, book in books.items()}
    lists = [
        "\n".join([f"[{it['heading']}]({name})\n", *(f"- {goal}" for goal in it["goals"])])
        for name, it in told.items()
        if it["goals"]
    ]
    return f"{GOALS}\n\n{LIST}".format(list="\n\n".join(lists))


def word_line(term: str, heading: str, meaning: str, name="") -> str:
    """The line of a list for a word that is introduced under a heading of the notebook `name`."""
    return f"- [{term}]({name}#{anchor(heading)}): {meaning}"


def all_words(books: dict[str, nbformat.NotebookNode]) -> str:
    """The cell with the terms of all notebooks, alphabetically."""
    words = [(word, name) for name, book in books.items() for word in about(book)["words"]]
    lines = [
        f"{word_line(*word, name)} (notebook {int(name[:2])})"
        for word, name in sorted(words, key=lambda found: found[0][0].lower())
    ]
    return f"{WORDS}\n\n{LIST}".format(list="\n".join(lines))


def others(start: Path) -> dict[str, nbformat.NotebookNode]:
    """{name of the file: notebook} for all but page 00."""
    return {path.name: read(path) for path in sorted(start.parent.glob("*.ipynb")) if path != start}


def written(start: Path = START) -> nbformat.NotebookNode:
    """Page 00 as it should be."""
    books, page = others(start), read(start)
    for cell in page.cells:
        if cell.source.startswith(GOALS):
            cell.source = all_goals(books)
        elif cell.source.startswith(WORDS):
            cell.source = all_words(books)
        elif cell.cell_type == "markdown":
            cell.source = with_minutes(cell.source, page, books)
    return page


def gaps(start: Path = START):
    """What page 00 lacks, and what is wrong with its paths and with the words of all notebooks."""
    books, page = others(start), read(start)
    text, first = markdown(page), {}
    if written(start) != page:
        yield start, "it is not up to date: python -m tests.tools.start_page"
    for name, book in books.items():
        if name not in [row[1] for row in ROW.findall(text)]:
            yield (
                start,
                f"its map lacks a row: | {int(name[:2])} | [{about(book)['title']}]({name}) | … |",
            )
        for term, *_rest in about(book)["words"]:
            if term in first:
                yield start.parent / name, f"{term!r} was introduced in {first[term]} already"
            first[term] = name
    needs = {0: set()}
    needs |= {int(name[:2]): set(about(book)["after"]) for name, book in books.items()}
    for name, stops in paths(text).items():
        done = {0}
        for number in stops:
            if lacks := needs[number] - done:
                yield start, f"on the path {name!r}, notebook {number} comes before {lacks}"
            done.add(number)


if __name__ == "__main__":
    nbformat.write(written(), START)
