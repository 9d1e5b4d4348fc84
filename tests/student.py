"""Writes a folder for a class: notebooks without solutions and outputs, and all that they need.

    python tests/student.py FOLDER [--solutions ANOTHER]

FOLDER stands alone: a README, the notebooks, what to install. Cells tagged "solution" are left out,
the outputs of all others are cleared; ANOTHER gets the notebooks as they are, for you. The
originals are only read. A file that is already there is never overwritten: it may be a learner's.
"""

import argparse
import sys
from pathlib import Path

import nbformat
import series_map
from templating import filled

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
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
    paths = sorted(Path(originals).glob("*.ipynb"))
    books = {path: change(nbformat.read(path, 4)) for path in paths}
    return put({folder / p.name: nbformat.writes(book).encode() for p, book in books.items()})


def write_class(folder, solutions=None):
    """Write a folder that stands alone, and the solutions into another one, if it is named.

    Returns (written, left alone): two lists of paths. A file of ours that is already there, as we
    would write it, is in neither. Raises ValueError where learners would get the solutions.
    """
    folder = Path(folder).expanduser().resolve()
    solved = Path(solutions).expanduser().resolve() if solutions else None
    if solved and solved.is_relative_to(folder):
        raise ValueError(f"{solved} lies in the folder of the class; choose another for solutions.")
    for target in filter(None, (folder, solved)):
        if target == ROOT or target in (ROOT / "notebooks", ROOT / "tests", ROOT / "helpers"):
            raise ValueError(f"{target} holds the originals; choose another folder.")
    written, left = write_copies(folder / "notebooks")
    files = {folder / path.relative_to(ROOT): path.read_bytes() for path in needed()}
    files[folder / "README.md"] = readme().encode()
    if solved:
        files |= {solved / path.name: path.read_bytes() for path in series_map.notebooks()}
    more, kept = put(files)
    return written + more, left + [path for path in kept if path.read_bytes() != files[path]]


def needed():
    """The files that notebooks need beside them: what to install, and the helpers."""
    yield from (ROOT / "requirements.txt", ROOT / "pyproject.toml")
    for path in sorted((ROOT / "helpers").rglob("*")):
        if path.is_file() and not any(p.startswith((".", "__pycache__")) for p in path.parts[-2:]):
            yield path


def readme():
    """What a learner reads first in the folder of the class."""
    books = [
        {
            "number": int(path.stem[:2]),
            "title": series_map.title(notebook),
            "name": path.name,
            "minutes": series_map.minutes(notebook),
        }
        for path in series_map.notebooks()
        for notebook in [nbformat.read(path, 4)]
    ]
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").split("\n")
    torch = next(line for line in lines if line.startswith("torch=="))
    return filled("class_readme.md.j2", notebooks=books, torch=torch)


def put(files):
    """Write {path: bytes}, none over a file that is there; return (written, left alone)."""
    written, left = [], []
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(path, "xb") as file:
                file.write(content)
            written.append(path)
        except FileExistsError:
            left.append(path)
    return written, left


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="where the copies go")
    parser.add_argument("--solutions", metavar="ANOTHER", help="where copies with solutions go")
    given = parser.parse_args()
    try:
        written, left = write_class(given.folder, given.solutions)
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    for path in written:
        if path.suffix == ".ipynb" or path.name == "README.md":
            print(f"written     {path}")
    print(f"and what they need: {len(written)} files in all")
    for path in left:
        print(f"left alone  {path} (already there; move it away to get a new one)")


if __name__ == "__main__":
    main()
