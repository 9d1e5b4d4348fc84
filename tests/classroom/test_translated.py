"""Other languages: translations are right and complete; changed text is English until corrected."""

import os
import re
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import helpers
from helpers import TRANSLATIONS
from helpers.classroom import lab, pages, translated
from helpers.classroom.series import ROOT, markdown, notebooks, read
from tests.tools import guides, house_rules
from tests.tools import translations as tool

LANGUAGES = [*translated.LANGUAGES][1:]
MARKDOWN = "# A title\n\nOne line\nand another.\n\n\n| a | b |\n|---|---|\n\n```\n\n1\n```"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_translation_is_wrong(language):
    """Missing or fuzzy text is English on the page: see the weekly test below."""
    wrong = []
    for name in tool.templates():
        bad = tool.state(tool.merged(language, name), language)[2]
        wrong += [f"{name}: {line}" for line in bad]
    assert not wrong, f"make translations; {len(wrong)} in all:\n" + "\n".join(wrong[:20])


@pytest.mark.weekly
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_left_to_translate(language):
    """Before a release everything is translated, and every guide written as it is translated; until
    then English sentences need not wait."""
    left = [
        f"{name}: {message.id!r}"
        for name in tool.templates()
        for messages in tool.state(tool.merged(language, name), language)[:2]
        for message in messages
    ]
    assert not left, f"make translations; {len(left)} in all:\n" + "\n".join(left[:20])
    for page in guides.GUIDES:
        written = guides.path_in(language, page).read_text(encoding="utf-8")
        assert written == guides.in_language(language, page), "make translations"


def test_a_page_is_put_together_again_as_it_was():
    for path in notebooks():
        book = read(path)
        for cell in book.cells:
            assert "".join(translated.paragraphs(cell.source)) == cell.source
    assert translated.paragraphs(MARKDOWN)[::2] == MARKDOWN.replace("\n\n\n", "\n\n").split(
        "\n\n", 3
    )


@pytest.fixture
def words(tmp_path, monkeypatch):
    """Spanish translations of a notebook of one page, in a folder of their own."""
    monkeypatch.setattr(helpers, "TRANSLATIONS", tmp_path)
    monkeypatch.setattr(tool, "TRANSLATIONS", tmp_path)
    monkeypatch.setattr(tool, "glossary", lambda language: {})
    helpers.catalogue.cache_clear()
    yield tmp_path
    helpers.catalogue.cache_clear()


def page(text, **metadata):
    cells = [new_markdown_cell(text, id="text"), new_code_cell("1", id="code")]
    return new_notebook(cells=cells, metadata=metadata)


def template(tmp_path, monkeypatch, text, **metadata):
    nbformat.write(page(text, **metadata), tmp_path / "01_x.ipynb")
    found = {"01_x": tool.words_of_notebook(tmp_path / "01_x.ipynb")}
    monkeypatch.setattr(tool, "templates", lambda: found)
    helpers.catalogue.cache_clear()
    return tool.merged("es", "01_x")


def test_a_changed_sentence_is_fuzzy_and_english_until_it_is_mended(words, monkeypatch):
    first, second = "Attention asks: who matters to whom?", "It has three steps, and no more."
    book = template(words, monkeypatch, f"{first}\n\n{second}")
    book.get(first).string, book.get(second).string = "¿Quién importa a quién?", "Son tres pasos."
    tool.write(words / "es" / "01_x.po", book)
    spanish = translated.translated(page(f"{first}\n\n{second}"), "01_x", "es")
    assert spanish.cells[0].source == "¿Quién importa a quién?\n\nSon tres pasos."
    assert spanish.cells[1].source == "1"

    changed = second.replace("and no more", "each of a line")
    book = template(words, monkeypatch, f"{first}\n\n{changed}")
    tool.write(words / "es" / "01_x.po", book)
    missing, fuzzy, _ = tool.state(tool.merged("es", "01_x"), "es")
    assert ([m.id for m in fuzzy], missing) == ([changed], [])
    shown = translated.translated(page(f"{first}\n\n{changed}"), "01_x", "es").cells[0].source
    assert shown == f"¿Quién importa a quién?\n\n{changed}"


def test_goals_are_translated_and_each_word_is_a_message(words, monkeypatch):
    course = {"goals": ["read it"], "words": [["key", "Keys", "what is looked up"]]}
    book = template(words, monkeypatch, "Hello.", course=course)
    assert book.get("- [key](#Keys): what is looked up")
    book.get("read it").string = "leerlo"
    tool.write(words / "es" / "01_x.po", book)
    helpers.catalogue.cache_clear()
    spanish = translated.translated(page("Hello.", course=course), "01_x", "es")
    assert spanish.metadata.course.goals == ["leerlo"]


