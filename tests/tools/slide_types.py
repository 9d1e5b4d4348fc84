"""Assigns each cell to a slide, for a notebook shown as a lecture (jupyter nbconvert --to slides).

Nobody maintains this by hand: refresh.py writes it into the cells, according to their content. The
speaker opens the notes with the key S, if reveal.js lies beside the slides (reveal_url_prefix).
"""

import re

HEADING = re.compile(r"^(#{1,6}) ", re.MULTILINE)
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def slide_types(cells) -> list[str]:
    """For each cell, one of Jupyter's slide types, or "" if it stays on the slide before it.

    slide      begins a slide to the right: a title, or a heading of the second level
    subslide   begins a slide below: a smaller heading, or text that introduces code
    fragment   appears with the next click: the result of a prediction, text about what was seen
    notes      for the speaker only: hints and answers
    skip       is not shown: solutions, checks, and text that introduces a check
    """
    return [_slide_type(cell, *_around(cells, i)) for i, cell in enumerate(cells)]


def _around(cells, i):
    """The cells before and after this one; None if there is none."""
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
