"""`make lab`: a learner works on copies that git ignores and nothing overwrites."""

import sys

import nbformat
import pytest
from ipykernel.ipkernel import IPythonKernel
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from helpers import PROGRESS
from helpers.classroom import lab
from helpers.classroom.lab import copy_new
from helpers.classroom.series import ROOT, read


@pytest.fixture
def originals(tmp_path, monkeypatch):
    """A folder with one small notebook, as it is committed."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))  # where signatures are kept
    (tmp_path / "originals").mkdir()
    write(tmp_path / "originals" / "01_x.ipynb", "# Title")
    return tmp_path / "originals"


def write(path, text):
    ran = [new_output("display_data", {"text/plain": "1"})]
    solution = new_code_cell("1", metadata={"tags": ["solution"]}, outputs=ran, execution_count=1)
    nbformat.write(new_notebook(cells=[new_markdown_cell(text), solution]), path)


def test_a_copy_has_all_cells_no_outputs_is_trusted_and_not_marked_as_changed(originals, tmp_path):
    [copied] = copy_new(tmp_path / "mine", originals)
    page, copy = read(originals / "01_x.ipynb"), read(copied)
    assert page.cells[1].outputs and page.cells[1].execution_count == 1
    page.cells[1].outputs, page.cells[1].execution_count = [], None
    assert copy.cells == page.cells
    assert copy.metadata.language_info == IPythonKernel.language_info
    assert NotebookNotary().check_signature(copy)


def test_a_learners_page_stays_as_it_is_and_what_is_missing_comes(originals, tmp_path):
    [mine] = copy_new(tmp_path / "mine", originals)
    mine.write_text("my answers")
    (tmp_path / "mine" / PROGRESS).write_text('{"done": ["scores"]}')
    write(originals / "01_x.ipynb", "# A better title")
    write(originals / "02_y.ipynb", "# New")
    assert copy_new(tmp_path / "mine", originals) == [tmp_path / "mine" / "02_y.ipynb"]
    assert mine.read_text() == "my answers"
    assert "scores" in (tmp_path / "mine" / PROGRESS).read_text()
    mine.unlink()
    assert copy_new(tmp_path / "mine", originals) == [mine]
    assert read(mine).cells[0].source == "# A better title"


@pytest.mark.parametrize("originals_too", [False, True])
def test_jupyterlab_opens_the_copies_or_the_originals_and_hears_what_it_is_told(
    monkeypatch, originals_too
):
    copied, heard = [], []
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(lab, "copy_new", lambda folder, language: copied.append(folder.name))
    monkeypatch.setattr("jupyterlab.labapp.main", heard.extend)
    flags = ["--originals"] * originals_too + ["--no-browser", "--port=9"]
    monkeypatch.setattr(sys, "argv", ["lab", *flags])
    lab.main()
    folder = "notebooks" if originals_too else "my_notebooks"
    assert f"--LabApp.default_url=/lab/tree/{folder}/00_start_here.ipynb" in heard
    assert heard[-2:] == ["--no-browser", "--port=9"]
    assert copied == ([] if originals_too else ["my_notebooks"])
