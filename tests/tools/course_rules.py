"""The rules about the shape of a notebook: its first screen, its metadata, its minutes, its words.

`notebook.metadata["course"]` holds what a notebook says about itself (`series.about`). A rule
yields what is wrong; its docstring is its line in docs/maintainers.md.
"""

import ast
import re
from dataclasses import dataclass
from itertools import takewhile

from helpers.classroom.folds import sections
from helpers.classroom.series import EXERCISE, about, anchor, first_cell, has_tag, markdown
from tests.tools.code_rules import tree_of

WORDS_A_MINUTE, A_CELL = 230, 2  # how fast a text is read; minutes to understand a cell of code
LINE = re.compile(
    r"(\d+) minutes(?:, exercises (\d+) more)?(?: · after (.+?))?( · \*Further\* can wait)?"
)
BEFORE = re.compile(r"\((\d\d)_\w+\.ipynb\)")
HEADING = re.compile(r"(#+) (.+)")
STUB = re.compile(r"^\s+\.\.\.\s*$", re.MULTILINE)
NEW_WORDS = re.compile(r"^\*\*New words:\*\* (.+)", re.MULTILINE)
WORD = re.compile(r"\[([^]]+)\]\(#([^)]+)\)")
# What is folded on page 00 is looked up, not read.
LISTS = re.compile(r"<details><summary>Show the list.*?</details>", re.DOTALL)
RULES = []


def rule(function):
    RULES.append(function)
    return function


@dataclass
class Section:
    """The core of a notebook, or a section headed `Further:`, and the minutes to read it."""

    heading: str
    minutes: float = 0.0


def counted(notebook) -> list[Section]:
    """The core, which has no heading of its own, and the Further sections, with their minutes."""
    found, level = [Section("")], 9
    now = core = found[0]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            now.minutes += A_CELL * must_be_understood(cell)
            continue
        for part in sections(LISTS.sub("", cell.source)):
            heading = HEADING.match(part)
            if heading and heading[2].startswith("Further:"):
                now, level = Section(heading[2]), len(heading[1])
                found.append(now)
            elif heading and len(heading[1]) <= level:
                now = core
            now.minutes += len(part.split()) / WORDS_A_MINUTE
    return found


def must_be_understood(cell) -> bool:
    """Whether a cell of code defines something, loops, or has two statements that store results."""
    folded = cell.metadata.get("jupyter", {}).get("source_hidden") or has_tag(cell, "solution")
    if folded or STUB.search(cell.source) or cell.source.startswith("checks."):
        return False
    body = [x for x in tree_of(cell).body if not isinstance(x, (ast.Import, ast.ImportFrom))]
    defines = any(isinstance(x, (ast.FunctionDef, ast.ClassDef, ast.For)) for x in body)
    return defines or sum(not isinstance(x, ast.Expr) for x in body) >= 2


def core_minutes(notebook) -> int:
    """How long the core of a notebook takes, with its exercises."""
    marked = EXERCISE.findall(markdown(notebook))
    return about(notebook)["minutes"] + sum(int(n) for n, mark in marked if mark == "core")


def starts_the_series(path) -> bool:
    return path.stem.startswith("00")


@rule
def its_front_is_short_and_true(notebook, path):
    """the first cell has at most 75 words, in four paragraphs: the title, `**The question:** …`,
    what you will have made, and a line such as
    `60 minutes, exercises 31 more · after [notebook 1](…) · *Further* can wait`, which says what the
    metadata ("minutes", "after") and the headings of the exercises say"""
    first, told = first_cell(notebook), about(notebook)
    paragraphs = first.split("\n\n")
    line = LINE.fullmatch(paragraphs[-1])
    if (count := len(first.split())) > 75:
        yield f"the first cell has {count} words; 75 are the most"
    if not re.match(r"\*\*The question:\*\* \S", "".join(paragraphs[1:2])):
        yield "no paragraph `**The question:** …` right under the title: the map of pages shows it"
    if len(paragraphs) != 4 or not line:
        yield "no fourth and last paragraph such as `60 minutes, exercises 31 more`"
    else:
        after = [int(number) for number in BEFORE.findall(line[3] or "")]
        said = (int(line[1]), int(line[2] or 0), after, bool(line[4]))
        further = len(counted(notebook)) > 1
        there = (told["minutes"], told["exercises"], told["after"], further)
        if said != there:
            yield f"(minutes, exercises, after, Further): it says {said}; there are {there}"


