"""A learner's progress, and the file, next to the learner's notebooks, that stores it."""

import contextlib
import json
import os
import shutil
import time
from html import escape

from .. import _, title_of
from . import course_map
from .card import framed

STALE = 5  # seconds: a lock file older than this was left by a kernel that has ended


class Progress:
    """Your progress in some notebooks, shown when it is the last line of a cell.

    notebooks  number → the names of all exercises and predictions in the notebook
    done       the names of those that you have answered correctly at least once
    open       the names of all others, tried or not
    says       {name: the last message of its check}, for those that you have tried
    counts     number → how many of the notebook are done, in words
    """

    def __init__(self, notebooks, files, done, said):
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
        """One notebook is shown as a list, several as a map with a list of links and signs."""
        rows = []
        for number, file in self._files.items():
            if number not in self.counts:
                continue  # it has no exercises, so it appears only on the map
            title = escape(self.counts[number])
            if len(self._files) > 1:
                link = f'<a href="{file}.ipynb">{title}</a> · {escape(title_of(file[3:]))}'
                rows.append((self._signs(number), "", link))
            else:
                rows = [(s, escape(word), escape(name)) for s, word, name in self._states(number)]
        items = [
            f'<li><span><span aria-hidden="true">{signs}</span> {word}</span> <span>{text}</span>'
            for signs, word, text in rows
        ]
        head = f"<p>{title if len(self._files) == 1 else repr(self) * (not self._files)}</p>"
        if len(self._files) > 1:
            head = course_map.drawn(self._files, self._parts())
        html = framed(_("progress"), "open", [head, "<ul>", *items, "</ul>"])
        return {"text/plain": repr(self), "text/html": html}

    def _parts(self):
        """number → the fraction of the notebook that is done"""
        books = self.notebooks.items()
        return {n: sum(name in self.done for name in those) / len(those) for n, those in books}

    def _states(self, number):
        """(sign, word, name) of each exercise and prediction of a notebook."""
        for name in self.notebooks[number]:
            state = ("◐", _("tried")) if name in self.says else ("○", _("open"))
            yield *(("●", _("done")) if name in self.done else state), title_of(name)

    def _signs(self, number):
        return "".join(sign for sign, *_rest in self._states(number))


def remembered(path, done):
    """The names in the file together with those in `done`, which are added to the file.

    If there is no such file, nothing is read or written, because only `make lab` creates one.
    """
    try:
        names = _names_in(path)
        if names is not None and names >= done:
            return names
        with _alone(path) as new:
            names = _names_in(path)
            if names is None:
                aside = path.with_stem(f"{path.stem}_unreadable")
                shutil.copy(path, aside)
                text = _("{file} could not be read. It is kept as {aside}, and a new one begins.")
                print(text.format(file=path.name, aside=aside.name))
            names = done | (names or set())
            json.dump({"done": sorted(names)}, new, indent=1, ensure_ascii=False)
        return names
    except OSError:  # there is no file, or it cannot be written
        return done


def _names_in(path):
    """The names in the file; None if its contents cannot be read as names."""
    text = path.read_bytes()
    with contextlib.suppress(Exception):  # the file may contain anything
        names = json.loads(text)["done"]
        if isinstance(names, list):
            return set(names)


@contextlib.contextmanager
def _alone(path):
    """A new file that replaces the one at `path`; while it exists, other kernels wait."""
    place, end = path.with_suffix(".new"), time.monotonic() + STALE
    while True:
        try:
            new = open(place, "x", encoding="utf-8")
            break
        except FileExistsError:
            if time.monotonic() > end:
                place.unlink(missing_ok=True)
            time.sleep(0.01)
    try:
        with new:
            yield new
        os.replace(place, path)
    except BaseException:
        place.unlink(missing_ok=True)
        raise
