"""Writes a copy of the notebooks for a class: no solutions, no outputs.

    python tests/student.py FOLDER

Cells tagged "solution" are left out, the outputs of all others are cleared. The originals are only
read. A file that is already there is never overwritten: it may be a learner's.
"""

import argparse
import sys
from pathlib import Path

import nbformat

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
POINTER = "The solution is folded"  # the line that leads to a solution goes with it


def without_solutions(notebook):
    """The same notebook for a learner: no cells tagged "solution", no outputs, no counts."""
    notebook.cells = [c for c in notebook.cells if "solution" not in c.metadata.get("tags", [])]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        else:
            lines = cell.source.split("\n")
            cell.source = "\n".join(x for x in lines if not x.startswith(POINTER)).rstrip()
    return notebook


def write_copies(folder, originals=NOTEBOOKS, change=without_solutions):
    """Copy every notebook into `folder`; return (written, left alone), two lists of paths.

    change    what is done to each copy: a function of a notebook that returns one
    """
    folder = Path(folder).expanduser().resolve()
    if folder == Path(originals).resolve():
        raise ValueError(f"{folder} holds the originals; choose another folder.")
    folder.mkdir(parents=True, exist_ok=True)
    written, left = [], []
    for path in sorted(Path(originals).glob("*.ipynb")):
        copy = folder / path.name
        if copy.exists():
            left.append(copy)
            continue
        text = nbformat.writes(change(nbformat.read(path, 4)))
        with open(copy, "x", encoding="utf-8") as file:  # "x": never over a file that just appeared
            file.write(text)
        written.append(copy)
    return written, left


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="where the copies go")
    try:
        written, left = write_copies(parser.parse_args().folder)
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    for path in written:
        print(f"written     {path}")
    for path in left:
        print(f"left alone  {path} (already there; move it away to get a new one)")


if __name__ == "__main__":
    main()
