"""What a learner has done so far; kept as long as the kernel runs."""

import linecache
import sys

from .. import _
from .check import check


class Record:
    """Checks answers, and remembers which were right.

    notebooks  number → what has `exercises` and `predictions`, dicts by name
    """

    def __init__(self, notebooks):
        self.notebooks = notebooks
        self.done = {}  # name → whether it has been right once
        self.said = {}  # name → the last message of its check
        self.right = []  # the functions and classes that a check found correct

    def check(self, exercise, candidate):
        """The Result for a learner's answer."""
        result = self.note(check(exercise, candidate))
        if result.passed:
            self.right.append(candidate)
        return result

    def predict(self, prediction, answer):
        """The Result for a learner's prediction."""
        return self.note(prediction.check(answer))

    def note(self, result):
        if result.attempted and not _in_solution_cell():
            self.done[result.name] = self.done.get(result.name, False) or result.passed
            self.said[result.name] = result.message
        return result

    def names(self, number):
        """All that there is to do in a notebook, predictions included."""
        notebook = self.notebooks[number]
        titles = [_("prediction: {name}", name=name) for name in notebook.predictions]
        return [*notebook.exercises, *titles]

    def progress(self, number=None):
        """The Progress in one notebook; without a number, in those that were tried."""
        names = {n: self.names(n) for n in self.notebooks}
        if number is None:
            chosen = [n for n in names if self.done.keys() & set(names[n])]
        else:
            chosen = [n for n in names if n == number]
        return Progress({n: names[n] for n in chosen}, self)


def _in_solution_cell():
    """Whether the call comes from one of the notebook's own solutions: no progress of yours."""
    frame = sys._getframe()
    while frame:
        if linecache.getline(frame.f_code.co_filename, 1).startswith("# Solution"):
            return True
        frame = frame.f_back
    return False


class Progress:
    """How far you are in some notebooks; as a cell's last line it shows it.

    notebooks  number → the names of all exercises and predictions in it
    done       the names of those that have been right once
    open       the names of all others, tried or not
    says       {name: what its check said last}, of those that were tried
    """

    def __init__(self, notebooks, record):
        self.notebooks = notebooks
        names = [name for those in notebooks.values() for name in those]
        self.done = [name for name in names if record.done.get(name)]
        self.open = [name for name in names if not record.done.get(name)]
        self.says = {name: record.said[name] for name in names if name in record.done}

    def __repr__(self):
        lines = []
        for number, names in self.notebooks.items():
            done = sum(name in self.done for name in names)
            counts = {"notebook": f"{number:02}", "done": done, "all": len(names)}
            lines.append(_("Notebook {notebook}: {done} of {all} done", **counts))
            for name in names:
                state = _("tried") if name in self.says else _("open")
                state = _("done") if name in self.done else state
                lines.append(f"  {state:<5}  {name.replace('_', ' ')}")
        return "\n".join(lines) or _("Nothing tried yet: run a check, then ask again.")
