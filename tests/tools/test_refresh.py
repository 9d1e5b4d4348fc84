"""`make refresh`: notebooks run in place, and what shows the same as before does not change."""

import copy
import io
from base64 import b64encode

import nbformat
from nbformat.v4 import new_code_cell, new_notebook, new_output
from PIL import Image

from helpers.classroom.series import read
from tests.tools import refresh


def write_notebook(path, *sources):
    nbformat.write(new_notebook(cells=[new_code_cell(source) for source in sources]), path)
    return path


def test_refresh_runs_in_place_keeps_pictures_of_widgets_and_leaves_what_fails(tmp_path, capfd):
    source = "import ipywidgets\nx = 2  \nipywidgets.IntSlider(3)"
    slowly = "import time\nprint(1, flush=True)\ntime.sleep(0.3)\nprint(2)"
    path = write_notebook(tmp_path / "one.ipynb", source, "x + 1", slowly)
    bad = write_notebook(tmp_path / "bad.ipynb", "1 / 0  ")
    before = bad.read_bytes()
    assert refresh.main([str(path), str(bad)]) == 1
    assert "ZeroDivisionError" in capfd.readouterr().out and bad.read_bytes() == before
    once = read(path)
    assert [cell.execution_count for cell in once.cells] == [1, 2, 3]
    assert list(once.cells[0].outputs[0].data) == ["text/plain"]
    assert once.cells[1].outputs[0].data["text/plain"] == "3"
    assert "x = 2\n" in once.cells[0].source
    # whenever it was printed
    assert [output.text for output in once.cells[2].outputs] == ["1\n2\n"]
    assert "version" not in once.metadata.language_info
    assert once == refresh.tidy(copy.deepcopy(once))


def drawn(grey, words="a curve", tags=()):
    """A notebook of one cell, which drew a picture in one colour."""
    file = io.BytesIO()
    Image.new("L", (9, 9), grey).save(file, "PNG")
    data = {"image/png": b64encode(file.getvalue()).decode(), "text/plain": words}
    cell = new_code_cell("draw()", outputs=[new_output("display_data", data)])
    cell.metadata.tags = list(tags)
    return new_notebook(cells=[cell])


def test_refresh_keeps_a_picture_that_says_the_same():
    for new, kept in [
        (drawn(110), False),
        (drawn(101), True),  # differs in the last digits, as on another machine
        (drawn(101, "other words"), False),
        (drawn(110, tags=["timing"]), True),
        (drawn(110, "other words", ["timing"]), False),
    ]:
        old = drawn(100)
        refresh.keep_pictures(old, new)
        now, was = (book.cells[0].outputs[0].data["image/png"] for book in (new, old))
        assert (now == was) == kept, new.cells[0]
