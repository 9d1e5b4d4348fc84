"""`make notebook`: what it lays out keeps every house rule, and stands in both maps."""

import shutil

import house_rules
import new_notebook
import pytest
import series_map


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A copy of the README and of notebooks 0 and 6, taken for the repository."""
    (tmp_path / "notebooks").mkdir()
    for path in (series_map.README, series_map.START, *series_map.notebooks()[6:7]):
        shutil.copy(path, tmp_path / path.relative_to(series_map.ROOT))
    monkeypatch.setattr(series_map, "ROOT", tmp_path)
    pages = (tmp_path / "README.md", tmp_path / "notebooks" / series_map.START.name)
    monkeypatch.setattr(series_map, "PAGES", pages)
    return tmp_path


def test_a_new_notebook_passes_and_is_listed(elsewhere):
    path = new_notebook.lay_out("07_my_topic", "My “topic”, and yours")
    assert path == elsewhere / "notebooks" / "07_my_topic.ipynb"
    assert list(house_rules.complaints(path)) == []
    notebook = house_rules.read(path)
    assert notebook.cells[0].source.startswith("# 7 · My “topic”, and yours\n")
    assert "Before this: [Break it](06_break_it.ipynb)." in notebook.cells[0].source
    assert len(notebook.cells[1].source.split("\n")) <= 8
    for page in series_map.PAGES:
        assert list(series_map.gaps(page, [path])) == []
    with pytest.raises(FileExistsError, match="07_my_topic.ipynb has the number 07"):
        new_notebook.lay_out("07_another", "Another")


@pytest.mark.parametrize(
    "name, title, told",
    [
        ("", "", "NAME=: two digits and a name are wanted"),
        ("my topic", "My topic", "NAME=my topic: two digits"),
        ("07_x.ipynb", "My topic", "such as 07_my_topic"),
        ("07_my_topic", " ", "TITLE=' ': a title in one line is wanted"),
        ("07_my_topic", "a | b", "without |"),
        ("06_my_topic", "My topic", "06_break_it.ipynb has the number 06"),
    ],
)
def test_what_cannot_be_is_told_and_nothing_is_written(elsewhere, name, title, told):
    before = {path: path.read_bytes() for path in elsewhere.rglob("*.*")}
    with pytest.raises((ValueError, FileExistsError)) as error:
        new_notebook.lay_out(name, title)
    assert told in str(error.value)
    assert {path: path.read_bytes() for path in elsewhere.rglob("*.*")} == before
