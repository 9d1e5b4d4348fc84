"""What is folded on a web page: whatever gives an answer away, with the prose that tells it, too.

It reads the English notebook, and adds cells of HTML, which open and close a fold around others.
"""

import re

from nbformat.v4 import new_code_cell, new_markdown_cell

from .. import _
from . import series
from .series import VIEW
from .translated import paragraphs

# A cell that only has a check, or shows the learner's progress.
CHECK = re.compile(r"(from helpers import checks\n\n)?check(s\.\w+)?\([^\n]*\)")
PROGRESS = re.compile(r"(from helpers import checks\n\n)?checks\.progress\(\d*\)")
ANSWERED = re.compile(r"# Solution\nchecks\.predict\(")
QUESTION = re.compile(r"checks\.(predict|drill)\(")
# In the text above a cell: does it ask what the result will be?
ASKS = re.compile(r"\*\*(Predict|Before you run)")
ANSWER = re.compile(r"<details><summary>(?!Hint)")


class Folds:
    """Goes through the cells of a notebook; `all` yields those of its page.

    say   puts Markdown into the language of the page
    """

    def __init__(self, cells, say):
        self.say = say
        self.cells = [
            c for c in cells if not (series.has_tag(c, "run") or ANSWERED.match(c.source))
        ]
        self.above = ""  # the text above the cell
        self.opened = []  # for each fold that is open, the text that asked
        self.first = True  # whether no code has been seen yet

    def all(self):
        while self.cells:
            cell = self.cells.pop(0)
            if cell.cell_type == "markdown":
                yield from self.text(cell)
            elif QUESTION.match(cell.source):
                yield from self.close()
                yield tagged(cell, "remove-input")
            elif PROGRESS.fullmatch(cell.source):
                continue  # of which a page knows nothing
            elif CHECK.fullmatch(cell.source):
                yield tagged(cell, "hide-cell", _("Check"))
            else:
                yield from self.code(cell)
        yield from self.close()

    def text(self, cell):
        """A text. A fold ends at a heading, an answer's too: what follows it tells the answer."""
        self.above, source = cell.source, cell.source
        if self.cells and PROGRESS.fullmatch(self.cells[0].source):
            source = "".join(paragraphs(source)[:-1])  # the rest leads to the learner's progress
        for part in sections(source):
            if part.startswith("#"):
                yield from self.close()
            # Several answers in a row are to questions that the text below does not answer.
            if part.count("<details>") == 1 and ANSWER.search(part):
                self.opened.append(part)
                # Its end comes below. A translation is found for the whole paragraph alone.
                part = "".join(self.say(part).rsplit("</details>", 1))
            yield new_markdown_cell(part, metadata=cell.metadata)

    def code(self, cell):
        """A cell of code, in the fold of what was asked above it, or with a fold of its own."""
        hidden = cell.metadata.get("jupyter", {}).get("source_hidden", False)
        first, self.first = self.first, False
        if series.has_tag(cell, "solution"):
            yield tagged(cell, "hide-cell", _("Solution"))
        elif any(is_explorer(output.get("data", {})) for output in cell.get("outputs", [])):
            yield tagged(cell, "hide-input", _("Code"))
        elif ASKS.search(self.above) and cell.get("outputs") and self.above not in self.opened:
            if not hidden:
                yield tagged(new_code_cell(cell.source))
            self.opened.append(self.above)
            title = _("What comes out")
            yield new_markdown_cell(f'<details class="comes"><summary>{title}</summary>')
            yield tagged(cell, "hide-input" if hidden else "remove-input", _("Code"))
        elif first and cell.source.startswith(("import ", "from ")):
            yield tagged(cell, "hide-input", _("Set-up"))
        else:
            yield tagged(cell, *["hide-input"] * hidden, *[_("Code")] * hidden)

    def close(self):
        if self.opened:
            yield new_markdown_cell("</details>" * len(self.opened))
        self.opened = []


def tagged(cell, tag="", title=""):
    """The cell with a tag of MyST-NB, and the label of its fold."""
    cell.metadata.tags = [tag] if tag else []
    cell.metadata.mystnb = {"code_prompt_show": title, "code_prompt_hide": title}
    return cell


def sections(markdown: str) -> list[str]:
    """The text, cut before each heading."""
    parts = [""]
    for piece in paragraphs(markdown):
        if piece.startswith("#") and parts[-1]:
            parts.append("")
        parts[-1] += piece
    return [part.strip("\n") for part in parts if part.strip()]


def is_explorer(data) -> bool:
    return VIEW in data and not is_question(data)


def is_question(data) -> bool:
    """Whether this output is a prediction or a drill: a widget in words, without a picture."""
    return {VIEW, "text/plain"} <= data.keys() and "image/png" not in data
