"""What a learner has done so far; kept as long as the kernel runs."""

import linecache
import sys

from .lines import Line
from .verdicts import check


class Record:
    """Checks answers, and remembers which were right.

    notebooks  number → what has `exercises` and `predictions`, dicts by name
    """

    def __init__(self, notebooks, words):
        self.notebooks, self.words = notebooks, words
        self.done = {}  # name → whether it has been right once
        self.right = []  # the functions and classes that a check found correct

    def check(self, exercise, candidate):
        """The Result for a learner's answer."""
        result = self.note(check(exercise, candidate, self.words))
        if result.passed:
            self.right.append(candidate)
        return result

    def predict(self, prediction, answer):
        """The Result for a learner's prediction."""
        return self.note(prediction.check(answer, self.words))

    def note(self, result):
        if result.attempted and not _in_solution_cell():
            self.done[result.name] = self.done.get(result.name, False) or result.passed
        return result

    def names(self, number):
        """All that there is to do in a notebook, predictions included."""
        notebook = self.notebooks[number]
        titles = [Line("prediction", name=name) for name in notebook.predictions]
        return [*notebook.exercises, *map(self.words.text, titles)]

    def progress(self, number=None):
        """The Progress in one notebook; without a number, in those that were tried."""
        numbers = [number] if number is not None else self.notebooks
        tried = [n for n in numbers if number or self.done.keys() & set(self.names(n))]
        return Progress({n: self.names(n) for n in tried if n in self.notebooks}, self)


def _in_solution_cell():
    """Whether the call comes from one of the notebook's own solutions: no progress of yours."""
    frame = sys._getframe()
    while frame:
        if linecache.getline(frame.f_code.co_filename, 1).startswith("# Solution"):
            return True
        frame = frame.f_back
    return False


class Progress:
    """done and open: names of exercises; as a cell's last line it shows both."""

    def __init__(self, names, record):
        self._names, self._words = names, record.words
        self._state = {
            name: {True: "done", False: "tried", None: "open"}[record.done.get(name)]
            for those in names.values()
            for name in those
        }
        self.done = [name for name, state in self._state.items() if state == "done"]
        self.open = [name for name, state in self._state.items() if state != "done"]

    def __repr__(self):
        lines = []
        for number, names in self._names.items():
            done = sum(name in self.done for name in names)
            counts = Line("progress", notebook=f"{number:02}", done=done, all=len(names))
            lines.append(self._words.text(counts))
            for name in names:
                state = self._words.text(Line(self._state[name]))
                lines.append(f"  {state:<5}  {name.replace('_', ' ')}")
        return "\n".join(lines) or self._words.text(Line("nothing_tried"))
