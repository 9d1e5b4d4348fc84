"""`make lab`: a learner works on copies that git ignores, and that nothing overwrites."""

import subprocess
from pathlib import Path

import nbformat
import pytest
from ipykernel.ipkernel import IPythonKernel
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from working_copy import FOLDER, copy_new

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def _data_of_its_own(monkeypatch, tmp_path):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))  # where signatures are kept


@pytest.fixture
def originals(tmp_path):
    """A folder with one small notebook, as it is committed."""
    (tmp_path / "originals").mkdir()
    write(tmp_path / "originals" / "01_x.ipynb", "# Title")
    return tmp_path / "originals"


def write(path, text):
    ran = [new_output("display_data", {"text/plain": "1"})]
    solution = new_code_cell("1", metadata={"tags": ["solution"]}, outputs=ran, execution_count=1)
    nbformat.write(new_notebook(cells=[new_markdown_cell(text), solution]), path)


def test_a_copy_is_the_page_with_all_its_cells_and_outputs(originals, tmp_path):
    (copied,), older = copy_new(tmp_path / "mine", originals)
    page, copy = nbformat.read(originals / "01_x.ipynb", 4), nbformat.read(copied, 4)
    assert (copy.cells, older) == (page.cells, [])


def test_a_copy_is_not_marked_as_changed_and_is_trusted_when_it_is_opened(originals, tmp_path):
    (copied,), _ = copy_new(tmp_path / "mine", originals)
    copy = nbformat.read(copied, 4)
    assert copy.metadata.language_info == IPythonKernel.language_info
    assert NotebookNotary().check_signature(copy)


def test_a_learners_page_stays_as_it_is_and_a_new_page_appears(originals, tmp_path):
    ((mine,), _) = copy_new(tmp_path / "mine", originals)
    mine.write_text("my answers")
    write(originals / "02_y.ipynb", "# New")
    written, older = copy_new(tmp_path / "mine", originals)
    assert (written, older) == ([tmp_path / "mine" / "02_y.ipynb"], [])
    assert mine.read_text() == "my answers"


@pytest.mark.parametrize("text, told", [("# Title", False), ("# A better title", True)])
def test_a_newer_page_is_told_of_and_comes_when_the_old_one_is_gone(
    originals, tmp_path, text, told
):
    ((mine,), _) = copy_new(tmp_path / "mine", originals)
    write(originals / "01_x.ipynb", text)
    assert copy_new(tmp_path / "mine", originals) == ([], [mine] if told else [])
    mine.unlink()
    assert copy_new(tmp_path / "mine", originals) == ([mine], [])
    assert nbformat.read(mine, 4).cells[0].source == text


def test_git_ignores_the_copies():
    page = str(FOLDER / "01_x.ipynb")
    assert subprocess.run(["git", "check-ignore", "--quiet", page], cwd=ROOT).returncode == 0
