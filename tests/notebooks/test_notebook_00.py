"""Page 00: what its answers say holds, and what it quotes was said in notebook 17."""

import re

import pytest
from notebook_cells import FOLDER, cell_with, printed, run

from helpers.classroom.series import markdown, read


@pytest.fixture(scope="module")
def page():
    parts = ("def look(", "def mix(", "def grow(", "def boxes(", "film = ")
    return run([cell_with("00", part) for part in parts])


def test_mouse_takes_its_meaning_from_the_words_that_it_may_see(page):
    first, second = (page["look"](text) for text in ("cat chases mouse", "keyboard and mouse"))
    assert first["weights"][2].argmax() == 0 and second["weights"][2].argmax() == 0
    with_cat, without = (page["mix"](number)["context"][0] for number in (2.5, 0.0))
    assert with_cat[0] > 4 * with_cat[1] and without[0] < 1.5 * without[1]
    for length in range(2, 6):
        free, masked = (page["grow"](length, mask)["context"][1] for mask in (False, True))
        assert (free[1] > free[0] + 0.5) == (length == 5) and masked[0] == masked[1]


def test_the_two_heads_part_and_the_error_falls(page):
    first, last = page["film"][0], page["film"][-1]
    assert first["weights"].max() < 0.25 and first["error"] > 0.8 and last["error"] < 0.05
    assert sorted(last["weights"][:, 0].argmax(dim=-1).tolist()) == [1, 4]


def test_the_talk_is_that_of_notebook_17():
    quoted = re.findall(r"> \*(.+)\* – (.+)", markdown(read(FOLDER / "00_start_here.ipynb")))
    assert len(quoted) == 2
    assert all(f"you: {asked}\nmodel: {said}\n" in printed("17") + "\n" for asked, said in quoted)
