"""Keeps the translations in step with the English text: `make translations`, or

    python -m tests.tools.translations [es it …]

A new text is added to notebooks/translations/<language>/*.po, untranslated. A text that was changed
is marked fuzzy, and learners see the English until it is translated again. A text that was removed
is deleted. Then it reports, by language, what is missing, fuzzy or wrong. `complaints` says what is
checked.
"""

import csv
import functools
import inspect
import re
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from babel.messages import Catalog, extract, pofile

from helpers import TRANSLATIONS, catalogue
from helpers.classroom.series import ROOT, notebooks, read
from helpers.classroom.translated import FIRST, LANGUAGES, NOTE, paragraphs, said, text_in
from helpers.exercises import EXERCISES
from tests.tools.code_rules import CALLS

README = ROOT / "README.md"
NO_PROSE = re.compile(r"(?s)```.*?```|`[^`]*`|\$+[^$]+\$+|\]\([^)]*\)|<[^>]*>|\{[^{}]*\}")
BARE = re.compile("^#+ | [●○]+.*$")  # what to strip from a heading: its marks, and its difficulty
THOUSANDS = re.compile(r"(?<=\d),(?=\d)")  # 1,024 is written 1024 in Spanish and Serbian
FIELD = re.compile(r"\{(\w*)[^{}]*\}")
# What a translation must contain exactly as often as the English.
SAME = {
    "numbers": r"(?<![\w.])\d+(?:[.:/]\d+)*",
    "code": r"`+[^`]+`+",
    "formulas": r"\$+[^$]+\$+",
    "links": r"\]\(([^)]*)\)",
    "bold marks": r"\*\*",
    "tags of HTML": r"</?[a-z]+[^>]*>",
    "cells of a table": r"\|",
    "items of a list": r"(?m)^ *(?:[-*]|\d+\.) ",
    "heading": r"(?m)^#+ ",
    "difficulty": "[●○]+",
    "fields": r"\{\w*(?:![a-z])?(?::[^{}]*)?\}",
}
DATE = datetime(2026, 1, 1, tzinfo=UTC)  # the same in every file, as git records the dates
LONGEST, SHORT = 1.6, 40  # times the English; shorter texts may grow by more


def words_of_helpers() -> Catalog:
    """The messages of checks, Explorers and errors, and the headings to which they refer."""
    found = Catalog()
    for file, line, message, *_ in extract.extract_from_dir(ROOT / "helpers", keywords=CALLS):
        if isinstance(message, str) and "\n" in message:  # the form that described() has
            message = inspect.cleandoc(message)
        if file.endswith(".py"):
            found.add(message, locations=[(f"helpers/{file}", line)])
    for exercise in EXERCISES.values():
        if exercise.reread:
            found.add(
                exercise.reread[1], locations=[(f"notebook {int(exercise.reread[0][:2])}", 0)]
            )
    return found


def words_of_notebook(path: Path) -> Catalog:
    found, cells = Catalog(), read(path).cells
    texts = [(cell.id, cell.source) for cell in cells if cell.cell_type == "markdown"]
    for cell, text in [*texts, *([(cells[0].id, NOTE)] if path.stem == FIRST else [])]:
        for paragraph in messages_in(text):
            found.add(paragraph, locations=[(f"{path.name}#{cell}", 0)])
    return found


def messages_in(markdown: str) -> list[str]:
    """The paragraphs with words to translate."""
    return [part for part in paragraphs(markdown)[::2] if re.search(r"[^\W\d_]", prose(part))]


def prose(text: str) -> str:
    """Only the words: no code, formulas, link targets, tags or fields."""
    return NO_PROSE.sub(" ", text)


def short_readme() -> str:
    """A part of the README: what the series is, how to start, and the map."""
    return README.read_text(encoding="utf-8").partition("\n## Look inside")[0]


def words_of_readme() -> Catalog:
    found = Catalog()
    for paragraph in messages_in(short_readme()):
        found.add(paragraph, locations=[(README.name, 0)])
    return found


def write_readme(language: str) -> None:
    """Write docs/README.es.md …: the short README in that language, with links relative to docs."""
    title, *rest = paragraphs(short_readme())
    text = text_in("".join([title, "\n\n", said(NOTE, FIRST, language), *rest]), "README", language)
    text = re.sub(r"(\]\()(?!http|#)", r"\1../", text).replace("../docs/", "")
    path = ROOT / "docs" / f"README.{language}.md"
    path.write_text(text.strip() + "\n", encoding="utf-8")


@functools.cache
def templates() -> dict[str, Catalog]:
    """Everything to translate, by the name of its .po file."""
    found = {path.stem: words_of_notebook(path) for path in notebooks()}
    return found | {"helpers": words_of_helpers(), "README": words_of_readme()}


