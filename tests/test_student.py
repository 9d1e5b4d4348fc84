"""`make student`: copies without solutions and outputs, originals untouched, nothing overwritten."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from student import NOTEBOOKS, write_copies


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
