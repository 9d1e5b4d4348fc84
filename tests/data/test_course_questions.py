"""The questions about the course: each names a section that there is."""

import json
import re
from pathlib import Path

import pytest

from helpers.data.questions import QUESTIONS

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


def headings(number):
    (path,) = NOTEBOOKS.glob(f"{number:02d}_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(c["source"]) + "\n" for c in cells if c["cell_type"] == "markdown")
    return re.findall(r"^#+ (.*?)(?: · \d+ min)?$", text, re.MULTILINE)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.text)
def test_the_section_that_answers_a_question_is_there_once(question):
    assert headings(question.notebook).count(question.heading) == 1


def test_there_are_forty_from_all_notebooks_and_none_twice():
    assert len({question.text for question in QUESTIONS}) == len(QUESTIONS) == 40
    assert {question.notebook for question in QUESTIONS} == set(range(1, 16))
    sections = {(question.notebook, question.heading) for question in QUESTIONS}
    assert len(sections) == 40
