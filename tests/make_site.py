"""Makes a web page of every notebook, whose sliders move with no kernel: `make site`, or

    python tests/make_site.py FOLDER [notebooks/01_hello_shiny_sun.ipynb ...] [--binder LINK]

The scripts of the pages lie beside them, so that FOLDER needs no network: it can be copied, and
opened from a disk. Where npm cannot fetch them, the pages load them from a public host instead.

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

import keep_runs
import nbformat
import npm_packages
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbconvert.filters import strip_ansi
from site_html import PageExporter

ROOT = Path(__file__).resolve().parent.parent
TITLE = "How attention works"
TEMPLATES = Path(__file__).resolve().parent / "site"
VIEW = "application/vnd.jupyter.widget-view+json"

# Where a page finds its scripts, and the package of any other widget.
BESIDE = {"loader": "scripts/require.js", "widgets": "scripts/embed-amd.js", "others": "scripts/"}
PUBLIC = {
    "loader": npm_packages.SCRIPTS["require.js"].address,
    "widgets": npm_packages.SCRIPTS["embed-amd.js"].address,
    "others": npm_packages.HOST,
    "public": True,
}

BINDER = re.compile(r"(https://[^/]+/v2/gh/([^/]+/[^/]+)/.*/)[^/]+\.ipynb")


def make_site(folder: Path, notebooks: list[Path], binder: str = "", kept=False) -> list[Path]:
    """Write a page for each notebook, index.html and their scripts into `folder`; return the paths.

    binder    the link that `make binder-link` prints, for the line on where the code runs
    kept      whether a run that nbval has kept will do, if nothing has changed since

    Raises RuntimeError with the cell's message if one fails, and ValueError for a formula that makes
    no MathML or a script that is not the one that is pinned; the folder is then as it was.
    """
    shared = {"run": where_to_run(binder)}
    with ProcessPoolExecutor(2) as pool:
        executed = pool.map(kept_or_executed if kept else execute, notebooks)
        scripts = scripts_beside()  # fetched meanwhile
        books = dict(zip(notebooks, executed))
    shared["scripts"] = BESIDE if scripts else PUBLIC
    pages = {f"{path.stem}.html": page_of(path, book, shared) for path, book in books.items()}
    pages["index.html"] = map_of(books, shared)
    write(folder, scripts | {name: page.encode() for name, page in pages.items()})
    return [folder / name for name in [*scripts, *pages]]


def scripts_beside() -> dict[str, bytes]:
    """The scripts, by their paths; none, and a line that says why, if they cannot be had."""
    try:
        return {f"scripts/{name}": text for name, text in npm_packages.scripts().items()}
    except npm_packages.OutOfReach as reason:
        print(
            f"No scripts beside the pages: {reason}.\n"
            f"Whoever opens a page needs a network that reaches {npm_packages.HOST}",
            flush=True,
        )
        return {}


def write(folder: Path, files: dict[str, bytes]) -> None:
    """Write all files, or none."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as unfinished:
        for part in [Path(unfinished), folder]:
            for name in files:
                (part / name).parent.mkdir(exist_ok=True)
        for name, content in files.items():
            (Path(unfinished) / name).write_bytes(content)
        for name in files:
            os.replace(Path(unfinished) / name, folder / name)


def where_to_run(binder: str) -> dict[str, str]:
    """The addresses of the repository and of its notebooks on Binder; none for no link."""
    if not binder:
        return {}
    found = BINDER.fullmatch(binder)
    if not found:
        raise ValueError(f"{binder!r} is not a link as `make binder-link` prints it.")
    return {"binder": found[1], "repository": f"https://github.com/{found[2]}"}


def kept_or_executed(path: Path) -> nbformat.NotebookNode:
    return keep_runs.kept(path) or execute(path)


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


def page_of(path: Path, notebook: nbformat.NotebookNode, shared: dict) -> str:
    """One notebook as HTML; `shared` is what all pages know: "run" and "scripts"."""
    notebook.metadata["title"] = f"{introduction(notebook)['title']} · {TITLE}"
    return export("page", notebook, shared | {"metadata": {"name": path.stem}})


def map_of(books: dict[Path, nbformat.NotebookNode], shared: dict) -> str:
    """The first page as HTML: the first slider of the series, and every notebook's question."""
    pages = [introduction(book) | {"name": path.stem} for path, book in books.items()]
    sliders = ((book, cell) for book in books.values() for cell in book.cells if has_slider(cell))
    book, cell = next(sliders, (nbformat.v4.new_notebook(), None))
    first = nbformat.v4.new_notebook(cells=[cell] if cell else [], metadata=book.metadata)
    first.metadata["title"] = TITLE
    known = shared | {"pages": pages}
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
    exporter = PageExporter(
        template_file=f"{template}.html.j2",
        extra_template_paths=[str(TEMPLATES)],
        exclude_anchor_links=True,
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
    parser.add_argument("--kept", action="store_true", help="take what nbval ran just now")
    given = parser.parse_args()
    notebooks = given.notebooks or sorted((ROOT / "notebooks").glob("*.ipynb"))
    try:
        paths = [path.resolve() for path in notebooks]
        written = make_site(given.folder, paths, given.binder, given.kept)
    except (RuntimeError, ValueError, OSError) as error:
        sys.exit(f"No site was made.\n{error}")
    size = sum(file.stat().st_size for file in written) / 1e6
    pages = sum(file.suffix == ".html" for file in written)
    print(f"{pages} pages, {size:.1f} MB in all; the first is {written[-1]}")


if __name__ == "__main__":
    main()
