"""How long each notebook takes from a fresh kernel, and the most memory its kernel ever held."""

import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
SECONDS, MEGABYTES = 15, 600  # the bars; mybinder.org has 2 GB for all that a learner has open
PEAK = "[line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')][0]"


def measure(path):
    """(seconds, peak MB) of one notebook."""
    book = nbformat.read(path, 4)
    book.cells.append(nbformat.v4.new_code_cell(PEAK))
    start = time.perf_counter()
    NotebookClient(
        book, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(NOTEBOOKS)}}
    ).execute()
    took = time.perf_counter() - start
    kilobytes = book.cells[-1].outputs[0]["data"]["text/plain"]
    return took, int(kilobytes.strip("'")) / 1024


def main():
    """Print the table; return its rows."""
    rows = []
    print(f"{'notebook':<28}{'seconds':>9}{'peak MB':>9}")
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        seconds, peak = measure(path)
        verdict = "✓" if seconds <= SECONDS and peak <= MEGABYTES else "✗"
        print(
            f"{path.stem:<28}{seconds:>9.1f}{peak:>9.0f}  ≤ {SECONDS} s, {MEGABYTES} MB {verdict}"
        )
        rows.append({"notebook": path.stem, "seconds": seconds, "peak_mb": peak})
    return rows


if __name__ == "__main__":
    main()
