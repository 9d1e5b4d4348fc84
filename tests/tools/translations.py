"""Keeps the translations in step with the English text: `make translations`, or

    python -m tests.tools.translations [es it …]

A new text is added to notebooks/translations/<language>/*.po, untranslated. A text that was changed
is marked fuzzy, and learners see the English until it is translated again. A text that was removed
is deleted. Then it reports, by language, what is missing, fuzzy or wrong (`complaints` says what is
checked), and writes the guides.
"""

import copy
import csv
import difflib
import functools
import inspect
import re
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from babel.messages import Catalog, extract, pofile

from helpers import TRANSLATIONS, catalogue
from helpers.classroom import student
from helpers.classroom.series import ROOT, about, notebooks, read
from helpers.classroom.translated import FIRST, LANGUAGES, NOTE, paragraphs
from helpers.exercises import EXERCISES, NOTEBOOKS, PREDICTIONS
from tests.tools.code_rules import CALLS
from tests.tools.guides import GUIDES, PLACEHOLDERS, README, english, write_guides
from tests.tools.start_page import word_line

NO_PROSE = re.compile(
    r"(?s)```.*?```|`[^`]*`|\$+[^$]+\$+|\]\([^)]*\)|<[^>]*>|\{[^{}]*\}|\b\w+\([^()]*\)|\b\w+=|nn\.\w+"
)
BARE = re.compile("^#+ | [●○]+.*$|`")  # what to strip from a heading: its marks, its difficulty
# 1,024 reads as one and a bit in the other languages: they write 1024, and 10 000 with a space that
# does not break. Their .5 is 0.5.
THOUSANDS = re.compile(r"(?<=\d)[,\u00a0](?=\d{3})")
NO_ZERO = re.compile(r"(?<![\w.)\]])\.(?=\d)")
IN_FORMULA = re.compile(r"(?<=\\text)\{[^}$]*\}")  # the words of a formula are translated
FIELD = re.compile(r"\{(\w*)[^{}]*\}")
# What a translation must contain exactly as often as the English.
SAME = {
    "numbers": r"(?<![\w.])\d+(?:[.:/]\d+)*",
    "code": r"`+[^`]+`+",
    "formulas": r"\$+[^$]+\$+",  # but for the words in them
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


def words_of_helpers() -> Catalog:
    """The messages of checks, Explorers and errors, their titles, and the headings they refer to."""
    found = Catalog()
    for file, line, message, *_ in extract.extract_from_dir(ROOT / "helpers", keywords=CALLS):
        if isinstance(message, str) and "\n" in message:  # the form that described() has
            message = inspect.cleandoc(message)
        if file.endswith(".py"):
            found.add(message, locations=[(f"helpers/{file}", line)])
    files = [book.file[3:] for book in NOTEBOOKS.values()]
    for name in [*EXERCISES, *PREDICTIONS, *files]:
        found.add(name.replace("_", " "), locations=[("titles", 0)])
    for exercise in EXERCISES.values():
        for file, heading in filter(None, [exercise.reread, *exercise.reread_on.values()]):
            found.add(heading, locations=[(f"notebook {int(file[:2])}", 0)])
    return found


def words_of_notebook(path: Path) -> Catalog:
    """Its paragraphs, and from its metadata each goal, and each new word with its meaning."""
    found, book = Catalog(), read(path)
    first, last, told = book.cells[0].id, book.cells[-1].id, about(book)
    texts = [(cell.id, cell.source) for cell in book.cells if cell.cell_type == "markdown"]
    texts += [(first, NOTE)] if path.stem == FIRST else []
    texts += [(first, goal) for goal in told["goals"]]
    texts += [(last, word_line(*word)) for word in told["words"]]
    for cell, text in texts:
        for paragraph in messages_in(text):
            found.add(paragraph, locations=[(f"{path.name}#{cell}", 0)])
    return found


def messages_in(markdown: str) -> list[str]:
    """The paragraphs with words to translate, those of a formula, too."""
    parts = paragraphs(markdown)[::2]
    return [p for p in parts if IN_FORMULA.search(p) or re.search(r"[^\W\d_]", prose(p))]


def prose(text: str) -> str:
    """Only the words: no code, formulas, link targets, tags or fields; no calls or `name=`."""
    return NO_PROSE.sub(" ", text)


def words_of_guide(page: Path) -> Catalog:
    """The paragraphs of a guide; among those of the README are those of a class's README."""
    texts = [(page.name, english(page))]
    if page == README:
        texts += [(student.README.name, student.README.read_text(encoding="utf-8"))]
        texts += [(page.name, words) for words in PLACEHOLDERS]
    found = Catalog()
    for name, text in texts:
        for paragraph in messages_in(text):
            found.add(paragraph, locations=[(name, 0)])
    return found


@functools.cache
def templates() -> dict[str, Catalog]:
    """Everything to translate, by the name of its .po file."""
    found = {path.stem: words_of_notebook(path) for path in notebooks()}
    found |= {page.stem: words_of_guide(page) for page in GUIDES}
    return found | {"helpers": words_of_helpers()}


def merged(language: str, name: str) -> Catalog:
    """The translations on disk, combined with the present English.

    A changed text gets, marked fuzzy, the translation of the old text of the same cell or file that is
    most like it. (Babel compares with all old texts, which takes minutes after many changes.)
    """
    path, there = TRANSLATIONS / language / f"{name}.po", Catalog(locale=language)
    if path.is_file():
        with open(path, "rb") as file:
            there = pofile.read_po(file, language)
    # A copy, as messages of the template become those of this language.
    english = copy.deepcopy(templates()[name])
    there.update(english, no_fuzzy_matching=True, update_creation_date=False)
    old = [gone for gone in there.obsolete.values() if isinstance(gone.id, str) and gone.string]
    for new in there:
        if isinstance(new.id, str) and new.id and not new.string:
            near = {
                gone.id: gone for gone in old if dict(gone.locations).keys() & dict(new.locations)
            }
            for best in difflib.get_close_matches(new.id, near, n=1):
                new.string, new.flags = near[best].string, {"fuzzy"}
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
        refers = any(place.startswith("notebook ") for place, _ in message.locations)
        if refers and message.id in headings:
            message.string = headings[message.id]
            message.flags.discard("fuzzy")


def with_all_words(books: dict[str, Catalog]) -> None:
    """Put page 00's lists of goals and words together from the translations of the notebooks."""
    translated = {}
    for name, book in books.items():
        for message in book:
            if message.string and not message.fuzzy and str(message.id).startswith("- ["):
                ours, theirs = (
                    f"{line.replace('](#', f']({name}.ipynb#')} (notebook {int(name[:2])})"
                    for line in (message.id, message.string)
                )
                translated[ours] = theirs
            elif message.string and not message.fuzzy:
                translated[f"- {message.id}"] = f"- {message.string}"
    for message in books[FIRST]:
        if {*(lines := str(message.id).split("\n"))} <= translated.keys():
            said = [translated[line] for line in lines]
            by_alphabet = lines[0].startswith("- [")  # words, and not goals
            message.string = "\n".join(sorted(said, key=str.casefold) if by_alphabet else said)
            message.flags.discard("fuzzy")


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
            if not known & {"n", "count"} <= set(FIELD.findall(text)) <= known:
                yield f"the fields of {text!r} are not {sorted(known)}"
        return
    english, said = message.id, message.string
    words, their_words = prose(english), prose(said)
    for what, pattern in SAME.items():
        ours, theirs = (
            Counter(re.findall(pattern, NO_ZERO.sub("0.", THOUSANDS.sub("", text))))
            for text in (IN_FORMULA.sub("", english), IN_FORMULA.sub("", said))
        )
        if ours != theirs:
            yield f"{what}: {list((theirs - ours).elements())} for {list((ours - theirs).elements())}"
    if unusual := re.findall(r"\d,\d{3}|(?<![\w.)\]])\.\d", their_words):
        yield f"{unusual}: write 1024, 10\u00a0000 (with a space that does not break) and 0.5"
    if english.count("\n\n") != said.count("\n\n") or said != said.strip("\n") != english:
        yield "it has a blank line, which ends a paragraph"
    has_words = len(re.findall(r"[^\W\d_]{2,}", words)) > 2
    if said == english and has_words and not allowed(message, "same"):
        yield "it is the English"
    for term, forms in glossary(language).items():
        if re.search(rf"(?i)\b{term}\b", words) and not allowed(message, term):
            if not re.search(rf"(?i)\b(?:{forms})", their_words):
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
        with_all_words(books)
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
        write_guides(language)


if __name__ == "__main__":
    main()
