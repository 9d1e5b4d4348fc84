"""A learner's progress, and the file, next to the learner's notebooks, that stores it."""

import contextlib
import json
from html import escape

from .. import _, title_of
from .card import framed


class Progress:
    """Your progress in some notebooks, shown when it is the last line of a cell.

    notebooks  number → the names of all exercises and predictions in the notebook
    done       the names of those that you have answered correctly at least once
    counts     number → how many of the notebook are done, in words
    """

    def __init__(self, books, known):
        """books: number → Notebook; known: as `remembered` gives it."""
        self._books, self._tried = books, known["tried"]
        self.notebooks, self.done, self.counts = {}, [], {}
        for number, book in books.items():
            those = [*book.exercises, *(asked.title for asked in book.predictions.values())]
            done = [name for name in those if name in known["done"]]
            self.notebooks[number], self.done = those, [*self.done, *done]
            counts = {"done": len(done), "all": len(those)}
            text = _("Notebook {notebook}: {done} of {all} done", notebook=f"{number:02}", **counts)
            self.counts[number] = text

    def __repr__(self):
        if not self.notebooks:
            return _("This notebook has no exercises.")
        if len(self.notebooks) > 1:
            signs = {n: "".join(sign for sign, *_rest in self._states(n)) for n in self.notebooks}
            return "\n".join(f"{count}  {signs[n]}" for n, count in self.counts.items())
        (number,) = self.notebooks
        rows = [f"  {word:<5}  {name}" for _sign, word, name in self._states(number)]
        return "\n".join([self.counts[number], *rows])

    def _repr_mimebundle_(self, **kwargs):
        """The text as a card, in which the counts of several notebooks are links to them."""
        text = escape(repr(self))
        for number, count in self.counts.items() if len(self.counts) > 1 else ():
            file = self._books[number].file
            link = f'<a href="{file}.ipynb">{escape(count)}</a> · {escape(title_of(file[3:]))}'
            text = text.replace(escape(count), link)
        lines = [f"<p>{line}</p>" for line in text.split("\n")]
        return {"text/plain": repr(self), "text/html": framed(_("progress"), "open", lines)}

    def _states(self, number):
        """(sign, word, name) of each exercise and prediction of a notebook."""
        for name in self.notebooks[number]:
            state = ("◐", _("tried")) if name in self._tried else ("○", _("open"))
            yield *(("●", _("done")) if name in self.done else state), title_of(name)


def remembered(path, mine):
    """{"done": names, "tried": names} of the file and of `mine`; what the file lacks is added to it.

    The file holds such objects in JSON, one a line. Kernels only add lines, so that none overwrites
    another's, and what cannot be read stays as it is. If there is no file, nothing is written,
    because only `make lab` creates one.
    """
    known = {state: set() for state in mine}
    if path.exists():
        with (
            contextlib.suppress(OSError),
            open(path, "a+", encoding="utf-8", errors="replace") as file,
        ):
            file.seek(0)
            for line in file.read().splitlines():
                with contextlib.suppress(ValueError, RecursionError):
                    found = json.loads(line)
                    for state in known.keys() & found if isinstance(found, dict) else ():
                        if isinstance(found[state], list):
                            known[state].update(map(str, found[state]))
            new = {state: sorted(mine[state] - names) for state, names in known.items()}
            if any(new.values()):
                # It begins its line, since another kernel may have been stopped within one.
                file.write("\n" + json.dumps(new, ensure_ascii=False))
    return {state: names | mine[state] for state, names in known.items()}
