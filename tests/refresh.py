"""Runs notebooks from top to bottom and keeps their outputs: `make refresh`, or

    python tests/refresh.py [--tidy] [notebooks/01_hello_shiny_sun.ipynb ...]

A notebook in which a cell fails is left as it was. With --tidy nothing is run: only what stands
around code and outputs is put in order.
"""

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from slides import slide_types

ROOT = Path(__file__).resolve().parent.parent
WIDGET = "application/vnd.jupyter.widget-view+json"
# Without the version of Python, so that refreshing on another one changes nothing.
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "pygments_lexer": "ipython3",
    },
}
# What a person put into a cell's metadata; the rest is left by tools.
KEPT = ("tags", "jupyter")


def run(path: Path) -> str:
    """Execute one notebook in place; in words, how that went, starting with "failed" if it did."""
    notebook = nbformat.read(path, as_version=4)
    start = time.perf_counter()
    client = NotebookClient(
        notebook,
        kernel_name="python3",  # that of the Python this runs in
        timeout=300,
        store_widget_state=False,
        extra_arguments=["--log-level=ERROR"],
        coalesce_streams=True,  # what a cell prints is one output, however long it takes
        resources={"metadata": {"path": path.parent}},
    )
    try:
        client.execute()
    except CellExecutionError as error:
        return f"failed: {path.name}\n{error}"
    nbformat.write(tidy(notebook), path)
    return f"{path.name}: {time.perf_counter() - start:.1f} s"


def only_tidy(path: Path) -> str:
    """Put one notebook in order without running it; in words, that it was done."""
    nbformat.write(tidy(nbformat.read(path, as_version=4)), path)
    return f"{path.name}: in order"


def tidy(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook, changed to what we commit: nothing that depends on who ran it, and when."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({k: v for k, v in cell.metadata.items() if k in KEPT})
        cell.source = cell.source.rstrip()
        if cell.cell_type == "code":
            cell.source = "\n".join(line.rstrip() for line in cell.source.split("\n"))
            for output in cell.outputs:
                # The state of a widget is gone with its kernel: its picture shows in its place.
                output.get("data", {}).pop(WIDGET, None)
    for cell, slide_type in zip(notebook.cells, slide_types(notebook.cells)):
        if slide_type:
            cell.metadata["slideshow"] = nbformat.from_dict({"slide_type": slide_type})
    return notebook


def main(arguments: list[str]) -> int:
    """Refresh the notebooks named, or all, two at a time; how many failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NOTEBOOK", help="all, if you name none")
    parser.add_argument("--tidy", action="store_true", help="run nothing")
    given = parser.parse_args(arguments)
    paths = [Path(name).resolve() for name in given.names] or sorted(
        (ROOT / "notebooks").glob("*.ipynb")
    )
    missing = [str(path) for path in paths if not path.is_file()]
    if missing or not paths:
        sys.exit(f"No such notebook: {', '.join(missing) or ROOT / 'notebooks'}")
    failed = 0
    with ProcessPoolExecutor(2) as pool:
        for report in pool.map(only_tidy if given.tidy else run, paths):
            print(report, flush=True)
            failed += report.startswith("failed")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
