"""The list of all terms on page 00, made from the "Words of this notebook" of each notebook.

    python -m tests.tools.word_list

writes the list again from the notebooks; the house rules report when this is necessary.
"""

import re
from pathlib import Path

import nbformat

from helpers.classroom.series import NOTEBOOKS, notebooks, read

START = NOTEBOOKS / "00_start_here.ipynb"
OWN, ALL = "**Words of this notebook**", "## All words of the series"
FORM = re.compile(r"- \[([^]]+)\]\(#([^)]+)\): (\S.*[^.\s])")
INTRODUCTION = (
    "Each term, where it is introduced, and what it means in a few words.\n\n"
    "<details><summary>Show the list</summary>\n\n{list}\n\n</details>"
)


def words_of(path: Path) -> list[tuple[str, str, str]]:
    """(term, heading under which it is introduced, a few words) for a notebook's terms, in order.

    Raises ValueError for a line that is not `- [term](#Heading): a few words`.
    """
    lists = [cell.source.partition(OWN)[2] for cell in read(path).cells if OWN in cell.source]
    lines = [line for text in lists for line in text.strip().splitlines()]
    found = [FORM.fullmatch(line) for line in lines]
    if wrong := [line for line, match in zip(lines, found) if not match]:
        raise ValueError(f"not `- [term](#Heading): a few words`, with no full stop: {wrong}")
    return [match.groups() for match in found]


def expected(paths: list[Path] | None = None) -> str:
    """The cell of page 00 that lists the terms of these notebooks, or of all, alphabetically."""
    words = [
        (term, f"{path.name}#{heading}", meaning, int(path.stem[:2]))
        for path in (notebooks() if paths is None else paths)
        for term, heading, meaning in words_of(path)
    ]
    lines = [
        f"- [{term}]({link}): {meaning} (notebook {number})"
        for term, link, meaning, number in sorted(words, key=lambda word: word[0].lower())
    ]
    return f"{ALL}\n\n{INTRODUCTION}".format(list="\n".join(lines))


def gaps(start: Path = START, paths: list[Path] | None = None):
    """What is wrong with the terms of these notebooks, or of all, and with the list on page 00."""
    first, wrong = {}, False
    for path in notebooks() if paths is None else paths:
        try:
            words = words_of(path)
        except ValueError as error:
            yield path, str(error)
            wrong = True
            continue
        if not words and path != start:
            yield path, f"it does not end with {OWN} and a list of the terms that it introduces"
        for term, *_rest in words:
            if term in first:
                yield path, f"{term!r} was introduced in {first[term]} already"
            first[term] = path.name
    if not wrong and expected(paths) not in [cell.source for cell in read(start).cells]:
        yield start, "its list of all words is not up to date: python -m tests.tools.word_list"


def main(start: Path = START) -> None:
    notebook, text = read(start), expected()
    cell = next((c for c in notebook.cells if c.source.startswith(ALL)), None)
    if not cell:
        cell = nbformat.v4.new_markdown_cell(text, id="all-words")
        notebook.cells.insert(-1, cell)  # the last cell leads on to the next notebook
    cell.source = text
    nbformat.write(notebook, start)


if __name__ == "__main__":
    main()
