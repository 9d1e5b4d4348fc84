"""A folder of handed-in work: whose each copy is, of which notebook, and what its checks said.

Nothing in a copy is run. The output of a check carries its verdict (judge/check.py), and JupyterLab
saves the answer to a question with the widget that asks it.
"""

import json
import re
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from .. import _
from ..exercises import NOTEBOOKS, PREDICTIONS
from . import series
from .series import STATE, VIEW

HEADING = re.compile(r"(?m)^# (\d+) · ")
ENDING = re.compile(r"(?i)\.ipynb")  # browsers add others: .ipynb.txt, .ipynb.json


@dataclass
class Copy:
    """A notebook that was handed in.

    learner   the folder that contains it, or else the beginning of its file name
    number    that of the notebook of which it is a copy, by its heading; None if it has none
    states    {exercise or prediction: "done" or "tried"}, without those that nobody has tried
    says      {exercise or prediction: what its check said}
    notes     what a teacher should know of it: why it cannot be read, which cell ends in an error
    """

    path: Path
    learner: str
    number: int | None = None
    states: dict[str, str] = field(default_factory=dict)
    says: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, name: str, right: bool, says: str) -> None:
        """Keep what a check said last; once it was right, that counts."""
        if self.states.get(name) != "done":
            self.states[name], self.says[name] = "done" if right else "tried", says


def asked(number: int | None) -> list[str]:
    """The names of a notebook's exercises and predictions, in order; none if it has none."""
    book = NOTEBOOKS.get(number)
    return [*book.exercises, *book.predictions] if book else []


def find(folder: Path) -> list[Copy]:
    """Every notebook in `folder` and below, by learner and number, without those of tools."""
    copies = [read(folder, path) for path in files(folder) if is_copy(path)]
    return sorted(copies, key=lambda c: (c.learner.casefold(), c.number or 0, c.path))


def others(folder: Path) -> list[str]:
    """The files that `find` leaves out."""
    return sorted(path.as_posix() for path in files(folder) if not is_copy(path))


def files(folder: Path) -> list[Path]:
    return [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]


def is_copy(path: Path) -> bool:
    of_a_tool = any(part.startswith((".", "__")) for part in path.parts)
    return bool(ENDING.search(path.name)) and not of_a_tool


def learner_of(path: Path) -> str:
    """Whose a copy is, by the name of its folder, or else of its file.

    alice_01_hello_shiny_sun belongs to alice, whatever follows: a second download ends in (1). A
    file in no folder whose name does not begin so belongs to a learner of that name.
    """
    # In one encoding: macOS writes é as two characters, Windows as one.
    parts = [unicodedata.normalize("NFC", part) for part in path.parts]
    if len(parts) > 1:
        return parts[0]
    stem = ENDING.split(parts[0])[0]
    stems = "|".join(book.stem.replace("_", "[ _-]") for book in series.notebooks())
    return re.split(f"(?i){stems}", stem)[0].strip(" _-") or stem


def read(folder: Path, path: Path) -> Copy:
    """One copy, `path` within `folder`. An unreadable file is also a Copy, which says why."""
    copy = Copy(folder / path, learner_of(path))
    try:
        read_file(copy)
    except Exception as error:  # anything may have been handed in
        first = str(error).split("\n")[0][:80]
        cause = f"{type(error).__name__}: {first}"
        copy.notes.append(_("it cannot be read as a notebook ({cause})", cause=cause))
    return copy


def read_file(copy: Copy) -> None:
    """Take from its file of which notebook a copy is, and what its outputs say."""
    book = json.loads(copy.path.read_text(encoding="utf-8-sig"))
    prose = "\n".join(joined(cell["source"]) for cell in cells(book, "markdown"))
    known = {int(path.stem[:2]) for path in series.notebooks()}
    headed = (int(number) for number in HEADING.findall(prose) if int(number) in known)
    copy.number = next(headed, None)
    if copy.number is None:
        copy.notes.append(_("no heading tells which notebook it is"))
    if asked(copy.number):
        read_outputs(copy, book)


def read_outputs(copy: Copy, book: dict) -> None:
    """Take the verdicts from a notebook's outputs, with notes on what is wrong or missing there."""
    widgets = book["metadata"].get("widgets", {}).get(STATE, {}).get("state", {})
    checked = False
    for cell in cells(book, "code"):
        for output in cell["outputs"]:
            data = output.get("data", {})
            if output["output_type"] == "error":
                said = f"{output['ename']}: {output['evalue']}".split("\n")[0][:120]
                count = cell["execution_count"]
                copy.notes.append(_("cell [{count}] ends in {error}", count=count, error=said))
            elif verdict := output.get("metadata", {}).get("check"):
                checked = True
                if verdict["attempted"] and not verdict["solution"]:
                    copy.add(verdict["name"], verdict["right"], joined(data["text/plain"]))
            elif VIEW in data:
                question = widgets.get(data[VIEW]["model_id"], {}).get("state", {})
                prediction = PREDICTIONS.get(question.get("asks", {}).get("name"))
                if prediction and question.get("answer"):
                    result = prediction.check(question["answer"])
                    copy.add(prediction.name, result.passed, result.message)
    if not checked:
        copy.notes.append(_("no outputs of checks: open it, Run All, save"))


def cells(book: dict, kind: str) -> list[dict]:
    return [cell for cell in book["cells"] if cell["cell_type"] == kind]


def joined(text: str | list[str]) -> str:
    """A text of a notebook's file, where it may stand as a list of lines."""
    return "".join(text)