WRONG = [
    ("It is 0.5 now.", "Ahora es 0,5."),
    ("Call `f(x)` twice.", "Llama a f(x) dos veces."),
    ("See [notebook 2](02_x.ipynb) again.", "Mira el [cuaderno 2](03_x.ipynb)."),
    ("This is **hot**.", "Esto quema."),
    ("- one\n- two", "- uno y dos"),
    ("| a | bcd |", "| a bcd |"),
    ("## A heading", "# Un título"),
    ("Rows sum to {sum:.2f}.", "Las filas suman {sum:.3f}."),
    ("A short one of few words", "A short one of few words"),
]


def test_what_is_wrong_with_a_translation_is_told(words):
    for english, said in WRONG:
        message = tool.Catalog(locale="es").add(english, said)
        assert list(tool.complaints(message, "es")), (english, said)
    for english, said in [
        ("**Two** of `x`: {n}", "**Dos** de `x`: {n}"),
        (r"It is $a = \text{length}$.", r"Es $a = \text{longitud}$."),
    ]:
        message = tool.Catalog(locale="es").add(english, said)
        assert not list(tool.complaints(message, "es"))


def said_by(code, folder=None, **more):
    """What a new process prints, with these variables, in this folder."""
    told = {**os.environ, "PYTHONPATH": str(ROOT), **more}
    run = [sys.executable, "-X", "utf8", "-c", code]
    done = subprocess.run(run, cwd=folder, env=told, capture_output=True, encoding="utf8")
    assert done.returncode == 0, done.stderr[-500:]
    return done.stdout


def test_a_kernel_takes_its_language_from_our_variable_or_its_folder_alone(tmp_path):
    (tmp_path / "es").mkdir()
    asked = "from helpers import _; print(_('{title}: not attempted yet', title='softmax'))"
    for folder, more, said in [
        (tmp_path, {}, "not attempted yet"),
        (tmp_path / "es", {}, "sin intentar"),
        (tmp_path, {"ATTENTION_LANGUAGE": "it"}, "non ancora tentato"),
        (tmp_path / "es", {"ATTENTION_LANGUAGE": "en"}, "not attempted yet"),
    ]:
        assert said in said_by(asked, folder, LANGUAGE="es", LANG="sr_RS.UTF-8", **more)


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_folded_answers_are_translated(path):
    english, page = read(path), pages.page(read(path), path.stem, language="es")
    shown = {text for cell in page.cells for text in translated.paragraphs(cell.source)}
    ends = [
        text.removesuffix("</details>").strip()
        for cell in english.cells
        for text in translated.paragraphs(cell.source)
        if text.endswith("</details>") and translated.said(text, path.stem, "es") != text
    ]
    assert not {text for text in ends if re.search("[a-z]{3} [a-z]{3}", text)} & shown


def test_a_prediction_answered_in_another_language_is_progress():
    asked = "from helpers import checks as c; c.predict('highest score', 'shiny'); "
    asked += "print(len(c.progress(1).done), c.progress(1))"
    assert said_by(asked, ATTENTION_LANGUAGE="es").startswith("1 ")


def test_copies_come_in_a_folder_of_their_language(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    for language in LANGUAGES:
        written = lab.copy_new(tmp_path / language, language=language)
        assert len(written) == len(notebooks())
        for path in written:
            ours, theirs = read(ROOT / "notebooks" / path.name), read(path)
            assert [c.source for c in ours.cells if c.cell_type == "code"] == [
                c.source for c in theirs.cells if c.cell_type == "code"
            ]
            if (TRANSLATIONS / language / f"{path.stem}.po").exists():  # else English, until then
                assert ours.cells[0].source != theirs.cells[0].source
            assert list(house_rules.dead_links(markdown(theirs), path)) == []
        first = "".join(cell.source for cell in read(written[0]).cells)
        assert f"`make lab LANGUAGE={language}`" in first and "`make lab`" not in first
    monkeypatch.setattr(sys, "argv", ["lab", "--language=xx"])
    with pytest.raises(SystemExit):
        lab.main()


def test_serbian_is_in_latin_letters():
    assert (
        translated.in_latin("Претрага, Љубљана, џез – and Latin ž")
        == "Pretraga, Ljubljana, džez – and Latin ž"
    )


@pytest.mark.parametrize(
    ("language", "said"), [("en", "1,089 10,000 12"), ("it", "1089 10\u00a0000 12")]
)
def test_large_numbers_in_messages_are_written_as_in_the_language(language, said):
    ask = "from helpers import _; print(*(_('{n:,}', n=n) for n in (1089, 10_000, 12)))"
    assert said_by(ask, ATTENTION_LANGUAGE=language).strip() == said
