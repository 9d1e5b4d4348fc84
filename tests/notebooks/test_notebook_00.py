"""Page 00: what it quotes was said in notebook 17."""

import re

from notebook_cells import FOLDER, printed

from helpers.classroom.series import markdown, read


def test_the_talk_is_that_of_notebook_17():
    quoted = re.findall(r"> \*(.+)\* – (.+)", markdown(read(FOLDER / "00_start_here.ipynb")))
    assert len(quoted) == 2
    assert all(f"you: {asked}\nmodel: {said}\n" in printed("17") + "\n" for asked, said in quoted)
