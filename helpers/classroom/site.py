"""Makes a web page of every notebook, whose sliders move with no kernel: `make site`, or

    python -m helpers.classroom.site FOLDER [notebooks/01_hello_shiny_sun.ipynb …] [--binder LINK]

The scripts of the pages lie beside them, so that FOLDER needs no network: it can be copied, and
opened from a disk. Where npm cannot fetch them, the pages load them from a public host instead.

The notebooks are executed afresh, two at a time. Nothing is written until all of them are done: a
cell that fails leaves FOLDER as it was.
"""

import argparse
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbconvert.filters import strip_ansi

from . import scripts, series
from .page_html import SITE_TITLE, export

VIEW = "application/vnd.jupyter.widget-view+json"
# Where a page finds its scripts, and the package of any other widget.
BESIDE = {"loader": "scripts/require.js", "widgets": "scripts/embed-amd.js", "others": "scripts/"}
PUBLIC = {
    "loader": scripts.public_address("require.js"),
    "widgets": scripts.public_address("embed-amd.js"),
    "others": scripts.HOST,
    "public": True,
}
BINDER = re.compile(r"(https://[^/]+/v2/gh/([^/]+/[^/]+)/.*/)[^/]+\.ipynb")


def make_site(folder: Path, books: dict[Path, nbformat.NotebookNode], binder="") -> list[Path]:
    """Write a page for each notebook, index.html and their scripts into `folder`; return the paths.

    books     the notebooks by their paths, run, with the state of their widgets
    binder    the link that `make binder-link` prints, for the line on where the code runs

    Raises ValueError for a formula that makes no MathML or a script that is not the one that is
    pinned; nothing is written then.
    """
    files = scripts_beside()
    shared = {"run": where_to_run(binder), "scripts": BESIDE if files else PUBLIC}
    pages = {f"{path.stem}.html": page_of(path, book, shared) for path, book in books.items()}
    pages["index.html"] = map_of(books, shared)
    files |= {name: page.encode() for name, page in pages.items()}
    write(folder, files)
    return [folder / name for name in files]


def scripts_beside() -> dict[str, bytes]:
    """The scripts, by their paths; none, and a line that says why, if they cannot be had."""
    try:
        return {f"scripts/{name}": text for name, text in scripts.scripts().items()}
    except scripts.OutOfReach as reason:
        print(f"No scripts beside the pages: {reason}")
        print(f"Whoever opens a page needs a network that reaches {scripts.HOST}", flush=True)
        return {}


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def where_to_run(binder: str) -> dict[str, str]:
    """The addresses of the repository and of its notebooks on Binder; none for no link."""
    if not binder:
        return {}
    found = BINDER.fullmatch(binder)
    if not found:
        raise ValueError(f"{binder!r} is not a link as `make binder-link` prints it.")
    return {"binder": found[1], "repository": f"https://github.com/{found[2]}"}


def execute(path: Path, widgets: bool = True) -> nbformat.NotebookNode:
    """The notebook, run from top to bottom; RuntimeError with the message of a cell that fails."""
    notebook, start = series.read(path), time.monotonic()
    client = NotebookClient(
        notebook,
        kernel_name="python3",  # that of the Python this runs in
        timeout=300,
        store_widget_state=widgets,
        coalesce_streams=True,  # what a cell prints is one output, however long it takes
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": path.parent}},
    )
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raise RuntimeError(strip_ansi(f"{path.name}: {error}")) from None
    print(f"{path.name}: {time.monotonic() - start:.0f} s", flush=True)
    return notebook


def page_of(path: Path, notebook: nbformat.NotebookNode, shared: dict) -> str:
    """One notebook as HTML; `shared` is what all pages know: "run" and "scripts"."""
    notebook.metadata["title"] = f"{series.about(notebook)['heading']} · {SITE_TITLE}"
    return export("page", notebook, shared | {"metadata": {"name": path.stem}})


def map_of(books: dict[Path, nbformat.NotebookNode], shared: dict) -> str:
    """The first page as HTML: the first slider of the series, and every notebook's question."""
    pages = [series.about(book) | {"name": path.stem} for path, book in books.items()]
    sliders = ((book, cell) for book in books.values() for cell in book.cells if has_slider(cell))
    book, cell = next(sliders, (nbformat.v4.new_notebook(), None))
    first = nbformat.v4.new_notebook(cells=[cell] if cell else [], metadata=book.metadata)
    first.metadata["title"] = SITE_TITLE
    known = shared | {"pages": pages}
    return export("map", first, known, exclude_input=True, exclude_output_prompt=True)


def has_slider(cell: nbformat.NotebookNode) -> bool:
    return any(VIEW in output.get("data", {}) for output in cell.get("outputs", []))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the pages go")
    parser.add_argument("notebooks", type=Path, nargs="*", help="all of them, if you name none")
    parser.add_argument("--binder", default="", metavar="LINK", help="of make binder-link")
    given = parser.parse_args()
    paths = [path.resolve() for path in given.notebooks or series.notebooks()]
    try:
        with ProcessPoolExecutor(2) as pool:
            books = dict(zip(paths, pool.map(execute, paths)))
        written = make_site(given.folder, books, given.binder)
    except (RuntimeError, ValueError, OSError) as error:
        sys.exit(f"No site was made.\n{error}")
    size = sum(file.stat().st_size for file in written) / 1e6
    pages = sum(file.suffix == ".html" for file in written)
    print(f"{pages} pages, {size:.1f} MB in all; the first is {written[-1]}")


if __name__ == "__main__":
    main()
