"""How long helpers takes to import, over what it stands on: torch, numpy, matplotlib and widgets."""

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
    """The seconds that a fresh process takes."""
    return timed(lambda: subprocess.run([sys.executable, "-c", source], check=True))
