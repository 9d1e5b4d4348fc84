"""How long each notebook takes from a fresh kernel, what its kernel held at most, how large it is saved."""

import time
from pathlib import Path

import nbformat
from bench_table import single
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
SAVED = 3000  # kB, the bar
SECONDS, MEGABYTES = 15, 600  # the bars; mybinder.org has 2 GB for all that a learner has open
PEAK = "[line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')][0]"


def measure(path):
    """(seconds, peak MB, kB of the file with all its widgets in it) of one notebook."""
    book = nbformat.read(path, 4)
    book.cells.append(nbformat.v4.new_code_cell(PEAK))
    start = time.perf_counter()
    NotebookClient(
        book,
        timeout=120,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],  # ipykernel warns that it talks over TCP
        resources={"metadata": {"path": str(NOTEBOOKS)}},
    ).execute()
    took = time.perf_counter() - start
    kilobytes = book.cells[-1].outputs[0]["data"]["text/plain"]
    return took, int(kilobytes.strip("'")) / 1024, len(nbformat.writes(book).encode()) / 1000


def rows():
    """The table, row by row, as it is measured."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        seconds, peak, saved = measure(path)
        yield single(f"notebook {path.stem}: all cells", "", seconds, "s", SECONDS)
        yield single(f"notebook {path.stem}: peak memory", "", peak, "MB", MEGABYTES)
        yield single(f"notebook {path.stem}: saved, alive", "", saved, "kB", SAVED)
