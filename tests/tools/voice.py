"""Measures the English of the notebooks, a line for each: `python -m tests.tools.voice [files]`.

Many fragments, many colons and few connecting words are signs of a text that has to be read twice;
none of these figures proves that a text is good. Code, formulas, tables and headings are not
measured, and the marks of a list are not counted as words.
"""

import re
import sys
from pathlib import Path
from statistics import median
from typing import NamedTuple

from helpers.classroom.series import notebooks, read

NOT_PROSE = re.compile(r"(?ms)```.*?```|\$\$.*?\$\$|^\|[^\n]*$|^#[^\n]*$|<[^>]+>")
MARK_OF_LIST = re.compile(r"(?m)^\s*(?:\d+\.|-)\s+")
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
CODE_OR_FORMULA = re.compile(r"`[^`]*`|\$[^$]*\$")
END_OF_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\n+")
CONNECTIVE = re.compile(
    r"\b(because|so that|therefore|for example|that is|recall|since|although|however|which means|"
    r"instead)\b"
)
# Words that the field does not use in the sense in which this series once used them.
DIALECT = re.compile(
    r"\b(foretel\w*|anew|whoever|mend(?:s|ed|ing)?|hold\w* against|held against|for ever|bends?|"
    r"short cuts?|chances)\b"
)
# The bounds for every notebook: words in the median sentence, and shares of all sentences or words.
MEDIAN, SHORT, COLONS, CONNECTIVES = (14, 18), 0.10, 20, 7


class Voice(NamedTuple):
    words: int
    median: float  # words in the median sentence
    short: float  # share of sentences with six words or fewer
    colons: float  # per 1,000 words
    connectives: float  # per 1,000 words
    dialect: list[str]

    def complaints(self):
        """The figures that are out of bounds, a few words for each."""
        if not MEDIAN[0] <= self.median <= MEDIAN[1]:
            yield f"the median sentence has {self.median:g} words"
        if self.short > SHORT:
            yield f"{self.short:.0%} of the sentences have six words or fewer"
        if self.colons > COLONS:
            yield f"{self.colons:.0f} colons in 1,000 words"
        if self.connectives < CONNECTIVES:
            yield f"{self.connectives:.1f} connectives in 1,000 words"
        if self.dialect:
            yield f"not the field's words: {', '.join(sorted(set(self.dialect)))}"


def measured(markdown: str) -> Voice:
    """The figures of a text in Markdown."""
    text = MARK_OF_LIST.sub("", NOT_PROSE.sub(" ", markdown))
    text = CODE_OR_FORMULA.sub("x", LINK.sub(r"\1", text))
    lengths = [len(part.split()) for part in END_OF_SENTENCE.split(text)]
    lengths = [length for length in lengths if length > 1] or [0]
    words = len(text.split()) or 1
    return Voice(
        words,
        median(lengths),
        sum(length <= 6 for length in lengths) / len(lengths),
        1000 * text.count(":") / words,
        1000 * len(CONNECTIVE.findall(text.lower())) / words,
        DIALECT.findall(text.lower()),
    )


def voice_of(path: Path) -> Voice:
    """The figures of a notebook."""
    cells = read(path).cells
    return measured("\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown"))


def main() -> None:
    print(f"{'':34}{'words':>6}{'median':>8}{'short':>7}{'colons':>8}{'connectives':>13}")
    for path in [Path(name) for name in sys.argv[1:]] or notebooks():
        voice = voice_of(path)
        print(
            f"{path.stem:34}{voice.words:6}{voice.median:8g}{voice.short:7.0%}{voice.colons:8.1f}"
            f"{voice.connectives:13.1f}  {'; '.join(voice.complaints())}"
        )


if __name__ == "__main__":
    main()
