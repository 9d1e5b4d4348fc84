"""Which slide each cell is on, when a notebook is shown as a lecture (jupyter nbconvert --to slides).

Nobody keeps this by hand: refresh.py writes it into the cells, by what stands in them. The speaker
sees the notes with the key S, where reveal.js lies beside the slides (reveal_url_prefix).
"""

import re

HEADING = re.compile(r"^(#{1,6}) ", re.MULTILINE)
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def slide_types(cells) -> list[str]:
    """For each cell, a slide_type of Jupyter's, or "" for a cell that stays on the slide before it.

    slide      begins a slide to the right: a title, or a heading of the second level
    subslide   begins a slide below: a smaller heading, or prose that leads to code
    fragment   comes with the next click: what a prediction was asked for, prose on what was seen
    notes      for the speaker alone: hints and answers
    skip       is not shown: solutions, checks, and words that lead to a check
    """
    return [_slide_type(cell, *_around(cells, i)) for i, cell in enumerate(cells)]


def _around(cells, i):
    """The cells before and after one, None where there is none."""
    return (cells[i - 1] if i else None, cells[i + 1] if i + 1 < len(cells) else None)


def _slide_type(cell, before, after):
    if cell.cell_type != "markdown":
        if _solution(cell) or _checks(cell):
            return "skip"
        return "fragment" if before and _asks(before) else ""
    if cell.source.startswith("<details>"):
        return "notes"
    levels = [len(found[1]) for found in HEADING.finditer(CODE.sub("", cell.source))]
    if levels:
        return "slide" if min(levels) <= 2 else "subslide"
    if after and _checks(after) and not _solution(after) and not _asks(cell):
        return "skip"
    return (
        "subslide" if after and after.cell_type == "code" and not _solution(after) else "fragment"
    )


def _solution(cell) -> bool:
    return "solution" in cell.metadata.get("tags", [])


def _checks(cell) -> bool:
    return cell.cell_type == "code" and cell.source.startswith("checks.")


def _asks(cell) -> bool:
    return cell.cell_type == "markdown" and "**Predict" in cell.source
