"""The time to import helpers, relative to what it builds on: torch, numpy, matplotlib, widgets."""

import subprocess
import sys

from tests.bench.turns import median_ratio, timed

NEEDS = "import torch, numpy, matplotlib.pyplot, ipywidgets, anywidget"
MODULES = {"helpers.models.attention": 1.1, "helpers.checks": 1.25, "helpers.explorer": 1.1}


def ratios():
    """(what, ratio, bar) for each module."""
    alone = importing(NEEDS)
    for module, bar in MODULES.items():
        ours = importing(f"{NEEDS}; import {module}")
        yield f"import {module} and its needs / its needs", median_ratio(ours, alone, 3), bar


def importing(source):
    """The seconds that this import takes in a new process."""
    return timed(lambda: subprocess.run([sys.executable, "-c", source], check=True))
