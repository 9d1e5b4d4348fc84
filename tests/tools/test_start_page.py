"""What page 00 says about all notebooks is made from them."""

import nbformat
from nbformat.v4 import new_markdown_cell, new_notebook

from helpers.classroom.series import markdown, read
from tests.tools import start_page

PAGE = """| goal | notebooks | core |
|---|---|---|
| **Short**: a look | this page, then [1](01_a.ipynb) | ? |
| **Long**: more | *Short*, then [2](02_b.ipynb), *gladly* | 99 min |

| | notebook | minutes |
|---|---|---|
| 1 | [A](01_a.ipynb) | ? |
| 2 | [B](02_b.ipynb) | ? |
"""
EXERCISES = "### Exercise: x ●○○ · 8 min · core\n\n### Exercise: y ●●● · 30 min · more"
TOKEN, BAG = ["token", "A `word`", "a word"], ["Bag", "Words", "no order"]


def write(path, number, text="", **course):
    cells = [new_markdown_cell(f"# {number} · Title"), new_markdown_cell(text)]
    nbformat.write(new_notebook(cells=cells, metadata={"course": course}), path)


def a_series(folder, **second):
    """Page 00 and two notebooks; returns the path of page 00."""
    cells = [new_markdown_cell(x) for x in (PAGE, start_page.GOALS, start_page.WORDS)]
    page = new_notebook(cells=cells, metadata={"course": {"minutes": 20}})
    nbformat.write(page, folder / "00_x.ipynb")
    write(folder / "01_a.ipynb", 1, EXERCISES, minutes=40, words=[TOKEN, BAG], goals=["go", "see"])
    told = {"minutes": 63, "after": [1], "words": [["key", "Keys", "what is looked up"]]}
    write(folder / "02_b.ipynb", 2, **told | second)
    return folder / "00_x.ipynb"


def test_it_has_the_minutes_of_paths_and_notebooks_and_all_goals_and_words(tmp_path):
    start = a_series(tmp_path)
    assert len([*start_page.gaps(start)]) == 1
    nbformat.write(start_page.written(start), start)
    assert list(start_page.gaps(start)) == []
    text = markdown(read(start))
    assert "](01_a.ipynb) | 68 min |" in text and "*gladly* | 2 h 10 min |" in text
    assert "[A](01_a.ipynb) | 40 + 38 |" in text and "[B](02_b.ipynb) | 63 |" in text
    assert "[1 · Title](01_a.ipynb)\n\n- go\n- see\n" in text
    positions = [text.index(f"- [{term}](0") for term in ("Bag", "key", "token")]
    assert positions == sorted(positions)
    assert "- [token](01_a.ipynb#A-word): a word (notebook 1)\n" in text


def test_a_gap_is_told(tmp_path):
    for wrong in ({"after": [1, 3]}, {"words": [["token", "Again", "said twice"]]}):
        start = a_series(tmp_path, **wrong)
        nbformat.write(start_page.written(start), start)
        assert len([*start_page.gaps(start)]) == 1, wrong
    start = a_series(tmp_path)
    write(tmp_path / "03_c.ipynb", 3)
    nbformat.write(start_page.written(start), start)
    ((_page, told),) = start_page.gaps(start)
    assert "| 3 | [Title](03_c.ipynb) | … |" in told