@rule
def it_moves_on_the_first_screen(notebook, path):
    """within 150 words after the first cell comes an Explorer"""
    before = list(takewhile(lambda cell: not shows_an_explorer(cell), notebook.cells))
    texts = [cell.source for cell in before[1:] if cell.cell_type == "markdown"]
    words = sum(len(re.sub("<img [^>]*>", "", text).split()) for text in texts)
    if not starts_the_series(path) and (words > 150 or len(before) == len(notebook.cells)):
        yield f"{words} words stand before the first Explorer; 150 are the most"


def shows_an_explorer(cell) -> bool:
    return cell.cell_type == "code" and bool(re.search(r"\b(Explorer|Inside)\(", cell.source))


@rule
def its_minutes_are_counted(notebook, path):
    """ "minutes" is the time for reading the core, within 10 % or 5 minutes of what is counted: 230
    words a minute, and 2 minutes for a code cell that must be understood"""
    told, count = about(notebook)["minutes"], counted(notebook)[0].minutes
    if abs(told - count) > max(5, 0.1 * count):
        yield f"reading its core takes {count:.0f} minutes, counted; its metadata say {told}"


@rule
def its_core_is_short(notebook, path):
    """the core, read and with its exercises, takes at most 60 minutes; two or three exercises end
    in `· core` (the only one of page 00, too), all others in `· more`"""
    marks = [mark for _minutes, mark in EXERCISE.findall(markdown(notebook))]
    all_of_them = markdown(notebook).count("\n### Exercise: ")
    fewest = 1 if starts_the_series(path) else 2
    if len(marks) != all_of_them or marks and not fewest <= marks.count("core") <= 3:
        yield f"of its {all_of_them} exercises, these are marked: {marks}"
    exercises = core_minutes(notebook) - about(notebook)["minutes"]
    if (minutes := round(counted(notebook)[0].minutes + exercises)) > 60:
        yield f"its core takes {minutes} minutes; 60 are the most"


@rule
def what_is_further_comes_last(notebook, path):
    """at most three sections are headed `Further: Why? · 3 min`, with their minutes as counted, and
    all of them stand behind `## Recap`"""
    _core, *further = counted(notebook)
    if len(further) > 3:
        yield f"it has {len(further)} Further sections; three are the most"
    recap = "\n## Recap\n" in markdown(notebook).partition("# Further:")[0]
    if further and not recap:
        yield "a Further section stands before `## Recap`"
    for section in further:
        minutes = re.search(r" · (\d+) min$", section.heading)
        if not minutes or abs(int(minutes[1]) - section.minutes) > 2:
            yield f"{section.heading!r} takes {section.minutes:.0f} minutes, counted"


@rule
def tells_its_goals_and_words(notebook, path):
    """its metadata tell three or four goals, and each new word as [term, heading, meaning]; a line
    `**New words:** [term](#Heading), …` has the same words in the same order"""
    told, line = about(notebook), NEW_WORDS.search(markdown(notebook))
    if not starts_the_series(path) and not (3 <= len(told["goals"]) <= 4 and told["words"]):
        yield f"metadata['course'] has {len(told['goals'])} goals, {len(told['words'])} words"
    for term, _heading, meaning in told["words"]:
        if meaning.endswith("."):
            yield f"the meaning of {term!r} ends with a full stop"
    listed = WORD.findall(line[1]) if line else []
    words = [(term, anchor(heading)) for term, heading, _ in told["words"]]
    if listed != words:
        yield f"its **New words:** are {listed}; in its metadata they are {words}"
