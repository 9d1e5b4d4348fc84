"""The map of the series, a table in the README and in notebook 0: and its gaps."""

import re
from pathlib import Path

from helpers.classroom.series import NOTEBOOKS, ROOT, about, notebooks, read

README = ROOT / "README.md"
START = NOTEBOOKS / "00_start_here.ipynb"
PAGES = (README, START)


def row(path: Path, page: Path, learn: str = "…") -> str:
    """The row of the map on `page` for the notebook at `path`."""
    told, number = about(read(path)), path.stem[:2]
    link = path.relative_to(page.parent).as_posix() if path.is_relative_to(page.parent) else path
    number = int(number) if number.isdigit() else "?"
    return f"| {number} | [{told['title']}]({link}) | {learn} | {told['minutes'] or '?'} |"


def markdown(page: Path) -> str:
    """All Markdown on a page."""
    if page.suffix != ".ipynb":
        return page.read_text(encoding="utf-8")
    return "\n\n".join(cell.source for cell in read(page).cells if cell.cell_type == "markdown")


def gaps(page: Path, paths: list[Path] | None = None, text: str | None = None):
    """What the map on a page lacks about these notebooks, or all of them, in words."""
    text = markdown(page) if text is None else text
    for path in notebooks() if paths is None else paths:
        if path == page:
            continue  # it does not link to itself
        told = about(read(path))["minutes"]
        listed = re.search(rf"{re.escape(path.name)}\).*\| ([\d +]+) \|$", text, re.MULTILINE)
        if not listed:
            yield f"its map lacks {path.name}. Add, with what one learns: {row(path, page)}"
        elif told and listed[1] != told:
            yield f"its map gives {path.name} {listed[1]} minutes; the notebook says {told}"
