"""Runs notebooks from top to bottom and stores their outputs: `make refresh`, or

    python -m tests.tools.refresh [notebooks/01_hello_shiny_sun.ipynb …]

If a cell fails, its notebook stays unchanged. A picture stays if no difference can be seen, and
that of a cell tagged "timing" if the words beside it are the same; to have it drawn again, clear
it.
"""

import base64
import io
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nbformat
import numpy as np
from PIL import Image

from helpers.classroom.pages import VIEW
from helpers.classroom.series import has_tag, notebooks, read
from helpers.classroom.site import execute

PNG = "image/png"
# Without the version of Python, so that a refresh with another version changes nothing.
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "pygments_lexer": "ipython3",
    },
}
# What people write into the metadata of a cell, and of a notebook; all else comes from tools.
KEPT, COURSE = ("tags", "jupyter", "name"), "course"


def run(path: Path) -> str:
    """Execute one notebook in place; return the message of a failing cell, or ""."""
    before = read(path)
    try:
        notebook = execute(path, widgets=False)
    except RuntimeError as error:
        return str(error)
    keep_pictures(before, notebook)
    nbformat.write(tidy(notebook), path)
    return ""


def keep_pictures(before: nbformat.NotebookNode, after: nbformat.NotebookNode) -> None:
    """Restore pictures that show the same: times vary by run, last digits by machine."""
    for old, new in zip(before.cells, after.cells):
        for was, output in zip(old.get("outputs", []), new.get("outputs", [])):
            was, now = was.get("data", {}), output.get("data", {})
            if PNG not in was or PNG not in now or was.get("text/plain") != now.get("text/plain"):
                continue
            if has_tag(new, "timing") or look_alike(was[PNG], now[PNG]):
                now[PNG] = was[PNG]


def look_alike(one: str, other: str) -> bool:
    """Whether no pixel of two pictures differs by more than 2 out of 255."""
    decoded = [Image.open(io.BytesIO(base64.b64decode(png))) for png in (one, other)]
    a, b = (np.asarray(picture.convert("RGBA"), int) for picture in decoded)
    return a.shape == b.shape and abs(a - b).max() <= 2


def tidy(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook in the form that we commit, independent of who ran it and when."""
    course = {COURSE: notebook.metadata[COURSE]} if COURSE in notebook.metadata else {}
    notebook.metadata = nbformat.from_dict(METADATA | course)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({k: v for k, v in cell.metadata.items() if k in KEPT})
        cell.source = cell.source.rstrip()
        if cell.cell_type == "code":
            cell.source = "\n".join(line.rstrip() for line in cell.source.split("\n"))
            for output in cell.outputs:
                # The state of a widget is lost with its kernel, so its picture is shown instead.
                output.get("data", {}).pop(VIEW, None)
    return notebook


def main(names: list[str]) -> int:
    """Refresh these notebooks, or all, two at a time; return how many failed."""
    paths = [Path(name).resolve() for name in names] or notebooks()
    if missing := [str(path) for path in paths if not path.is_file()]:
        sys.exit(f"No such notebook: {', '.join(missing)}")
    with ProcessPoolExecutor(2) as pool:
        failed = [*filter(None, pool.map(run, paths))]
    print(*failed, sep="\n\n")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
