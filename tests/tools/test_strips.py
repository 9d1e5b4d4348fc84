"""The strip at the head of a notebook is the one that is made from the one picture."""

from base64 import b64decode
from xml.etree import ElementTree

from helpers.classroom.one_picture import words
from helpers.classroom.series import notebooks, read
from tests.tools.strips import LIT, strip, with_strip


def test_a_notebook_that_has_a_strip_has_the_one_that_is_made():
    books = {int(path.name[:2]): read(path) for path in notebooks()}
    found = {n: book.cells[1].source for n, book in books.items() if n in LIT}
    with_one = {n: source for n, source in found.items() if source.startswith("<img ")}
    assert with_one == {n: strip(LIT[n]) for n in with_one} != {}
    again = with_strip(books[9], LIT[9])
    assert len(again.cells) == len(read(notebooks()[9]).cells)


def test_a_strip_is_an_image_that_names_its_stages():
    made = strip([1])
    assert f"[{words()['stages'][1]}]" in made
    svg = ElementTree.fromstring(b64decode(made.split("base64,")[1].split('"')[0]))
    bold = [x.text for x in svg.iter() if x.get("font-weight") == "700"]
    assert bold == [words()["stages"][1]]
