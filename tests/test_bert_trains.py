"""What notebook 13 says of trained readers, over seeds: its own cells, run with other draws."""

import re
from pathlib import Path

import nbformat
import pytest

NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "13_bert.ipynb"
SKIPPED = ("Explorer(", "plots.lines(", "plots.bars(")  # what is drawn after the assertions


def cells(first, last):
    """The code from the cell that has `first` in it to the one that has `last`, without checks."""
    sources = [cell.source for cell in nbformat.read(NOTEBOOK, 4).cells if cell.cell_type == "code"]
    start = next(i for i, source in enumerate(sources) if first in source)
    end = next(i for i, source in enumerate(sources) if last in source)
    return [source for source in sources[start : end + 1] if not source.startswith("checks.")]


def run(sources, seed):
    scope = {}
    for source in sources:
        source = re.sub(r"manual_seed\((\w+)\)", rf"manual_seed(\1 + {10 * seed})", source)
        source = re.sub(r"seed=(\d+)", rf"seed=\1 + {100_000 * seed}", source)
        for call in SKIPPED:
            source = source.split(f"\n{call}")[0]
        exec(source, scope)  # the assertions are in the cells
    return scope


@pytest.mark.weekly
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_both_sides_and_the_three_ways_to_hide_words(seed):
    scope = run(cells("import copy", "caught(model, spoiled)"), seed)
    assert scope["found"]["both sides"] < scope["found"]["left side"]


@pytest.mark.weekly
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_pairs_and_few_labels(seed):
    sources = cells("import copy", "starts = {")
    # Trained on the reviews alone: the readers of Ana's sentences are not needed here.
    kept = [source for source in sources if not re.search(r"train\(readers|readers\[|caught\(", source)]
    kept += [source for source in sources if "by_chance(ids" in source and source not in kept]
    scope = run(sorted(kept, key=sources.index), seed)
    assert scope["mean"]["pretrained"].min() > 0.55
