"""A learner's progress, and the file, next to the learner's notebooks, that stores it."""

import contextlib
import json
import re
from html import escape

from .. import _, title_of
from .card import framed


class Progress:
    """Your progress in some notebooks, shown when it is the last line of a cell.

    notebooks  number → the names of all exercises and predictions in the notebook
    done       the names of those that you have answered correctly at least once
    open       the names of all others, tried or not
    says       {name: the last message of its check}, for those that were tried in this kernel
    counts     number → how many of the notebook are done, in words
    """

    def __init__(self, notebooks, files, known, said):
        done, self._tried = known["done"], known["tried"]
        names = [name for those in notebooks.values() for name in those]
        self.notebooks, self._files = notebooks, files
        self.done = [name for name in names if name in done]
        self.open = [name for name in names if name not in done]
        self.says = {name: said[name] for name in names if name in said}
        self.counts = {}
        for number, those in notebooks.items():
            counts = {"done": sum(name in done for name in those), "all": len(those)}
            text = _("Notebook {notebook}: {done} of {all} done", notebook=f"{number:02}", **counts)
            self.counts[number] = text

    def __repr__(self):
        if not self.notebooks:
            return _("This notebook has no exercises.")
        if len(self.notebooks) > 1:
            return "\n".join(f"{count}  {self._signs(n)}" for n, count in self.counts.items())
        (number,) = self.notebooks
        rows = [f"  {word:<5}  {name}" for _sign, word, name in self._states(number)]
        return "\n".join([self.counts[number], *rows])

    def _repr_mimebundle_(self, **kwargs):
        """One notebook is shown as a list of what it asks, several as a list of links and signs."""
        head, rows, wide = "" if self.notebooks else repr(self), [], ""
        for number, count in self.counts.items():
            if len(self.notebooks) == 1:
                head = count
                rows = [(s, escape(word), escape(name)) for s, word, name in self._states(number)]
            else:
                file, wide = self._files[number], ' style="grid-template-columns: 8.5em 1fr"'
                link = f'<a href="{file}.ipynb">{escape(count)}</a> · {escape(title_of(file[3:]))}'
                rows.append((self._signs(number), "", link))
        items = [
            f'<li{wide}><span><span aria-hidden="true">{signs}</span> {word}</span> <span>{text}</span>'
            for signs, word, text in rows
        ]
        html = framed(_("progress"), "open", [f"<p>{escape(head)}</p>", "<ul>", *items, "</ul>"])
        return {"text/plain": repr(self), "text/html": html}

    def _states(self, number):
        """(sign, word, name) of each exercise and prediction of a notebook."""
        for name in self.notebooks[number]:
            state = ("◐", _("tried")) if name in self._tried else ("○", _("open"))
            yield *(("●", _("done")) if name in self.done else state), title_of(name)

    def _signs(self, number):
        return "".join(sign for sign, *_rest in self._states(number))


def remembered(path, mine):
    """{"done": names, "tried": names} of the file and of `mine`; what the file lacks is added to it.

    The file holds such objects in JSON. Kernels only add some at its end, so that none overwrites
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
            for found in _objects_in(file.read()):
                for state in known.keys() & found.keys():
                    if isinstance(found[state], list):
                        known[state].update(map(str, found[state]))
            new = {state: sorted(mine[state] - names) for state, names in known.items()}
            if any(new.values()):
                file.write(json.dumps(new, ensure_ascii=False) + "\n")
    return {state: names | mine[state] for state, names in known.items()}


def _objects_in(text):
    """The objects of JSON in a text, whatever else stands there."""
    for brace in re.finditer("{", text):
        with contextlib.suppress(ValueError):
            yield json.JSONDecoder().raw_decode(text, brace.start())[0]
