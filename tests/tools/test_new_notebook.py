"""`make notebook`: the new notebook follows every house rule, and is listed in both maps."""

import shutil

import pytest

from helpers.classroom import series
from helpers.classroom.series import NOTEBOOKS, read
from tests.tools import house_rules, new_notebook, series_map


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A copy of the README and of notebooks 0 and 6 that stands in for the repository."""
    (tmp_path / "notebooks").mkdir()
    for path in (series_map.README, series_map.START, NOTEBOOKS / "06_break_it.ipynb"):
        shutil.copy(path, tmp_path / path.relative_to(series.ROOT))
    monkeypatch.setattr(series, "NOTEBOOKS", tmp_path / "notebooks")
    pages = (tmp_path / "README.md", tmp_path / "notebooks" / series_map.START.name)
    monkeypatch.setattr(series_map, "PAGES", pages)
    return tmp_path


def test_a_new_notebook_passes_and_is_listed(elsewhere):
    path = new_notebook.lay_out("07_my_topic", "My “topic”, and yours")
    assert path == elsewhere / "notebooks" / "07_my_topic.ipynb"
    assert list(house_rules.complaints(path)) == []
    first = read(path).cells[0].source
    assert first.startswith("# 7 · My “topic”, and yours\n")
    assert "Before this: [Break it](06_break_it.ipynb)." in first
    for page in series_map.PAGES:
        assert list(series_map.gaps(page, [path])) == []
    with pytest.raises(FileExistsError, match="07_my_topic.ipynb has the number 07"):
        new_notebook.lay_out("07_another", "Another")
