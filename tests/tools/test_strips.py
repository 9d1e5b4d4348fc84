"""The strip at the head of a notebook is the one that is made from the one picture."""

from base64 import b64decode
from xml.etree import ElementTree

import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from helpers.classroom.one_picture import words
from helpers.classroom.series import notebooks, read
from helpers.classroom.translated import LANGUAGES, WHERE, said, translated
from tests.tools.strips import LIT, strip, with_strip


def test_a_notebook_that_has_a_strip_has_the_one_that_is_made():
    books = {int(path.name[:2]): read(path) for path in notebooks()}
    found = {n: book.cells[1].source for n, book in books.items() if n in LIT}
    with_one = {n: source for n, source in found.items() if source.startswith("<img ")}
    assert with_one == {n: strip(LIT[n]) for n in with_one} != {}
    again = with_strip(books[9], LIT[9])
    assert len(again.cells) == len(read(notebooks()[9]).cells)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_strip_is_an_image_that_names_its_stages_in_the_language(language):
    book = translated(new_notebook(cells=[new_markdown_cell(strip([1]))]), "x", language)
    made, stages = book.cells[0].source, [said(x, "helpers", language) for x in words()["stages"]]
    assert f'alt="{said(WHERE, "helpers", language)}: {stages[0]}, [{stages[1]}], ' in made
    svg = ElementTree.fromstring(b64decode(made.split("base64,")[1].split('"')[0]))
    named = {x.text: x.get("font-weight") for x in svg.iter() if x.get("font-size") == "12"}
    assert named == dict.fromkeys(stages, "400") | {stages[1]: "700"}
