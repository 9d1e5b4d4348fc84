"""Makes a web page of every notebook, whose sliders move with no kernel: `make site`, or

    python tests/make_site.py FOLDER [notebooks/01_hello_shiny_sun.ipynb ...] [--binder LINK]

The notebooks are executed afresh, two at a time. Nothing is written until all of them are done: a
cell that fails leaves FOLDER as it was.
"""

import argparse
import os
import re
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbconvert import HTMLExporter
from nbconvert.filters import strip_ansi

ROOT = Path(__file__).resolve().parent.parent
TITLE = "How attention works"
TEMPLATES = Path(__file__).resolve().parent / "site"
VIEW = "application/vnd.jupyter.widget-view+json"

# Public addresses: of each one, the package of npm, its version and the file in it can be read.
NPM = "https://cdn.jsdelivr.net/npm/"
SCRIPTS = {
    "require_js_url": f"{NPM}requirejs@2.3.8/require.js",
    "widget_renderer_url": f"{NPM}@jupyter-widgets/html-manager@1.0.15/dist/embed-amd.js",
    "jupyter_widgets_base_url": NPM,  # where that one finds the package of any other widget
    # The newest that ipywidgets can stand beside: it calls MathJax.Hub.
    "mathjax_url": f"{NPM}mathjax@2.7.9/MathJax.js?config=TeX-AMS_CHTML",
}

CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
BINDER = re.compile(r"(https://[^/]+/v2/gh/([^/]+/[^/]+)/.*/)[^/]+\.ipynb")


def make_site(folder: Path, notebooks: list[Path], binder: str = "") -> list[Path]:
    """Write a page for each notebook, and index.html, into `folder`; return their paths.

    binder    the link that `make binder-link` prints, for the line on where the code runs

    Raises RuntimeError with the cell's message if one fails; the folder is then as it was.
    """
    run = where_to_run(binder)
    with ProcessPoolExecutor(2) as pool:
        books = dict(zip(notebooks, pool.map(execute, notebooks)))
    pages = {f"{path.stem}.html": page_of(path, book, run) for path, book in books.items()}
    pages["index.html"] = map_of(books, run)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as unfinished:
        for name, text in pages.items():
            (Path(unfinished) / name).write_text(text, encoding="utf-8")
        for name in pages:
            os.replace(Path(unfinished) / name, folder / name)
    return [folder / name for name in pages]


def where_to_run(binder: str) -> dict[str, str]:
    """The addresses of the repository and of its notebooks on Binder; none for no link."""
    if not binder:
        return {}
    found = BINDER.fullmatch(binder)
    if not found:
        raise ValueError(f"{binder!r} is not a link as `make binder-link` prints it.")
    return {"binder": found[1], "repository": f"https://github.com/{found[2]}"}


def execute(path: Path) -> nbformat.NotebookNode:
    """The notebook with fresh outputs, and the state of its widgets."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        kernel_name="python3",  # that of the Python this runs in
        timeout=300,
        store_widget_state=True,
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": path.parent}},
    )
    try:
        return client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raise RuntimeError(strip_ansi(f"{path.name}: {error}")) from None


def page_of(path: Path, notebook: nbformat.NotebookNode, run: dict[str, str]) -> str:
    """One notebook as HTML."""
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    notebook.metadata["title"] = f"{introduction(notebook)['title']} · {TITLE}"
    known = {"metadata": {"name": path.stem}, "has_math": "$" in CODE.sub("", prose), "run": run}
    return export("page", notebook, known)


def map_of(books: dict[Path, nbformat.NotebookNode], run: dict[str, str]) -> str:
    """The first page as HTML: the first slider of the series, and every notebook's question."""
    pages = [introduction(book) | {"name": path.stem} for path, book in books.items()]
    sliders = ((book, cell) for book in books.values() for cell in book.cells if has_slider(cell))
    book, cell = next(sliders, (nbformat.v4.new_notebook(), None))
    first = nbformat.v4.new_notebook(cells=[cell] if cell else [], metadata=book.metadata)
    first.metadata["title"] = TITLE
    known = {"pages": pages, "run": run}
    return export("map", first, known, exclude_input=True, exclude_output_prompt=True)


def has_slider(cell: nbformat.NotebookNode) -> bool:
    return any(VIEW in output.get("data", {}) for output in cell.get("outputs", []))


def introduction(notebook: nbformat.NotebookNode) -> dict[str, str]:
    """What a notebook says of itself: its title, and the question it answers."""
    title, _, rest = notebook.cells[0].source.partition("\n\n")
    question = re.sub(r"^\*\*[^*]+:\*\* *", "", rest.partition("\n\n")[0])
    return {"title": title.removeprefix("# "), "question": question[:1].upper() + question[1:]}


def export(template, notebook, resources, **settings):
    """The notebook as HTML; its links lead to pages."""
    exporter = HTMLExporter(
        template_file=f"{template}.html.j2",
        extra_template_paths=[str(TEMPLATES)],
        exclude_anchor_links=True,
        **SCRIPTS,
        **settings,
    )
    html, _ = exporter.from_notebook_node(notebook, {"site_title": TITLE} | resources)
    html = html.replace(' tabindex="0"', "")  # nbconvert makes a stop for Tab of every cell
    return re.sub(r'(href="[\w.-]+)\.ipynb(?=["#])', r"\1.html", html)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the pages go")
    parser.add_argument("notebooks", type=Path, nargs="*", help="all of them, if you name none")
    parser.add_argument(
        "--binder", default="", metavar="LINK", help="as make binder-link prints it"
    )
    given = parser.parse_args()
    notebooks = given.notebooks or sorted((ROOT / "notebooks").glob("*.ipynb"))
    try:
        written = make_site(given.folder, [path.resolve() for path in notebooks], given.binder)
    except (RuntimeError, ValueError, OSError) as error:
        sys.exit(f"No site was made.\n{error}")
    print(f"{len(written)} pages; the first is {written[-1]}")


if __name__ == "__main__":
    main()
