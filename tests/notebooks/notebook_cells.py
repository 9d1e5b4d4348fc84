"""The code cells of a notebook, what they printed, and the names that some of them define."""

from pathlib import Path

import nbformat

FOLDER = Path(__file__).resolve().parent.parent.parent / "notebooks"


def code_cells(name):
    """The code cells of the notebook whose file name begins with `name`, such as "09"."""
    (path,) = FOLDER.glob(f"{name}_*.ipynb")
    return [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]


def printed(name):
    """All text in the outputs of a notebook's cells."""
    outputs = [output for cell in code_cells(name) for output in cell.outputs]
    return "\n".join(o.get("text", "") + o.get("data", {}).get("text/plain", "") for o in outputs)


def cell_with(name, text):
    """The source of the only cell that contains this text."""
    (source,) = [cell.source for cell in code_cells(name) if text in cell.source]
    return source


def tagged(name, tag):
    """The sources of the cells with this tag."""
    return [c.source for c in code_cells(name) if tag in c.metadata.get("tags", [])]


def run(sources, **scope):
    """Run these cells one after the other, and return the names that they define."""
    for source in sources:
        exec(compile(source, "notebook", "exec"), scope)
    return scope