def merged(language: str, name: str, guess: bool = True) -> Catalog:
    """The translations on disk, combined with the present English.

    guess    whether a changed text gets, as a guess marked fuzzy, the translation of the old one that
             is most like it: with many changes this takes minutes
    """
    path, there = TRANSLATIONS / language / f"{name}.po", Catalog(locale=language)
    if path.is_file():
        with open(path, "rb") as file:
            there = pofile.read_po(file, language)
    there.update(templates()[name], no_fuzzy_matching=not guess, update_creation_date=False)
    there.obsolete.clear()
    return there


def with_headings(language: str, books: dict[str, Catalog]) -> None:
    """Give each heading that helpers name the translation that it has in its notebook."""
    headings = {
        BARE.sub("", message.id): BARE.sub("", message.string or "")
        for name, book in books.items()
        for message in book
        if name != "helpers" and message.id and message.id.startswith("#") and not message.fuzzy
    }
    for message in books["helpers"]:
        if any(place.startswith("notebook ") for place, _ in message.locations):
            message.string = headings.get(message.id, message.string)


def write(path: Path, book: Catalog) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    book.header_comment = f"# {path.stem}, in {LANGUAGES[path.parent.name]}: make translations"
    book.project, book.version, book.fuzzy = "How attention works", "1", False
    book.creation_date = book.revision_date = DATE
    book.last_translator = book.language_team = book.msgid_bugs_address = ""
    with open(path, "wb") as file:
        pofile.write_po(file, book, width=98, omit_header=False, include_lineno=False)


# ---------------------------------------------------------------- what holds a translation


def complaints(message, language: str):
    """What is wrong with a translation, a line for each fault."""
    if isinstance(message.id, tuple):
        known = set(FIELD.findall(" ".join(message.id)))
        for text in message.string:
            if not {"n"} <= set(FIELD.findall(text)) <= known:
                yield f"the fields of {text!r} are not {sorted(known)}"
        return
    english, said = message.id, message.string
    for what, pattern in SAME.items():
        ours, theirs = (
            Counter(re.findall(pattern, THOUSANDS.sub("", text))) for text in (english, said)
        )
        if ours != theirs:
            yield f"{what}: {list((theirs - ours).elements())} for {list((ours - theirs).elements())}"
    if english.count("\n\n") != said.count("\n\n") or said != said.strip("\n") != english:
        yield "it has a blank line, which ends a paragraph"
    if len(said) > LONGEST * len(english) and len(said) > SHORT:
        yield f"it is {len(said) / len(english):.1f} times as long as the English"
    has_words = len(re.findall(r"[^\W\d_]{2,}", prose(english))) > 2
    if said == english and has_words and not allowed(message, "same"):
        yield "it is the English"
    for term, forms in glossary(language).items():
        if re.search(rf"(?i)\b{term}\b", prose(english)) and not allowed(message, term):
            if not re.search(rf"(?i)\b(?:{forms})", prose(said)):
                yield f"{term!r} is none of {forms}"


def allowed(message, what: str) -> bool:
    """Whether a translator's comment allows it: `# same: a name`, `# value: the everyday word`."""
    return any(comment.partition(":")[0].strip() == what for comment in message.user_comments)


@functools.cache
def glossary(language: str) -> dict[str, str]:
    """{English term, as a pattern: the beginnings of its translations, separated by |}"""
    with open(TRANSLATIONS / "glossary.csv", encoding="utf-8", newline="") as file:
        return {row["en"]: row[language] for row in csv.DictReader(file) if row[language]}


def state(book: Catalog, language: str) -> tuple[list, list, list[str]]:
    """(messages without a translation, fuzzy ones, what is wrong with the others)"""
    missing, fuzzy, wrong = [], [], []
    for message in book:
        if not message.id:
            continue
        strings = message.string if isinstance(message.string, tuple) else (message.string,)
        if message.fuzzy:
            fuzzy.append(message)
        elif not all(strings):
            missing.append(message)
        else:
            where = message.locations[0][0] if message.locations else ""
            start = str(message.id)[:60].replace("\n", " ")
            wrong += [f"{where}: “{start}…”: {text}" for text in complaints(message, language)]
    return missing, fuzzy, wrong


def main() -> None:
    for language in sys.argv[1:] or [language for language in LANGUAGES if language != "en"]:
        books = {name: merged(language, name) for name in templates()}
        with_headings(language, books)
        for name, book in books.items():
            write(TRANSLATIONS / language / f"{name}.po", book)
            missing, fuzzy, wrong = state(book, language)
            print(
                f"{language}/{name}.po: {len(book)} messages, {len(missing)} missing, "
                f"{len(fuzzy)} fuzzy, {len(wrong)} wrong"
            )
            for line in wrong:
                print(f"    {line}")
        catalogue.cache_clear()  # so that the new file is read
        write_readme(language)


if __name__ == "__main__":
    main()
