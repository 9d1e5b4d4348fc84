"""Copies the notebooks to where a learner works on them: `make lab`, or

    python tests/working_copy.py [FOLDER]

Git ignores my_notebooks: a pull never meets a learner's answers. A page that is already there is never
overwritten; that a newer one came with a pull is told.
"""

import argparse
import hashlib
import json
from pathlib import Path

import nbformat
from ipykernel.ipkernel import IPythonKernel
from nbformat.sign import NotebookNotary
from student import NOTEBOOKS, write_copies

FOLDER = NOTEBOOKS.parent / "my_notebooks"
MARK = "copy_of"  # in the metadata of a copy: which version of the page it was made from


def version(notebook):
    """A page's version: it changes with what the page says or asks, not with its outputs."""
    text = "\n".join(cell.source for cell in notebook.cells)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def as_learners_copy(notebook):
    """The same notebook, with its version, and with what JupyterLab would add as soon as it opens it."""
    notebook.metadata[MARK] = version(notebook)
    notebook.metadata["language_info"] = IPythonKernel.language_info
    return notebook


def copy_new(folder, originals=NOTEBOOKS):
    """Copy what `folder` has not got; return (written, older than the original), lists of paths."""
    written, left = write_copies(folder, originals, as_learners_copy)
    for copy in written:  # trusted, as what one ran: or Explorers would not move the next day
        NotebookNotary().sign(nbformat.read(copy, 4))
    return written, [copy for copy in left if is_older(copy, Path(originals) / copy.name)]


def is_older(copy, original):
    """Whether a copy was made from another version of the page."""
    try:
        mark = json.loads(copy.read_text(encoding="utf-8"))["metadata"][MARK]
    except (OSError, ValueError, KeyError, TypeError):
        return False  # a file of the learner's own
    return mark != version(nbformat.read(original, 4))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    folder = parser.parse_args().folder
    written, older = copy_new(folder)
    print(f"Your notebooks are in {folder.name}; git leaves them alone.")
    print("For a fresh page, rename yours or delete it, and start again.")
    for path in written:
        print(f"new here         {folder.name}/{path.name}")
    for path in older:
        print(f"newer page came  {folder.name}/{path.name} is yours, and stays as it is")


if __name__ == "__main__":
    main()
