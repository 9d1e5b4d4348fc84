"""The measured voice of the notebooks: figures are right, and every notebook is within bounds."""

from helpers.classroom.series import notebooks
from tests.tools.voice import measured, voice_of


def test_the_figures_of_a_text_are_right():
    voice = measured(
        "# A heading: not measured\n\n"
        "Attention asks one question because of `this: code`. Who matters: to whom?\n\n"
        "| a: table | of words |\n\n"
        "- We [foretell](link: none) nothing\n"
    )
    # The sentences have 7, 4 and 3 words; the mark of a list and the target of a link do not count.
    assert voice.words == 14 and voice.median == 4
    assert voice.short == 2 / 3
    assert voice.colons == 1000 / 14 == voice.connectives
    assert voice.dialect == ["foretell"]
    assert len([*voice.complaints()]) == 4


def test_every_lesson_is_within_the_bounds():
    """Page 00 is none: most of it are lists, whose entries are set apart by colons."""
    lessons = [path for path in notebooks() if not path.stem.startswith("00")]
    complaints = {path.stem: [*voice_of(path).complaints()] for path in lessons}
    assert not any(complaints.values()), complaints
