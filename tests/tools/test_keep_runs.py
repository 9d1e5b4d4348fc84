"""What nbval ran and is kept: used only while nothing has changed; and what is said of a cell that failed."""

from types import SimpleNamespace

import keep_runs
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

BAR = new_output("display_data", {keep_runs.VIEW: {"model_id": "gone"}})


def printed(text):
    return [new_output("stream", name="stdout", text=text)]


@pytest.fixture
def book(tmp_path, monkeypatch):
    """(path, notebook) of two cells."""
    monkeypatch.setattr(keep_runs, "RUNS", tmp_path / "runs")
    cells = [
        new_markdown_cell("# 7 · Title\n\n## The first part"),
        new_code_cell("print(1)", outputs=printed("1\n"), execution_count=1),
        new_markdown_cell("## Further on"),
        new_code_cell("print(2)", outputs=printed("2\n"), execution_count=2),
    ]
    path = tmp_path / "07_x.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    return path, nbformat.read(path, 4)


def test_a_run_is_kept_with_its_fresh_outputs_and_the_state_of_its_widgets(book):
    path, notebook = book
    assert keep_runs.kept(path) is None
    keep_runs.keep(path, notebook, [[BAR, *printed("1 again\n")], printed("2\n")], {"state": {}})
    run = keep_runs.kept(path)
    assert [out.text for cell in keep_runs.code_cells(run) for out in cell.outputs] == [
        "1 again\n",  # without the bar, which is gone
        "2\n",
    ]
    assert run.metadata.widgets == {keep_runs.STATE: {"state": {}}}
    assert "made_from" not in run.metadata


def test_a_run_of_another_text_or_of_other_helpers_is_not_used(book, monkeypatch, tmp_path):
    path, notebook = book
    keep_runs.keep(path, notebook, [[], []], {})
    before = path.read_bytes()
    path.write_bytes(before.replace(b"print(1)", b"print(3)"))
    assert keep_runs.kept(path) is None
    path.write_bytes(before)
    assert keep_runs.kept(path)
    monkeypatch.setattr(keep_runs, "ROOT", tmp_path)
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers" / "other.js").write_text("1")
    assert keep_runs.kept(path) is None


def cell_run(book, cell, fresh):
    """A cell of nbval that was run, as far as it is asked."""
    path, notebook = book
    file = SimpleNamespace(nb=notebook, path=path)
    return SimpleNamespace(parent=file, cell=notebook.cells[cell], test_outputs=fresh)


def test_a_cell_that_failed_says_where_it_stands(book):
    assert keep_runs.where(cell_run(book, 1, [])).endswith("under “The first part”, code cell [1]")
    assert keep_runs.where(cell_run(book, 3, [])) == (
        "07_x.ipynb, under “Further on”, code cell [2]"
    )


@pytest.mark.parametrize(
    "fresh, says",
    [
        (printed("3\n"), "stored is '2', and it gave '3'"),
        ([], "stored is '2', and it gave 'nothing'"),
        (printed("2\n3\n"), "stored is 'nothing', and it gave '3'"),
        ([new_output("error", ename="KeyError", evalue="'x'", traceback=[])], "KeyError: 'x'"),
    ],
)
def test_a_cell_that_failed_says_what_differs(book, fresh, says):
    assert keep_runs.what_differs(cell_run(book, 3, fresh), None) == says
