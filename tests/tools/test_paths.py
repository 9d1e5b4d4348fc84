"""The paths through the series: their minutes, and what a notebook says that it needs."""

from helpers.classroom.series import NOTEBOOKS, read
from tests.tools import paths

TABLE = """| goal | notebooks | core |
|---|---|---|
| **Short**: a look | [1](01_a.ipynb), then one of [3](03_c.ipynb#Move-it) | ? |
| **Long**: more | *Short*, then [2](02_b.ipynb), *gladly* | 99 min |"""


def test_a_path_takes_as_long_as_the_cores_of_its_notebooks_and_may_begin_with_another():
    assert paths.paths(TABLE)["Long"] == [(1, False), (3, True), (2, False)]
    text = paths.with_minutes(TABLE, {1: 40, 2: 63})
    assert "#Move-it) | 45 min |" in text and "*gladly* | 1 h 50 min |" in text
    assert paths.with_minutes(text, {1: 40, 2: 63}) == text


def test_what_comes_before_is_told_apart_from_other_links():
    book = read(NOTEBOOKS / "15_attention_in_large_models.ipynb")
    assert "14_your_own_model.ipynb" in book.cells[0].source
    assert paths.needs(book) == [5, 8, 12]
