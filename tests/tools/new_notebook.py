"""Creates a new notebook that follows the house rules: `make notebook NAME=… TITLE=…`, or

    python -m tests.tools.new_notebook 07_my_topic "My topic"

It is made from notebook.md.j2, run, and listed in both maps. What it teaches is up to you.
"""

import argparse
import re
import sys
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from helpers.classroom.series import about, filled, notebooks, read
from tests.tools import refresh, series_map

HERE = Path(__file__).parent
CODE = re.compile(r"^```python\n(.*?)\n```$", re.MULTILINE | re.DOTALL)


def lay_out(name: str, title: str) -> Path:
    """Write, run and list the notebook `name`; return its path.

    Raises ValueError if the name or title is not allowed, FileExistsError if another notebook would
    be overwritten, RuntimeError if one of its cells fails.
    """
    if not re.fullmatch(r"\d\d_[a-z0-9_]+", name):
        raise ValueError(f"NAME={name}: two digits and a name are wanted, such as 07_my_topic.")
    if not title.strip() or "|" in title or "\n" in title:
        raise ValueError(f"TITLE={title!r}: a title in one line is wanted, without |.")
    others = notebooks()
    path = others[0].parent / f"{name}.ipynb"
    for other in others:
        if other.stem[:2] == name[:2]:
            raise FileExistsError(f"{other.name} has the number {name[:2]}; choose another one.")
    before = max((p for p in others if p.name < path.name), default=others[0])
    known = {"title": about(read(before))["title"], "file": before.name}
    text = filled("notebook.md.j2", HERE, number=int(name[:2]), title=title.strip(), before=known)
    cells = cells_of(text)
    for i, cell in enumerate(cells):
        cell.id = f"{name[:2]}-{i:02}"
    nbformat.write(refresh.tidy(new_notebook(cells=cells)), path)
    if failed := refresh.run(path):
        raise RuntimeError(failed)
    for page in series_map.PAGES:
        series_map.add(page, series_map.row(path, page))
    return path


def cells_of(text: str) -> list[nbformat.NotebookNode]:
    """Cells from Markdown: a block of Python becomes a code cell, other text a Markdown cell."""
    parts = CODE.split(text)  # Markdown, Python, Markdown, …
    cells = [
        new_code_cell(p) if i % 2 else new_markdown_cell(p.strip()) for i, p in enumerate(parts)
    ]
    return [cell for cell in cells if cell.source]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help="such as 07_my_topic")
    parser.add_argument("title", help="such as 'My topic'")
    given = parser.parse_args()
    try:
        path = lay_out(given.name, given.title)
    except (ValueError, OSError, RuntimeError) as error:
        sys.exit(str(error))
    print(
        f"written: {path}, and a row for it in the maps of README.md and {series_map.START.name}.\n"
        "It keeps the house rules. Now write in it what you teach, then:\n"
        "  put what one learns in place of … in both rows;\n"
        f"  let the notebook before it lead to it: [The next notebook]({path.name});\n"
        f"  make refresh NOTEBOOKS=notebooks/{path.name}\n"
        "  .venv/bin/python -m tests.tools.house_rules   (a second; make test begins with it)"
    )


if __name__ == "__main__":
    main()
