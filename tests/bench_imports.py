"""How long helpers takes to import, over what it stands on: torch, numpy, matplotlib and widgets.

A fresh process each time, with those already imported. The bar is a quarter of a second: nobody
notices that beside the two seconds that torch and matplotlib take themselves.
"""

import subprocess
import sys
from pathlib import Path

from bench_table import timed

MODULES = ("helpers.models.attention", "helpers.checks", "helpers.explorer")
TIMES, BAR = 3, 250  # fresh processes for each module; ms
NEEDS = "torch, numpy, matplotlib.pyplot, ipywidgets, anywidget"
SOURCE = f"""
import time, {NEEDS}
start = time.perf_counter()
import {{module}}
print(time.perf_counter() - start)
"""


def milliseconds(module):
    """What one fresh process takes to import this module."""
    done = subprocess.run(
        [sys.executable, "-c", SOURCE.format(module=module)],
        cwd=Path(__file__).parent.parent,
        check=True,
        capture_output=True,
        text=True,
    )
    return 1000 * float(done.stdout)


def rows():
    """The table, row by row, as it is measured."""
    for module in MODULES:
        ms = [milliseconds(module) for _ in range(TIMES + 1)][1:]  # the first one may compile it
        yield timed(f"import {module}, over its needs", "", ms, BAR)
