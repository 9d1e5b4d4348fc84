"""`make student`: copies without solutions and outputs, originals untouched, nothing overwritten."""

import os
import re
import subprocess
import sys

import house_rules
import nbformat
import pytest
import series_map
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from student import NOTEBOOKS, ROOT, write_class, write_copies


@pytest.fixture
def originals(tmp_path):
    """A folder with one small notebook: a stub, its check, and the solution."""
    ran = [new_output("stream", text="not attempted yet")]
    solved = new_code_cell("# Solution", metadata={"tags": ["solution"]}, outputs=ran)
    cells = [
        new_markdown_cell("# Title\n\nThe solution is folded below."),
        new_code_cell("check(f)", outputs=ran, execution_count=1),
        solved,
    ]
    folder = tmp_path / "originals"
    folder.mkdir()
    nbformat.write(new_notebook(cells=cells), folder / "01_x.ipynb")
    return folder


def test_solutions_and_outputs_are_gone_and_the_rest_is_there(originals, tmp_path):
    before = (originals / "01_x.ipynb").read_bytes()
    written, left = write_copies(tmp_path / "class" / "A", originals)
    copy = nbformat.read(written[0], 4)
    assert [c.source for c in copy.cells] == ["# Title", "check(f)"]
    assert (copy.cells[1].outputs, copy.cells[1].execution_count, left) == ([], None, [])
    assert (originals / "01_x.ipynb").read_bytes() == before


def test_a_learners_file_is_never_overwritten(originals, tmp_path):
    (tmp_path / "01_x.ipynb").write_text("mine")
    written, left = write_copies(tmp_path, originals)
    assert (written, left) == ([], [tmp_path / "01_x.ipynb"])
    assert (tmp_path / "01_x.ipynb").read_text() == "mine"


def test_the_originals_are_no_target(originals):
    with pytest.raises(ValueError, match="holds the originals"):
        write_copies(originals, originals)


def test_the_real_notebooks_hold_no_solution_afterwards(tmp_path):
    written, _ = write_copies(tmp_path)
    assert len(written) == len(list(NOTEBOOKS.glob("*.ipynb")))
    for path in written:
        text = "\n".join(cell.source for cell in nbformat.read(path, 4).cells)
        assert "# Solution" not in text and "solution is folded" not in text


# ---------------------------------------------------------------- the folder of a class


@pytest.fixture(scope="module")
def class_folder(tmp_path_factory):
    """(folder of the class, folder of the solutions), both written once."""
    base = tmp_path_factory.mktemp("a class")
    write_class(base / "class", base / "solutions")
    return base / "class", base / "solutions"


def test_the_folder_of_a_class_has_all_that_its_notebooks_need(class_folder):
    folder, _ = class_folder
    top = {path.name for path in folder.iterdir()}
    assert top == {"README.md", "requirements.txt", "pyproject.toml", "helpers", "notebooks"}
    listed = ["git", "ls-files", "helpers"]
    ours = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    there = {p.relative_to(folder).as_posix() for p in folder.glob("helpers/**/*") if p.is_file()}
    assert there >= set(ours.split()) and not any("__pycache__" in name for name in there)
    from_there = "import helpers, pathlib; print(pathlib.Path(helpers.__file__).parents[1])"
    command = [sys.executable, "-P", "-c", from_there]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=folder)
    assert done.stdout.strip() == str(folder), done.stderr


def test_the_readme_of_a_class_is_true(class_folder):
    folder, _ = class_folder
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert list(house_rules.dead_links(text, folder / "README.md")) == []
    assert list(series_map.gaps(folder / "README.md", series_map.notebooks(), text)) == []
    assert "make " not in text  # it has no Makefile
    pins = [line for line in (folder / "requirements.txt").open() if line.startswith("torch==")]
    assert f"--no-deps {pins[0].strip()} --index-url" in text


def test_no_notebook_of_a_class_speaks_of_outputs_as_if_they_were_there(class_folder):
    folder, _ = class_folder
    for path in (folder / "notebooks").glob("*.ipynb"):
        notebook = nbformat.read(path, 4)
        assert not any(cell.get("outputs") for cell in notebook.cells)
        text = house_rules.markdown(notebook)
        assert not re.search(r"^\W*(The|These) outputs\b", text, re.MULTILINE)


def test_solutions_lie_in_a_folder_of_their_own(class_folder):
    _, solutions = class_folder
    for path in NOTEBOOKS.glob("*.ipynb"):
        assert (solutions / path.name).read_bytes() == path.read_bytes()


def test_a_folder_of_a_class_is_never_overwritten(class_folder, tmp_path):
    folder, _ = class_folder
    mine = folder / "notebooks" / "01_hello_shiny_sun.ipynb"
    kept, mine_too = mine.read_bytes(), folder / "requirements.txt"
    mine.write_text("mine")
    mine_too.write_text("mine, too")
    written, left = write_class(folder)
    assert written == [] and {mine, mine_too} <= set(left)
    assert folder / "pyproject.toml" not in left  # as we would write it: no news
    assert (mine.read_text(), mine_too.read_text()) == ("mine", "mine, too")
    mine.write_bytes(kept)


@pytest.mark.parametrize("solutions", ["class", "class/solutions", "class/notebooks"])
def test_solutions_never_lie_where_learners_get_them(tmp_path, solutions):
    with pytest.raises(ValueError, match="lies in the folder of the class"):
        write_class(tmp_path / "class", tmp_path / solutions)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "notebooks", "helpers"])
def test_the_repository_is_no_folder_for_a_class(name):
    with pytest.raises(ValueError, match="holds the originals"):
        write_class(ROOT / name)
