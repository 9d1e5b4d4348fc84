"""Cards: what a check found and how far a learner is, as HTML that needs no script.

Every card brings its own styles, about a kilobyte: an output may be the only one on a page. Where a
notebook is not trusted, JupyterLab takes styles and the drawn line away; what is left is plain text.
"""

from base64 import b64encode
from html import escape
from pathlib import Path

from .. import _, title_of

STYLE = " ".join(Path(__file__).with_name("card.css").read_text(encoding="utf-8").split())
STATES = {"right": ("✓", _("right")), "wrong": ("✗", _("not yet")), "open": ("○", _("not tried"))}
LINE = '<svg class="check-line" viewBox="0 0 144 9" aria-hidden="true">'
LINE += '<path pathLength="1" d="M2 6Q34 1 70 5T142 3"/></svg>'


class Labelled(str):
    """A sentence such as "Try: …", whose label stands out on a card; with a link, it leads there."""

    def __new__(cls, message, link="", **fields):
        sentence = super().__new__(cls, message.format(**fields))
        sentence.label, sentence.link = message[: message.find(":") + 1], link
        return sentence


def link_to(file, heading):
    """The address of a heading, as JupyterLab has it; pages.py makes it that of a web page.

    JupyterLab does not decode addresses, so that it finds no heading with other letters than ASCII's.
    """
    return f"{file}.ipynb#{heading.replace(' ', '-')}"


def card(result):
    """The HTML of a Result."""
    state = "right" if result.passed else "wrong" if result.attempted else "open"
    icon, word = STATES[state]
    title = title_of(result.name)
    head = f'<p><b class="check-word"><span aria-hidden="true">{icon}</span> {escape(word)}</b>'
    head += f" {escape(title)}</p>"
    sentences = [f"<p>{_marked(line)}</p>" for line in result.lines]
    if result.pitfall:  # what it looks like is the title
        head += sentences.pop(0)
    parts = [f'<div role="heading" aria-level="4">{head}</div>', *[LINE] * result.passed]
    parts += sentences + [f"<p>{escape(result.count)}</p>"] * bool(result.count)
    if result.picture is not None:
        png, alt = b64encode(result.picture.png()).decode(), escape(result.picture.text)
        parts.append(f'<img src="data:image/png;base64,{png}" alt="{alt}">')
    return framed(title, state, parts)


def framed(label, state, parts):
    """The parts of a card in its frame, with its styles."""
    about = f'class="check check-{state}" role="group" aria-label="{escape(label)}"'
    return f"<style>{STYLE}</style><div {about}>{''.join(parts)}</div>"


def _marked(line):
    """The HTML of a sentence, in which all that a learner wrote is text."""
    label = getattr(line, "label", "")
    text = escape(line[len(label) :])
    if label and line.link:
        text = f' <a href="{escape(line.link)}">{text.strip()}</a>'
    return f"<b>{escape(label)}</b>{text}" if label else text
