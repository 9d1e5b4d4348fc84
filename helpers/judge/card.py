"""Cards show a check's result, its picture, or a learner's progress, as HTML that needs no script.

Every card contains its own styles, 1.2 KB, because its output may be the only one on a page. If a
notebook is not trusted, JupyterLab removes the styles; plain text remains.
"""

from base64 import b64encode
from html import escape
from pathlib import Path

import numpy as np

from .. import _, title_of
from ..pictures import plots
from ..pictures.labels import Labels
from ..pictures.roles import role_of
from .comparing import apart, pairs

MOST_DRAWN = 12  # rows and columns; the rest of a larger matrix is left out
STYLE = " ".join(Path(__file__).with_name("card.css").read_text(encoding="utf-8").split())
STATES = {"right": ("✓", _("right")), "wrong": ("✗", _("not yet")), "open": ("○", _("not tried"))}


class Labelled(str):
    """A sentence such as "Try: …", whose label a card shows in bold; the rest may be a link."""

    def __new__(cls, message, link="", **fields):
        sentence = super().__new__(cls, message.format(**fields))
        sentence.label, sentence.link = message[: message.find(":") + 1], link
        return sentence


def link_to(file, heading, here=""):
    """The address of a heading in JupyterLab; pages.py turns it into that of a web page.

    In the same notebook, which `here` names, it has no file name: learners rename their copies.
    JupyterLab does not decode addresses, so it cannot find a heading with letters outside ASCII.
    """
    return f"{file}.ipynb" * (file != here) + f"#{heading.replace(' ', '-')}"


def card(result):
    """The HTML of a Result."""
    state = "right" if result.passed else "wrong" if result.attempted else "open"
    icon, word = STATES[state]
    if result.by_solution and result.passed:
        word = _("Our solution: right")
    title = title_of(result.name)
    head = f'<p><b class="check-word"><span aria-hidden="true">{icon}</span> {escape(word)}</b>'
    head += f" {escape(title)}</p>"
    sentences = [f"<p>{_marked(line)}</p>" for line in result.lines]
    if result.pitfall:  # the first sentence, "It looks like: …", belongs to the title
        head += sentences.pop(0)
    parts = [f'<div role="heading" aria-level="4">{head}</div>']
    parts += sentences + [f"<p>{escape(result.count)}</p>"] * bool(result.count)
    if result.picture is not None:
        png, alt = b64encode(result.picture.png()).decode(), escape(result.picture.text)
        parts.append(f'<img src="data:image/png;base64,{png}" alt="{alt}">')
    return framed(title, state, parts)


def framed(label, state, parts):
    """The HTML of a card made of these parts, with its frame and its styles."""
    about = f'class="check check-{state}" role="group" aria-label="{escape(label)}"'
    return f"<style>{STYLE}</style><div {about}>{''.join(parts)}</div>"


def _marked(line):
    """The HTML of a sentence. Everything is escaped, because it may quote a learner's code."""
    label = getattr(line, "label", "")
    text = escape(line[len(label) :])
    if label and line.link:
        text = f' <a href="{escape(line.link)}">{text.strip()}</a>'
    return f"<b>{escape(label)}</b>{text}" if label else text


def side_by_side(mine, wanted):
    """A Picture of the first array that differs, yours and the expected one; or None."""
    found = pairs(mine, wanted)
    name = next(iter(found), None)
    if name is None or not found[name][0].ndim or not found[name][0].size:
        return None
    yours, theirs = found[name]
    if yours.shape == theirs.shape and yours.ndim > 2:  # the first in the batch that differs
        place = tuple(np.argwhere(apart(yours, theirs))[0][:-2])
        yours, theirs = yours[place], theirs[place]
    pair = [_corner(np.atleast_2d(array)) for array in (yours, theirs)]
    role = "weights" if "weights" in name or name in ("mask", "probabilities") else role_of(name)
    finite = np.abs(pair[1][np.isfinite(pair[1])])
    limit = 1.0 if role == "weights" else float(np.ceil(finite.max(initial=1.0)))
    shown = []
    for title, array in zip((_("your {name}", name=name), _("expected {name}", name=name)), pair):
        rows, columns = ({title: [str(i) for i in range(n)]} for n in array.shape)
        labels = Labels(["0"], rows, columns, {title: role}, {title: limit})
        shown.append((labels.panel(title, array.shape), array))
    return plots.panels(shown)


def _corner(array):
    """The upper left of the first matrix, as float32, with inf as NaN, which is drawn hatched."""
    matrix = array.reshape(-1, *array.shape[-2:])[0][:MOST_DRAWN, :MOST_DRAWN]
    return np.where(np.isfinite(matrix), matrix, np.nan).astype(np.float32)
